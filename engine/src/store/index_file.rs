//! One index file: hash slots, and chains of entries that lead from a key's hash to physical offsets.

use crate::disk::{Disk, DiskError, FileId};
use crate::message::java;

use super::big_endian::{i32_at, i64_at};
use super::mapped_file::read_array;
use super::{Env, Step};

/// Size of the header in bytes.
const HEADER_SIZE: i32 = 40;
const SLOT_SIZE: i32 = 4;
const ENTRY_SIZE: i32 = 20;
/// The entry number that means "no entry".
const INVALID_INDEX: i32 = 0;

/// The first 40 bytes (`IndexHeader`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexHeader {
    /// Store time of the first message, from which the entries count their seconds.
    pub begin_timestamp: i64,
    /// Store time of the last message.
    pub end_timestamp: i64,
    /// Physical offset of the first message.
    pub begin_phy_offset: i64,
    /// Physical offset of the last message.
    pub end_phy_offset: i64,
    /// Slots in use.
    pub hash_slot_count: i32,
    /// Number of the next entry; entry 0 is never used, so that it begins at 1.
    pub index_count: i32,
}

impl IndexHeader {
    fn to_bytes(self) -> [u8; HEADER_SIZE as usize] {
        let mut bytes = [0; HEADER_SIZE as usize];
        let longs = [self.begin_timestamp, self.end_timestamp, self.begin_phy_offset, self.end_phy_offset];
        for (field, value) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(longs) {
            *field = value.to_be_bytes();
        }
        bytes[32..36].copy_from_slice(&self.hash_slot_count.to_be_bytes());
        bytes[36..].copy_from_slice(&self.index_count.to_be_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER_SIZE as usize]) -> Self {
        let index_count = match i32_at(bytes, 36) {
            ..=0 => 1,
            count => count,
        };
        Self {
            begin_timestamp: i64_at(bytes, 0),
            end_timestamp: i64_at(bytes, 8),
            begin_phy_offset: i64_at(bytes, 16),
            end_phy_offset: i64_at(bytes, 24),
            hash_slot_count: i32_at(bytes, 32),
            index_count,
        }
    }
}

/// One entry: `i32 keyHash, i64 phyOffset, i32 timeDiff, i32 prevIndex`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Hash of topic and key, never negative in a file of 4.9.8.
    pub key_hash: i32,
    /// Where the record begins.
    pub phy_offset: i64,
    /// Whole seconds since the first message of the file.
    pub time_diff: i32,
    /// The entry before in the chain of this slot; 0 for none.
    pub prev_index: i32,
}

impl IndexEntry {
    fn to_bytes(self) -> [u8; ENTRY_SIZE as usize] {
        let mut bytes = [0; ENTRY_SIZE as usize];
        bytes[..4].copy_from_slice(&self.key_hash.to_be_bytes());
        bytes[4..12].copy_from_slice(&self.phy_offset.to_be_bytes());
        bytes[12..16].copy_from_slice(&self.time_diff.to_be_bytes());
        bytes[16..].copy_from_slice(&self.prev_index.to_be_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: [u8; ENTRY_SIZE as usize]) -> Self {
        Self {
            key_hash: i32_at(&bytes, 0),
            phy_offset: i64_at(&bytes, 4),
            time_diff: i32_at(&bytes, 12),
            prev_index: i32_at(&bytes, 16),
        }
    }
}

/// An index file (`IndexFile`).
#[derive(Clone, Debug)]
pub struct IndexFile {
    pub(super) id: FileId,
    slots: i32,
    entries: i32,
    header: IndexHeader,
}

/// How an attempt to put a key ended.
pub(super) enum KeyPut {
    Done,
    /// The file has no entry left.
    Full,
    /// The disk refused.
    Failed,
}

/// A key as it is indexed, and the hash of it.
#[derive(Clone, Copy, Debug)]
pub struct IndexKey<'k> {
    topic: &'k str,
    key: &'k str,
    hash: i32,
}

impl<'k> IndexKey<'k> {
    /// The key `topic#key` (`IndexService.buildKey`, `IndexFile.indexKeyHashMethod`): its Java hash without sign, and 0
    /// for the one hash whose sign cannot be taken away.
    pub fn new(topic: &'k str, key: &'k str) -> Self {
        let hash = java::hash_on(java::hash_on(java::string_hash(topic), "#"), key);
        Self { topic, key, hash: hash.checked_abs().unwrap_or(0) }
    }

    /// The hash, never negative.
    pub fn hash(self) -> i32 {
        self.hash
    }

    /// What is hashed.
    pub fn text(self) -> String {
        format!("{}#{}", self.topic, self.key)
    }
}

