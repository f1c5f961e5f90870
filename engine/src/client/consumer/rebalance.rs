//! Sharing the queues out (`RebalanceService`, `RebalanceImpl`): a round goes through the topics, one after the other.
//!
//! Every member works out its part for itself, from what it knows of the topic's queues and what one broker says of the
//! group's members. Queues that it has and that are not in its part it gives up at once; those in its part that it does
//! not have it takes over ([`take`](super::take)). Whoever else may still have them is not asked.

use std::collections::VecDeque;

use super::take::{Giving, Taking};
use crate::{
    client::{After, AfterHeartbeat, Client, ConsumerCall, PullQueue, Waiting},
    node::{Answer, ConsumerStep, Fnv, Service, Turn},
    wire::{GroupRef, Request, Response, ResponseBody, ResponseCode},
};

/// The rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Rebalancing {
    pub(super) phase: Phase,
    /// A round is wanted at once.
    notified: bool,
    /// When the next round begins, if none is wanted before.
    pub(super) next_us: i64,
    /// Topics that the round has still to do.
    topics: VecDeque<String>,
    /// The next round may find something that this one has not.
    pub(super) unquiet: bool,
}

/// Where a round is.
#[derive(Clone, Debug, Default)]
pub(super) enum Phase {
    /// There is none.
    #[default]
    Idle,
    /// It waits for the members of the group.
    Members,
    /// It gives queues up, and waits for a listener.
    Giving(Giving),
    /// It gives queues up, and the offset of this one waits for a route.
    Persisting(Giving, PullQueue),
    /// It takes queues over.
    Taking(Taking),
    /// It tells the brokers of the change; `true`: they know.
    Heartbeat(bool),
}

/// A topic whose members are asked for, with its queues as they were known then.
#[derive(Clone, Debug)]
pub(in crate::client) struct Asking {
    topic: String,
    queues: Option<Vec<PullQueue>>,
}

impl Client {
    /// Wants a round at once (`MQClientInstance.rebalanceImmediately`).
    pub(in crate::client) fn rebalance_at_once(&mut self, turn: &mut Turn<'_>) {
        if let Some(push) = &mut self.push {
            push.rebalancing.notified = true;
            turn.wake_for_work(Service::Rebalance, turn.now_us());
        }
    }

    /// A broker tells that the group has other members. Whoever pulls chooses its queues itself.
    pub(in crate::client) fn members_changed(&mut self, group: String, turn: &mut Turn<'_>) {
        if self.push.is_none() {
            return;
        }
        turn.step(ConsumerStep::MembersChanged { group });
        self.rebalance_at_once(turn);
    }

    /// The brokers know of the change that the round waits with.
    pub(in crate::client) fn told_of_change(&mut self, turn: &mut Turn<'_>) {
        if let Some(push) = &mut self.push {
            push.rebalancing.phase = Phase::Heartbeat(true);
            turn.wake_for_work(Service::Rebalance, turn.now_us());
        }
    }

    /// A turn of the service.
    pub(in crate::client) fn rebalance(&mut self, turn: &mut Turn<'_>) {
        self.wait_for_lock(Service::Rebalance, turn);
        let Some(push) = &mut self.push else { return };
        let Rebalancing { phase, notified, next_us, .. } = &push.rebalancing;
        match phase {
            Phase::Idle if *notified || *next_us <= turn.now_us() => self.begin_rebalance(turn),
            Phase::Idle => turn.wake_at(Service::Rebalance, *next_us),
            Phase::Heartbeat(true) => self.next_topic(turn),
            Phase::Giving(giving) if giving.until_us <= turn.now_us() => self.go_on_giving(turn),
            Phase::Giving(giving) => turn.wake_for_work(Service::Rebalance, giving.until_us),
            Phase::Members | Phase::Persisting(..) | Phase::Taking(_) | Phase::Heartbeat(false) => {}
        }
    }

