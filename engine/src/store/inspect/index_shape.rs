//! How many slots and entries an index file has, from its bytes.
//!
//! The length is `40 + 4 * slots + 20 * entries`, which leaves many pairs. The header tells the offset of the last
//! record (`endPhyOffset`) and the number of the last entry (`indexCount - 1`), and that entry lies at
//! `40 + 4 * slots + 20 * (indexCount - 1)`. A number of slots is right when the entry found at that place has this
//! offset, and the last entries are linked as they must be: the slot of each one's hash names it or a later one, and
//! the entry before it in the chain is an earlier one of the same slot. The default pair and the default proportion
//! (4 entries to a slot) are tried first, then all pairs.

use super::files::{IndexPath, read_clipped};
use super::layout::{
    DEFAULT_HASH_SLOTS, DEFAULT_INDEX_CAPACITY, GivenLayout, INDEX_ENTRY, INDEX_HEADER, INDEX_SLOT, LayoutSource,
    index_file_len,
};
use crate::disk::ReadAt;

/// Bytes of a file that the search over all pairs looks at; a larger file of no usual proportion counts as unknown.
const SEARCH_LIMIT: u64 = 512 * 1024 * 1024;
const CHUNK: u64 = 256 * 1024;
/// How many of the last entries are held against a pair.
const WITNESSES: usize = 32;

/// Slots, capacity and how they are known.
pub(super) fn infer<D: ReadAt + ?Sized>(
    disk: &D,
    index: &[IndexPath],
    given: &GivenLayout,
) -> (i32, i32, LayoutSource) {
    if let (Some(slots @ 1..), Some(capacity @ 1..)) = (given.hash_slots, given.index_capacity) {
        return (slots, capacity, LayoutSource::Given);
    }
    // Of the usual length: nothing to search. Else the fullest file tells the most, so the oldest ones first.
    let usual = index_file_len(DEFAULT_HASH_SLOTS, DEFAULT_INDEX_CAPACITY);
    for path in index.iter().filter(|path| path.len != usual) {
        if let Some((slots, capacity)) = of_file(disk, path, given) {
            return (slots, capacity, LayoutSource::Inferred);
        }
    }
    let source =
        if index.iter().any(|path| path.len == usual) { LayoutSource::Inferred } else { LayoutSource::Default };
    let slots = given.hash_slots.filter(|slots| *slots > 0).unwrap_or(DEFAULT_HASH_SLOTS);
    let capacity = given.index_capacity.filter(|capacity| *capacity > 0).unwrap_or(DEFAULT_INDEX_CAPACITY);
    (slots, capacity, source)
}

fn of_file<D: ReadAt + ?Sized>(disk: &D, path: &IndexPath, given: &GivenLayout) -> Option<(i32, i32)> {
    let room = path.len.checked_sub(INDEX_HEADER)?;
    let of_slots = |slots: i32| pair(room, slots);
    if let Some(slots) = given.hash_slots {
        return of_slots(slots);
    }
    if let Some(capacity) = given.index_capacity {
        let slots = room.checked_sub(u64::try_from(capacity).ok()? * INDEX_ENTRY)? / INDEX_SLOT;
        return of_slots(i32::try_from(slots).ok()?);
    }
    let head = Head::read(disk, path)?;
    // 4 entries to a slot: 84 bytes a slot.
    let usual = i32::try_from(room / (INDEX_SLOT + 4 * INDEX_ENTRY)).ok().and_then(of_slots);
    if let Some((slots, capacity)) = usual
        && (head.count <= 1 || head.agrees(disk, path, slots, capacity))
    {
        return Some((slots, capacity));
    }
    head.search(disk, path, room)
}

fn pair(room: u64, slots: i32) -> Option<(i32, i32)> {
    let left = room.checked_sub(u64::try_from(slots).ok().filter(|slots| *slots > 0)? * INDEX_SLOT)?;
    let capacity = i32::try_from(left / INDEX_ENTRY).ok()?;
    (left % INDEX_ENTRY == 0 && capacity > 0).then_some((slots, capacity))
}

/// What the header says that a pair can be held against.
struct Head {
    end_phy_offset: i64,
    count: i32,
}

