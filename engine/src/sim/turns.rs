//! Turns: a lane's next piece of work, what it did, and what follows from it.

use std::sync::Arc;

use super::{
    EventKind, NodeActor, Sent, TraceEvent, World,
    hash::hash_event,
    journal,
    lane::{Parked, Wake, Work, WorkKind},
    life::HangUp,
    queue::{NodeId, Pending},
    streams::{Dial, Piece},
    world::WORLD,
};
use crate::{
    disk::memory::DiskOp,
    node::{Actor, BrokerStep, Effect, NodeStep, Outcome, Service, Turn},
    wire::{Response, ResponseCode},
};

/// A turn that was run.
struct Ran {
    outcome: Outcome,
    /// What it did to the disk, if that was noted.
    ops: Vec<DiskOp>,
    /// Whether it did anything to the disk.
    changed: bool,
}

impl World {
    /// Puts the lane's entry in the queue to where it belongs now.
    pub(super) fn schedule(&mut self, node: NodeId, service: Service) {
        let now_us = self.now_us;
        let Some(state) = self.nodes.get_mut(node) else { return };
        let paused = state.paused;
        let Some(lane) = state.lanes.get_mut(&service).map(Arc::make_mut) else { return };
        if let Some(key) = lane.scheduled.take() {
            self.queue.remove(key);
        }
        let stands_still = paused || lane.paused;
        let due = lane.due(service, now_us).filter(|_| !stands_still);
        let waits = !lane.inbox.is_empty() && due.is_none_or(|(at_us, _)| at_us > now_us);
        if let Some((at_us, housekeeping)) = due {
            lane.scheduled = Some(self.queue.push(at_us, Pending::Lane(node, service), None, housekeeping));
        }
        if waits {
            self.plan_clearing(node, service);
        } else {
            self.calm_clearing(node);
        }
    }

    /// Gives a lane something to do. Where there is no process, nobody is there to do it.
    pub(super) fn deliver(&mut self, node: NodeId, service: Service, work: Work) {
        let here = self.nodes.get_mut(node).filter(|node| !node.down);
        if let Some(lane) = here.and_then(|node| node.lanes.get_mut(&service)) {
            Arc::make_mut(lane).inbox.push_back(work);
            self.schedule(node, service);
        }
    }

    /// One turn of a lane: what waits in its inbox first, else its own time.
    pub(super) fn lane_turn(&mut self, node: NodeId, service: Service) -> Option<TraceEvent> {
        let (now_us, disturbances) = (self.now_us, self.disturbances);
        let lane = self.lane_mut(node, service)?;
        lane.scheduled = None;
        let waits = lane.inbox.front().map(|work| work.cause);
        let woken = lane.wake.filter(|wake| wake.at_us <= now_us).map(|wake| wake.cause);
        // A put that has the append lock comes to its end before those that wait for the pool.
        let goes_on = service == Service::Put && woken.is_some();
        let first = if goes_on { woken } else { waits.or(woken) };
        if let Some(cause) = first
            && let Some(event) = self.falls(node, service, cause)
        {
            return Some(event);
        }
        let lane = self.lane_mut(node, service)?;
        if !goes_on && let Some(work) = lane.inbox.pop_front() {
            let event = self.work(node, service, work);
            self.schedule(node, service);
            return event;
        }
        let wake = lane.wake.filter(|wake| wake.at_us <= now_us);
        let mut event = None;
        if let Some(wake) = wake {
            lane.wake = None;
            lane.round.clear();
            lane.round_began = disturbances;
            let housekeeping = wake.is_housekeeping(service);
            if service == Service::FastFailure {
                let event = self.clear_queues(node, wake.cause);
                self.schedule(node, service);
                return event;
            }
            event = self.turn(node, Some(service), wake.cause, EventKind::Turn, housekeeping, |actor, turn| {
                actor.as_actor_mut().wake(service, turn);
            });
        }
        self.schedule(node, service);
        event
    }

