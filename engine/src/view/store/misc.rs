//! The small files, the layout and the summary.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::explorer::{Pictures, StoreViewError};
use crate::disk::ReadAt;
use crate::message::java;
use crate::store::inspect::{FileKind, SingleFile, StoreLayout, config_fault, read_checkpoint, read_clipped};

/// Bytes of a config file that are shown.
const TEXT_LIMIT: u64 = 1024 * 1024;

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
    pub layout: StoreLayout,
}

impl<D: ReadAt + ?Sized> Pictures<'_, D> {
    pub(super) fn checkpoint(&self) -> Result<Option<CheckpointPicture>, StoreViewError> {
        let Some(file) = &self.files.checkpoint else { return Ok(None) };
        let times = read_checkpoint(self.disk, file)?;
        Ok(times.map(|times| CheckpointPicture {
            physic_msg_timestamp: times.physic,
            logics_msg_timestamp: times.logics,
            index_msg_timestamp: times.index,
            min_timestamp: times.min(),
            len: file.len,
        }))
    }

    pub(super) fn config(&self, path: &str) -> Result<ConfigFilePicture, StoreViewError> {
        let entry = self.files.entry(path).filter(|(.., kind)| *kind == FileKind::Config);
        let (_, file, meta, _) = entry.ok_or_else(|| StoreViewError::NoSuchFile { path: path.to_owned() })?;
        let file = SingleFile { file: *file, path: path.to_owned(), len: meta.len };
        let bytes = read_clipped(self.disk, file.file, file.len, 0, TEXT_LIMIT)?;
        let problem = config_fault(self.disk, &file)?;
        Ok(ConfigFilePicture {
            path: file.path,
            len: file.len,
            text: java::decode_utf8(&bytes).into_owned(),
            cut: file.len > TEXT_LIMIT,
            problem: problem.map(|fault| ConfigProblem {
                line: fault.line,
                column: fault.column,
                message: fault.cause,
            }),
        })
    }

    pub(super) fn summary(&self) -> Result<StoreSummary, StoreViewError> {
        let log = &self.files.commit_log;
        let topics: BTreeSet<&str> = self.files.queues.keys().map(|(topic, _)| topic.as_str()).collect();
        Ok(StoreSummary {
            is_store: self.files.is_store(),
            min_offset: log.first().map_or(-1, |file| file.from),
            end_offset: log.last().map_or(0, crate::store::inspect::Segment::end),
            commit_log_files: log.len() as u64,
            queues: self.files.queues.len() as u64,
            topics: topics.len() as u64,
            index_files: self.files.index.len() as u64,
            abort: self.files.abort,
            checkpoint: self.checkpoint()?,
            config_files: self.files.config.iter().map(|file| file.path.clone()).collect(),
            layout: self.layout.clone(),
        })
    }
}
