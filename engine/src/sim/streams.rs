//! Connections for replication: TCP with bytes in both directions, and no requests. What they carry is the brokers'
//! business.
//!
//! While nothing is replicated only heartbeats go over them. Those are parked like other quiet rounds, but one by one
//! connection and direction, and a put brings back those of its own connection only.

use bytes::Bytes;

use super::{
    EventKind, Sent, SentKind, TraceEvent, World,
    lane::{Parked, Work, WorkKind},
    network::{Flight, Frame, Link, RETRANSMIT_US, Way},
    queue::{NodeId, Pending},
};
use crate::node::{ConnId, Moment, Service};

/// An attempt to open a connection for replication.
#[derive(Clone, Debug)]
pub(super) struct Dial {
    pub(super) addr: String,
    /// The lane that takes in what comes of it.
    pub(super) service: Service,
    pub(super) timeout_ms: i64,
    pub(super) leaves_us: i64,
}

/// Bytes to be sent on a connection for replication.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) bytes: Bytes,
    pub(super) label: String,
    /// They only say that the sender is alive.
    pub(super) quiet: bool,
    pub(super) leaves_us: i64,
}

impl World {
    /// Opens a connection. Its client knows after a round trip, its server one way later.
    pub(super) fn open_stream(&mut self, node: NodeId, dial: &Dial, cause: Option<u64>, housekeeping: bool) {
        let link_us = self.cluster.costs.link_us;
        let ready_us = dial.leaves_us.saturating_add(link_us.saturating_mul(2));
        match self.reach(node, dial, ready_us) {
            Ok(server) => {
                let conn = self.network.open_stream(node, server, ready_us);
                let id = self.network.flight_id();
                let (way, frame) = (Way::ToClient, Frame::Opened);
                let flight = Flight { id, conn, way, frame, leaves_us: ready_us, cause, housekeeping };
                self.queue.push(ready_us, Pending::Arrive(Box::new(flight)), cause, housekeeping);
                self.put_on_wire(
                    conn,
                    Way::ToServer,
                    Frame::Opened,
                    SentKind::Replica,
                    "",
                    ready_us,
                    cause,
                    housekeeping,
                );
            }
            Err(known_us) => {
                self.queue.push(known_us, Pending::Unopened(node, dial.service), cause, housekeeping);
            }
        }
    }

    /// The node that listens at an address, or the time at which it is known that nobody answers there.
    fn reach(&self, node: NodeId, dial: &Dial, ready_us: i64) -> Result<NodeId, i64> {
        let refused_us = ready_us.saturating_add(self.cluster.costs.refuse_us);
        let silent_us = dial.leaves_us.saturating_add(dial.timeout_ms.saturating_mul(1000));
        let server = *self.ha_servers.get(&dial.addr).ok_or(refused_us)?;
        match self.network.link(node, server) {
            Some(Link::Cut) => Err(refused_us),
            Some(Link::Stalled) => Err(silent_us),
            None if !self.has_power(server) => Err(silent_us),
            None if !self.replicates(server) => Err(refused_us),
            None => Ok(server),
        }
    }

    /// Whether a broker's replication listens: its store has been started.
    fn replicates(&self, node: NodeId) -> bool {
        match self.nodes.get(node).map(|node| &node.actor) {
            Some(super::NodeActor::Broker(broker)) => broker.store().is_some_and(crate::store::Store::is_running),
            _ => false,
        }
    }

    pub(super) fn send_bytes(
        &mut self,
        node: NodeId,
        conn: ConnId,
        piece: Piece,
        cause: Option<u64>,
        housekeeping: bool,
    ) -> Option<Sent> {
        let state = self.network.conns.get(&conn).filter(|state| state.closed_by != Some(node))?;
        let way = if state.client == node { Way::ToServer } else { Way::ToClient };
        if !piece.quiet {
            self.unpark_streams(|stream| stream == conn);
        }
        let Piece { bytes, label, quiet, leaves_us } = piece;
        let frame = Frame::Bytes { bytes, label: label.clone() };
        self.put_on_wire(conn, way, frame, SentKind::Replica, &label, leaves_us, cause, housekeeping || quiet)
    }

    /// Bytes on a connection for replication have reached nobody.
    pub(super) fn note_unheard(&mut self, flight: &Flight) {
        let (conn, way, since_us) = (flight.conn, flight.way, flight.leaves_us);
        let Some(state) = self.network.conns.get_mut(&conn).filter(|state| state.stream) else { return };
        if let Some(oldest_us @ None) = state.unheard_us.get_mut(way.index()) {
            *oldest_us = Some(since_us);
            self.queue.push(since_us.saturating_add(RETRANSMIT_US), Pending::Unheard(conn, way), None, true);
        }
    }

    /// Whoever has sent bytes in vain for [`RETRANSMIT_US`] loses the connection.
    pub(super) fn give_up_unheard(&mut self, conn: ConnId, way: Way) {
        let Some(state) = self.network.conns.get(&conn) else { return };
        let sender = if way == Way::ToServer { state.client } else { state.server };
        let oldest_us = state.unheard_us.get(way.index()).copied().flatten();
        if oldest_us.is_some_and(|oldest_us| oldest_us.saturating_add(RETRANSMIT_US) <= self.now_us) {
            self.close(sender, conn, "connection timed out", None);
        }
    }

