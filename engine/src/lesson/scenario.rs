//! A scenario: a cluster, what happens to it and what is expected of it, in one file that holds no text for a learner.

use std::fmt;

use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

use super::{Condition, LessonError, Probe, RunError, Test, Value, holds, play::EVENTS_MAX};
use crate::sim::{Action, Cluster, EventKind, History, Imports};

/// A scenario, ready to be played.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// Seed of the world's generators; 1 if absent.
    #[serde(default = "usual_seed")]
    pub seed: u64,
    /// The world it begins with.
    pub cluster: Cluster,
    /// What happens, in order. The world comes to rest after the last one.
    #[serde(default)]
    pub moves: Vec<ScenarioMove>,
    /// What is to hold at the end.
    #[serde(default)]
    pub expect: Vec<Expectation>,
}

/// One move of a scenario: a time to wait for, and what is done then.
#[derive(Clone, Debug)]
pub struct ScenarioMove {
    /// World time to wait for first, milliseconds.
    pub at: Option<i64>,
    /// What is done.
    pub what: Deed,
}

/// What a move does.
#[derive(Clone, Debug)]
pub enum Deed {
    /// Something to the world.
    Act(Box<Action>),
    /// So many events pass.
    Events(u32),
    /// Events pass until the condition holds.
    Until(Condition),
    /// Events pass until the world is at rest.
    Rest,
    /// Nothing: the move only waits for its time.
    Nothing,
}

/// A condition as a scenario writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "RawCondition")]
pub struct Expectation(pub Condition);

/// A scenario that could not be played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("moves[{index}]: {error}")]
pub struct ScenarioError {
    /// The move, from 0.
    pub index: usize,
    /// Why.
    pub error: StoppedAt,
}

/// Why a move could not be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoppedAt {
    /// As with a lesson's moves.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Its time is over.
    #[error("it is to be made at {at} ms, and the time is {now_ms} ms")]
    TooLate {
        /// When it was to be made, milliseconds.
        at: i64,
        /// What the time was, milliseconds.
        now_ms: i64,
    },
}

const fn usual_seed() -> u64 {
    1
}

impl Scenario {
    /// Reads a scenario; `file` is its name for errors, which JSON's ends in `.json`. Everything else is TOML.
    ///
    /// # Errors
    /// With line and cause, if the text is no scenario.
    pub fn read(file: &str, text: &str) -> Result<Self, LessonError> {
        let fail = |line: usize, cause: String| LessonError { file: file.to_owned(), line, cause };
        if std::path::Path::new(file).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            return serde_json::from_str(text).map_err(|error| fail(error.line().max(1), error.to_string()));
        }
        toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            fail(before.matches('\n').count() + 1, error.message().to_owned())
        })
    }

    /// Plays it: every move, and on until the world is at rest. The history goes as far as it came.
    ///
    /// # Errors
    /// If the cluster cannot be built.
    pub fn play(&self) -> Result<(History, Result<(), ScenarioError>), RunError> {
        self.play_on(&Imports::default())
    }

    /// The same with the stores that its brokers begin on.
    ///
    /// # Errors
    /// If the cluster cannot be built.
    pub fn play_on(&self, imports: &Imports) -> Result<(History, Result<(), ScenarioError>), RunError> {
        let mut history = History::with_imports(&self.cluster, self.seed, imports)?;
        let played = self
            .moves
            .iter()
            .enumerate()
            .try_for_each(|(index, one)| one.play(&mut history).map_err(|error| ScenarioError { index, error }));
        let mut rest = || run_until(&mut history, History::at_rest, "the world at rest");
        let index = self.moves.len();
        let played = played.and_then(|()| rest().map_err(|error| ScenarioError { index, error: error.into() }));
        Ok((history, played))
    }
}

impl ScenarioMove {
    fn play(&self, history: &mut History) -> Result<(), StoppedAt> {
        if let Some(at) = self.at {
            wait_for(history, at)?;
        }
        match &self.what {
            Deed::Act(action) => {
                history.act(action.as_ref().clone()).map_err(RunError::from)?;
            }
            Deed::Events(events) => {
                history.run(u64::from(*events), |_, _| false);
            }
            Deed::Until(condition) => {
                run_until(history, |history| holds(history.world(), condition), &condition.to_string())?;
            }
            Deed::Rest => run_until(history, History::at_rest, "the world at rest")?,
            Deed::Nothing => {}
        }
        Ok(())
    }
}

