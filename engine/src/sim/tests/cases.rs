//! Faults that users of 4.9.8 met, through a whole cluster: what each of them comes to, in numbers.

mod beginning;
mod retries;
mod sending;

use super::{
    crashes::{act, broker, kill, power_loss, start, stop, store},
    *,
};
use crate::{
    disk::{Disk, MemoryDisk, ReadAt},
    store::ConsumeQueue,
};

const BROKER: &str = "broker-a";

/// A broker with the topic T of so many queues, ten units to a ConsumeQueue file, a bare sender and a consumer.
fn cluster_of(queues: i32) -> Cluster {
    let mut cluster = cluster();
    let broker = &mut cluster.brokers[0];
    broker.config.insert("mappedFileSizeConsumeQueue".to_owned(), "200".to_owned());
    broker.topics =
        vec![TopicSpec { name: "T".to_owned(), read_queues: queues, write_queues: queues, ..TopicSpec::default() }];
    broker.store = StoreSpec::default();
    cluster
}

fn put(world: &mut World, queue: i32, count: usize) {
    for _ in 0..count {
        act(world, bare("T", queue, "TagA", 200));
        assert_eq!(world.client("sender").unwrap().sent().last().unwrap().status, "SEND_OK");
    }
}

/// Status and next offset of a pull.
fn pulled(world: &mut World, queue: i32, offset: i64) -> (String, i64) {
    act(world, pull("T", queue, offset));
    let pull = world.client("consumer").unwrap().pulls().last().unwrap();
    (pull.status.clone(), pull.next_begin_offset)
}

/// The queue offsets of the messages that the last pull brought.
fn got(world: &World) -> Vec<i64> {
    let consumer = world.client("consumer").unwrap();
    let count = consumer.pulls().last().unwrap().received as usize;
    let received = consumer.received();
    received.iter().skip(received.len() - count).map(|message| message.queue_offset).collect()
}

fn commit(world: &mut World, offset: i64) {
    let commit = Action::Commit { consumer: "consumer".to_owned(), topic: "T".to_owned(), queue: 0, offset };
    act(world, commit);
    // Saved within five seconds.
    act(world, Action::Wait { ms: 6_000 });
}

fn queue_max(world: &World, queue: i32) -> i64 {
    store(world).queue("T", queue).map_or(0, ConsumeQueue::max_offset_in_queue)
}

/// The status that the store gave the last pull.
fn store_status(events: &[TraceEvent]) -> Option<String> {
    events.iter().flat_map(broker_steps).find_map(|step| match step {
        BrokerStep::GetEnded { status, .. } => Some(status.clone()),
        _ => None,
    })
}

/// The disk of a broker that is down.
fn disk(world: &mut World) -> &mut MemoryDisk {
    let id = world.node_id(BROKER).unwrap();
    world.nodes[id].actor.broker_mut().expect("a broker").disk_mut()
}

fn delete_below(world: &mut World, path: &str) {
    let disk = disk(world);
    for (file, id) in disk.files() {
        if file.starts_with(path) {
            disk.delete(id).unwrap();
        }
    }
}

/// A group reads five messages that a power loss takes; then `k` new ones come.
fn read_before_durable(k: usize) -> World {
    let mut world = World::new(&cluster_of(1), 1).unwrap();
    put(&mut world, 0, 5);
    act(&mut world, Action::Wait { ms: 61_000 });
    world.act(pause(BROKER, Some(Service::FlushCommitLog))).unwrap();
    world.act(pause(BROKER, Some(Service::FlushConsumeQueue))).unwrap();
    put(&mut world, 0, 5);
    assert_eq!(pulled(&mut world, 0, 5), ("FOUND".to_owned(), 10));
    commit(&mut world, 10);
    act(&mut world, power_loss(BROKER, Survives::Flushed));
    act(&mut world, start(BROKER));
    assert_eq!((queue_max(&world, 0), store(&world).max_phy_offset()), (5, 1000));
    assert_eq!(broker(&world).process().unwrap().offsets().query("CG_consumer", "T", 0), Some(10));
    put(&mut world, 0, k);
    let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
    assert_eq!(sent.queue_offset, i64::try_from(4 + k).ok(), "queue offsets are given out again");
    world
}

#[test]
fn b01_a_consumer_ahead_of_a_rolled_back_queue() {
    for (k, status, answer, next, received) in [
        (3, "OFFSET_OVERFLOW_BADLY", "OFFSET_ILLEGAL", 8, vec![]),
        (5, "OFFSET_OVERFLOW_ONE", "NO_NEW_MSG", 10, vec![]),
        (7, "FOUND", "FOUND", 12, vec![10, 11]),
    ] {
        let mut world = read_before_durable(k);
        let events = act(&mut world, pull("T", 0, 10));
        assert_eq!(store_status(&events).as_deref(), Some(status), "k = {k}");
        let pull = world.client("consumer").unwrap().pulls().last().unwrap();
        assert_eq!((pull.status.as_str(), pull.next_begin_offset), (answer, next), "k = {k}");
        assert_eq!(got(&world), received, "k = {k}");
    }
}

/// 25 messages in T/0, one in T/1, a group at 25, stopped cleanly.
fn twenty_five_and_one() -> World {
    let mut world = World::new(&cluster_of(2), 1).unwrap();
    put(&mut world, 0, 25);
    put(&mut world, 1, 1);
    assert_eq!(pulled(&mut world, 0, 24).1, 25);
    commit(&mut world, 25);
    act(&mut world, stop(BROKER));
    assert!(broker(&world).disk().find("abort").is_none());
    world
}

const LAST_FILE: &str = "consumequeue/T/0/00000000000000000400";

