//! Problems found in a store.

mod text;

use std::collections::BTreeMap;
use std::fmt::Display;

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
    /// What it means for the store, in an English sentence or two for the person on call.
    pub message: String,
    /// The values that the sentence speaks of, by name, for sentences in other languages.
    pub values: BTreeMap<String, String>,
}

impl Problem {
    /// A problem with the values that its sentence needs ([`ProblemKind::template`]).
    pub fn new(kind: ProblemKind, file: impl Into<String>, offset: u64) -> Self {
        let mut problem = Self { file: file.into(), offset, kind, message: String::new(), values: BTreeMap::new() };
        problem.message = text::fill(kind.template(), &problem.values);
        problem
    }

    /// Adds a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Self {
        self.values.insert(name.to_owned(), value.to_string());
        self.message = text::fill(self.kind.template(), &self.values);
        self
    }
}

/// The kinds of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProblemKind {
    /// A record must begin, and the magic code is another.
    BadMagic,
    /// The body's CRC is not BODYCRC.
    BadCrc,
    /// TOTALSIZE is not what the lengths in the record add up to, or the record leaves its file.
    BadSize,
    /// A blank record does not reach exactly to the end of its file.
    BadBlank,
    /// PHYSICALOFFSET is not the place where the record lies.
    PhysicalOffsetMismatch,
    /// Zeros where a record or a blank must be, although later files hold records.
    HoleInLog,
    /// Intact records lie behind a damaged one in the same file.
    RecordsBehindDamage,
    /// Bytes, old records among them, lie behind the end of the log.
    StaleBytes,
    /// A commit log, ConsumeQueue or index file whose length is not the configured one.
    WrongFileLength,
    /// A file whose name is no number, or no multiple of the file size.
    WrongFileName,
    /// A file in the middle of a queue of files is missing.
    MissingFile,
    /// There is no commit log file, although other files speak of records.
    MissingCommitLog,
    /// A unit points at a place where no record begins.
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
    /// A ConsumeQueue file has only units of records that the log no longer holds, and was not deleted with them.
    UnitsBelowMin,
    /// A record has no unit, and the next start does not make one.
    RecordWithoutUnit,
    /// A record has no unit yet: the next start makes it.
    RecordNotDispatched,
    /// Two records of a queue have the same QUEUEOFFSET.
    DuplicateQueueOffset,
    /// An index file's last entry is newer than the checkpoint, and the store was not stopped cleanly.
    IndexNewerThanCheckpoint,
    /// An index entry points at a place where no record begins.
    IndexPointsNowhere,
    /// An index entry points at a record that has no key of this hash.
    IndexMismatch,
    /// A header, slot or entry of an index file is impossible.
    BadIndex,
    /// A record with keys lies outside the range of every index file.
    RecordNotIndexed,
    /// The checkpoint is missing or too short to read.
    BadCheckpoint,
    /// A time of the checkpoint is later than every record's.
    CheckpointAhead,
    /// The store was not stopped cleanly, or runs.
    AbortExists,
    /// A config file is not the JSON that 4.9.8 reads.
    BadConfig,
    /// A file could not be read.
    Unreadable,
}