/// Lets the world go on to the time `at`, milliseconds. It gets there by a wait, which is an event.
fn wait_for(history: &mut History, at: i64) -> Result<(), StoppedAt> {
    let now_us = history.world().now_us();
    let left_us = at.saturating_mul(1000).saturating_sub(now_us);
    if left_us < 0 {
        return Err(StoppedAt::TooLate { at, now_ms: now_us.div_euclid(1000) });
    }
    let ms = left_us.saturating_add(999).div_euclid(1000);
    if ms == 0 {
        return Ok(());
    }
    history.act(Action::Wait { ms }).map_err(RunError::from)?;
    let end_us = now_us.saturating_add(ms.saturating_mul(1000));
    let taken = history.run(EVENTS_MAX, |world, event| world.now_us() >= end_us && event.what == EventKind::Alarm);
    if history.world().now_us() < end_us {
        return Err(RunError::NeverTrue { condition: format!("the time {at} ms"), events: taken }.into());
    }
    Ok(())
}

fn run_until(history: &mut History, is_there: impl Fn(&History) -> bool, words: &str) -> Result<(), RunError> {
    for events in 0..EVENTS_MAX {
        if is_there(history) {
            return Ok(());
        }
        // The last of what was pending may pass without an event.
        if history.step().is_none() && !is_there(history) {
            return Err(RunError::NeverTrue { condition: words.to_owned(), events });
        }
    }
    Err(RunError::NeverTrue { condition: words.to_owned(), events: EVENTS_MAX })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawCondition {
    probe: Option<String>,
    is: Option<Value>,
    not: Option<Value>,
    at_least: Option<i64>,
    at_most: Option<i64>,
    all: Option<Vec<Expectation>>,
    any: Option<Vec<Expectation>>,
}

impl TryFrom<RawCondition> for Expectation {
    type Error = String;

    fn try_from(raw: RawCondition) -> Result<Self, String> {
        let several = |all: Vec<Self>| all.into_iter().map(|Self(condition)| condition).collect();
        Ok(Self(match (raw.probe, raw.all, raw.any) {
            (Some(text), None, None) => {
                let test = Test::one_of(raw.is, raw.not, raw.at_least, raw.at_most);
                let test = test.ok_or("a probe is compared by one of is, not, atLeast, atMost")?;
                Condition::Is(Probe::parse(&text).map_err(|error| error.to_string())?, test)
            }
            (None, Some(all), None) => Condition::All(several(all)),
            (None, None, Some(any)) => Condition::Any(several(any)),
            _ => return Err("a condition is one of probe, all, any".to_owned()),
        }))
    }
}

/// A move as a table; `"rest"` alone is the other form.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawMove {
    at: Option<i64>,
    act: Option<Box<Action>>,
    events: Option<u32>,
    until: Option<Expectation>,
    #[serde(default)]
    rest: bool,
}

impl<'de> Deserialize<'de> for ScenarioMove {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MoveVisitor)
    }
}

struct MoveVisitor;

impl<'de> de::Visitor<'de> for MoveVisitor {
    type Value = ScenarioMove;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"rest\", or a table with at and one of act, events, until, rest")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ScenarioMove, E> {
        match text {
            "rest" => Ok(ScenarioMove { at: None, what: Deed::Rest }),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<ScenarioMove, A::Error> {
        let raw = RawMove::deserialize(de::value::MapAccessDeserializer::new(map))?;
        let what = match (raw.act, raw.events, raw.until, raw.rest) {
            (Some(action), None, None, false) => Deed::Act(action),
            (None, Some(events), None, false) => Deed::Events(events),
            (None, None, Some(Expectation(until)), false) => Deed::Until(until),
            (None, None, None, true) => Deed::Rest,
            (None, None, None, false) if raw.at.is_some() => Deed::Nothing,
            _ => return Err(de::Error::custom("a move is at, one of act, events, until, rest, or both")),
        };
        Ok(ScenarioMove { at: raw.at, what })
    }
}
