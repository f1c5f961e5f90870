//! Where records begin, known at some of them.

use std::collections::BTreeMap;

/// Distance between two anchors at least.
const ANCHOR_EVERY: u64 = 256 * 1024;

/// How the records of a commit log file end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// Not known yet.
    #[default]
    Unknown,
    /// A blank record, or the end of the file.
    Full,
    /// Zeros.
    Unwritten,
    /// Bytes that are no record.
    Damaged,
}

/// What is known of one commit log file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentMap {
    /// Positions of some records, ascending, the first record's among them.
    anchors: Vec<u64>,
    /// End of the last record met that follows from the file's start without a gap.
    pub good_end: u64,
    /// What follows there.
    pub tail: Tail,
}

/// A sparse map of the commit log, made by walking it from the start of each file: positions of records some
/// 256 KiB apart, and where the records end. A record is found by walking from the anchor before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordMap {
    segments: BTreeMap<i64, SegmentMap>,
    end: Option<i64>,
}

impl RecordMap {
    /// Notes a record of the file that begins at `from`.
    pub(super) fn note(&mut self, from: i64, position: u64, len: u64) {
        let segment = self.segments.entry(from).or_default();
        if segment.anchors.last().is_none_or(|last| position >= last + ANCHOR_EVERY) {
            segment.anchors.push(position);
        }
        segment.good_end = position + len;
    }

    /// Notes how the records of a file end.
    pub(super) fn note_tail(&mut self, from: i64, tail: Tail) {
        self.segments.entry(from).or_default().tail = tail;
    }

    /// Notes that the whole log was walked and ends at `end`.
    pub(super) fn note_end(&mut self, end: i64) {
        self.end = Some(end);
    }

    /// The end of the log: behind the last record or blank of the last file that holds one. `None` until the walk is
    /// done.
    pub fn end(&self) -> Option<i64> {
        self.end
    }

    /// What is known of the file that begins at `from`.
    pub fn segment(&self, from: i64) -> Option<&SegmentMap> {
        self.segments.get(&from)
    }

    /// The last anchor at or before `position` of the file, if that place is in the part already walked.
    pub fn anchor(&self, from: i64, position: u64) -> Option<u64> {
        let segment = self.segments.get(&from).filter(|segment| position < segment.good_end)?;
        let at = segment.anchors.partition_point(|anchor| *anchor <= position).checked_sub(1)?;
        segment.anchors.get(at).copied()
    }
}
