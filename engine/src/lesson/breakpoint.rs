//! Breakpoints: where a run stops of its own accord.

mod message;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use self::message::Traced;
use super::{Condition, Probe, ProbeError, Test, holds};
use crate::{
    disk::MemoryDisk,
    node::{Service, StepKind},
    sim::{EventKind, TraceEvent, World},
    store::{ConsumeQueue, Store},
    wire::RequestCode,
};

/// Where a run is to stop: after the event that meets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Breakpoint {
    /// A turn of a service.
    Service {
        /// The node; absent: any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<String>,
        /// The service.
        service: Service,
    },
    /// An event that something of this kind set off.
    Event {
        /// The node; absent: any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<String>,
        /// The kind.
        event: EventName,
        /// The request that it is about; absent: any, or none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<RequestCode>,
    },
    /// An event with such a step.
    Step {
        /// The node; absent: any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<String>,
        /// The step's name in the trace, e.g. `appended`.
        step: String,
    },
    /// An event that has to do with a message: it is sent, stored, dispatched, read, consumed or answered for.
    Message {
        /// The name that the scenario gave it, its `UNIQ_KEY`, or the broker's message id.
        message: String,
    },
    /// A mark of a broker's CommitLog passes a byte.
    PhysicalOffset {
        /// The broker's node.
        broker: String,
        /// The mark.
        mark: LogMark,
        /// The byte's physical offset.
        offset: i64,
    },
    /// A unit comes into being in a ConsumeQueue, or a group's consumer offset passes it.
    QueueOffset {
        /// The broker's node.
        broker: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue: i32,
        /// The group; absent: the unit is built.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<String>,
        /// The unit's queue offset.
        offset: i64,
    },
    /// A condition comes true that was not before the event.
    Condition {
        /// What is read, as scripts write it.
        probe: String,
        /// What it is compared with.
        test: Test,
    },
}

/// What sets an event off, without its particulars: the kinds of [`EventKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "they are named after the kinds of events, and described there")]
pub enum EventName {
    Action,
    Request,
    Response,
    Timeout,
    Failed,
    Disconnected,
    Connected,
    ConnectFailed,
    Bytes,
    Started,
    Turn,
    Alarm,
}

/// A mark of a CommitLog: everything before it is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LogMark {
    /// Appended.
    Written,
    /// Handed to the files by a transient store pool.
    Committed,
    /// Flushed.
    Flushed,
    /// Acknowledged by a slave.
    Replicated,
    /// Dispatched by reput.
    Dispatched,
}

/// A breakpoint that means nothing in a world.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BreakpointError {
    /// No node has this name.
    #[error("there is no node `{0}`")]
    NoSuchNode(String),
    /// No node that is meant has this service.
    #[error("no such node has the service `{0}`")]
    NoSuchService(Service),
    /// Only a broker has a store.
    #[error("`{0}` is not a broker")]
    NotABroker(String),
    /// A field is empty, or below 0.
    #[error("{0}: something has to stand here, and numbers are not negative")]
    BadValue(&'static str),
    /// The condition's probe is none.
    #[error("{0}")]
    Probe(ProbeError),
}

impl EventName {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Action,
        Self::Request,
        Self::Response,
        Self::Timeout,
        Self::Failed,
        Self::Disconnected,
        Self::Connected,
        Self::ConnectFailed,
        Self::Bytes,
        Self::Started,
        Self::Turn,
        Self::Alarm,
    ];

    /// The kind, and the request that it is about.
    const fn of(what: &EventKind) -> (Self, Option<RequestCode>) {
        match what {
            EventKind::Action { .. } => (Self::Action, None),
            EventKind::Request { code, .. } => (Self::Request, Some(*code)),
            EventKind::Response { request, .. } => (Self::Response, Some(*request)),
            EventKind::Timeout { request, .. } => (Self::Timeout, Some(*request)),
            EventKind::Failed { request, .. } => (Self::Failed, Some(*request)),
            EventKind::Disconnected { .. } => (Self::Disconnected, None),
            EventKind::Connected { .. } => (Self::Connected, None),
            EventKind::ConnectFailed => (Self::ConnectFailed, None),
            EventKind::Bytes { .. } => (Self::Bytes, None),
            EventKind::Started => (Self::Started, None),
            EventKind::Turn => (Self::Turn, None),
            EventKind::Alarm => (Self::Alarm, None),
        }
    }
}

impl LogMark {
    /// Every mark.
    pub const ALL: &'static [Self] =
        &[Self::Written, Self::Committed, Self::Flushed, Self::Replicated, Self::Dispatched];

    fn of(self, store: &Store<MemoryDisk>) -> Option<i64> {
        match self {
            Self::Written => Some(store.max_wrote_offset()),
            Self::Committed => Some(store.committed_offset()),
            Self::Flushed => Some(store.flushed_where()),
            Self::Replicated => store.replicated_offset(),
            Self::Dispatched => Some(store.reput_from_offset()),
        }
    }
}

