//! The messages that were not consumed at once: their deliveries, and where they are now.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    AttemptPicture, RetriedPicture, RetriesPicture, RetryPlace,
    gather::{Master, Member, Seen},
};
use crate::{
    broker::{DLQ_PREFIX, Process},
    client::{
        Received,
        consumer::{ConsumeResult, Delivery, DeliveryFate, OwnQueue},
    },
    message::{
        delay::SCHEDULE_TOPIC,
        property,
        record::{self, Record},
    },
};

/// Messages shown at most: those that were delivered last.
const SHOWN_MAX: usize = 32;
/// Deliveries shown of a message at most: the last.
const ATTEMPTS_MAX: usize = 24;
/// Units looked through of a queue at most, when messages are looked for.
const LOOKED_THROUGH: i64 = 256;

/// One delivery of one message.
struct Attempt<'a> {
    member: &'a Member<'a>,
    delivery: &'a Delivery,
    message: &'a Received,
}

/// The messages that were not consumed at once.
pub(super) fn retries(seen: &Seen<'_>) -> RetriesPicture {
    let mut messages = troubled(seen);
    // In the order of the last delivery, so that the oldest are left out; then in that of the first.
    messages.sort_by_key(|attempts| attempts.last().map(|attempt| attempt.delivery.began_us));
    let earlier = messages.len().saturating_sub(SHOWN_MAX);
    messages.drain(..earlier);
    messages.sort_by_key(|attempts| attempts.first().map(|attempt| attempt.delivery.began_us));
    let places = Places::look(seen);
    let process = seen.masters.iter().find_map(Master::process);
    let most = seen.members.first().map(|member| member.push.config().max_reconsume_times(member.push.listener().kind));
    RetriesPicture {
        levels: process.map(|process| process.store().delay_levels().iter().collect()).unwrap_or_default(),
        max_reconsume_times: most.unwrap_or(0),
        messages: messages.iter().filter_map(|attempts| picture(seen, &places, attempts)).collect(),
        earlier: u32::try_from(earlier).unwrap_or(u32::MAX),
    }
}

/// The deliveries of each message, by time, as far as one of them was not a success at once.
fn troubled<'a>(seen: &'a Seen<'a>) -> Vec<Vec<Attempt<'a>>> {
    let mut by_message: BTreeMap<&str, Vec<Attempt<'a>>> = BTreeMap::new();
    for member in &seen.members {
        for delivery in member.push.consumed() {
            for message in &delivery.messages {
                let attempt = Attempt { member, delivery, message };
                by_message.entry(&message.msg_id).or_default().push(attempt);
            }
        }
    }
    let mut messages: Vec<_> = by_message.into_values().filter(|attempts| attempts.iter().any(is_trouble)).collect();
    for attempts in &mut messages {
        attempts.sort_by_key(|attempt| attempt.delivery.began_us);
    }
    messages
}

/// Whether a delivery was a repetition, or did not end well.
fn is_trouble(attempt: &Attempt<'_>) -> bool {
    attempt.message.reconsume_times > 0 || (attempt.delivery.fate != DeliveryFate::Running && !is_success(attempt))
}

fn is_success(attempt: &Attempt<'_>) -> bool {
    let result = attempt.delivery.result;
    attempt.delivery.fate == DeliveryFate::Counted
        && matches!(result, Some(ConsumeResult::Success | ConsumeResult::Commit))
}

fn picture(seen: &Seen<'_>, places: &Places, attempts: &[Attempt<'_>]) -> Option<RetriedPicture> {
    let message = attempts.first()?.message;
    let earlier = attempts.len().saturating_sub(ATTEMPTS_MAX);
    let attempt = |Attempt { member, delivery, message }: &Attempt<'_>| AttemptPicture {
        node: member.node.name.to_owned(),
        thread: delivery.thread,
        reconsume_times: message.reconsume_times,
        queue: delivery.queue.clone(),
        began_us: delivery.began_us,
        ended_us: delivery.ended_us,
        result: delivery.result_name().map(str::to_owned),
        fate: delivery.fate,
    };
    Some(RetriedPicture {
        name: seen.name_of(&message.msg_id),
        msg_id: message.msg_id.clone(),
        topic: message.topic.clone(),
        attempts: attempts.iter().skip(earlier).map(attempt).collect(),
        earlier: u32::try_from(earlier).unwrap_or(u32::MAX),
        place: place(seen, places, attempts),
    })
}

fn place(seen: &Seen<'_>, places: &Places, attempts: &[Attempt<'_>]) -> RetryPlace {
    if attempts.iter().any(|attempt| attempt.delivery.fate == DeliveryFate::Running) {
        return RetryPlace::Consuming;
    }
    let Some(last) = attempts.last() else { return RetryPlace::Unknown };
    let msg_id = &last.message.msg_id;
    if let Some(member) = seen.members.iter().find(|member| has_in_hand(member, msg_id)) {
        return RetryPlace::InHand { node: member.node.name.to_owned() };
    }
    match places.0.get(msg_id) {
        Some(place) => place.clone(),
        None if is_success(last) => RetryPlace::Consumed,
        None => RetryPlace::Unknown,
    }
}