    /// What has arrived on a connection for replication goes to the service that reads there.
    pub(super) fn stream_arrived(&mut self, flight: Flight, from: NodeId, to: NodeId) {
        let Flight { conn, way, frame, cause, housekeeping, .. } = flight;
        let peer = self.name(from);
        let (service, kind) = match (frame, way) {
            (Frame::Opened, Way::ToServer) => (Service::HaAccept, WorkKind::Opened { conn, peer }),
            (Frame::Opened, Way::ToClient) => (Service::HaClient, WorkKind::Opened { conn, peer }),
            (Frame::Bytes { bytes, label }, Way::ToServer) => {
                (Service::HaRead, WorkKind::Bytes { conn, bytes, label, from: peer })
            }
            (Frame::Bytes { bytes, label }, Way::ToClient) => {
                (Service::HaClient, WorkKind::Bytes { conn, bytes, label, from: peer })
            }
            _ => return,
        };
        self.deliver(to, service, Work { kind, cause, housekeeping });
    }

    /// The turn of a service that a connection for replication has something for.
    pub(super) fn stream_work(&mut self, node: NodeId, service: Service, work: Work) -> Option<TraceEvent> {
        let Work { kind, cause, housekeeping } = work;
        match kind {
            WorkKind::Opened { conn, peer } => {
                // It may be gone again by the time somebody looks.
                self.network.conns.get(&conn)?;
                let what = EventKind::Connected { peer: peer.clone() };
                self.turn(node, Some(service), cause, what, housekeeping, |actor, turn| {
                    actor.as_actor_mut().connected(service, conn, &peer, turn);
                })
            }
            WorkKind::Unopened => {
                self.turn(node, Some(service), cause, EventKind::ConnectFailed, housekeeping, |actor, turn| {
                    actor.as_actor_mut().unconnected(service, turn);
                })
            }
            WorkKind::Bytes { conn, bytes, label, from } => {
                let what = EventKind::Bytes { from, label };
                self.turn(node, Some(service), cause, what, housekeeping, |actor, turn| {
                    actor.as_actor_mut().bytes(service, conn, &bytes, turn);
                })
            }
            _ => None,
        }
    }

    pub(super) fn park_stream(&mut self, node: NodeId, service: Service, conn: ConnId, parked: Parked) {
        if self.is_heard(node, conn) {
            self.parked_streams.insert((node, service, conn), parked);
            self.renew_stream(node, service, conn, None);
        }
    }

    /// Whether what `node` sends over `conn` arrives, and is read.
    fn is_heard(&self, node: NodeId, conn: ConnId) -> bool {
        let Some(state) = self.network.conns.get(&conn).filter(|state| state.closed_by.is_none()) else { return false };
        let far = state.far(node);
        let reader = if far == state.server { Service::HaRead } else { Service::HaClient };
        let reads = self
            .nodes
            .get(far)
            .is_some_and(|node| !node.paused && !node.down && node.lanes.get(&reader).is_some_and(|lane| !lane.paused));
        reads && self.network.link(node, far).is_none()
    }

    /// Leaves behind what the heartbeats up to now would have left.
    pub(super) fn settle_streams(&mut self) {
        let now_us = self.now_us;
        let due = self.parked_streams.iter().filter(|(_, parked)| parked.next_us <= now_us);
        for key @ (node, service, conn) in due.map(|(key, _)| *key).collect::<Vec<_>>() {
            let Some(parked) = self.parked_streams.get_mut(&key) else { continue };
            let last_us = parked.pass(now_us);
            self.renew_stream(node, service, conn, Some(last_us));
        }
    }

    /// Brings heartbeats back as events, those over the connections that `which` names.
    pub(super) fn unpark_streams(&mut self, which: impl Fn(ConnId) -> bool) {
        if !self.parked_streams.keys().any(|(_, _, conn)| which(*conn)) {
            return;
        }
        self.settle_streams();
        let (back, stay) =
            std::mem::take(&mut self.parked_streams).into_iter().partition(|((_, _, conn), _)| which(*conn));
        self.parked_streams = stay;
        let back: std::collections::BTreeMap<(NodeId, Service, ConnId), Parked> = back;
        for ((node, service, conn), parked) in back {
            self.wake(node, service, parked.next_us, None);
            self.renew_stream(node, service, conn, None);
            if let Some(far) = self.network.conns.get(&conn).map(|state| state.far(node)) {
                self.quiet_turn(far, |actor, turn| actor.disturbed(turn));
            }
        }
    }

    /// Tells both ends of heartbeats that passed, the last sent at `last_us`, and whether more may pass.
    fn renew_stream(&mut self, node: NodeId, service: Service, conn: ConnId, last_us: Option<i64>) {
        let link_us = self.cluster.costs.link_us;
        let parked = self.parked_streams.contains_key(&(node, service, conn));
        if let Some(node) = self.nodes.get_mut(node) {
            let last = last_us.map(|at_us| Moment { at_us, wall_ms: node.wall_ms(at_us) });
            node.actor.as_actor_mut().heartbeats_parked(service, conn, last, parked);
        }
        let Some(far) = self.network.conns.get(&conn).map(|state| state.far(node)) else { return };
        if let Some(node) = self.nodes.get_mut(far) {
            let at_ms = last_us.map_or(i64::MIN, |last_us| node.wall_ms(last_us.saturating_add(link_us)));
            node.actor.as_actor_mut().renewed(service, conn, at_ms, parked);
        }
    }
}
