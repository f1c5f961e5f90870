//! A ConsumeQueue: units of 20 bytes.

use super::files::{Segment, locate, read_clipped};
use super::layout::UNIT;
use crate::disk::{DiskError, ReadAt};
use crate::store::Unit;

/// A unit and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedUnit {
    /// Queue offset.
    pub queue_offset: i64,
    /// Number of the file.
    pub segment: usize,
    /// Position in it.
    pub position: u64,
    /// The unit.
    pub unit: Unit,
}

impl PlacedUnit {
    /// Whether it only fills the place of units that were never written (`ConsumeQueue.fillPreBlank`).
    pub fn is_filler(&self) -> bool {
        self.unit.physical_offset == Unit::BLANK.physical_offset && self.unit.size == Unit::BLANK.size
    }
}

/// Reads a ConsumeQueue. Queue offsets count from the name of each file, so a missing file is a hole.
pub struct QueueReader<'a, D: ?Sized> {
    disk: &'a D,
    segments: &'a [Segment],
}

impl<'a, D: ReadAt + ?Sized> QueueReader<'a, D> {
    /// A reader of the queue that these files make.
    pub fn new(disk: &'a D, segments: &'a [Segment]) -> Self {
        Self { disk, segments }
    }

    /// The files.
    pub fn segments(&self) -> &'a [Segment] {
        self.segments
    }

    /// Queue offset of the first unit of the first file; 0 without files.
    pub fn first_offset(&self) -> i64 {
        self.segments.first().map_or(0, |segment| segment.from / UNIT)
    }

    /// Queue offset behind the last file's room.
    pub fn room_end(&self) -> i64 {
        self.segments.last().map_or(0, |segment| segment.end() / UNIT)
    }

    /// The unit at a queue offset; `None` where no file holds it.
    pub fn unit(&self, queue_offset: i64) -> Result<Option<PlacedUnit>, DiskError> {
        Ok(self.units(queue_offset, 1)?.pop())
    }

    /// Units that stand one after the other in one file, from `queue_offset` on, at most `limit`.
    pub fn units(&self, queue_offset: i64, limit: u64) -> Result<Vec<PlacedUnit>, DiskError> {
        let place = queue_offset.checked_mul(UNIT).and_then(|byte| locate(self.segments, byte));
        let Some((segment, position)) = place else { return Ok(Vec::new()) };
        let Some(file) = self.segments.get(segment) else { return Ok(Vec::new()) };
        let bytes = read_clipped(self.disk, file.file, file.len, position, limit.saturating_mul(UNIT as u64))?;
        let units = bytes.as_chunks().0.iter().zip(0_i64..).map(|(bytes, number)| PlacedUnit {
            queue_offset: queue_offset + number,
            segment,
            position: position + (number * UNIT).unsigned_abs(),
            unit: Unit::from_bytes(bytes),
        });
        Ok(units.collect())
    }

    /// Queue offset of the first unit at or after `queue_offset` that a file holds; [`Self::room_end`] behind the last.
    pub fn next_held(&self, queue_offset: i64) -> i64 {
        let byte = queue_offset.saturating_mul(UNIT);
        self.segments
            .iter()
            .find(|segment| segment.end() > byte && segment.len >= UNIT as u64)
            .map_or(self.room_end(), |segment| queue_offset.max(segment.from / UNIT))
    }

    /// Queue offset behind the last valid unit before the first that is not. Files count as full when their last unit
    /// is valid; in the first that is not the end is searched by halving, so a hole inside it can hide (a scan finds
    /// it).
    pub fn max_offset(&self) -> Result<i64, DiskError> {
        let mut max = self.first_offset();
        for segment in self.segments {
            let (first, end) = (segment.from / UNIT, segment.end() / UNIT);
            let valid = |offset| self.unit(offset).map(|unit| unit.is_some_and(|unit| unit.unit.is_valid()));
            if end > first && valid(end - 1)? {
                max = end;
                continue;
            }
            let part = partition(first, end, valid)?;
            if part > first {
                max = part;
            }
            break;
        }
        Ok(max)
    }

    /// Queue offset of the first unit before `max` whose record begins at or after `log_min`, pre-blank units left
    /// out; `max` where there is none. Searched by halving, since units ascend.
    pub fn min_offset(&self, log_min: i64, max: i64) -> Result<i64, DiskError> {
        let gone = |offset| {
            let unit = self.unit(self.next_held(offset))?;
            Ok(unit.is_some_and(|unit| unit.is_filler() || unit.unit.physical_offset < log_min))
        };
        partition(self.first_offset(), max, gone)
    }

    /// The unit before `max` that points at `physical_offset`, searched by halving.
    pub fn find(&self, physical_offset: i64, max: i64) -> Result<Option<PlacedUnit>, DiskError> {
        let before = |offset| {
            let unit = self.unit(self.next_held(offset))?;
            Ok(unit.is_some_and(|unit| unit.is_filler() || unit.unit.physical_offset < physical_offset))
        };
        let at = partition(self.first_offset(), max, before)?;
        let found = self.unit(self.next_held(at))?;
        Ok(found.filter(|found| found.unit.physical_offset == physical_offset && !found.is_filler()))
    }
}

/// The first offset in `[low, high]` that `holds` does not hold for, given that it holds for all before it.
fn partition<E>(mut low: i64, mut high: i64, holds: impl Fn(i64) -> Result<bool, E>) -> Result<i64, E> {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle)? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}
