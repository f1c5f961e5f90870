//! Long polling that finds nothing passes unseen.
//!
//! A push consumer with nothing to consume has a pull waiting for each of its queues. After 15 s or 20 s a look of the
//! broker's service ends the wait, the pull is answered with nothing, and the same pull is sent again. All that such an
//! exchange leaves is the same state at a later time. So the world watches for that: each time when all pulls are held and
//! nothing is on its way, it takes down who waits for what, and how long still. Once that is what it was some time before,
//! everything that follows is a repetition, as long as it is left alone: the timers are taken out of the queue, and the
//! times move on by whole periods, as [`World::settle`] comes by. Whatever could make a difference brings the timers back:
//! something that happens while an exchange would be under way, an action, a disturbance, and every turn after which a
//! node's polling depends on something else than before. If the next exchange then ends when and as it would have ended
//! unseen, the repetition goes on from there. Only the order of what is due in one and the same microsecond may be another
//! than if the polls had been seen.

use std::collections::BTreeMap;

use super::{
    EventKind, NodeActor, World,
    queue::{NodeId, Pending},
};
use crate::{
    broker::Process,
    node::{CallId, ConnId, Service},
    wire::{PullMessage, RequestCode},
};

/// Quiet moments that are remembered. A look is every 5 s, and pulls of 15 s and of 20 s repeat together every 60 s.
const REMEMBERED: usize = 26;

/// What is known of the polls of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Polls {
    /// Quiet moments since the last disturbance, the oldest first.
    seen: Vec<Quiet>,
    /// When the exchange began that is under way.
    began_us: Option<i64>,
    repeating: Option<Repeating>,
    /// How they repeated themselves before they were brought back.
    before: Option<Repeating>,
}

/// A moment at which every pull is held.
#[derive(Clone, Debug)]
struct Quiet {
    /// When the exchange began that ended here.
    began_us: i64,
    at_us: i64,
    polls: Vec<Poll>,
    marks: BTreeMap<NodeId, u64>,
}

/// A pull that is held. Times are from the quiet moment on, microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Poll {
    client: NodeId,
    conn: ConnId,
    broker: NodeId,
    request: PullMessage,
    /// Its place among those that wait for the same queue.
    place: usize,
    asked_us: i64,
    deadline_us: i64,
    until_us: i64,
    /// The next look of the broker.
    look_us: i64,
}

/// Polls that repeat unseen.
#[derive(Clone, Debug)]
struct Repeating {
    /// Where the first period begins: here the last exchange that was seen ended, number 0.
    base_us: i64,
    period_us: i64,
    /// The exchanges of a period, in order, beginning with number 0.
    exchanges: Vec<Quiet>,
    /// The call of each pull.
    calls: BTreeMap<PollKey, CallId>,
    /// The number of the exchange whose end the nodes' state is that of.
    passed: i64,
}

/// Client, connection, topic, queue.
type PollKey = (NodeId, ConnId, String, i32);

impl Quiet {
    /// Whether it is another one, so much later.
    fn is_like(&self, other: &Self, later_us: i64) -> bool {
        self.at_us == other.at_us.saturating_add(later_us) && self.polls == other.polls && self.marks == other.marks
    }
}

impl Poll {
    fn key(&self) -> PollKey {
        (self.client, self.conn, self.request.topic.clone(), self.request.queue_id)
    }
}

impl Repeating {
    /// Exchange `number`: what it was like when it was seen, and how much later it takes place.
    fn exchange(&self, number: i64) -> Option<(&Quiet, i64)> {
        let count = i64::try_from(self.exchanges.len()).ok().filter(|count| *count > 0)?;
        let place = usize::try_from(number.rem_euclid(count)).ok()?;
        Some((self.exchanges.get(place)?, number.div_euclid(count).saturating_mul(self.period_us)))
    }

    /// The number of the last exchange of which `time` is not after `now_us`.
    fn last(&self, now_us: i64, time: impl Fn(&Quiet) -> i64) -> i64 {
        let periods = now_us.saturating_sub(self.base_us).div_euclid(self.period_us.max(1)).max(0);
        let mut number = periods.saturating_mul(i64::try_from(self.exchanges.len()).unwrap_or(i64::MAX));
        while self.exchange(number + 1).is_some_and(|(quiet, later_us)| time(quiet).saturating_add(later_us) <= now_us)
        {
            number += 1;
        }
        number
    }

    /// When the exchange began that is under way at `now_us`; `None`: there is none.
    fn under_way(&self, now_us: i64) -> Option<i64> {
        let number = self.last(now_us, |quiet| quiet.began_us);
        let (quiet, later_us) = self.exchange(number)?;
        let under_way = number > self.passed && now_us <= quiet.at_us.saturating_add(later_us);
        under_way.then(|| quiet.began_us.saturating_add(later_us))
    }
}