impl IndexFile {
    /// A file that was just made. It begins where the one before ends, until its first key says better.
    pub(super) fn created<D: Disk>(
        disk: &mut D,
        id: FileId,
        (slots, entries): (i32, i32),
        end_phy_offset: i64,
        end_timestamp: i64,
    ) -> Result<Self, DiskError> {
        let mut header = IndexHeader { index_count: 1, ..IndexHeader::default() };
        if end_phy_offset > 0 {
            header.begin_phy_offset = end_phy_offset;
            header.end_phy_offset = end_phy_offset;
        }
        if end_timestamp > 0 {
            header.begin_timestamp = end_timestamp;
            header.end_timestamp = end_timestamp;
        }
        if end_phy_offset > 0 || end_timestamp > 0 {
            // The counts stay as they are in the file until the first key.
            let bytes = header.to_bytes();
            disk.write_at(id, 0, bytes.get(..32).unwrap_or_default())?;
        }
        Ok(Self { id, slots, entries, header })
    }

    /// A file that was there already (`load`); `None` if its header cannot be read.
    pub(super) fn loaded<D: Disk>(disk: &D, id: FileId, (slots, entries): (i32, i32)) -> Option<Self> {
        let header = IndexHeader::from_bytes(&read_array(disk, id, 0)?);
        Some(Self { id, slots, entries, header })
    }

    /// The header as the store knows it.
    pub fn header(&self) -> &IndexHeader {
        &self.header
    }

    /// The file.
    pub fn file(&self) -> FileId {
        self.id
    }

    /// Whether no entry is left (`isWriteFull`).
    pub fn is_full(&self) -> bool {
        self.header.index_count >= self.entries
    }

    fn slot_of(&self, hash: i32) -> i32 {
        hash % self.slots
    }

    fn slot_position(slot: i32) -> i64 {
        i64::from(HEADER_SIZE) + i64::from(slot) * i64::from(SLOT_SIZE)
    }

    /// Position of an entry. It is counted in 32 bits as in 4.9.8: a number out of range leads to a place of its own, or
    /// before the file.
    fn entry_position(&self, index: i32) -> i64 {
        let slots = HEADER_SIZE.wrapping_add(self.slots.wrapping_mul(SLOT_SIZE));
        i64::from(slots.wrapping_add(index.wrapping_mul(ENTRY_SIZE)))
    }

    /// The entry that the slot of `hash` points at; 0 for none.
    fn slot_value<D: Disk>(&self, disk: &D, slot: i32) -> Option<i32> {
        let value = i32::from_be_bytes(read_array(disk, self.id, Self::slot_position(slot))?);
        Some(if value <= INVALID_INDEX || value > self.header.index_count { INVALID_INDEX } else { value })
    }

