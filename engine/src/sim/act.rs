//! Actions: what is checked before, and what is done. An action that cannot be done leaves the world as it was.

mod administer;
mod consumer;
mod crash;
mod database;
mod disk;
mod idle;
mod read;
mod send_back;
mod transaction;

use std::sync::Arc;

use super::{
    Action, ActionError, EventKind, LEARNER, NodeActor, TraceEvent, World,
    action::{bad_value, not_negative},
    draft, limits,
    network::Link,
    queue::{NodeId, Pending},
    world::WORLD,
};
use crate::{
    client::{Business, Client, Role},
    node::{NodeStep, Service, Turn},
    wire::TopicConfig,
};

pub(super) use disk::check_capacity;

impl World {
    /// Does something to the world at its present time. It is an event like any other.
    pub fn act(&mut self, action: Action) -> Result<TraceEvent, ActionError> {
        if !matches!(action, Action::Wait { .. }) {
            self.unpark_polls();
        }
        match &action {
            Action::Send(send) => {
                let node = self.caller(&send.producer, Wanted::Producer)?;
                let message = draft::message(self, node, send)?;
                Ok(self.call(node, action, |client, turn| client.send(message, turn)))
            }
            Action::SendBatch(batch) => {
                let node = self.caller(&batch.producer, Wanted::Producer)?;
                let pieces = draft::batch(self, node, batch)?;
                let split = batch.split;
                Ok(self.call(node, action, |client, turn| client.send_batches(pieces, split, turn)))
            }
            Action::SendBack(back) => {
                let back = back.clone();
                self.send_back(&back, action)
            }
            Action::SuspendConsumer { .. }
            | Action::ResumeConsumer { .. }
            | Action::Subscribe { .. }
            | Action::Unsubscribe { .. }
            | Action::SetListener { .. }
            | Action::UpdateCorePoolSize { .. } => self.call_consumer(action),
            Action::SendInTransaction(what) => self.send_in_transaction(&what.clone(), action),
            Action::EndTransaction(what) => self.end_transaction(&what.clone(), action),
            Action::Transact(transact) => self.transact(&transact.clone(), action),
            Action::CommitThenSend(what) => self.change_and_send(Business::CommitThenSend, &what.clone(), action),
            Action::SendThenCommit(what) => self.change_and_send(Business::SendThenCommit, &what.clone(), action),
            Action::WriteOutbox(what) => self.change_and_send(Business::WriteOutbox, &what.clone(), action),
            Action::Administer(deed) => {
                let deed = deed.clone();
                self.administer(&deed, action)
            }
            _ => self.read(action),
        }
    }

    /// Actions of the learner on the world itself.
    fn intervene(&mut self, action: Action) -> Result<TraceEvent, ActionError> {
        match &action {
            Action::SetTopic { broker, topic, read_queues, write_queues, perm } => {
                let node = self.running_broker(broker)?;
                limits::check_topic(topic, *read_queues, *write_queues, *perm)
                    .map_err(|cause| bad_value("topic", cause))?;
                let config = TopicConfig::new(topic, *read_queues, *write_queues, *perm);
                Ok(self.learner(node, action, |actor, turn| {
                    if let Some(process) = broker_process(actor) {
                        process.set_topic(config, turn);
                    }
                }))
            }
            Action::ReputFrom { broker, offset } => {
                let node = self.running_broker(broker)?;
                self.inside_log(node, *offset)?;
                let offset = *offset;
                Ok(self.learner(node, action, |actor, turn| {
                    if let Some(process) = broker_process(actor) {
                        process.reput_from(offset, turn);
                    }
                }))
            }
            Action::Pause { node, service } => {
                let (node, service) = (self.node(node)?, *service);
                self.set_paused(node, service, true)?;
                let service = service.map(|service| service.name().to_owned());
                Ok(self.learner(node, action, |_, turn| turn.step(NodeStep::Paused { service })))
            }
            Action::Resume { node, service } => {
                let (node, service) = (self.node(node)?, *service);
                self.set_paused(node, service, false)?;
                let service = service.map(|service| service.name().to_owned());
                Ok(self.learner(node, action, |_, turn| turn.step(NodeStep::Resumed { service })))
            }
            Action::Cut { a, b } => {
                let (a, b) = (self.node(a)?, self.node(b)?);
                self.set_link(a, b, Some(Link::Cut), action)
            }
            Action::Stall { a, b } => {
                let (a, b) = (self.node(a)?, self.node(b)?);
                self.set_link(a, b, Some(Link::Stalled), action)
            }
            Action::Mend { a, b } => {
                let (a, b) = (self.node(a)?, self.node(b)?);
                self.set_link(a, b, None, action)
            }
            Action::Wait { ms } => {
                let until_us = self.now_us.saturating_add(ms.saturating_mul(1000));
                if *ms <= 0 || until_us > limits::TIME_MAX_US {
                    return Err(bad_value("ms", "at least 1, and within a hundred years".to_owned()));
                }
                let cause = Some(self.events);
                self.queue.push(until_us, Pending::Alarm, cause, false);
                Ok(self.bare_event(NodeId::MAX, LEARNER, action))
            }
            Action::DeleteExpired { broker } => {
                let node = self.running_broker(broker)?;
                Ok(self.learner(node, action, |actor, turn| {
                    if let Some(process) = broker_process(actor) {
                        process.delete_expired(turn);
                    }
                }))
            }
            Action::JumpClock { node, ms } => {
                let (node, ms) = (self.node(node)?, *ms);
                self.jump_clock(node, ms, action)
            }
            _ => self.crash_action(action),
        }
    }

