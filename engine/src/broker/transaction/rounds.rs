//! When checks take place (`TransactionalMessageCheckService`).
//!
//! The service waits 60 s, checks, and waits again. Checks that would find nothing are left out: there is one only while
//! something stands in the half queue or the op queue that it has not passed yet. So idle days cost no event, and the
//! moments stay those of 4.9.8.

use super::{GROUP, Process, check::Check, ops::half_offset, state::Positions};
use crate::{
    broker::schedule::Circumstances,
    message::{
        record,
        transaction::{HALF_TOPIC, OP_TOPIC},
    },
    node::{Grid, Service, TransactionStep, Turn},
    store::{ConsumeQueue, DispatchInfo},
};

impl Process {
    /// The service starts, at a master (`BrokerController.startProcessorByHa`).
    pub(in crate::broker) fn start_transaction_checks(&mut self, turn: &mut Turn<'_>) {
        if self.store.is_slave() {
            return;
        }
        self.wait_for_check(turn);
        for Positions { queue_id, half, half_end, op, op_end } in self.positions() {
            // Progress may have been committed by anybody, and lie anywhere.
            let first = |topic: &str| self.store.queue(topic, queue_id).map_or(0, ConsumeQueue::min_offset_in_queue);
            let (half, op) = (half.max(first(HALF_TOPIC)), op.max(first(OP_TOPIC)));
            self.transactions.open.extend((half..half_end).map(|offset| ((queue_id, offset), turn.seq())));
            for offset in op..op_end {
                if let Some(half_offset) = self.op_at(queue_id, offset) {
                    self.transactions.open.remove(&(queue_id, half_offset));
                }
            }
        }
        self.plan_check(turn);
    }

    /// The service waits for its next check.
    fn wait_for_check(&mut self, turn: &Turn<'_>) {
        let interval_us = self.transactions_interval_us();
        self.transactions.rounds = Some(Grid::new(turn.now_us().saturating_add(interval_us), interval_us));
    }

    /// `transactionCheckInterval`. One below 1 ms would be a service that never rests.
    fn transactions_interval_us(&self) -> i64 {
        self.config.transaction_check_interval.max(1).saturating_mul(1000)
    }

    /// Where the queues stand, without making them.
    fn positions(&self) -> Vec<Positions> {
        let queues = self.topics.get(HALF_TOPIC).map_or(0, |topic| topic.read_queue_nums);
        let of = |topic: &str, queue_id: i32| {
            let queue = self.store.queue(topic, queue_id);
            let min = queue.map_or(0, ConsumeQueue::min_offset_in_queue);
            (self.progress(topic, queue_id).unwrap_or(min), queue.map_or(0, ConsumeQueue::max_offset_in_queue))
        };
        let positions = (0..queues).map(|queue_id| {
            let ((half, half_end), (op, op_end)) = (of(HALF_TOPIC, queue_id), of(OP_TOPIC, queue_id));
            Positions { queue_id, half, half_end, op, op_end }
        });
        positions.collect()
    }

    fn progress(&self, topic: &str, queue_id: i32) -> Option<i64> {
        self.offsets.query(GROUP, topic, queue_id).filter(|offset| *offset != -1)
    }

    /// The half message that a unit of the op queue speaks of.
    fn op_at(&self, queue_id: i32, offset: i64) -> Option<i64> {
        let unit = self.store.unit(OP_TOPIC, queue_id, offset)?;
        let bytes = self.store.read(unit.physical_offset, unit.size)?;
        Some(half_offset(record::decode_unchecked(&bytes).ok()?.body))
    }

    /// Reput has dispatched a message: of a transaction it is something for the next check.
    pub(in crate::broker) fn transaction_dispatched(&mut self, info: &DispatchInfo, turn: &mut Turn<'_>) {
        let (queue_id, offset) = (info.queue_id, info.queue_offset);
        if *info.topic == *HALF_TOPIC {
            self.transactions.open.insert((queue_id, offset), turn.seq());
        } else if *info.topic == *OP_TOPIC {
            if let Some(half_offset) = self.op_at(queue_id, offset) {
                self.transactions.open.remove(&(queue_id, half_offset));
            }
        } else {
            return;
        }
        self.plan_check(turn);
    }