impl Head {
    fn read<D: ReadAt + ?Sized>(disk: &D, path: &IndexPath) -> Option<Self> {
        let bytes = read_clipped(disk, path.file, path.len, 0, INDEX_HEADER).ok()?;
        Some(Self {
            end_phy_offset: i64::from_be_bytes(*bytes.get(24..)?.first_chunk()?),
            count: i32::from_be_bytes(*bytes.get(36..)?.first_chunk()?),
        })
    }

    fn last(&self) -> Option<u64> {
        u64::try_from(self.count).ok()?.checked_sub(1).filter(|last| *last > 0)
    }

    /// Whether the last entries of a file with so many slots are where they must be and as they must be.
    fn agrees<D: ReadAt + ?Sized>(&self, disk: &D, path: &IndexPath, slots: i32, capacity: i32) -> bool {
        let Some(last) = self.last().and_then(|last| i32::try_from(last).ok()) else { return false };
        let entry = |index: i32| Entry::read(disk, path, slots, index);
        let linked = |index: i32| {
            let found = entry(index)?;
            let slot = found.hash.checked_rem(slots).filter(|slot| *slot >= 0)?;
            let position = INDEX_HEADER + u64::try_from(slot).ok()? * INDEX_SLOT;
            let named = read_clipped(disk, path.file, path.len, position, INDEX_SLOT).ok()?;
            let named = i32::from_be_bytes(*named.first_chunk()?);
            let before = match found.prev {
                0 => true,
                prev if prev > 0 && prev < index => entry(prev)?.hash.checked_rem(slots)? == slot,
                _ => false,
            };
            Some(before && (index..=last).contains(&named))
        };
        self.count <= capacity
            && entry(last).is_some_and(|entry| entry.phy_offset == self.end_phy_offset)
            && (1..=last).rev().take(WITNESSES).all(|index| linked(index).unwrap_or(false))
    }

    /// Goes through the places that the last entry can have, in ascending numbers of slots. Slots come in steps of
    /// five, since the length fixes their number modulo 5, so the places are 20 bytes apart.
    fn search<D: ReadAt + ?Sized>(&self, disk: &D, path: &IndexPath, room: u64) -> Option<(i32, i32)> {
        let last = self.last()?;
        let first = (1..=5).find(|slots| pair(room, *slots).is_some())?;
        let mut place = INDEX_HEADER + u64::try_from(first).ok()? * INDEX_SLOT + last * INDEX_ENTRY;
        let mut slots = first;
        let end = path.len.min(SEARCH_LIMIT);
        while place + INDEX_ENTRY <= end {
            let chunk = read_clipped(disk, path.file, path.len, place, CHUNK / INDEX_ENTRY * INDEX_ENTRY).ok()?;
            for entry in chunk.chunks_exact(usize::try_from(INDEX_ENTRY).ok()?) {
                let phy_offset = i64::from_be_bytes(*entry.get(4..)?.first_chunk()?);
                if phy_offset == self.end_phy_offset
                    && let Some((slots, capacity)) = pair(room, slots)
                    && self.agrees(disk, path, slots, capacity)
                {
                    return Some((slots, capacity));
                }
                slots = slots.checked_add(5)?;
            }
            place += chunk.len() as u64;
            if chunk.len() < usize::try_from(INDEX_ENTRY).ok()? {
                return None;
            }
        }
        None
    }
}

struct Entry {
    hash: i32,
    phy_offset: i64,
    prev: i32,
}

impl Entry {
    fn read<D: ReadAt + ?Sized>(disk: &D, path: &IndexPath, slots: i32, index: i32) -> Option<Self> {
        let base = INDEX_HEADER + u64::try_from(slots).ok()? * INDEX_SLOT;
        let position = base + u64::try_from(index).ok()? * INDEX_ENTRY;
        let bytes = read_clipped(disk, path.file, path.len, position, INDEX_ENTRY).ok()?;
        Some(Self {
            hash: i32::from_be_bytes(*bytes.first_chunk()?),
            phy_offset: i64::from_be_bytes(*bytes.get(4..)?.first_chunk()?),
            prev: i32::from_be_bytes(*bytes.get(16..)?.first_chunk()?),
        })
    }
}
