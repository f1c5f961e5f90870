//! The lessons there are.

use super::{Lesson, LessonError};

/// A lesson's files, as they lie in `lessons/`.
#[derive(Clone, Copy, Debug)]
pub struct LessonSource {
    /// The folder's name.
    pub id: &'static str,
    script: &'static str,
    en: &'static str,
    zh: &'static str,
}

impl LessonSource {
    /// The source of a lesson by its folder's name.
    pub fn find(id: &str) -> Option<&'static Self> {
        LESSONS.iter().find(|source| source.id == id)
    }

    /// Reads and checks it.
    pub fn load(&self) -> Result<Lesson, LessonError> {
        Lesson::load(self.id, self.script, self.en, self.zh)
    }
}

macro_rules! lessons {
    ($($id:literal),* $(,)?) => {
        /// Every lesson, in the order of the curriculum.
        pub const LESSONS: &[LessonSource] = &[$(LessonSource {
            id: $id,
            script: include_str!(concat!("../../../lessons/", $id, "/lesson.toml")),
            en: include_str!(concat!("../../../lessons/", $id, "/en.md")),
            zh: include_str!(concat!("../../../lessons/", $id, "/zh.md")),
        }),*];
    };
}

lessons![
    "01-three-messages",
    "02-route-first",
    "03-rollover",
    "04-key-lookup",
    "05-filters",
    "06-get-message",
    "07-flush-modes",
    "08-replication",
    "09-timeout-is-not-failure",
    "10-producer-retry",
    "11-reput-lag",
    "12-long-polling",
    "13-torn-tail",
    "14-cq-ahead",
    "15-catch-up",
    "16-the-hole",
    "17-index-unsafe",
    "18-checkpoint-and-abort",
    "19-expiry",
    "20-crash-after-commit",
    "21-offset-commit",
    "22-rebalance",
    "23-retry-and-dlq",
    "24-orderly",
    "25-broadcast-and-start",
    "26-subscription-mismatch",
    "27-delay-levels",
    "28-half-message",
    "29-lost-commit",
    "30-outbox",
    "31-backlog"
];
