//! Finding records without knowing where one begins.
//!
//! A record says where it lies: its magic code stands at byte 4 and PHYSICALOFFSET at byte 28. Both right at one place
//! are twelve bytes that vouch for each other, so a record's start can be found from any byte, backwards or forwards,
//! at the cost of the bytes in between. (A body that holds the copy of a record for just its own place in the log
//! would deceive the search; the record map, made from the start of each file, is not deceived and is asked first.)

use super::files::Segment;
use super::log::{LogReader, MAX_RECORD};
use crate::disk::{DiskError, ReadAt};
use crate::message::record::{MAGIC_POSITION, MESSAGE_MAGIC, PHYSICAL_OFFSET_POSITION};

/// Bytes that vouch for a record's start: up to the end of PHYSICALOFFSET.
pub(super) const VOUCHED: u64 = PHYSICAL_OFFSET_POSITION as u64 + 8;
const STEP: u64 = 64 * 1024;

/// Whether the bytes, which lie at `offset` of the log, begin a record by their own word.
pub(super) fn vouches(bytes: &[u8], offset: i64) -> bool {
    let magic = bytes.get(MAGIC_POSITION..).and_then(|bytes| bytes.first_chunk());
    let place = bytes.get(PHYSICAL_OFFSET_POSITION..).and_then(|bytes| bytes.first_chunk());
    magic == Some(&MESSAGE_MAGIC.to_be_bytes()) && place == Some(&offset.to_be_bytes())
}

/// Where the last record begins that begins at or before `position`, searched back to `floor`.
pub(super) fn last_start<D: ReadAt + ?Sized>(
    log: &mut LogReader<'_, D>,
    segment: usize,
    position: u64,
    floor: u64,
) -> Result<Option<u64>, DiskError> {
    let Some(file) = log.segments().get(segment) else { return Ok(None) };
    let floor = floor.max(position.saturating_sub(MAX_RECORD));
    // Starts in [low, high] are looked for in each round.
    let mut high = position;
    loop {
        let low = high.saturating_sub(STEP - 1).max(floor);
        let bytes = log.bytes(segment, low, high - low + VOUCHED)?;
        if let Some(found) = starts(bytes, file, low).rfind(|start| *start <= high) {
            return Ok(Some(found));
        }
        if low <= floor {
            return Ok(None);
        }
        high = low - 1;
    }
}

/// The places in `bytes`, which lie at `position` of the file, where a record begins by its own word.
pub(super) fn starts<'b>(
    bytes: &'b [u8],
    file: &'b Segment,
    position: u64,
) -> impl DoubleEndedIterator<Item = u64> + use<'b> {
    let magic = MESSAGE_MAGIC.to_be_bytes();
    bytes.windows(magic.len()).enumerate().filter(move |(_, window)| *window == magic).filter_map(move |(at, _)| {
        let start = at.checked_sub(MAGIC_POSITION)?;
        let in_file = position + start as u64;
        let offset = file.from.checked_add_unsigned(in_file)?;
        vouches(bytes.get(start..)?, offset).then_some(in_file)
    })
}

/// The first place from `position` on where a record begins by its own word, in at most `reach` bytes of the file.
pub fn next_start<D: ReadAt + ?Sized>(
    log: &mut LogReader<'_, D>,
    segment: usize,
    position: u64,
    reach: u64,
) -> Result<Option<u64>, DiskError> {
    let Some(file) = log.segments().get(segment) else { return Ok(None) };
    let end = file.len.min(position.saturating_add(reach));
    let mut at = position;
    while at < end {
        let piece = STEP.min(end - at);
        let bytes = log.bytes(segment, at, piece + VOUCHED)?;
        if let Some(found) = starts(bytes, file, at).find(|start| *start < at + piece) {
            return Ok(Some(found));
        }
        at += piece;
    }
    Ok(None)
}
