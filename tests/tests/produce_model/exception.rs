//! The rules of 4.9.8 by which a message may be lost, unseen or early: what the judge excuses, by name.

use std::collections::BTreeMap;
use std::fmt;

use crate::case::Kind;

/// A deviation from what one would wish for, with the rule that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exception {
    /// A configuration file was not flushed when the power failed, while its backup was all there was, or the other way
    /// round: the broker refuses to start until an operator takes it away.
    StartRefused,
    /// An acknowledged message was not flushed when the power failed: `ASYNC_FLUSH`, or a producer that does not wait.
    NotFlushed,
    /// An acknowledged and flushed message is gone, since the log ends before it: a restart after a kill had taken for
    /// flushed what was only in the page cache, and the power loss left a hole there.
    BehindHole,
    /// The message is in the log, and no unit of its queue points to it: a power loss took units or left stale ones, and
    /// dispatch goes on where the largest queue ends.
    QueueBehindLog,
    /// The same after the clock was set back before a crash: the times in the checkpoint are then later than those of newer
    /// files, recovery begins in one of these, and what was not dispatched before it never is.
    RecoveryBeganLater,
    /// The same after a disk would not let a unit be written.
    UnitNotWritten,
    /// A delayed message was delivered, its copy was not flushed (it never waits for that) and lost with the power; but
    /// the progress was saved.
    ProgressAhead,
    /// A delayed message was delivered before its time: recovery dispatched it, which knows no delay levels.
    DelayedWithoutTime,
    /// The same, since its broker's clock was set back: what is due later than its level can ask for is delivered at once.
    ClockSetBack,
    /// An acknowledged message was in the transient pool only, which is memory of the process that was killed.
    OnlyInPool,
    /// A half message is never checked: the copy that was put back does not wait for a flush, the power took the log behind
    /// it, and the progress of the checks was saved beyond the queue offset that is given out again.
    HalfPassedOver,
    /// A half message that was to be given up could not be put into `TRANS_CHECK_MAX_TIME_TOPIC`: it is passed over all the
    /// same.
    DiscardNotPut,
    /// `END_TRANSACTION` names a half message by its places in log and queue. The power took that one, and another one had
    /// the places when it came.
    EndOfAnother,
}

impl Kind {
    /// Whether nothing that happens in such a case can have this effect.
    pub(crate) fn forbids(self, exception: Exception) -> bool {
        use Exception as E;
        match self {
            Self::Calm => exception != E::ClockSetBack,
            Self::Killed => {
                !matches!(exception, E::DelayedWithoutTime | E::ClockSetBack | E::RecoveryBeganLater | E::OnlyInPool)
            }
            Self::Steady => matches!(
                exception,
                E::NotFlushed | E::BehindHole | E::UnitNotWritten | E::OnlyInPool | E::DiscardNotPut
            ),
            Self::Wild => false,
        }
    }
}

/// What cases came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) cases: u64,
    pub(crate) events: u64,
    pub(crate) acknowledged: u64,
    pub(crate) delayed: u64,
    /// Half messages, and how many of them consumers can see in the end, and how many were given up.
    pub(crate) halves: u64,
    pub(crate) committed: u64,
    pub(crate) discarded: u64,
    pub(crate) exceptions: BTreeMap<(Kind, Exception), u64>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.events += other.events;
        self.acknowledged += other.acknowledged;
        self.delayed += other.delayed;
        self.halves += other.halves;
        self.committed += other.committed;
        self.discarded += other.discarded;
        for (exception, times) in &other.exceptions {
            *self.exceptions.entry(*exception).or_default() += times;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cases, events, acknowledged, delayed, halves, committed, discarded, exceptions } = self;
        writeln!(f, "{cases} cases, {events} events, {acknowledged} messages acknowledged, {delayed} of them delayed")?;
        writeln!(f, "{halves} half messages, {committed} of them committed, {discarded} given up")?;
        for kind in Kind::ALL {
            let of_kind = exceptions.iter().filter(|((of, _), _)| *of == kind);
            for ((_, exception), times) in of_kind {
                writeln!(f, "  {kind:?}: {exception:?} {times}")?;
            }
        }
        Ok(())
    }
}
