//! The messages of one queue between pull and commit.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    InHand, InHandState,
    gather::{Member, Seen},
};
use crate::client::{
    PullQueue,
    consumer::{DeliveryFate, ProcessQueue},
};

/// Messages shown of a queue at most: the first.
const SHOWN_MAX: usize = 64;

/// From the first message that is not done with to the last that was pulled, and how many more there are.
pub(super) fn messages(
    seen: &Seen<'_>,
    member: &Member<'_>,
    queue: &PullQueue,
    process_queue: &ProcessQueue,
) -> (Vec<InHand>, u32) {
    let Some(first) = process_queue.lowest_unfinished() else { return (Vec::new(), 0) };
    let last = process_queue.queue_offset_max().max(first);
    let length = usize::try_from(last - first).unwrap_or(usize::MAX).saturating_add(1);
    let threads = threads(member, queue);
    let waiting = waiting_for_threads(member, queue);
    let (mut done, mut shown) = (None, Vec::new());
    for queue_offset in (first..=last).take(SHOWN_MAX) {
        let message = process_queue.waiting().get(&queue_offset).or_else(|| process_queue.taken().get(&queue_offset));
        let Some(message) = message else {
            let done = done.get_or_insert_with(|| done_from(member, queue, first));
            let (name, state) = match done.get(&queue_offset) {
                Some(msg_id) => (seen.name_of(msg_id), InHandState::Done),
                None => (None, InHandState::Passed),
            };
            shown.push(InHand { queue_offset, name, state });
            continue;
        };
        let state = match threads.get(&queue_offset) {
            Some((thread, true)) => InHandState::Consuming { thread: *thread },
            Some((thread, false)) => InHandState::GoingBack { thread: *thread },
            None if process_queue.taken().contains_key(&queue_offset) => InHandState::Uncommitted,
            None if process_queue.begun_ms(queue_offset).is_some() && !waiting.contains(&queue_offset) => {
                InHandState::Again
            }
            None => InHandState::Waiting,
        };
        shown.push(InHand { queue_offset, name: seen.name_of(&message.msg_id), state });
    }
    (shown, u32::try_from(length.saturating_sub(SHOWN_MAX)).unwrap_or(u32::MAX))
}

/// The threads that have messages of a queue, by queue offset, and whether the listener has not returned yet.
fn threads(member: &Member<'_>, queue: &PullQueue) -> BTreeMap<i64, (u32, bool)> {
    let calls = member
        .push
        .pool()
        .calls()
        .iter()
        .filter(|(_, call)| call.task().queue() == queue && (call.is_listening() || call.is_sending_back()));
    calls
        .flat_map(|(thread, call)| {
            let messages = call.task().messages().iter();
            messages.map(|message| (message.queue_offset, (*thread, call.is_listening())))
        })
        .collect()
}

/// Queue offsets of messages that wait for a thread.
fn waiting_for_threads(member: &Member<'_>, queue: &PullQueue) -> BTreeSet<i64> {
    let tasks = member.push.pool().waiting().filter(|task| task.queue() == queue);
    tasks.flat_map(|task| task.messages().iter().map(|message| message.queue_offset)).collect()
}

/// The messages of a queue from an offset on that a listener of this member was done with, by queue offset.
fn done_from<'a>(member: &Member<'a>, queue: &PullQueue, first: i64) -> BTreeMap<i64, &'a str> {
    let counted = member.push.consumed().iter().rev().filter(|delivery| delivery.fate == DeliveryFate::Counted);
    let messages = counted.filter(|delivery| delivery.queue == *queue).flat_map(|delivery| &delivery.messages);
    messages
        .filter(|message| message.queue_offset >= first)
        .map(|message| (message.queue_offset, message.msg_id.as_str()))
        .collect()
}
