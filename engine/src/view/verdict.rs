//! What every send was told, against what is stored and what a consumer can see.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    broker::Broker,
    client::{Role, SendOutcome},
    disk::MemoryDisk,
    message::{Host, OffsetMsgId, delay::SCHEDULE_TOPIC, property, record, transaction::HALF_TOPIC},
    sim::{NodeActor, World},
    store::{StillEnv, Store},
};

/// The sends of a world, judged by the logs of its brokers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The sends, by producer and in the order of their ends.
    pub sends: Vec<SendVerdict>,
    /// Sends that were told `SEND_OK`.
    pub acknowledged: u32,
    /// Messages of those that no broker holds.
    pub missing: u32,
    /// Brokers that do not run. They are judged by what a start would find, dispatched.
    pub down: Vec<String>,
}

/// One send, or one message of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendVerdict {
    /// The producer's node.
    pub producer: String,
    /// The number of its answer, from 0, as in `result.N`.
    pub number: u32,
    /// The name that the script gave the message.
    pub name: Option<String>,
    /// The topic.
    pub topic: String,
    /// What the application was told: `SendStatus`, or the exception's short name.
    pub told: String,
    /// The id that it was told, or that it had chosen.
    pub msg_id: Option<String>,
    /// Where the message is stored.
    pub copies: Vec<StoredCopy>,
}

/// A record of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCopy {
    /// The broker's node.
    pub broker: String,
    /// The topic that it is stored under.
    pub topic: String,
    /// The queue.
    pub queue_id: i32,
    /// Its queue offset.
    pub queue_offset: i64,
    /// Where the record starts.
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
    /// It is in the log, and its queue has no unit for it.
    NotDispatched,
}

/// The records of one broker by what tells a message: its `UNIQ_KEY`, and the place of its record.
struct Records {
    by_key: BTreeMap<String, Vec<StoredCopy>>,
    by_place: BTreeMap<i64, (Host, StoredCopy)>,
}

/// Judges every send of every producer.
pub fn verdict(world: &World) -> Verdict {
    let mut logs = BTreeMap::new();
    let mut down = Vec::new();
    for node in world.nodes() {
        let NodeActor::Broker(broker) = node.actor else { continue };
        if let Some(store) = broker.store() {
            logs.insert(node.name, Records::of(node.name, store));
            continue;
        }
        down.push(node.name.to_owned());
        if let Some(store) = started(broker, world.node_wall_ms(node.name).unwrap_or(0)) {
            logs.insert(node.name, Records::of(node.name, &store));
        }
    }
    let mut sends = Vec::new();
    for node in world.nodes() {
        let NodeActor::Client(client) = node.actor else { continue };
        let bare = matches!(client.role(), Role::Bare { .. });
        for (number, sent) in client.sent().iter().enumerate() {
            let ids = if bare { &sent.offset_msg_id } else { &sent.msg_id };
            let ids: Vec<&str> = ids.iter().flat_map(|ids| ids.split(',')).collect();
            let copies = |id: Option<&str>| -> Vec<StoredCopy> {
                let Some(id) = id else { return Vec::new() };
                let place = id.parse::<OffsetMsgId>().ok().filter(|_| bare);
                logs.values()
                    .flat_map(|records| match place {
                        Some(place) => records.at(&place, sent),
                        None => records.by_key.get(id).cloned().unwrap_or_default(),
                    })
                    .collect()
            };
            // A batch was told one id for each of its messages.
            let messages = ids.len().max(1);
            sends.extend((0..messages).map(|at| SendVerdict {
                producer: node.name.to_owned(),
                number: u32::try_from(number).unwrap_or(u32::MAX),
                name: sent.name.clone(),
                topic: sent.topic.clone(),
                told: sent.status.clone(),
                msg_id: ids.get(at).map(|id| (*id).to_owned()),
                copies: copies(ids.get(at).copied()),
            }));
        }
    }
    let count = |wanted: &dyn Fn(&SendVerdict) -> bool| {
        u32::try_from(sends.iter().filter(|send| wanted(send)).count()).unwrap_or(u32::MAX)
    };
    let acknowledged = count(&|send| send.told == "SEND_OK");
    let missing = count(&|send| send.told == "SEND_OK" && send.msg_id.is_some() && send.copies.is_empty());
    Verdict { sends, acknowledged, missing, down }
}

/// The store of a broker that is down, as a start would make it; `None` if it would not start.
fn started(broker: &Broker, now_ms: i64) -> Option<Store<MemoryDisk>> {
    let mut env = StillEnv(now_ms);
    let mut store = Store::load(broker.disk().clone(), broker.store_config().clone(), &mut env).ok()?;
    store.start(&mut env).ok()?;
    Some(store)
}

impl Records {
    fn of(broker: &str, store: &Store<MemoryDisk>) -> Self {
        let mut records = Self { by_key: BTreeMap::new(), by_place: BTreeMap::new() };
        let mut at = store.min_phy_offset().max(0);
        while at < store.max_phy_offset() {
            let bytes = store.select_one_message(at);
            let Some(record) = bytes.as_deref().and_then(|bytes| record::decode(bytes).ok()) else {
                // A blank record, or bytes that are none: the next file, if there is one.
                let size = i64::from(store.config().mapped_file_size_commit_log).max(1);
                at = at.div_euclid(size).saturating_add(1).saturating_mul(size);
                continue;
            };
            let unit = store.unit(&record.topic, record.queue_id, record.queue_offset);
            let copy = StoredCopy {
                broker: broker.to_owned(),
                topic: record.topic.to_string(),
                queue_id: record.queue_id,
                queue_offset: record.queue_offset,
                physical_offset: at,
                state: match unit {
                    Some(unit) if unit.physical_offset != at => CopyState::NotDispatched,
                    None => CopyState::NotDispatched,
                    Some(_) if [SCHEDULE_TOPIC, HALF_TOPIC].contains(&&*record.topic) => CopyState::Waiting,
                    Some(_) => CopyState::Visible,
                },
            };
            if let Some(key) = record.property(property::UNIQ_KEY) {
                records.by_key.entry(key.to_owned()).or_default().push(copy.clone());
            }
            records.by_place.insert(at, (record.store_host, copy));
            at = at.saturating_add(i64::from(record.total_size).max(1));
        }
        records
    }

    /// The record at a place, if it can be the one of this send: a crash may have put another one there.
    fn at(&self, place: &OffsetMsgId, sent: &SendOutcome) -> Vec<StoredCopy> {
        let fits = |(host, copy): &&(Host, StoredCopy)| {
            let topic = copy.topic == sent.topic || copy.state == CopyState::Waiting;
            let offset = sent.queue_offset.is_none_or(|queue_offset| queue_offset == copy.queue_offset);
            *host == place.host && topic && offset
        };
        let found = self.by_place.get(&place.physical_offset).filter(fits);
        found.map(|(_, copy)| copy.clone()).into_iter().collect()
    }
}
