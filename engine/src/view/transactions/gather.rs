//! Reading a broker's half queue, op queue and memory.

use std::collections::{BTreeMap, BTreeSet};

use super::super::names::MessageNames;
use super::{
    CheckPicture, DecisionPicture, HalfSlot, HalfState, OpSlot, PastEntry, PastFate, PastPicture, QueueEnds,
    TransactionsPicture,
};
use crate::{
    broker::{Check, Fate, Process},
    message::{
        property,
        record::{self, Record},
        sys_flag,
        transaction::{HALF_TOPIC, OP_TOPIC},
    },
    sim::World,
    store::ConsumeQueue,
};

/// Slots shown of each queue at most: the last.
const SLOTS_MAX: i64 = 64;
/// Messages of a real queue that are looked through for what a commit put there: the last.
const LOOKED_THROUGH: i64 = 256;
/// Decisions shown of a check at most: the last.
const DECISIONS_MAX: usize = 64;
/// Messages whose past is shown at most, the last that something happened to.
const PASTS_MAX: usize = 32;

/// The group that the progress of checks is kept under (`TransactionalMessageUtil.buildConsumerGroup`).
const GROUP: &str = "CID_RMQ_SYS_TRANS";
/// The tag of an op message that a check understands (`TransactionalMessageUtil.REMOVETAG`).
const REMOVE_TAG: &str = "d";

/// Transactions at a broker. `None` if there is no such broker.
pub(in crate::view) fn transactions_picture(world: &World, node: &str) -> Option<TransactionsPicture> {
    let broker = world.broker(node)?;
    let config = broker.config();
    let mut picture = TransactionsPicture {
        node: node.to_owned(),
        running: false,
        now_us: world.now_us(),
        timeout_ms: config.transaction_time_out,
        check_max: config.transaction_check_max,
        interval_ms: config.transaction_check_interval,
        next_check_us: None,
        asked: 0,
        discarded: 0,
        half: QueueEnds::default(),
        halves: Vec::new(),
        op: QueueEnds::default(),
        ops: Vec::new(),
        last_check: None,
        pasts: Vec::new(),
    };
    let Some(process) = broker.process() else { return Some(picture) };
    let transactions = process.transactions();
    let names = MessageNames::of(world);
    picture.running = true;
    picture.next_check_us = transactions.next_check_us(world.now_us());
    picture.asked = transactions.asked();
    picture.discarded = transactions.discarded();
    picture.half = ends(process, HALF_TOPIC);
    picture.op = ends(process, OP_TOPIC);
    picture.ops = op_slots(process, picture.op);
    picture.halves = half_slots(process, picture.half, world.node_wall_ms(node)?, &names);
    tell_fates(&mut picture, process);
    tell_commits(&mut picture.halves, process);
    let named = |half_offset: i64| {
        picture.halves.iter().find(|half| half.queue_offset == half_offset).and_then(|half| half.name.clone())
    };
    for op in &mut picture.ops {
        op.name = op.half_offset.and_then(named);
    }
    picture.last_check = transactions.last_check().map(|check| check_picture(check, named));
    picture.pasts = pasts(process, &names);
    Some(picture)
}

fn ends(process: &Process, topic: &str) -> QueueEnds {
    let queue = process.store().queue(topic, 0);
    let min = queue.map_or(0, ConsumeQueue::min_offset_in_queue);
    let kept = process.offsets().query(GROUP, topic, 0).filter(|offset| *offset >= 0);
    QueueEnds { min, max: queue.map_or(0, ConsumeQueue::max_offset_in_queue), offset: kept.unwrap_or(min) }
}

