//! Two runs side by side, as a picture.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    Failure, FailureKind, run_picture, timeline,
    world::{NodeKind, RunPicture, Timeline},
};
use crate::{
    compare::{
        Change, ChangeError, CompareError, Comparison, Difference, Ends, Preset, Refused, ToldDifference, presets,
    },
    lesson::{LessonRun, LessonSource, RunError},
    sim::{Cluster, ConsumerSpec, History},
};

/// Events of either timeline before and behind the present one.
const AROUND: u64 = 100;

/// A question about two runs side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CompareQuery {
    /// What can be compared.
    Choices,
    /// Plays a run again with a change, and holds the two against each other. They begin at the first difference.
    Begin {
        /// The lesson whose solution is the first run; absent: the run that is open, the whole of its branch.
        lesson: Option<String>,
        /// What the second run has otherwise.
        change: Change,
    },
    /// Both runs to a moment: 0 is the start.
    Seek {
        /// How many moments are behind.
        moment: u32,
    },
    /// Both runs to right after everything that happens at a time.
    SeekTime {
        /// The virtual time, microseconds.
        at_us: i64,
    },
}

/// The answer to a [`CompareQuery`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "camelCase")]
pub enum CompareAnswer {
    /// To [`CompareQuery::Choices`].
    Choices(Box<CompareChoices>),
    /// To everything else.
    Runs(Box<ComparePicture>),
}

/// What can be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompareChoices {
    /// Comparisons that need no run.
    pub presets: Vec<Preset>,
    /// What can be changed about the run that is open; absent while none is.
    pub run: Option<RunChoices>,
}

/// What can be changed about a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunChoices {
    /// The lesson that it is of; absent: the sandbox.
    pub lesson: Option<String>,
    /// Events of its branch.
    pub events: u64,
    /// Seed of its generators.
    pub seed: u64,
    /// Its nodes, in the order of the cluster.
    pub nodes: Vec<NodeChoice>,
}

/// What can be changed about a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeChoice {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// It is a consumer whose client pulls for a listener.
    pub push: bool,
    /// It is a broker that slaves can follow.
    pub master: bool,
    /// The keys that are set, with their values.
    pub config: BTreeMap<String, String>,
    /// The key of the row by which its listener knows what it has done.
    pub record_key: Option<String>,
}

/// Two runs at the same virtual time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparePicture {
    /// What the second run has otherwise.
    pub change: Change,
    /// How many moments are behind: times at which either run has an event.
    pub moment: u32,
    /// How many there are.
    pub moments: u32,
    /// The virtual time, microseconds.
    pub now_us: i64,
    /// The run as it was made.
    pub first: RunPicture,
    /// The run with the change.
    pub second: RunPicture,
    /// Events around the present one of the first.
    pub first_timeline: Timeline,
    /// Events around the present one of the second.
    pub second_timeline: Timeline,
    /// The first difference; absent if the change makes none.
    pub difference: Option<Difference>,
    /// The moment of it.
    pub difference_moment: Option<u32>,
    /// The first thing that an application was told otherwise.
    pub told: Option<ToldDifference>,
    /// The moment of it.
    pub told_moment: Option<u32>,
    /// Actions that the second run could not do.
    pub refused: Vec<Refused>,
    /// What both came to.
    pub ends: Ends,
}

/// Answers a question. `compared` is the comparison that is open, `run` the run that is, with its lesson.
pub(super) fn compare(
    compared: &mut Option<Box<Comparison>>,
    run: Option<(&History, Option<&str>)>,
    query: CompareQuery,
) -> Result<CompareAnswer, Failure> {
    match query {
        CompareQuery::Choices => {
            let run = run.map(|(history, lesson)| choices(history, lesson));
            return Ok(CompareAnswer::Choices(Box::new(CompareChoices { presets: presets(), run })));
        }
        CompareQuery::Begin { lesson, change } => {
            let mut begun = match lesson {
                Some(id) => Comparison::new(solved(&id)?.history(), change)?,
                None => Comparison::new(run.ok_or_else(super::failure::nothing_runs)?.0, change)?,
            };
            let at_us = begun.difference().map(|difference| difference.at_us);
            begun.seek(at_us.map_or(0, |at_us| begun.moment_at(at_us)));
            *compared = Some(Box::new(begun));
        }
        CompareQuery::Seek { moment } => {
            compared.as_mut().ok_or_else(nothing_compared)?.seek(moment as usize);
        }
        CompareQuery::SeekTime { at_us } => {
            let comparison = compared.as_mut().ok_or_else(nothing_compared)?;
            let moment = comparison.moment_at(at_us);
            comparison.seek(moment);
        }
    }
    let comparison = compared.as_ref().ok_or_else(nothing_compared)?;
    Ok(CompareAnswer::Runs(Box::new(picture(comparison))))
}

/// A lesson, its solution played.
fn solved(id: &str) -> Result<LessonRun, Failure> {
    let source = LessonSource::find(id).ok_or_else(|| super::failure::not_found(format!("no lesson `{id}`")))?;
    let mut run = LessonRun::new(Arc::new(source.load()?))?;
    run.solve()?;
    Ok(run)
}

fn picture(comparison: &Comparison) -> ComparePicture {
    let (first, second) = (comparison.first(), comparison.second());
    let around = |history: &History| timeline(history, history.position().saturating_sub(AROUND), 2 * AROUND as u32);
    let moment = |at_us: i64| count(comparison.moment_at(at_us));
    let told_us = comparison.told().and_then(|told| told.first.iter().chain(&told.second).map(|told| told.at_us).min());
    ComparePicture {
        change: comparison.change().clone(),
        moment: count(comparison.moment()),
        moments: count(comparison.len()),
        now_us: comparison.now_us(),
        first: run_picture(first),
        second: run_picture(second),
        first_timeline: around(first),
        second_timeline: around(second),
        difference: comparison.difference().cloned(),
        difference_moment: comparison.difference().map(|difference| moment(difference.at_us)),
        told: comparison.told().cloned(),
        told_moment: told_us.map(moment),
        refused: comparison.refused().to_vec(),
        ends: comparison.ends().clone(),
    }
}

