//! What lies where a unit points, told by a few bytes.

use serde::{Deserialize, Serialize};

use super::files::{Segment, locate, read_clipped};
use super::find::{HolderKind, holder};
use super::log::LogReader;
use super::queue::PlacedUnit;
use super::record_map::RecordMap;
use super::resync;
use crate::disk::{DiskError, ReadAt};
use crate::message::record::{QUEUE_OFFSET_POSITION, SYS_FLAG_POSITION, store_timestamp_position};
use crate::message::sys_flag;

/// What lies where a unit points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UnitTarget {
    /// A record of this size, topic, queue and queue offset.
    Ok,
    /// A record of this size, topic and queue, but its QUEUEOFFSET is another.
    OtherQueueOffset,
    /// A record, but of another size, topic or queue.
    OtherRecord,
    /// The middle of a record.
    InsideRecord,
    /// Inside the log's files, but no record begins there.
    NoRecord,
    /// Before the log's first file: the record was cleaned away.
    BelowMin,
    /// Behind the end of the log.
    BeyondEnd,
    /// Nowhere: a pre-blank unit (offset 0, size 0x7FFFFFFF).
    PreBlank,
    /// Nowhere: the unit is not valid (an unwritten one is all zeros).
    Unwritten,
    /// A file that is missing in the middle of the log.
    MissingFile,
}

/// Bytes of the log read at a time.
const CHUNK: u64 = 4096;

/// What lies where the unit of this queue points. The record's fields are compared, its body is not read. Without a
/// finished map the end of the log is not known: then zeros count as behind it.
pub fn unit_target<D: ReadAt + ?Sized>(
    disk: &D,
    log: &[Segment],
    map: &RecordMap,
    queue: (&str, i32),
    placed: &PlacedUnit,
) -> Result<UnitTarget, DiskError> {
    let offset = placed.unit.physical_offset;
    if placed.is_filler() {
        return Ok(UnitTarget::PreBlank);
    }
    if !placed.unit.is_valid() {
        return Ok(UnitTarget::Unwritten);
    }
    if log.first().is_some_and(|first| offset < first.from) {
        return Ok(UnitTarget::BelowMin);
    }
    let log_end = map.end().unwrap_or_else(|| log.last().map_or(0, Segment::end));
    if offset >= log_end {
        return Ok(UnitTarget::BeyondEnd);
    }
    let Some((segment, position)) = locate(log, offset) else { return Ok(UnitTarget::MissingFile) };
    let Some(file) = log.get(segment) else { return Ok(UnitTarget::MissingFile) };
    let head = read_clipped(disk, file.file, file.len, position, HEAD)?;
    if resync::vouches(&head, offset) {
        let topic = topic_at(disk, file, position, &head)?;
        return Ok(compare(&head, topic.as_deref(), queue, placed));
    }
    if head.iter().take(8).all(|byte| *byte == 0) {
        return Ok(UnitTarget::BeyondEnd);
    }
    let mut reader = LogReader::new(disk, log, CHUNK);
    let holder = holder(&mut reader, map, segment, position)?;
    let inside = holder.is_some_and(|holder| holder.kind == HolderKind::Record && holder.position < position);
    Ok(if inside { UnitTarget::InsideRecord } else { UnitTarget::NoRecord })
}

/// Bytes up to the body's length, both hosts IPv6.
const HEAD: u64 = 112;

fn int(bytes: &[u8], at: usize) -> Option<i32> {
    bytes.get(at..)?.first_chunk().map(|value| i32::from_be_bytes(*value))
}

fn compare(head: &[u8], topic: Option<&[u8]>, queue: (&str, i32), placed: &PlacedUnit) -> UnitTarget {
    let queue_offset = head.get(QUEUE_OFFSET_POSITION..).and_then(|bytes| bytes.first_chunk());
    if int(head, 0) != Some(placed.unit.size) || int(head, 12) != Some(queue.1) || topic != Some(queue.0.as_bytes()) {
        UnitTarget::OtherRecord
    } else if queue_offset.map(|value| i64::from_be_bytes(*value)) != Some(placed.queue_offset) {
        UnitTarget::OtherQueueOffset
    } else {
        UnitTarget::Ok
    }
}

/// The topic's bytes, which stand behind the body.
fn topic_at<D: ReadAt + ?Sized>(
    disk: &D,
    file: &Segment,
    position: u64,
    head: &[u8],
) -> Result<Option<Vec<u8>>, DiskError> {
    let Some(flag) = int(head, SYS_FLAG_POSITION) else { return Ok(None) };
    // Store timestamp, store host, reconsume times and transaction offset lie before the body's length.
    let body_length = store_timestamp_position(flag) + 8 + sys_flag::store_host_len(flag) + 4 + 8;
    let Some(body) = int(head, body_length).and_then(|length| u64::try_from(length).ok()) else { return Ok(None) };
    let topic = position + body_length as u64 + 4 + body;
    let bytes = read_clipped(disk, file.file, file.len, topic, 1 + 127)?;
    let Some((len, rest)) = bytes.split_first() else { return Ok(None) };
    Ok(rest.get(..usize::from(*len)).map(<[u8]>::to_vec))
}