/// The last records of a topic's queue, each with its queue offset and physical offset, as far as they can be read.
fn last_records<T>(
    process: &Process,
    topic: &str,
    queue_id: i32,
    most: i64,
    read: impl Fn(i64, &Record<'_>) -> Option<T>,
) -> Vec<T> {
    let store = process.store();
    let Some(queue) = store.queue(topic, queue_id) else { return Vec::new() };
    let (min, max) = (queue.min_offset_in_queue(), queue.max_offset_in_queue());
    let from = max.saturating_sub(most).max(min);
    let one = |queue_offset: i64| {
        let unit = store.unit(topic, queue_id, queue_offset)?;
        let bytes = store.read(unit.physical_offset, unit.size)?;
        read(queue_offset, &record::decode(&bytes).ok()?)
    };
    (from..max).filter_map(one).collect()
}

fn op_slots(process: &Process, queue: QueueEnds) -> Vec<OpSlot> {
    let most = SLOTS_MAX.max(queue.max.saturating_sub(queue.offset)).min(LOOKED_THROUGH);
    last_records(process, OP_TOPIC, 0, most, |queue_offset, record| {
        let body = (record.tags() == Some(REMOVE_TAG)).then(|| std::str::from_utf8(record.body).ok()).flatten();
        let half_offset = body.and_then(|body| body.parse().ok());
        Some(OpSlot { queue_offset, physical_offset: record.physical_offset, half_offset, name: None })
    })
}

fn half_slots(process: &Process, queue: QueueEnds, now_ms: i64, names: &MessageNames<'_>) -> Vec<HalfSlot> {
    last_records(process, HALF_TOPIC, 0, SLOTS_MAX, |queue_offset, record| {
        let properties = record.properties();
        let text = |name: &str| properties.get(name).map(str::to_owned);
        let uniq_key = text(property::UNIQ_KEY);
        Some(HalfSlot {
            queue_offset,
            physical_offset: record.physical_offset,
            name: uniq_key.as_deref().and_then(|key| names.get(key)),
            uniq_key,
            real_topic: text(property::REAL_TOPIC),
            real_queue: text(property::REAL_QID).and_then(|queue| queue.parse().ok()),
            group: text(property::PGROUP),
            check_times: text(property::TRANSACTION_CHECK_TIMES).and_then(|times| times.parse().ok()).unwrap_or(0),
            age_ms: now_ms.saturating_sub(record.born_timestamp),
            state: if queue_offset < queue.offset { HalfState::Passed } else { HalfState::Open },
            committed_to: Vec::new(),
        })
    })
}

/// How it stands with each half message: what the op queue says counts most, then a copy, then what a check did.
fn tell_fates(picture: &mut TransactionsPicture, process: &Process) {
    let mut decided: BTreeMap<i64, i64> = BTreeMap::new();
    for op in &picture.ops {
        if let Some(half_offset) = op.half_offset {
            decided.entry(half_offset).or_insert(op.queue_offset);
        }
    }
    let mut copies: BTreeMap<&str, i64> = BTreeMap::new();
    for half in picture.halves.iter_mut().rev() {
        let copy = half.uniq_key.as_deref().and_then(|key| copies.get(key));
        if let Some(op_offset) = decided.get(&half.queue_offset) {
            half.state = HalfState::Decided { op_offset: *op_offset };
        } else if let Some(to) = copy {
            half.state = HalfState::PutBack { to: *to };
        } else if let Some(kept) = given_up(process, half.queue_offset) {
            half.state = HalfState::Discarded { kept };
        }
        if let Some(key) = &half.uniq_key {
            copies.insert(key, half.queue_offset);
        }
    }
}

/// Whether a check gave a half message up, and whether it is kept.
fn given_up(process: &Process, half_offset: i64) -> Option<bool> {
    let past = process.transactions().past();
    past.iter().rev().find(|happened| happened.half_offset == half_offset).and_then(|happened| match happened.fate {
        Fate::Discarded { kept } => Some(kept),
        _ => None,
    })
}

/// Finds what commits have put into the real queues.
fn tell_commits(halves: &mut [HalfSlot], process: &Process) {
    let queues: BTreeSet<(String, i32)> =
        halves.iter().filter_map(|half| Some((half.real_topic.clone()?, half.real_queue?))).collect();
    for (topic, queue_id) in queues {
        let commits = last_records(process, &topic, queue_id, LOOKED_THROUGH, |queue_offset, record| {
            let committed = record.sys_flag & sys_flag::TRANSACTION_ROLLBACK == sys_flag::TRANSACTION_COMMIT;
            committed.then_some((record.prepared_transaction_offset, queue_offset))
        });
        for half in halves.iter_mut() {
            if half.real_topic.as_deref() == Some(topic.as_str()) && half.real_queue == Some(queue_id) {
                let own = commits.iter().filter(|(prepared, _)| *prepared == half.physical_offset);
                half.committed_to = own.map(|(_, queue_offset)| *queue_offset).collect();
            }
        }
    }
}

fn check_picture(check: &Check, named: impl Fn(i64) -> Option<String>) -> CheckPicture {
    let earlier = check.decisions.len().saturating_sub(DECISIONS_MAX);
    let decisions = check.decisions.iter().skip(earlier).map(|decision| DecisionPicture {
        row: decision.row,
        half_offset: decision.half_offset,
        name: named(decision.half_offset),
    });
    CheckPicture {
        start_ms: check.start_ms,
        half_from: check.half_from,
        half_to: check.half_to,
        op_from: check.op_from,
        remove_map: check.remove_map.iter().map(|(half, op)| (*half, *op)).collect(),
        done: check.done.clone(),
        earlier: u32::try_from(earlier).unwrap_or(u32::MAX),
        decisions: decisions.collect(),
    }
}

fn pasts(process: &Process, names: &MessageNames<'_>) -> Vec<PastPicture> {
    let mut pasts: Vec<PastPicture> = Vec::new();
    for happened in process.transactions().past() {
        let entry = PastEntry {
            at_us: happened.at_us,
            half_offset: happened.half_offset,
            check_times: happened.check_times,
            fate: match &happened.fate {
                Fate::Asked { new_offset, to } => PastFate::Asked { new_offset: *new_offset, to: to.clone() },
                Fate::PutOff { new_offset } => PastFate::PutOff { new_offset: *new_offset },
                Fate::Discarded { kept } => PastFate::Discarded { kept: *kept },
            },
        };
        let known = happened.uniq_key.is_some();
        match pasts.iter_mut().find(|past| known && past.uniq_key == happened.uniq_key) {
            Some(past) => past.entries.push(entry),
            None => pasts.push(PastPicture {
                name: happened.uniq_key.as_deref().and_then(|key| names.get(key)),
                uniq_key: happened.uniq_key.clone(),
                entries: vec![entry],
            }),
        }
    }
    let newest = |past: &PastPicture| past.entries.last().map(|entry| entry.at_us);
    pasts.sort_by_key(newest);
    pasts.drain(..pasts.len().saturating_sub(PASTS_MAX));
    pasts.sort_by_key(|past| past.entries.first().map(|entry| entry.at_us));
    pasts
}
