//! Lists of what the commit log holds.

use serde::{Deserialize, Serialize};

use super::explorer::{Pictures, StoreViewError};
use super::{RecordRow, limit};
use crate::disk::ReadAt;
use crate::store::inspect::{Fault, HolderKind, LogReader, Look, ProblemKind, Segment, holder, next_start};

/// Bytes of the log read at a time.
const CHUNK: u64 = 256 * 1024;
/// Bytes searched for the next record behind a damage.
const SEARCH: u64 = 8 * 1024 * 1024;

/// What the log holds from an offset on, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordsWindow {
    /// The physical offset of the first item: the one asked for, or the start of the record that holds it.
    pub from: i64,
    /// Records, blanks and ends, at most as many as asked for.
    pub items: Vec<LogItem>,
    /// Where the next window begins; `None` at the end of the last file.
    pub next: Option<i64>,
    /// The smallest physical offset of the log: the start of its first file. 0 where there is none.
    pub min_offset: i64,
    /// The end of the last file of the log. 0 where there is none.
    pub end_offset: i64,
}

/// One thing in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum LogItem {
    /// A record that passes the check of recovery.
    Record(RecordRow),
    /// A blank record: the rest of the file is not used.
    #[serde(rename_all = "camelCase")]
    Blank {
        /// Where it begins.
        physical_offset: i64,
        /// Bytes from there to the end of the file, as it says itself.
        remaining: i32,
    },
    /// No record begins here: eight zeros, as in room that was never written.
    #[serde(rename_all = "camelCase")]
    Unwritten {
        /// Where the zeros begin.
        physical_offset: i64,
        /// The end of the file. Whether anything stale lies before it is not looked at.
        end: i64,
    },
    /// A record was expected here and the bytes are none; recovery would end the log here.
    #[serde(rename_all = "camelCase")]
    Bad {
        /// Where it was expected.
        physical_offset: i64,
        /// What is wrong.
        problem: ProblemKind,
        /// The same in a sentence.
        message: String,
    },
    /// No file holds this range of the log.
    #[serde(rename_all = "camelCase")]
    MissingFile {
        /// First byte of the hole.
        physical_offset: i64,
        /// Where the next file begins.
        end: i64,
    },
}

impl LogItem {
    /// Where the item begins in the log.
    pub fn physical_offset(&self) -> i64 {
        match self {
            Self::Record(row) => row.physical_offset,
            Self::Blank { physical_offset, .. }
            | Self::Unwritten { physical_offset, .. }
            | Self::Bad { physical_offset, .. }
            | Self::MissingFile { physical_offset, .. } => *physical_offset,
        }
    }
}

impl<D: ReadAt + ?Sized> Pictures<'_, D> {
    pub(super) fn records(&self, from: i64, wanted: u32) -> Result<RecordsWindow, StoreViewError> {
        let segments = &self.files.commit_log;
        let mut log = LogReader::new(self.disk, segments, CHUNK);
        let min_offset = segments.first().map_or(0, |file| file.from);
        let end_offset = segments.last().map_or(0, Segment::end);
        let mut walk = Walk::begin(self, &mut log, from.max(min_offset))?;
        let from = walk.offset(segments).unwrap_or(end_offset);
        let mut items = Vec::new();
        while items.len() < limit(wanted) {
            let Some(item) = walk.next(&mut log)? else { break };
            items.push(item);
        }
        Ok(RecordsWindow { from, items, next: walk.offset(segments), min_offset, end_offset })
    }
}

/// A walk through the log.
struct Walk {
    segment: usize,
    position: u64,
    /// A hole before the present place, to be told first.
    hole: Option<LogItem>,
}

impl Walk {
    /// Begins at the start of whatever holds `offset`.
    fn begin<D: ReadAt + ?Sized>(
        pictures: &Pictures<'_, D>,
        log: &mut LogReader<'_, D>,
        offset: i64,
    ) -> Result<Self, StoreViewError> {
        if let Some((segment, position)) = log.locate(offset) {
            let found = holder(log, pictures.map, segment, position)?;
            let position = found.filter(|found| found.kind != HolderKind::End).map_or(position, |found| found.position);
            return Ok(Self { segment, position, hole: None });
        }
        let after = log.segments().partition_point(|file| file.from <= offset);
        let hole =
            log.segments().get(after).map(|file| LogItem::MissingFile { physical_offset: offset, end: file.from });
        Ok(Self { segment: after, position: 0, hole })
    }

    /// Where the next item begins.
    fn offset(&self, segments: &[Segment]) -> Option<i64> {
        if let Some(hole) = &self.hole {
            return Some(hole.physical_offset());
        }
        let file = segments.get(self.segment)?;
        Some(file.from.saturating_add_unsigned(self.position))
    }

    fn next<D: ReadAt + ?Sized>(&mut self, log: &mut LogReader<'_, D>) -> Result<Option<LogItem>, StoreViewError> {
        loop {
            if let Some(hole) = self.hole.take() {
                return Ok(Some(hole));
            }
            let Some(file) = log.segments().get(self.segment) else { return Ok(None) };
            let physical_offset = file.from.saturating_add_unsigned(self.position);
            let item = match log.look(self.segment, self.position)? {
                Look::Record(record) => {
                    self.position += u64::try_from(record.total_size).unwrap_or(0).max(1);
                    return Ok(Some(LogItem::Record(RecordRow::of(&record, physical_offset))));
                }
                Look::Blank { remaining, .. } => Some(LogItem::Blank { physical_offset, remaining }),
                Look::Unwritten => Some(LogItem::Unwritten { physical_offset, end: file.end() }),
                Look::Bad(fault) => {
                    let item = bad(physical_offset, &fault);
                    if let Some(start) = next_start(log, self.segment, self.position + 1, SEARCH)? {
                        self.position = start;
                        return Ok(Some(item));
                    }
                    Some(item)
                }
                Look::End => None,
            };
            self.next_file(log.segments());
            if item.is_some() {
                return Ok(item);
            }
        }
    }

    fn next_file(&mut self, segments: &[Segment]) {
        let end = segments.get(self.segment).map_or(0, Segment::end);
        self.segment += 1;
        self.position = 0;
        if let Some(next) = segments.get(self.segment)
            && next.from > end
        {
            self.hole = Some(LogItem::MissingFile { physical_offset: end, end: next.from });
        }
    }
}

fn bad(physical_offset: i64, fault: &Fault) -> LogItem {
    let problem = match fault {
        Fault::Magic(_) => ProblemKind::BadMagic,
        Fault::Crc { .. } => ProblemKind::BadCrc,
        Fault::Size { .. } => ProblemKind::BadSize,
    };
    LogItem::Bad { physical_offset, problem, message: fault.to_string() }
}
