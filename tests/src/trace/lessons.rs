//! Every lesson, solved as its script says.

use rocketscope_engine::lesson::LESSONS;

use super::{Play, Scenario};

pub(super) fn scenarios() -> impl Iterator<Item = Scenario> {
    LESSONS.iter().map(|source| Scenario { name: format!("lesson {}", source.id), play: Play::Lesson(source.id) })
}
