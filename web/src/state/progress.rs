//! Which goals of which lesson have been met, over all visits.

use std::collections::BTreeMap;

use super::storage;

const KEY: &str = "rocketscope.lessons";
const FINISHED: &str = "rocketscope.finished";

/// Goals met, by lesson.
type Met = BTreeMap<String, Vec<String>>;

/// The goals of a lesson that were met in earlier visits.
pub fn met(lesson: &str) -> Vec<String> {
    storage::load::<Met>(KEY).and_then(|mut met| met.remove(lesson)).unwrap_or_default()
}

/// Keeps that these goals of a lesson are met, beside those met before.
pub fn keep(lesson: &str, goals: impl Iterator<Item = String>) {
    let mut all: Met = storage::load(KEY).unwrap_or_default();
    let met = all.entry(lesson.to_owned()).or_default();
    let before = met.len();
    for goal in goals {
        if !met.contains(&goal) {
            met.push(goal);
        }
    }
    if met.len() > before {
        storage::save(KEY, all);
    }
}

/// The lessons that were finished, in this visit or an earlier one, by id.
pub fn finished() -> Vec<String> {
    storage::load(FINISHED).unwrap_or_default()
}

/// Keeps that a lesson was finished.
pub fn finish(lesson: &str) {
    let mut all = finished();
    if !all.iter().any(|id| id == lesson) {
        all.push(lesson.to_owned());
        storage::save(FINISHED, all);
    }
}
