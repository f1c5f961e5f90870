//! Frames on their way: sending, arriving, timing out, and connections that end.

use super::{
    NodeActor, Sent, SentKind, World,
    lane::{Work, WorkKind},
    network::{CONNECT_TIMEOUT_US, Call, Flight, Frame, IDLE_US, Link, Way},
    queue::{NodeId, Pending},
};
use crate::{
    message::Host,
    node::{Answer, CallError, CallId, Caller, ConnId, Manner, Service},
    wire::{Request, Response},
};

/// How a request is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking {
    /// The lane that takes the answer in.
    pub(super) service: Service,
    pub(super) timeout_ms: i64,
    pub(super) manner: Manner,
}

impl World {
    #[expect(clippy::too_many_arguments, reason = "a request and everything that is known of its sender")]
    pub(super) fn send_request(
        &mut self,
        node: NodeId,
        addr: &str,
        request: Request,
        call: CallId,
        asking: Asking,
        leaves_us: i64,
        cause: Option<u64>,
        housekeeping: bool,
    ) -> Option<Sent> {
        let Asking { service, timeout_ms, manner } = asking;
        let oneway = manner == Manner::Oneway;
        let code = request.code();
        let mut state = Call {
            node,
            service,
            conn: None,
            addr: addr.to_owned(),
            code,
            manner,
            timeout_ms,
            deadline: None,
            housekeeping,
        };
        let conn = match self.connect(node, addr, leaves_us) {
            Ok(conn) => conn,
            Err(known_us) => {
                self.network.calls.insert(call, state);
                self.queue.push(known_us, Pending::Unsent(call), cause, housekeeping);
                return None;
            }
        };
        if !oneway {
            let at_us = leaves_us.saturating_add(timeout_ms.saturating_mul(1000));
            state.conn = Some(conn);
            // A world is at rest while a pull is held.
            let patient = housekeeping || request.may_be_held();
            state.deadline = Some(self.queue.push(at_us, Pending::Timeout(call), cause, patient));
            self.network.calls.insert(call, state);
        }
        if let Some(lane) = self.lane_mut(node, service)
            && !lane.round.contains(&conn)
        {
            lane.round.push(conn);
        }
        let frame = Frame::Request { request, call: (!oneway).then_some(call) };
        let kind = if oneway { SentKind::Oneway } else { SentKind::Request };
        self.put_on_wire(conn, Way::ToServer, frame, kind, code.name(), leaves_us, cause, housekeeping)
    }

    pub(super) fn send_response(
        &mut self,
        _node: NodeId,
        caller: &Caller,
        response: Response,
        leaves_us: i64,
        cause: Option<u64>,
        housekeeping: bool,
    ) -> Option<Sent> {
        let label = response.code.name();
        let frame = Frame::Response { call: caller.call?, response };
        self.put_on_wire(caller.conn, Way::ToClient, frame, SentKind::Response, label, leaves_us, cause, housekeeping)
    }

    /// A one-way request from the server end of a connection. Nothing where there is no connection any more.
    pub(super) fn send_notice(
        &mut self,
        node: NodeId,
        conn: ConnId,
        request: Request,
        leaves_us: i64,
        cause: Option<u64>,
        housekeeping: bool,
    ) -> Option<Sent> {
        let state = self.network.conns.get(&conn)?;
        if state.server != node || state.closed_by == Some(node) {
            return None;
        }
        let label = request.code().name();
        let frame = Frame::Request { request, call: None };
        self.put_on_wire(conn, Way::ToClient, frame, SentKind::Oneway, label, leaves_us, cause, housekeeping)
    }