    fn begin_rebalance(&mut self, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        (push.rebalancing.notified, push.rebalancing.unquiet) = (false, false);
        if push.suspended {
            turn.step(ConsumerStep::RebalanceSkipped);
            self.end_rebalance(turn);
            return;
        }
        let topics: Vec<String> = push.subscriptions.keys().cloned().collect();
        push.rebalancing.topics = topics.iter().cloned().collect();
        turn.step(ConsumerStep::RebalanceBegan { topics });
        self.next_topic(turn);
    }

    /// Goes on with the next topic that has something to wait for, or ends the round.
    pub(super) fn next_topic(&mut self, turn: &mut Turn<'_>) {
        while let Some(push) = &mut self.push {
            push.rebalancing.phase = Phase::Idle;
            let Some(topic) = push.rebalancing.topics.pop_front() else { break };
            let clustering = push.is_clustering();
            let queues = self.subscribe_queues(&topic);
            let waits = if clustering {
                self.ask_members(Asking { topic, queues }, true, turn)
            } else if let Some(queues) = queues {
                self.share(&topic, queues, turn)
            } else {
                self.leave(&topic, "noRoute", None, turn);
                false
            };
            if waits {
                return;
            }
        }
        self.give_up_foreign(turn);
        self.end_rebalance(turn);
    }

