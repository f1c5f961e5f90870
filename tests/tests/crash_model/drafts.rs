//! Messages, and the bytes that must stand in the log for them.

use rocketscope_engine::message::batch::{self, BatchEntry, MessageBatch, encode_client};
use rocketscope_engine::message::delay::SCHEDULE_TOPIC;
use rocketscope_engine::message::record::{self, Limits};
use rocketscope_engine::message::{Host, Message, Properties, property};

pub(crate) use crate::case::Draft;
use crate::rig::START;

const LIMITS: Limits = Limits { max_message_size: 4 * 1024 * 1024 };

/// Names of several lengths, so that the sectors of a disk cut records everywhere.
pub(crate) fn topic(number: u8) -> &'static str {
    ["T", "TopicB", "OrdersOfTheSecondShop"][usize::from(number) % 3]
}

pub(crate) fn key(number: u8) -> String {
    format!("key{}", number % 6)
}

/// Letters that differ from body to body.
fn body(number: u64, len: u16) -> Vec<u8> {
    (0..u64::from(len)).map(|at| b'A' + ((number * 7 + at * at) % 26) as u8).collect()
}

pub(crate) fn message(draft: &Draft, number: u64) -> Message {
    let mut properties = Properties::new();
    if draft.tag > 0 {
        properties.put(property::TAGS, format!("Tag{}", draft.tag));
    }
    if draft.key > 1 {
        properties.put(property::KEYS, key(draft.key));
    }
    if !draft.wait {
        properties.put(property::WAIT, "false");
    }
    if draft.delay > 0 {
        properties.put(property::DELAY, draft.delay.to_string());
    }
    Message {
        topic: topic(draft.topic).to_owned(),
        queue_id: i32::from(draft.queue),
        flag: 0,
        sys_flag: draft.transaction,
        born_timestamp: START,
        born_host: Host::new([10, 0, 0, 2], 4321),
        store_host: Host::new([10, 0, 0, 1], 10911),
        reconsume_times: 0,
        prepared_transaction_offset: 0,
        body: body(number, draft.body).into(),
        properties_text: properties.to_text(),
        properties,
    }
}

/// The message that is stored: a delayed one waits in the queue of its level.
pub(crate) fn as_stored(message: &Message) -> Message {
    let mut stored = message.clone();
    let Some(level) = message.delay_level().filter(|level| *level > 0) else { return stored };
    if message.transaction_type().takes_queue_offset() {
        SCHEDULE_TOPIC.clone_into(&mut stored.topic);
        stored.queue_id = level - 1;
        stored.properties.put(property::REAL_TOPIC, message.topic.clone());
        stored.properties.put(property::REAL_QID, message.queue_id.to_string());
        stored.rebuild_properties_text();
    }
    stored
}

/// Length of the record, as the format gives it.
pub(crate) fn len_of(message: &Message) -> i32 {
    (91 + message.body.len() + message.topic.len() + message.properties_text.len()) as i32
}

pub(crate) fn encode(message: &Message, queue_offset: i64, at: i64, now: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    record::encode(message, &LIMITS, &mut bytes).expect("short parts");
    patched(&bytes, queue_offset, at, now)
}

pub(crate) fn patched(bytes: &[u8], queue_offset: i64, at: i64, now: i64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    record::patch(&mut bytes, queue_offset, at, now);
    bytes
}

pub(crate) fn batch(draft: &Draft, bodies: &[u16], number: u64) -> MessageBatch {
    let template = message(draft, number);
    let entries: Vec<BatchEntry> = bodies
        .iter()
        .map(|len| BatchEntry {
            flag: 0,
            body: body(number + u64::from(*len), *len).into(),
            properties_text: template.properties_text.clone(),
        })
        .collect();
    let mut properties = Properties::new();
    if !draft.wait {
        properties.put(property::WAIT, "false");
    }
    MessageBatch {
        topic: template.topic,
        queue_id: template.queue_id,
        sys_flag: 0,
        born_timestamp: START,
        born_host: template.born_host,
        store_host: template.store_host,
        reconsume_times: 0,
        properties,
        body: encode_client(&entries).expect("short entries").into(),
    }
}

/// Sizes and bytes of a batch's records.
pub(crate) fn records_of(batch: &MessageBatch) -> (Vec<i32>, Vec<Vec<u8>>) {
    let records = batch::expand(batch, &LIMITS).expect("a good batch");
    let mut rest = records.bytes.as_slice();
    let bytes = records.sizes.iter().map(|size| {
        let (record, behind) = rest.split_at(*size as usize);
        rest = behind;
        record.to_vec()
    });
    let bytes = bytes.collect();
    (records.sizes, bytes)
}
