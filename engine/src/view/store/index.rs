//! Index files.

use serde::{Deserialize, Serialize};

use super::client_check::{ClientCheck, keep_oldest};
use super::explorer::{Pictures, StoreViewError};
use super::limit;
use crate::disk::ReadAt;
use crate::message::java;
use crate::store::IndexHeader;
use crate::store::inspect::{IndexKey, IndexPath, IndexReader, LogReader, Look};

/// Slots that one window looks at.
const SLOTS_LOOKED_AT: i32 = 1_000_000;
/// Entries of a chain that one picture holds.
const CHAIN_LIMIT: usize = 1000;
/// Bytes of the log read for the record of an entry.
const CHUNK: u64 = 4096;

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
    /// The client's look at the record; `None` where no record can be read.
    pub check: Option<ClientCheck>,
}

impl<D: ReadAt + ?Sized> Pictures<'_, D> {
    pub(super) fn index_files(&self) -> Result<Vec<IndexFileSummary>, StoreViewError> {
        let summary = |path: &IndexPath| {
            let reader = IndexReader::new(self.disk, path, self.layout);
            let header = reader.header()?;
            Ok(IndexFileSummary {
                name: path.name.clone(),
                path: path.path.clone(),
                begin_timestamp: header.begin_timestamp,
                end_timestamp: header.end_timestamp,
                begin_phy_offset: header.begin_phy_offset,
                end_phy_offset: header.end_phy_offset,
                hash_slot_count: header.hash_slot_count,
                index_count: header.index_count,
                slots: reader.slots,
                capacity: reader.capacity,
                len: path.len,
            })
        };
        self.files.index.iter().map(summary).collect()
    }

    fn index_file(&self, path: &str) -> Result<IndexReader<'_, D>, StoreViewError> {
        let found = self.files.index.iter().find(|index| index.path == path);
        let found = found.ok_or_else(|| StoreViewError::NoSuchFile { path: path.to_owned() })?;
        Ok(IndexReader::new(self.disk, found, self.layout))
    }

    pub(super) fn index_slots(&self, path: &str, from: i32, wanted: u32) -> Result<IndexSlotsWindow, StoreViewError> {
        let reader = self.index_file(path)?;
        let from = from.max(0);
        let values = reader.slot_values(from, SLOTS_LOOKED_AT)?;
        let wanted = limit(wanted);
        let used = (from..).zip(&values).filter(|(_, value)| **value != 0);
        let row =
            |(slot, index): (i32, &i32)| IndexSlotRow { slot, index: *index, position: reader.slot_position(slot) };
        let slots: Vec<IndexSlotRow> = used.map(row).take(wanted).collect();
        let looked_at = from.saturating_add(i32::try_from(values.len()).unwrap_or(i32::MAX));
        let next = match slots.last() {
            Some(last) if slots.len() >= wanted => last.slot.saturating_add(1),
            _ => looked_at,
        };
        let next = (next < reader.slots && !values.is_empty()).then_some(next);
        Ok(IndexSlotsWindow { path: path.to_owned(), from, slots, next })
    }

    pub(super) fn index_entries(
        &self,
        path: &str,
        from: i32,
        wanted: u32,
    ) -> Result<IndexEntriesWindow, StoreViewError> {
        let reader = self.index_file(path)?;
        let header = reader.header()?;
        let from = from.max(1);
        let left = reader.entry_end(&header).saturating_sub(from).max(0);
        let wanted = i32::try_from(limit(wanted)).unwrap_or(i32::MAX);
        let entries = reader.entries(from, left.min(wanted))?;
        let entries = (from..).zip(entries).map(|(index, entry)| row(&reader, index, entry)).collect();
        Ok(IndexEntriesWindow { path: path.to_owned(), from, entries, index_count: header.index_count })
    }

    pub(super) fn index_chain(
        &self,
        path: &str,
        (topic, key): (&str, &str),
        (begin, end): (i64, i64),
    ) -> Result<IndexChain, StoreViewError> {
        let reader = self.index_file(path)?;
        let header = reader.header()?;
        let hashed = IndexKey::new(topic, key);
        let chain = reader.chain(&header, hashed.hash(), CHAIN_LIMIT)?;
        let mut log = LogReader::new(self.disk, &self.files.commit_log, CHUNK);
        let mut entries = Vec::with_capacity(chain.entries.len());
        // 4.9.8 leaves the chain at an entry with a negative time, and after the first that is older than the window.
        let mut left = false;
        for (index, entry) in chain.entries {
            left |= entry.time_diff < 0;
            let time = header.begin_timestamp.saturating_add(i64::from(entry.time_diff) * 1000);
            let in_window = (begin..=end).contains(&time);
            let hash_matches = entry.key_hash == hashed.hash();
            let mut really_matches = false;
            let answered = hash_matches && in_window && !left;
            let (mut record, mut check) = (None, None);
            if let Some((segment, position)) = log.locate(entry.phy_offset)
                && let Look::Record(found) = log.look(segment, position)?
            {
                let keys = found.keys().map(|keys| java::split(keys, " ")).unwrap_or_default();
                really_matches = found.topic == topic && (keys.contains(&key) || found.uniq_key() == Some(key));
                check = Some(ClientCheck::of(&found, topic, key, answered));
                record = Some(super::RecordRow::of(&found, entry.phy_offset));
            }
            entries.push(ChainEntry {
                entry: row(&reader, index, entry),
                time,
                hash_matches,
                in_window,
                answered,
                record,
                really_matches,
                check,
            });
            left |= time < begin;
        }
        keep_oldest(&mut entries);
        Ok(IndexChain {
            path: path.to_owned(),
            hashed: hashed.text(),
            key_hash: hashed.hash(),
            slot: reader.slot_of(hashed.hash()),
            slot_position: reader.slot_position(reader.slot_of(hashed.hash())),
            slot_value: chain.slot_value,
            time_matched: time_matched(&header, begin, end),
            entries,
            cut: chain.cut,
        })
    }
}

fn row<D: ReadAt + ?Sized>(reader: &IndexReader<'_, D>, index: i32, entry: crate::store::IndexEntry) -> IndexEntryRow {
    IndexEntryRow {
        index,
        key_hash: entry.key_hash,
        phy_offset: entry.phy_offset,
        time_diff: entry.time_diff,
        prev_index: entry.prev_index,
        position: reader.entry_position(index),
    }
}

/// `IndexFile.isTimeMatched`.
fn time_matched(header: &IndexHeader, begin: i64, end: i64) -> bool {
    let range = header.begin_timestamp..=header.end_timestamp;
    (begin < header.begin_timestamp && end > header.end_timestamp) || range.contains(&begin) || range.contains(&end)
}
