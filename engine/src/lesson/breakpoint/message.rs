//! Whether an event has to do with a certain message.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    broker::Broker,
    client::{Client, Received, SendOutcome, consumer::PushConsumer},
    message::record,
    node::{ClientStep, ConsumerStep, StepKind},
    sim::{EventKind, NodeActor, TraceEvent, World},
};

/// The shortest message id: 16 bytes in hexadecimal.
const ID_LEN: usize = 32;

/// Sends that end in one turn at most, and then some.
const NEWEST: usize = 64;

/// A message that is watched.
#[derive(Clone, Debug)]
pub(super) struct Traced<'b> {
    /// Its name, or an id of it.
    wanted: &'b str,
    /// The ids that are known.
    ids: BTreeSet<String>,
}

impl<'b> Traced<'b> {
    pub(super) fn new(wanted: &'b str, world: &World) -> Self {
        let mut traced = Self { wanted, ids: BTreeSet::new() };
        if wanted.len() >= ID_LEN {
            traced.ids.insert(wanted.to_owned());
        }
        let clients = world.nodes().filter_map(|node| match node.actor {
            NodeActor::Client(client) => Some(client),
            _ => None,
        });
        for client in clients {
            traced.learn(client, usize::MAX, world.now_us());
        }
        traced
    }

    /// Whether an event, after which the world is this one, has to do with the message.
    pub(super) fn is_touched(&mut self, world: &World, event: &TraceEvent) -> bool {
        let client = world.client(&event.node);
        if let Some(client) = client {
            self.learn(client, NEWEST, world.now_us());
        }
        self.is_named(event)
            || self.is_told(event)
            || world.broker(&event.node).is_some_and(|broker| self.is_stored(broker, event))
            || client.is_some_and(|client| self.is_received(client, event))
    }

    /// Takes in the ids that a client gave to its newest messages of this name.
    fn learn(&mut self, client: &Client, newest: usize, now_us: i64) {
        let named = |send: &&SendOutcome| send.name.as_deref() == Some(self.wanted);
        let pending: Vec<SendOutcome> = client.pending_sends(now_us).collect();
        let sends = client.sent().iter().rev().take(newest).chain(&pending).filter(named);
        let ids = sends.flat_map(|send| send.msg_id.iter().chain(&send.offset_msg_id)).flat_map(|ids| ids.split(','));
        self.ids.extend(ids.map(str::to_owned).collect::<Vec<_>>());
    }

    /// Whether an action speaks of the message by name or id.
    fn is_named(&self, event: &TraceEvent) -> bool {
        let EventKind::Action { action } = &event.what else { return false };
        let told = serde_json::to_value(action).unwrap_or_default();
        any(&told, &mut |value| value.as_str().is_some_and(|text| text == self.wanted || self.ids.contains(text)))
    }

    /// Whether something in the event's text is an id of the message.
    fn is_told(&self, event: &TraceEvent) -> bool {
        let told = serde_json::to_string(event).unwrap_or_default();
        self.ids.iter().any(|id| told.contains(id.as_str()))
    }

    /// Whether a step is about a record of the message.
    fn is_stored(&self, broker: &Broker, event: &TraceEvent) -> bool {
        let Some(store) = broker.store() else { return false };
        event.steps.iter().any(|step| {
            let told = serde_json::to_value(&step.what).unwrap_or_default();
            let mut about = |value: &Value| {
                let bytes = value.get("physicalOffset").and_then(Value::as_i64);
                let bytes = bytes.and_then(|offset| store.look_message_by_offset(offset));
                let record = bytes.as_deref().and_then(|bytes| record::decode(bytes).ok());
                record.is_some_and(|record| {
                    record.uniq_key().is_some_and(|key| self.ids.contains(key))
                        || self.ids.contains(&record.offset_msg_id().to_string())
                })
            };
            any(&told, &mut about)
        })
    }

    /// Whether a consumer got the message, or is told what its listener made of it.
    fn is_received(&self, client: &Client, event: &TraceEvent) -> bool {
        let is_it =
            |message: &Received| self.ids.contains(&message.msg_id) || self.ids.contains(&message.offset_msg_id);
        event.steps.iter().any(|step| match &step.what {
            StepKind::Client(ClientStep::PullEnded { arrived, .. }) if client.push().is_none() => {
                client.received().iter().rev().take(*arrived as usize).any(is_it)
            }
            StepKind::Consumer(step) => client.push().is_some_and(|push| messages(push, step).any(is_it)),
            _ => false,
        })
    }
}

/// The messages that a step of a push consumer is about.
fn messages<'a>(push: &'a PushConsumer, step: &'a ConsumerStep) -> Box<dyn Iterator<Item = &'a Received> + 'a> {
    match step {
        ConsumerStep::MessagesCached { topic, broker_name, queue_id, first, last, .. } => {
            let mut queues = push.queues().iter();
            let cached = queues.find(|(queue, _)| {
                queue.topic == *topic && queue.broker_name == *broker_name && queue.queue_id == *queue_id
            });
            let waiting = cached.into_iter().flat_map(|(_, own)| own.process_queue().waiting().range(*first..=*last));
            Box::new(waiting.map(|(_, message)| message.as_ref()))
        }
        ConsumerStep::ConsumeBegan { number, .. }
        | ConsumerStep::ConsumeEnded { number, .. }
        | ConsumerStep::ConsumeResultUnused { number } => {
            let call = usize::try_from(*number).ok().and_then(|number| push.consumed().get(number));
            Box::new(call.into_iter().flat_map(|call| &call.messages).map(AsRef::as_ref))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// Whether a value, or one inside it, is so.
fn any(value: &Value, is_so: &mut impl FnMut(&Value) -> bool) -> bool {
    is_so(value)
        || match value {
            Value::Array(values) => values.iter().any(|value| any(value, is_so)),
            Value::Object(values) => values.values().any(|value| any(value, is_so)),
            _ => false,
        }
}
