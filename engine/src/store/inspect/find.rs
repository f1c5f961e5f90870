//! The record that holds a byte of the log.

use super::files::Segment;
use super::log::{LogReader, Look, MAX_RECORD};
use super::record_map::RecordMap;
use super::resync;
use crate::disk::{DiskError, ReadAt};

/// Where the thing begins that holds a byte of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Number of the file.
    pub segment: usize,
    /// Position in the file.
    pub position: u64,
    /// Its length: a record's TOTALSIZE, a blank up to the end of the file, 0 where it is neither.
    pub len: u64,
    /// What it is.
    pub kind: HolderKind,
}

/// What holds a byte of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HolderKind {
    /// A record.
    Record,
    /// A blank record with the unused bytes behind it.
    Blank,
    /// Zeros up to the end of the file as far as can be told from here.
    Unwritten,
    /// Bytes that are no record.
    Bad,
    /// Too few bytes before the end of the file to hold anything.
    End,
}

impl Holder {
    /// Its place in the log.
    pub fn physical_offset(&self, segments: &[Segment]) -> i64 {
        segments.get(self.segment).map_or(0, |file| file.from.saturating_add_unsigned(self.position))
    }
}

/// What holds the byte at `position` of a file. Walks from the nearest place known to begin a record: an anchor of
/// the map, else one found by searching backwards ([`resync`]), else the file's start where it is near enough.
pub fn holder<D: ReadAt + ?Sized>(
    log: &mut LogReader<'_, D>,
    map: &RecordMap,
    segment: usize,
    position: u64,
) -> Result<Option<Holder>, DiskError> {
    let Some(file) = log.segments().get(segment) else { return Ok(None) };
    if position >= file.len {
        return Ok(None);
    }
    let known = map.segment(file.from).map_or(0, |segment| segment.good_end.min(position));
    let start = if let Some(anchor) = map.anchor(file.from, position) {
        anchor
    } else if let Some(start) = resync::last_start(log, segment, position, known)? {
        start
    } else if position - known <= MAX_RECORD {
        known
    } else {
        return at_position(log, segment, position).map(Some);
    };
    let mut at = start;
    loop {
        let here = at_position(log, segment, at)?;
        match here.kind {
            HolderKind::Record if position >= at.saturating_add(here.len) => at = at.saturating_add(here.len),
            _ => return Ok(Some(here)),
        }
    }
}

/// What begins at `position` of a file.
pub fn at_position<D: ReadAt + ?Sized>(
    log: &mut LogReader<'_, D>,
    segment: usize,
    position: u64,
) -> Result<Holder, DiskError> {
    let (kind, len) = match log.look(segment, position)? {
        Look::Record(record) => (HolderKind::Record, u64::try_from(record.total_size).unwrap_or(0).max(1)),
        Look::Blank { left, .. } => (HolderKind::Blank, left),
        Look::Unwritten => (HolderKind::Unwritten, 0),
        Look::Bad(_) => (HolderKind::Bad, 0),
        Look::End => (HolderKind::End, 0),
    };
    Ok(Holder { segment, position, len, kind })
}

/// The record that ends where `position` of a file begins another.
pub fn record_before<D: ReadAt + ?Sized>(
    log: &mut LogReader<'_, D>,
    map: &RecordMap,
    segment: usize,
    position: u64,
) -> Result<Option<Holder>, DiskError> {
    let Some(last_byte) = position.checked_sub(1) else { return Ok(None) };
    let found = holder(log, map, segment, last_byte)?;
    Ok(found.filter(|holder| holder.kind == HolderKind::Record && holder.position + holder.len == position))
}
