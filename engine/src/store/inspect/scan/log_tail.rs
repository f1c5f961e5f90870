//! The rest of a commit log file behind its records.

use super::super::files::Segment;
use super::super::log::{LogReader, Look};
use super::super::resync::{self, VOUCHED};
use super::{Found, Problem, ProblemKind};
use crate::disk::{DiskError, ReadAt};

/// Bytes looked at in one go.
const PIECE: u64 = 256 * 1024;

/// Why the records ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TailStart {
    /// Zeros.
    Unwritten,
    /// Bytes that are no record.
    Damaged,
}

/// A search through the rest of a file for anything that is there.
#[derive(Clone, Debug)]
pub(super) struct TailScan {
    segment: usize,
    start: u64,
    kind: TailStart,
    at: u64,
    /// First byte that is not zero.
    first_byte: Option<u64>,
    /// First whole record.
    first_record: Option<u64>,
    records: u64,
    record_bytes: u64,
}

impl TailScan {
    pub(super) fn new(segment: usize, start: u64, kind: TailStart) -> Self {
        Self { segment, start, kind, at: start, first_byte: None, first_record: None, records: 0, record_bytes: 0 }
    }

    /// Position in the file up to which the search is.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Goes on by a piece or a record; `true` at the end of the file.
    pub(super) fn advance<D: ReadAt + ?Sized>(&mut self, log: &mut LogReader<'_, D>) -> Result<bool, DiskError> {
        let Some(file) = log.segments().get(self.segment) else { return Ok(true) };
        let piece = PIECE.min(file.len.saturating_sub(self.at));
        if piece == 0 {
            return Ok(true);
        }
        let bytes = log.bytes(self.segment, self.at, piece + VOUCHED)?;
        let inside = bytes.get(..usize::try_from(piece).unwrap_or(usize::MAX)).unwrap_or(bytes);
        if self.first_byte.is_none() {
            let Some(first) = first_not_zero(inside) else {
                self.at += piece;
                return Ok(false);
            };
            self.first_byte = Some(self.at + first);
        }
        // The place of the fault itself is not looked for again.
        let from = self.at.max(self.start + 1);
        let start = resync::starts(bytes, file, self.at).find(|start| *start >= from && *start < self.at + piece);
        let Some(start) = start else {
            self.at += piece;
            return Ok(false);
        };
        self.at = start + 1;
        if let Look::Record(record) = log.look(self.segment, start)? {
            let len = u64::try_from(record.total_size).unwrap_or(0).max(1);
            self.first_record.get_or_insert(start);
            self.records += 1;
            self.record_bytes += len;
            self.at = start + len;
        }
        Ok(false)
    }

    /// What was found, at the end of the file; `end` is the end of the log before it.
    pub(super) fn report(&self, file: &Segment, end: i64, found: &mut Found) {
        let offset = |position| file.from.saturating_add_unsigned(position);
        match (self.kind, self.first_record, self.first_byte) {
            (TailStart::Damaged, Some(first), _) => found.add(
                Problem::new(ProblemKind::RecordsBehindDamage, &file.path, first)
                    .with("physicalOffset", offset(first))
                    .with("damage", offset(self.start))
                    .with("count", self.records)
                    .with("bytes", self.record_bytes),
            ),
            (TailStart::Unwritten, _, Some(first)) => {
                let first = self.first_record.map_or(first, |record| record.min(first));
                found.add(
                    Problem::new(ProblemKind::StaleBytes, &file.path, first)
                        .with("physicalOffset", offset(first))
                        .with("end", end)
                        .with("count", self.records),
                );
            }
            _ => {}
        }
    }
}

/// The place of the first byte that is not zero. Zeros are passed over sixteen at a time.
fn first_not_zero(bytes: &[u8]) -> Option<u64> {
    let (words, _) = bytes.as_chunks::<16>();
    let zeros = words.iter().take_while(|word| u128::from_ne_bytes(**word) == 0).count() * 16;
    let rest = bytes.get(zeros..)?;
    rest.iter().position(|byte| *byte != 0).map(|at| (zeros + at) as u64)
}
