//! Bytes of a file with the meaning of each.

mod byte_string;
mod spans;
mod window;

use serde::{Deserialize, Serialize};

use super::{FileKind, UnitTarget};

pub(super) use spans::record_fields;

/// A window of a file's bytes and the fields they belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HexWindow {
    /// The file's path.
    pub path: String,
    /// What kind of file it is.
    pub file: FileKind,
    /// The file's length in bytes.
    pub file_len: u64,
    /// The commit log offset or ConsumeQueue byte offset of the file's first byte, from its name; `None` where the
    /// name is no number.
    pub file_from: Option<i64>,
    /// Position in the file of the first byte of `bytes`.
    pub start: u64,
    /// The bytes; fewer than asked for at the end of the file.
    #[serde(with = "byte_string")]
    pub bytes: Vec<u8>,
    /// The fields that touch the window, in order of position, none overlapping. A field that begins before or ends
    /// after the window is given whole. Bytes that no span covers have no meaning (unwritten, or what lies behind
    /// a blank record).
    pub spans: Vec<HexSpan>,
}

/// A field in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HexSpan {
    /// Position of the field in the file.
    pub start: u64,
    /// Its length in bytes.
    pub len: u64,
    /// Which field.
    pub field: Field,
    /// What the field is part of.
    pub owner: HexOwner,
    /// The field's value in words, at most some hundred characters.
    pub value: String,
}

/// What a [`HexSpan`] is part of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum HexOwner {
    /// A record of the commit log.
    #[serde(rename_all = "camelCase")]
    Record {
        /// Where it begins.
        physical_offset: i64,
        /// TOTALSIZE.
        size: i32,
        /// Whether it passes the check of recovery, CRC included.
        good: bool,
    },
    /// The blank record that fills a commit log file up.
    #[serde(rename_all = "camelCase")]
    Blank {
        /// Where it begins.
        physical_offset: i64,
        /// Bytes from there to the end of the file, as it says itself.
        remaining: i32,
    },
    /// Bytes where a record was expected and is not: what recovery stops at.
    #[serde(rename_all = "camelCase")]
    Damaged {
        /// Where the record was expected.
        physical_offset: i64,
    },
    /// A unit of a ConsumeQueue.
    #[serde(rename_all = "camelCase")]
    Unit {
        /// Its queue offset.
        queue_offset: i64,
        /// Whether the log holds the record it points at.
        target: UnitTarget,
    },
    /// A unit of a ConsumeQueueExt file.
    #[serde(rename_all = "camelCase")]
    ExtUnit {
        /// The address that the ConsumeQueue unit holds in place of a tags code.
        address: i64,
    },
    /// The header of an index file.
    IndexHeader,
    /// A hash slot of an index file.
    #[serde(rename_all = "camelCase")]
    IndexSlot {
        /// Its number, from 0.
        slot: i32,
    },
    /// An entry of an index file.
    #[serde(rename_all = "camelCase")]
    IndexEntry {
        /// Its number; the first real one is 1.
        index: i32,
    },
    /// The checkpoint.
    Checkpoint,
    /// The text of a config file or the lock file.
    Text,
}

/// The fields of everything a store's files hold, under the names of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are those of the format, field by field")]
pub enum Field {
    // Record
    TotalSize,
    MagicCode,
    BodyCrc,
    QueueId,
    Flag,
    QueueOffset,
    PhysicalOffset,
    SysFlag,
    BornTimestamp,
    BornHost,
    StoreTimestamp,
    StoreHost,
    ReconsumeTimes,
    PreparedTransactionOffset,
    BodyLength,
    Body,
    TopicLength,
    Topic,
    PropertiesLength,
    Properties,
    // Blank record: the first two are `BlankRemaining` and `MagicCode`
    BlankRemaining,
    // ConsumeQueue unit: `CommitLogOffset`, `Size`, `TagsCode`
    CommitLogOffset,
    Size,
    TagsCode,
    // ConsumeQueueExt unit: `ExtSize`, `TagsCode`, `StoreTimestamp`, `BitMapSize`, `BitMap`
    ExtSize,
    BitMapSize,
    BitMap,
    // Index header
    BeginTimestamp,
    EndTimestamp,
    BeginPhyOffset,
    EndPhyOffset,
    HashSlotCount,
    IndexCount,
    // Index slot and entry
    SlotValue,
    KeyHash,
    PhyOffset,
    TimeDiff,
    PrevIndex,
    // Checkpoint
    PhysicMsgTimestamp,
    LogicsMsgTimestamp,
    IndexMsgTimestamp,
    // Anything else
    Text,
    Damaged,
}