    /// Puts a key at the head of its slot's chain (`putKey`).
    pub(super) fn put_key<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        key: IndexKey<'_>,
        phy_offset: i64,
        store_timestamp: i64,
        env: &mut E,
    ) -> KeyPut {
        if self.is_full() {
            return KeyPut::Full;
        }
        match self.try_put(disk, key, phy_offset, store_timestamp, env) {
            Ok(()) => KeyPut::Done,
            Err(error) => {
                env.step(|| Step::DiskFailed { error: error.to_string() });
                KeyPut::Failed
            }
        }
    }

    fn try_put<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        key: IndexKey<'_>,
        phy_offset: i64,
        store_timestamp: i64,
        env: &mut E,
    ) -> Result<(), DiskError> {
        let slot = self.slot_of(key.hash());
        let mut slot_bytes = [0; SLOT_SIZE as usize];
        disk.read_at(self.id, Self::slot_position(slot) as u64, &mut slot_bytes)?;
        let stored = i32::from_be_bytes(slot_bytes);
        let index = self.header.index_count;
        let prev_index = if stored <= INVALID_INDEX || stored > index { INVALID_INDEX } else { stored };
        let time_diff = self.time_diff(store_timestamp);
        let entry = IndexEntry { key_hash: key.hash(), phy_offset, time_diff, prev_index };
        disk.write_at(self.id, self.entry_position(index) as u64, &entry.to_bytes())?;
        disk.write_at(self.id, Self::slot_position(slot) as u64, &index.to_be_bytes())?;
        let header = &mut self.header;
        if index <= 1 {
            header.begin_phy_offset = phy_offset;
            header.begin_timestamp = store_timestamp;
        }
        if prev_index == INVALID_INDEX {
            header.hash_slot_count = header.hash_slot_count.wrapping_add(1);
        }
        header.index_count = index.wrapping_add(1);
        header.end_phy_offset = phy_offset;
        header.end_timestamp = store_timestamp;
        disk.write_at(self.id, 0, &header.to_bytes())?;
        env.step(|| Step::IndexPut {
            file: disk.path(self.id).unwrap_or_default(),
            key: key.text(),
            key_hash: key.hash(),
            slot,
            index,
            prev_index,
            physical_offset: phy_offset,
            time_diff,
        });
        Ok(())
    }

    /// Whole seconds since the first message of the file, as an entry can hold them.
    fn time_diff(&self, store_timestamp: i64) -> i32 {
        if self.header.begin_timestamp <= 0 {
            return 0;
        }
        let seconds = store_timestamp.wrapping_sub(self.header.begin_timestamp) / 1000;
        seconds.clamp(0, i64::from(i32::MAX)) as i32
    }

    /// Writes the header and forces the file (`flush`).
    pub(super) fn flush<D: Disk, E: Env>(&self, disk: &mut D, env: &mut E) {
        let len = disk.meta(self.id).map_or(0, |meta| meta.len);
        let flushed = disk.write_at(self.id, 0, &self.header.to_bytes()).and_then(|()| disk.flush(self.id, 0, len));
        match flushed {
            Ok(()) => env.step(|| Step::Flushed {
                file: disk.path(self.id).unwrap_or_default(),
                from: 0,
                to: i64::try_from(len).unwrap_or(i64::MAX),
            }),
            Err(error) => env.step(|| Step::DiskFailed { error: error.to_string() }),
        }
    }

    /// Whether the file may hold messages stored from `begin` to `end` (`isTimeMatched`).
    pub(super) fn is_time_matched(&self, begin: i64, end: i64) -> bool {
        let times = self.header.begin_timestamp..=self.header.end_timestamp;
        (begin < *times.start() && end > *times.end()) || times.contains(&begin) || times.contains(&end)
    }

    /// Walks the chain of the key's slot, newest first, and adds the physical offsets of entries with its hash that were
    /// stored from `begin` to `end`, until there are `max` (`selectPhyOffset`). Answers how many entries were read.
    ///
    /// A chain damaged into a ring would keep 4.9.8 walking for ever; here it ends after as many entries as there are.
    pub(super) fn select<D: Disk>(
        &self,
        disk: &D,
        key: IndexKey<'_>,
        max: usize,
        (begin, end): (i64, i64),
        found: &mut Vec<i64>,
    ) -> i32 {
        let mut read = 0;
        if self.header.index_count <= 1 {
            return read;
        }
        let Some(mut index) = self.slot_value(disk, self.slot_of(key.hash())) else { return read };
        while index > INVALID_INDEX && found.len() < max && read < self.header.index_count {
            let Some(entry) = self.entry(disk, index) else { break };
            read += 1;
            if entry.time_diff < 0 {
                break;
            }
            let time = self.header.begin_timestamp.wrapping_add(i64::from(entry.time_diff) * 1000);
            if entry.key_hash == key.hash() && (begin..=end).contains(&time) {
                found.push(entry.phy_offset);
            }
            if entry.prev_index > self.header.index_count || entry.prev_index == index || time < begin {
                break;
            }
            index = entry.prev_index;
        }
        read
    }

    /// One entry; `None` outside the file.
    pub fn entry<D: Disk>(&self, disk: &D, index: i32) -> Option<IndexEntry> {
        read_array(disk, self.id, self.entry_position(index)).map(IndexEntry::from_bytes)
    }

    /// The slot that a key's hash falls into.
    pub fn slot(&self, key_hash: i32) -> i32 {
        self.slot_of(key_hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of the format's description.
    #[test]
    fn keys_hash_as_in_java() {
        assert_eq!(IndexKey::new("TopicTest", "k1").hash(), 2_746_024);
        // "polygenelubricants" hashes to the one number without an absolute value.
        assert_eq!(java::string_hash("polygenelubricants"), i32::MIN);
        assert_eq!(i32::MIN.checked_abs().unwrap_or(0), 0);
    }

    /// Four different pairs of topic and key that no index can tell apart.
    #[test]
    fn colliding_keys() {
        for (topic, key) in [("AaTopic", "Aa"), ("AaTopic", "BB"), ("BBTopic", "Aa"), ("BBTopic", "BB")] {
            assert_eq!(IndexKey::new(topic, key).hash(), 10_606_476, "{topic}#{key}");
        }
    }

    #[test]
    fn a_header_without_entries_counts_from_one() {
        assert_eq!(IndexHeader::from_bytes(&[0; 40]).index_count, 1);
        let header = IndexHeader {
            begin_timestamp: 1,
            end_timestamp: -2,
            begin_phy_offset: 3,
            end_phy_offset: i64::MAX,
            hash_slot_count: 5,
            index_count: 6,
        };
        assert_eq!(IndexHeader::from_bytes(&header.to_bytes()), header);
    }

    #[test]
    fn seconds_are_cut_to_what_an_entry_holds() {
        let header = IndexHeader { begin_timestamp: 1_000_000, index_count: 1, ..IndexHeader::default() };
        let file = IndexFile { id: FileId(0), slots: 5_000_000, entries: 20, header };
        assert_eq!(file.time_diff(1_001_999), 1);
        assert_eq!(file.time_diff(999_000), 0);
        assert_eq!(file.time_diff(i64::MAX), i32::MAX);
        // The default file: slot 2746024 begins at byte 10984136, entry 1 behind 5 million slots.
        assert_eq!(IndexFile::slot_position(file.slot_of(2_746_024)), 10_984_136);
        assert_eq!(file.entry_position(1), 40 + 20_000_000 + 20);
    }
}
