//! The poll grid of a service that sleeps a fixed time between two looks.

use serde::{Deserialize, Serialize};

/// The moments `start`, `start + period`, `start + 2 * period` ...
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grid {
    /// The first moment, microseconds.
    pub start_us: i64,
    /// From one moment to the next, microseconds, at least 1.
    pub period_us: i64,
}

impl Grid {
    /// A grid that begins at `start_us`; a period below one microsecond is taken as one.
    pub fn new(start_us: i64, period_us: i64) -> Self {
        Self { start_us, period_us: period_us.max(1) }
    }

    /// The first moment after `now_us`.
    pub fn after(&self, now_us: i64) -> i64 {
        if now_us < self.start_us {
            return self.start_us;
        }
        let passed = now_us.saturating_sub(self.start_us) / self.period_us;
        self.start_us.saturating_add(passed.saturating_add(1).saturating_mul(self.period_us))
    }

    /// The first moment not before `time_us`.
    pub fn at_or_after(&self, time_us: i64) -> i64 {
        self.after(time_us.saturating_sub(1))
    }

    /// The number of the last moment not after `now_us`, from 0; negative before the first.
    pub fn index(&self, now_us: i64) -> i64 {
        now_us.saturating_sub(self.start_us).div_euclid(self.period_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_next_moment() {
        let grid = Grid::new(-100, 30);
        assert_eq!(grid.after(-500), -100);
        assert_eq!(grid.after(-100), -70);
        assert_eq!(grid.after(-71), -70);
        assert_eq!(grid.at_or_after(-70), -70);
        assert_eq!(grid.at_or_after(-69), -40);
        assert_eq!(grid.index(-70), 1);
        assert_eq!(grid.index(-101), -1);
    }
}