fn has_in_hand(member: &Member<'_>, msg_id: &str) -> bool {
    let in_hand = member.push.queues().values().map(OwnQueue::process_queue);
    let mut messages = in_hand.flat_map(|queue| queue.waiting().values().chain(queue.taken().values()));
    messages.any(|message| message.msg_id == msg_id)
}

/// The units of a topic at a broker, by queue and offset, of which a member's listener has returned with a result that
/// counts.
fn done_with(seen: &Seen<'_>, topic: &str, broker_name: &str) -> BTreeSet<(i32, i64)> {
    let deliveries = seen.members.iter().flat_map(|member| member.push.consumed());
    deliveries
        .filter(|delivery| delivery.fate == DeliveryFate::Counted)
        .filter(|delivery| delivery.queue.topic == topic && delivery.queue.broker_name == broker_name)
        .flat_map(|delivery| delivery.messages.iter().map(|message| (delivery.queue.queue_id, message.queue_offset)))
        .collect()
}

/// Where copies of the group's messages stand at the brokers, by the client's message id.
struct Places(BTreeMap<String, RetryPlace>);

impl Places {
    fn look(seen: &Seen<'_>) -> Self {
        let mut places = Self(BTreeMap::new());
        for master in &seen.masters {
            let Some(process) = master.process() else { continue };
            places.look_for_dead(seen, master, process);
            places.look_for_retried(seen, master, process);
            places.look_for_delayed(seen, master, process);
        }
        places
    }

    fn look_for_dead(&mut self, seen: &Seen<'_>, master: &Master<'_>, process: &Process) {
        let topic = format!("{DLQ_PREFIX}{}", seen.group);
        self.add_units(process, &topic, 0, 0, |queue_offset| {
            Some(RetryPlace::DeadLetter { broker: master.node.to_owned(), queue_offset })
        });
    }

    /// What a member is done with already is no longer there for it, though the group's offset, which is told only now
    /// and then, may stand before it.
    fn look_for_retried(&mut self, seen: &Seen<'_>, master: &Master<'_>, process: &Process) {
        let topic = seen.retry_topic();
        let done = done_with(seen, &topic, master.name);
        let queues = process.topics().get(&topic).map_or(0, |topic| topic.read_queue_nums);
        for queue_id in 0..queues {
            let from = process.offsets().query(seen.group, &topic, queue_id).unwrap_or(0);
            self.add_units(process, &topic, queue_id, from, |queue_offset| {
                let place = RetryPlace::InRetryTopic { broker: master.node.to_owned(), queue_offset };
                (!done.contains(&(queue_id, queue_offset))).then_some(place)
            });
        }
    }

    /// What waits for the retry topic. Of a message that is to be dead, too: its delay level was taken from it.
    fn look_for_delayed(&mut self, seen: &Seen<'_>, master: &Master<'_>, process: &Process) {
        let store = process.store();
        let retry_topic = seen.retry_topic();
        for (level, _) in store.delay_levels().iter() {
            let from = store.delay_offsets().get(&level).copied().unwrap_or(0);
            for at in from..from.saturating_add(LOOKED_THROUGH) {
                let Some(unit) = store.delayed_unit(level, at) else { break };
                let due_us = seen.world.node_us_at_wall(master.node, unit.deliver_ms).unwrap_or(0);
                let bytes = store.read(unit.physical_offset, unit.size);
                let Some(record) = bytes.as_deref().and_then(|bytes| record::decode(bytes).ok()) else { continue };
                let is_for = |record: &Record<'_>| {
                    record.topic == SCHEDULE_TOPIC
                        && record.properties().get(property::REAL_TOPIC) == Some(retry_topic.as_str())
                };
                if is_for(&record) {
                    self.add(&record, RetryPlace::Delayed { broker: master.node.to_owned(), level, due_us });
                }
            }
        }
    }

    /// The last units of a queue, from an offset on, as far as they are in a place.
    fn add_units(
        &mut self,
        process: &Process,
        topic: &str,
        queue_id: i32,
        from: i64,
        place: impl Fn(i64) -> Option<RetryPlace>,
    ) {
        let store = process.store();
        let Some(queue) = store.queue(topic, queue_id) else { return };
        let end = queue.max_offset_in_queue();
        let from = from.max(queue.min_offset_in_queue()).max(end.saturating_sub(LOOKED_THROUGH));
        for queue_offset in from..end {
            let Some(place) = place(queue_offset) else { continue };
            let bytes =
                store.unit(topic, queue_id, queue_offset).and_then(|unit| store.read(unit.physical_offset, unit.size));
            if let Some(record) = bytes.as_deref().and_then(|bytes| record::decode(bytes).ok()) {
                self.add(&record, place);
            }
        }
    }

    fn add(&mut self, record: &Record<'_>, place: RetryPlace) {
        if let Some(msg_id) = record.properties().get(property::UNIQ_KEY) {
            self.0.insert(msg_id.to_owned(), place);
        }
    }
}
