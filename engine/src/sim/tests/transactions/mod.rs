//! Transactional messages at the broker: what is stored, how a transaction ends, and what a check makes of one that does
//! not.

mod checks;
mod ends;
mod restarts;
mod slaves;

use super::crashes::{broker, configured, store};
use super::*;
use crate::{
    message::{
        record::{self, Record},
        sys_flag,
        transaction::{HALF_TOPIC, OP_TOPIC},
    },
    node::TransactionStep,
    store::ConsumeQueue,
    wire::{EndTransaction, Request},
};

const BROKER: &str = "broker-a";
const GROUP: &str = "PG_producer";
const COMMIT: i32 = sys_flag::TRANSACTION_COMMIT;
const ROLLBACK: i32 = sys_flag::TRANSACTION_ROLLBACK;

/// A half message for `OrderTopic/0`.
fn half(properties: &[(&str, &str)]) -> Action {
    let own = [("TRAN_MSG", "true"), ("PGROUP", GROUP)];
    let all = own.iter().chain(properties).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Action::Send(Box::new(Send {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(0),
        tag: Some("TagTx".to_owned()),
        keys: Some("tx1".to_owned()),
        body: Some("forever unknown".to_owned()),
        properties: all.collect(),
        ..Send::default()
    }))
}

/// Sends it, and stops once the producer has its answer.
fn sent(world: &mut World, properties: &[(&str, &str)]) {
    let answers = world.client("producer").unwrap().sent().len();
    world.act(half(properties)).unwrap();
    run_until(world, |world| world.client("producer").unwrap().sent().len() > answers);
    run_until(world, |world| store(world).dispatch_behind_bytes() == 0);
}

/// What the producer says of the half message at a queue offset.
fn end_of(world: &World, half_offset: i64, commit_or_rollback: i32) -> EndTransaction {
    let bytes = stored(world, HALF_TOPIC, half_offset);
    let record = record::decode(&bytes).unwrap();
    EndTransaction {
        producer_group: GROUP.to_owned(),
        tran_state_table_offset: half_offset,
        commit_log_offset: record.physical_offset,
        commit_or_rollback,
        from_transaction_check: false,
        msg_id: record.uniq_key().unwrap().to_owned(),
        transaction_id: None,
    }
}

/// The producer's client says so to the broker.
fn say(world: &mut World, end: EndTransaction) {
    say_to(world, BROKER, end);
}

/// The same to any broker.
fn say_to(world: &mut World, node: &str, end: EndTransaction) {
    let producer = world.node_id("producer").unwrap();
    let addr = world.broker(node).unwrap().store_host().to_string();
    let said = world.turn(producer, Some(Service::Api), None, EventKind::Turn, false, |_, turn| {
        turn.oneway(Service::Api, &addr, Request::EndTransaction(end));
    });
    assert!(said.is_some());
}

/// It does, and the broker has dealt with it.
fn end(world: &mut World, half_offset: i64, commit_or_rollback: i32) -> Vec<TraceEvent> {
    let request = end_of(world, half_offset, commit_or_rollback);
    say(world, request);
    let mut events = run_until_event(world, |event| event.service == "endTransaction");
    events.extend(run_until(world, |world| store(world).dispatch_behind_bytes() == 0));
    events
}

fn run_until(world: &mut World, done: impl Fn(&World) -> bool) -> Vec<TraceEvent> {
    let mut events = Vec::new();
    while !done(world) {
        assert!(events.len() < 10_000, "it does not come about");
        events.push(world.step().expect("something is still to happen"));
    }
    events
}

fn run_until_event(world: &mut World, done: impl Fn(&TraceEvent) -> bool) -> Vec<TraceEvent> {
    let mut events = Vec::new();
    while !events.last().is_some_and(&done) {
        assert!(events.len() < 10_000, "it does not come about");
        events.push(world.step().expect("something is still to happen"));
    }
    events
}

/// The record at an offset of a topic's queue 0.
fn stored(world: &World, topic: &str, queue_offset: i64) -> bytes::Bytes {
    let store = store(world);
    let unit = store.unit(topic, 0, queue_offset).unwrap();
    store.read(unit.physical_offset, unit.size).unwrap()
}

/// Messages that stand in a topic's queue 0.
fn count(world: &World, topic: &str) -> i64 {
    store(world).queue(topic, 0).map_or(0, ConsumeQueue::max_offset_in_queue)
}

/// Messages in `OrderTopic`, in the half queue and in the op queue.
fn counts(world: &World) -> (i64, i64, i64) {
    (count(world, "OrderTopic"), count(world, HALF_TOPIC), count(world, OP_TOPIC))
}

/// Names of the properties in the order in which they are stored.
fn names<'a>(record: &'a Record<'_>) -> Vec<&'a str> {
    record.properties_text.split('\u{2}').filter_map(|pair| pair.split('\u{1}').next()).collect()
}

fn told(events: &[TraceEvent]) -> Vec<TransactionStep> {
    let steps = events.iter().flat_map(|event| event.steps.iter().map(|step| &step.what));
    steps.filter_map(|step| if let StepKind::Transaction(step) = step { Some(step.clone()) } else { None }).collect()
}

/// The remarks of what was refused.
fn refused(events: &[TraceEvent]) -> Vec<String> {
    let steps = events.iter().flat_map(|event| broker_steps(event));
    steps
        .filter_map(|step| if let BrokerStep::Refused { remark, .. } = step { Some(remark.clone()) } else { None })
        .collect()
}
