//! The clock that replays a recording.

use rocketscope_engine::store::{Env, Work};

/// A clock set to the recorded times. While the store works it moves by itself, one millisecond for each record
/// dispatched and each index file made, so that no two index files get one name; the next recorded time sets it back.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    now: i64,
    latest: i64,
}

impl Clock {
    /// A clock that stands at `now`.
    pub fn at(now: i64) -> Self {
        Self { now, latest: now }
    }

    /// Sets the clock to a recorded time, for a put.
    pub fn set(&mut self, now: i64) {
        self.now = now;
        self.latest = self.latest.max(now);
    }

    /// Sets the clock to the latest time it ever showed, for work between puts.
    pub fn resume(&mut self) {
        self.now = self.latest;
    }
}

impl Env for Clock {
    fn now(&self) -> i64 {
        self.now
    }

    fn spend(&mut self, work: Work) {
        self.now += match work {
            Work::Append => 0,
            Work::Dispatch | Work::CreateIndexFile => 1,
            Work::Sleep(millis) => millis,
        };
        self.latest = self.latest.max(self.now);
    }
}
