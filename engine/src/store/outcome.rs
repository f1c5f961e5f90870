//! What the store answers.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::{Host, OffsetMsgId};

/// How a put ended (`PutMessageStatus`). Only [`PutMessageStatus::PutOk`] and the four flush and slave statuses mean
/// that the message is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PutMessageStatus {
    /// Appended.
    PutOk,
    /// Appended, and not flushed in time.
    FlushDiskTimeout,
    /// Appended, and no slave acknowledged in time.
    FlushSlaveTimeout,
    /// Appended, and there is no slave, or it is too far behind.
    SlaveNotAvailable,
    /// The store is stopped, a slave, or not writeable.
    ServiceNotAvailable,
    /// No file could be made.
    #[serde(rename = "CREATE_MAPEDFILE_FAILED")]
    CreateMappedFileFailed,
    /// Topic, properties or body are too long.
    MessageIllegal,
    /// The properties are too long in UTF-8.
    PropertiesSizeExceeded,
    /// Somebody has held the append lock too long.
    #[serde(rename = "OS_PAGECACHE_BUSY")]
    OsPageCacheBusy,
    /// Anything else.
    UnknownError,
}

impl PutMessageStatus {
    /// The name that 4.9.8 uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::PutOk => "PUT_OK",
            Self::FlushDiskTimeout => "FLUSH_DISK_TIMEOUT",
            Self::FlushSlaveTimeout => "FLUSH_SLAVE_TIMEOUT",
            Self::SlaveNotAvailable => "SLAVE_NOT_AVAILABLE",
            Self::ServiceNotAvailable => "SERVICE_NOT_AVAILABLE",
            Self::CreateMappedFileFailed => "CREATE_MAPEDFILE_FAILED",
            Self::MessageIllegal => "MESSAGE_ILLEGAL",
            Self::PropertiesSizeExceeded => "PROPERTIES_SIZE_EXCEEDED",
            Self::OsPageCacheBusy => "OS_PAGECACHE_BUSY",
            Self::UnknownError => "UNKNOWN_ERROR",
        }
    }
}

/// How the append to the file ended (`AppendMessageStatus`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AppendMessageStatus {
    /// The record stands in the file.
    PutOk,
    /// The record did not fit, and a blank record was written. As the last word of a put (a record longer than a whole
    /// file) it means that the message is lost although the put says `PUT_OK`.
    EndOfFile,
    /// Anything else.
    UnknownError,
}

impl AppendMessageStatus {
    /// The name that 4.9.8 uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::PutOk => "PUT_OK",
            Self::EndOfFile => "END_OF_FILE",
            Self::UnknownError => "UNKNOWN_ERROR",
        }
    }
}

/// What the append did (`AppendMessageResult`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendMessageResult {
    /// How it ended.
    pub status: AppendMessageStatus,
    /// Physical offset of the first byte written; 0 when nothing was.
    pub wrote_offset: i64,
    /// Bytes by which the file moved on: the record, or the whole rest of the file for a blank record.
    pub wrote_bytes: i32,
    /// What [`AppendMessageResult::msg_id`] is written from.
    pub msg_ids: MsgIds,
    /// The store time in the record.
    pub store_timestamp: i64,
    /// The queue offset in the record, of a batch that of its first; 0 for half and rolled-back messages.
    pub queue_offset: i64,
    /// Messages appended.
    pub msg_num: i32,
}

impl AppendMessageResult {
    /// The offsetMsgId; those of a batch joined by commas. It is written when it is asked for, as in 4.9.8, where a
    /// supplier makes it.
    pub fn msg_id(&self) -> String {
        self.msg_ids.to_string()
    }
}

/// The ids of the messages that one put appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MsgIds {
    /// Nothing was appended.
    None,
    /// One message.
    One(OffsetMsgId),
    /// A batch: the broker's address, and where each record begins.
    Batch(Host, Vec<i64>),
}

impl fmt::Display for MsgIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::One(id) => id.fmt(f),
            Self::Batch(host, offsets) => {
                for (index, &physical_offset) in offsets.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    OffsetMsgId { host: *host, physical_offset }.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

/// A wait that the answer to a put depends on (`GroupCommitRequest`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitRequest {
    /// The wait ends well when everything before this physical offset is flushed, or acknowledged.
    pub next_offset: i64,
    /// The wait ends badly at this time.
    pub deadline: i64,
}

/// How a put ended so far, and what its answer still waits for (`PutMessageResult`).
///
/// 4.9.8 answers when both waits are over: a bad end of the flush replaces `PUT_OK`, a bad end of the replica replaces
/// either. Waiting is the business of whoever runs the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutMessageResult {
    /// The status before any wait. `SLAVE_NOT_AVAILABLE` is known at once, and stays whatever the flush comes to.
    pub status: PutMessageStatus,
    /// What the append did, if it came to that.
    pub append: Option<AppendMessageResult>,
    /// With `SYNC_FLUSH` and a producer that waits: the flush to wait for.
    pub flush: Option<CommitRequest>,
    /// With `SYNC_MASTER` and a producer that waits: the acknowledgement to wait for.
    pub replica: Option<CommitRequest>,
}

impl PutMessageResult {
    /// A put that was refused.
    pub(super) fn refused(status: PutMessageStatus) -> Self {
        Self { status, append: None, flush: None, replica: None }
    }

