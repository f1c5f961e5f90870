//! The files of a store.

use serde::{Deserialize, Serialize};

/// What a file of a store is, by its place in the directory (`DefaultMessageStore`, `StorePathConfigHelper`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileKind {
    /// `commitlog/<20 digits>`: records.
    CommitLog,
    /// `consumequeue/<topic>/<queue>/<20 digits>`: units.
    ConsumeQueue,
    /// `consumequeue_ext/<topic>/<queue>/<20 digits>`: extended units.
    ConsumeQueueExt,
    /// `index/<17 digits>`: hash slots and entries.
    Index,
    /// `checkpoint`: three times.
    Checkpoint,
    /// `abort`: the mark of a store that runs or was not stopped cleanly.
    Abort,
    /// `lock`: held by the running process.
    Lock,
    /// `config/*.json` and their `.bak` and `.tmp`.
    Config,
    /// Anything else; 4.9.8 does not read it, or refuses to start because of it.
    Other,
}

/// The directory as rows in the order of display: a directory, then what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileTree {
    /// Depth-first, names in byte order.
    pub rows: Vec<TreeRow>,
    /// Number of files.
    pub file_count: u64,
    /// Sum of the files' lengths in bytes.
    pub total_len: u64,
}

/// A row of a [`FileTree`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TreeRow {
    /// Path relative to the store's root, `/`-separated, no slash at the end.
    pub path: String,
    /// The last part of the path.
    pub name: String,
    /// 0 for what lies in the root.
    pub depth: u32,
    /// The file's length, or the sum of the files below the directory, in bytes.
    pub len: u64,
    /// What it is.
    pub node: TreeNode,
}

/// A directory or a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum TreeNode {
    /// A directory.
    #[serde(rename_all = "camelCase")]
    Dir {
        /// Number of files anywhere below it.
        file_count: u64,
    },
    /// A file.
    #[serde(rename_all = "camelCase")]
    File {
        /// What kind of file of a store.
        file: FileKind,
        /// Time of the last write, milliseconds since the epoch.
        modified: i64,
    },
}
