//! Routes at the client: the choice of a NameServer, the tables, and the poll that keeps them fresh
//! (`MQClientInstance.updateTopicRouteInfoFromNameServer`).

use std::collections::{BTreeMap, BTreeSet};

use super::{After, Client, Role, Waiting};
use crate::{
    node::{Answer, Grid, NamesStep, NodeStep, Service, Turn},
    wire::{GetRouteInfo, PERM_READ, PERM_WRITE, Request, ResponseBody, ResponseCode, TopicRouteData},
};

/// The first poll after the start (`MQClientInstance.startScheduledTask`).
const FIRST_POLL_US: i64 = 10_000;

/// A queue as a client names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageQueue {
    /// The broker.
    pub broker_name: String,
    /// The queue.
    pub queue_id: i32,
}

/// The queues that a topic's messages can be sent to (`TopicPublishInfo`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishInfo {
    /// Brokers by name, queue ids ascending.
    pub queues: Vec<MessageQueue>,
    /// `ThreadLocalIndex`: drawn at the first use, then counted up.
    index: Option<i32>,
}

impl PublishInfo {
    pub(super) const fn new(queues: Vec<MessageQueue>) -> Self {
        Self { queues, index: None }
    }

    /// The place of the queue that the round robin comes to next; unknown before its first use, which draws it.
    pub fn next_place(&self) -> Option<usize> {
        let next = self.index?.wrapping_add(1) & i32::MAX;
        usize::try_from(next).ok()?.checked_rem(self.queues.len())
    }

    /// `ThreadLocalIndex.incrementAndGet`.
    pub(super) fn next_index(&mut self, turn: &mut Turn<'_>) -> i32 {
        let index = self.index.unwrap_or_else(|| turn.streams().next_i32("sendIndex").wrapping_abs()).wrapping_add(1);
        self.index = Some(index);
        index & i32::MAX
    }

    /// The next queue, whatever its broker.
    pub(super) fn step(&mut self, turn: &mut Turn<'_>) -> Option<MessageQueue> {
        let index = self.next_index(turn);
        self.at(index).cloned()
    }

    /// `TopicPublishInfo.selectOneMessageQueue`: the next queue, of another broker than the last if there is one.
    pub(super) fn select(&mut self, last_broker: Option<&str>, turn: &mut Turn<'_>) -> Option<MessageQueue> {
        if let Some(last) = last_broker {
            for _ in 0..self.queues.len() {
                let queue = self.step(turn)?;
                if queue.broker_name != last {
                    return Some(queue);
                }
            }
        }
        self.step(turn)
    }
}

/// When a client learnt what it knows of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// Since when its route is as it is, microseconds; `None` while it has none.
    pub changed_us: Option<i64>,
    /// When a NameServer last answered its question, microseconds. Rounds of a parked poll are not counted.
    pub asked_us: i64,
}

/// A client's route tables.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    table: BTreeMap<String, TopicRouteData>,
    learnt: BTreeMap<String, Learnt>,
    publish: BTreeMap<String, PublishInfo>,
    brokers: BTreeMap<String, BTreeMap<i64, String>>,
}

impl Routes {
    /// The routes as they came, by topic.
    pub const fn table(&self) -> &BTreeMap<String, TopicRouteData> {
        &self.table
    }

    /// When it learnt the route of a topic.
    pub fn learnt(&self, topic: &str) -> Option<Learnt> {
        self.learnt.get(topic).copied()
    }

    /// What can be sent to, by topic.
    pub const fn publish(&self) -> &BTreeMap<String, PublishInfo> {
        &self.publish
    }

    /// The addresses, by broker name and id.
    pub const fn brokers(&self) -> &BTreeMap<String, BTreeMap<i64, String>> {
        &self.brokers
    }

    pub(super) fn publish_mut(&mut self, topic: &str) -> Option<&mut PublishInfo> {
        self.publish.get_mut(topic).filter(|info| !info.queues.is_empty())
    }

    /// The master's address (`findBrokerAddressInPublish`).
    pub(super) fn master(&self, broker_name: &str) -> Option<&str> {
        self.brokers.get(broker_name)?.get(&0).map(String::as_str)
    }

