//! The rules of 4.9.8 by which a message, a unit or a start may be lost: what the model excuses, by name.

use std::collections::BTreeMap;
use std::fmt;

use crate::case::Kind;

/// A deviation from what one would wish for, with the rule that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exception {
    /// The log ends before `flushedWhere`, since recovery after a kill set `flushedWhere` to the end of what it read
    /// from the page cache, and full files are never forced again.
    TakenAsFlushed,
    /// The same, since the disk had refused a flush, and 4.9.8 takes that for one that was done.
    FlushRefused,
    /// The log ends where a bit had flipped.
    DamagedBody,
    /// The log ends where nothing good was before the crash either: recovery had not read there until now.
    OldHole,
    /// An acknowledged record stands behind the place where the log ends now.
    AcknowledgedBehindEnd,
    /// Part of the log lies before the file in which recovery began, cannot be read, and nobody notices.
    HoleBeforeScan,
    /// A record was taken as whole although what stands behind its body is not what was written: the checksum is of
    /// the body only.
    TornTail,
    /// Reading does not test the checksum: a damaged record before the file in which recovery began is served.
    DamageServed,
    /// A record that had been cut off the log is part of it again: its bytes stayed, and the new end reached them.
    OldRecordBack,
    /// A queue says that it has seen later records, by a unit whose record is gone, or that belongs to an older
    /// record: a record is not dispatched to it.
    StaleUnitAhead,
    /// The same by a pre-blank unit, which counts as a record that ends at 2147483647: nothing is dispatched any more.
    PreBlankAhead,
    /// The slot of the record's queue offset was taken by another record's unit.
    SlotTaken,
    /// The unit stands in another slot than its record's queue offset says.
    Misplaced,
    /// A power loss took the unit, and the log is dispatched only from a later place on: the checkpoint was ahead of
    /// the queue's flush.
    CheckpointAhead,
    /// The same after a clean stop, which flushes three files of a queue at most: a power loss then took the others.
    UnflushedByStop,
    /// The units were taken away with their file, and dispatch begins behind their records.
    QueueLost,
    /// The unit was behind a slot that the crash emptied: a queue ends at its first empty slot.
    BehindEmptySlot,
    /// The unit was cut, together with an older one that pointed behind the end of the log.
    CutWithStaleUnit,
    /// The record was never dispatched to its queue, and dispatch begins behind it, where the other queues end.
    StartAtLargest,
    /// A slot holds the blank unit.
    PreBlank,
    /// A slot that counts as readable holds the unit of a record in a file that was cleaned away: the minimum is looked
    /// for in the first file of a queue only.
    ExpiredUnit,
    /// The record's slot counts as before the first that can be read.
    BelowMinimum,
    /// A slot holds the unit of a record that is no longer in the log.
    StaleUnit,
    /// A slot holds a unit of zeros: the first unit of a file is not tested when queues are cut, so that an empty file
    /// gets one.
    ZeroUnit,
    /// A unit was torn, and what is left of it looks like one.
    TornUnit,
    /// A delayed message was dispatched by recovery, which knows no delay levels: its unit does not say when.
    DelayedWithoutTime,
    /// No file can be made for the topic that a torn record names, and nothing is dispatched any more.
    NoQueueForTopic,
    /// The file with the progress of delayed messages was not flushed: the broker refuses to start until an operator
    /// takes it away.
    StartRefused,
    /// Dispatch began where a stale unit's record once ended, which is the middle of another record now, and passed the
    /// rest of the file over.
    DispatchFromInside,
    /// The record was passed over together with bytes that dispatch could make nothing of.
    SkippedWithBadBytes,
}

impl Kind {
    /// Whether nothing that happens in such a case can have this effect.
    pub(crate) fn forbids(self, exception: Exception) -> bool {
        use Exception as E;
        match self {
            // The page cache outlives the process: only the write that it died in can be torn.
            Self::Killed => !matches!(
                exception,
                E::DelayedWithoutTime
                    | E::StartRefused
                    | E::TornTail
                    | E::TornUnit
                    | E::NoQueueForTopic
                    | E::ExpiredUnit
            ),
            // What was answered is on the disk, and so is everything before it.
            Self::Steady => matches!(
                exception,
                E::TakenAsFlushed
                    | E::FlushRefused
                    | E::AcknowledgedBehindEnd
                    | E::OldHole
                    | E::HoleBeforeScan
                    | E::TornTail
                    | E::TornUnit
                    | E::OldRecordBack
                    | E::DamageServed
                    | E::DamagedBody
            ),
            Self::Wild => matches!(exception, E::DamagedBody | E::QueueLost | E::FlushRefused),
            Self::Damaged => false,
        }
    }
}

/// How often each was met, in cases of each kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rounds: u64,
    pub(crate) acknowledged: u64,
    counts: BTreeMap<Exception, BTreeMap<Kind, u64>>,
}

impl Tally {
    pub(crate) fn count(&mut self, kind: Kind, exception: Exception) {
        *self.counts.entry(exception).or_default().entry(kind).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.rounds += other.rounds;
        self.acknowledged += other.acknowledged;
        for (exception, counts) in &other.counts {
            for (kind, count) in counts {
                *self.counts.entry(*exception).or_default().entry(*kind).or_default() += count;
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} rounds, {} records acknowledged as flushed; exceptions by kind of case:",
            self.rounds, self.acknowledged
        )?;
        write!(f, "\n{:24}", "")?;
        for kind in Kind::ALL {
            write!(f, "{:>10}", format!("{kind:?}"))?;
        }
        for (exception, counts) in &self.counts {
            write!(f, "\n{:24}", format!("{exception:?}"))?;
            for kind in Kind::ALL {
                write!(f, "{:>10}", counts.get(&kind).copied().unwrap_or(0))?;
            }
        }
        Ok(())
    }
}
