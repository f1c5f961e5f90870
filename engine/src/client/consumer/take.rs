//! What a rebalance does with a topic's queues: gives up those that are not this consumer's any more, and takes over those
//! that are now (`updateProcessQueueTableInRebalance`, `computePullFromWhereWithException`).

use std::collections::{BTreeSet, VecDeque};

use super::{
    ConsumerConfig, OwnQueue, ProcessQueue, PullFromWhere, PullState, Stored, parse_consume_timestamp, rebalance::Phase,
};
use crate::{
    client::{Client, ConsumerCall, PullQueue, Waiting, config::ADMIN_TIMEOUT_MS, exception::Exception},
    node::{Answer, ConsumerStep, Service, Turn},
    wire::{QueryConsumerOffset, QueueRef, Request, Response, ResponseBody, ResponseCode, SearchOffset},
};

/// How long the offset that a broker keeps is waited for, milliseconds.
const OFFSET_TIMEOUT_MS: i64 = 5_000;

/// Queues of a topic that are being taken over.
#[derive(Clone, Debug)]
pub(super) struct Taking {
    topic: String,
    /// The one that is at it.
    now: Option<PullQueue>,
    /// Where its offset will be from.
    from: &'static str,
    left: VecDeque<PullQueue>,
    /// Those that are taken over, whose first pulls go out together.
    taken: Vec<(PullQueue, u64)>,
    /// The consumer has other queues than before.
    changed: bool,
}

impl Client {
    /// Gives up and takes over what it takes to have just these queues of a topic; whether an answer is waited for.
    pub(super) fn share(&mut self, topic: &str, own: Vec<PullQueue>, turn: &mut Turn<'_>) -> bool {
        let now_ms = turn.wall_ms();
        let own: BTreeSet<PullQueue> = own.into_iter().collect();
        let Some(push) = &self.push else { return false };
        let ConsumerConfig { pull_max_idle_time: idle_ms, rebalance_wait_interval, .. } = push.config;
        let mut given_up = Vec::new();
        let mut slow = false;
        for (queue, of) in push.queues.iter().filter(|(queue, _)| queue.topic == topic) {
            if !own.contains(queue) {
                given_up.push((queue.clone(), "allocatedElsewhere"));
            } else if of.is_pull_expired(idle_ms, now_ms) {
                given_up.push((queue.clone(), "pullExpired"));
            }
            // A queue whose pulls go on is pulled from every half minute at the latest.
            slow |= of.is_pull_expired(rebalance_wait_interval.saturating_mul(2), now_ms);
        }
        let changed = !given_up.is_empty();
        for (queue, reason) in given_up {
            self.give_queue_up(&queue, reason, turn);
        }
        let Some(push) = &mut self.push else { return false };
        push.rebalancing.unquiet |= slow;
        let left = own.into_iter().filter(|queue| !push.queues.contains_key(queue)).collect();
        let taking =
            Taking { topic: topic.to_owned(), now: None, from: "storedOffset", left, taken: Vec::new(), changed };
        self.take_next(taking, turn)
    }

    /// Drops a queue and removes it, with its offset (`removeUnnecessaryMessageQueue`): the broker gets the offset first.
    pub(super) fn give_queue_up(&mut self, queue: &PullQueue, reason: &str, turn: &mut Turn<'_>) {
        self.drop_queue(queue, reason, turn);
        self.persist_offset(queue, turn);
        if let Some(push) = &mut self.push {
            push.offsets.remove(queue);
            push.queues.remove(queue);
        }
    }

    /// What the listeners still come to with its messages is not used.
    pub(super) fn drop_queue(&mut self, queue: &PullQueue, reason: &str, turn: &mut Turn<'_>) {
        let Some(own) = self.push.as_mut().and_then(|push| push.queues.get_mut(queue)) else { return };
        if own.process_queue.is_dropped() {
            return;
        }
        own.process_queue.set_dropped();
        turn.step(ConsumerStep::QueueDropped {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            reason: reason.to_owned(),
            cached: u32::try_from(own.process_queue.count()).unwrap_or(0),
        });
    }

    /// Queues of topics that are not subscribed any more are dropped, and that is all
    /// (`truncateMessageQueueNotMyTopic`).
    pub(super) fn give_up_foreign(&mut self, turn: &mut Turn<'_>) {
        let Some(push) = &self.push else { return };
        let foreign = push.queues.keys().filter(|queue| !push.subscriptions.contains_key(&queue.topic));
        let foreign: Vec<PullQueue> = foreign.cloned().collect();
        for queue in foreign {
            self.drop_queue(&queue, "notSubscribed", turn);
            if let Some(push) = &mut self.push {
                push.queues.remove(&queue);
                push.rebalancing.unquiet = true;
            }
        }
    }

    /// Begins with the next queue, or ends; whether an answer is waited for. Which offset it had here before means nothing.
    fn take_next(&mut self, mut taking: Taking, turn: &mut Turn<'_>) -> bool {
        while let Some(queue) = taking.left.pop_front() {
            let Some(push) = &mut self.push else { return false };
            push.offsets.remove(&queue);
            let query = Request::QueryConsumerOffset(QueryConsumerOffset {
                consumer_group: self.group().to_owned(),
                topic: queue.topic.clone(),
                queue_id: queue.queue_id,
            });
            let addr = self.routes.reader_like(&queue.broker_name, 0).map(|(_, addr)| addr.to_owned());
            let Some(addr) = addr else {
                self.not_taken(&queue, Self::no_such_broker(&queue), turn);
                continue;
            };
            let call = turn.call(Service::Rebalance, &addr, query, OFFSET_TIMEOUT_MS);
            self.calls.insert(call, Waiting::Consumer(ConsumerCall::Offset));
            taking.now = Some(queue);
            self.set_phase(Phase::Taking(taking));
            return true;
        }
        self.end_taking(taking, turn)
    }

