//! Index files with their entries and chains.

use std::io::Write;

use anyhow::Result;
use rocketscope_engine::message::java;
use rocketscope_engine::store::inspect::{IndexKey, IndexPath, IndexReader, LogReader, Look};

use super::Inspected;
use super::lists::rest;
use crate::output::{DIM, NAME, Out, TITLE, WARN, one_line, time};
use crate::table::Align::{Left, Right};
use crate::table::{Cell, Table};

/// Bytes of the log read at a time.
const CHUNK: u64 = 64 * 1024;
/// Entries read at a time.
const PIECE: u64 = 4096;

/// Every index file.
pub(super) fn write(inspected: &Inspected<'_>, out: &mut Out) -> Result<()> {
    for path in &inspected.store.files.index {
        let reader = IndexReader::new(inspected.disk, path, &inspected.store.layout);
        let header = reader.header()?;
        writeln!(out, "\n{TITLE}Index {}{TITLE:#}", path.name)?;
        writeln!(
            out,
            "  {DIM}stored {} to {}, offsets {} to {}, {} slots in use, next entry {}{DIM:#}",
            time(header.begin_timestamp),
            time(header.end_timestamp),
            header.begin_phy_offset,
            header.end_phy_offset,
            header.hash_slot_count,
            header.index_count
        )?;
        let end = u64::try_from(reader.entry_end(&header)).unwrap_or(1);
        let shown = end.saturating_sub(1).min(inspected.limit);
        if shown > 0 {
            entries(inspected, path, &reader, header.begin_timestamp, shown, out)?;
        }
        rest(out, end.saturating_sub(1) - shown, "entry", "entries")?;
    }
    Ok(())
}

/// Entries in order of number. An entry names the one before it in its slot, so that column is the chain.
fn entries(
    inspected: &Inspected<'_>,
    path: &IndexPath,
    reader: &IndexReader<'_, rocketscope_engine::disk::native::ReadOnlyDir>,
    begin: i64,
    shown: u64,
    out: &mut Out,
) -> Result<()> {
    let mut log = LogReader::new(inspected.disk, &inspected.store.files.commit_log, CHUNK);
    let mut table = Table::new(&[
        ("ENTRY", Right),
        ("SLOT", Right),
        ("BEFORE IT", Right),
        ("HASH", Right),
        ("OFFSET", Right),
        ("TIME (UTC)", Left),
        ("KEY", Left),
    ]);
    let mut number: i32 = 1;
    let mut left = shown;
    while left > 0 {
        let piece = reader.entries(number, i32::try_from(left.min(PIECE)).unwrap_or(i32::MAX))?;
        anyhow::ensure!(!piece.is_empty(), "{}: entry {number} cannot be read", path.path);
        left -= piece.len() as u64;
        for entry in piece {
            let key = match key_of(&mut log, entry.phy_offset, entry.key_hash)? {
                Some(key) => Cell::styled(one_line(&key), NAME),
                None => Cell::styled("not in the log", WARN),
            };
            let before = if entry.prev_index == 0 { "-".to_owned() } else { entry.prev_index.to_string() };
            let cells = vec![
                number.into(),
                reader.slot_of(entry.key_hash).into(),
                before.into(),
                entry.key_hash.into(),
                entry.phy_offset.into(),
                time(begin.saturating_add(i64::from(entry.time_diff).saturating_mul(1000))).into(),
                key,
            ];
            table.row(out, cells)?;
            number = number.saturating_add(1);
        }
    }
    table.finish(out)?;
    Ok(())
}

/// The key of this hash that the record at an offset has, as `topic#key`.
fn key_of(
    log: &mut LogReader<'_, rocketscope_engine::disk::native::ReadOnlyDir>,
    offset: i64,
    hash: i32,
) -> Result<Option<String>> {
    let Some((segment, position)) = log.locate(offset) else { return Ok(None) };
    let Look::Record(record) = log.look(segment, position)? else { return Ok(None) };
    let keys = record.keys().map(|keys| java::split(keys, " ")).unwrap_or_default();
    let mut keys = record.uniq_key().into_iter().chain(keys).map(|key| IndexKey::new(&record.topic, key));
    Ok(keys.find(|key| key.hash() == hash).map(IndexKey::text))
}
