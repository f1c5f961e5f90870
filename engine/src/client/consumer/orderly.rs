//! Consuming with an orderly listener (`ConsumeMessageOrderlyService`): one thread at a time has a queue, and takes its
//! messages one batch after the other, as long as the consumer has the queue's lock.
//!
//! A batch that was not consumed comes again here, after a while, and nothing behind it before: the broker is told nothing.

use std::sync::Arc;

use super::{
    ConsumeResult, ListenerKind,
    back::BackFrom,
    pool::{Call, Later, Listened, Stage, Task},
};
use crate::{
    client::{Client, PullQueue, Received, purpose::Purpose},
    node::{ConsumerStep, Turn},
    planted::PlantedFault,
};

/// The shortest and the longest rest of a queue, milliseconds.
const REST_MS: (i64, i64) = (10, 30_000);

/// How long a thread that has no lock waits before it asks for it: at the door, and later, milliseconds.
pub(super) const LOCK_AT_DOOR_MS: i64 = 100;
const LOCK_LATER_MS: i64 = 10;

impl Client {
    /// A thread has a queue in hand (`ConsumeRequest.run`); while another has it, it waits.
    pub(super) fn begin_in_order(&mut self, thread: u32, task: Task, turn: &mut Turn<'_>) {
        let now_ms = turn.wall_ms();
        let Some(push) = &mut self.push else { return };
        if push.own(&task.queue, task.id).is_none() {
            push.pool.release(thread, turn.now_us());
            return Self::ignore(&task, turn);
        }
        let taken = push.pool.is_taken(&task.queue);
        let stage = if taken { Stage::AtDoor } else { Stage::Next };
        push.pool.begin(thread, Call { task, listened: None, stage, began_ms: now_ms });
        if !taken {
            self.enter_queue(thread, turn);
        }
    }

    /// The queue is this thread's. Without the lock it leaves again.
    fn enter_queue(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let now_ms = turn.wall_ms();
        let Some(push) = &mut self.push else { return };
        let Some(call) = push.pool.call_mut(thread) else { return };
        (call.stage, call.began_ms) = (Stage::Next, now_ms);
        let task = call.task.clone();
        match self.missing_lock(&task, turn) {
            Some(reason) => self.lock_later(thread, reason, LOCK_AT_DOOR_MS, turn),
            None => self.go_on_in_order(thread, turn),
        }
    }

