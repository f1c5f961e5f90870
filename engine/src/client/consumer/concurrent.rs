//! Consuming with a concurrent listener (`ConsumeMessageConcurrentlyService`): each call begins in one turn and ends in
//! another.

use std::sync::Arc;

use super::{
    Delivery, DeliveryFate, ListenerKind,
    business::Work,
    pool::{Call, Stage, Task},
};
use crate::{
    client::{Client, PullQueue, Received},
    node::{ConsumerStep, Turn},
};

/// After so long, messages that nobody took back are tried again (`submitConsumeRequestLater`), milliseconds.
const AGAIN_MS: i64 = 5_000;

impl Client {
    /// Cuts messages into batches and hands them to the threads (`submitConsumeRequest`).
    pub(super) fn submit(&mut self, queue: &PullQueue, id: u64, messages: &[Arc<Received>], turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let batch = usize::try_from(push.config.consume_message_batch_max_size).unwrap_or(1).max(1);
        for messages in messages.chunks(batch) {
            push.pool.add(Task { queue: queue.clone(), id, messages: messages.to_vec() });
        }
        push.pool.arm(turn);
    }

    /// A turn of the threads: a listener that returns, or one that is called.
    pub(in crate::client) fn consume(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return };
        if let Some(thread) = push.pool.returned(now_us) {
            self.go_on_listening(thread, turn);
        } else if let Some(Task { queue, id, messages }) = push.pool.due_later(now_us) {
            self.submit(&queue, id, &messages, turn);
        } else if let Some((thread, task)) = push.pool.next() {
            self.call_listener(thread, task, turn);
        }
        if let Some(push) = &self.push {
            push.pool.arm(turn);
        }
    }

    /// A thread has a task in hand (`ConsumeRequest.run`).
    fn call_listener(&mut self, thread: u32, task: Task, turn: &mut Turn<'_>) {
        let (now_us, now_ms) = (turn.now_us(), turn.wall_ms());
        let name = self.thread_name(thread);
        let Some(push) = &mut self.push else { return };
        let Task { queue, id, messages } = &task;
        let count = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        let listener = Arc::clone(&push.listener);
        let Some((own, first)) = push.own(queue, *id).zip(messages.first()) else {
            push.pool.release(thread);
            turn.step(ConsumerStep::ConsumeIgnored {
                topic: queue.topic.clone(),
                broker_name: queue.broker_name.clone(),
                queue_id: queue.queue_id,
                count,
            });
            return;
        };
        own.process_queue.begin(messages.iter().map(|message| message.queue_offset), now_ms);
        let outcome = listener.call(first, &mut push.calls);
        let place = push.consumed.len();
        turn.step(ConsumerStep::ConsumeBegan {
            number: place as u64,
            thread: name,
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            queue_offset: first.queue_offset,
            count,
            reconsume_times: first.reconsume_times,
        });
        push.consumed.push_back(Delivery {
            messages: messages.clone(),
            queue: queue.clone(),
            thread,
            kind: ListenerKind::Concurrently,
            began_us: now_us,
            ended_us: None,
            result: None,
            fate: DeliveryFate::Running,
            business: None,
        });
        let ends_us = outcome.takes_us.map(|takes_us| now_us.saturating_add(takes_us));
        let works = push.business.is_some();
        let stage = if works { Stage::Working(Work::new(ends_us)) } else { Stage::Listening(ends_us) };
        push.pool.begin(thread, Call { task, place, outcome, stage });
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

    /// The listener has returned, or thrown: from the first message on that was not consumed, all go back
    /// (`processConsumeResult`).
    pub(super) fn returned(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return };
        let clustering = push.is_clustering();
        let Some(Call { task, place, outcome, .. }) = push.pool.call_mut(thread).cloned() else { return };
        let (number, messages) = (place as u64, task.messages.len());
        let counts = push.own(&task.queue, task.id).is_some();
        if let Some(delivery) = push.consumed.get_mut(place) {
            delivery.end(outcome.result, counts, now_us);
        }
        turn.step(ConsumerStep::ConsumeEnded {
            number,
            result: outcome.result.name(ListenerKind::Concurrently).to_owned(),
        });
        if !counts {
            push.pool.release(thread);
            turn.step(ConsumerStep::ConsumeResultUnused { number });
            return;
        }
        let done = outcome.acknowledged(messages);
        let at = if clustering { done } else { messages };
        if at > done {
            turn.step(ConsumerStep::MessagesLost { number, count: u32::try_from(at - done).unwrap_or(u32::MAX) });
        }
        if let Some(call) = push.pool.call_mut(thread) {
            call.stage = Stage::SendingBack { at, failed: Vec::new() };
        }
        self.send_next_back(thread, turn);
    }

    /// Everything that was to go back has gone, or could not: what remains is done with, as far as this consumer goes. The
    /// offset moves to the first message that is not done with.
    pub(super) fn finish(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let (now_us, now_ms) = (turn.now_us(), turn.wall_ms());
        let Some(push) = &mut self.push else { return };
        let Some(Call { task, stage: Stage::SendingBack { failed, .. }, .. }) = push.pool.release(thread) else {
            return;
        };
        let Task { queue, id, messages } = task;
        let Some(own) = push.own(&queue, id) else { return push.pool.arm(turn) };
        let in_hand = &mut own.process_queue;
        let again = failed.iter().filter_map(|place| in_hand.count_again(messages.get(*place)?.queue_offset));
        let again: Vec<Arc<Received>> = again.collect();
        let done = messages.iter().enumerate().filter(|(place, _)| !failed.contains(place));
        let offset = in_hand.remove(done.map(|(_, message)| &**message), now_ms);
        if !again.is_empty() {
            turn.step(ConsumerStep::ConsumedAgainLater {
                count: u32::try_from(again.len()).unwrap_or(u32::MAX),
                after_ms: AGAIN_MS,
            });
            let at_us = now_us.saturating_add(AGAIN_MS * 1000);
            push.pool.add_later(at_us, Task { queue: queue.clone(), id, messages: again });
        }
        push.pool.arm(turn);
        if let Some(offset) = offset {
            self.move_offset(&queue, offset, true, turn);
        }
        self.unblock_pulls(turn);
    }
}
