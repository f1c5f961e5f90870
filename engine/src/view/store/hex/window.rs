//! The window of a file, and what the fields in it belong to.

use std::ops::Range;

use super::super::explorer::{Pictures, StoreViewError};
use super::spans::{blank_spans, index_entry_spans, index_header_spans, record_spans, row, unit_spans};
use super::{Field, HexOwner, HexSpan, HexWindow};
use crate::disk::{FileId, ReadAt};
use crate::store::ext_address_of;
use crate::store::inspect::{
    CHECKPOINT_USED, Fault, INDEX_ENTRY, INDEX_HEADER, INDEX_SLOT, IndexReader, LogReader, Look, QueueReader, Segments,
    UNIT, holder, next_start, read_checkpoint, read_clipped, unit_target,
};
use crate::view::store::{FileKind, UnitTarget};

/// Bytes in one window at most.
const LIMIT: u64 = 64 * 1024;
/// ConsumeQueueExt units have no numbers: they are found by walking from the start of the file, up to here.
const EXT_WALK: u64 = 4 * 1024 * 1024;

impl<D: ReadAt + ?Sized> Pictures<'_, D> {
    pub(in crate::view::store) fn hex(&self, path: &str, start: u64, len: u64) -> Result<HexWindow, StoreViewError> {
        let entry = self.files.entry(path);
        let (_, file, meta, kind) = entry.ok_or_else(|| StoreViewError::NoSuchFile { path: path.to_owned() })?;
        let start = start.min(meta.len);
        let bytes = read_clipped(self.disk, *file, meta.len, start, len.min(LIMIT))?;
        let end = start + bytes.len() as u64;
        let name = path.rsplit('/').next().unwrap_or_default();
        let numbered = matches!(kind, FileKind::CommitLog | FileKind::ConsumeQueue | FileKind::ConsumeQueueExt);
        let window = start..end;
        let mut spans = match kind {
            FileKind::CommitLog => self.log_spans(*file, &window)?,
            FileKind::ConsumeQueue => self.queue_spans(*file, &window)?,
            FileKind::ConsumeQueueExt => self.ext_spans(*file, meta.len, &window)?,
            FileKind::Index => self.index_spans(path, &window)?,
            FileKind::Checkpoint => self.checkpoint_spans()?,
            FileKind::Config | FileKind::Lock => row(0, &HexOwner::Text, [(Field::Text, meta.len, String::new())]),
            FileKind::Abort | FileKind::Other => Vec::new(),
        };
        spans.retain(|span| span.len > 0 && span.start < window.end && span.start + span.len > window.start);
        Ok(HexWindow {
            path: path.to_owned(),
            file: *kind,
            file_len: meta.len,
            file_from: name.parse().ok().filter(|_| numbered),
            start,
            bytes,
            spans,
        })
    }

    fn log_spans(&self, file: FileId, window: &Range<u64>) -> Result<Vec<HexSpan>, StoreViewError> {
        let mut spans = Vec::new();
        let mut log = LogReader::new(self.disk, &self.files.commit_log, LIMIT);
        let Some(segment) = log.segments().iter().position(|segment| segment.file == file) else { return Ok(spans) };
        let Some(from) = log.segments().get(segment).map(|segment| segment.from) else { return Ok(spans) };
        let Some(first) = holder(&mut log, self.map, segment, window.start)? else { return Ok(spans) };
        let mut position = first.position;
        // Behind bytes that are no record the next one is searched for inside the window only.
        let skip_to = |log: &mut LogReader<'_, D>, after: u64| {
            let after = after.max(window.start);
            next_start(log, segment, after, window.end.saturating_sub(after))
        };
        while position < window.end {
            let physical_offset = from.saturating_add_unsigned(position);
            match log.look(segment, position)? {
                Look::Record(record) => {
                    let size = record.total_size;
                    let len = u64::try_from(size).unwrap_or(0).max(1);
                    let owner = HexOwner::Record { physical_offset, size, good: true };
                    spans.extend(record_spans(log.bytes(segment, position, len)?, position, &owner));
                    position += len;
                }
                Look::Blank { remaining, .. } => {
                    spans.extend(blank_spans(position, physical_offset, remaining));
                    break;
                }
                Look::Bad(fault) => {
                    spans.extend(Self::bad_spans(&mut log, segment, position, physical_offset, &fault)?);
                    let Some(next) = skip_to(&mut log, position + 1)? else { break };
                    cut_at(&mut spans, next);
                    position = next;
                }
                Look::Unwritten => match skip_to(&mut log, position + 1)? {
                    Some(next) => position = next,
                    None => break,
                },
                Look::End => break,
            }
        }
        Ok(spans)
    }

    /// A damaged record shows its fields as far as they can be told; anything else is one span.
    fn bad_spans(
        log: &mut LogReader<'_, D>,
        segment: usize,
        position: u64,
        physical_offset: i64,
        fault: &Fault,
    ) -> Result<Vec<HexSpan>, StoreViewError> {
        let size = match fault {
            Fault::Magic(_) => {
                let owner = HexOwner::Damaged { physical_offset };
                return Ok(row(position, &owner, [(Field::Damaged, 8, fault.to_string())]));
            }
            Fault::Crc { .. } => i32::from_be_bytes(*log.bytes(segment, position, 4)?.first_chunk().unwrap_or(&[0; 4])),
            Fault::Size { size, .. } => *size,
        };
        let owner = HexOwner::Record { physical_offset, size, good: false };
        Ok(record_spans(log.bytes(segment, position, LIMIT)?, position, &owner))
    }

    fn queue_spans(&self, file: FileId, window: &Range<u64>) -> Result<Vec<HexSpan>, StoreViewError> {
        let of_file = |segments: &Segments| segments.iter().position(|segment| segment.file == file);
        let found = self.files.queues.iter().find_map(|(key, segments)| Some((key, segments, of_file(segments)?)));
        let Some(((topic, queue_id), segments, segment)) = found else { return Ok(Vec::new()) };
        let Some(from) = segments.get(segment).map(|segment| segment.from) else { return Ok(Vec::new()) };
        let unit = UNIT.unsigned_abs();
        let first = (from / UNIT).saturating_add_unsigned(window.start / unit);
        let count = (window.end - window.start) / unit + 2;
        let mut spans = Vec::new();
        for placed in QueueReader::new(self.disk, segments).units(first, count)? {
            let target = unit_target(self.disk, &self.files.commit_log, self.map, (topic, *queue_id), &placed)?;
            // Room that was never written has no fields yet.
            if target != UnitTarget::Unwritten || placed.unit.size != 0 || placed.unit.physical_offset != 0 {
                spans.extend(unit_spans(&placed, target));
            }
        }
        Ok(spans)
    }

    fn ext_spans(&self, file: FileId, len: u64, window: &Range<u64>) -> Result<Vec<HexSpan>, StoreViewError> {
        let mut spans = Vec::new();
        let all = self.files.queues_ext.values().flatten();
        let from = all.into_iter().find(|segment| segment.file == file).map_or(0, |segment| segment.from);
        let mut position = 0;
        while position < window.end.min(EXT_WALK) {
            let head = read_clipped(self.disk, file, len, position, 20)?;
            let short = |at: usize| head.get(at..)?.first_chunk().map(|value| i16::from_be_bytes(*value));
            let long = |at: usize| head.get(at..)?.first_chunk().map(|value| i64::from_be_bytes(*value));
            let (Some(size @ 20..), Some(tags), Some(time), Some(bits)) = (short(0), long(2), long(10), short(18))
            else {
                break;
            };
            let size = u64::from(size.unsigned_abs());
            let owner = HexOwner::ExtUnit { address: ext_address_of(from.saturating_add_unsigned(position)) };
            let fields = [
                (Field::ExtSize, 2, size.to_string()),
                (Field::TagsCode, 8, tags.to_string()),
                (Field::StoreTimestamp, 8, time.to_string()),
                (Field::BitMapSize, 2, bits.to_string()),
                (Field::BitMap, size - 20, format!("{} bytes", size - 20)),
            ];
            spans.extend(row(position, &owner, fields));
            position += size;
        }
        Ok(spans)
    }

    fn index_spans(&self, path: &str, window: &Range<u64>) -> Result<Vec<HexSpan>, StoreViewError> {
        let Some(file) = self.files.index.iter().find(|index| index.path == path) else { return Ok(Vec::new()) };
        let reader = IndexReader::new(self.disk, file, self.layout);
        let header = reader.header()?;
        let mut spans = if window.start < INDEX_HEADER { index_header_spans(&header) } else { Vec::new() };
        let entries = reader.entry_position(0);
        let number =
            |position: u64, base: u64, len: u64| i32::try_from(position.saturating_sub(base) / len).unwrap_or(i32::MAX);
        if window.start < entries && window.end > INDEX_HEADER {
            let first = number(window.start, INDEX_HEADER, INDEX_SLOT);
            let end = number(window.end.min(entries) + INDEX_SLOT - 1, INDEX_HEADER, INDEX_SLOT);
            let values = reader.slot_values(first, end.saturating_sub(first))?;
            for (slot, value) in (first..).zip(values).filter(|(_, value)| *value != 0) {
                let owner = HexOwner::IndexSlot { slot };
                spans.extend(row(reader.slot_position(slot), &owner, [(Field::SlotValue, 4, value.to_string())]));
            }
        }
        if window.end > entries {
            let first = number(window.start, entries, INDEX_ENTRY).max(1);
            let end = number(window.end + INDEX_ENTRY - 1, entries, INDEX_ENTRY).min(reader.entry_end(&header));
            for (index, entry) in (first..).zip(reader.entries(first, end.saturating_sub(first))?) {
                spans.extend(index_entry_spans(&reader, index, &entry));
            }
        }
        Ok(spans)
    }

    fn checkpoint_spans(&self) -> Result<Vec<HexSpan>, StoreViewError> {
        let Some(file) = &self.files.checkpoint else { return Ok(Vec::new()) };
        let Some(times) = read_checkpoint(self.disk, file)? else { return Ok(Vec::new()) };
        let len = CHECKPOINT_USED / 3;
        let fields = [
            (Field::PhysicMsgTimestamp, len, times.physic.to_string()),
            (Field::LogicsMsgTimestamp, len, times.logics.to_string()),
            (Field::IndexMsgTimestamp, len, times.index.to_string()),
        ];
        Ok(row(0, &HexOwner::Checkpoint, fields))
    }
}

/// Ends the spans before a place where something sound begins.
fn cut_at(spans: &mut Vec<HexSpan>, end: u64) {
    spans.retain(|span| span.start < end);
    if let Some(last) = spans.last_mut() {
        last.len = last.len.min(end - last.start);
    }
}