    fn work(&mut self, node: NodeId, service: Service, work: Work) -> Option<TraceEvent> {
        let stream = matches!(work.kind, WorkKind::Opened { .. } | WorkKind::Unopened | WorkKind::Bytes { .. });
        if stream {
            return self.stream_work(node, service, work);
        }
        let Work { kind, cause, housekeeping } = work;
        match kind {
            WorkKind::Opened { .. } | WorkKind::Unopened | WorkKind::Bytes { .. } => None,
            WorkKind::Request { caller, request, .. } => {
                let what = EventKind::Request { code: request.code(), from: caller.name.clone() };
                self.turn(node, Some(service), cause, what, housekeeping, |actor, turn| {
                    turn.tell(|| NodeStep::RequestReceived { code: request.code(), from: caller.name.clone() });
                    turn.spend_us(turn.costs().request_us);
                    actor.as_actor_mut().request(&caller, request, turn);
                })
            }
            WorkKind::TurnedAway { caller, code, remark } => {
                let what = EventKind::Request { code, from: caller.name.clone() };
                self.turn(node, Some(service), cause, what, housekeeping, |_, turn| {
                    turn.tell(|| NodeStep::RequestReceived { code, from: caller.name.clone() });
                    let code = ResponseCode::SystemBusy;
                    turn.step(BrokerStep::Refused { code, remark: remark.to_owned() });
                    turn.reply(&caller, Response::failure(code, remark));
                })
            }
            WorkKind::Answer { request, answer } => {
                let from = answer.from.clone();
                let what = match &answer.result {
                    Ok(response) => EventKind::Response { request, code: response.code, from },
                    Err(crate::node::CallError::Timeout { .. }) => EventKind::Timeout { request, to: from },
                    Err(_) => EventKind::Failed { request, to: from },
                };
                self.turn(node, Some(service), cause, what, housekeeping, |actor, turn| {
                    turn.tell(|| match &answer.result {
                        Ok(response) => NodeStep::ResponseReceived {
                            code: response.code,
                            remark: response.remark.clone(),
                            from: answer.from.clone(),
                        },
                        Err(crate::node::CallError::Timeout { timeout_ms, .. }) => NodeStep::RequestTimedOut {
                            code: request,
                            to: answer.from.clone(),
                            timeout_ms: *timeout_ms,
                        },
                        Err(error) => {
                            NodeStep::RequestFailed { code: request, to: answer.from.clone(), cause: error.to_string() }
                        }
                    });
                    actor.as_actor_mut().answer(service, answer, turn);
                })
            }
            WorkKind::Closed { conn, peer, cause: reason } => {
                let what = EventKind::Disconnected { peer: peer.clone() };
                self.turn(node, Some(service), cause, what, housekeeping, |actor, turn| {
                    turn.tell(|| NodeStep::ConnectionClosed { peer: peer.clone(), cause: reason.to_owned() });
                    actor.as_actor_mut().closed(service, conn, turn);
                    actor.as_actor_mut().parted(&peer, turn);
                })
            }
        }
    }

