//! An index file: a header, hash slots, entries.

use super::files::{IndexPath, read_clipped};
use super::layout::{INDEX_ENTRY, INDEX_HEADER, INDEX_SLOT, StoreLayout};
use crate::disk::{DiskError, ReadAt};
use crate::store::{IndexEntry, IndexHeader};

/// Reads an index file of the layout's shape.
pub struct IndexReader<'a, D: ?Sized> {
    disk: &'a D,
    path: &'a IndexPath,
    /// Number of hash slots, at least 1.
    pub slots: i32,
    /// Number of entries it has room for, number 0 included.
    pub capacity: i32,
}

impl<'a, D: ReadAt + ?Sized> IndexReader<'a, D> {
    /// A reader of the file.
    pub fn new(disk: &'a D, path: &'a IndexPath, layout: &StoreLayout) -> Self {
        Self { disk, path, slots: layout.hash_slots.max(1), capacity: layout.index_capacity.max(1) }
    }

    /// The header; zeros where the file is too short for one.
    pub fn header(&self) -> Result<IndexHeader, DiskError> {
        let bytes = read_clipped(self.disk, self.path.file, self.path.len, 0, INDEX_HEADER)?;
        let long = |at: usize| bytes.get(at..)?.first_chunk().map(|value| i64::from_be_bytes(*value));
        let int = |at: usize| bytes.get(at..)?.first_chunk().map(|value| i32::from_be_bytes(*value));
        let header = || {
            Some(IndexHeader {
                begin_timestamp: long(0)?,
                end_timestamp: long(8)?,
                begin_phy_offset: long(16)?,
                end_phy_offset: long(24)?,
                hash_slot_count: int(32)?,
                index_count: int(36)?,
            })
        };
        Ok(header().unwrap_or_default())
    }

    /// One more than the number of the last entry that can be read: the header's count, kept inside the file.
    pub fn entry_end(&self, header: &IndexHeader) -> i32 {
        let room = self.path.len.saturating_sub(self.entry_position(0)) / INDEX_ENTRY;
        header.index_count.min(i32::try_from(room).unwrap_or(i32::MAX)).max(1)
    }

    /// Position of a slot in the file.
    pub fn slot_position(&self, slot: i32) -> u64 {
        INDEX_HEADER + u64::from(slot.max(0).cast_unsigned()) * INDEX_SLOT
    }

    /// Position of an entry in the file.
    pub fn entry_position(&self, index: i32) -> u64 {
        self.slot_position(self.slots) + u64::from(index.max(0).cast_unsigned()) * INDEX_ENTRY
    }

    /// Contents of slots from one on, at most `limit`.
    pub fn slot_values(&self, from: i32, limit: i32) -> Result<Vec<i32>, DiskError> {
        let count = u64::from(limit.min(self.slots.saturating_sub(from)).max(0).cast_unsigned());
        let bytes =
            read_clipped(self.disk, self.path.file, self.path.len, self.slot_position(from), count * INDEX_SLOT)?;
        Ok(bytes.as_chunks().0.iter().map(|value| i32::from_be_bytes(*value)).collect())
    }

    /// Entries from one on, at most `limit`, as far as the file goes.
    pub fn entries(&self, from: i32, limit: i32) -> Result<Vec<IndexEntry>, DiskError> {
        let count = u64::from(limit.max(0).cast_unsigned());
        let bytes =
            read_clipped(self.disk, self.path.file, self.path.len, self.entry_position(from), count * INDEX_ENTRY)?;
        Ok(bytes.as_chunks().0.iter().map(|entry| IndexEntry::from_bytes(*entry)).collect())
    }

    /// The slot of a hash.
    pub fn slot_of(&self, key_hash: i32) -> i32 {
        key_hash.checked_rem(self.slots).unwrap_or(0).max(0)
    }

    /// The entries that a search for this hash walks through, at most `limit`. The walk ends where 4.9.8's ends but
    /// for the time: at a number out of range, or one that names itself.
    pub fn chain(&self, header: &IndexHeader, hash: i32, limit: usize) -> Result<Chain, DiskError> {
        let slot_value = self.slot_values(self.slot_of(hash), 1)?.first().copied().unwrap_or(0);
        let mut chain = Chain { slot_value, entries: Vec::new(), cut: false };
        let mut next = slot_value;
        while next > 0 && next <= header.index_count && header.index_count > 1 {
            if chain.entries.len() >= limit {
                chain.cut = true;
                break;
            }
            let Some(entry) = self.entries(next, 1)?.first().copied() else { break };
            chain.entries.push((next, entry));
            if entry.prev_index == next {
                break;
            }
            next = entry.prev_index;
        }
        Ok(chain)
    }
}

/// What a search for a hash meets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// The slot's content.
    pub slot_value: i32,
    /// Entries with their numbers, newest first.
    pub entries: Vec<(i32, IndexEntry)>,
    /// Whether there are more.
    pub cut: bool,
}
