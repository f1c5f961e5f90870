//! `expected.json` as typed values. Integers are Java's; field names are the file's.
//!
//! [`Snapshot`] and what it holds are written as well as read: a picture of our store takes the same form, and the
//! two are compared field by field. Fields that the harness does not know are ignored, so that a newer recording still
//! runs.

mod put;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use put::{Body, Entry, Pairs, Put, PutInput, PutKind, PutOutput};

/// The whole of `expected.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expected {
    /// What the case is about.
    #[serde(default)]
    pub description: String,
    /// `brokerRole`, which the recordings keep apart from the rest of the configuration.
    pub broker_role: Option<String>,
    /// RocketMQ's own configuration keys.
    #[serde(default)]
    pub config: BTreeMap<String, Value>,
    /// What was put, in order.
    #[serde(default)]
    pub puts: Vec<Put>,
    /// The store after the puts, where one picture was taken.
    pub snapshot: Option<Snapshot>,
    /// The store at several stages.
    #[serde(default)]
    pub snapshots: Vec<Snapshot>,
    /// Reads of queues, on the running store.
    #[serde(default)]
    pub get_message: Vec<GetMessage>,
    /// Reads of queues of a case with a cleaned head: before the first files were expired,
    #[serde(default, rename = "getMessage_beforeExpiry")]
    pub get_before_expiry: Vec<GetMessage>,
    /// after the commit log lost them and the queues still point there,
    #[serde(default, rename = "getMessage_afterCommitLogExpiry_beforeCqClean")]
    pub get_after_log_expiry: Vec<GetMessage>,
    /// and after a clean stop and a start.
    #[serde(rename = "getMessage_afterRestart")]
    pub get_after_restart: Option<Vec<GetMessage>>,
    /// Reads of the index.
    #[serde(default)]
    pub index_query: Vec<IndexQuery>,
    /// Reads of the index of a case with a cleaned head, when only the commit log was cleaned.
    #[serde(default, rename = "indexQuery_afterCommitLogExpiry_beforeCqClean")]
    pub query_after_log_expiry: Vec<IndexQuery>,
    /// Searches of a queue by time.
    #[serde(default)]
    pub offset_by_time: Vec<OffsetByTime>,
    /// Reads of single records.
    #[serde(default)]
    pub look_message_by_offset: Vec<LookMessage>,
    /// The directory after a clean shutdown.
    pub after_clean_shutdown: Option<DiskState>,
    /// The directory at the end of a case that is the base of others: after a clean shutdown or the process's end.
    pub disk_at_end: Option<DiskState>,
    /// Recovery: whether `load()` answered true.
    pub load_result: Option<bool>,
    /// Recovery: what was put, read and found on a second copy after it.
    #[serde(default, rename = "probePutsAfterRecovery_onAnotherCopy")]
    pub probe_puts: Vec<Put>,
    /// See [`Expected::probe_puts`].
    #[serde(default, rename = "probeGetMessage")]
    pub probe_get: Vec<GetMessage>,
    /// See [`Expected::probe_puts`].
    #[serde(default, rename = "probeIndexQuery")]
    pub probe_query: Vec<IndexQuery>,
    /// Several runs of one store after another.
    #[serde(default)]
    pub phases: Vec<Phase>,
}

impl Expected {
    /// The directory after a clean shutdown, where there was one.
    pub fn stopped(&self) -> Option<&DiskState> {
        self.after_clean_shutdown.as_ref().or(self.disk_at_end.as_ref().filter(|disk| !disk.abort_exists))
    }

    /// The picture taken at `stage`.
    pub fn stage(&self, stage: &str) -> Option<&Snapshot> {
        self.snapshots.iter().chain(&self.snapshot).find(|snapshot| snapshot.stage == stage)
    }
}

/// One step of a case with several runs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    /// What was done, in words: a restart (with `load_result`), puts, a stop or an edit (with `store_dir`).
    pub action: String,
    /// Of an opening: whether `load()` answered true.
    pub load_result: Option<bool>,
    /// Of an opening: the store between `load` and `start`.
    pub after_load: Option<Snapshot>,
    /// The running store after the phase.
    pub snapshot: Option<Snapshot>,
    /// What was put in the phase.
    #[serde(default)]
    pub puts: Vec<Put>,
    /// Reads of queues after the phase.
    #[serde(default)]
    pub get_message: Vec<GetMessage>,
    /// Reads of the index after the phase.
    #[serde(default)]
    pub index_query: Vec<IndexQuery>,
    /// Of a stop or an edit: the directory after it,
    pub disk: Option<DiskState>,
    /// and the case's folder that holds its bytes.
    pub store_dir: Option<String>,
}

/// The numbers a store keeps in memory, and what they stand for on disk, at one moment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// The moment's name.
    #[serde(default)]
    pub stage: String,
    /// Its time.
    #[serde(default)]
    pub taken_at: i64,
    /// `CommitLog.getMinOffset`.
    pub min_phy_offset: i64,
    /// `CommitLog.getMaxOffset`.
    pub max_phy_offset: i64,
    /// `MappedFileQueue.getFlushedWhere` of the commit log.
    pub flushed_where: i64,
    /// `DefaultMessageStore.dispatchBehindBytes`.
    pub dispatch_behind_bytes: i64,
    /// Files of the commit log.
    pub commit_log_mapped_files: Vec<LogFile>,
    /// Queues that have a file.
    pub queues: Vec<Queue>,
    /// Next queue offset by `topic-queueId`.
    pub topic_queue_table: BTreeMap<String, i64>,
    /// Index files, oldest first.
    pub index_files: Vec<IndexFile>,
    /// The checkpoint's values not yet flushed.
    pub checkpoint_in_memory: Checkpoint,
    /// Every record of the commit log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_log: Option<Vec<LogEntry>>,
    /// The directory.
    pub disk: DiskState,
}

