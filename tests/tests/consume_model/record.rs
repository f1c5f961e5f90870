//! What the judge is told of a run once everything has healed: plain facts, so that a wrong run can be made by hand.

use std::collections::{BTreeMap, BTreeSet};

use rocketscope_engine::{
    broker::Broker,
    client::{
        Client, PullQueue,
        consumer::{ConsumeResult, Delivery, DeliveryFate, PushConsumer},
    },
    message::record,
    store::ConsumeQueue,
};

use crate::{
    case::Case,
    cluster::{DATABASE, EFFECTS, GROUP, OTHER_GROUP, PRODUCER, TOPICS, broker_name},
    play::Play,
};

/// A run that has healed.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// The keys of acknowledged messages by their ids.
    pub(crate) acknowledged: BTreeMap<String, String>,
    pub(crate) groups: Vec<Group>,
    /// How many effects each message has had in the database, by its key.
    pub(crate) effects: BTreeMap<String, u64>,
    /// Whether each effect is noted in its transaction.
    pub(crate) records: bool,
    /// When the processes of each broker ended, microseconds: with them the locks of its queues.
    pub(crate) broker_ends: BTreeMap<String, Vec<i64>>,
    /// When each process stood still, from and to, microseconds.
    pub(crate) stood_still: BTreeMap<String, Vec<(i64, i64)>>,
}

/// What became of a group.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) orderly: bool,
    /// The calls of all its members' listeners, in the order in which they began.
    pub(crate) calls: Vec<Call>,
    /// The ids of what stands in its dead-letter queues.
    pub(crate) dead: BTreeSet<String>,
    pub(crate) queues: Vec<QueueState>,
}

/// A call of a listener.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) member: String,
    pub(crate) queue: PullQueue,
    pub(crate) began_us: i64,
    pub(crate) ended_us: Option<i64>,
    pub(crate) fate: DeliveryFate,
    /// Whether the listener said that it had consumed the messages.
    pub(crate) consumed: bool,
    pub(crate) messages: Vec<Seen>,
}

/// A message as a listener saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) id: String,
    pub(crate) key: String,
    pub(crate) topic: String,
    pub(crate) body: String,
    pub(crate) queue_offset: i64,
}

/// A queue at the end.
#[derive(Clone, Debug)]
pub(crate) struct QueueState {
    pub(crate) queue: PullQueue,
    /// The ids of its messages, by queue offset.
    pub(crate) ids: Vec<String>,
    /// Of each member that has it, the messages in hand and the offset of the next pull.
    pub(crate) owners: Vec<(i64, i64)>,
    /// The group's offset at the broker.
    pub(crate) kept: Option<i64>,
}

impl Run {
    /// Reads it out of the world.
    pub(crate) fn of(case: &Case, play: &Play) -> Result<Self, String> {
        let sent = play.world.client(PRODUCER).into_iter().flat_map(Client::sent);
        let stored = sent.filter(|sent| sent.error.is_none());
        let mut effects = BTreeMap::new();
        let table = play.world.database(DATABASE).and_then(|database| database.table(EFFECTS));
        for message in table.ok_or("the database has no table")?.rows().filter_map(|row| row.last()) {
            *effects.entry(message.to_string()).or_default() += 1;
        }
        let groups = [GROUP, OTHER_GROUP].into_iter().filter_map(|name| Group::of(case, play, name).transpose());
        Ok(Self {
            acknowledged: stored.filter_map(|sent| Some((sent.msg_id.clone()?, sent.name.clone()?))).collect(),
            groups: groups.collect::<Result<_, String>>()?,
            effects,
            records: case.shape.records,
            broker_ends: play.broker_ends.clone(),
            stood_still: play.stood_still.clone(),
        })
    }
}

impl Group {
    /// Nothing where it has no members.
    fn of(case: &Case, play: &Play, name: &str) -> Result<Option<Self>, String> {
        let clients = play.consumers.iter().filter_map(|node| Some((node, play.world.client(node)?)));
        let of_group = clients.filter(|(_, client)| client.group() == name);
        let members: Vec<_> = of_group.filter_map(|(node, client)| Some((node, client.push()?))).collect();
        if members.is_empty() {
            return Ok(None);
        }
        let calls = members.iter().flat_map(|(node, push)| push.consumed().iter().map(|call| Call::of(node, call)));
        let mut calls: Vec<Call> = calls.collect();
        calls.sort_by_key(|call| call.began_us);
        let brokers = || (0..case.shape.brokers).map(broker_name);
        let retry = format!("%RETRY%{name}");
        let topics = || TOPICS.iter().flat_map(|topic| [(*topic, 0), (*topic, 1)]).chain([(retry.as_str(), 0)]);
        let queue = |broker_name: String, (topic, queue_id): (&str, i32)| PullQueue {
            topic: topic.to_owned(),
            broker_name,
            queue_id,
        };
        let queues = brokers().flat_map(|broker| topics().map(move |of| queue(broker.clone(), of)));
        let dead_letters = brokers().map(|broker| queue(broker, (&format!("%DLQ%{name}"), 0)));
        Ok(Some(Self {
            name: name.to_owned(),
            orderly: case.shape.orderly,
            calls,
            dead: dead_letters.flat_map(|queue| ids(play, &queue)).collect(),
            queues: queues.map(|queue| QueueState::of(play, name, &members, queue)).collect::<Result<_, String>>()?,
        }))
    }
}

impl Call {
    fn of(member: &str, delivery: &Delivery) -> Self {
        let messages = delivery.messages.iter().map(|message| Seen {
            id: message.msg_id.clone(),
            key: message.keys.clone().unwrap_or_default(),
            topic: message.topic.clone(),
            body: String::from_utf8_lossy(&message.body).into_owned(),
            queue_offset: message.queue_offset,
        });
        Self {
            member: member.to_owned(),
            queue: delivery.queue.clone(),
            began_us: delivery.began_us,
            ended_us: delivery.ended_us,
            fate: delivery.fate,
            consumed: matches!(delivery.result, Some(ConsumeResult::Success | ConsumeResult::Commit)),
            messages: messages.collect(),
        }
    }
}

impl QueueState {
    fn of(play: &Play, group: &str, members: &[(&String, &PushConsumer)], queue: PullQueue) -> Result<Self, String> {
        let broker = play.world.broker(&queue.broker_name).and_then(Broker::process);
        let process = broker.ok_or_else(|| format!("{} does not run", queue.broker_name))?;
        let owners = members.iter().filter_map(|(_, push)| push.queues().get(&queue));
        Ok(Self {
            ids: ids(play, &queue),
            owners: owners.map(|own| (own.process_queue().count(), own.next_offset())).collect(),
            kept: process.offsets().query(group, &queue.topic, queue.queue_id),
            queue,
        })
    }
}

/// The ids of a queue's messages, by queue offset.
fn ids(play: &Play, queue: &PullQueue) -> Vec<String> {
    let Some(store) = play.world.broker(&queue.broker_name).and_then(Broker::store) else { return Vec::new() };
    let (topic, queue_id) = (queue.topic.as_str(), queue.queue_id);
    let end = store.queue(topic, queue_id).map_or(0, ConsumeQueue::max_offset_in_queue);
    let id = |offset: i64| {
        let unit = store.unit(topic, queue_id, offset)?;
        let bytes = store.look_message_by_offset(unit.physical_offset)?;
        record::decode(&bytes).ok()?.uniq_key().map(str::to_owned)
    };
    (0..end).map(|offset| id(offset).unwrap_or_default()).collect()
}