    /// Runs a turn of `service` at `node` now, or of the learner there. `None`: nothing was done in it.
    pub(super) fn turn(
        &mut self,
        node: NodeId,
        service: Option<Service>,
        cause: Option<u64>,
        what: EventKind,
        housekeeping: bool,
        run: impl FnOnce(&mut NodeActor, &mut Turn<'_>),
    ) -> Option<TraceEvent> {
        let trap = self.lay_trap(node, service);
        let Ran { outcome, ops, changed } = self.run(node, run)?;
        if let Some(trap) = trap.filter(|trap| trap.is_met_by(&ops)) {
            return Some(self.crash(node, trap, ops, outcome, service, cause, what));
        }
        let writes = if self.muted { Vec::new() } else { journal::told(ops, outcome.count) };
        let at_us = self.now_us;
        if let Some(lane) = service.and_then(|service| self.lane_mut(node, service)) {
            lane.busy_until_us = lane.busy_until_us.max(outcome.ended_us);
        }
        let silent = outcome.count == 0 && !changed;
        let seq = (!silent).then_some(self.events);
        let mut sent = Vec::new();
        for effect in outcome.effects {
            self.effect(node, effect, seq, housekeeping, &mut sent);
        }
        self.watch_polls(node, service, &what, !silent);
        let seq = seq?;
        let event = TraceEvent {
            seq,
            at_us,
            took_us: outcome.ended_us - at_us,
            node: self.name(node),
            service: service.map_or(super::LEARNER, Service::name).to_owned(),
            cause,
            what,
            steps: outcome.steps,
            writes,
            sent,
        };
        Some(self.tell(event))
    }

    /// Counts an event and takes it into the trace hash.
    pub(super) fn tell(&mut self, event: TraceEvent) -> TraceEvent {
        self.events += 1;
        if !self.muted {
            self.hash = hash_event(self.hash, &event);
        }
        event
    }

    /// A turn that only sets timers.
    pub(super) fn quiet_turn(&mut self, node: NodeId, run: impl FnOnce(&mut dyn Actor, &mut Turn<'_>)) {
        let Some(ran) = self.run(node, |actor, turn| run(actor.as_actor_mut(), turn)) else { return };
        for effect in ran.outcome.effects {
            if let Effect::Wake { service, at_us, .. } = effect {
                self.wake(node, service, at_us, None);
            }
        }
    }

    fn run(&mut self, node: NodeId, run: impl FnOnce(&mut NodeActor, &mut Turn<'_>)) -> Option<Ran> {
        let state = self.nodes.get_mut(node)?;
        let mut turn = Turn::new(
            self.events,
            self.now_us,
            state.wall_at_zero_ms,
            &self.cluster.costs,
            &mut state.streams,
            &self.names,
            self.network.next_call,
        );
        // A trap counts operations, and makes the disk anew from them.
        let noted = !self.muted || state.trap.is_some();
        if self.muted {
            turn.mute();
        }
        let before = journal::changes(&state.actor);
        if noted {
            journal::begin(&mut state.actor, &mut turn);
        }
        run(&mut state.actor, &mut turn);
        let outcome = turn.end();
        let ops = if noted { journal::take(&mut state.actor) } else { Vec::new() };
        let changed = journal::changes(&state.actor) != before;
        self.network.next_call = outcome.next_call;
        Some(Ran { outcome, ops, changed })
    }

    fn effect(&mut self, node: NodeId, effect: Effect, seq: Option<u64>, housekeeping: bool, sent: &mut Vec<Sent>) {
        match effect {
            Effect::Request { addr, request, call, manner, service, timeout_ms, leaves_us } => {
                let asking = super::wires::Asking { service, timeout_ms, manner };
                sent.extend(self.send_request(node, &addr, request, call, asking, leaves_us, seq, housekeeping));
            }
            Effect::Reply { caller, response, leaves_us } => {
                sent.extend(self.send_response(node, &caller, response, leaves_us, seq, housekeeping));
            }
            Effect::Notify { conn, request, leaves_us } => {
                sent.extend(self.send_notice(node, conn, request, leaves_us, seq, housekeeping));
            }
            Effect::Wake { service, at_us, cause } => {
                // A turn that turned out to be no event can be no cause.
                let cause = cause.filter(|cause| *cause < self.events || Some(*cause) == seq);
                self.wake(node, service, at_us, cause);
            }
            Effect::Park { service, next_us, period_us } => {
                if !self.cluster.show_quiet_rounds {
                    self.park(node, service, next_us, period_us);
                }
            }
            Effect::Disturb => self.unpark_all(),
            Effect::DisturbOnly { service } => self.unpark(|other| other == service),
            Effect::Rouse { service } => self.rouse(service, seq),
            Effect::Calm { service } => self.calm(node, service),
            Effect::Connect { addr, service, timeout_ms, leaves_us } => {
                self.open_stream(node, &Dial { addr, service, timeout_ms, leaves_us }, seq, housekeeping);
            }
            Effect::SendBytes { conn, bytes, label, quiet, leaves_us } => {
                sent.extend(self.send_bytes(node, conn, Piece { bytes, label, quiet, leaves_us }, seq, housekeeping));
            }
            Effect::ParkStream { service, conn, next_us, period_us } => {
                if !self.cluster.show_quiet_rounds {
                    self.park_stream(node, service, conn, Parked { next_us, period_us: period_us.max(1) });
                }
            }
            Effect::Close { conn } => self.close(node, conn, "closed", seq),
            Effect::StopListening => self.stop_listening(node, seq),
            Effect::Exit => self.end_process(node, HangUp::Close, seq),
        }
    }

    /// Gives a service a turn at `at_us`, or leaves an earlier one.
    pub(super) fn wake(&mut self, node: NodeId, service: Service, at_us: i64, cause: Option<u64>) {
        if self.parked.contains(&(node, service)) {
            self.unpark_all();
        }
        let Some(lane) = self.lane_mut(node, service) else { return };
        let wake = Wake::new(at_us, cause);
        lane.wake = Some(lane.wake.map_or(wake, |before| before.and(wake)));
        self.schedule(node, service);
    }

    /// The time that somebody wanted to let pass is over.
    pub(super) fn alarm(&mut self, cause: Option<u64>) -> TraceEvent {
        let event = TraceEvent {
            seq: self.events,
            at_us: self.now_us,
            took_us: 0,
            node: WORLD.to_owned(),
            service: super::LEARNER.to_owned(),
            cause,
            what: EventKind::Alarm,
            steps: Vec::new(),
            writes: Vec::new(),
            sent: Vec::new(),
        };
        self.tell(event)
    }
}
