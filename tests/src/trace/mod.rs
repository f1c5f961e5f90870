//! Whole runs that have to be the same natively and in the browser.
//!
//! Each is data without clock and chance: begun and moved on by the questions that the page asks too, so that its file, as
//! a module, can be handed the run as JSON. What is compared covers everything that the run did and left behind.

mod crash;
mod lessons;
mod random;
mod store;
mod world;

use anyhow::{Result, bail};
use rocketscope_engine::sim::{Action, Cluster, World};
use rocketscope_engine::view::{Answer, Query, Session, Workbench};
use serde::{Deserialize, Serialize};

/// More events than any run of these has between two actions, where it is to come to rest.
const TO_REST: u32 = 100_000;

/// A run, not yet played.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What failures call it.
    pub name: String,
    /// What is played.
    pub play: Play,
}

/// What is played.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Play {
    /// The solution of the lesson with this id.
    Lesson(&'static str),
    /// A cluster, and what happens to it.
    Script(Box<Script>),
}

/// A cluster, and what happens to it.
#[derive(Clone, Debug, Serialize)]
pub struct Script {
    /// What the world begins with.
    pub cluster: Cluster,
    /// Seed of the world's generators.
    pub seed: u64,
    /// What is done, in order. What cannot be done is refused, and that is the same everywhere too.
    pub moves: Vec<Move>,
}

/// One thing that is done, and how long the world goes on by itself then.
#[derive(Clone, Debug, Serialize)]
pub struct Move {
    /// What is done.
    pub action: Action,
    /// Events that follow it at most; fewer where the world comes to rest before.
    pub events: u32,
}

/// What two plays of a scenario are compared by.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outcome {
    /// The moves that were refused, each by its place and why.
    pub refused: Vec<(usize, String)>,
    /// Events of the run.
    pub events: u64,
    /// Hash of all of them, as 16 hexadecimal digits.
    pub trace_hash: String,
    /// Hash of what is left: the time, every byte of every disk and every row of every database.
    pub state_hash: String,
}

/// The scenarios that are written down, and every lesson's solution.
pub fn written() -> Vec<Scenario> {
    let scripts = [("store", store::script()), ("world", world::script()), ("crash", crash::script())];
    let scripts = scripts.map(|(name, script)| Scenario::new(name.to_owned(), script));
    scripts.into_iter().chain(lessons::scenarios()).collect()
}

/// The random scenarios of these numbers.
pub fn random(numbers: impl Iterator<Item = u64>) -> Vec<Scenario> {
    numbers.map(|number| Scenario::new(format!("random {number}"), random::script(number))).collect()
}

impl Scenario {
    fn new(name: String, script: Script) -> Self {
        Self { name, play: Play::Script(Box::new(script)) }
    }

    /// Plays it here.
    ///
    /// # Errors
    /// If it cannot begin, or a lesson is not solved by its solution; the engine's own tests then tell more.
    pub fn outcome(&self) -> Result<Outcome> {
        let mut session = Session::new();
        let mut refused = Vec::new();
        let end = match &self.play {
            Play::Lesson(id) => {
                moved(&mut session, Query::StartLesson { id: (*id).to_owned() })?;
                moved(&mut session, Query::Solve)?
            }
            Play::Script(script) => {
                let Script { cluster, seed, moves } = &**script;
                let cluster = Some(Box::new(cluster.clone()));
                moved(&mut session, Query::StartSandbox { cluster, seed: *seed })?;
                for (place, Move { action, events }) in moves.iter().enumerate() {
                    if let Answer::Failed(failure) = session.ask(Query::Act { action: action.clone() }) {
                        refused.push((place, failure.message));
                    }
                    moved(&mut session, Query::Run { events: *events })?;
                }
                moved(&mut session, Query::Look)?
            }
        };
        let state_hash = session.world().map_or(0, World::state_hash);
        Ok(Outcome {
            refused,
            events: end.run.length,
            trace_hash: hex(end.run.trace_hash),
            state_hash: hex(state_hash),
        })
    }
}

fn moved(session: &mut Session, query: Query) -> Result<Box<Workbench>> {
    match session.ask(query) {
        Answer::Workbench(bench) => Ok(bench),
        other => bail!("no picture of the run, but {other:?}"),
    }
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Actions each of which is done when what the one before caused has come to rest; all of it `rounds` times over.
fn in_turn(actions: &str, rounds: usize) -> Vec<Move> {
    let actions: Vec<Action> = serde_json::from_str(actions).expect("actions");
    let moves: Vec<Move> = actions.into_iter().map(|action| Move { action, events: TO_REST }).collect();
    std::iter::repeat_n(moves, rounds).flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Outcome, Scenario, random, written};

    fn outcomes() -> Vec<(String, Outcome)> {
        let outcome = |scenario: Scenario| (scenario.name.clone(), scenario.outcome().expect("an outcome"));
        written().into_iter().chain(random(0..30)).map(outcome).collect()
    }

    #[test]
    fn a_run_twice_is_the_same_run_and_no_other() {
        let (once, twice) = (outcomes(), outcomes());
        assert_eq!(once, twice);
        let traces: BTreeSet<&str> = once.iter().map(|(_, outcome)| outcome.trace_hash.as_str()).collect();
        let states: BTreeSet<&str> = once.iter().map(|(_, outcome)| outcome.state_hash.as_str()).collect();
        assert_eq!((traces.len(), states.len()), (once.len(), once.len()));

        // Nothing that is written down is refused, but where a trap of the crashes finds no turn in a later round.
        let refused =
            |name: &str| once.iter().find(|(written, _)| written == name).map(|(_, outcome)| &outcome.refused);
        assert_eq!((refused("store"), refused("world")), (Some(&Vec::new()), Some(&Vec::new())));
        // Of the random ones some are, and every one has events.
        assert!(once.iter().any(|(name, outcome)| name.starts_with("random") && !outcome.refused.is_empty()));
        assert!(once.iter().all(|(_, outcome)| outcome.events > 0));
    }
}
