//! Routes at the client: the tables, and what an answer of a NameServer makes of them
//! (`MQClientInstance.updateTopicRouteInfoFromNameServer`).

use std::collections::BTreeMap;

use super::{After, Client};
use crate::{
    node::{Answer, ClientStep, NamesStep, Service, Turn},
    wire::{PERM_READ, PERM_WRITE, ResponseBody, ResponseCode, TopicRouteData},
};

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
        self.publish.insert(topic.to_owned(), PublishInfo::new(publish_queues(&route)));
        self.table.insert(topic.to_owned(), route);
        true
    }
}

/// The queues that a route gives to whoever sends (`topicRouteData2TopicPublishInfo`). Of an ordered topic they are those
/// of its order configuration, whatever the brokers have now and whether or not they live.
fn publish_queues(route: &TopicRouteData) -> Vec<MessageQueue> {
    if let Some(conf) = route.order_topic_conf.as_deref().filter(|conf| !conf.is_empty()) {
        let brokers = conf.split(';').filter_map(|broker| {
            let (name, queues) = broker.split_once(':')?;
            Some((name, queues.parse().ok()?))
        });
        return brokers.flat_map(|(name, queues)| queues_of(name, queues)).collect();
    }
    let has_master = |name: &str| {
        route.broker_datas.iter().any(|broker| broker.broker_name == name && broker.broker_addrs.contains_key(&0))
    };
    let writable = route.queue_datas.iter().filter(|data| data.perm & PERM_WRITE != 0 && has_master(&data.broker_name));
    writable.flat_map(|data| queues_of(&data.broker_name, data.write_queue_nums)).collect()
}

fn queues_of(broker_name: &str, queues: i32) -> impl Iterator<Item = MessageQueue> {
    (0..queues).map(move |queue_id| MessageQueue { broker_name: broker_name.to_owned(), queue_id })
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

    /// Takes over the route of `asked` for `topic`, or keeps the old one, which is never forgotten; the cause if the
    /// NameServer could not be reached.
    pub(super) fn take_route(
        &mut self,
        topic: &str,
        asked: &str,
        answer: Answer,
        turn: &mut Turn<'_>,
    ) -> Option<String> {
        let unreachable = self.take_in(topic, asked, answer, turn);
        self.unlock_routes(turn);
        unreachable
    }

    fn take_in(&mut self, topic: &str, asked: &str, answer: Answer, turn: &mut Turn<'_>) -> Option<String> {
        let response = match answer.result {
            Ok(response) => response,
            Err(error) => {
                turn.step(ClientStep::RouteKept { topic: topic.to_owned(), cause: error.to_string() });
                return Some(error.to_string());
            }
        };
        let ResponseBody::Route(route) = response.body else {
            let cause = response.remark.unwrap_or_else(|| ResponseCode::TopicNotExist.name().to_owned());
            turn.step(ClientStep::RouteKept { topic: topic.to_owned(), cause });
            self.routes.learn(topic, false, turn.now_us());
            return None;
        };
        let default = (topic != asked).then_some(self.config.default_topic_queue_nums);
        let had = self.routes.brokers.clone();
        let changed = self.routes.apply(topic, route, default);
        self.routes.learn(topic, changed, turn.now_us());
        let publish_queues = self.routes.publish.get(topic).map_or(0, |info| info.queues.len());
        turn.step(ClientStep::RouteApplied {
            topic: topic.to_owned(),
            changed,
            publish_queues: u32::try_from(publish_queues).unwrap_or(u32::MAX),
            default_topic: (topic != asked).then(|| asked.to_owned()),
        });
        if changed && self.push.is_some() {
            // The next rebalance finds other queues.
            turn.disturb_only(Service::Rebalance);
        }
        if had != self.routes.brokers {
            // Heartbeats go to a broker from now on that none went to before.
            turn.disturb();
            self.brokers_changed(turn);
        }
        None
    }

    /// The route that a call waited for is there, or not.
    pub(super) fn routed(&mut self, topic: &str, then: After, answer: Answer, turn: &mut Turn<'_>) {
        let unreachable = self.take_route(topic, topic, answer, turn);
        self.go_on_after(then, unreachable, turn);
    }

    /// What waited for a route goes on with the table as it is. `unreachable`: why no NameServer could be asked.
    pub(super) fn go_on_after(&mut self, then: After, unreachable: Option<String>, turn: &mut Turn<'_>) {
        match then {
            After::Pull(request) => self.send_pull(request, unreachable, turn),
            After::Ask(ask) => self.send_ask(ask, unreachable, turn),
            After::Query(query) => self.send_query(query, unreachable, turn),
            After::Start(left) => self.start_with_route(left, unreachable, turn),
            After::Members(asking) => self.ask_members_with_route(asking, unreachable, turn),
            After::PushPull(queue, id) => self.push_pull_with_route(&queue, id, unreachable, turn),
            After::StartOf(of) => self.find_start_with_route(of, unreachable.as_deref(), turn),
            After::Position(of, request) => self.ask_position_with_route(of, request, unreachable, turn),
            After::Offset(waiting) => self.persist_with_route(waiting, unreachable.is_some(), turn),
        }
    }
}
