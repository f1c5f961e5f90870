//! From what a script says about a message to the message itself, of exactly the length it asks for.

use super::{
    ActionError, BatchMessage, NodeActor, Send, World,
    action::{bad_value, not_negative},
    limits::FILL_MAX,
    queue::NodeId,
};
use crate::{
    broker::Broker,
    client::{Client, NewEntry, NewMessage, Role},
    message::property,
};

pub(super) fn message(world: &World, node: NodeId, send: &Send) -> Result<NewMessage, ActionError> {
    let client = client(world, node, &send.producer)?;
    queue(client, send.queue)?;
    let mut properties = Vec::new();
    properties.extend(send.tag.clone().map(|tag| (property::TAGS.to_owned(), tag)));
    properties.extend(send.keys.clone().map(|keys| (property::KEYS.to_owned(), keys)));
    if let Some(wait) = send.wait_store.or(is_whole(client).then_some(true)) {
        properties.push((property::WAIT.to_owned(), wait.to_string()));
    }
    properties.extend(send.properties.clone());
    check_properties(&properties)?;
    let mut message = NewMessage {
        name: send.name.clone(),
        topic: send.topic.clone(),
        queue: send.queue,
        properties,
        flag: send.flag,
        body: send.body.clone().unwrap_or_default().into_bytes().into(),
        oneway: send.oneway,
        batch: Vec::new(),
    };
    if let Some(record_size) = send.record_size {
        fill(world, client, &mut message, record_size)?;
    } else if send.body.is_none() {
        let number = client.sent().len() + client.pending() + 1;
        message.body = format!("{} {number}", send.topic).into_bytes().into();
    }
    Ok(message)
}

pub(super) fn batch(
    world: &World,
    node: NodeId,
    topic: &str,
    queue_id: Option<i32>,
    messages: &[BatchMessage],
) -> Result<NewMessage, ActionError> {
    let client = client(world, node, topic)?;
    queue(client, queue_id)?;
    if messages.is_empty() {
        return Err(bad_value("messages", "a batch needs at least one".to_owned()));
    }
    let wait = || (property::WAIT.to_owned(), true.to_string());
    let mut entries = Vec::new();
    for entry in messages {
        let mut properties = Vec::new();
        properties.extend(entry.tag.clone().map(|tag| (property::TAGS.to_owned(), tag)));
        properties.extend(entry.keys.clone().map(|keys| (property::KEYS.to_owned(), keys)));
        properties.push(wait());
        check_properties(&properties)?;
        entries.push(NewEntry { properties, flag: 0, body: entry.body.clone().into_bytes().into() });
    }
    // The client's batch object itself carries nothing but WAIT.
    Ok(NewMessage {
        topic: topic.to_owned(),
        queue: queue_id,
        properties: vec![wait()],
        batch: entries,
        ..NewMessage::default()
    })
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

fn queue(client: &Client, queue: Option<i32>) -> Result<(), ActionError> {
    match queue {
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
