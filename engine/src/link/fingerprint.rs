//! Whether a lesson is still the one that a run began with.

use serde::Serialize;

use crate::{
    lesson::{Lesson, Value},
    node::Fnv,
    sim::{Action, Cluster},
};

/// What of a script a run follows from, or is judged by. Its texts and its solution are not among it.
#[derive(Serialize)]
struct Script<'l> {
    seed: u64,
    cluster: &'l Cluster,
    steps: Vec<Step<'l>>,
    questions: Vec<(&'l str, usize, Vec<String>)>,
    goals: Vec<(&'l str, String)>,
}

#[derive(Serialize)]
struct Step<'l> {
    id: &'l str,
    begin: &'l [Action],
    offers: Vec<(&'l str, &'l Action)>,
    until: String,
}

/// Hash (FNV-1a, 64 bits) of what a run of the lesson follows from: cluster, seed, steps, questions with their choices,
/// goals.
pub fn fingerprint(lesson: &Lesson) -> u64 {
    let steps = lesson.steps.iter().map(|step| Step {
        id: &step.id,
        begin: &step.begin,
        offers: step.offers.iter().map(|offer| (offer.id.as_str(), &offer.action)).collect(),
        until: step.until.to_string(),
    });
    let questions = lesson
        .questions
        .iter()
        .map(|question| (question.id.as_str(), question.step, question.choices.iter().map(Value::to_string).collect()));
    let script = Script {
        seed: lesson.seed,
        cluster: &lesson.cluster,
        steps: steps.collect(),
        questions: questions.collect(),
        goals: lesson.goals.iter().map(|goal| (goal.id.as_str(), goal.when.to_string())).collect(),
    };
    let mut hash = Fnv::default();
    // Serialising plain data into a sink that takes everything cannot fail; were it to, the hash would still be one.
    if serde_json::to_writer(&mut hash, &script).is_err() {
        hash.write_u64(lesson.seed);
    }
    hash.value()
}
