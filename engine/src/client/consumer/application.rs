//! What the application does with its consumer while it runs (`DefaultMQPushConsumerImpl.suspend`, `subscribe`,
//! `unsubscribe`, `updateCorePoolSize`).

use std::sync::Arc;

use super::{Expression, MessageListener, push::subscription};
use crate::{
    client::{AfterHeartbeat, Client},
    node::{ConsumerStep, Service, Turn},
};

/// The most threads that may be set (`Short.MAX_VALUE`).
const CORE_SIZE_MAX: u32 = 32_767;

impl Client {
    /// The consumer neither pulls nor shares queues out; what is in hand is consumed all the same.
    pub fn suspend_push(&mut self, turn: &mut Turn<'_>) {
        if let Some(push) = &mut self.push {
            push.suspended = true;
            turn.step(ConsumerStep::ConsumerSuspended);
        }
    }

    /// Subscribes a topic, or what an expression lets through of it: the brokers are told at once, the queues are found by a
    /// later rebalance.
    pub fn subscribe(&mut self, topic: &str, expression: &Expression, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let subscribed = subscription(topic, expression, turn.wall_ms());
        turn.step(ConsumerStep::Subscribed { topic: topic.to_owned(), expression: subscribed.sub_string.clone() });
        push.subscriptions.insert(topic.to_owned(), subscribed);
        self.use_topic(topic, turn);
        turn.disturb_only(Service::Rebalance);
        self.unblock_pulls(turn);
        self.heartbeat_then(AfterHeartbeat::Nothing, turn);
    }

    /// Does not subscribe a topic any more: the brokers learn of it with the next heartbeat, and the next rebalance drops its
    /// queues.
    pub fn unsubscribe(&mut self, topic: &str, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        push.subscriptions.remove(topic);
        turn.step(ConsumerStep::Unsubscribed { topic: topic.to_owned() });
        turn.disturb_only(Service::Heartbeat);
        turn.disturb_only(Service::Rebalance);
    }

    /// Sets how many threads call the listener (`DefaultMQPushConsumer.updateCorePoolSize`): only to what is less than
    /// `consumeThreadMax`, and else nothing happens.
    pub fn update_core_pool_size(&mut self, size: i32, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let max = push.config.consume_thread_max;
        let before = push.pool.core_size();
        match u32::try_from(size) {
            Ok(core @ 1..=CORE_SIZE_MAX) if size < max => {
                push.pool.set_core_size(core, turn.now_us());
                turn.step(ConsumerStep::CorePoolSizeUpdated { size: core, before });
            }
            _ => turn.step(ConsumerStep::CorePoolSizeKept { asked: size, max, size: before }),
        }
        push.pool.arm(turn);
    }

    /// From its next call on the listener does this. What it does in a database stays as it was.
    pub fn set_message_listener(&mut self, listener: MessageListener) {
        if let Some(push) = &mut self.push {
            let business = push.listener.business.clone();
            push.listener = Arc::new(MessageListener { business, ..listener });
        }
    }
}