    /// The broker that holds a queue, by its name.
    pub(super) fn holder(&self, topic: &str, queue_id: i32) -> Option<&str> {
        let route = self.table.get(topic)?;
        let holds = route.queue_datas.iter().find(|data| data.perm & PERM_READ != 0 && queue_id < data.read_queue_nums);
        let data = holds.or_else(|| route.queue_datas.first())?;
        Some(&data.broker_name)
    }

    /// The address that a queue is read from: the master's, else any.
    pub(super) fn reader(&self, topic: &str, queue_id: i32) -> Option<&str> {
        self.reader_like(self.holder(topic, queue_id)?, 0).map(|(_, addr)| addr)
    }

    /// The id and address of a broker to read from (`findBrokerAddressInSubscribe`): the one that is asked for; of
    /// slaves else the one after it; else any.
    pub(super) fn reader_like(&self, broker_name: &str, broker_id: i64) -> Option<(i64, &str)> {
        let addrs = self.brokers.get(broker_name)?;
        let next = broker_id.saturating_add(1);
        let wanted = addrs.get_key_value(&broker_id);
        let wanted = wanted.or_else(|| addrs.get_key_value(&next).filter(|_| broker_id != 0));
        wanted.or_else(|| addrs.first_key_value()).map(|(id, addr)| (*id, addr.as_str()))
    }

    /// Notes that a NameServer answered at `now_us`, and whether the route is another one now.
    fn learn(&mut self, topic: &str, changed: bool, now_us: i64) {
        let learnt = self.learnt.entry(topic.to_owned()).or_insert(Learnt { changed_us: None, asked_us: now_us });
        learnt.asked_us = now_us;
        if changed {
            learnt.changed_us = Some(now_us);
        }
    }

    /// Takes a route over; whether it differs from the one before. `default_for`: it is another topic's, taken for a
    /// topic that has none, with so many queues at most.
    pub(super) fn apply(&mut self, topic: &str, mut route: TopicRouteData, default_queues: Option<i32>) -> bool {
        if let Some(most) = default_queues {
            for data in &mut route.queue_datas {
                let queues = most.min(data.read_queue_nums);
                data.read_queue_nums = queues;
                data.write_queue_nums = queues;
            }
        }
        route.queue_datas.sort();
        route.broker_datas.sort();
        if self.table.get(topic) == Some(&route) && self.publish.contains_key(topic) {
            return false;
        }
        for broker in &route.broker_datas {
            self.brokers.insert(broker.broker_name.clone(), broker.broker_addrs.clone());
        }
        let has_master = |name: &str| {
            route.broker_datas.iter().any(|broker| broker.broker_name == name && broker.broker_addrs.contains_key(&0))
        };
        let queues = route
            .queue_datas
            .iter()
            .filter(|data| data.perm & PERM_WRITE != 0 && has_master(&data.broker_name))
            .flat_map(|data| {
                (0..data.write_queue_nums)
                    .map(|queue_id| MessageQueue { broker_name: data.broker_name.clone(), queue_id })
            })
            .collect();
        self.publish.insert(topic.to_owned(), PublishInfo::new(queues));
        self.table.insert(topic.to_owned(), route);
        true
    }
}

/// The round of route polls that is under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Polling {
    /// Topics that an application has used.
    pub(super) topics: BTreeSet<String>,
    open: usize,
    failed: bool,
    next_us: i64,
}

impl Client {
    /// Forgets addresses that no known route names (`cleanOfflineBroker`).
    pub(super) fn clean_offline_brokers(&mut self, turn: &mut Turn<'_>) {
        let Routes { table, brokers, .. } = &mut self.routes;
        let named = |addr: &String| {
            let mut known = table.values().flat_map(|route| &route.broker_datas);
            known.any(|broker| broker.broker_addrs.values().any(|other| other == addr))
        };
        let mut forgotten = Vec::new();
        for (name, addrs) in brokers.iter_mut() {
            addrs.retain(|id, addr| {
                let stays = named(addr);
                if !stays {
                    forgotten.push(format!("{name}/{id}"));
                }
                stays
            });
        }
        brokers.retain(|_, addrs| !addrs.is_empty());
        if !forgotten.is_empty() {
            turn.step(NamesStep::BrokersForgotten { brokers: forgotten });
        }
    }

    pub(super) fn start_polling(&mut self, turn: &mut Turn<'_>) {
        let period_us = self.config.poll_name_server_interval.saturating_mul(1000);
        self.poll = Grid::new(turn.now_us().saturating_add(FIRST_POLL_US), period_us);
        if matches!(self.role, Role::Producer { .. }) {
            self.polling.topics.insert(self.config.create_topic_key.clone());
        }
        turn.wake_at(Service::RoutePoll, self.poll.start_us);
    }

