//! Index files.

use serde::{Deserialize, Serialize};

/// An index file in one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexFileSummary {
    /// The file's name: its time of creation.
    pub name: String,
    /// Its path.
    pub path: String,
    /// Header: store time of the first entry.
    pub begin_timestamp: i64,
    /// Header: store time of the last entry.
    pub end_timestamp: i64,
    /// Header: physical offset of the first entry.
    pub begin_phy_offset: i64,
    /// Header: physical offset of the last entry.
    pub end_phy_offset: i64,
    /// Header: slots in use.
    pub hash_slot_count: i32,
    /// Header: number of the next entry; entries are 1 to this less one.
    pub index_count: i32,
    /// Number of hash slots of the file (`maxHashSlotNum`).
    pub slots: i32,
    /// Number of entries it has room for, the unused 0 included (`maxIndexNum`).
    pub capacity: i32,
    /// Length in bytes.
    pub len: u64,
}

/// Hash slots that are in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexSlotsWindow {
    /// The file's path.
    pub path: String,
    /// Slot that the search began at.
    pub from: i32,
    /// The next slots that are not 0.
    pub slots: Vec<IndexSlotRow>,
    /// Where the next window begins; `None` after the last slot. A window over a sparse file may hold fewer slots than
    /// asked for and still go on: the search looks at a bounded number.
    pub next: Option<i32>,
}

/// A slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexSlotRow {
    /// Its number, from 0.
    pub slot: i32,
    /// Number of the newest entry of its chain.
    pub index: i32,
    /// Position in the file.
    pub position: u64,
}

/// Entries of an index file from one on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexEntriesWindow {
    /// The file's path.
    pub path: String,
    /// First number asked for; 1 is the first real entry.
    pub from: i32,
    /// The entries.
    pub entries: Vec<IndexEntryRow>,
    /// Header's indexCount: one more than the last entry's number.
    pub index_count: i32,
}

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexEntryRow {
    /// Its number.
    pub index: i32,
    /// `abs(hash(topic#key))`.
    pub key_hash: i32,
    /// Where the record lies in the log.
    pub phy_offset: i64,
    /// Whole seconds after the file's beginTimestamp.
    pub time_diff: i32,
    /// The entry before it in the same slot; 0 for none.
    pub prev_index: i32,
    /// Position in the file.
    pub position: u64,
}

/// What a search for a key walks through in one index file (`IndexFile.selectPhyOffset`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexChain {
    /// The file's path.
    pub path: String,
    /// `topic#key`, what is hashed.
    pub hashed: String,
    /// The hash, made positive.
    pub key_hash: i32,
    /// `key_hash % slots`.
    pub slot: i32,
    /// Position of the slot in the file.
    pub slot_position: u64,
    /// The slot's content: number of the newest entry.
    pub slot_value: i32,
    /// Whether the file's times meet the asked window at all (`IndexFile.isTimeMatched`); if not, a search does not
    /// look into it.
    pub time_matched: bool,
    /// The entries in the order of the walk, newest first, at most some hundreds.
    pub entries: Vec<ChainEntry>,
    /// Whether the chain is longer than `entries`.
    pub cut: bool,
}

/// An entry met in a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainEntry {
    /// The entry.
    pub entry: IndexEntryRow,
    /// The time it stands for: beginTimestamp + timeDiff seconds.
    pub time: i64,
    /// The hash is the one looked for.
    pub hash_matches: bool,
    /// The time is inside the window.
    pub in_window: bool,
    /// The store would answer this record: hash and time match.
    pub answered: bool,
    /// Topic and keys of the record there; `None` where no record can be read.
    pub record: Option<super::RecordRow>,
    /// The record really has this topic and this key, which only the client checks (`MQAdminImpl.queryMessage`).
    pub really_matches: bool,
}