impl Breakpoint {
    /// Whether it can ever be met in this world, as far as that is known beforehand.
    pub fn check(&self, world: &World) -> Result<(), BreakpointError> {
        let exists = |name: &String| match world.node_state(name) {
            Some(_) => Ok(()),
            None => Err(BreakpointError::NoSuchNode(name.clone())),
        };
        let is_broker = |name: &String| match world.broker(name) {
            Some(_) => Ok(()),
            None => exists(name).and_then(|()| Err(BreakpointError::NotABroker(name.clone()))),
        };
        let full = |field, text: &str| if text.is_empty() { Err(BreakpointError::BadValue(field)) } else { Ok(()) };
        let natural = |field, value: i64| if value < 0 { Err(BreakpointError::BadValue(field)) } else { Ok(()) };
        match self {
            Self::Service { node, service } => {
                node.as_ref().map_or(Ok(()), exists)?;
                let mut meant = world.nodes().filter(|one| node.as_deref().is_none_or(|node| node == one.name));
                let has = meant.any(|node| world.services(node.name).contains(service));
                if has { Ok(()) } else { Err(BreakpointError::NoSuchService(*service)) }
            }
            Self::Event { node, .. } => node.as_ref().map_or(Ok(()), exists),
            Self::Step { node, step } => {
                full("step", step)?;
                node.as_ref().map_or(Ok(()), exists)
            }
            Self::Message { message } => full("message", message),
            Self::PhysicalOffset { broker, offset, .. } => {
                is_broker(broker)?;
                natural("offset", *offset)
            }
            Self::QueueOffset { broker, topic, queue, group, offset } => {
                is_broker(broker)?;
                full("topic", topic)?;
                full("group", group.as_deref().unwrap_or("any"))?;
                natural("queue", i64::from(*queue))?;
                natural("offset", *offset)
            }
            Self::Condition { probe, .. } => {
                let probe = Probe::parse(probe).map_err(BreakpointError::Probe)?;
                exists(&probe.node)
            }
        }
    }

    /// Whether an event meets it by itself, whatever the world is like.
    fn is_met_by(&self, event: &TraceEvent) -> bool {
        let here = |node: &Option<String>| node.as_ref().is_none_or(|node| *node == event.node);
        match self {
            Self::Service { node, service } => here(node) && event.service == service.name(),
            Self::Event { node, event: name, code } => {
                let (kind, about) = EventName::of(&event.what);
                here(node) && kind == *name && (code.is_none() || about == *code)
            }
            Self::Step { node, step } => here(node) && event.steps.iter().any(|one| is_called(&one.what, step)),
            _ => false,
        }
    }

    /// Whether something that lasts is so in a world; `None` of what an event meets by itself.
    fn holds(&self, world: &World, condition: Option<&Condition>) -> Option<bool> {
        match self {
            Self::PhysicalOffset { broker, mark, offset } => {
                let mark = world.broker(broker).and_then(|broker| mark.of(broker.store()?));
                Some(mark.is_some_and(|mark| mark > *offset))
            }
            Self::QueueOffset { broker, topic, queue, group, offset } => {
                let process = world.broker(broker).and_then(|broker| broker.process());
                let next = process.and_then(|process| match group {
                    Some(group) => process.offsets().query(group, topic, *queue),
                    None => process.store().queue(topic, *queue).map(ConsumeQueue::max_offset_in_queue),
                });
                Some(next.is_some_and(|next| next > *offset))
            }
            Self::Condition { .. } => condition.map(|condition| holds(world, condition)),
            _ => None,
        }
    }
}

/// Whether a step has this name: the `kind` of what it says.
fn is_called(step: &StepKind, name: &str) -> bool {
    let told = serde_json::to_value(step).unwrap_or_default();
    let step = told.as_object().and_then(|told| told.values().next());
    step.and_then(|step| step.get("kind")).is_some_and(|kind| kind == name)
}

/// Breakpoints that watch over a run.
#[derive(Clone, Debug)]
pub struct Watch<'b>(Vec<Watched<'b>>);

#[derive(Clone, Debug)]
struct Watched<'b> {
    breakpoint: &'b Breakpoint,
    condition: Option<Condition>,
    message: Option<Traced<'b>>,
    /// Whether what lasts was so after the event before.
    held: bool,
}

impl<'b> Watch<'b> {
    /// Watches over a run from this world on: what lasts already has to end and come again. A condition whose probe is
    /// none is never met.
    pub fn new(breakpoints: &'b [Breakpoint], world: &World) -> Self {
        let watched = breakpoints.iter().map(|breakpoint| {
            let condition = match breakpoint {
                Breakpoint::Condition { probe, test } => {
                    Probe::parse(probe).ok().map(|probe| Condition::Is(probe, test.clone()))
                }
                _ => None,
            };
            let message = match breakpoint {
                Breakpoint::Message { message } => Some(Traced::new(message, world)),
                _ => None,
            };
            let held = breakpoint.holds(world, condition.as_ref()).unwrap_or(false);
            Watched { breakpoint, condition, message, held }
        });
        Self(watched.collect())
    }

    /// The place of the first breakpoint that an event meets, after which the world is this one.
    pub fn met(&mut self, world: &World, event: &TraceEvent) -> Option<usize> {
        let mut first = None;
        for (place, watched) in self.0.iter_mut().enumerate() {
            if watched.is_met(world, event) {
                first = first.or(Some(place));
            }
        }
        first
    }
}

impl Watched<'_> {
    fn is_met(&mut self, world: &World, event: &TraceEvent) -> bool {
        if let Some(message) = &mut self.message {
            return message.is_touched(world, event);
        }
        match self.breakpoint.holds(world, self.condition.as_ref()) {
            Some(now) => now && !std::mem::replace(&mut self.held, now),
            None => self.breakpoint.is_met_by(event),
        }
    }
}
