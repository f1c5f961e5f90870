//! The locks of queues at their brokers, with which an orderly consumer has a queue for itself (`RebalanceImpl.lock`,
//! `lockAll`, `unlock`).

use std::collections::{BTreeMap, BTreeSet};

use super::{orderly::LOCK_AT_DOOR_MS, pool::Task};
use crate::{
    client::{Client, ConsumerCall, PullQueue, Waiting},
    node::{Answer, ConsumerStep, Grid, Service, Turn},
    wire::{LockBatch, Request, Response, ResponseBody, ResponseCode, TopicQueue},
};

/// How long a broker's answer is waited for, milliseconds.
const TIMEOUT_MS: i64 = 1_000;

/// The first round in which all queues are locked, after the start.
const FIRST_US: i64 = 1_000_000;

/// How long a queue rests whose lock could be had, and one whose lock could not, milliseconds.
const AFTER_LOCK_MS: i64 = 10;
const WITHOUT_LOCK_MS: i64 = 3_000;

/// The rounds in which all queues are locked.
#[derive(Clone, Debug)]
pub(super) struct Locking {
    grid: Grid,
    /// Brokers whose answers are still to come.
    open: usize,
    /// Something in the round was not as in the one before.
    unquiet: bool,
    /// The brokers that the last round has asked: where no master was known, nobody.
    asked: BTreeSet<String>,
    /// Queues that are given up with messages in hand, by when they are unlocked.
    unlocks: BTreeMap<(i64, u64), PullQueue>,
    next_unlock: u64,
}

impl Default for Locking {
    fn default() -> Self {
        Self {
            grid: Grid::new(0, 1),
            open: 0,
            unquiet: false,
            asked: BTreeSet::new(),
            unlocks: BTreeMap::new(),
            next_unlock: 0,
        }
    }
}

/// Who asks for a lock.
#[derive(Clone, Debug)]
pub(in crate::client) enum LockFor {
    /// The rebalance, for the queue that it takes over.
    Rebalance(PullQueue),
    /// A thread that found the lock missing.
    Task(Task),
    /// A round, for all queues of a broker.
    All(Vec<PullQueue>),
}

impl Client {
    pub(super) fn start_locking(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let Some(push) = self.push.as_mut().filter(|push| push.is_orderly() && push.is_clustering()) else { return };
        let period_us = push.config.lock_interval.saturating_mul(1000);
        push.locking.grid = Grid::new(now_us.saturating_add(FIRST_US), period_us);
        turn.wake_at(Service::LockQueues, push.locking.grid.start_us);
    }

