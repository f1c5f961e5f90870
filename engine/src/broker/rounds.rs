//! The endless loop of a flush service: wait, look, and every so often look thoroughly.

/// Where such a loop stands. Rounds that find nothing to do pass unseen: the service leaves the queue, and what they
/// would have left (when the present wait began, when the last thorough round was) is worked out when it is needed.
///
/// The waits are monotonic. Whether a round is thorough is a question of the wall clock, as in 4.9.8, where a clock that
/// is set back puts the next thorough round off by as much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rounds {
    interval_ms: i64,
    thorough_ms: i64,
    /// When the present wait began, microseconds.
    since_us: i64,
    /// The wall clock at the last thorough round, milliseconds.
    last_ms: i64,
    /// Whether the last moment at which thoroughness was decided said yes.
    thorough: bool,
    /// Whether rounds pass unseen since `since_us`.
    unseen: bool,
}

impl Rounds {
    /// A loop that begins at `now_us` with a wait, all its rounds unseen until it is woken. Intervals are milliseconds;
    /// one below 1 counts as 1.
    pub(super) fn new(interval_ms: i32, thorough_ms: i32, now_us: i64) -> Self {
        let (interval_ms, thorough_ms) = (i64::from(interval_ms.max(1)), i64::from(thorough_ms.max(0)));
        Self { interval_ms, thorough_ms, since_us: now_us, last_ms: 0, thorough: false, unseen: true }
    }

    pub(super) const fn interval_us(&self) -> i64 {
        self.interval_ms.saturating_mul(1000)
    }

    /// When the present wait ends, microseconds.
    pub(super) const fn next_us(&self) -> i64 {
        self.since_us.saturating_add(self.interval_us())
    }

    /// Takes in the rounds that passed unseen before `now_us`. `wall_ms` tells the wall clock of a moment.
    pub(super) fn pass(&mut self, now_us: i64, wall_ms: impl Fn(i64) -> i64) {
        if !std::mem::take(&mut self.unseen) {
            return;
        }
        let rounds = now_us.saturating_sub(1).saturating_sub(self.since_us).div_euclid(self.interval_us());
        if rounds <= 0 {
            return;
        }
        let begin_ms = wall_ms(self.since_us);
        let first = self.rounds_to_thorough(begin_ms);
        self.thorough = false;
        if first <= rounds {
            let every = div_ceil(self.thorough_ms, self.interval_ms).max(1);
            let last = first.saturating_add((rounds - first) / every * every);
            self.last_ms = begin_ms.saturating_add(last.saturating_mul(self.interval_ms));
            self.thorough = last == rounds;
        }
        self.since_us = self.since_us.saturating_add(rounds.saturating_mul(self.interval_us()));
    }

    /// The same, and rounds go on passing unseen if they did.
    pub(super) fn settle(&mut self, now_us: i64, wall_ms: impl Fn(i64) -> i64) {
        let unseen = self.unseen;
        self.pass(now_us, wall_ms);
        self.unseen = unseen;
    }

    /// Whether rounds pass unseen.
    pub(super) const fn is_unseen(&self) -> bool {
        self.unseen
    }

    /// Rounds to pass until one is thorough, at least 1; the wall clock shows `begin_ms` as the present wait begins.
    fn rounds_to_thorough(&self, begin_ms: i64) -> i64 {
        let left_ms = self.last_ms.saturating_add(self.thorough_ms).saturating_sub(begin_ms);
        div_ceil(left_ms, self.interval_ms).max(1)
    }

    /// A look at the wall clock: whether this round is thorough.
    pub(super) fn decide(&mut self, wall_ms: i64) -> bool {
        self.thorough = wall_ms >= self.last_ms.saturating_add(self.thorough_ms);
        if self.thorough {
            self.last_ms = wall_ms;
        }
        self.thorough
    }

    /// What the last look at the wall clock said.
    pub(super) const fn is_thorough(&self) -> bool {
        self.thorough
    }

    /// Counts the time of the last thorough round anew.
    pub(super) const fn was_thorough(&mut self, wall_ms: i64) {
        self.last_ms = wall_ms;
    }

    /// The next wait begins at `now_us`.
    pub(super) const fn wait(&mut self, now_us: i64) {
        self.since_us = now_us;
    }

    /// From here on rounds pass unseen. Answers when the first round would be thorough whose looks at the wall clock lie
    /// at the ends of the waits.
    pub(super) fn leave(&mut self, wall_ms: impl Fn(i64) -> i64) -> i64 {
        self.unseen = true;
        let rounds = self.rounds_to_thorough(wall_ms(self.since_us));
        self.since_us.saturating_add(rounds.saturating_mul(self.interval_us()))
    }
}

/// `a / b`, rounded up; `b` is above 0.
const fn div_ceil(a: i64, b: i64) -> i64 {
    a.saturating_add(b - 1).div_euclid(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The wall clock of a world that began at 1,000,000 ms.
    fn wall(us: i64) -> i64 {
        1_000_000 + us.div_euclid(1000)
    }

    #[test]
    fn rounds_that_pass_unseen_leave_what_rounds_that_are_seen_leave() {
        for (interval, thorough) in [(500, 10_000), (200, 200), (1000, 60_000), (300, 1000), (7, 0)] {
            for until_ms in [1, 199, 200, 201, 10_400, 10_500, 10_501, 61_000, 123_456] {
                let until_us = until_ms * 1000 + 300;
                let mut unseen = Rounds::new(interval, thorough, 300);
                unseen.decide(wall(300));
                let mut seen = unseen.clone();
                unseen.pass(until_us, wall);
                while seen.next_us() < until_us {
                    seen.wait(seen.next_us());
                    seen.decide(wall(seen.since_us));
                }
                seen.unseen = false;
                assert_eq!(unseen, seen, "{interval} {thorough} {until_ms}");
            }
        }
    }

    #[test]
    fn settling_in_between_changes_nothing() {
        let mut once = Rounds::new(500, 10_000, 0);
        once.decide(wall(0));
        let mut twice = once.clone();
        twice.settle(7_200_001, wall);
        assert!(twice.is_unseen());
        for rounds in [&mut once, &mut twice] {
            rounds.pass(33_333_333, wall);
        }
        assert_eq!(once, twice);
        assert_eq!((once.next_us(), once.is_unseen()), (33_500_000, false));
    }

    #[test]
    fn the_next_thorough_round_is_the_first_that_the_wall_clock_allows() {
        let mut rounds = Rounds::new(500, 10_000, 0);
        assert!(rounds.decide(wall(0)));
        assert_eq!(rounds.leave(wall), 10_000_000);
        rounds.pass(3_000_001, wall);
        assert_eq!((rounds.next_us(), rounds.is_thorough()), (3_500_000, false));
        // A clock set back by an hour puts it off by an hour.
        assert_eq!(rounds.leave(|us| wall(us) - 3_600_000), 3_610_000_000);
    }
}