#[test]
fn b02a_a_clean_start_does_not_rebuild_a_lost_queue_file() {
    let mut world = twenty_five_and_one();
    delete_below(&mut world, LAST_FILE);
    act(&mut world, start(BROKER));
    assert_eq!((queue_max(&world, 0), queue_max(&world, 1)), (20, 1));
    put(&mut world, 0, 1);
    let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
    assert_eq!(sent.queue_offset, Some(20), "again");
    // A group committed at 25 is moved to the end.
    assert_eq!(pulled(&mut world, 0, 25), ("OFFSET_ILLEGAL".to_owned(), 21));
    // The record of message 20 is still there: it is the 21st of the log.
    let bytes = store(&world).look_message_by_offset(20 * 200).unwrap();
    assert_eq!(crate::message::record::decode(&bytes).unwrap().queue_offset, 20);
}

#[test]
fn b02b_an_unclean_start_rebuilds_it() {
    let mut world = twenty_five_and_one();
    delete_below(&mut world, LAST_FILE);
    disk(&mut world).create("abort", 0).unwrap();
    act(&mut world, start(BROKER));
    assert_eq!((queue_max(&world, 0), queue_max(&world, 1)), (25, 1));
    let last = broker(&world).last_start().unwrap();
    assert_eq!((last.clean, last.records, last.dispatched), (Some(false), 26, 26));
}

#[test]
fn b02c_without_any_queue_everything_is_rebuilt() {
    let mut world = twenty_five_and_one();
    delete_below(&mut world, "consumequeue/");
    let events = act(&mut world, start(BROKER));
    assert_eq!((queue_max(&world, 0), queue_max(&world, 1)), (25, 1));
    assert_eq!(events.iter().filter(|event| event.service == "reput").count(), 26, "in turns, one record each");
}

#[test]
fn b02d_a_lost_queue_begins_anew() {
    let mut world = twenty_five_and_one();
    delete_below(&mut world, "consumequeue/T/0/");
    act(&mut world, start(BROKER));
    assert_eq!(queue_max(&world, 0), 0);
    put(&mut world, 0, 1);
    let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.queue_offset, queue_max(&world, 0)), (Some(0), 1));
    assert_eq!(pulled(&mut world, 0, 25), ("OFFSET_ILLEGAL".to_owned(), 1));
}

/// The log goes to 10,000, the ConsumeQueue of OrderTopic/0 to 9,000; the broker is down.
fn behind() -> World {
    let mut cluster = cluster();
    cluster.brokers[0].store = StoreSpec {
        prefix_bytes: 8000,
        records: vec![RecordSpec { topic: "OrderTopic".to_owned(), size: 200, count: 5, ..RecordSpec::default() }],
        ..StoreSpec::default()
    };
    let mut world = World::new(&cluster, 1).unwrap();
    assert_eq!(store(&world).reput_from_offset(), 9000);
    world.act(pause(BROKER, Some(Service::Reput))).unwrap();
    for _ in 0..5 {
        act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    }
    assert_eq!((store(&world).max_phy_offset(), store(&world).reput_from_offset()), (10_000, 9000));
    act(&mut world, kill(BROKER));
    world
}

#[test]
fn after_a_crash_recovery_itself_catches_up() {
    let mut world = behind();
    let events = act(&mut world, start(BROKER));
    let last = broker(&world).last_start().unwrap();
    assert_eq!((last.records, last.dispatched, last.end), (11, 11, Some(10_000)));
    let begins = |step: &&Step| matches!(step, Step::ReputFrom { physical_offset: 10_000, .. });
    assert_eq!(events.iter().flat_map(store_steps).filter(begins).count(), 1);
    let skipped = events.iter().flat_map(store_steps).filter(|step| matches!(step, Step::UnitSkipped { .. }));
    assert_eq!(skipped.count(), 6, "what the queues know already: 1 + 5");
    act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.physical_offset, sent.queue_offset), (Some(10_000), Some(10)));
}

#[test]
fn without_an_abort_file_reput_catches_up_from_9000_to_10000() {
    let mut world = behind();
    delete_below(&mut world, "abort");
    let events = act(&mut world, start(BROKER));
    assert_eq!(broker(&world).last_start().unwrap().dispatched, 0);
    let read: Vec<i64> = events
        .iter()
        .flat_map(store_steps)
        .filter_map(|step| match step {
            Step::ReputRead { physical_offset, .. } => Some(*physical_offset),
            _ => None,
        })
        .collect();
    assert_eq!(read, [9000, 9200, 9400, 9600, 9800]);
    let order = store(&world).queue("OrderTopic", 0).unwrap();
    assert_eq!((order.max_offset_in_queue(), order.max_physic_offset()), (10, 10_000));
    act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.physical_offset, sent.queue_offset), (Some(10_000), Some(10)), "on from 10, not from 0");
}

#[test]
fn what_is_done_before_the_run_is_no_event_of_it() {
    let mut cluster = cluster();
    cluster.before = vec![bare("OrderTopic", 0, "TagA", 200), kill(BROKER)];
    let mut world = World::new(&cluster, 1).unwrap();
    assert_eq!((world.events(), world.at_rest()), (0, true));
    assert_eq!(world.node_state(BROKER), Some(NodeState::Down));
    act(&mut world, start(BROKER));
    assert_eq!(store(&world).max_phy_offset(), 1200);
    cluster.before = vec![start(BROKER)];
    let error = World::new(&cluster, 1).unwrap_err();
    assert_eq!((error.place.as_str(), error.cause.as_str()), ("before[0]", "`broker-a` is running"));
    cluster.begin = Begin::Cold;
    assert_eq!(World::new(&cluster, 1).unwrap_err().place, "before");
}
