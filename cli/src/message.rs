//! Messages, as they are answered.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rocketscope_engine::message::record::Record;
use rocketscope_engine::message::{body, property_segments};
use rocketscope_engine::view::store::RecordRow;
use serde::Serialize;

use crate::output::{DIM, NAME, TITLE, one_line, time};

/// A message in JSON: the record's fields as `inspect` has them, and the body.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageJson {
    #[serde(flatten)]
    record: RecordRow,
    /// The body as it is stored.
    body_base64: String,
    /// The body as its sender wrote it, where that is text.
    body_text: Option<String>,
}

impl MessageJson {
    /// The message of a record. Its offset is the one that it says itself, as for a client.
    pub(crate) fn of(record: &Record<'_>) -> Self {
        Self {
            record: RecordRow::of(record, record.physical_offset),
            body_base64: STANDARD.encode(record.body),
            body_text: body::inflate(record.sys_flag, record.body).ok().and_then(|body| String::from_utf8(body).ok()),
        }
    }
}

/// Characters of a body that are printed.
const BODY_SHOWN: usize = 2000;

/// Prints a message as a block of lines. `note` says something about it, if it is not empty.
pub(crate) fn print(out: &mut dyn Write, record: &Record<'_>, note: &str) -> io::Result<()> {
    let row = RecordRow::of(record, record.physical_offset);
    write!(out, "{TITLE}{}/{} @{}{TITLE:#}", row.topic, row.queue_id, row.queue_offset)?;
    writeln!(out, "  {DIM}{} bytes at physical offset {}{DIM:#} {note}", row.size, row.physical_offset)?;
    let mut line = |name: &str, value: &str| writeln!(out, "  {NAME}{name:<13}{NAME:#} {value}");
    line("msgId", &row.msg_id)?;
    line("stored", &format!("{} at {}", time(row.store_timestamp), row.store_host))?;
    line("born", &format!("{} at {}", time(row.born_timestamp), row.born_host))?;
    line("flag, sysFlag", &format!("{}, 0x{:X}", row.flag, row.sys_flag))?;
    if row.reconsume_times != 0 {
        line("reconsumed", &row.reconsume_times.to_string())?;
    }
    if row.prepared_transaction_offset != 0 {
        line("half message", &row.prepared_transaction_offset.to_string())?;
    }
    for (name, value) in property_segments(&row.properties_string) {
        line("property", &format!("{} = {}", one_line(name), one_line(value)))?;
    }
    line("body", &body_line(record))
}

fn body_line(record: &Record<'_>) -> String {
    let stored = record.body.len();
    let (plain, size) = match body::inflate(record.sys_flag, record.body) {
        Ok(plain) if plain.len() == stored => (plain, format!("{stored} bytes")),
        Ok(plain) => {
            let size = format!("{stored} bytes, {} inflated", plain.len());
            (plain, size)
        }
        Err(error) => (record.body.to_vec(), format!("{stored} bytes, {error}")),
    };
    if plain.is_empty() {
        return size;
    }
    match String::from_utf8(plain) {
        Ok(text) if !text.chars().any(|char| char.is_control() && !char.is_whitespace()) => {
            let shown: String = text.chars().take(BODY_SHOWN).collect();
            let cut = if shown.len() < text.len() { "…" } else { "" };
            format!("({size}) {}{cut}", shown.replace('\n', "\n                "))
        }
        other => {
            let bytes = other.map_or_else(std::string::FromUtf8Error::into_bytes, String::into_bytes);
            let shown: Vec<String> = bytes.iter().take(64).map(|byte| format!("{byte:02x}")).collect();
            let cut = if bytes.len() > 64 { " …" } else { "" };
            format!("({size}) {}{cut}", shown.join(" "))
        }
    }
}
