//! What comes of a pull (the `PullCallback` of `DefaultMQPushConsumerImpl.pullMessage`, `PullAPIWrapper.processPullResult`).

use std::sync::Arc;

use super::{RETRY_PREFIX, persist::Persists, pool::Task};
use crate::{
    client::{Client, PullQueue, Received, exception::Exception, pull::pull_status},
    filter::Subscription,
    message::property,
    node::{Answer, ClientStep, ConsumerStep, Service, Turn},
    planted::PlantedFault,
    wire::{PullResponse, Response, ResponseBody, ResponseCode},
};

/// `PULL_TIME_DELAY_MILLS_WHEN_BROKER_FLOW_CONTROL`.
const BROKER_FLOW_CONTROL_MS: i64 = 20;

/// A pull that is under way.
#[derive(Clone, Debug)]
pub(in crate::client) struct PushPulling {
    pub(super) queue: PullQueue,
    pub(super) id: u64,
    /// The subscription that it went out with.
    pub(super) subscription: Box<Subscription>,
    /// Who is asked.
    pub(super) addr: String,
}

impl Client {
    pub(super) fn push_pulled(&mut self, pulling: PushPulling, answer: Answer, turn: &mut Turn<'_>) {
        let PushPulling { queue, id, subscription, addr } = pulling;
        let refused = |code, remark: Option<&str>| (code, Exception::broker(code, remark, Some(&addr)).message);
        let (code, cause) = match answer.result {
            Ok(Response { code, body: ResponseBody::Pull(pulled), remark }) => match pull_status(code) {
                Some(status) => {
                    self.pull_from.insert(queue.clone(), pulled.suggest_which_broker_id);
                    return self.pull_came(&queue, id, &subscription, (code, status), &pulled, turn);
                }
                None => refused(code, remark.as_deref()),
            },
            Ok(Response { code, remark, .. }) => refused(code, remark.as_deref()),
            // What an asynchronous call ends with that gets no answer in time.
            Err(error) => (ResponseCode::SystemError, Exception::remoting(&error).message),
        };
        if code == ResponseCode::FlowControl {
            self.pull_later(&queue, id, BROKER_FLOW_CONTROL_MS, ("exception", Some(cause)), turn);
        } else {
            self.pull_after_exception(&queue, id, cause, turn);
        }
    }

    fn pull_came(
        &mut self,
        queue: &PullQueue,
        id: u64,
        subscription: &Subscription,
        (code, status): (ResponseCode, &str),
        pulled: &PullResponse,
        turn: &mut Turn<'_>,
    ) {
        let mut messages = Received::read_all(&pulled.body);
        let arrived = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        // The broker compared hash codes only.
        messages.retain(|message| subscription.matches_tag(message.tags.as_deref()));
        let kept = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        turn.step(ClientStep::PullEnded {
            status: status.to_owned(),
            arrived,
            dropped_by_tag: arrived.saturating_sub(kept),
            next_begin_offset: pulled.next_begin_offset,
            error: None,
        });
        let Some(own) = self.push.as_mut().and_then(|push| push.own(queue, id)) else {
            // Whoever has the queue by now has a pull request of his own; the thread throws this one away.
            return self.pull_now(queue, id, turn);
        };
        own.next_offset = pulled.next_begin_offset;
        match code {
            ResponseCode::Success if messages.is_empty() => self.pull_now(queue, id, turn),
            ResponseCode::Success => self.messages_came(queue, id, messages, pulled, turn),
            ResponseCode::PullOffsetMoved => {
                turn.step(ConsumerStep::OffsetIllegal {
                    topic: queue.topic.clone(),
                    broker_name: queue.broker_name.clone(),
                    queue_id: queue.queue_id,
                    next_offset: pulled.next_begin_offset,
                });
                self.drop_queue(queue, "offsetIllegal", turn);
                self.set_right_later(queue, id, pulled.next_begin_offset, turn);
            }
            _ => {
                // With nothing in hand, everything up to here is done (`correctTagsOffset`).
                let nothing_in_hand = own.process_queue.count() == 0;
                if nothing_in_hand {
                    self.move_offset(queue, pulled.next_begin_offset, true, turn);
                }
                self.pull_now(queue, id, turn);
            }
        }
    }

