//! One item of a phase, and the bytes that it is about.

use serde::{Deserialize, Serialize};

use crate::store::{Step, UNIT_SIZE};

/// Bytes of a file: `len` from `start` on, 0 where the whole file is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The file's path below the store's root.
    pub path: String,
    /// The first byte.
    pub start: u64,
    /// How many.
    pub len: u64,
}

/// One thing done, or many of a kind in a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryItem {
    /// Index of the step in its event; of many, the first.
    pub step: u32,
    /// Where.
    pub place: Option<Place>,
    /// What.
    pub what: RecoveryFact,
}

/// What an item says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of the steps; ranges are `from..to`")]
pub enum RecoveryFact {
    /// One step, in the store's own words.
    Step { step: Step },
    /// Records of one file found good: `from..to` are physical offsets.
    RecordsAccepted { file: String, count: u64, from: i64, to: i64, dispatched: u64 },
    /// Units of one queue cut: `from..to` are queue offsets, `first` and `last` the physical offsets they lead to.
    UnitsCut { topic: String, queue_id: i32, count: u64, from: i64, to: i64, first: i64, last: i64 },
    /// Units of one queue written by dispatch: `from..to` are queue offsets, `first` and `last` physical ones.
    UnitsWritten { topic: String, queue_id: i32, count: u64, from: i64, to: i64, first: i64, last: i64 },
    /// Units of one queue that dispatch found there: `from..to` are queue offsets, `first` and `last` physical ones.
    UnitsThere { topic: String, queue_id: i32, count: u64, from: i64, to: i64, first: i64, last: i64 },
    /// Entries of one index file written by dispatch, for records `first` to `last`.
    IndexEntriesWritten { file: String, count: u64, first: i64, last: i64 },
    /// Records whose keys dispatch did not index, `first` to `last`.
    RecordsNotIndexed { count: u64, first: i64, last: i64 },
}

/// The bytes that a step is about, where it says so itself.
pub(super) fn place_of(step: &Step) -> Option<Place> {
    let place = |path: &str, start: i64, len: i64| {
        let start = u64::try_from(start).ok()?;
        Some(Place { path: path.to_owned(), start, len: u64::try_from(len).unwrap_or(0) })
    };
    match step {
        Step::AbortChecked { clean: false } => place("abort", 0, 0),
        Step::CheckpointRead { existed: true, .. } => place("checkpoint", 0, 24),
        // The header.
        Step::IndexLoaded { file, .. } => place(file, 0, 40),
        Step::IndexIgnored { file, .. }
        | Step::FileDeleted { file, .. }
        | Step::FileCreated { file, .. }
        | Step::RecoveryBegins { file, .. }
        | Step::RecoveryFileEntered { file, .. } => place(file, 0, 0),
        Step::QueueFileChecked { file, units, .. } | Step::PreBlankWritten { file, units, .. } => {
            place(file, 0, i64::from(*units) * i64::from(UNIT_SIZE))
        }
        // Up to the store time: 56 bytes before it, with an IPv4 born host.
        Step::RecoveryFileExamined { file, .. } => place(file, 0, 64),
        Step::RecoveryBlank { file, position, .. } => place(file, (*position).into(), 8),
        Step::RecordRejected { file, position, at, .. } => {
            place(file, (*position).into(), at.saturating_sub((*position).into()).saturating_add(8))
        }
        Step::PositionsMoved { file, from, to } => {
            place(file, (*from.min(to)).into(), i64::from(*from) - i64::from(*to))
        }
        Step::UnitCut { file, position, .. } | Step::UnitWritten { file, position, .. } => {
            place(file, (*position).into(), UNIT_SIZE.into())
        }
        _ => None,
    }
}
