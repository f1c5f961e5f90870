//! The JSON form. It is written while the store is read, so its size is no matter.
//!
//! Keys and their order are stable: `commitLog`, `consumeQueues`, `indexFiles`, `checkpoint`, `abort`, `problems`.

use std::io::Write;
use std::ops::ControlFlow;

use anyhow::Result;
use rocketscope_engine::store::inspect::{IndexReader, QueueReader, each_record, read_checkpoint};
use rocketscope_engine::view::store::RecordRow;
use serde::Serialize;

use super::Inspected;
use crate::output::Out;

/// Units or entries read at a time.
const PIECE: u16 = 8192;

/// Writes the whole store.
pub(super) fn write(inspected: &Inspected<'_>, out: &mut Out) -> Result<()> {
    commit_log(inspected, out)?;
    consume_queues(inspected, out)?;
    index_files(inspected, out)?;
    let times = match &inspected.store.files.checkpoint {
        Some(file) => read_checkpoint(inspected.disk, file)?,
        None => None,
    };
    let checkpoint = times.map_or_else(
        || String::from("null"),
        |times| {
            format!(
                "{{\"physicMsgTimestamp\":{},\"logicsMsgTimestamp\":{},\"indexMsgTimestamp\":{}}}",
                times.physic, times.logics, times.index
            )
        },
    );
    write!(out, ",\n\"checkpoint\":{checkpoint},\n\"abort\":{}", inspected.store.files.abort)?;
    let mut list = List::begin(out, ",\n\"problems\":")?;
    for problem in inspected.scan()?.problems() {
        let (file, kind, message) = (json(&problem.file)?, json(&problem.kind)?, json(&problem.message)?);
        let offset = problem.offset;
        list.item(out, &format!("{{\"file\":{file},\"offset\":{offset},\"kind\":{kind},\"message\":{message}}}"))?;
    }
    list.end(out)?;
    writeln!(out, "}}")?;
    Ok(())
}

fn commit_log(inspected: &Inspected<'_>, out: &mut Out) -> Result<()> {
    let segments = &inspected.store.files.commit_log;
    let min = segments.first().map_or(-1, |file| file.from);
    let max = inspected.scan()?.map().end().unwrap_or(0);
    let mut list =
        List::begin(out, &format!("{{\"commitLog\":{{\"minOffset\":{min},\"maxOffset\":{max},\"records\":"))?;
    let ended = each_record(inspected.disk, segments, |offset, record| {
        let written = json(&RecordRow::of(record, offset)).and_then(|row| list.item(out, &row));
        written.map_or_else(ControlFlow::Break, ControlFlow::Continue)
    })?;
    if let ControlFlow::Break(error) = ended {
        return Err(error);
    }
    list.end(out)?;
    write!(out, "}}")?;
    Ok(())
}

fn consume_queues(inspected: &Inspected<'_>, out: &mut Out) -> Result<()> {
    let log_min = inspected.store.files.commit_log.first().map_or(0, |file| file.from);
    let mut queues = List::begin(out, ",\n\"consumeQueues\":")?;
    for ((topic, queue_id), segments) in &inspected.store.files.queues {
        let queue = QueueReader::new(inspected.disk, segments);
        let max = match inspected.scan()?.queue_end(topic, *queue_id) {
            Some(end) => end,
            None => queue.max_offset()?,
        };
        let min = queue.min_offset(log_min, max)?;
        queues.next(out)?;
        let topic = json(topic)?;
        let head = format!("{{\"topic\":{topic},\"queueId\":{queue_id},\"minOffset\":{min},\"maxOffset\":{max}");
        let mut units = List::begin(out, &format!("{head},\"units\":"))?;
        let mut next = queue.first_offset();
        while next < max {
            next = queue.next_held(next);
            let piece = queue.units(next, PIECE.into())?;
            let Some(last) = piece.last() else { break };
            next = last.queue_offset.saturating_add(1);
            for placed in piece.iter().filter(|placed| placed.queue_offset < max) {
                let unit = placed.unit;
                let row = (placed.queue_offset, unit.physical_offset, unit.size, unit.tags_code);
                units.item(out, &json(&row)?)?;
            }
        }
        units.end(out)?;
        write!(out, "}}")?;
    }
    queues.end(out)
}

fn index_files(inspected: &Inspected<'_>, out: &mut Out) -> Result<()> {
    let mut files = List::begin(out, ",\n\"indexFiles\":")?;
    for path in &inspected.store.files.index {
        let reader = IndexReader::new(inspected.disk, path, &inspected.store.layout);
        let header = reader.header()?;
        files.next(out)?;
        write!(
            out,
            "{{\"name\":{},\"beginTimestamp\":{},\"endTimestamp\":{},\"beginPhyOffset\":{},\"endPhyOffset\":{},\
             \"hashSlotCount\":{},\"indexCount\":{}",
            json(&path.name)?,
            header.begin_timestamp,
            header.end_timestamp,
            header.begin_phy_offset,
            header.end_phy_offset,
            header.hash_slot_count,
            header.index_count
        )?;
        let mut entries = List::begin(out, ",\"entries\":")?;
        let end = reader.entry_end(&header);
        let mut next = 1;
        while next < end {
            let piece = reader.entries(next, (end - next).min(PIECE.into()))?;
            if piece.is_empty() {
                break;
            }
            for entry in piece {
                let row = (next, entry.key_hash, entry.phy_offset, entry.time_diff, entry.prev_index);
                entries.item(out, &json(&row)?)?;
                next += 1;
            }
        }
        entries.end(out)?;
        write!(out, "}}")?;
    }
    files.end(out)
}

fn json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}

/// A JSON array, one item a line.
struct List {
    begun: bool,
}

impl List {
    fn begin(out: &mut Out, before: &str) -> Result<Self> {
        write!(out, "{before}[")?;
        Ok(Self { begun: false })
    }

    /// What stands between two items.
    fn next(&mut self, out: &mut Out) -> Result<()> {
        out.write_all(if self.begun { b",\n" } else { b"\n" })?;
        self.begun = true;
        Ok(())
    }

    fn item(&mut self, out: &mut Out, item: &str) -> Result<()> {
        self.next(out)?;
        out.write_all(item.as_bytes())?;
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "a list ends once")]
    fn end(self, out: &mut Out) -> Result<()> {
        out.write_all(b"]")?;
        Ok(())
    }
}
