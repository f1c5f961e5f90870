//! The records of all logs, by what tells a message: its `UNIQ_KEY`, and the place of its record.

use std::{borrow::Borrow, collections::BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    broker::Broker,
    disk::MemoryDisk,
    message::{
        Host, OffsetMsgId,
        delay::SCHEDULE_TOPIC,
        property,
        record::{self, Cause},
        transaction::{HALF_TOPIC, OP_TOPIC},
    },
    sim::{LogFound, NodeActor, World},
    store::{BrokerRole, StillEnv, Store},
};

/// A record of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCopy {
    /// The broker's node.
    pub broker: String,
    /// Whether that is a slave, whose records are copies of its master's.
    pub slave: bool,
    /// The topic that it is stored under.
    pub topic: String,
    /// The topic that it is for: of a delayed or half message the one that it waits to go to.
    pub for_topic: String,
    /// The queue.
    pub queue_id: i32,
    /// Its queue offset.
    pub queue_offset: i64,
    /// Where the record starts, bytes.
    pub physical_offset: i64,
    /// How far it is.
    pub state: CopyState,
}

/// How far a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CopyState {
    /// A consumer of its topic can read it.
    Visible,
    /// It waits for its time, or for the end of its transaction.
    Waiting,
    /// What it waited for has come.
    Over,
    /// It is in the log, and its queue has no unit for it.
    NotDispatched,
}

/// A record, with what the verdicts ask of it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) copy: StoredCopy,
    pub(super) broker_name: String,
    pub(super) tags: Option<String>,
    pub(super) keys: Option<String>,
    /// Its properties text; kept only where a group has an expression over them.
    pub(super) properties: Option<String>,
    host: Host,
    /// When it was made, milliseconds, and the checksum of its body: what its copies share when they share no key.
    birth: (i64, i32),
}

/// A log that was read.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) node: String,
    pub(super) broker_name: String,
    pub(super) slave: bool,
    /// Whether the broker runs.
    pub(super) up: bool,
    /// Where it begins and ends, if it can be loaded.
    pub(super) found: Option<LogFound>,
    /// How far it is dispatched.
    pub(super) dispatched: i64,
}

/// Places among the records, by what is asked for.
#[derive(Debug)]
struct Index<K>(Vec<(K, usize)>);

impl<K> Default for Index<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord> Index<K> {
    /// Adds a place. [`Index::order`] is to follow.
    fn add(&mut self, key: K, place: usize) {
        self.0.push((key, place));
    }

    /// Puts the keys in order, the places of each as they were added.
    fn order(&mut self) {
        self.0.sort_by(|(one, _), (other, _)| one.cmp(other));
    }

    /// The places of a key.
    fn get<Q: Ord + ?Sized>(&self, key: &Q) -> &[(K, usize)]
    where
        K: Borrow<Q>,
    {
        let first = self.0.partition_point(|(known, _)| known.borrow() < key);
        let rest = self.0.get(first..).unwrap_or_default();
        rest.get(..rest.partition_point(|(known, _)| known.borrow() == key)).unwrap_or_default()
    }
}

/// All logs.
#[derive(Debug, Default)]
pub(super) struct Logs {
    pub(super) all: Vec<Log>,
    records: Vec<Found>,
    by_key: Index<String>,
    by_place: Index<i64>,
    by_birth: Index<(i64, i32)>,
    /// Whether a message without a `UNIQ_KEY` was given back, so that a broker's id is among the keys.
    has_ids: bool,
}

impl Logs {
    /// Reads the log of every broker. One that is down is read as a start would make it.
    pub(super) fn read(world: &World) -> Self {
        let with_properties = super::deliveries::filters_by_properties(world);
        let mut logs = Self::default();
        for node in world.nodes() {
            let NodeActor::Broker(broker) = node.actor else { continue };
            if let Some(store) = broker.store() {
                logs.read_one(node.name, broker, store, true, with_properties);
            } else if let Some(store) = started(broker, world.node_wall_ms(node.name).unwrap_or(0)) {
                logs.read_one(node.name, broker, &store, false, with_properties);
            } else {
                logs.all.push(Log::of(node.name, broker, None));
            }
        }
        logs.by_key.order();
        logs.by_place.order();
        logs.by_birth.order();
        logs
    }

