//! Every lesson, solved as its script says.

use std::sync::Arc;

use rocketscope_engine::lesson::{LESSONS, LessonRun};

/// The name and the trace hash of each lesson's solution.
pub(super) fn trace_hashes() -> impl Iterator<Item = (String, u64)> {
    LESSONS.iter().map(|source| {
        let lesson = source.load().expect("a lesson that loads");
        let name = format!("lesson {}", source.id);
        let mut run = LessonRun::new(Arc::new(lesson)).expect("a lesson that starts");
        run.solve().expect("a lesson that its solution solves");
        (name, run.history().world().trace_hash())
    })
}
