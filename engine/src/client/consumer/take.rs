//! What a rebalance does with a topic's queues: gives up those that are not this consumer's any more, and takes over those
//! that are now (`updateProcessQueueTableInRebalance`).

use std::collections::{BTreeSet, VecDeque};

use super::{
    ConsumerConfig, OwnQueue, ProcessQueue, PullState,
    lock::LockFor,
    persist::Persists,
    rebalance::Phase,
    start_offset::{BegunAt, Start, StartOf},
};
use crate::{
    client::{Client, PullQueue},
    node::{ConsumerStep, Service, Turn},
    planted::PlantedFault,
};

/// How long the end of a listener's call is waited for before a queue is given up, microseconds.
const CONSUME_LOCK_US: i64 = 1_000_000;

/// Queues of a topic that are being given up; those that are taken over come after them.
#[derive(Clone, Debug)]
pub(super) struct Giving {
    topic: String,
    own: BTreeSet<PullQueue>,
    left: VecDeque<(PullQueue, &'static str)>,
    /// The one whose listener is waited for.
    now: Option<(PullQueue, u64)>,
    /// Until then, microseconds.
    pub(super) until_us: i64,
    changed: bool,
}

/// Queues of a topic that are being taken over.
#[derive(Clone, Debug)]
pub(super) struct Taking {
    topic: String,
    left: VecDeque<PullQueue>,
    /// Those that are taken over, whose first pulls go out together.
    taken: Vec<(PullQueue, u64)>,
    /// The consumer has other queues than before.
    changed: bool,
}

impl Client {
    /// Gives up and takes over what it takes to have just these queues of a topic; whether something is waited for.
    pub(super) fn share(&mut self, topic: &str, own: Vec<PullQueue>, turn: &mut Turn<'_>) -> bool {
        let now_ms = turn.wall_ms();
        let own: BTreeSet<PullQueue> = own.into_iter().collect();
        let Some(push) = &mut self.push else { return false };
        let ConsumerConfig { pull_max_idle_time: idle_ms, rebalance_wait_interval, .. } = push.config;
        let mut left = VecDeque::new();
        let mut slow = false;
        for (queue, of) in push.queues.iter().filter(|(queue, _)| queue.topic == topic) {
            if !own.contains(queue) {
                left.push_back((queue.clone(), "allocatedElsewhere"));
            } else if of.is_pull_expired(idle_ms, now_ms) {
                left.push_back((queue.clone(), "pullExpired"));
            }
            // A queue whose pulls go on is pulled from every half minute at the latest.
            slow |= of.is_pull_expired(rebalance_wait_interval.saturating_mul(2), now_ms);
        }
        push.rebalancing.unquiet |= slow;
        let giving = Giving { topic: topic.to_owned(), own, left, now: None, until_us: 0, changed: false };
        self.give_next_up(giving, turn)
    }

    /// Drops the next queue and removes it, with its offset, which the broker gets first (`removeUnnecessaryMessageQueue`). One
    /// with which an orderly listener runs waits for that.
    fn give_next_up(&mut self, mut giving: Giving, turn: &mut Turn<'_>) -> bool {
        while let Some((queue, reason)) = giving.left.pop_front() {
            self.drop_queue(&queue, reason, turn);
            if self.persist_offset(&queue, Persists::Rebalance, turn) {
                if let Some(push) = &mut self.push {
                    push.rebalancing.phase = Phase::Persisting(giving, queue);
                }
                return true;
            }
            let Some(rest) = self.let_go(giving, queue, turn) else { return true };
            giving = rest;
        }
        let Giving { topic, own, changed, .. } = giving;
        let Some(push) = &mut self.push else { return false };
        let left = own.into_iter().filter(|queue| !push.queues.contains_key(queue)).collect();
        self.take_next(Taking { topic, left, taken: Vec::new(), changed }, turn)
    }

    /// Removes a queue whose offset the broker has; what is still to be given up, `None` while its listener is waited for.
    fn let_go(&mut self, mut giving: Giving, queue: PullQueue, turn: &mut Turn<'_>) -> Option<Giving> {
        let now_us = turn.now_us();
        let push = self.push.as_mut()?;
        push.remove_offset(&queue);
        let Some(id) = push.queues.get(&queue).map(|own| own.id) else { return Some(giving) };
        let listens = if push.has_locks() { push.pool.listens_until(&queue, id) } else { None };
        if let Some(ends_us) = listens {
            let until_us = now_us.saturating_add(CONSUME_LOCK_US);
            giving.until_us = ends_us.clamp(now_us, until_us);
            giving.now = Some((queue, id));
            turn.wake_for_work(Service::Rebalance, giving.until_us);
            push.rebalancing.phase = Phase::Giving(giving);
            return None;
        }
        self.remove_queue(&queue, turn);
        giving.changed = true;
        Some(giving)
    }