    /// The brokers that do not run.
    pub(super) fn down(&self) -> Vec<String> {
        self.all.iter().filter(|log| !log.up).map(|log| log.node.clone()).collect()
    }

    /// The master of a broker name.
    pub(super) fn master(&self, broker_name: &str) -> Option<&Log> {
        self.all.iter().find(|log| log.broker_name == broker_name && !log.slave)
    }

    /// The records with this `UNIQ_KEY`, or of those without one that were given back with this id.
    pub(super) fn with_key(&self, key: &str) -> Vec<&Found> {
        self.among(self.by_key.get(key))
    }

    /// The record at a place, if it can be the one that was stored in that queue of that topic: a crash may have put
    /// another one there. With it, what became of one that waits there, and its copies that were given back.
    pub(super) fn at(&self, place: &OffsetMsgId, topic: &str, queue_offset: Option<i64>) -> Vec<&Found> {
        let fits = |found: &&Found| {
            let waits = [SCHEDULE_TOPIC, HALF_TOPIC].contains(&found.copy.topic.as_str());
            let offset = queue_offset.is_none_or(|queue_offset| queue_offset == found.copy.queue_offset);
            found.host == place.host && (found.copy.topic == topic || waits) && offset
        };
        let mut found: Vec<&Found> = self.among(self.by_place.get(&place.physical_offset));
        found.retain(fits);
        for waits in found.clone() {
            let same = self.among(self.by_birth.get(&waits.birth)).into_iter();
            found.extend(same.filter(|found| found.host == waits.host && waits.goes_on_as(found)));
        }
        if self.has_ids {
            let ids: BTreeSet<String> = found.iter().map(|found| found.id()).collect();
            found.extend(ids.iter().flat_map(|id| self.with_key(id)));
        }
        found
    }

    fn among<K>(&self, places: &[(K, usize)]) -> Vec<&Found> {
        places.iter().filter_map(|(_, place)| self.records.get(*place)).collect()
    }

    fn read_one(&mut self, node: &str, broker: &Broker, store: &Store<MemoryDisk>, up: bool, with_properties: bool) {
        let log = Log { up, ..Log::of(node, broker, Some(store)) };
        let first = self.records.len();
        // Queue offsets of half messages that are decided.
        let mut decided = BTreeSet::new();
        let (mut at, end) = log.found.map_or((0, 0), |found| (found.begin, found.end));
        while at < end {
            let bytes = store.select_one_message(at);
            let record = match bytes.as_deref().map(record::decode_unchecked) {
                Some(Ok(record)) => record,
                Some(Err(error)) if error.cause == Cause::Blank => {
                    at = next_file(store, at);
                    continue;
                }
                Some(Err(_)) | None => {
                    at = next_unit(store, at);
                    continue;
                }
            };
            if record.topic == OP_TOPIC {
                decided.extend(std::str::from_utf8(record.body).ok().and_then(|body| body.parse::<i64>().ok()));
            }
            self.add(&log, store, &record, at, with_properties);
            at = at.saturating_add(i64::from(record.total_size).max(1));
        }
        for found in self.records.iter_mut().skip(first) {
            let half = found.copy.topic == HALF_TOPIC && found.copy.state == CopyState::Waiting;
            if half && decided.contains(&found.copy.queue_offset) {
                found.copy.state = CopyState::Over;
            }
        }
        self.all.push(log);
    }

