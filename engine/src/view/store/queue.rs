//! `ConsumeQueues`.

use serde::{Deserialize, Serialize};

/// A ConsumeQueue in one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueSummary {
    /// Topic, the directory's name.
    pub topic: String,
    /// Queue id, the directory's name.
    pub queue_id: i32,
    /// Queue offset of the first unit on the disk whose record the log still holds; `max_offset` where there is none.
    pub min_offset: i64,
    /// Queue offset after the last valid unit before the first that is not.
    pub max_offset: i64,
    /// Queue offset of the first unit of the first file.
    pub first_offset: i64,
    /// Number of files.
    pub file_count: u64,
    /// Their directory.
    pub path: String,
}

/// Units of a ConsumeQueue from one on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnitsWindow {
    /// Topic.
    pub topic: String,
    /// Queue id.
    pub queue_id: i32,
    /// Queue offset asked for, moved into the files.
    pub from: i64,
    /// The units, one after the other.
    pub units: Vec<UnitRow>,
    /// As in [`QueueSummary`].
    pub first_offset: i64,
    /// As in [`QueueSummary`].
    pub max_offset: i64,
}

/// A unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnitRow {
    /// Its place in the queue.
    pub queue_offset: i64,
    /// Where the record lies in the log.
    pub physical_offset: i64,
    /// The record's size.
    pub size: i32,
    /// Hash of the tags, or the deliver time of a delayed message, or an address in ConsumeQueueExt.
    pub tags_code: i64,
    /// The file.
    pub file: String,
    /// Position in the file.
    pub position: u64,
    /// What lies where it points.
    pub target: UnitTarget,
}

/// What lies where a unit points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UnitTarget {
    /// A record of this size, topic, queue and queue offset.
    Ok,
    /// A record of this size, topic and queue, but its QUEUEOFFSET is another.
    OtherQueueOffset,
    /// A record, but of another size, topic or queue.
    OtherRecord,
    /// The middle of a record.
    InsideRecord,
    /// Inside the log's files, but no record holds that place.
    NoRecord,
    /// Before the log's first file: the record was cleaned away.
    BelowMin,
    /// Behind the end of the log.
    BeyondEnd,
    /// Nowhere: a pre-blank unit (offset 0, size 0x7FFFFFFF).
    PreBlank,
    /// Nowhere: an unwritten unit (offset 0, size 0).
    Unwritten,
    /// A file that is missing in the middle of the log.
    MissingFile,
}
