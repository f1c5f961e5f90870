//! From what a script says about a message to the message itself, of exactly the length it asks for.

use bytes::Bytes;

use super::{
    ActionError, NodeActor, Send, SendBatch, World,
    action::{bad_value, not_negative},
    limits::{BATCH_MAX, FILL_MAX},
    queue::NodeId,
};
use crate::{
    broker::Broker,
    client::{Client, NewEntry, NewMessage, Role, split},
    message::property,
};

/// The letter that a body of a given length is made of.
const LETTER: u8 = b'z';

pub(super) fn message(world: &World, node: NodeId, send: &Send) -> Result<NewMessage, ActionError> {
    let client = client(world, node, &send.producer)?;
    queue(client, send)?;
    let mut properties = named(send.tag.as_deref(), send.keys.as_deref());
    if let Some(wait) = send.wait_store.or(is_whole(client).then_some(true)) {
        properties.push((property::WAIT.to_owned(), wait.to_string()));
    }
    properties.extend(delay(send.delay_level)?);
    properties.extend(send.properties.clone());
    check_properties(&properties)?;
    let mut message = NewMessage {
        name: send.name.clone(),
        topic: send.topic.clone(),
        queue: send.queue,
        broker: send.broker.clone(),
        selector: send.selector.clone(),
        properties,
        flag: send.flag,
        body: send.body.clone().unwrap_or_default().into_bytes().into(),
        random_bytes: None,
        mode: send.mode,
        batch: None,
    };
    if let Some(len) = send.body_length {
        if send.body.is_some() || send.record_size.is_some() {
            return Err(bad_value("bodyLength", "neither `body` nor `recordSize` goes with it".to_owned()));
        }
        if send.body_random {
            check_length(len)?;
            message.random_bytes = Some(len);
        } else {
            message.body = letters(len)?;
        }
    } else if send.body_random {
        return Err(bad_value("bodyRandom", "it needs `bodyLength`".to_owned()));
    } else if let Some(record_size) = send.record_size {
        fill(world, client, &mut message, record_size)?;
    } else if send.body.is_none() {
        let number = client.sent().len() + client.pending() + 1;
        message.body = format!("{} {number}", send.topic).into_bytes().into();
    }
    Ok(message)
}

/// The batches that an action sends: one, or the pieces of a list.
pub(super) fn batch(world: &World, node: NodeId, batch: &SendBatch) -> Result<Vec<NewMessage>, ActionError> {
    let client = client(world, node, &batch.producer)?;
    let aim = Send { queue: batch.queue, broker: batch.broker.clone(), ..Send::default() };
    queue(client, &aim)?;
    let mut entries = Vec::new();
    let mut bytes = 0;
    for entry in &batch.messages {
        let mut properties = named(entry.tag.as_deref(), entry.keys.as_deref());
        properties.push((property::WAIT.to_owned(), entry.wait_store.unwrap_or(true).to_string()));
        properties.extend(delay(entry.delay_level)?);
        properties.extend(entry.properties.clone());
        check_properties(&properties)?;
        let body = match entry.body_length {
            Some(_) if !entry.body.is_empty() => {
                return Err(bad_value("bodyLength", "`body` does not go with it".to_owned()));
            }
            Some(len) => letters(len)?,
            None => entry.body.clone().into_bytes().into(),
        };
        bytes += body.len();
        if bytes > BATCH_MAX {
            return Err(bad_value("messages", format!("at most {BATCH_MAX} bytes in all")));
        }
        let topic = entry.topic.clone().unwrap_or_else(|| batch.topic.clone());
        entries.push(NewEntry { topic, properties, flag: 0, body });
    }
    let pieces = if batch.split { split(entries) } else { vec![entries] };
    let message = |entries| NewMessage {
        queue: batch.queue,
        broker: batch.broker.clone(),
        topic: batch.topic.clone(),
        batch: Some(entries),
        ..NewMessage::default()
    };
    Ok(pieces.into_iter().map(message).collect())
}

fn named(tag: Option<&str>, keys: Option<&str>) -> Vec<(String, String)> {
    let tag = tag.map(|tag| (property::TAGS.to_owned(), tag.to_owned()));
    let keys = keys.map(|keys| (property::KEYS.to_owned(), keys.to_owned()));
    tag.into_iter().chain(keys).collect()
}

