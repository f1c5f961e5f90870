//! Heartbeats to the brokers (`MQClientInstance.sendHeartbeatToAllBrokerWithLock`).

use super::{Client, Role, Waiting, consumer::PushConsumer};
use crate::{
    node::{Answer, Grid, Service, Turn},
    wire::{ConsumerData, HeartbeatData, ProducerData, Request, UnregisterClient},
};

const FIRST_US: i64 = 1_000_000;

/// The round of heartbeats that is under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Heartbeats {
    open: usize,
    failed: bool,
    next_us: i64,
    /// What waits for its end.
    then: Option<AfterHeartbeat>,
}

/// What a push consumer does once all brokers have heard of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterHeartbeat {
    /// It has started: the queues are shared out.
    RebalanceAtOnce,
    /// It has other queues than before: the rebalance goes on with the next topic.
    GoOnRebalancing,
    /// Nothing.
    Nothing,
}

impl Client {
    pub(super) fn start_heartbeats(&mut self, turn: &mut Turn<'_>) {
        let period_us = self.config.heartbeat_broker_interval.saturating_mul(1000);
        self.heartbeat = Grid::new(turn.now_us().saturating_add(FIRST_US), period_us);
        self.heartbeats.next_us = self.heartbeat.start_us;
        turn.wake_at(Service::Heartbeat, self.heartbeat.start_us);
    }

    /// The timer's round. While another one is under way, which has the lock, there is none (`lockHeartbeat`).
    pub(super) fn beat(&mut self, turn: &mut Turn<'_>) {
        self.heartbeats.next_us = self.heartbeat.after(turn.now_us());
        turn.wake_at(Service::Heartbeat, self.heartbeats.next_us);
        self.clean_offline_brokers(turn);
        if self.heartbeats.open == 0 {
            self.beat_now(turn);
        }
    }

    /// A round that somebody asks for who waits for it. While another one is under way there is none, and he goes on.
    pub(super) fn heartbeat_then(&mut self, then: AfterHeartbeat, turn: &mut Turn<'_>) {
        if self.heartbeats.open > 0 {
            return self.after_heartbeat(then, turn);
        }
        self.beat_now(turn);
        if self.heartbeats.open > 0 {
            self.heartbeats.then = Some(then);
        } else {
            self.after_heartbeat(then, turn);
        }
    }

    fn after_heartbeat(&mut self, then: AfterHeartbeat, turn: &mut Turn<'_>) {
        match then {
            AfterHeartbeat::RebalanceAtOnce => self.rebalance_at_once(turn),
            AfterHeartbeat::GoOnRebalancing => self.told_of_change(turn),
            AfterHeartbeat::Nothing => {}
        }
    }

    /// One round: to the masters, and to slaves too if there is a consumer.
    fn beat_now(&mut self, turn: &mut Turn<'_>) {
        let everybody = matches!(self.role, Role::Consumer { .. });
        let addrs: Vec<String> = self
            .routes
            .brokers()
            .values()
            .flatten()
            .filter(|(id, _)| everybody || **id == 0)
            .map(|(_, addr)| addr.clone())
            .collect();
        (self.heartbeats.open, self.heartbeats.failed) = (addrs.len(), false);
        let data = self.heartbeat_data();
        for addr in addrs {
            let request = Request::HeartBeat(data.clone());
            let call = turn.call(Service::Heartbeat, &addr, request, self.config.mq_client_api_timeout);
            self.calls.insert(call, Waiting::Heartbeat);
        }
        if self.heartbeats.open == 0 {
            turn.park(Service::Heartbeat, self.heartbeats.next_us, self.heartbeat.period_us);
        }
    }

    /// Tells every broker that heartbeats went to that this client is gone.
    pub(super) fn say_goodbye(&self, turn: &mut Turn<'_>) {
        if !self.polls() {
            return;
        }
        let group = Some(self.group().to_owned());
        let consumes = matches!(self.role, Role::Consumer { .. });
        let request = Request::UnregisterClient(UnregisterClient {
            client_id: self.instance_id.clone(),
            producer_group: group.clone().filter(|_| !consumes),
            consumer_group: group.filter(|_| consumes),
        });
        for addr in self.routes.brokers().values().flat_map(|addrs| addrs.values()) {
            turn.call(Service::Remoting, addr, request.clone(), self.config.mq_client_api_timeout);
        }
    }

    fn heartbeat_data(&self) -> HeartbeatData {
        // Every instance has an inner producer.
        let inner = ProducerData { group_name: super::INNER_PRODUCER.to_owned() };
        let mut data = HeartbeatData {
            client_id: self.instance_id.clone(),
            producer_data_set: vec![inner],
            consumer_data_set: Vec::new(),
        };
        match &self.role {
            Role::Admin => {}
            Role::Producer { group } | Role::Bare { group, .. } => {
                data.producer_data_set.push(ProducerData { group_name: group.clone() });
            }
            Role::Consumer { group } => data.consumer_data_set.push(ConsumerData {
                group_name: group.clone(),
                unit_mode: false,
                ..self.push.as_deref().map_or_else(pulls, pushes)
            }),
        }
        data
    }

    pub(super) fn heartbeat_answered(&mut self, answer: &Answer, turn: &mut Turn<'_>) {
        self.heartbeats.failed |= answer.result.is_err();
        self.heartbeats.open = self.heartbeats.open.saturating_sub(1);
        if self.heartbeats.open > 0 {
            return;
        }
        if !self.heartbeats.failed {
            // The broker has nothing new to learn from a heartbeat with the same content.
            turn.park(Service::Heartbeat, self.heartbeats.next_us, self.heartbeat.period_us);
        }
        if let Some(then) = self.heartbeats.then.take() {
            self.after_heartbeat(then, turn);
        }
    }
}

/// What a pull consumer says of itself.
fn pulls() -> ConsumerData {
    ConsumerData {
        group_name: String::new(),
        consume_type: "CONSUME_ACTIVELY".to_owned(),
        message_model: "CLUSTERING".to_owned(),
        consume_from_where: "CONSUME_FROM_LAST_OFFSET".to_owned(),
        subscription_data_set: Vec::new(),
        unit_mode: false,
    }
}

/// What a push consumer says of itself.
fn pushes(push: &PushConsumer) -> ConsumerData {
    let settings = push.settings();
    ConsumerData {
        consume_type: "CONSUME_PASSIVELY".to_owned(),
        message_model: settings.message_model.name().to_owned(),
        consume_from_where: settings.consume_from_where.name().to_owned(),
        subscription_data_set: push.subscriptions().values().cloned().collect(),
        ..pulls()
    }
}
