//! Asking for routes: one question of a client at a time (`MQClientInstance.lockNamesrv`), and the poll that keeps all
//! routes fresh (`updateTopicRouteInfoFromNameServer`).

use std::collections::{BTreeSet, VecDeque};

use super::{Client, Role, Waiting};
use crate::{
    node::{Answer, Grid, NamesStep, Service, Turn},
    wire::{GetRouteInfo, Request},
};

/// The first poll after the start (`MQClientInstance.startScheduledTask`).
const FIRST_POLL_US: i64 = 10_000;

/// How long somebody waits for the lock (`LOCK_TIMEOUT_MILLIS`).
const LOCK_TIMEOUT_US: i64 = 3_000_000;

/// The lock that whoever asks for a route holds until the answer is taken in.
#[derive(Clone, Debug, Default)]
pub(super) struct RouteLock {
    held: bool,
    /// Those who wait for it, the longest first.
    waiting: VecDeque<Waits>,
}

/// Somebody who waits for the lock.
#[derive(Clone, Debug)]
struct Waits {
    service: Service,
    asked: String,
    until_us: i64,
    then: Waiting,
}

/// The round of route polls.
#[derive(Clone, Debug, Default)]
pub(super) struct Polling {
    /// Topics that an application has used.
    pub(super) topics: BTreeSet<String>,
    /// The round is under way.
    busy: bool,
    /// Topics that it has still to ask for.
    left: VecDeque<String>,
    /// Another round has come due meanwhile.
    late: bool,
    /// Something in it may be different the next time.
    unquiet: bool,
    next_us: i64,
}

impl RouteLock {
    /// Whether somebody has it.
    pub(super) const fn is_held(&self) -> bool {
        self.held
    }
}

impl Client {
    /// Asks for the route of `asked`, once nobody else does; `false`: there is no NameServer to ask.
    pub(super) fn ask_route(&mut self, asked: &str, then: Waiting, turn: &mut Turn<'_>) -> bool {
        self.ask_route_for(Service::Api, asked, then, turn)
    }

    pub(super) fn ask_route_for(&mut self, service: Service, asked: &str, then: Waiting, turn: &mut Turn<'_>) -> bool {
        if self.name_servers.addrs().is_empty() {
            return false;
        }
        if !self.route_lock.held {
            self.ask_with_lock(service, asked.to_owned(), then, turn);
            return true;
        }
        turn.step(NamesStep::RouteLockTaken { topic: asked.to_owned() });
        let until_us = turn.now_us().saturating_add(LOCK_TIMEOUT_US);
        self.route_lock.waiting.push_back(Waits { service, asked: asked.to_owned(), until_us, then });
        turn.wake_at(service, until_us);
        true
    }

    fn ask_with_lock(&mut self, service: Service, asked: String, then: Waiting, turn: &mut Turn<'_>) {
        let request = Request::GetRouteinfoByTopic(GetRouteInfo { topic: asked });
        self.route_lock.held = self.call_name_server(service, request, self.config.mq_client_api_timeout, then, turn);
    }

    /// An answer is taken in. Who waits longest is woken; whoever asks before that is sooner, since the lock is not fair.
    pub(super) fn unlock_routes(&mut self, turn: &mut Turn<'_>) {
        self.route_lock.held = false;
        if let Some(first) = self.route_lock.waiting.front() {
            turn.wake_for_work(first.service, turn.now_us());
        }
    }

    /// Those of a service who wait for the lock get it if it is free, or have waited long enough: then the route is not
    /// asked for, and they go on with what is known.
    pub(super) fn wait_for_lock(&mut self, service: Service, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        loop {
            let RouteLock { held, waiting } = &mut self.route_lock;
            let over = |waits: &Waits| waits.service == service && (!*held || waits.until_us <= now_us);
            let Some(Waits { asked, then, .. }) = waiting.iter().position(over).and_then(|place| waiting.remove(place))
            else {
                break;
            };
            if !*held {
                self.ask_with_lock(service, asked, then, turn);
                continue;
            }
            turn.step(NamesStep::RouteLockMissed { topic: asked });
            match then {
                Waiting::Poll(_) => self.poll_next(turn),
                Waiting::SendRoute { job, asked } => self.send_with_route(job, &asked, turn),
                Waiting::Route { then, .. } => self.go_on_after(*then, None, turn),
                _ => {}
            }
        }
        let of_service = self.route_lock.waiting.iter().filter(|waits| waits.service == service);
        if let Some(until_us) = of_service.map(|waits| waits.until_us).min() {
            turn.wake_at(service, until_us);
        }
    }

    pub(super) fn start_polling(&mut self, turn: &mut Turn<'_>) {
        let period_us = self.config.poll_name_server_interval.saturating_mul(1000);
        self.poll = Grid::new(turn.now_us().saturating_add(FIRST_POLL_US), period_us);
        if matches!(self.role, Role::Producer { .. }) {
            self.polling.topics.insert(self.config.create_topic_key.clone());
        }
        self.polling.next_us = self.poll.start_us;
        turn.wake_at(Service::RoutePoll, self.poll.start_us);
    }

    /// A turn of the polling thread: the lock that it waits for, the next round, or both.
    pub(super) fn poll_routes(&mut self, turn: &mut Turn<'_>) {
        self.wait_for_lock(Service::RoutePoll, turn);
        let due = turn.now_us() >= self.polling.next_us;
        if due {
            self.polling.next_us = self.poll.after(turn.now_us());
        }
        turn.wake_at(Service::RoutePoll, self.polling.next_us);
        if due && self.polling.busy {
            self.polling.late = true;
        } else if due {
            self.polling.unquiet = false;
            self.begin_round(turn);
        }
    }

    /// Asks for every topic that is in use, one after the other.
    fn begin_round(&mut self, turn: &mut Turn<'_>) {
        self.polling.busy = true;
        self.polling.left = self.polling.topics.iter().cloned().collect();
        self.poll_next(turn);
    }

    fn poll_next(&mut self, turn: &mut Turn<'_>) {
        while let Some(topic) = self.polling.left.pop_front() {
            self.polling.unquiet |= self.route_lock.held;
            if self.ask_route_for(Service::RoutePoll, &topic, Waiting::Poll(topic.clone()), turn) {
                return;
            }
        }
        self.polling.busy = false;
        if std::mem::take(&mut self.polling.late) {
            self.polling.unquiet = true;
            self.begin_round(turn);
        } else if !self.polling.unquiet {
            // The same question has the same answer until the tables of the NameServer change. Without a NameServer there
            // is nobody to ask, in the next round neither.
            turn.park(Service::RoutePoll, self.polling.next_us, self.poll.period_us);
        }
    }

    /// A topic has been asked for. Where no NameServer could be reached the round is over: the exception that tells of it
    /// ends the loop over the topics.
    pub(super) fn polled(&mut self, topic: &str, answer: Answer, turn: &mut Turn<'_>) {
        if self.take_route(topic, topic, answer, turn).is_some() {
            self.polling.unquiet = true;
            self.polling.left.clear();
        }
        self.poll_next(turn);
    }

    /// A topic is in use from now on: the poll includes it.
    pub(super) fn use_topic(&mut self, topic: &str, turn: &mut Turn<'_>) {
        if self.polls() && self.polling.topics.insert(topic.to_owned()) {
            turn.disturb();
        }
    }
}