    fn end_rebalance(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return };
        let period_us = push.config.rebalance_wait_interval.saturating_mul(1000);
        let next_us = now_us.saturating_add(period_us);
        let rebalancing = &mut push.rebalancing;
        rebalancing.next_us = next_us;
        if rebalancing.notified {
            turn.wake_for_work(Service::Rebalance, now_us);
            return;
        }
        turn.wake_at(Service::Rebalance, next_us);
        if !rebalancing.unquiet {
            turn.park(Service::Rebalance, next_us, period_us);
        }
    }

    /// The queues of a topic that can be read (`topicRouteData2TopicSubscribeInfo`), in order; `None` without a route.
    fn subscribe_queues(&self, topic: &str) -> Option<Vec<PullQueue>> {
        let route = self.routes.table().get(topic)?;
        let readable = route.queue_datas.iter().filter(|data| data.perm & crate::wire::PERM_READ != 0);
        let queues = readable.flat_map(|data| {
            (0..data.read_queue_nums).map(|queue_id| PullQueue {
                topic: topic.to_owned(),
                broker_name: data.broker_name.clone(),
                queue_id,
            })
        });
        let mut queues: Vec<PullQueue> = queues.collect();
        queues.sort();
        queues.dedup();
        Some(queues)
    }

    /// A broker that has the topic, any of them: its master, or any of its slaves (`findBrokerAddrByTopic`).
    pub(super) fn broker_of_topic(&self, topic: &str, turn: &Turn<'_>) -> Option<String> {
        let route = self.routes.table().get(topic)?;
        // A round that passes unseen draws nothing, so no stream of random numbers is used here.
        let mut hash = Fnv::resume(Fnv::of(topic.as_bytes()));
        hash.write_u64(turn.now_us().unsigned_abs());
        let any = |count: usize| usize::try_from(hash.value() >> 33).unwrap_or(0).checked_rem(count);
        let addrs = &route.broker_datas.get(any(route.broker_datas.len())?)?.broker_addrs;
        addrs.get(&0).or_else(|| addrs.values().nth(any(addrs.len())?)).cloned()
    }

    /// Asks a broker for the members of the group; whether an answer is waited for. Where no broker is known, the route is
    /// asked for first, once (`findConsumerIdList`).
    fn ask_members(&mut self, asking: Asking, may_ask_route: bool, turn: &mut Turn<'_>) -> bool {
        let topic = asking.topic.clone();
        if let Some(addr) = self.broker_of_topic(&topic, turn) {
            let request = Request::GetConsumerListByGroup(GroupRef { consumer_group: self.group().to_owned() });
            let call = turn.call(Service::Rebalance, &addr, request, self.config.mq_client_api_timeout);
            self.calls.insert(call, Waiting::Consumer(ConsumerCall::Members(asking)));
        } else {
            let then = Box::new(After::Members(asking.clone()));
            let route = Waiting::Route { topic: topic.clone(), then };
            if !may_ask_route || !self.ask_route_for(Service::Rebalance, &topic, route, turn) {
                let reason = if asking.queues.is_none() { "noRoute" } else { "noMembers" };
                self.leave(&topic, reason, None, turn);
                return false;
            }
        }
        if let Some(push) = &mut self.push {
            push.rebalancing.phase = Phase::Members;
        }
        true
    }

    /// The route that the round waited for is there, or not. What the table of queues said before still counts.
    pub(in crate::client) fn ask_members_with_route(
        &mut self,
        asking: Asking,
        unreachable: Option<String>,
        turn: &mut Turn<'_>,
    ) {
        let waits = match unreachable {
            Some(cause) => {
                self.leave(&asking.topic, "noRoute", Some(cause), turn);
                false
            }
            None => self.ask_members(asking, false, turn),
        };
        if !waits {
            self.next_topic(turn);
        }
    }

    pub(super) fn members_answered(&mut self, asking: Asking, answer: Answer, turn: &mut Turn<'_>) {
        let Asking { topic, queues } = asking;
        let members = match answer.result {
            Ok(Response { code: ResponseCode::Success, body: ResponseBody::ConsumerIds(ids), .. }) => Ok(ids),
            Ok(Response { remark, .. }) => Err(remark),
            Err(error) => Err(Some(error.to_string())),
        };
        let waits = match (queues, members) {
            (Some(queues), Ok(ids)) => self.allocate(&topic, &queues, ids, turn),
            (None, _) => {
                self.leave(&topic, "noRoute", None, turn);
                false
            }
            (_, Err(cause)) => {
                self.leave(&topic, "noMembers", cause, turn);
                false
            }
        };
        if !waits {
            self.next_topic(turn);
        }
    }

    fn allocate(&mut self, topic: &str, queues: &[PullQueue], mut ids: Vec<String>, turn: &mut Turn<'_>) -> bool {
        let Some(push) = &self.push else { return false };
        ids.sort();
        let strategy = &push.settings.allocate;
        let own = match strategy.allocate(&self.instance_id, queues, &ids) {
            Ok(own) => own,
            Err(error) => {
                self.leave(topic, "allocationFailed", Some(error.to_string()), turn);
                return false;
            }
        };
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        turn.step(ConsumerStep::QueuesAllocated {
            topic: topic.to_owned(),
            strategy: strategy.name(),
            members: count(ids.len()),
            queues: count(queues.len()),
            own: own.iter().map(|queue| format!("{}/{}", queue.broker_name, queue.queue_id)).collect(),
        });
        self.share(topic, own, turn)
    }

    /// A topic's queues stay as they are. What was not to be had may be there the next time.
    fn leave(&mut self, topic: &str, reason: &str, cause: Option<String>, turn: &mut Turn<'_>) {
        // A topic that has no route has none until the NameServers say otherwise, and a strategy that throws throws again.
        let may_change = reason == "noMembers" || (reason == "noRoute" && cause.is_some());
        if let Some(push) = &mut self.push {
            push.rebalancing.unquiet |= may_change;
        }
        turn.step(ConsumerStep::RebalanceLeft { topic: topic.to_owned(), reason: reason.to_owned(), cause });
    }

    /// This consumer's queues of a topic have changed (`messageQueueChanged`): the subscription gets a newer version, so
    /// that a broker which does not know it yet is not asked by it, and all brokers are told. The round goes on once they
    /// have answered.
    pub(super) fn own_queues_changed(&mut self, topic: &str, turn: &mut Turn<'_>) {
        let sub_version = turn.wall_ms();
        let Some(push) = &mut self.push else { return };
        push.rebalancing.unquiet = true;
        if let Some(subscription) = push.subscriptions.get_mut(topic) {
            subscription.sub_version = sub_version;
            turn.step(ConsumerStep::SubscriptionRenewed { topic: topic.to_owned(), sub_version });
        }
        let count = push.queues.len();
        push.config.share_thresholds(count);
        push.rebalancing.phase = Phase::Heartbeat(false);
        self.heartbeat_then(AfterHeartbeat::GoOnRebalancing, turn);
    }
}