    /// Whether the answer waits for a flush or a slave.
    pub const fn waits(&self) -> bool {
        self.flush.is_some() || self.replica.is_some()
    }

    /// Whether the message counts as stored (`PutMessageResult.isOk`): by the append, not by the status.
    pub fn is_ok(&self) -> bool {
        self.append.as_ref().is_some_and(|append| append.status == AppendMessageStatus::PutOk)
    }
}

/// How a pull ended (`GetMessageStatus`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum GetMessageStatus {
    /// There are messages.
    Found,
    /// Units were looked at, and the filter took none.
    NoMatchedMessage,
    /// Units were looked at, and their records are gone.
    MessageWasRemoving,
    /// The offset is within the queue, and its file is missing.
    OffsetFoundNull,
    /// The offset is beyond the end.
    OffsetOverflowBadly,
    /// The offset is the end.
    OffsetOverflowOne,
    /// The offset is before the first message.
    OffsetTooSmall,
    /// No such queue. It cannot happen: reading makes the queue.
    NoMatchedLogicQueue,
    /// The queue is empty.
    NoMessageInQueue,
}

impl GetMessageStatus {
    /// The name that 4.9.8 uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "FOUND",
            Self::NoMatchedMessage => "NO_MATCHED_MESSAGE",
            Self::MessageWasRemoving => "MESSAGE_WAS_REMOVING",
            Self::OffsetFoundNull => "OFFSET_FOUND_NULL",
            Self::OffsetOverflowBadly => "OFFSET_OVERFLOW_BADLY",
            Self::OffsetOverflowOne => "OFFSET_OVERFLOW_ONE",
            Self::OffsetTooSmall => "OFFSET_TOO_SMALL",
            Self::NoMatchedLogicQueue => "NO_MATCHED_LOGIC_QUEUE",
            Self::NoMessageInQueue => "NO_MESSAGE_IN_QUEUE",
        }
    }
}

/// Where a message of an answer stands. Its bytes are read by `Store::read`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Selected {
    /// Number of the unit in its queue.
    pub queue_offset: i64,
    /// Where the bytes begin. Once the head of the log is gone, a unit that says 0 is answered with the bytes of the
    /// first surviving record, as 4.9.8 does.
    pub physical_offset: i64,
    /// Length of the record, as the unit says.
    pub size: i32,
}

/// What a pull answers (`GetMessageResult`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetMessageResult {
    /// How it ended.
    pub status: GetMessageStatus,
    /// The queue offset to ask for next.
    pub next_begin_offset: i64,
    /// The first queue offset that can be read.
    pub min_offset: i64,
    /// The queue offset after the last.
    pub max_offset: i64,
    /// The messages, in the order of the queue.
    pub selected: Vec<Selected>,
    /// Bytes of the messages together.
    pub buffer_total_size: i32,
    /// Whether a slave should be asked next time: the messages are no longer in memory.
    pub suggest_pulling_from_slave: bool,
}

/// A record found by key (`QueryMessageResult`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Located {
    /// Where the record begins.
    pub physical_offset: i64,
    /// Length of the record.
    pub size: i32,
}

/// What a query by key answers (`QueryMessageResult`). Keys are compared by hash only: others' messages may be among
/// them, and a message whose key is repeated comes once for each repetition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryMessageResult {
    /// The records, in order of their physical offsets.
    pub messages: Vec<Located>,
    /// Store time of the last record that the index knows.
    pub index_last_update_timestamp: i64,
    /// Physical offset of the last record that the index knows.
    pub index_last_update_phyoffset: i64,
}

/// What the index answers (`QueryOffsetResult`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryOffsetResult {
    /// Physical offsets, newest first.
    pub phy_offsets: Vec<i64>,
    /// End time of the last index file.
    pub index_last_update_timestamp: i64,
    /// End offset of the last index file.
    pub index_last_update_phyoffset: i64,
}

/// What one turn of dispatch did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reput {
    /// One record was dispatched.
    Dispatched(DispatchInfo),
    /// The blank record at the end of a file was met, and dispatch stands in the next file.
    Rolled {
        /// Where dispatch stands now.
        to: i64,
    },
    /// Bytes that are no record were passed over.
    Skipped {
        /// Where they began.
        from: i64,
        /// Where dispatch stands now; the same where a slave waits for better bytes.
        to: i64,
    },
    /// The record's unit could not be written: the same record is to be tried again.
    Waits {
        /// After this time, milliseconds.
        ms: i64,
    },
    /// There is nothing to dispatch.
    Idle,
}

/// What dispatch knows of a record (`DispatchRequest`), as far as those who wait for messages need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchInfo {
    /// Topic of the record.
    pub topic: Arc<str>,
    /// Queue of the record.
    pub queue_id: i32,
    /// Number of its unit.
    pub queue_offset: i64,
    /// Where the record begins.
    pub physical_offset: i64,
    /// Length of the record.
    pub size: i32,
    /// What stands in its unit.
    pub tags_code: i64,
    /// When it was stored.
    pub store_timestamp: i64,
    /// Flags of the record; half and rolled-back messages were given no unit.
    pub sys_flag: i32,
    /// For whom it is, in bits, if anybody works that out.
    pub bit_map: Option<Vec<u8>>,
}
