//! Calling the listener, and what a concurrent one comes to (`ConsumeMessageConcurrentlyService`): each call begins in one
//! turn and ends in another.

use std::sync::Arc;

use super::{
    ConsumeResult, Delivery, DeliveryFate, ListenerKind,
    business::Work,
    pool::{Call, Later, Listened, Stage, Task},
};
use crate::{
    client::{Client, PullQueue, Received},
    node::{ConsumerStep, Turn},
    planted::PlantedFault,
};

/// After so long, messages that nobody took back are tried again (`submitConsumeRequestLater`), milliseconds.
const AGAIN_MS: i64 = 5_000;

impl Client {
    /// Cuts messages into batches and hands them to the threads (`submitConsumeRequest`).
    pub(super) fn submit(&mut self, queue: &PullQueue, id: u64, messages: &[Arc<Received>], turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        if push.pool.is_closed() {
            return Self::reject(queue, messages.len(), turn);
        }
        let batch = usize::try_from(push.config.consume_message_batch_max_size).unwrap_or(1).max(1);
        for messages in messages.chunks(batch) {
            push.pool.add(Task { queue: queue.clone(), id, messages: messages.to_vec() });
        }
        push.pool.arm(turn);
    }

    /// A turn of the threads: a listener that returns, or one that is called.
    pub(in crate::client) fn consume(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        if self.ends_by_now(turn) {
            return self.end_process(turn);
        }
        let Some(push) = &mut self.push else { return };
        let orderly = push.is_orderly();
        if let Some(thread) = push.pool.returned(now_us) {
            self.go_on_listening(thread, turn);
        } else if let Some(thread) = push.pool.going_on() {
            self.go_on_in_order(thread, turn);
        } else if let Some(later) = push.pool.due_later(now_us) {
            match later {
                Later::Submit(task) if orderly => push.pool.add(task),
                Later::Submit(Task { queue, id, messages }) => self.submit(&queue, id, &messages, turn),
                Later::Lock(task) => self.lock_for(task, turn),
            }
        } else if let Some((thread, task)) = push.pool.next(now_us) {
            if orderly {
                self.begin_in_order(thread, task, turn);
            } else {
                self.begin_call(thread, task, turn);
            }
        }
        if let Some(push) = &self.push {
            push.pool.arm(turn);
        }
        self.wait_for_listeners(turn);
    }

    /// A thread has messages in hand (`ConsumeRequest.run`).
    fn begin_call(&mut self, thread: u32, task: Task, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        if push.own(&task.queue, task.id).is_none() {
            push.pool.release(thread, turn.now_us());
            Self::ignore(&task, turn);
            return;
        }
        let call = Call { task, listened: None, stage: Stage::Next, began_ms: turn.wall_ms() };
        push.pool.begin(thread, call);
        self.call_listener(thread, turn);
    }

    pub(super) fn ignore(task: &Task, turn: &mut Turn<'_>) {
        turn.step(ConsumerStep::ConsumeIgnored {
            topic: task.queue.topic.clone(),
            broker_name: task.queue.broker_name.clone(),
            queue_id: task.queue.queue_id,
            count: u32::try_from(task.messages.len()).unwrap_or(u32::MAX),
        });
    }

    /// The threads take no tasks any more.
    pub(super) fn reject(queue: &PullQueue, messages: usize, turn: &mut Turn<'_>) {
        turn.step(ConsumerStep::ConsumeRejected {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            count: u32::try_from(messages).unwrap_or(u32::MAX),
        });
    }

    /// The listener is called with the messages of a thread's task, of which there is at least one.
    pub(super) fn call_listener(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let (now_us, now_ms) = (turn.now_us(), turn.wall_ms());
        let name = self.thread_name(thread);
        let Some(push) = &mut self.push else { return };
        let Some(Task { queue, id, messages }) = push.pool.calls().get(&thread).map(|call| call.task.clone()) else {
            return;
        };
        let Some(first) = messages.first() else { return };
        let listener = Arc::clone(&push.listener);
        if let Some(own) = push.own(&queue, id) {
            own.process_queue.begin(messages.iter().map(|message| message.queue_offset), now_ms);
        }
        let outcome = listener.call(first, &mut push.calls);
        let place = push.consumed.len();
        turn.step(ConsumerStep::ConsumeBegan {
            number: place as u64,
            thread: name,
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            queue_offset: first.queue_offset,
            count: u32::try_from(messages.len()).unwrap_or(u32::MAX),
            reconsume_times: first.reconsume_times,
        });
        push.consumed.push_back(Delivery {
            messages,
            queue,
            thread,
            kind: listener.kind,
            began_us: now_us,
            ended_us: None,
            result: None,
            fate: DeliveryFate::Running,
            consumed: 0,
            business: None,
            transactions: Vec::new(),
        });
        let ends_us = outcome.takes_us.map(|takes_us| now_us.saturating_add(takes_us));
        let works = push.business.is_some();
        if let Some(call) = push.pool.call_mut(thread) {
            call.listened = Some(Listened { place, outcome });
            call.stage = if works { Stage::Working(Work::new(ends_us)) } else { Stage::Listening(ends_us) };
        }
        self.plan_cleaning(turn);
        if works {
            self.work_on(thread, turn);
        }
    }