impl World {
    /// The turn of `service` at `node` is over; whether something was done in it.
    pub(super) fn watch_polls(&mut self, node: NodeId, service: Option<Service>, what: &EventKind, told: bool) {
        if let Some(repeating) = &self.polls.repeating {
            let mark = repeating.exchanges.first().and_then(|quiet| quiet.marks.get(&node)).copied();
            if mark.is_some() && self.polling(node) != mark {
                self.unpark_polls();
            }
            return;
        }
        let polls = matches!(service, Some(Service::PullHold | Service::Pull | Service::PullMessage))
            && match what {
                EventKind::Turn => true,
                EventKind::Request { code, .. } | EventKind::Response { request: code, .. } => {
                    *code == RequestCode::PullMessage
                }
                _ => false,
            };
        if told && polls && !self.cluster.show_quiet_rounds {
            self.polls.began_us.get_or_insert(self.now_us);
            self.look_for_repetition();
        }
    }

    fn polling(&self, node: NodeId) -> Option<u64> {
        self.nodes.get(node)?.actor.as_actor().polling()
    }

    /// If everything is quiet now, compares it with what was. What else took place in between leaves no mark: an exchange that
    /// it held up would have ended at another moment between two looks.
    fn look_for_repetition(&mut self) {
        let Some(polls) = self.quiet_polls() else { return };
        let began_us = self.polls.began_us.take().unwrap_or(self.now_us);
        let nodes = polls.iter().flat_map(|poll| [poll.client, poll.broker]);
        let marks: Option<BTreeMap<NodeId, u64>> = nodes.map(|node| Some((node, self.polling(node)?))).collect();
        let before = self.polls.before.take();
        let Some(marks) = marks else {
            self.polls.seen.clear();
            return;
        };
        let now = Quiet { began_us, at_us: self.now_us, polls, marks };
        if let Some(before) = before {
            let number = before.last(now.at_us, |quiet| quiet.at_us);
            if before.exchange(number).is_some_and(|(quiet, later_us)| now.is_like(quiet, later_us)) {
                let Repeating { base_us, period_us, exchanges, .. } = before;
                return self.repeat_polls(base_us, period_us, exchanges, number);
            }
        }
        if self.polls.seen.last().is_some_and(|last| last.marks != now.marks) {
            self.polls.seen.clear();
        }
        let alike = self.polls.seen.iter().rposition(|before| before.polls == now.polls && before.at_us < now.at_us);
        let at_us = now.at_us;
        self.polls.seen.push(now);
        if let Some(place) = alike {
            // What follows from here on is what followed then.
            let mut exchanges = self.polls.seen.split_off(place);
            self.polls.seen.clear();
            let period_us = at_us - exchanges.remove(0).at_us;
            exchanges.rotate_right(1);
            for exchange in exchanges.iter_mut().skip(1) {
                exchange.began_us += period_us;
                exchange.at_us += period_us;
            }
            self.repeat_polls(at_us, period_us, exchanges, 0);
        } else if self.polls.seen.len() > REMEMBERED {
            self.polls.seen.remove(0);
        }
    }

    /// Every pull of push consumers, if all of them are held and nothing else is: no answer and no request is on its way, and
    /// none is about to be sent.
    fn quiet_polls(&self) -> Option<Vec<Poll>> {
        let now_us = self.now_us;
        let mut held = BTreeMap::new();
        for (broker, node) in self.nodes.iter().enumerate() {
            if node.lanes.get(&Service::PullMessage).is_some_and(|lane| lane.wake.is_some() || !lane.inbox.is_empty()) {
                return None;
            }
            let NodeActor::Broker(actor) = &node.actor else { continue };
            let Some(process) = actor.process() else { continue };
            if process.has_woken_pulls() || node.lanes.get(&Service::Pull).is_some_and(|lane| !lane.inbox.is_empty()) {
                return None;
            }
            for pull in process.waiting_pulls() {
                let until_us = node.us_at_wall(pull.until_ms).saturating_sub(now_us);
                held.insert(pull.call?, (broker, pull.place, until_us, pull.request.clone()));
            }
        }
        let mut polls = Vec::new();
        for (id, call) in self.network.calls.iter().filter(|(_, call)| call.code == RequestCode::PullMessage) {
            let (broker, place, until_us, request) =
                held.remove(id).filter(|_| call.service == Service::PullMessage)?;
            let asked_us = self.nodes.get(call.node)?.actor.as_actor().polled_us(*id)?.saturating_sub(now_us);
            let look_us = self.nodes.get(broker)?.lanes.get(&Service::PullHold)?.wake?.at_us.saturating_sub(now_us);
            let deadline_us = call.deadline?.0.saturating_sub(now_us);
            let (client, conn) = (call.node, call.conn?);
            polls.push(Poll { client, conn, broker, request, place, asked_us, deadline_us, until_us, look_us });
        }
        polls.sort_by_key(Poll::key);
        (held.is_empty() && !polls.is_empty()).then_some(polls)
    }