    fn node(&self, name: &str) -> Result<NodeId, ActionError> {
        self.node_id(name).ok_or_else(|| ActionError::NoSuchNode { node: name.to_owned() })
    }

    /// A client that can be called now.
    fn caller(&self, name: &str, wanted: Wanted) -> Result<NodeId, ActionError> {
        let id = self.node(name)?;
        let node = self.nodes.get(id).ok_or_else(|| ActionError::NoSuchNode { node: name.to_owned() })?;
        let fits = match &node.actor {
            NodeActor::Client(client) => wanted.fits(client.role()),
            _ => false,
        };
        if !fits {
            return Err(ActionError::WrongNode { node: name.to_owned(), wanted: wanted.name().to_owned() });
        }
        if !self.listens(id) {
            return Err(ActionError::NotRunning { node: name.to_owned() });
        }
        if node.paused {
            return Err(ActionError::Paused { what: name.to_owned() });
        }
        if node.lanes.get(&Service::Api).is_some_and(|lane| lane.paused) {
            return Err(ActionError::Paused { what: format!("{name}.{}", Service::Api) });
        }
        Ok(id)
    }

    fn running_broker(&self, name: &str) -> Result<NodeId, ActionError> {
        let id = self.node(name)?;
        match self.nodes.get(id).map(|node| &node.actor) {
            Some(NodeActor::Broker(broker)) if broker.is_running() => Ok(id),
            Some(NodeActor::Broker(_)) => Err(ActionError::NotRunning { node: name.to_owned() }),
            _ => Err(ActionError::WrongNode { node: name.to_owned(), wanted: "broker".to_owned() }),
        }
    }

    fn inside_log(&self, node: NodeId, offset: i64) -> Result<(), ActionError> {
        if let Some(NodeActor::Broker(broker)) = self.nodes.get(node).map(|node| &node.actor)
            && let Some(store) = broker.store()
        {
            let (min, max) = (store.min_phy_offset(), store.max_phy_offset());
            if !(min..=max).contains(&offset) {
                return Err(ActionError::OutsideLog { offset, min, max });
            }
        }
        Ok(())
    }

    fn set_paused(&mut self, id: NodeId, service: Option<Service>, pause: bool) -> Result<(), ActionError> {
        let name = self.name(id);
        let Some(node) = self.nodes.get_mut(id) else { return Err(ActionError::NoSuchNode { node: name }) };
        let what = service.map_or_else(|| name.clone(), |service| format!("{name}.{service}"));
        if node.down {
            return Err(ActionError::NotRunning { node: name });
        }
        let flag = match service {
            None => &mut node.paused,
            // The process as such is no service that could stand still alone.
            Some(service) => match node.lanes.get_mut(&service).filter(|_| service != Service::Process) {
                Some(lane) => &mut Arc::make_mut(lane).paused,
                None => return Err(ActionError::NoSuchService { node: name, service: service.name().to_owned() }),
            },
        };
        match (*flag, pause) {
            (true, true) => return Err(ActionError::AlreadyPaused { what }),
            (false, false) => return Err(ActionError::NotPaused { what }),
            _ => *flag = pause,
        }
        // Rounds that pass unseen would pass a service that stands still.
        self.unpark_all();
        let services: Vec<Service> =
            self.nodes.get(id).map(|node| node.lanes.keys().copied().collect()).unwrap_or_default();
        for service in services {
            self.schedule(id, service);
        }
        for conn in self.network.of(id) {
            self.check_idle(conn);
        }
        Ok(())
    }

