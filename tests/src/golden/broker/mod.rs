//! The case of a whole broker: the requests that real clients sent, fed into a broker of ours at the recorded times, and
//! its services driven when the real ones did what the log shows.
//!
//! The log says in which order things happened: each record has an offset and the time of its append. What the recorded
//! requests brought about is found by that ([`timeline`]), and what is left was the work of a service. The records of
//! transactions are left out, so what follows them stands nearer to the log's beginning than it was recorded; everything
//! else of each record is the same, byte for byte.

mod rig;
mod timeline;
mod wire;

use std::fmt::Write as _;

use rocketscope_engine::message::record::{self, FieldName};
use rocketscope_engine::store::StoreConfig;
use serde_json::Value;

use self::rig::Rig;
use self::timeline::{Cause, Recorded, timeline};
use super::archive::{Case, Tree};
use super::diff::Report;
use super::dump::tree;

/// The file of the recorded requests.
pub const WIRE: &str = "wire.json";

/// The log's first file.
const LOG: &str = "commitlog/00000000000000000000";

/// The configuration of the recorded broker's store.
pub(super) fn store_config(case: &Case) -> Result<StoreConfig, String> {
    rig::store_config(case)
}

/// Everything that the recorded requests ask for, record by record, then the stop: every answer, every record, and what
/// the configuration files say.
pub fn replay(case: &Case) -> Result<(), String> {
    let mut report = Report::default();
    let exchanges = wire::exchanges(case)?;
    let expected = case.directory("store").ok_or("store: missing")?;
    let records = timeline(&expected, &exchanges)?;
    let first_ms = records.first().map_or(0, |record| record.store_timestamp);
    let last_ms = records.last().map_or(0, |record| record.store_timestamp);
    let mut rig = Rig::start(case, first_ms - 20_000)?;
    for exchange in exchanges.iter().filter(|exchange| exchange.comes_first()) {
        rig.exchange(exchange, first_ms - 1_000, &mut report)?;
    }
    for recorded in &records {
        rig.caller_of(recorded);
        rig.expect(recorded);
        match &recorded.cause {
            Some(Cause::Exchange(place)) => {
                let exchange = exchanges.get(*place).ok_or("an exchange that is not there")?;
                rig.exchange(exchange, recorded.store_timestamp, &mut report)?;
            }
            Some(Cause::Send(send)) => rig.oneway(send, recorded.store_timestamp),
            Some(Cause::Service(service)) => rig.drive(*service, recorded)?,
            Some(Cause::Transaction) | None => {}
        }
    }
    for exchange in exchanges.iter().filter(|exchange| exchange.comes_last()) {
        rig.exchange(exchange, last_ms, &mut report)?;
    }
    rig.commit_unrecorded(&expected)?;
    rig.heartbeat_unrecorded(last_ms + 1_000);
    rig.stop()?;
    let actual = tree(rig.disk());
    compare_logs(&mut report, &expected, &actual, &records, &rig);
    compare_configs(&mut report, &expected, &actual);
    report.finish()
}

/// Each record against the one that the recording has in its place.
fn compare_logs(report: &mut Report, expected: &Tree, actual: &Tree, records: &[Recorded], rig: &Rig) {
    let log = |tree: &Tree| tree.get(LOG).cloned().unwrap_or_default();
    let (expected, actual) = (log(expected), log(actual));
    for recorded in records.iter().filter(|recorded| !matches!(recorded.cause, Some(Cause::Transaction))) {
        let place = format!("{LOG}, {} at {}", recorded.topic, recorded.offset);
        let ours = rig.place_of(recorded.offset).and_then(|offset| bytes_at(&actual, offset, recorded.size));
        match (bytes_at(&expected, recorded.offset, recorded.size), ours) {
            (Some(recorded), Some(ours)) => report.compare(&place, &fields_of(recorded), &fields_of(ours)),
            _ => report.add(format!("{place}: missing")),
        }
    }
    let (left_out, left) = records.iter().fold((0, 0), |(out, left), recorded| match recorded.cause {
        Some(Cause::Transaction) => (out + recorded.size, left),
        _ => (out, left + recorded.size),
    });
    report.compare("the log's end", &i64::from(left), &rig.end());
    report.compare("the recorded log's end", &records.last().map_or(0, Recorded::end), &i64::from(left + left_out));
}

fn bytes_at(log: &[u8], offset: i64, size: i32) -> Option<&[u8]> {
    let (offset, size) = (usize::try_from(offset).ok()?, usize::try_from(size).ok()?);
    log.get(offset..offset.checked_add(size)?)
}

/// The fields of a record, each as its bytes in hexadecimal. Left out: where it stands, and the time of birth of what the
/// broker makes of its own accord, since the real one had the lock a millisecond or two after it had made the object.
fn fields_of(bytes: &[u8]) -> Vec<(String, String)> {
    let own = record::decode(bytes).is_ok_and(|record| record.born_host == record.store_host);
    let fields = record::fields(bytes)
        .into_iter()
        .filter(|field| field.name != FieldName::PhysicalOffset && !(own && field.name == FieldName::BornTimestamp));
    let text = |start: u32, len: u32| {
        let bytes = bytes.get(start as usize..(start + len) as usize).unwrap_or_default();
        bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    };
    fields.map(|field| (format!("{:?}", field.name), text(field.start, field.len))).collect()
}

/// What the configuration files say, whatever the order of their entries and the moments of their versions. What only
/// transactions bring about is left out on both sides.
fn compare_configs(report: &mut Report, expected: &Tree, actual: &Tree) {
    for file in ["topics.json", "subscriptionGroup.json", "consumerOffset.json", "delayOffset.json"] {
        let path = format!("config/{file}");
        let content = |tree: &Tree| {
            let mut content = wire::config(&String::from_utf8_lossy(tree.get(&path).map_or(&[], Vec::as_slice)));
            without_transactions(&mut content);
            content
        };
        report.compare(&path, &content(expected), &content(actual));
    }
}

fn without_transactions(content: &mut Value) {
    if let Some(topics) = content.get_mut("topicConfigTable").and_then(Value::as_object_mut) {
        topics.retain(|topic, _| !topic.contains("TRANS"));
        // Two of the nine topics that made the version are those.
        content["dataVersion"] = Value::Null;
    }
    if let Some(offsets) = content.get_mut("offsetTable").and_then(Value::as_object_mut) {
        offsets.retain(|queue, _| !queue.contains("TRANS"));
    }
}
