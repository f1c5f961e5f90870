//! A broker tells new offsets of the group (`MQClientInstance.resetOffset`): the queues are given up, and 10 s later, when
//! whatever the listener still had is over, the new offsets are the group's.

use std::collections::VecDeque;

use super::persist::Persists;
use crate::{
    client::{Client, PullQueue},
    node::{ConsumerStep, NamesStep, Service, Turn},
    wire::ResetConsumerClientOffset,
};

/// How long the listener is waited for, microseconds.
const PAUSE_US: i64 = 10_000_000;

/// The resets, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Resetting {
    /// The first is under way.
    resets: VecDeque<ResetConsumerClientOffset>,
    /// When it goes on, microseconds; `i64::MAX` once it has.
    due_us: i64,
}

impl Client {
    /// Whoever pulls keeps the offsets in the application's hands.
    pub(in crate::client) fn reset_told(&mut self, reset: ResetConsumerClientOffset, turn: &mut Turn<'_>) {
        let own_group = self.group() == reset.group;
        let Some(push) = self.push.as_mut().filter(|_| own_group) else {
            return turn.step(NamesStep::ResetIgnored { group: reset.group, topic: reset.topic });
        };
        push.resetting.resets.push_back(reset);
        if push.resetting.resets.len() == 1 {
            self.begin_reset(turn);
        }
    }

    fn begin_reset(&mut self, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let Some(reset) = push.resetting.resets.front().cloned() else { return };
        push.suspended = true;
        push.resetting.due_us = turn.now_us().saturating_add(PAUSE_US);
        turn.step(ConsumerStep::ResetBegan { topic: reset.topic.clone() });
        turn.wake_for_work(Service::Remoting, push.resetting.due_us);
        for queue in self.reset_queues(&reset) {
            self.drop_queue(&queue, "offsetReset", turn);
            let own = self.push.as_mut().and_then(|push| push.queues.get_mut(&queue));
            if let Some(own) = own {
                own.process_queue.clear();
            }
        }
    }

    /// Those of its queues that a reset names.
    fn reset_queues(&self, reset: &ResetConsumerClientOffset) -> Vec<PullQueue> {
        let named = |queue: &&PullQueue| {
            queue.topic == reset.topic
                && queue.broker_name == reset.broker_name
                && reset.offset_table.contains_key(&queue.queue_id)
        };
        self.push.iter().flat_map(|push| push.queues.keys()).filter(named).cloned().collect()
    }

    /// A turn of the service: a reset goes on if its time has come.
    pub(in crate::client) fn go_on_resetting(&mut self, turn: &mut Turn<'_>) {
        self.wait_for_lock(Service::Remoting, turn);
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return };
        if push.resetting.resets.is_empty() || now_us < push.resetting.due_us {
            return;
        }
        let Some(reset) = push.resetting.resets.front().cloned() else { return };
        push.resetting.due_us = i64::MAX;
        let offset = |queue: PullQueue| reset.offset_table.get(&queue.queue_id).map(|offset| (queue, *offset));
        self.reset_next(self.reset_queues(&reset).into_iter().filter_map(offset).collect(), turn);
    }

    /// Gives these queues their new offsets, one after the other, until one needs a route; or the reset ends.
    pub(super) fn reset_next(&mut self, mut left: VecDeque<(PullQueue, i64)>, turn: &mut Turn<'_>) {
        while let Some((queue, offset)) = left.pop_front() {
            self.move_offset(&queue, offset, false, turn);
            if self.persist_offset(&queue, Persists::Reset(left.clone()), turn) {
                return;
            }
            self.forget_reset(&queue, turn);
        }
        if let Some(push) = &mut self.push {
            push.resetting.resets.pop_front();
        }
        self.resume_push(turn);
        self.begin_reset(turn);
    }

    /// The broker has the new offset of a queue, or could not be told: the queue is free for the next rebalance.
    pub(super) fn forget_reset(&mut self, queue: &PullQueue, turn: &mut Turn<'_>) {
        if let Some(push) = &mut self.push {
            push.remove_offset(queue);
        }
        self.remove_queue(queue, turn);
    }

    /// The consumer goes on (`resume`): the queues are shared out at once.
    pub fn resume_push(&mut self, turn: &mut Turn<'_>) {
        if let Some(push) = &mut self.push {
            push.suspended = false;
            turn.step(ConsumerStep::ConsumerResumed);
            self.unblock_pulls(turn);
            self.rebalance_at_once(turn);
        }
    }
}
