//! The commit log as the recordings list it: record by record through each file; at the blank record, and at anything
//! that is no record, on to the next file.

use std::fmt::Write;
use std::net::IpAddr;

use rocketscope_engine::message::delay::DelayLevels;
use rocketscope_engine::message::record::{self, Checked};
use rocketscope_engine::store::StoreConfig;
use serde_json::json;
use sha1::{Digest, Sha1};

use super::archive::Tree;
use super::dump::file_name;
use super::expected::{Dispatch, LogEntry, LogFile, Record};

/// Every entry of `files`, each read up to its wrote position.
pub fn log_entries(files: &[LogFile], tree: &Tree, config: &StoreConfig) -> Vec<LogEntry> {
    let levels = DelayLevels::parse(&config.message_delay_level).unwrap_or_default();
    let mut entries = Vec::new();
    for file in files {
        let path = format!("commitlog/{}", file_name(file.file_from_offset));
        let wrote = usize::try_from(file.wrote_position).unwrap_or_default();
        let bytes = tree.get(&path).and_then(|bytes| bytes.get(..wrote)).unwrap_or_default();
        let mut at = 0;
        while at < bytes.len() {
            let entry = entry_at(&bytes[at..], file.file_from_offset + at as i64, &levels);
            let size = match &entry {
                LogEntry::Record(record) => record.total_size,
                LogEntry::Blank { .. } | LogEntry::Bad(_) => 0,
            };
            entries.push(entry);
            match usize::try_from(size) {
                Ok(size) if size > 0 => at += size,
                _ => break,
            }
        }
    }
    entries
}

fn entry_at(bytes: &[u8], phy_offset: i64, levels: &DelayLevels) -> LogEntry {
    match record::check(bytes, true, true, levels) {
        Checked::Blank { remaining } => LogEntry::Blank { phy_offset, blank: true, total_size: remaining.into() },
        Checked::Bad { error, .. } => LogEntry::Bad(json!({"phyOffset": phy_offset, "bad": error.to_string()})),
        Checked::Good(dispatch) => match record::decode(bytes) {
            Ok(record) => LogEntry::Record(Box::new(dispatched(&record, &dispatch, phy_offset))),
            Err(error) => LogEntry::Bad(json!({"phyOffset": phy_offset, "bad": error.to_string()})),
        },
    }
}

fn dispatched(record: &record::Record<'_>, dispatch: &record::Dispatch<'_>, phy_offset: i64) -> Record {
    // The recordings took keys from a map that 4.9.8 fills only when there are properties, and "" otherwise.
    let keys = if dispatch.properties_text.is_empty() { Some("") } else { dispatch.keys() };
    Record {
        dispatch: Some(Dispatch {
            success: true,
            msg_size: dispatch.size,
            tags_code: dispatch.tags_code,
            keys: keys.map(str::to_owned),
            uniq_key: dispatch.uniq_key().map(str::to_owned),
            consume_queue_offset: dispatch.queue_offset,
        }),
        ..record_of(record, phy_offset)
    }
}

/// A record in the recordings' words, without what dispatch makes of it.
pub fn record_of(record: &record::Record<'_>, phy_offset: i64) -> Record {
    Record {
        phy_offset,
        total_size: record.total_size,
        magic: format!("0x{:08x}", record.magic.cast_unsigned()),
        body_crc: record.body_crc,
        queue_id: record.queue_id,
        flag: record.flag,
        queue_offset: record.queue_offset,
        physical_offset_field: record.physical_offset,
        sys_flag: record.sys_flag,
        born_timestamp: record.born_timestamp,
        born_host: java_address(record.born_host.ip),
        born_port: record.born_host.port,
        store_timestamp: record.store_timestamp,
        store_host: java_address(record.store_host.ip),
        store_port: record.store_host.port,
        reconsume_times: record.reconsume_times,
        prepared_transaction_offset: record.prepared_transaction_offset,
        body_len: record.body.len() as i32,
        body_sha1: (!record.body.is_empty()).then(|| hex(&Sha1::digest(record.body))),
        topic: record.topic.to_string(),
        properties_string: record.properties_text.to_string(),
        msg_id: record.offset_msg_id().to_string(),
        dispatch: None,
    }
}

/// `InetAddress.getHostAddress`: an IPv6 address as eight groups, none left out.
fn java_address(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => ip.segments().map(|group| format!("{group:x}")).join(":"),
    }
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