fn choices(history: &History, lesson: Option<&str>) -> RunChoices {
    let world = history.world();
    RunChoices {
        lesson: lesson.map(str::to_owned),
        events: history.len(),
        seed: world.seed(),
        nodes: nodes(world.cluster()),
    }
}

fn nodes(cluster: &Cluster) -> Vec<NodeChoice> {
    let node = |name: &str, kind, config: &BTreeMap<String, String>| NodeChoice {
        name: name.to_owned(),
        kind,
        push: false,
        master: false,
        config: config.clone(),
        record_key: None,
    };
    let servers = cluster.name_servers.iter().map(|spec| node(&spec.name, NodeKind::NameServer, &spec.config));
    let brokers = cluster.brokers.iter().map(|spec| {
        let slave = spec.config.get("brokerRole").is_some_and(|role| role == "SLAVE")
            || spec.config.get("brokerId").is_some_and(|id| id != "0");
        NodeChoice { master: !slave, ..node(&spec.name, NodeKind::Broker, &spec.config) }
    });
    let producers = cluster.producers.iter().map(|spec| node(&spec.name, NodeKind::Producer, &spec.config));
    let consumers = cluster.consumers.iter().map(|spec| NodeChoice {
        push: spec.push.is_some(),
        record_key: record_key(spec),
        ..node(&spec.name, NodeKind::Consumer, &spec.config)
    });
    servers.chain(brokers).chain(producers).chain(consumers).collect()
}

fn record_key(spec: &ConsumerSpec) -> Option<String> {
    let business = spec.push.as_ref()?.listener.business.as_ref()?;
    Some(business.record.as_ref()?.key.clone())
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn nothing_compared() -> Failure {
    super::failure::failure(FailureKind::NothingOpen, &"nothing is compared")
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Cluster(wrong) => RunError::Cluster(wrong).into(),
            CompareError::Change(ChangeError::NoSuchNode { .. }) => {
                super::failure::failure(FailureKind::NotFound, &error)
            }
            CompareError::Change(_) => super::failure::failure(FailureKind::Change, &error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CompareAnswer, CompareQuery};
    use crate::{
        compare::{Change, presets},
        sim::{Action, Send},
        view::{Answer, ComparePicture, Failure, FailureKind, Query, Session},
    };

    fn ask(session: &mut Session, query: CompareQuery) -> Result<CompareAnswer, Failure> {
        match session.ask(Query::Compare { query }) {
            Answer::Compare(answer) => Ok(*answer),
            Answer::Failed(failure) => Err(failure),
            other => panic!("{other:?}"),
        }
    }

    fn runs(session: &mut Session, query: CompareQuery) -> ComparePicture {
        match ask(session, query) {
            Ok(CompareAnswer::Runs(picture)) => *picture,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_preset_needs_no_run_and_leaves_an_open_one_alone() {
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        let Answer::Workbench(before) = session.ask(Query::Step) else { panic!("no workbench") };
        let flush = presets().swap_remove(0);
        let begin = CompareQuery::Begin { lesson: Some(flush.lesson), change: flush.change };
        let picture = runs(&mut session, begin);
        assert_eq!(Some(picture.moment), picture.difference_moment);
        assert_eq!(picture.now_us, picture.difference.expect("a difference").at_us);
        let start = runs(&mut session, CompareQuery::Seek { moment: 0 });
        assert_eq!((start.first.position, start.second.position, start.now_us), (0, 0, 0));
        let end = runs(&mut session, CompareQuery::Seek { moment: u32::MAX });
        assert_eq!(
            (end.moment, end.first.position, end.second.position),
            (end.moments, end.first.length, end.second.length)
        );
        assert_eq!(session.ask(Query::Look), Answer::Workbench(before));
    }

    #[test]
    fn the_open_run_is_compared_as_it_was_acted_in() {
        let mut session = Session::new();
        let nothing = CompareQuery::Begin { lesson: None, change: Change::Seed { seed: 2 } };
        assert_eq!(ask(&mut session, nothing).expect_err("no run").kind, FailureKind::NothingOpen);
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        let send = Send { producer: "producer".to_owned(), topic: "OrderTopic".to_owned(), ..Send::default() };
        session.ask(Query::Act { action: Action::Send(Box::new(send)) });
        let change = Change::Config {
            node: "producer".to_owned(),
            key: "sendMsgTimeout".to_owned(),
            value: Some("5000".to_owned()),
        };
        let picture = runs(&mut session, CompareQuery::Begin { lesson: None, change });
        // Nothing takes three seconds here, so it makes no difference that the producer would wait for five.
        assert_eq!((picture.difference, picture.told, picture.moment), (None, None, 0));
        let same = CompareQuery::Begin { lesson: None, change: Change::Seed { seed: 1 } };
        assert_eq!(ask(&mut session, same).expect_err("no change").kind, FailureKind::Change);
        let Ok(CompareAnswer::Choices(choices)) = ask(&mut session, CompareQuery::Choices) else {
            panic!("no choices")
        };
        let run = choices.run.expect("a run is open");
        let names: Vec<&str> = run.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!((run.lesson, names), (None, vec!["namesrv", "broker-a", "producer", "consumer"]));
    }
}
