//! Problems found in a store.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Something in a store that is not as a sound one has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The file concerned, relative to the store's root.
    pub file: String,
    /// Position in the file; 0 where the whole file is meant.
    pub offset: u64,
    /// What kind.
    pub kind: ProblemKind,
    /// What it means for the store, in an English sentence.
    pub message: String,
    /// The values that the sentence speaks of, by name, for sentences in other languages.
    pub values: BTreeMap<String, String>,
}

/// The problems found so far, and how far the search is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProblemsWindow {
    /// Number of the first in `problems`, from 0.
    pub from: u64,
    /// The problems, in the order found: commit log, `ConsumeQueues`, index, the rest.
    pub problems: Vec<Problem>,
    /// How many were found so far.
    pub found: u64,
    /// How many more were found than are kept (the list is bounded).
    pub not_kept: u64,
    /// Bytes looked at and bytes to look at.
    pub done_bytes: u64,
    /// Bytes to look at in all.
    pub total_bytes: u64,
    /// Whether the search is at its end.
    pub finished: bool,
}

/// The kinds of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProblemKind {
    /// A record was expected and the magic code is another.
    BadMagic,
    /// The body's CRC is not BODYCRC.
    BadCrc,
    /// TOTALSIZE is not what the lengths in the record add up to, or the record leaves its file.
    BadSize,
    /// A blank record does not reach exactly to the end of its file.
    BadBlank,
    /// PHYSICALOFFSET is not the place where the record lies.
    PhysicalOffsetMismatch,
    /// Records lie behind the end of the log, where recovery would not look any more.
    StaleBytes,
    /// A commit log or ConsumeQueue file whose length is not the configured one: 4.9.8 refuses to start.
    WrongFileLength,
    /// A file whose name is no number or no multiple of the file size.
    WrongFileName,
    /// A file in the middle of a queue of files is missing.
    MissingFile,
    /// A unit points at a place where no record is.
    UnitPointsNowhere,
    /// A unit points into the middle of a record.
    UnitInsideRecord,
    /// A unit points at a record of another size, topic or queue.
    UnitMismatch,
    /// A unit points behind the end of the log.
    UnitBeyondEnd,
    /// QUEUEOFFSET of the record is not the number of the unit that points at it.
    QueueOffsetMismatch,
    /// Valid units follow behind the first that is not.
    StaleUnits,
    /// Pre-blank units stand where units of records that the log still holds belong.
    PreBlankUnits,
    /// A record that should have a unit has none.
    RecordWithoutUnit,
    /// Two records of a queue have the same QUEUEOFFSET.
    DuplicateQueueOffset,
    /// The index file's last entry is newer than the checkpoint: an unclean start deletes the file.
    IndexNewerThanCheckpoint,
    /// An index entry points at a place where no record is.
    IndexPointsNowhere,
    /// A header, slot or entry of an index file is impossible.
    BadIndex,
    /// The checkpoint is missing or cannot be read, or its times are impossible.
    BadCheckpoint,
    /// The store was not stopped cleanly, or runs.
    AbortExists,
    /// A config file is not the JSON that 4.9.8 reads.
    BadConfig,
    /// A file could not be read.
    Unreadable,
}