    /// The connection from `node` to `addr`, opened when there is none; or the time at which it is known that there
    /// can be none.
    fn connect(&mut self, node: NodeId, addr: &str, leaves_us: i64) -> Result<ConnId, i64> {
        let round_trip_us = self.cluster.costs.link_us.saturating_mul(2);
        let refused_us = leaves_us.saturating_add(round_trip_us).saturating_add(self.cluster.costs.refuse_us);
        let server = *self.servers.get(addr).ok_or(refused_us)?;
        if let Some(conn) = self.network.find(node, server) {
            return Ok(conn);
        }
        match self.network.link(node, server) {
            Some(Link::Cut) => Err(refused_us),
            Some(Link::Stalled) => Err(leaves_us.saturating_add(CONNECT_TIMEOUT_US)),
            None if !self.has_power(server) => Err(leaves_us.saturating_add(CONNECT_TIMEOUT_US)),
            None if !self.listens(server) => Err(refused_us),
            None => {
                let conn = self.network.open(node, server, leaves_us.saturating_add(round_trip_us));
                self.check_idle(conn);
                Ok(conn)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a frame and everything that is known of it")]
    pub(super) fn put_on_wire(
        &mut self,
        conn: ConnId,
        way: Way,
        frame: Frame,
        kind: SentKind,
        label: &str,
        leaves_us: i64,
        cause: Option<u64>,
        housekeeping: bool,
    ) -> Option<Sent> {
        let state = self.network.conns.get_mut(&conn)?;
        let leaves_us = leaves_us.max(state.ready_us);
        let last = state.last_arrival_us.get_mut(way.index())?;
        // Nothing overtakes what left before on the same connection.
        let arrives_us = leaves_us.saturating_add(self.cluster.costs.link_us).max(*last);
        *last = arrives_us;
        state.last_io_us = state.last_io_us.max(leaves_us);
        let to = if way == Way::ToServer { state.server } else { state.client };
        let id = self.network.flight_id();
        let flight = Flight { id, conn, way, frame, leaves_us, cause, housekeeping };
        self.queue.push(arrives_us, Pending::Arrive(Box::new(flight)), cause, housekeeping);
        Some(Sent { id, to: self.name(to), kind, label: label.to_owned(), leaves_us, arrives_us })
    }

    pub(super) fn arrive(&mut self, flight: Flight) {
        let now_us = self.now_us;
        let Some(state) = self.network.conns.get(&flight.conn) else { return };
        let (client, server, client_port) = (state.client, state.server, state.client_port);
        let to = if flight.way == Way::ToServer { server } else { client };
        let stalled = self.network.link(client, server) == Some(Link::Stalled);
        if stalled || !self.has_power(to) {
            self.note_unheard(&flight);
        }
        let Some(state) = self.network.conns.get_mut(&flight.conn) else { return };
        if stalled {
            if let Some(held) = state.held.get_mut(flight.way.index()) {
                held.push_back(flight);
            }
            return;
        }
        if state.closed_by == Some(to) {
            return;
        }
        state.last_io_us = state.last_io_us.max(now_us);
        let stream = state.stream;
        if matches!(flight.frame, Frame::Opened | Frame::Bytes { .. }) {
            self.stream_arrived(flight, client + server - to, to);
            return;
        }
        let Flight { conn, frame, cause, housekeeping, .. } = flight;
        match frame {
            Frame::Request { request, call } => {
                let from = client + server - to;
                let Some(far) = self.nodes.get(from) else { return };
                let host = match &far.actor {
                    NodeActor::Broker(broker) if from == server => *broker.store_host(),
                    _ => Host { ip: far.ip.into(), port: client_port },
                };
                let caller = Caller { conn, call, host, name: far.name.to_string() };
                self.take_in(to, caller, request, cause, housekeeping);
            }
            Frame::Response { call, response } => self.end_call(call, Ok(response), cause),
            Frame::Fin => {
                self.network.conns.remove(&conn);
                let lane = closed_lane(stream, to == client);
                self.tell_closed(to, lane, conn, client + server - to, "closed by the other end", cause);
            }
            Frame::Opened | Frame::Bytes { .. } => {}
        }
    }

    /// Hands a call's end to the lane that waits for it.
    fn end_call(&mut self, id: CallId, result: Result<Response, CallError>, cause: Option<u64>) {
        let Some(call) = self.network.calls.remove(&id) else { return };
        if let Some(key) = call.deadline {
            self.queue.remove(key);
        }
        let from = self.names.get(&call.addr).map_or_else(|| call.addr.clone(), ToString::to_string);
        let kind = WorkKind::Answer { request: call.code, answer: Answer { call: id, from, result } };
        self.deliver(call.node, call.service, Work { kind, cause, housekeeping: call.housekeeping });
    }

    pub(super) fn unsent(&mut self, id: CallId, cause: Option<u64>) {
        let Some(call) = self.network.calls.get(&id) else { return };
        let error = CallError::Connect { addr: call.addr.clone() };
        self.end_call(id, Err(error), cause);
    }

    /// A call is given up; if somebody stood still for it, its connection too (`clientCloseSocketIfTimeout`).
    pub(super) fn time_out(&mut self, id: CallId) {
        let Some(call) = self.network.calls.get(&id) else { return };
        let conn = call.conn.filter(|_| call.manner == Manner::Sync);
        let (node, timeout_ms) = (call.node, call.timeout_ms);
        let error = CallError::Timeout { addr: call.addr.clone(), timeout_ms };
        self.end_call(id, Err(error), None);
        if let Some(conn) = conn {
            self.close(node, conn, "timeout", None);
        }
    }

    /// A connection on which nothing has moved for [`IDLE_US`] is closed by the server, or by whichever end still runs
    /// and does not know yet that it is closed.
    pub(super) fn idle(&mut self, conn: ConnId) {
        let now_us = self.now_us;
        let Some(state) = self.network.conns.get_mut(&conn) else { return };
        state.idle_check = false;
        let due = state.last_io_us.saturating_add(IDLE_US);
        let (ends, closed_by) = ([state.server, state.client], state.closed_by);
        let runs = |node: &NodeId| self.nodes.get(*node).is_some_and(|node| !node.paused && !node.down);
        let closer = ends.into_iter().find(|node| closed_by != Some(*node) && runs(node));
        match closer {
            Some(node) if due <= now_us => self.close(node, conn, "idle", None),
            Some(_) => self.check_idle(conn),
            // Nobody looks at it; whoever goes on looks again.
            None => {}
        }
    }

    /// One end closes a connection. The other learns of it when everything sent before has arrived.
    pub(super) fn close(&mut self, node: NodeId, conn: ConnId, reason: &'static str, cause: Option<u64>) {
        let Some(state) = self.network.conns.get_mut(&conn) else { return };
        let far = state.far(node);
        let (stream, lane) = (state.stream, closed_lane(state.stream, node == state.client));
        match state.closed_by {
            Some(closer) if closer == node => return,
            Some(_) => {
                self.network.conns.remove(&conn);
            }
            None => {
                let way = if state.client == node { Way::ToServer } else { Way::ToClient };
                let now_us = self.now_us;
                self.put_on_wire(conn, way, Frame::Fin, SentKind::Oneway, "", now_us, cause, false);
                if let Some(state) = self.network.conns.get_mut(&conn) {
                    state.closed_by = Some(node);
                }
            }
        }
        self.tell_closed(node, lane, conn, far, reason, cause);
        if stream {
            self.unpark_streams(|other| other == conn);
        } else {
            self.unpark_all();
        }
        self.check_idle(conn);
    }

    /// Breaks a connection: what is under way on it is lost, and both ends know at once.
    pub(super) fn reset(&mut self, conn: ConnId, cause: Option<u64>) {
        let Some(state) = self.network.conns.remove(&conn) else { return };
        for node in [state.client, state.server] {
            if state.closed_by != Some(node) {
                let lane = closed_lane(state.stream, node == state.client);
                self.tell_closed(node, lane, conn, state.far(node), "connection reset", cause);
            }
        }
        self.unpark_all();
    }

    /// Tells a node that its connection is gone; its calls over it fail.
    pub(super) fn tell_closed(
        &mut self,
        node: NodeId,
        lane: Service,
        conn: ConnId,
        peer: NodeId,
        reason: &'static str,
        cause: Option<u64>,
    ) {
        let calls = self.network.calls.iter().filter(|(_, call)| call.conn == Some(conn) && call.node == node);
        let calls: Vec<(CallId, String)> = calls.map(|(id, call)| (*id, call.addr.clone())).collect();
        for (call, addr) in calls {
            self.end_call(call, Err(CallError::Closed { addr }), cause);
        }
        let kind = WorkKind::Closed { conn, peer: self.name(peer), cause: reason };
        // Of a connection for requests the node says who reads there.
        let reader = self.nodes.get(node).map(|node| node.actor.as_actor().reader());
        let lane = reader.filter(|_| lane == Service::Remoting).unwrap_or(lane);
        self.deliver(node, lane, Work { kind, cause, housekeeping: false });
    }

    /// Lets the bytes go on that a stalled link has held.
    pub(super) fn release(&mut self, conn: ConnId) {
        let now_us = self.now_us;
        let Some(state) = self.network.conns.get_mut(&conn) else { return };
        state.unheard_us = [None; 2];
        let held: Vec<Flight> = state.held.iter_mut().flat_map(std::mem::take).collect();
        for flight in held {
            let arrives_us = now_us.saturating_add(self.cluster.costs.link_us);
            if let Some(state) = self.network.conns.get_mut(&conn)
                && let Some(last) = state.last_arrival_us.get_mut(flight.way.index())
            {
                *last = (*last).max(arrives_us);
            }
            let (cause, housekeeping) = (flight.cause, flight.housekeeping);
            self.queue.push(arrives_us, Pending::Arrive(Box::new(flight)), cause, housekeeping);
        }
    }
}

/// The service that learns of the end of a connection: whoever reads there.
pub(super) const fn closed_lane(stream: bool, client: bool) -> Service {
    match (stream, client) {
        (false, _) => Service::Remoting,
        (true, true) => Service::HaClient,
        (true, false) => Service::HaRead,
    }
}