    /// Why a queue's messages must not be consumed now, if the lock is what is missing.
    fn missing_lock(&mut self, task: &Task, turn: &Turn<'_>) -> Option<&'static str> {
        let now_ms = turn.wall_ms();
        let ignored = self.planted.has(PlantedFault::QueueLockIgnored);
        let push = self.push.as_mut()?;
        if ignored || !push.is_clustering() {
            return None;
        }
        let live_ms = push.config.lock_max_live_time;
        let in_hand = &push.own(&task.queue, task.id)?.process_queue;
        if in_hand.is_locked() {
            in_hand.is_lock_expired(live_ms, now_ms).then_some("lockExpired")
        } else {
            Some("notLocked")
        }
    }

    /// The thread leaves the queue, whose lock is asked for after a while (`tryLockLaterAndReconsume`).
    fn lock_later(&mut self, thread: u32, reason: &str, after_ms: i64, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let Some(task) = push.pool.calls().get(&thread).map(|call| call.task.clone()) else { return };
        let queue = &task.queue;
        if push.pool.is_closed() {
            Self::reject(queue, 0, turn);
            return self.leave_queue(thread, turn);
        }
        turn.step(ConsumerStep::ConsumeWaitsForLock {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            reason: reason.to_owned(),
            after_ms,
        });
        let at_us = turn.now_us().saturating_add(after_ms.saturating_mul(1000));
        push.pool.add_later(at_us, Later::Lock(Task { messages: Vec::new(), ..task }));
        self.leave_queue(thread, turn);
    }

    /// A turn of a thread with its queue: the next messages, if it may.
    pub(super) fn go_on_in_order(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let now_ms = turn.wall_ms();
        let Some(push) = &mut self.push else { return };
        let Some(Call { task, began_ms, .. }) = push.pool.calls().get(&thread).cloned() else { return };
        if push.own(&task.queue, task.id).is_none() {
            Self::ignore(&Task { messages: Vec::new(), ..task }, turn);
            return self.leave_queue(thread, turn);
        }
        if let Some(reason) = self.missing_lock(&task, turn) {
            return self.lock_later(thread, reason, LOCK_LATER_MS, turn);
        }
        let Some(push) = &mut self.push else { return };
        if now_ms.saturating_sub(began_ms) > push.config.max_time_consume_continuously {
            return self.rest_queue(thread, REST_MS.0, turn);
        }
        let most = usize::try_from(push.config.consume_message_batch_max_size).unwrap_or(1).max(1);
        let Some(own) = push.own(&task.queue, task.id) else { return };
        let messages = own.process_queue.take(most, now_ms);
        if messages.is_empty() {
            return self.leave_queue(thread, turn);
        }
        if let Some(call) = push.pool.call_mut(thread) {
            call.task.messages = messages;
        }
        self.call_listener(thread, turn);
    }

    /// What the listener came to (`processConsumeResult`).
    pub(super) fn judge_in_order(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let Some(call) = push.pool.call_mut(thread) else { return };
        let Some(Listened { outcome, .. }) = call.listened else { return };
        match outcome.result.status(ListenerKind::Orderly) {
            ConsumeResult::Suspend => {
                call.stage = Stage::Judging { at: 0, again: false };
                self.judge_next(thread, turn);
            }
            // Without being asked to commit, the messages stay with the listener.
            ConsumeResult::Success if !outcome.auto_commit => call.stage = Stage::Next,
            ConsumeResult::Rollback if !outcome.auto_commit => {
                let Task { queue, id, .. } = call.task.clone();
                if let Some(own) = push.own(&queue, id) {
                    own.process_queue.roll_back();
                }
                self.rest_queue(thread, outcome.suspend_ms, turn);
            }
            _ => self.commit_in_order(thread, turn),
        }
    }

    /// Everything that the listener has is done with; the thread goes on.
    fn commit_in_order(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let Some(call) = push.pool.call_mut(thread) else { return };
        call.stage = Stage::Next;
        let Task { queue, id, .. } = call.task.clone();
        if let Some(offset) = push.own(&queue, id).and_then(|own| own.process_queue.commit()) {
            self.move_offset(&queue, offset, false, turn);
            self.unblock_pulls(turn);
        }
    }

    /// Whether the messages may be consumed again, one after the other (`checkReconsumeTimes`): those that have been too
    /// often go to the retry topic, whose broker knows what to do with them.
    fn judge_next(&mut self, thread: u32, turn: &mut Turn<'_>) {
        loop {
            let Some(push) = &self.push else { return };
            let most = push.config.max_reconsume_times(ListenerKind::Orderly);
            let Some(Call { task, listened, stage: Stage::Judging { at, .. }, .. }) = push.pool.calls().get(&thread)
            else {
                return;
            };
            let Some((message, number)) = task.messages.get(*at).cloned().zip(listened.map(|of| of.place as u64))
            else {
                return self.all_judged(thread, turn);
            };
            if message.reconsume_times >= most {
                turn.step(ConsumerStep::MessageGivenUp {
                    number,
                    queue_offset: message.queue_offset,
                    reconsume_times: message.reconsume_times,
                });
                let new = self.retry_message(&message, ListenerKind::Orderly);
                return self.send_for(Purpose::SentBack { from: BackFrom::InOrder(thread) }, new, turn);
            }
            self.note_judged(thread, true);
        }
    }

    /// A message that was given up is sent, or is not: then it comes again like the others.
    pub(super) fn judged(&mut self, thread: u32, again: bool, turn: &mut Turn<'_>) {
        self.note_judged(thread, again);
        self.judge_next(thread, turn);
    }

    fn note_judged(&mut self, thread: u32, comes_again: bool) {
        let Some(push) = &mut self.push else { return };
        let Some(Call { task, stage: Stage::Judging { at, again }, .. }) = push.pool.call_mut(thread) else { return };
        let place = *at;
        *at += 1;
        *again |= comes_again;
        let (Task { queue, id, messages }, true) = (task.clone(), comes_again) else { return };
        let offset = messages.get(place).map(|message| message.queue_offset);
        let counted = offset.and_then(|offset| push.own(&queue, id)?.process_queue.count_again(offset));
        let call = push.pool.call_mut(thread);
        if let Some((counted, slot)) = counted.zip(call.and_then(|call| call.task.messages.get_mut(place))) {
            *slot = counted;
        }
    }

    /// All messages are judged: if one of them is to be consumed again, all of them are.
    fn all_judged(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let Some(call) = push.pool.call_mut(thread) else { return };
        let (Stage::Judging { again, .. }, Some(Listened { outcome, .. })) = (&call.stage, call.listened) else {
            return;
        };
        let Task { queue, id, messages } = call.task.clone();
        match (*again, outcome.auto_commit) {
            (true, _) => {
                self.consume_again(&queue, id, messages);
                self.rest_queue(thread, outcome.suspend_ms, turn);
            }
            (false, true) => self.commit_in_order(thread, turn),
            (false, false) => call.stage = Stage::Next,
        }
        if let Some(push) = &self.push {
            push.pool.arm(turn);
        }
    }

    fn consume_again(&mut self, queue: &PullQueue, id: u64, messages: Vec<Arc<Received>>) {
        if let Some(own) = self.push.as_mut().and_then(|push| push.own(queue, id)) {
            own.process_queue.consume_again(messages);
        }
    }

    /// The thread leaves the queue; a thread has it again after a rest (`submitConsumeRequestLater`). -1: as long as the
    /// consumer is set to.
    fn rest_queue(&mut self, thread: u32, rest_ms: i64, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let Some(task) = push.pool.calls().get(&thread).map(|call| call.task.clone()) else { return };
        let rest_ms = if rest_ms == -1 { push.config.suspend_current_queue_time_millis } else { rest_ms };
        let after_ms = rest_ms.clamp(REST_MS.0, REST_MS.1);
        let queue = &task.queue;
        if push.pool.is_closed() {
            Self::reject(queue, 0, turn);
            return self.leave_queue(thread, turn);
        }
        turn.step(ConsumerStep::QueueRests {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            after_ms,
        });
        self.submit_in_order(Task { messages: Vec::new(), ..task }, after_ms, turn);
        self.leave_queue(thread, turn);
    }

    /// A thread is to have the queue after a while.
    pub(super) fn submit_in_order(&mut self, task: Task, after_ms: i64, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let at_us = turn.now_us().saturating_add(after_ms.saturating_mul(1000));
        push.pool.add_later(at_us, Later::Submit(task));
        push.pool.arm(turn);
    }

    /// The thread has done with its task. Of an orderly service, the next that waits for the queue is let in.
    pub(super) fn leave_queue(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let left = push.pool.release(thread, turn.now_us());
        if push.is_orderly()
            && let Some(next) = left.and_then(|call| push.pool.at_door(&call.task.queue))
        {
            self.enter_queue(next, turn);
        }
        if let Some(push) = &self.push {
            push.pool.arm(turn);
        }
    }
}