    fn messages_came(
        &mut self,
        queue: &PullQueue,
        id: u64,
        messages: Vec<Received>,
        pulled: &PullResponse,
        turn: &mut Turn<'_>,
    ) {
        let group = self.group().to_owned();
        let Some(push) = &mut self.push else { return };
        let messages = messages.into_iter().map(|mut message| {
            message.queue_range = Some((pulled.min_offset, pulled.max_offset));
            Arc::new(under_topic_of_origin(message, &group))
        });
        let messages: Vec<Arc<Received>> = messages.collect();
        let (interval_ms, orderly) = (push.config.pull_interval, push.is_orderly());
        let Some(own) = push.own(queue, id) else { return };
        let begins = own.process_queue.put(messages.iter().map(Arc::clone));
        let offset = |message: Option<&Arc<Received>>| message.map_or(0, |message| message.queue_offset);
        turn.step(ConsumerStep::MessagesCached {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            count: u32::try_from(messages.len()).unwrap_or(u32::MAX),
            first: offset(messages.first()),
            last: offset(messages.last()),
            cached: own.process_queue.count(),
        });
        let is_closed = push.pool.is_closed();
        if self.planted.has(PlantedFault::OffsetBeforeProcessing) {
            self.move_offset(queue, pulled.next_begin_offset, true, turn);
        }
        if is_closed && (!orderly || begins) {
            // The callback fails over it, and that is what becomes of the pull.
            Self::reject(queue, messages.len(), turn);
            let cause = "java.util.concurrent.RejectedExecutionException".to_owned();
            return self.pull_after_exception(queue, id, cause, turn);
        }
        if !orderly {
            self.submit(queue, id, &messages, turn);
        } else if begins && let Some(push) = &mut self.push {
            push.pool.add(Task { queue: queue.clone(), id, messages: Vec::new() });
            push.pool.arm(turn);
        }
        if interval_ms > 0 {
            self.pull_later(queue, id, interval_ms, ("pullInterval", None), turn);
        } else {
            self.pull_now(queue, id, turn);
        }
    }

    /// 10 s after an illegal offset: the offset that the broker has told is the group's, and the queue is free for the next
    /// rebalance.
    pub(super) fn set_right(&mut self, queue: &PullQueue, id: u64, offset: i64, turn: &mut Turn<'_>) {
        self.move_offset(queue, offset, false, turn);
        if !self.persist_offset(queue, Persists::SetRight(id), turn) {
            self.offset_set_right(queue, id, turn);
        }
    }

    /// The broker has the offset, or could not be told (`RebalanceImpl.removeProcessQueue`).
    pub(super) fn offset_set_right(&mut self, queue: &PullQueue, id: u64, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        if push.queues.get(queue).is_none_or(|own| own.id != id) {
            return;
        }
        let Some(own) = push.queues.remove(queue) else { return };
        let in_hand = !own.process_queue.waiting().is_empty();
        if !self.persist_offset(queue, Persists::Removed(in_hand), turn) {
            self.removed_persisted(queue, in_hand, turn);
        }
    }

    /// The same for the queue that is not in the table any more: its offset is forgotten, and its lock given back.
    pub(super) fn removed_persisted(&mut self, queue: &PullQueue, in_hand: bool, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        push.remove_offset(queue);
        if push.has_locks() {
            self.unlock_given_up(queue, in_hand, turn);
        }
        turn.disturb_only(Service::Rebalance);
    }
}

/// A message that the group has given back is handed to the listener under the topic that it was sent to
/// (`resetRetryAndNamespace`).
fn under_topic_of_origin(mut message: Received, group: &str) -> Received {
    let retried = message.topic.strip_prefix(RETRY_PREFIX).is_some_and(|of| of == group);
    if retried && let Some(topic) = message.property(property::RETRY_TOPIC) {
        message.topic = topic;
    }
    message
}