    fn add(
        &mut self,
        log: &Log,
        store: &Store<MemoryDisk>,
        record: &record::Record<'_>,
        at: i64,
        with_properties: bool,
    ) {
        let unit = store.unit(&record.topic, record.queue_id, record.queue_offset);
        let delayed = record.topic == SCHEDULE_TOPIC;
        let waits = delayed || record.topic == HALF_TOPIC;
        let progress = || store.delay_offsets().get(&record.queue_id.saturating_add(1)).copied().unwrap_or(0);
        let points_here = unit.is_some_and(|unit| unit.physical_offset == at && unit.size == record.total_size);
        let state = if !points_here {
            CopyState::NotDispatched
        } else if !waits {
            CopyState::Visible
        } else if delayed && progress() > record.queue_offset {
            CopyState::Over
        } else {
            CopyState::Waiting
        };
        let for_topic = record.property(property::REAL_TOPIC).filter(|_| waits).unwrap_or(&record.topic);
        let place = self.records.len();
        let birth = (record.born_timestamp, record.body_crc);
        let mut key = record.uniq_key();
        if key.is_none() {
            self.by_birth.add(birth, place);
            key = record.property(property::ORIGIN_MESSAGE_ID);
            self.has_ids |= key.is_some();
        }
        if let Some(key) = key {
            self.by_key.add(key.to_owned(), place);
        }
        self.by_place.add(at, place);
        self.records.push(Found {
            copy: StoredCopy {
                broker: log.node.clone(),
                slave: log.slave,
                topic: record.topic.to_string(),
                for_topic: for_topic.to_owned(),
                queue_id: record.queue_id,
                queue_offset: record.queue_offset,
                physical_offset: at,
                state,
            },
            broker_name: log.broker_name.clone(),
            tags: record.tags().map(str::to_owned),
            keys: record.keys().map(str::to_owned),
            properties: with_properties.then(|| record.properties_text.to_string()),
            host: record.store_host,
            birth,
        });
    }
}

impl Found {
    /// The broker's id of it.
    pub(super) fn id(&self) -> String {
        OffsetMsgId { host: self.host, physical_offset: self.copy.physical_offset }.to_string()
    }

    /// Whether it waits, and the other is the record in the same log that it was delivered or committed as.
    fn goes_on_as(&self, other: &Self) -> bool {
        let (one, other) = (&self.copy, &other.copy);
        let behind = other.broker == one.broker && other.physical_offset > one.physical_offset;
        behind && one.topic != one.for_topic && other.topic == one.for_topic
    }
}

/// Where the next file of the log begins.
fn next_file(store: &Store<MemoryDisk>, at: i64) -> i64 {
    let size = i64::from(store.config().mapped_file_size_commit_log).max(1);
    at.div_euclid(size).saturating_add(1).saturating_mul(size)
}

/// Where the next record begins behind bytes that are none: readers find it by its unit. Without one, the next file.
fn next_unit(store: &Store<MemoryDisk>, at: i64) -> i64 {
    let end = next_file(store, at);
    let units = store.queues().flat_map(|(topic, queue_id, queue)| {
        let offsets = queue.min_offset_in_queue()..queue.max_offset_in_queue();
        offsets.filter_map(move |offset| store.unit(topic, queue_id, offset))
    });
    let places = units.map(|unit| unit.physical_offset).filter(|place| (at.saturating_add(1)..end).contains(place));
    places.min().unwrap_or(end)
}

impl Log {
    fn of(node: &str, broker: &Broker, store: Option<&Store<MemoryDisk>>) -> Self {
        Self {
            node: node.to_owned(),
            broker_name: broker.config().broker_name.clone(),
            slave: broker.store_config().broker_role == BrokerRole::Slave,
            up: false,
            found: store.map(LogFound::of),
            dispatched: store.map_or(0, Store::reput_from_offset),
        }
    }
}

/// The store of a broker that is down, as a start would make it; `None` if it would not start.
fn started(broker: &Broker, now_ms: i64) -> Option<Store<MemoryDisk>> {
    let mut env = StillEnv(now_ms);
    let mut store = Store::load(broker.disk().clone(), broker.store_config().clone(), &mut env).ok()?;
    store.start(&mut env).ok()?;
    Some(store)
}
