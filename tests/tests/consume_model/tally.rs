//! What cases came to.

use std::fmt;

#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) cases: u64,
    pub(crate) events: u64,
    /// Messages that were acknowledged.
    pub(crate) acknowledged: u64,
    /// Calls of listeners, and how many of them found the process gone, or their queue given away.
    pub(crate) calls: u64,
    pub(crate) crashed: u64,
    pub(crate) unused: u64,
    /// Messages that a group consumed more than once.
    pub(crate) repeated: u64,
    /// Messages with two effects or more, of listeners that note nothing.
    pub(crate) doubled: u64,
    /// Messages that a group has not consumed: its retries were over, and they stand in its dead-letter queue
    /// (`SendMessageProcessor.asyncConsumerSendMsgBack`).
    pub(crate) given_up: u64,
    /// Times that two orderly listeners had a queue at once, since its broker had forgotten who has its lock.
    pub(crate) locks_forgotten: u64,
    /// Times that they had, since the process of one stood still longer than its lock counts.
    pub(crate) stood_still: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.events += other.events;
        self.acknowledged += other.acknowledged;
        self.calls += other.calls;
        self.crashed += other.crashed;
        self.unused += other.unused;
        self.repeated += other.repeated;
        self.doubled += other.doubled;
        self.given_up += other.given_up;
        self.locks_forgotten += other.locks_forgotten;
        self.stood_still += other.stood_still;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cases, events, acknowledged, calls, crashed, unused, repeated, doubled, given_up, .. } = self;
        writeln!(f, "{cases} cases, {events} events, {acknowledged} messages acknowledged")?;
        writeln!(f, "{calls} calls of listeners, {crashed} cut short by a crash, {unused} whose result was not used")?;
        writeln!(f, "{repeated} messages consumed again, {doubled} with a second effect, {given_up} given up")?;
        let Self { locks_forgotten, stood_still, .. } = self;
        writeln!(
            f,
            "two orderly listeners at once: {locks_forgotten} times after a broker's end, {stood_still} after a standstill"
        )
    }
}
