use std::sync::Arc;

use super::{Change, ChangeError, CompareError, Comparison, Side, presets};
use crate::{
    lesson::{LessonRun, LessonSource},
    sim::History,
};

mod changes;
mod lessons;
mod placing;

/// A lesson's solution, played.
fn solved(id: &str) -> History {
    let lesson = LessonSource::find(id).expect("the lesson is there").load().expect("it can be read");
    let mut run = LessonRun::new(Arc::new(lesson)).expect("it begins");
    run.solve().expect("it is solved");
    run.history().clone()
}

fn compare(run: &History, change: Change) -> Comparison {
    Comparison::new(run, change).unwrap_or_else(|error| panic!("{error}"))
}

fn config(node: &str, key: &str, value: &str) -> Change {
    Change::Config { node: node.to_owned(), key: key.to_owned(), value: Some(value.to_owned()) }
}

/// The step that differs, as the trace has it.
fn step(side: Option<&Side>) -> serde_json::Value {
    let side = side.expect("a turn");
    let step = side.event.steps.iter().find(|step| Some(step.index) == side.step).expect("a step");
    let value = serde_json::to_value(&step.what).expect("plain data");
    value.as_object().and_then(|families| families.values().next().cloned()).expect("one family")
}
