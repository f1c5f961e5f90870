//! The records in the logs of the masters, read from their bytes.

use std::collections::{BTreeMap, BTreeSet};

use rocketscope_engine::broker::Broker;
use rocketscope_engine::disk::MemoryDisk;
use rocketscope_engine::message::transaction::OP_TOPIC;
use rocketscope_engine::message::{body, property, record};
use rocketscope_engine::sim::World;
use rocketscope_engine::store::Store;

/// A record.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) broker: String,
    pub(crate) at: i64,
    pub(crate) topic: String,
    pub(crate) key: Option<String>,
    pub(crate) body: String,
    pub(crate) store_ms: i64,
    pub(crate) queue_offset: i64,
    /// Of a half message that was put back since it may not be checked yet: the queue offset it had first.
    pub(crate) first_offset: Option<i64>,
    /// Whether the unit of its queue offset points to it.
    pub(crate) has_unit: bool,
}

/// What the masters have stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Logs {
    /// Records by `UNIQ_KEY`.
    pub(crate) by_id: BTreeMap<String, Vec<Found>>,
    /// Queue offsets of half messages that a broker knows to be decided.
    pub(crate) decided: BTreeSet<(String, i64)>,
}

impl Logs {
    pub(crate) fn read(world: &World, masters: &[String]) -> Self {
        let mut logs = Self::default();
        for name in masters {
            if let Some(store) = world.broker(name).and_then(Broker::store) {
                logs.read_one(name, store);
            }
        }
        logs
    }

    fn read_one(&mut self, name: &str, store: &Store<MemoryDisk>) {
        let file = i64::from(store.config().mapped_file_size_commit_log);
        let mut at = store.min_phy_offset().max(0);
        while at < store.max_phy_offset() {
            let bytes = store.select_one_message(at);
            let Some(record) = bytes.as_deref().and_then(|bytes| record::decode(bytes).ok()) else {
                at = (at / file + 1) * file;
                continue;
            };
            if let Some(id) = record.uniq_key() {
                let unit = store.unit(&record.topic, record.queue_id, record.queue_offset);
                let first = record.property(property::TRAN_PREPARED_QUEUE_OFFSET);
                let body = body::inflate(record.sys_flag, record.body).unwrap_or_default();
                self.by_id.entry(id.to_owned()).or_default().push(Found {
                    broker: name.to_owned(),
                    at,
                    topic: record.topic.to_string(),
                    key: record.keys().map(str::to_owned),
                    body: String::from_utf8_lossy(&body).into_owned(),
                    store_ms: record.store_timestamp,
                    queue_offset: record.queue_offset,
                    first_offset: first.and_then(|offset| offset.parse().ok()),
                    has_unit: unit.is_some_and(|unit| unit.physical_offset == at),
                });
            } else if record.topic == OP_TOPIC
                && let Ok(offset) = String::from_utf8_lossy(record.body).parse()
            {
                self.decided.insert((name.to_owned(), offset));
            }
            at += i64::from(record.total_size);
        }
    }
}

/// The `UNIQ_KEY` of the record at a place of a log.
pub(crate) fn id_at(store: &Store<MemoryDisk>, at: i64) -> Option<String> {
    let bytes = store.look_message_by_offset(at)?;
    record::decode(&bytes).ok()?.uniq_key().map(str::to_owned)
}
