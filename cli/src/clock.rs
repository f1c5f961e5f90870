//! The clock of a store that is started in memory.

use std::time::{SystemTime, UNIX_EPOCH};

use rocketscope_engine::store::{Env, Work};

/// The time at the start of the command, milliseconds since the epoch. It moves on only so far that no two index files
/// get one name.
pub(crate) struct Clock(i64);

impl Clock {
    /// The clock of now.
    pub(crate) fn now() -> Self {
        Self(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64))
    }

    /// What it shows.
    pub(crate) fn millis(&self) -> i64 {
        self.0
    }
}

impl Env for Clock {
    fn now(&self) -> i64 {
        self.0
    }

    fn spend(&mut self, work: Work) {
        if work == Work::CreateIndexFile {
            self.0 = self.0.saturating_add(1);
        }
    }
}
