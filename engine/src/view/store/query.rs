//! Questions about a store, and their answers.

use serde::{Deserialize, Serialize};

use super::{
    CheckpointPicture, ConfigFilePicture, FileTree, HexWindow, IndexChain, IndexEntriesWindow, IndexFileSummary,
    IndexSlotsWindow, ProblemsWindow, QueueSummary, RecordPicture, RecordsWindow, StoreSummary, UnitsWindow,
};

/// A question about one store directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StoreQuery {
    /// The store at a glance.
    Summary,
    /// All files.
    Tree,
    /// Bytes of a file with their fields.
    Hex {
        /// The file.
        path: String,
        /// First byte.
        start: u64,
        /// Number of bytes, cut to 64 KiB.
        len: u64,
    },
    /// The record that holds a physical offset (its first byte or any other).
    Record {
        /// The offset.
        physical_offset: i64,
    },
    /// What the log holds from an offset on.
    Records {
        /// The offset; moved to the start of the record that holds it.
        from: i64,
        /// How many, cut to 10 000.
        limit: u32,
    },
    /// All queues.
    Queues,
    /// Units of a queue.
    Units {
        /// Topic.
        topic: String,
        /// Queue id.
        queue_id: i32,
        /// First queue offset.
        from: i64,
        /// How many, cut to 10 000.
        limit: u32,
    },
    /// All index files.
    IndexFiles,
    /// Slots in use of an index file.
    IndexSlots {
        /// The file.
        path: String,
        /// First slot looked at.
        from: i32,
        /// How many, cut to 10 000.
        limit: u32,
    },
    /// Entries of an index file.
    IndexEntries {
        /// The file.
        path: String,
        /// First entry.
        from: i32,
        /// How many, cut to 10 000.
        limit: u32,
    },
    /// The way of a search for a key through one index file.
    IndexChain {
        /// The file.
        path: String,
        /// Topic.
        topic: String,
        /// Key.
        key: String,
        /// Window of store times.
        begin: i64,
        /// Its end, inclusive.
        end: i64,
    },
    /// The checkpoint.
    Checkpoint,
    /// A config file's text.
    Config {
        /// The file.
        path: String,
    },
    /// Problems found so far (the search itself is driven by whoever holds it).
    Problems {
        /// Number of the first wanted, from 0.
        from: u64,
        /// How many.
        limit: u32,
    },
}

/// The answer to a [`StoreQuery`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "camelCase")]
#[expect(missing_docs, reason = "each is the answer to the question of the same name")]
pub enum StoreAnswer {
    Summary(StoreSummary),
    Tree(FileTree),
    Hex(HexWindow),
    /// `None` where no record holds the offset.
    Record(Option<Box<RecordPicture>>),
    Records(RecordsWindow),
    Queues(Vec<QueueSummary>),
    Units(UnitsWindow),
    IndexFiles(Vec<IndexFileSummary>),
    IndexSlots(IndexSlotsWindow),
    IndexEntries(IndexEntriesWindow),
    IndexChain(IndexChain),
    /// `None` where the file is absent.
    Checkpoint(Option<CheckpointPicture>),
    Config(ConfigFilePicture),
    Problems(ProblemsWindow),
}