    /// Polls every topic that is in use.
    pub(super) fn poll_routes(&mut self, turn: &mut Turn<'_>) {
        let next_us = self.poll.after(turn.now_us());
        turn.wake_at(Service::RoutePoll, next_us);
        self.polling.open = 0;
        self.polling.failed = false;
        self.polling.next_us = next_us;
        let timeout_ms = self.config.mq_client_api_timeout;
        for topic in self.polling.topics.clone() {
            let request = Request::GetRouteinfoByTopic(GetRouteInfo { topic: topic.clone() });
            if self.call_name_server(Service::RoutePoll, request, timeout_ms, Waiting::Poll(topic), turn) {
                self.polling.open += 1;
            }
        }
        // Without a NameServer there is nobody to ask, in the next round neither.
        if self.polling.open == 0 {
            turn.park(Service::RoutePoll, next_us, self.poll.period_us);
        }
    }

    pub(super) fn polled(&mut self, topic: &str, answer: Answer, turn: &mut Turn<'_>) {
        self.polling.failed |= answer.result.is_err();
        self.take_route(topic, topic, answer, turn);
        self.polling.open = self.polling.open.saturating_sub(1);
        if self.polling.open == 0 && !self.polling.failed {
            // The same question has the same answer until the tables of the NameServer change.
            turn.park(Service::RoutePoll, self.polling.next_us, self.poll.period_us);
        }
    }

    /// A topic is in use from now on: the poll includes it.
    pub(super) fn use_topic(&mut self, topic: &str, turn: &mut Turn<'_>) {
        if self.polls() && self.polling.topics.insert(topic.to_owned()) {
            turn.disturb();
        }
    }

    /// Asks for the route of `asked`.
    pub(super) fn ask_route(&mut self, asked: &str, waiting: Waiting, turn: &mut Turn<'_>) -> bool {
        let request = Request::GetRouteinfoByTopic(GetRouteInfo { topic: asked.to_owned() });
        self.call_name_server(Service::Api, request, self.config.mq_client_api_timeout, waiting, turn)
    }

    /// Takes over the route of `asked` for `topic`, or keeps the old one, which is never forgotten; the cause if the
    /// NameServer could not be reached.
    pub(super) fn take_route(
        &mut self,
        topic: &str,
        asked: &str,
        answer: Answer,
        turn: &mut Turn<'_>,
    ) -> Option<String> {
        let response = match answer.result {
            Ok(response) => response,
            Err(error) => {
                turn.step(NodeStep::RouteKept { topic: topic.to_owned(), cause: error.to_string() });
                return Some(error.to_string());
            }
        };
        let ResponseBody::Route(route) = response.body else {
            let cause = response.remark.unwrap_or_else(|| ResponseCode::TopicNotExist.name().to_owned());
            turn.step(NodeStep::RouteKept { topic: topic.to_owned(), cause });
            self.routes.learn(topic, false, turn.now_us());
            return None;
        };
        let default = (topic != asked).then_some(self.config.default_topic_queue_nums);
        let had = self.routes.brokers.clone();
        let changed = self.routes.apply(topic, route, default);
        self.routes.learn(topic, changed, turn.now_us());
        let publish_queues = self.routes.publish.get(topic).map_or(0, |info| info.queues.len());
        turn.step(NodeStep::RouteApplied {
            topic: topic.to_owned(),
            changed,
            publish_queues: u32::try_from(publish_queues).unwrap_or(u32::MAX),
            default_topic: (topic != asked).then(|| asked.to_owned()),
        });
        if had != self.routes.brokers {
            // Heartbeats go to a broker from now on that none went to before.
            turn.disturb();
        }
        None
    }

    /// The route that a call waited for is there, or not.
    pub(super) fn routed(&mut self, topic: &str, then: After, answer: Answer, turn: &mut Turn<'_>) {
        let unreachable = self.take_route(topic, topic, answer, turn);
        match then {
            After::Pull(request) => self.send_pull(request, unreachable, turn),
            After::Ask(ask) => self.send_ask(ask, unreachable, turn),
            After::Query(query) => self.send_query(query, unreachable, turn),
        }
    }
}
