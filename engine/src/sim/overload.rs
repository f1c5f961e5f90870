//! Requests at a node's door and in the queues of its pools: who is turned away, and who has waited too long.
//!
//! A lane's inbox is the queue in front of a thread pool. A request that finds its pool free never waits, and nothing of
//! this concerns it.

use super::{
    EventKind, TraceEvent, World,
    lane::{Lane, Work, WorkKind},
    queue::NodeId,
};
use crate::{
    node::{Caller, Cleared, Clearing, Moment, Pool, Service},
    wire::Request,
};

impl Work {
    /// The pool of a request that waits, and since when, milliseconds since the epoch.
    const fn waiting(&self) -> Option<(Pool, i64)> {
        match &self.kind {
            WorkKind::Request { request, since_ms, .. } => match Pool::of(request) {
                Some(pool) => Some((pool, *since_ms)),
                None => None,
            },
            _ => None,
        }
    }
}

impl Lane {
    fn waiting_of(&self, pool: Pool) -> usize {
        self.inbox.iter().filter(|work| work.waiting().is_some_and(|(of, _)| of == pool)).count()
    }

    /// The request of `pool` that has waited longest: its place, and since when it waits.
    fn oldest_of(&self, pool: Pool) -> Option<(usize, i64)> {
        self.inbox.iter().enumerate().find_map(|(place, work)| match work.waiting() {
            Some((of, since_ms)) if of == pool => Some((place, since_ms)),
            _ => None,
        })
    }
}

impl World {
    fn moment(&self, node: NodeId) -> Option<Moment> {
        let wall_ms = self.nodes.get(node)?.wall_ms(self.now_us);
        Some(Moment { at_us: self.now_us, wall_ms })
    }

    /// A request has arrived: it is queued for its service, or turned away (`NettyRemotingAbstract.processRequestCommand`).
    pub(super) fn take_in(
        &mut self,
        node: NodeId,
        caller: Caller,
        request: Request,
        cause: Option<u64>,
        housekeeping: bool,
    ) {
        let (Some(now), Some(state)) = (self.moment(node), self.nodes.get(node)) else { return };
        let actor = state.actor.as_actor();
        let service = actor.lane(&request);
        let turned_away = Pool::of(&request).and_then(|pool| {
            let waiting = state.lanes.get(&service).map_or(0, |lane| lane.waiting_of(pool));
            actor.turns_away(pool, waiting, now)
        });
        let (service, kind) = match turned_away {
            Some(remark) => (Service::Remoting, WorkKind::TurnedAway { caller, code: request.code(), remark }),
            None => (service, WorkKind::Request { caller, request, since_ms: now.wall_ms }),
        };
        self.deliver(node, service, Work { kind, cause, housekeeping });
    }

    /// When the oldest request of `pool` in `service`'s queue is to be cleared, as things stand.
    fn clearing(&self, node: NodeId, service: Service, pool: Pool) -> Option<(usize, i64, Clearing)> {
        let state = self.nodes.get(node)?;
        let (place, since_ms) = state.lanes.get(&service)?.oldest_of(pool)?;
        let clearing = state.actor.as_actor().clearing(pool, since_ms, self.moment(node)?)?;
        Some((place, since_ms, clearing))
    }

    /// Sees to it that somebody looks at the queue of `service` once a request has waited too long in it.
    pub(super) fn plan_clearing(&mut self, node: NodeId, service: Service) {
        for pool in Pool::CLEARED {
            let Some((place, _, Clearing { at_us, .. })) = self.clearing(node, service, pool) else { continue };
            let waiting = self.nodes.get(node).and_then(|node| node.lanes.get(&service)?.inbox.get(place));
            let cause = waiting.filter(|work| !work.housekeeping).and_then(|work| work.cause);
            self.wake(node, Service::FastFailure, at_us, cause);
        }
    }

    /// Nothing waits at the node any more: its next look at the queues finds nobody.
    pub(super) fn calm_clearing(&mut self, node: NodeId) {
        let Some(lanes) = self.nodes.get(node).map(|node| &node.lanes) else { return };
        let looks = lanes.get(&Service::FastFailure).and_then(|lane| lane.wake).is_some_and(|wake| wake.work);
        if looks && lanes.values().all(|lane| lane.inbox.is_empty()) {
            self.calm(node, Service::FastFailure);
        }
    }

    /// The same for all its queues: what counts as too long has changed.
    pub(super) fn plan_clearings(&mut self, node: NodeId) {
        let services: Vec<Service> =
            self.nodes.get(node).map(|node| node.lanes.keys().copied().collect()).unwrap_or_default();
        for service in services {
            self.plan_clearing(node, service);
        }
    }

    /// A round of the look at the queues: whoever has waited too long is answered. `None`: nobody has.
    pub(super) fn clear_queues(&mut self, node: NodeId, cause: Option<u64>) -> Option<TraceEvent> {
        let mut cleared = Vec::new();
        let mut housekeeping = true;
        let services: Vec<Service> = self.nodes.get(node)?.lanes.keys().copied().collect();
        for pool in Pool::CLEARED {
            for service in &services {
                while let Some(work) = self.take_overdue(node, *service, pool, &mut cleared) {
                    housekeeping &= work;
                }
            }
        }
        for service in services {
            self.schedule(node, service);
        }
        if cleared.is_empty() {
            return None;
        }
        self.turn(node, Some(Service::FastFailure), cause, EventKind::Turn, housekeeping, |actor, turn| {
            actor.as_actor_mut().cleared(cleared, turn);
        })
    }

    /// Takes the oldest request of `pool` out of `service`'s queue if its time is over; whether it was housekeeping.
    fn take_overdue(&mut self, node: NodeId, service: Service, pool: Pool, cleared: &mut Vec<Cleared>) -> Option<bool> {
        let now = self.moment(node)?;
        let (place, since_ms, clearing) = self.clearing(node, service, pool)?;
        if clearing.at_us > now.at_us {
            return None;
        }
        let lane = self.lane_mut(node, service)?;
        let Work { kind: WorkKind::Request { caller, request, .. }, housekeeping, .. } = lane.inbox.remove(place)?
        else {
            return None;
        };
        cleared.push(Cleared {
            caller,
            code: request.code(),
            reason: clearing.reason,
            waited_ms: now.wall_ms.saturating_sub(since_ms),
            left: lane.waiting_of(pool),
        });
        Some(housekeeping)
    }
}
