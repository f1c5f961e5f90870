//! Periodic exchanges that change nothing are parked.
//!
//! A registration, a heartbeat or a route poll that repeats the one before leaves nothing behind but "seen at". Once
//! such a round has ended quietly the service leaves the queue, and the rounds that would have followed are counted
//! instead of run: whatever reads "seen at" finds the time of the last one. Anything that could make a round matter
//! again (a pause, a broken connection, a changed table) brings all of them back, each on its own grid.

use super::{World, lane::Parked, lane::Wake, queue::NodeId, queue::Pending};
use crate::node::{ConnId, Moment, Service};

impl World {
    pub(super) fn park(&mut self, node: NodeId, service: Service, next_us: i64, period_us: i64) {
        let disturbances = self.disturbances;
        let Some(lane) = self.lane_mut(node, service) else { return };
        // What came while the round was under way is not in its answer: the next round has to show whether it matters.
        if lane.parked.is_some() || lane.round_began != disturbances {
            return;
        }
        lane.wake = None;
        lane.parked = Some(Parked { next_us, period_us: period_us.max(1) });
        let conns = lane.round.clone();
        self.parked.insert((node, service));
        self.schedule(node, service);
        for conn in conns {
            self.renew((node, service), conn, None, 1);
        }
    }

    /// Leaves behind what the rounds up to now would have left.
    pub(super) fn settle(&mut self) {
        self.settle_streams();
        self.settle_polls();
        let now_us = self.now_us;
        let parked = |(node, service): &(NodeId, Service)| self.nodes.get(*node)?.lanes.get(service)?.parked;
        let due = self.parked.iter().filter(|lane| parked(lane).is_some_and(|parked| parked.next_us <= now_us));
        for (node, service) in due.copied().collect::<Vec<_>>() {
            let Some(lane) = self.lane_mut(node, service) else { continue };
            let Some(parked) = &mut lane.parked else { continue };
            let last_us = parked.pass(now_us);
            let conns = lane.round.clone();
            self.tell_passed(node, service, None, last_us);
            for conn in conns {
                self.renew((node, service), conn, Some(last_us), 0);
                if let Some(state) = self.network.conns.get(&conn) {
                    let far = state.far(node);
                    self.tell_passed(far, service, Some(conn), last_us.saturating_add(self.cluster.costs.link_us));
                }
            }
        }
    }

    /// Tells a node of rounds of a service that passed, the last at `last_us` by its reckoning.
    fn tell_passed(&mut self, node: NodeId, service: Service, conn: Option<ConnId>, last_us: i64) {
        if let Some(node) = self.nodes.get_mut(node) {
            let last = Moment { at_us: last_us, wall_ms: node.wall_ms(last_us) };
            node.actor.as_actor_mut().rounds_passed(service, conn, last);
        }
    }

    /// Brings every parked exchange back.
    pub(super) fn unpark_all(&mut self) {
        self.unpark_streams(|_| true);
        self.unpark(|_| true);
    }

    /// Brings the parked exchanges of those services back that `which` names.
    pub(super) fn unpark(&mut self, which: impl Fn(Service) -> bool) {
        self.disturbances = self.disturbances.wrapping_add(1);
        self.unpark_polls();
        if !self.parked.iter().any(|(_, service)| which(*service)) {
            return;
        }
        self.settle();
        let (back, stay) = std::mem::take(&mut self.parked).into_iter().partition(|(_, service)| which(*service));
        self.parked = stay;
        let back: std::collections::BTreeSet<(NodeId, Service)> = back;
        for (node, service) in back {
            let Some(lane) = self.lane_mut(node, service) else { continue };
            let Some(parked) = lane.parked.take() else { continue };
            let at_us = lane.wake.map_or(parked.next_us, |wake| wake.at_us.min(parked.next_us));
            lane.wake = Some(Wake::new(at_us, None));
            let conns = lane.round.clone();
            self.schedule(node, service);
            for conn in conns {
                self.renew((node, service), conn, None, -1);
                self.check_idle(conn);
            }
        }
        for node in 0..self.nodes.len() {
            self.quiet_turn(node, |actor, turn| actor.disturbed(turn));
        }
    }

    /// Brings the parked polls of a service back, because of the event `cause`; the next round of each has work to do.
    pub(super) fn rouse(&mut self, service: Service, cause: Option<u64>) {
        self.unpark(|other| other == service);
        for node in 0..self.nodes.len() {
            let Some(lane) = self.lane_mut(node, service) else { continue };
            if let Some(wake) = &mut lane.wake {
                wake.work = true;
                wake.cause = wake.cause.or(cause);
                self.schedule(node, service);
            }
        }
    }

    /// The next turn of a service is housekeeping from here on.
    pub(super) fn calm(&mut self, node: NodeId, service: Service) {
        if let Some(wake) = self.lane_mut(node, service).and_then(|lane| lane.wake.as_mut()) {
            *wake = Wake::new(wake.at_us, None);
            self.schedule(node, service);
        }
    }

    /// Tells the far end of `conn` of rounds of a service that passed, the last begun at `last_us`, and counts the parked
    /// exchanges over it up or down.
    fn renew(&mut self, (from, service): (NodeId, Service), conn: ConnId, last_us: Option<i64>, change: i32) {
        let link_us = self.cluster.costs.link_us;
        let Some(state) = self.network.conns.get_mut(&conn) else { return };
        state.parked = state.parked.saturating_add_signed(change);
        let far = state.far(from);
        if let Some(last_us) = last_us {
            state.last_io_us = state.last_io_us.max(last_us.saturating_add(2 * link_us));
        }
        if let Some(node) = self.nodes.get_mut(far) {
            let at_ms = last_us.map_or(i64::MIN, |last_us| node.wall_ms(last_us.saturating_add(link_us)));
            node.actor.as_actor_mut().renewed(service, conn, at_ms, change >= 0);
        }
    }

    /// Sees to it that an idle check of `conn` is in the queue, unless parked exchanges keep it busy.
    pub(super) fn check_idle(&mut self, conn: ConnId) {
        let Some(state) = self.network.conns.get_mut(&conn) else { return };
        // Silence on a connection for replication is for its ends to judge.
        if state.idle_check || state.stream || state.parked > 0 {
            return;
        }
        state.idle_check = true;
        let at_us = state.last_io_us.saturating_add(super::network::IDLE_US).max(self.now_us);
        self.queue.push(at_us, Pending::Idle(conn), None, true);
    }
}