    /// A listener returns, or goes on with its work.
    fn go_on_listening(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let stage = self.push.as_ref().and_then(|push| push.pool.calls().get(&thread)).map(|call| &call.stage);
        if matches!(stage, Some(Stage::Working(_))) {
            self.work_on(thread, turn);
        } else {
            self.returned(thread, turn);
        }
    }

    /// The name of a thread, as the client's log has it.
    fn thread_name(&self, thread: u32) -> String {
        let group: String = self.group().chars().take(100).collect();
        format!("ConsumeMessageThread_{group}_{thread}")
    }

    /// The listener has returned, or thrown. What it came to is not used if the queue was given up meanwhile.
    pub(super) fn returned(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return };
        let kind = push.listener.kind;
        let Some(call) = push.pool.call_mut(thread).cloned() else { return };
        let (Task { queue, id, .. }, Some(Listened { place, outcome })) = (call.task, call.listened) else { return };
        let (number, counts) = (place as u64, push.own(&queue, id).is_some());
        if let Some(delivery) = push.consumed.get_mut(place) {
            delivery.end(&outcome, counts, now_us);
        }
        turn.step(ConsumerStep::ConsumeEnded { number, result: outcome.result.name(kind).to_owned() });
        if !counts {
            turn.step(ConsumerStep::ConsumeResultUnused { number });
        }
        match kind {
            // An orderly service looks for messages that have failed too often even then.
            ListenerKind::Orderly if counts || outcome.result.status(kind) == ConsumeResult::Suspend => {
                self.judge_in_order(thread, turn);
            }
            ListenerKind::Concurrently if counts => self.judge_together(thread, turn),
            _ => self.leave_queue(thread, turn),
        }
    }

    /// From the first message on that was not consumed, all go back (`processConsumeResult`).
    fn judge_together(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        // What is not done with goes back, unless a fault is planted.
        let clustering = push.is_clustering();
        let gives_back = clustering && !self.planted.has(PlantedFault::RefusedCountsAsConsumed);
        let Some(call) = push.pool.call_mut(thread) else { return };
        let Some(Listened { place, outcome }) = call.listened else { return };
        let messages = call.task.messages.len();
        let done = outcome.acknowledged(messages);
        let at = if gives_back { done } else { messages };
        call.stage = Stage::SendingBack { at, failed: Vec::new() };
        if at > done && !clustering {
            let count = u32::try_from(at - done).unwrap_or(u32::MAX);
            turn.step(ConsumerStep::MessagesLost { number: place as u64, count });
        }
        self.send_next_back(thread, turn);
    }

    /// Everything that was to go back has gone, or could not: what remains is done with, as far as this consumer goes. The
    /// offset moves to the first message that is not done with.
    pub(super) fn finish(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let (now_us, now_ms) = (turn.now_us(), turn.wall_ms());
        let Some(push) = &mut self.push else { return };
        let Some(Call { task, stage: Stage::SendingBack { failed, .. }, .. }) = push.pool.release(thread, now_us)
        else {
            return;
        };
        let Task { queue, id, messages } = task;
        let Some(own) = push.own(&queue, id) else { return push.pool.arm(turn) };
        let in_hand = &mut own.process_queue;
        let again = failed.iter().filter_map(|place| in_hand.count_again(messages.get(*place)?.queue_offset));
        let again: Vec<Arc<Received>> = again.collect();
        let done = messages.iter().enumerate().filter(|(place, _)| !failed.contains(place));
        let offset = in_hand.remove(done.map(|(_, message)| &**message), now_ms);
        if push.pool.is_closed() && !again.is_empty() {
            Self::reject(&queue, again.len(), turn);
        } else if !again.is_empty() {
            turn.step(ConsumerStep::ConsumedAgainLater {
                count: u32::try_from(again.len()).unwrap_or(u32::MAX),
                after_ms: AGAIN_MS,
            });
            let at_us = now_us.saturating_add(AGAIN_MS * 1000);
            push.pool.add_later(at_us, Later::Submit(Task { queue: queue.clone(), id, messages: again }));
        }
        push.pool.arm(turn);
        if let Some(offset) = offset {
            self.move_offset(&queue, offset, true, turn);
        }
        self.unblock_pulls(turn);
    }
}