    /// What the broker keeps for the group is known, or not.
    pub(super) fn offset_answered(&mut self, answer: Answer, turn: &mut Turn<'_>) {
        let Some((queue, mut taking)) = self.taking() else { return };
        let (stored, cause) = match answer.result {
            Ok(Response { code: ResponseCode::Success, body: ResponseBody::Offset(offset), .. }) => {
                (Stored::At(offset), None)
            }
            Ok(_) => (Stored::Nothing, None),
            Err(error) => (Stored::Unknown, Some(error.to_string())),
        };
        let Some(push) = &mut self.push else { return };
        if let Stored::At(offset) = stored {
            push.offsets.update(&queue, offset, false);
        }
        taking.from = if stored == Stored::Nothing { "noStoredOffset" } else { "storedOffset" };
        let from = push.settings.consume_from_where.pull_from(stored, &queue.topic);
        let timestamp = parse_consume_timestamp(&push.consume_timestamp);
        let of = QueueRef { topic: queue.topic.clone(), queue_id: queue.queue_id };
        let (request, name) = match from {
            PullFromWhere::At(offset) => return self.take(queue, offset, taking, turn),
            PullFromWhere::Skip => {
                let cause = cause.unwrap_or_else(|| "the broker's offset is below 0".to_owned());
                return self.take_nothing(&queue, cause, taking, turn);
            }
            PullFromWhere::MaxOffset => (Request::GetMaxOffset(of), "maxOffset"),
            PullFromWhere::Timestamp => {
                let QueueRef { topic, queue_id } = of;
                let timestamp = timestamp.unwrap_or(0);
                (Request::SearchOffsetByTimestamp(SearchOffset { topic, queue_id, timestamp }), "consumeTimestamp")
            }
        };
        taking.from = name;
        let Some(addr) = self.routes.master(&queue.broker_name).map(str::to_owned) else {
            let cause = Self::no_such_broker(&queue);
            return self.take_nothing(&queue, cause, taking, turn);
        };
        let call = turn.call(Service::Rebalance, &addr, request, ADMIN_TIMEOUT_MS);
        self.calls.insert(call, Waiting::Consumer(ConsumerCall::Position));
        taking.now = Some(queue);
        self.set_phase(Phase::Taking(taking));
    }

    /// The offset to begin at is known, or not.
    pub(super) fn position_answered(&mut self, answer: Answer, turn: &mut Turn<'_>) {
        let Some((queue, taking)) = self.taking() else { return };
        let cause = match answer.result {
            Ok(Response { code: ResponseCode::Success, body: ResponseBody::Offset(offset), .. }) if offset >= 0 => {
                return self.take(queue, offset, taking, turn);
            }
            Ok(Response { code: ResponseCode::Success, .. }) => "the broker's offset is below 0".to_owned(),
            Ok(Response { code, remark, .. }) => Exception::broker(code, remark.as_deref(), None).message,
            Err(error) => error.to_string(),
        };
        self.take_nothing(&queue, cause, taking, turn);
    }

    fn take(&mut self, queue: PullQueue, offset: i64, mut taking: Taking, turn: &mut Turn<'_>) {
        let now_ms = turn.wall_ms();
        let Some(push) = &mut self.push else { return };
        let id = push.next_queue;
        push.next_queue += 1;
        let mut process_queue = ProcessQueue::new(now_ms);
        process_queue.set_locked(now_ms);
        let own = OwnQueue { id, process_queue, next_offset: offset, pulling: PullState::Gone };
        push.queues.insert(queue.clone(), own);
        turn.step(ConsumerStep::QueueTaken {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            next_offset: offset,
            from: taking.from.to_owned(),
        });
        taking.taken.push((queue, id));
        taking.changed = true;
        self.go_on_taking(taking, turn);
    }

    fn take_nothing(&mut self, queue: &PullQueue, cause: String, taking: Taking, turn: &mut Turn<'_>) {
        self.not_taken(queue, cause, turn);
        self.go_on_taking(taking, turn);
    }

    fn not_taken(&mut self, queue: &PullQueue, cause: String, turn: &mut Turn<'_>) {
        if let Some(push) = &mut self.push {
            push.rebalancing.unquiet = true;
        }
        turn.step(ConsumerStep::QueueNotTaken {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            cause,
        });
    }

    fn go_on_taking(&mut self, taking: Taking, turn: &mut Turn<'_>) {
        if !self.take_next(taking, turn) {
            self.next_topic(turn);
        }
    }

    /// All queues of the topic are done: those that were taken over are pulled. Whether an answer is waited for.
    fn end_taking(&mut self, taking: Taking, turn: &mut Turn<'_>) -> bool {
        for (queue, id) in taking.taken {
            self.pull_now(&queue, id, turn);
        }
        if taking.changed {
            self.own_queues_changed(&taking.topic, turn);
        }
        taking.changed
    }

    fn set_phase(&mut self, phase: Phase) {
        if let Some(push) = &mut self.push {
            push.rebalancing.phase = phase;
        }
    }

    /// What 4.9.8 throws where it knows no address of a queue's broker.
    pub(super) fn no_such_broker(queue: &PullQueue) -> String {
        format!("The broker[{}] not exist", queue.broker_name)
    }

    /// The queue that is at it.
    fn taking(&mut self) -> Option<(PullQueue, Taking)> {
        match std::mem::take(&mut self.push.as_mut()?.rebalancing.phase) {
            Phase::Taking(mut taking) => Some((taking.now.take()?, taking)),
            _ => None,
        }
    }
}
