//! What is done to store and model alike.

use proptest::collection::vec;
use proptest::prelude::*;
use rocketscope_engine::message::{Host, Message, Properties, property, sys_flag};

pub(crate) const START: i64 = 1_700_000_000_000;
pub(crate) const TOPICS: [&str; 3] = ["TopicA", "B", "SomewhatLongerTopic"];
pub(crate) const TAGS: [&str; 3] = ["TagA", "TagB", "标签"];
/// Hashes of `topic#key` differ for all of these.
pub(crate) const KEYS: [&str; 4] = ["k0", "order-1", "钥", "z"];

/// One thing to do.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Put(Envelope),
    Batch {
        envelope: Envelope,
        bodies: Vec<u16>,
    },
    Get {
        queue: (usize, i32),
        offset: i64,
        max: i32,
        tag: Option<usize>,
    },
    Query {
        topic: usize,
        key: usize,
        max: i32,
    },
    Wait(u16),
    Restart,
    /// The process ends, right after some puts that were not dispatched yet.
    Kill(Vec<Envelope>),
}

/// A message, or what the messages of a batch share: indices into the lists above.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub(crate) queue: (usize, i32),
    pub(crate) body: u16,
    pub(crate) tag: Option<usize>,
    pub(crate) keys: Vec<usize>,
    pub(crate) unique: Option<u8>,
    pub(crate) transaction: i32,
}

pub(crate) fn envelope() -> impl Strategy<Value = Envelope> {
    let transaction = prop_oneof![
        6 => Just(0),
        1 => Just(sys_flag::TRANSACTION_PREPARED),
        1 => Just(sys_flag::TRANSACTION_COMMIT),
        1 => Just(sys_flag::TRANSACTION_ROLLBACK),
    ];
    let tag = proptest::option::of(0..TAGS.len());
    let unique = proptest::option::of(any::<u8>());
    (queue(), 0..700u16, tag, vec(0..KEYS.len(), 0..3), unique, transaction).prop_map(
        |(queue, body, tag, keys, unique, transaction)| Envelope { queue, body, tag, keys, unique, transaction },
    )
}

pub(crate) fn queue() -> impl Strategy<Value = (usize, i32)> {
    (0..TOPICS.len(), 0..2i32)
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => envelope().prop_map(Op::Put),
        2 => (envelope(), vec(0..250u16, 1..5)).prop_map(|(envelope, bodies)| Op::Batch { envelope, bodies }),
        4 => (queue(), -2..40i64, 1..40i32, proptest::option::of(0..TAGS.len()))
            .prop_map(|(queue, offset, max, tag)| Op::Get { queue, offset, max, tag }),
        3 => (0..TOPICS.len(), 0..KEYS.len(), 1..70i32).prop_map(|(topic, key, max)| Op::Query { topic, key, max }),
        1 => (0..3000u16).prop_map(Op::Wait),
        1 => Just(Op::Restart),
        1 => vec(envelope(), 0..6).prop_map(Op::Kill),
    ]
}

pub(crate) fn keys_of(envelope: &Envelope) -> Vec<String> {
    let unique = envelope.unique.map(unique_key);
    unique.into_iter().chain(envelope.keys.iter().map(|key| KEYS[*key].to_owned())).collect()
}

pub(crate) fn unique_key(number: u8) -> String {
    format!("UNIQ{number:03}")
}

pub(crate) fn message_of(envelope: &Envelope, body: Vec<u8>) -> Message {
    let properties = properties_of(envelope);
    Message {
        topic: TOPICS[envelope.queue.0].to_owned(),
        queue_id: envelope.queue.1,
        flag: 0,
        sys_flag: envelope.transaction,
        born_timestamp: START,
        born_host: Host::new([10, 0, 0, 2], 4321),
        store_host: Host::new([10, 0, 0, 1], 10911),
        reconsume_times: 0,
        prepared_transaction_offset: 0,
        body: body.into(),
        properties_text: properties.to_text(),
        properties,
    }
}

pub(crate) fn properties_of(envelope: &Envelope) -> Properties {
    let mut properties = Properties::new();
    if let Some(tag) = envelope.tag {
        properties.put(property::TAGS, TAGS[tag]);
    }
    if !envelope.keys.is_empty() {
        let keys: Vec<&str> = envelope.keys.iter().map(|key| KEYS[*key]).collect();
        properties.put(property::KEYS, keys.join(" "));
    }
    if let Some(number) = envelope.unique {
        properties.put(property::UNIQ_KEY, unique_key(number));
    }
    properties
}

/// Length of the record of a message, as the format gives it.
pub(crate) fn len_of(message: &Message) -> i32 {
    (91 + message.body.len() + message.topic.len() + message.properties_text.len()) as i32
}

/// A body that says which record it is of.
pub(crate) fn body_of(record: usize, len: u16) -> Vec<u8> {
    (0..usize::from(len)).map(|at| (record * 31 + at) as u8).collect()
}
