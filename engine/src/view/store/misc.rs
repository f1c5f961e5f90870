//! The small files, the layout and the summary.

use serde::{Deserialize, Serialize};

/// The file `checkpoint`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointPicture {
    /// Store time up to which the commit log was flushed.
    pub physic_msg_timestamp: i64,
    /// Store time up to which the `ConsumeQueues` were flushed.
    pub logics_msg_timestamp: i64,
    /// Store time of the last entry of the last full and flushed index file.
    pub index_msg_timestamp: i64,
    /// What recovery compares the log files with: max(0, min(physic, logics) − 3000)
    /// (`StoreCheckpoint.getMinTimestamp`).
    pub min_timestamp: i64,
    /// The file's length; 4096 as 4.9.8 makes it.
    pub len: u64,
}

/// A file below `config/`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigFilePicture {
    /// Its path.
    pub path: String,
    /// Its length in bytes.
    pub len: u64,
    /// Its text, or the beginning of it.
    pub text: String,
    /// Whether `text` is less than the file.
    pub cut: bool,
    /// Where and why it is not the JSON that 4.9.8 reads.
    pub problem: Option<ConfigProblem>,
}

/// Why a config file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigProblem {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The cause.
    pub message: String,
}

/// The sizes that the store was written with, and how they are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LayoutPicture {
    /// `mappedFileSizeCommitLog`.
    pub commit_log_file_size: i64,
    /// How it is known.
    pub commit_log_source: LayoutSource,
    /// `mappedFileSizeConsumeQueue`, rounded up to whole units.
    pub consume_queue_file_size: i64,
    /// How it is known.
    pub consume_queue_source: LayoutSource,
    /// `maxHashSlotNum`.
    pub hash_slots: i32,
    /// `maxIndexNum`.
    pub index_capacity: i32,
    /// How they are known.
    pub index_source: LayoutSource,
}

/// How a size is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LayoutSource {
    /// Given by the reader's configuration.
    Given,
    /// Worked out from the files.
    Inferred,
    /// 4.9.8's default, since nothing in the directory tells.
    Default,
}

/// A store at a glance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreSummary {
    /// Whether the directory holds anything of a store at all.
    pub is_store: bool,
    /// Start of the first commit log file; −1 where there is none, as `CommitLog.getMinOffset` says.
    pub min_offset: i64,
    /// End of the last commit log file, unused room included.
    pub end_offset: i64,
    /// Number of commit log files.
    pub commit_log_files: u64,
    /// Number of queues.
    pub queues: u64,
    /// Number of topics.
    pub topics: u64,
    /// Number of index files.
    pub index_files: u64,
    /// Whether `abort` is there.
    pub abort: bool,
    /// `checkpoint`, where it is there.
    pub checkpoint: Option<CheckpointPicture>,
    /// Files below `config/`.
    pub config_files: Vec<String>,
    /// The sizes.
    pub layout: LayoutPicture,
}