/// A file of the commit log.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of MappedFile")]
pub struct LogFile {
    pub file: String,
    pub file_from_offset: i64,
    pub wrote_position: i32,
}

/// A ConsumeQueue with its units from `min_offset` on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of ConsumeQueue")]
pub struct Queue {
    pub topic: String,
    pub queue_id: i32,
    pub min_offset: i64,
    pub max_offset: i64,
    pub min_logic_offset: i64,
    pub max_physic_offset: i64,
    /// `ConsumeQueue.getLastOffset`, which reads on after the last unit and throws at the end of a full file.
    pub last_offset: Value,
    pub mapped_files: Vec<QueueFile>,
    /// `[queueOffset, phyOffset, size, tagsCode]`.
    pub entries: Vec<[i64; 4]>,
}

/// A file of a ConsumeQueue.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of MappedFile")]
pub struct QueueFile {
    pub file: String,
    pub wrote_position: i32,
}

/// An index file: header, slots that are not zero, entries.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of IndexHeader")]
pub struct IndexFile {
    pub file: String,
    pub begin_timestamp: i64,
    pub end_timestamp: i64,
    pub begin_phy_offset: i64,
    pub end_phy_offset: i64,
    pub hash_slot_count: i32,
    pub index_count: i32,
    pub file_size: u64,
    pub non_zero_slots: BTreeMap<i32, i32>,
    /// `[index, keyHash, phyOffset, timeDiff, prevIndex]`.
    pub entries: Vec<[i64; 5]>,
}

/// The three timestamps of the checkpoint.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of StoreCheckpoint")]
pub struct Checkpoint {
    pub physic_msg_timestamp: i64,
    pub logics_msg_timestamp: i64,
    pub index_msg_timestamp: i64,
}

/// What stands at one place of the commit log.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum LogEntry {
    /// A record.
    Record(Box<Record>),
    /// The blank record at a file's end.
    #[serde(rename_all = "camelCase")]
    Blank {
        /// Where it stands.
        phy_offset: i64,
        /// Always true.
        blank: bool,
        /// The bytes that were left in the file.
        total_size: i64,
    },
    /// A place that holds no record, in the recorder's own words.
    Bad(Value),
}

/// A record of the commit log, and what dispatch makes of it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of the record's layout")]
pub struct Record {
    pub phy_offset: i64,
    pub total_size: i32,
    pub magic: String,
    #[serde(rename = "bodyCRC")]
    pub body_crc: i32,
    pub queue_id: i32,
    pub flag: i32,
    pub queue_offset: i64,
    pub physical_offset_field: i64,
    pub sys_flag: i32,
    pub born_timestamp: i64,
    pub born_host: String,
    pub born_port: i32,
    pub store_timestamp: i64,
    pub store_host: String,
    pub store_port: i32,
    pub reconsume_times: i32,
    pub prepared_transaction_offset: i64,
    pub body_len: i32,
    /// Lower-case hex; `None` for an empty body.
    pub body_sha1: Option<String>,
    pub topic: String,
    #[serde(deserialize_with = "put::text")]
    pub properties_string: String,
    pub msg_id: String,
    pub dispatch: Option<Dispatch>,
}

/// The part of `DispatchRequest` that a record decides.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of DispatchRequest")]
pub struct Dispatch {
    pub success: bool,
    pub msg_size: i32,
    pub tags_code: i64,
    pub keys: Option<String>,
    pub uniq_key: Option<String>,
    pub consume_queue_offset: i64,
}

/// A directory: the marker, the checkpoint's bytes, every file with its length.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiskState {
    /// Whether `abort` is there.
    pub abort_exists: bool,
    /// What `checkpoint` holds; `None` without one.
    pub checkpoint: Option<Checkpoint>,
    /// Length by path.
    pub files: BTreeMap<String, u64>,
}

/// A call of `DefaultMessageStore.getMessage` and its answer.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of getMessage and GetMessageResult")]
pub struct GetMessage {
    pub topic: String,
    pub queue_id: i32,
    pub offset: i64,
    pub max_msg_nums: i32,
    /// A tag expression; `None` for no filter at all.
    pub subscription: Option<String>,
    pub status: String,
    pub next_begin_offset: i64,
    pub min_offset: i64,
    pub max_offset: i64,
    pub message_count: i64,
    pub buffer_total_size: i64,
    #[serde(rename = "messages_queueOffset_phyOffset_size")]
    pub messages: Vec<[i64; 3]>,
}

/// A call of `IndexService.queryOffset` and one of `DefaultMessageStore.queryMessage`, with their answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of queryOffset and QueryOffsetResult")]
pub struct IndexQuery {
    pub topic: String,
    pub key: String,
    pub max_num: i32,
    pub begin: i64,
    pub end: i64,
    pub key_hash: i32,
    #[serde(rename = "queryOffset_phyOffsets")]
    pub query_offset: Vec<i64>,
    pub index_last_update_timestamp: i64,
    pub index_last_update_phyoffset: i64,
    #[serde(rename = "queryMessage_phyOffsets")]
    pub query_message: Vec<i64>,
}

/// A call of `getOffsetInQueueByTime` (then `timestamp` and `offset`) or of `getEarliestMessageTime`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are the call's")]
pub struct OffsetByTime {
    pub topic: String,
    pub queue_id: i32,
    pub timestamp: Option<i64>,
    pub offset: Option<i64>,
    pub earliest_message_time: Option<i64>,
}

/// A call of `lookMessageByOffset` and the msgId of what it found.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are the call's")]
pub struct LookMessage {
    pub phy_offset: i64,
    pub msg_id_or_null: Option<String>,
}