    fn set_link(
        &mut self,
        a: NodeId,
        b: NodeId,
        link: Option<Link>,
        action: Action,
    ) -> Result<TraceEvent, ActionError> {
        let state = match link {
            Some(Link::Cut) => "cut",
            Some(Link::Stalled) => "stalled",
            None => "up",
        };
        let (peer, from) = (self.name(b), self.name(a));
        if a == b {
            return Err(bad_value("b", "a node has no link to itself".to_owned()));
        }
        if self.network.link(a, b) == link {
            return Err(ActionError::LinkAlready { a: from, b: peer, state: state.to_owned() });
        }
        self.unpark_all();
        let event = self.learner(a, action, |_, turn| {
            turn.step(NodeStep::LinkSet { peer, state: state.to_owned() });
        });
        self.network.set_link(a, b, link);
        for conn in self.network.between(a, b) {
            match link {
                Some(Link::Cut) => self.reset(conn, Some(event.seq)),
                Some(Link::Stalled) => {}
                None => self.release(conn),
            }
        }
        Ok(event)
    }

    /// An application calls its client.
    fn call(&mut self, node: NodeId, action: Action, run: impl FnOnce(&mut Client, &mut Turn<'_>)) -> TraceEvent {
        let what = EventKind::Action { action: action.clone() };
        let event = self.turn(node, Some(Service::Api), None, what, false, |actor, turn| {
            if let Some(client) = actor.client_mut() {
                run(client, turn);
            }
        });
        event.unwrap_or_else(|| self.bare_event(node, Service::Api.name(), action))
    }

    /// The learner does something to a node.
    fn learner(&mut self, node: NodeId, action: Action, run: impl FnOnce(&mut NodeActor, &mut Turn<'_>)) -> TraceEvent {
        let what = EventKind::Action { action: action.clone() };
        let event = self.turn(node, None, None, what, false, run);
        event.unwrap_or_else(|| self.bare_event(node, LEARNER, action))
    }

    fn bare_event(&mut self, node: NodeId, service: &str, action: Action) -> TraceEvent {
        let node = self.nodes.get(node).map_or_else(|| WORLD.to_owned(), |node| node.name.to_string());
        let what = EventKind::Action { action };
        let event = TraceEvent {
            seq: self.events,
            at_us: self.now_us,
            took_us: 0,
            node,
            service: service.to_owned(),
            cause: None,
            what,
            steps: Vec::new(),
            writes: Vec::new(),
            sent: Vec::new(),
        };
        self.tell(event)
    }
}

fn broker_process(actor: &mut NodeActor) -> Option<&mut crate::broker::Process> {
    actor.broker_mut()?.process_mut()
}

/// What an action needs its client to be.
#[derive(Clone, Copy)]
enum Wanted {
    Producer,
    WholeProducer,
    Consumer,
    WholeClient,
    Client,
    Administrator,
}

impl Wanted {
    const fn fits(self, role: &Role) -> bool {
        match self {
            Self::Producer => matches!(role, Role::Producer { .. } | Role::Bare { .. }),
            Self::WholeProducer => matches!(role, Role::Producer { .. }),
            Self::Consumer => matches!(role, Role::Consumer { .. }),
            Self::WholeClient => !matches!(role, Role::Bare { .. }),
            Self::Client => true,
            Self::Administrator => matches!(role, Role::Admin),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Producer => "producer",
            Self::WholeProducer => "producer with routes",
            Self::Consumer => "consumer",
            Self::WholeClient => "client with routes",
            Self::Client => "client",
            Self::Administrator => "administrator",
        }
    }
}
