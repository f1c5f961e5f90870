//! What recovery means for whoever has to answer for the messages.

use serde::{Deserialize, Serialize};

use crate::store::step::{LoadFault, RecordFault};

/// One sentence of the verdict. Offsets are physical offsets in bytes unless they are called queue offsets, ranges are
/// `from..to`, times milliseconds since the epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are named by their meaning, and their units are said above")]
pub enum Finding {
    /// The store does not load: the broker does not start.
    Refused { fault: LoadFault },
    /// The broker's start fails after the store was loaded.
    StartFailed { cause: String },
    /// The log that the broker goes on with. `records` are those in it, where they were counted.
    Kept { min_phy_offset: i64, max_phy_offset: i64, records: Option<u64> },
    /// Bytes that are no record end the log, and they are not just unused room.
    EndsAtDamage { physical_offset: i64, file: String, position: i32, at: i64, fault: RecordFault },
    /// Whole records behind the end: they stay on the disk, and no offset, queue or key leads there any more.
    RecordsLost { count: u64, bytes: u64, first: i64, last: i64, file: String, examples: Vec<LostRecord> },
    /// Files of the log that lie behind the end are deleted.
    LogFilesDeleted { count: u64, first: String, last: String },
    /// Damage in a part of the log that recovery does not look at: it is kept, and reads serve or trip over it.
    DamageUnseen { physical_offset: i64, file: String, position: u64, cause: String },
    /// Files are missing in the middle of the log; `units` of the queues lead there, and their messages are passed over.
    LogGap { from: i64, to: i64, units: u64, queues: u64 },
    /// Without a commit log all queues are destroyed.
    QueuesDestroyed { files: u64 },
    /// Units of records behind the end of the log no longer count. `from..to` are queue offsets.
    UnitsCut { topic: String, queue_id: i32, from: i64, to: i64, count: u64 },
    /// Records that no unit leads to, and no start makes one: dispatch begins behind them. `from..to` are queue offsets.
    QueueHole { topic: String, queue_id: i32, from: i64, to: i64, records: u64, first: i64, last: i64 },
    /// Records whose place in the queue another record has taken. `from..to` are queue offsets.
    Overtaken { topic: String, queue_id: i32, from: i64, to: i64, records: u64, first: i64, last: i64 },
    /// Queue offsets that were given to messages already, and will be given to others. `from..to` are queue offsets.
    OffsetsReused { topic: String, queue_id: i32, from: i64, to: i64 },
    /// A queue begins with so many units that lead nowhere, up to this queue offset.
    PreBlank { topic: String, queue_id: i32, units: i64, to: i64 },
    /// An index file was newer than the checkpoint and is deleted. Its keys of records before `rebuilt_from` do not come
    /// back; `None`: they all do.
    IndexDropped {
        file: String,
        entries: i32,
        begin_phy_offset: i64,
        end_phy_offset: i64,
        end_timestamp: i64,
        limit: i64,
        lost_before: Option<i64>,
    },
    /// Records with keys that no index file covers, and no start indexes.
    NotIndexed { records: u64, first: i64, last: i64 },
    /// Dispatched anew on the way: units written, and entries of the index.
    Rebuilt { units: u64, queues: u64, index_entries: u64 },
    /// A group's offset lies behind the end of the queue. `offset` and `max` are queue offsets.
    ConsumerAhead { group: String, topic: String, queue_id: i32, offset: i64, max: i64 },
    /// The broker marks its store as broken and refuses writes.
    MarkedBroken,
    /// A file could not be read, so that this verdict does not know it.
    Unreadable { file: String, cause: String },
    /// The log before this offset was not looked at for this verdict.
    NotExamined { before: i64 },
    /// More of the same kinds, left out here.
    More { count: u64 },
}

/// A lost record, by what it says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LostRecord {
    /// Where it lies.
    pub physical_offset: i64,
    /// Its topic.
    pub topic: String,
    /// Its queue.
    pub queue_id: i32,
    /// Its queue offset.
    pub queue_offset: i64,
}

/// How bad a [`Finding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Something will surprise somebody.
    Warning,
    /// Messages are gone, or out of reach.
    Loss,
}

impl Finding {
    /// How bad it is.
    pub fn severity(&self) -> Severity {
        match self {
            Self::Kept { .. } | Self::Rebuilt { .. } => Severity::Good,
            Self::LogFilesDeleted { .. } | Self::NotExamined { .. } | Self::More { .. } | Self::PreBlank { .. } => {
                Severity::Note
            }
            Self::IndexDropped { lost_before: None, .. } => Severity::Note,
            Self::OffsetsReused { .. }
            | Self::IndexDropped { .. }
            | Self::NotIndexed { .. }
            | Self::ConsumerAhead { .. }
            | Self::Unreadable { .. } => Severity::Warning,
            Self::Refused { .. }
            | Self::StartFailed { .. }
            | Self::EndsAtDamage { .. }
            | Self::RecordsLost { .. }
            | Self::DamageUnseen { .. }
            | Self::LogGap { .. }
            | Self::QueuesDestroyed { .. }
            | Self::UnitsCut { .. }
            | Self::QueueHole { .. }
            | Self::Overtaken { .. }
            | Self::MarkedBroken => Severity::Loss,
        }
    }
}