    /// A turn of the service: queues that are to be unlocked by now, or a round (`lockMQPeriodically`).
    pub(in crate::client) fn lock_queues(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return };
        let due = push.locking.unlocks.first_entry().filter(|first| first.key().0 <= now_us);
        if let Some(queue) = due.map(std::collections::btree_map::OccupiedEntry::remove) {
            self.unlock(&queue, turn);
        } else if push.locking.grid.index(now_us) >= 0 && !push.pool.is_closed() {
            self.lock_all(turn);
        }
        let Some(push) = &self.push else { return };
        let locking = &push.locking;
        turn.wake_at(Service::LockQueues, locking.grid.after(now_us));
        if let Some(((at_us, _), _)) = locking.unlocks.first_key_value() {
            turn.wake_at(Service::LockQueues, (*at_us).max(now_us));
        }
        if locking.open == 0 {
            self.end_locking(turn);
        }
    }

    fn lock_all(&mut self, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let mut by_broker: BTreeMap<String, Vec<PullQueue>> = BTreeMap::new();
        for queue in push.queues.keys() {
            by_broker.entry(queue.broker_name.clone()).or_default().push(queue.clone());
        }
        (push.locking.open, push.locking.unquiet) = (0, false);
        push.locking.asked.clear();
        for (broker_name, queues) in by_broker {
            if self.ask_lock(LockFor::All(queues), turn)
                && let Some(push) = &mut self.push
            {
                push.locking.open += 1;
                push.locking.asked.insert(broker_name);
            }
        }
    }

    /// The round is over. One that changes nothing need not be seen, as long as nobody's claim may change.
    fn end_locking(&self, turn: &mut Turn<'_>) {
        let Some(push) = &self.push else { return };
        let locking = &push.locking;
        if !locking.unquiet && locking.unlocks.is_empty() {
            turn.park(Service::LockQueues, locking.grid.after(turn.now_us()), locking.grid.period_us);
        }
    }

    /// Rounds have passed unseen, the last of them at this time by the client's clock.
    pub(in crate::client) fn locks_passed(&mut self, at_ms: i64) {
        let Some(push) = &mut self.push else { return };
        let asked = &push.locking.asked;
        for (queue, own) in &mut push.queues {
            if own.process_queue.is_locked() && asked.contains(&queue.broker_name) {
                own.process_queue.set_locked(at_ms);
            }
        }
    }

    /// Asks for the lock of queues of one broker, its master; whether somebody is asked.
    pub(super) fn ask_lock(&mut self, lock_for: LockFor, turn: &mut Turn<'_>) -> bool {
        let (service, queues) = match &lock_for {
            LockFor::Rebalance(queue) => (Service::Rebalance, std::slice::from_ref(queue)),
            LockFor::Task(task) => (Service::Consume, std::slice::from_ref(task.queue())),
            LockFor::All(queues) => (Service::LockQueues, queues.as_slice()),
        };
        let master = queues.first().and_then(|queue| self.routes.master(&queue.broker_name)).map(str::to_owned);
        let Some(addr) = master else { return false };
        let request = Request::LockBatchMq(self.lock_batch(queues));
        let call = turn.call(service, &addr, request, TIMEOUT_MS);
        self.calls.insert(call, Waiting::Consumer(ConsumerCall::Lock(Box::new(lock_for))));
        true
    }

    fn lock_batch(&self, queues: &[PullQueue]) -> LockBatch {
        let mq_set = queues.iter().map(|queue| TopicQueue {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
        });
        LockBatch {
            consumer_group: self.group().to_owned(),
            client_id: self.client_id().to_owned(),
            mq_set: mq_set.collect(),
        }
    }

    /// A broker has said which of the queues are this consumer's, or nothing.
    pub(super) fn lock_answered(&mut self, lock_for: LockFor, answer: Answer, turn: &mut Turn<'_>) {
        let locked: Option<BTreeSet<PullQueue>> = match answer.result {
            Ok(Response { code: ResponseCode::Success, body: ResponseBody::LockedQueues(queues), .. }) => {
                let own = |TopicQueue { topic, broker_name, queue_id }| PullQueue { topic, broker_name, queue_id };
                Some(queues.into_iter().map(own).collect())
            }
            _ => None,
        };
        self.note_locked(locked.iter().flatten(), turn);
        let has = |queue: &PullQueue| locked.as_ref().is_some_and(|locked| locked.contains(queue));
        match lock_for {
            LockFor::Rebalance(queue) => {
                let has = has(&queue);
                self.queue_locked(queue, has, turn);
            }
            LockFor::Task(task) => {
                let after_ms = if has(task.queue()) { AFTER_LOCK_MS } else { WITHOUT_LOCK_MS };
                self.submit_in_order(task, after_ms, turn);
            }
            LockFor::All(queues) => {
                let lost = queues.into_iter().filter(|queue| !has(queue));
                let lost: Vec<PullQueue> = if locked.is_some() { lost.collect() } else { Vec::new() };
                self.note_lost(&lost, turn);
                let Some(push) = &mut self.push else { return };
                push.locking.unquiet |= locked.is_none() || !lost.is_empty();
                push.locking.open = push.locking.open.saturating_sub(1);
                if push.locking.open == 0 {
                    self.end_locking(turn);
                }
            }
        }
    }

    fn note_locked<'q>(&mut self, queues: impl Iterator<Item = &'q PullQueue>, turn: &mut Turn<'_>) {
        let now_ms = turn.wall_ms();
        let Some(push) = &mut self.push else { return };
        let mut found = false;
        for queue in queues {
            let Some(own) = push.queues.get_mut(queue) else { continue };
            found |= !own.process_queue.is_locked();
            own.process_queue.set_locked(now_ms);
        }
        if found {
            push.locking.unquiet = true;
            self.unblock_pulls(turn);
        }
    }

    fn note_lost(&mut self, queues: &[PullQueue], turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        for queue in queues {
            let Some(own) = push.queues.get_mut(queue) else { continue };
            own.process_queue.set_unlocked();
            turn.step(ConsumerStep::LockLost {
                topic: queue.topic.clone(),
                broker_name: queue.broker_name.clone(),
                queue_id: queue.queue_id,
            });
        }
    }

    /// A thread found the lock of its queue missing (`lockOneMQ`). Without a master there is nobody to ask, however often it is
    /// tried: the task waits until one is known.
    pub(super) fn lock_for(&mut self, task: Task, turn: &mut Turn<'_>) {
        if self.ask_lock(LockFor::Task(task.clone()), turn) {
            return;
        }
        let first_us = turn.now_us().saturating_add(WITHOUT_LOCK_MS.saturating_mul(1000));
        let period_us = (WITHOUT_LOCK_MS + LOCK_AT_DOOR_MS).saturating_mul(1000);
        if let Some(push) = &mut self.push {
            push.pool.wait_for_master(task, Grid::new(first_us, period_us));
        }
    }

    /// The brokers that are known have changed: tasks that waited for a master go to the threads at the next moment at which
    /// they would have.
    pub(in crate::client) fn brokers_changed(&mut self, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let routes = &self.routes;
        push.pool.masters_known(turn.now_us(), |queue| routes.master(&queue.broker_name).is_some());
        push.pool.arm(turn);
    }

    /// Gives a queue back to its broker, one-way.
    fn unlock(&self, queue: &PullQueue, turn: &mut Turn<'_>) {
        if let Some(addr) = self.routes.master(&queue.broker_name) {
            turn.oneway(
                Service::LockQueues,
                addr,
                Request::UnlockBatchMq(self.lock_batch(std::slice::from_ref(queue))),
            );
        }
    }

    /// A queue is given up: it is given back at once, or, with messages in hand, after a while in which the listener may still
    /// come to an end with them (`unlockDelay`).
    pub(super) fn unlock_given_up(&mut self, queue: &PullQueue, messages_in_hand: bool, turn: &mut Turn<'_>) {
        if !messages_in_hand {
            return self.unlock(queue, turn);
        }
        let Some(push) = &mut self.push else { return };
        let after_ms = push.config.unlock_delay_time;
        let at_us = turn.now_us().saturating_add(after_ms.saturating_mul(1000));
        push.locking.unlocks.insert((at_us, push.locking.next_unlock), queue.clone());
        push.locking.next_unlock += 1;
        turn.step(ConsumerStep::UnlockDelayed {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            after_ms,
        });
        turn.wake_at(Service::LockQueues, at_us);
    }

    /// The process ends: all queues are given back (`unlockAll`).
    pub(super) fn unlock_all(&self, turn: &mut Turn<'_>) {
        let Some(push) = self.push.as_ref().filter(|push| push.is_orderly() && push.is_clustering()) else { return };
        let mut by_broker: BTreeMap<&str, Vec<PullQueue>> = BTreeMap::new();
        for queue in push.queues.keys() {
            by_broker.entry(&queue.broker_name).or_default().push(queue.clone());
        }
        for (broker_name, queues) in by_broker {
            if let Some(addr) = self.routes.master(broker_name) {
                let request = Request::UnlockBatchMq(self.lock_batch(&queues));
                turn.call(Service::LockQueues, addr, request, TIMEOUT_MS);
            }
        }
    }
}
