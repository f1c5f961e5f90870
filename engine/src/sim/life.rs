//! Processes that start and end, and what a node's end means for everybody else.

use std::sync::Arc;

use super::{
    EventKind, NodeActor, NodeState, TraceEvent, World,
    lane::Lane,
    network::{Frame, Way},
    queue::{NodeId, Pending},
    wires::closed_lane,
};
use crate::{
    broker::{LastStart, Phase},
    node::{CallId, ConnId, Service},
};

/// How the connections of a process end with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HangUp {
    /// Closed in order: what was sent before still arrives.
    Close,
    /// Reset by the machine, which lives on: what is under way is lost, and the others know at once.
    Reset,
    /// The machine has no power: nothing is said. The others learn of it by their own timeouts, or by the reset with
    /// which the machine answers once it is back.
    Silence,
}

impl World {
    /// The state of a node's process.
    pub(super) fn state_of(&self, id: NodeId) -> NodeState {
        let Some(node) = self.nodes.get(id) else { return NodeState::Down };
        if node.launch.is_some() {
            return NodeState::Starting;
        }
        if node.down {
            return NodeState::Down;
        }
        match &node.actor {
            NodeActor::Broker(broker) => match broker.process().map(crate::broker::Process::phase) {
                None => NodeState::Down,
                Some(Phase::Starting { .. }) => NodeState::Starting,
                Some(Phase::Running) => NodeState::Up,
                Some(Phase::Stopping(_)) => NodeState::Stopping,
            },
            NodeActor::Client(client) if client.is_stopping() => NodeState::Stopping,
            NodeActor::NameServer(_) | NodeActor::Client(_) | NodeActor::Database(_) => NodeState::Up,
        }
    }

    /// Whether a connection to the node is accepted.
    pub(super) fn listens(&self, id: NodeId) -> bool {
        self.state_of(id) == NodeState::Up
    }

    /// Whether the node's machine has power.
    pub(super) fn has_power(&self, id: NodeId) -> bool {
        self.nodes.get(id).is_some_and(|node| !node.off)
    }

    /// Has a node's process started at the present time. A machine without power gets it back, and answers what is
    /// left of its connections with a reset.
    pub(super) fn launch(&mut self, id: NodeId, cause: Option<u64>) {
        // A machine with power refuses attempts that got no answer before.
        self.unpark_all();
        let key = self.queue.push(self.now_us, Pending::Start(id), cause, false);
        if let Some(node) = self.nodes.get_mut(id) {
            node.launch = Some(key);
            node.off = false;
        }
        self.hang_up(id, HangUp::Reset, cause);
    }

    /// The process starts.
    pub(super) fn start(&mut self, id: NodeId, cause: Option<u64>) -> Option<TraceEvent> {
        if let Some(node) = self.nodes.get_mut(id) {
            node.launch = None;
            node.down = false;
        }
        let event = self.turn(id, Some(Service::Process), cause, EventKind::Started, false, |actor, turn| {
            actor.as_actor_mut().start(turn);
        });
        self.note_start(id);
        let event = event?;
        if let Some(broker) = self.nodes.get_mut(id).and_then(|node| node.actor.broker_mut()) {
            broker.set_last_start(LastStart::of(event.seq, &event.steps));
        }
        Some(event)
    }

    /// The process is gone: its memory, what waited for it, its timers, its calls and its connections. Its generators
    /// go on.
    pub(super) fn end_process(&mut self, id: NodeId, hang_up: HangUp, cause: Option<u64>) {
        // Exchanges with it that pass unseen would go on for ever.
        self.unpark_all();
        self.note_end(id, hang_up);
        let Some(node) = self.nodes.get_mut(id) else { return };
        node.down = true;
        node.off = hang_up == HangUp::Silence;
        node.paused = false;
        node.turn_trap = None;
        node.actor.as_actor_mut().die();
        let idle = Arc::new(Lane::default());
        for lane in node.lanes.values_mut() {
            if let Some(key) = std::mem::replace(lane, Arc::clone(&idle)).scheduled {
                self.queue.remove(key);
            }
        }
        if let Some(key) = node.launch.take() {
            self.queue.remove(key);
        }
        let calls: Vec<CallId> =
            self.network.calls.iter().filter(|(_, call)| call.node == id).map(|(call, _)| *call).collect();
        for call in calls {
            if let Some(key) = self.network.calls.remove(&call).and_then(|call| call.deadline) {
                self.queue.remove(key);
            }
        }
        self.hang_up(id, hang_up, cause);
    }

    fn hang_up(&mut self, id: NodeId, hang_up: HangUp, cause: Option<u64>) {
        let conns: Vec<ConnId> = self.network.of(id);
        match hang_up {
            HangUp::Silence => {}
            HangUp::Reset => {
                for conn in conns {
                    let Some(state) = self.network.conns.remove(&conn) else { continue };
                    let far = state.far(id);
                    if state.closed_by != Some(far) {
                        let lane = closed_lane(state.stream, far == state.client);
                        self.tell_closed(far, lane, conn, id, "connection reset", cause);
                    }
                }
            }
            HangUp::Close => {
                for conn in conns {
                    self.farewell(id, conn, cause);
                }
            }
        }
    }

    /// Closes every connection for requests that others opened to the node.
    pub(super) fn stop_listening(&mut self, id: NodeId, cause: Option<u64>) {
        self.unpark_all();
        for conn in self.network.of(id) {
            if self.network.conns.get(&conn).is_some_and(|state| state.server == id && !state.stream) {
                self.farewell(id, conn, cause);
            }
        }
    }

    /// Closes a connection at an end where nobody is left to be told of it.
    fn farewell(&mut self, id: NodeId, conn: ConnId, cause: Option<u64>) {
        let Some(state) = self.network.conns.get_mut(&conn) else { return };
        match state.closed_by {
            Some(closer) if closer == id => {}
            Some(_) => {
                self.network.conns.remove(&conn);
            }
            None => {
                state.closed_by = Some(id);
                let way = if state.client == id { Way::ToServer } else { Way::ToClient };
                let now_us = self.now_us;
                self.put_on_wire(conn, way, Frame::Fin, super::SentKind::Oneway, "", now_us, cause, false);
                self.check_idle(conn);
            }
        }
    }

    /// The lanes that a node begins with: its services, and the process itself.
    pub(super) fn lanes(actor: &NodeActor) -> std::collections::BTreeMap<Service, Arc<Lane>> {
        let services = actor.as_actor().services().into_iter();
        services.chain([Service::Process]).map(|service| (service, Arc::default())).collect()
    }
}