    /// Sets the next turn of the service: to the next check if it has something to look at, to when a check can go on that
    /// waits. A world in which nothing is undecided is at rest all the same: what is left of a decided half message is
    /// housekeeping.
    pub(in crate::broker) fn plan_check(&self, turn: &mut Turn<'_>) {
        let Some(rounds) = self.transactions.rounds else { return };
        if let Some(check) = &self.transactions.under_way {
            return turn.wake_because(Service::TransactionCheck, self.goes_on_us(check, turn), Some(turn.seq()));
        }
        let at_us = rounds.at_or_after(turn.now_us());
        if self.topics.get(HALF_TOPIC).is_none() {
            return turn.wake_at(Service::TransactionCheck, at_us);
        }
        let positions = self.positions();
        if positions.iter().any(Positions::has_work) && self.transactions.idle.as_ref() != Some(&positions) {
            if let Some(cause) = self.transactions.open.values().next() {
                turn.wake_because(Service::TransactionCheck, at_us, Some(*cause));
            } else {
                turn.wake_at(Service::TransactionCheck, at_us);
                turn.calm(Service::TransactionCheck);
            }
        }
    }

    /// When a check that waits goes on.
    fn goes_on_us(&self, check: &Check, turn: &Turn<'_>) -> i64 {
        let Some(waits) = &check.waits else { return turn.now_us() };
        if check.waits_for_lock() {
            return waits.until_us;
        }
        let changed = waits.refused.as_ref().is_some_and(|refused| *refused != Circumstances::of(&self.store));
        let more_ops = self.store.unit(OP_TOPIC, check.queue_id, check.ops.next_begin_offset).is_some();
        if changed || more_ops { turn.now_us() } else { waits.until_us }
    }

    /// The service's turn: the next check, or one that goes on.
    pub(in crate::broker) fn check_transactions(&mut self, turn: &mut Turn<'_>) {
        let mut check = self.transactions.under_way.take();
        let mut idle = check.is_none();
        if check.is_none() {
            if self.transactions.rounds.is_none_or(|rounds| rounds.start_us > turn.now_us()) {
                return self.plan_check(turn);
            }
            // `selectTopicConfig`: the first check after a broker's very first start makes the topic.
            let topic = self.topic_for_retries(HALF_TOPIC, 1, 0, turn);
            self.transactions.queues = (0..topic.read_queue_nums).collect();
        }
        loop {
            if check.is_none() {
                let Some(queue_id) = self.transactions.queues.pop_front() else { break };
                match self.begin_check(queue_id, turn) {
                    Ok(begun) => check = Some(begun),
                    Err(answers) => {
                        idle &= answers;
                        continue;
                    }
                }
            }
            let Some(mut under_way) = check.take() else { continue };
            match self.go_on_with_check(&mut under_way, turn) {
                None => {
                    self.transactions.under_way = Some(under_way);
                    return self.plan_check(turn);
                }
                Some(whole) => {
                    if !whole {
                        self.transactions.queues.clear();
                    }
                    let Check { queue_id, half_to, .. } = under_way;
                    self.transactions.open.retain(|(of, offset), _| *of != queue_id || *offset >= half_to);
                    idle &= whole && under_way.is_idle();
                    self.transactions.ended(under_way);
                }
            }
        }
        self.transactions.idle = idle.then(|| self.positions());
        self.wait_for_check(turn);
        self.plan_check(turn);
    }

    /// A check of a queue begins, or the queue is passed over: whether the store answers.
    fn begin_check(&mut self, queue_id: i32, turn: &mut Turn<'_>) -> Result<Check, bool> {
        let [half_from, op_from] = [HALF_TOPIC, OP_TOPIC].map(|topic| {
            self.progress(topic, queue_id).unwrap_or_else(|| self.store.min_offset_in_queue(topic, queue_id))
        });
        turn.step(TransactionStep::CheckBegins { half_from, op_from });
        if half_from < 0 || op_from < 0 {
            turn.step(TransactionStep::CheckOffsetIllegal { half_from, op_from });
            return Err(true);
        }
        let mut check = Check::new(queue_id, turn.wall_ms(), half_from, op_from);
        if !self.fill_ops(&mut check, op_from, turn) {
            turn.step(TransactionStep::CheckUnanswered { op_from });
            return Err(false);
        }
        Ok(check)
    }
}