    /// The route that the offset of a queue that is given up waited for is there, or not.
    pub(super) fn given_up_persisted(&mut self, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let Phase::Persisting(giving, queue) = std::mem::take(&mut push.rebalancing.phase) else { return };
        if let Some(rest) = self.let_go(giving, queue, turn)
            && !self.give_next_up(rest, turn)
        {
            self.next_topic(turn);
        }
    }

    /// The listener has come to its end, or has had its second: then the queue stays, dropped, until the next round.
    pub(super) fn go_on_giving(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return };
        let Phase::Giving(mut giving) = std::mem::take(&mut push.rebalancing.phase) else { return };
        if let Some((queue, id)) = giving.now.take() {
            let runs = push.pool.listens_until(&queue, id).is_some_and(|ends_us| ends_us > now_us);
            if runs {
                push.rebalancing.unquiet = true;
                if let Some(own) = push.queues.get_mut(&queue) {
                    own.process_queue.unlock_tried();
                    turn.step(ConsumerStep::ConsumeLockHeld {
                        topic: queue.topic.clone(),
                        broker_name: queue.broker_name.clone(),
                        queue_id: queue.queue_id,
                        tries: own.process_queue.unlock_tries(),
                    });
                }
            } else {
                self.remove_queue(&queue, turn);
                giving.changed = true;
            }
        }
        if !self.give_next_up(giving, turn) {
            self.next_topic(turn);
        }
    }

    /// The queue is not this consumer's any more, and its lock is given back.
    pub(super) fn remove_queue(&mut self, queue: &PullQueue, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let removed = push.queues.remove(queue);
        if let Some(own) = removed.filter(|_| push.has_locks()) {
            self.unlock_given_up(queue, !own.process_queue.waiting().is_empty(), turn);
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

    /// Queues of topics that are not subscribed any more are dropped, and that is all: neither offset nor lock goes back
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

    /// Begins with the next queue, or ends; whether an answer is waited for. An orderly consumer locks it first. Which offset
    /// it had here before means nothing.
    fn take_next(&mut self, mut taking: Taking, turn: &mut Turn<'_>) -> bool {
        let Some(queue) = taking.left.pop_front() else { return self.end_taking(taking, turn) };
        let Some(push) = &mut self.push else { return false };
        let locks = push.has_locks() && !self.planted.has(PlantedFault::QueueLockIgnored);
        push.rebalancing.phase = Phase::Taking(taking);
        if !locks {
            self.find_start_of(queue, turn);
        } else if !self.ask_lock(LockFor::Rebalance(queue.clone()), turn) {
            self.queue_locked(queue, false, turn);
        }
        true
    }

    /// The broker has given the lock of the queue, or not.
    pub(super) fn queue_locked(&mut self, queue: PullQueue, locked: bool, turn: &mut Turn<'_>) {
        if locked {
            self.find_start_of(queue, turn);
        } else {
            self.not_taken(&queue, "the lock of the queue could not be had".to_owned(), turn);
        }
    }

    fn find_start_of(&mut self, queue: PullQueue, turn: &mut Turn<'_>) {
        if let Some(push) = &mut self.push {
            push.remove_offset(&queue);
        }
        self.find_start(StartOf::rebalance(queue), turn);
    }

    /// Where to begin with the queue is known, or not.
    pub(super) fn start_known(&mut self, queue: PullQueue, start: Result<Start, String>, turn: &mut Turn<'_>) {
        let start = match start {
            Ok(start) if start.offset >= 0 => start,
            Ok(_) => return self.not_taken(&queue, "the broker could not be asked for the offset".to_owned(), turn),
            Err(cause) => return self.not_taken(&queue, cause, turn),
        };
        let now_ms = turn.wall_ms();
        let Some(push) = &mut self.push else { return };
        let id = push.next_queue;
        push.next_queue += 1;
        let mut process_queue = ProcessQueue::new(now_ms);
        process_queue.set_locked(now_ms);
        let own = OwnQueue {
            id,
            process_queue,
            next_offset: start.offset,
            pulling: PullState::Gone,
            previously_locked: false,
        };
        push.queues.insert(queue.clone(), own);
        let begun = BegunAt { at_us: turn.now_us(), offset: start.offset, from: start.from };
        push.begun_at.entry(queue.clone()).or_insert(begun);
        turn.step(ConsumerStep::QueueTaken {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            next_offset: start.offset,
            from: start.from.to_owned(),
        });
        if let Some(Phase::Taking(taking)) = self.push.as_mut().map(|push| &mut push.rebalancing.phase) {
            taking.taken.push((queue, id));
            taking.changed = true;
        }
        self.go_on_taking(turn);
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
        self.go_on_taking(turn);
    }

    fn go_on_taking(&mut self, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let Phase::Taking(taking) = std::mem::take(&mut push.rebalancing.phase) else { return };
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
}