    /// Takes the timers of the polls out of the queue, whose state is that of the end of exchange `passed`.
    fn repeat_polls(&mut self, base_us: i64, period_us: i64, exchanges: Vec<Quiet>, passed: i64) {
        let mut calls = BTreeMap::new();
        for node in 0..self.nodes.len() {
            let Some(NodeActor::Broker(broker)) = self.nodes.get(node).map(|node| &node.actor) else { continue };
            let pulls = broker.process().into_iter().flat_map(Process::waiting_pulls);
            let pulls: Vec<(CallId, String, i32)> = pulls
                .filter_map(|pull| Some((pull.call?, pull.request.topic.clone(), pull.request.queue_id)))
                .collect();
            for (id, topic, queue_id) in pulls {
                let Some(call) = self.network.calls.get_mut(&id) else { continue };
                let (Some(conn), client) = (call.conn, call.node) else { continue };
                if let Some(deadline) = call.deadline.take() {
                    self.queue.remove(deadline);
                }
                if let Some(state) = self.network.conns.get_mut(&conn) {
                    state.parked += 1;
                }
                calls.insert((client, conn, topic, queue_id), id);
            }
            if let Some(lane) = self.lane_mut(node, Service::PullHold) {
                lane.wake = None;
                self.schedule(node, Service::PullHold);
            }
        }
        self.polls.repeating = Some(Repeating { base_us, period_us, exchanges, calls, passed });
    }

    /// Brings the polls back if an exchange of theirs would be under way when the next thing happens.
    pub(super) fn meet_polls(&mut self) {
        let Some(repeating) = &self.polls.repeating else { return };
        let began_us = self.queue.next_us().and_then(|next_us| repeating.under_way(next_us));
        if let Some(began_us) = began_us {
            self.now_us = self.now_us.max(began_us.saturating_sub(1));
            self.unpark_polls();
        }
    }

    /// Leaves behind what the exchanges that are over by now would have left.
    pub(super) fn settle_polls(&mut self) {
        let Some(repeating) = &mut self.polls.repeating else { return };
        let number = repeating.last(self.now_us, |quiet| quiet.at_us);
        if number <= repeating.passed {
            return;
        }
        repeating.passed = number;
        let Some((quiet, later_us)) = repeating.exchange(number) else { return };
        let end_us = quiet.at_us.saturating_add(later_us);
        for poll in &quiet.polls {
            let Some(call) = repeating.calls.get(&poll.key()).copied() else { continue };
            if let Some(node) = self.nodes.get_mut(poll.broker) {
                let until_ms = node.wall_ms(end_us.saturating_add(poll.until_us));
                if let Some(broker) = node.actor.broker_mut() {
                    broker.pull_renewed(call, until_ms);
                }
            }
            if let Some(node) = self.nodes.get_mut(poll.client) {
                let asked_us = end_us.saturating_add(poll.asked_us);
                let asked_ms = node.wall_ms(asked_us);
                node.actor.as_actor_mut().polled(call, asked_us, asked_ms);
            }
            if let Some(conn) = self.network.conns.get_mut(&poll.conn) {
                conn.last_io_us = conn.last_io_us.max(end_us);
            }
        }
    }

    /// Brings the polls back: puts the timers into the queue that belong to their state.
    pub(super) fn unpark_polls(&mut self) {
        self.polls.seen.clear();
        self.settle_polls();
        let Some(repeating) = self.polls.repeating.take() else { return };
        let Some((quiet, later_us)) = repeating.exchange(repeating.passed) else { return };
        for poll in &quiet.polls {
            let Some(id) = repeating.calls.get(&poll.key()).copied() else { continue };
            if let Some(call) = self.network.calls.get_mut(&id) {
                let at_us = quiet.at_us.saturating_add(later_us).saturating_add(poll.deadline_us);
                call.deadline = Some(self.queue.push(at_us, Pending::Timeout(id), None, true));
            }
            if let Some(conn) = self.network.conns.get_mut(&poll.conn) {
                conn.parked = conn.parked.saturating_sub(1);
                self.check_idle(poll.conn);
            }
        }
        for node in 0..self.nodes.len() {
            self.quiet_turn(node, |actor, turn| actor.polls_back(turn));
        }
        self.polls.before = Some(repeating);
    }
}
