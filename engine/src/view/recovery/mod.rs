//! Load, recovery and start of a store as a picture: what was looked at, in order, and what it comes to.
//!
//! The picture is made from the steps that the store tells ([`RecoveryPainter`], [`recovery_picture`]). It costs what
//! its window holds: a scan of a million records is one item for each file and the last few records. What the steps
//! cannot know, since recovery does not look there, is found by comparing the store with the disk as it was before
//! ([`examine`]); [`dry_run`] does all of it on a disk that is only read.

mod consumers;
mod dry_run;
mod examine;
mod finding;
mod item;
mod painter;
mod run;
#[cfg(test)]
mod tests;
mod text;
mod walk;

use serde::{Deserialize, Serialize};

use crate::store::Step;
use crate::store::step::RecoveryEnd;

pub use dry_run::{DryRun, Ended, dry_run, layout_config};
pub use examine::{Depth, examine};
pub use finding::{Finding, LostRecord, Severity};
pub use item::{Place, RecoveryFact, RecoveryItem};
pub use painter::RecoveryPainter;

/// A load, with as much of the start as its steps tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryPicture {
    /// The event whose steps these are, where it happened in a run.
    pub seq: Option<u64>,
    /// Whether the store was loaded.
    pub loaded: bool,
    /// Whether the last stop was clean: whether there was no `abort` file.
    pub clean: bool,
    /// What was done, in order. Phases in which nothing was are left out.
    pub phases: Vec<RecoveryPhase>,
    /// Physical offset at which the scan of the log began; `None` without a log.
    pub begin: Option<i64>,
    /// Physical offset at which the log ends now; `None` without a log.
    pub end: Option<i64>,
    /// Why the scan ended there.
    pub why: Option<RecoveryEnd>,
    /// How much was done.
    pub numbers: RecoveryNumbers,
    /// What it comes to.
    pub verdict: Vec<Finding>,
}

/// How much recovery did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryNumbers {
    /// Records found good by the scan.
    pub records_accepted: u64,
    /// Bytes of them.
    pub bytes_accepted: i64,
    /// Those of them that were dispatched on the way.
    pub records_dispatched: u64,
    /// Units written by dispatch.
    pub units_written: u64,
    /// Units that dispatch found written already.
    pub units_there: u64,
    /// Units cut from the ends of queues.
    pub units_cut: u64,
    /// Entries written to the index.
    pub index_entries: u64,
    /// Index files taken in.
    pub index_files_kept: u64,
    /// Index files deleted.
    pub index_files_dropped: u64,
    /// Files of the log deleted.
    pub log_files_deleted: u64,
    /// Files of queues deleted.
    pub queue_files_deleted: u64,
}

/// A part of loading, recovering and starting, in the order of 4.9.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PhaseKind {
    /// Whether there is an `abort` file.
    AbortFile,
    /// The files of the log are taken in.
    CommitLogLoad,
    /// The files of the queues are taken in.
    QueuesLoad,
    /// The checkpoint is read.
    Checkpoint,
    /// The index files are taken in, or deleted.
    IndexLoad,
    /// The end of each queue is found by its units.
    QueuesRecovered,
    /// The file is chosen in which the scan of the log begins.
    FirstFile,
    /// Records are checked one after the other.
    LogScan,
    /// What the scan dispatched on the way, after an unclean stop.
    Dispatch,
    /// The log is made to end where the scan ended.
    Truncation,
    /// Units of records behind the end are cut.
    QueueTruncation,
    /// The next queue offset of each queue is taken from its units.
    OffsetTable,
    /// The offsets of the delay levels are read and moved into their queues.
    DelayOffsets,
    /// The lock, and the place where dispatch begins.
    ReputStart,
    /// What dispatch does before the start is done.
    CatchUp,
    /// The rest of the start.
    Started,
    /// The store cannot be loaded.
    Refused,
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryPhase {
    /// Which.
    pub kind: PhaseKind,
    /// What was done in it, 1000 items at most.
    pub items: Vec<RecoveryItem>,
    /// How many items more there were.
    pub left_out: u64,
}

/// The picture of these steps, each with its index in the event that they belong to. Records of a file and units of a
/// queue are listed one by one up to 64.
pub fn recovery_picture<'s>(steps: impl Iterator<Item = (u32, &'s Step)>) -> RecoveryPicture {
    let mut painter = RecoveryPainter::new(64);
    for (index, step) in steps {
        painter.take(index, step);
    }
    painter.finish()
}