fn delay(level: Option<i32>) -> Result<Option<(String, String)>, ActionError> {
    let Some(level) = level else { return Ok(None) };
    not_negative("delayLevel", i64::from(level))?;
    Ok(Some((property::DELAY.to_owned(), level.to_string())))
}

fn check_length(len: u32) -> Result<usize, ActionError> {
    let len = usize::try_from(len).ok().filter(|len| *len <= FILL_MAX);
    len.ok_or_else(|| bad_value("bodyLength", format!("at most {FILL_MAX}")))
}

fn letters(len: u32) -> Result<Bytes, ActionError> {
    Ok(vec![LETTER; check_length(len)?].into())
}

fn client<'a>(world: &'a World, node: NodeId, name: &str) -> Result<&'a Client, ActionError> {
    match world.nodes.get(node).map(|node| &node.actor) {
        Some(NodeActor::Client(client)) => Ok(client),
        _ => Err(ActionError::WrongNode { node: name.to_owned(), wanted: "producer".to_owned() }),
    }
}

const fn is_whole(client: &Client) -> bool {
    !matches!(client.role(), Role::Bare { .. })
}

/// Queue, broker and selector must not contradict each other.
fn queue(client: &Client, send: &Send) -> Result<(), ActionError> {
    if send.selector.is_some() && (send.queue.is_some() || !is_whole(client)) {
        let cause = "only a whole client has one, and no `queue` goes with it";
        return Err(bad_value("selector", cause.to_owned()));
    }
    if send.broker.is_some() && (send.queue.is_none() || !is_whole(client)) {
        let cause = "it names the broker of a whole client's `queue`";
        return Err(bad_value("broker", cause.to_owned()));
    }
    match send.queue {
        Some(queue) => not_negative("queue", i64::from(queue)),
        None if is_whole(client) => Ok(()),
        None => Err(bad_value("queue", "a bare sender knows no queues: name one".to_owned())),
    }
}

/// Text that would fall apart when the broker reads it back is refused.
fn check_properties(properties: &[(String, String)]) -> Result<(), ActionError> {
    for (name, value) in properties {
        let separator = |char: char| matches!(char, '\u{1}' | '\u{2}');
        if name.is_empty() || value.is_empty() || name.contains(separator) || value.contains(separator) {
            let cause = "neither names nor values may be empty or hold the separators 0x01 and 0x02".to_owned();
            return Err(bad_value("properties", cause));
        }
    }
    Ok(())
}

/// Fills the body up so that the record is exactly `record_size` bytes long.
fn fill(world: &World, client: &Client, message: &mut NewMessage, record_size: i32) -> Result<(), ActionError> {
    if message.properties.iter().any(|(name, _)| name == property::DELAY) {
        return Err(bad_value("recordSize", "the record of a delayed message is another one".to_owned()));
    }
    let whole = is_whole(client);
    let Some(broker) = broker_of(world, client) else {
        return Err(bad_value("recordSize", "there is no broker to store the record".to_owned()));
    };
    let overhead = message.record_overhead(&broker.config().broker_cluster_name, broker.store_host(), whole);
    // A whole client refuses empty bodies and compresses long ones.
    let least_body = message.body.len().max(usize::from(whole));
    let most_body = if whole {
        usize::try_from(client.config().compress_msg_body_over_howmuch.saturating_sub(1)).unwrap_or(0)
    } else {
        usize::try_from(broker.store_config().max_message_size).unwrap_or(0).min(FILL_MAX)
    };
    let body = usize::try_from(record_size).ok().and_then(|size| size.checked_sub(overhead));
    let body = body.filter(|body| (least_body..=most_body).contains(body)).ok_or_else(|| {
        let size = |body: usize| i32::try_from(overhead.saturating_add(body)).unwrap_or(i32::MAX);
        ActionError::RecordSize { record_size, least: size(least_body), most: size(most_body) }
    })?;
    let mut text = message.body.to_vec();
    text.resize(body, b'.');
    message.body = text.into();
    Ok(())
}

/// The broker that a client sends to: the one that a bare sender knows, else the first.
fn broker_of<'a>(world: &'a World, client: &Client) -> Option<&'a Broker> {
    let addr = match client.role() {
        Role::Bare { broker_addr, .. } => Some(broker_addr),
        _ => None,
    };
    let mut brokers = world.nodes.iter().filter_map(|node| match &node.actor {
        NodeActor::Broker(broker) => Some(broker.as_ref()),
        _ => None,
    });
    brokers.find(|broker| addr.is_none_or(|addr| broker.store_host().to_string() == *addr))
}
