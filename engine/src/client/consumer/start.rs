//! A push consumer starts (`DefaultMQPushConsumerImpl.start`).

use std::collections::VecDeque;

use super::{MessageModel, PushConsumer};
use crate::{
    client::{After, AfterHeartbeat, Client, ConsumerCall, Waiting, exception::Exception},
    filter::Subscription,
    node::{Answer, ConsumerStep, Grid, Service, Turn},
    wire::{CheckClientConfig, Request, Response, ResponseCode},
};

/// When offsets are sent to the brokers for the first time (`MQClientInstance.startScheduledTask`).
const FIRST_PERSIST_US: i64 = 10_000_000;

impl Client {
    /// Makes it a push consumer.
    pub fn set_push(&mut self, push: Option<PushConsumer>) {
        self.push = push.map(Box::new);
    }

    /// Its push consumer, if it is one.
    pub fn push(&self) -> Option<&PushConsumer> {
        self.push.as_deref()
    }

    /// The id of a push consumer that sets one, or whose instance keeps the name that it has: one that broadcasts, so that
    /// its offsets are found again by its next process.
    pub(in crate::client) fn push_client_id(&self) -> Option<String> {
        let settings = self.push.as_ref()?.settings();
        let broadcasts = settings.message_model == MessageModel::Broadcasting;
        settings.client_id.clone().or_else(|| broadcasts.then(|| format!("{}@DEFAULT", self.ip)))
    }

    /// The instance runs: its topics' routes are asked for, one after the other
    /// (`updateTopicSubscribeInfoWhenSubscriptionChanged`).
    pub(in crate::client) fn start_push(&mut self, turn: &mut Turn<'_>) {
        let (group, client_id) = (self.group().to_owned(), self.client_id().to_owned());
        let Some(push) = &mut self.push else { return };
        let (now_us, now_ms) = (turn.now_us(), turn.wall_ms());
        if let Err(cause) = push.begin(&group, &client_id, now_ms) {
            return Self::fail_start(cause, turn);
        }
        push.running = true;
        let period_us = push.config.persist_consumer_offset_interval.saturating_mul(1000);
        push.persisting.start(Grid::new(now_us.saturating_add(FIRST_PERSIST_US), period_us), turn);
        push.rebalancing.next_us = now_us.saturating_add(push.config.rebalance_wait_interval.saturating_mul(1000));
        turn.wake_at(Service::Rebalance, push.rebalancing.next_us);
        let topics: Vec<String> = push.subscriptions.keys().cloned().collect();
        turn.step(ConsumerStep::ConsumerStarts { group, client_id, topics: topics.clone() });
        for topic in &topics {
            self.use_topic(topic, turn);
        }
        self.start_locking(turn);
        self.start_cleaning(turn);
        self.find_next_route(topics.into(), turn);
    }

    /// Asks for the routes that are left; after the last, subscriptions by SQL92 are checked.
    pub(in crate::client) fn find_next_route(&mut self, mut left: VecDeque<String>, turn: &mut Turn<'_>) {
        let Some(topic) = left.pop_front() else {
            let checked = self.push.iter().flat_map(|push| push.subscriptions.values());
            let checked = checked.filter(|subscription| subscription.expression_type != "TAG").cloned();
            return self.check_subscriptions(checked.collect(), turn);
        };
        let then = Box::new(After::Start(left));
        if !self.ask_route(&topic, Waiting::Route { topic: topic.clone(), then }, turn) {
            Self::fail_start("No name server address, please set it.".to_owned(), turn);
        }
    }

    /// The route that the start waited for is there, or not. Where no NameServer could be asked, the start ends with an
    /// exception.
    pub(in crate::client) fn start_with_route(
        &mut self,
        left: VecDeque<String>,
        unreachable: Option<String>,
        turn: &mut Turn<'_>,
    ) {
        match unreachable {
            Some(cause) => Self::fail_start(cause, turn),
            None => self.find_next_route(left, turn),
        }
    }

    /// Has a broker check the next subscription; after the last the brokers hear of this consumer, and then the queues are
    /// shared out.
    fn check_subscriptions(&mut self, mut left: VecDeque<Subscription>, turn: &mut Turn<'_>) {
        while let Some(subscription_data) = left.pop_front() {
            let Some(addr) = self.broker_of_topic(&subscription_data.topic, turn) else { continue };
            let check = CheckClientConfig {
                client_id: self.client_id().to_owned(),
                group: self.group().to_owned(),
                subscription_data,
            };
            let request = Request::CheckClientConfig(Box::new(check));
            let call = turn.call(Service::Api, &addr, request, self.config.mq_client_api_timeout);
            self.calls.insert(call, Waiting::Consumer(ConsumerCall::Subscription(left)));
            return;
        }
        self.heartbeat_then(AfterHeartbeat::RebalanceAtOnce, turn);
    }

    /// A broker has checked a subscription. What it refuses ends the start, as does its silence.
    pub(super) fn subscription_checked(&mut self, left: VecDeque<Subscription>, answer: Answer, turn: &mut Turn<'_>) {
        let cause = match answer.result {
            Ok(Response { code: ResponseCode::Success, .. }) => return self.check_subscriptions(left, turn),
            Ok(Response { code, remark, .. }) => Exception::refused(code, remark.as_deref().unwrap_or("null")),
            Err(_) => Exception::client(
                "Check client in broker error, maybe because you use SQL92 to filter message, but server has not been \
                 upgraded to support!This error would not affect the launch of consumer, but may has impact on message \
                 receiving if you have use the new features which are not supported by server, please check the log!",
            ),
        };
        Self::fail_start(cause.message, turn);
    }

    fn fail_start(cause: String, turn: &mut Turn<'_>) {
        turn.step(ConsumerStep::ConsumerStartFailed { cause });
    }
}
