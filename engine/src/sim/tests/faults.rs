//! What real users met on faulty disks, told as actions: damaged and missing files, flushes that fail, full disks and
//! clocks that are wrong.

use super::crashes::{act, broker, configured, kill, power_loss, start, stop, store};
use super::*;
use crate::disk::{ReadAt, memory::Fault};

const BROKER: &str = "broker-a";

fn m(size: i32) -> Action {
    bare("OrderTopic", 0, "TagA", size)
}

fn fault(fault: Fault) -> Action {
    Action::DiskFault { broker: BROKER.to_owned(), fault }
}

fn mend() -> Action {
    Action::MendDisk { broker: BROKER.to_owned() }
}

fn delete(path: &str) -> Action {
    Action::DeleteFile { broker: BROKER.to_owned(), path: path.to_owned() }
}

fn wait(ms: i64) -> Action {
    Action::Wait { ms }
}

/// The status and the next offset of a pull from `OrderTopic`/0, and the queue offsets that came with it.
fn pulled(world: &mut World, offset: i64) -> (String, i64, Vec<i64>) {
    let before = world.client("consumer").unwrap().received().len();
    act(world, pull("OrderTopic", 0, offset));
    let consumer = world.client("consumer").unwrap();
    let pull = consumer.pulls().last().unwrap().clone();
    let offsets = consumer.received().iter().skip(before).map(|message| message.queue_offset).collect();
    (pull.status, pull.next_begin_offset, offsets)
}

fn status(world: &World) -> String {
    world.client("sender").unwrap().sent().last().unwrap().status.clone()
}

/// B06: a clean start ends the log at the first damaged body and cuts the queue; what lies behind is not touched.
#[test]
fn one_damaged_byte_takes_everything_behind_it() {
    let mut world = world();
    for _ in 0..10 {
        act(&mut world, m(200));
    }
    act(&mut world, stop(BROKER));
    // The body of m5 begins 88 bytes behind its start at 1000 + 5 * 200.
    let log = "commitlog/00000000000000000000";
    let flip = Action::FlipBit { broker: BROKER.to_owned(), path: log.to_owned(), offset: 2088, bit: 0 };
    let event = world.act(flip).unwrap();
    assert_eq!(event.writes.iter().map(|write| (write.offset, write.len)).collect::<Vec<_>>(), [(2088, 1)]);
    act(&mut world, start(BROKER));
    assert_eq!(store(&world).max_phy_offset(), 2000);
    assert_eq!(store(&world).queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 5);
    assert_eq!(pulled(&mut world, 0), ("FOUND".to_owned(), 5, (0..5).collect()));
    let disk = world.broker(BROKER).unwrap().disk();
    let m6 = disk.slice(disk.find(log).unwrap(), 2200, 4).unwrap();
    assert_eq!(m6.as_ref(), 200i32.to_be_bytes(), "still there, and out of reach");
    assert_eq!(pulled(&mut world, 10), ("OFFSET_ILLEGAL".to_owned(), 5, vec![]));
}

fn fifteen_in_three_files() -> World {
    let mut cluster = cluster();
    cluster.brokers[0].config.insert("mappedFileSizeCommitLog".to_owned(), "1024".to_owned());
    cluster.brokers[0].store = StoreSpec::default();
    let mut world = World::new(&cluster, 1).unwrap();
    for _ in 0..15 {
        act(&mut world, m(200));
    }
    world
}

/// B09: the middle file of the log is gone. Pulls pass the hole; only the self check says a word.
#[test]
fn a_log_file_missing_in_the_middle_is_passed_over() {
    let mut world = fifteen_in_three_files();
    act(&mut world, stop(BROKER));
    act(&mut world, delete("commitlog/00000000000000001024"));
    act(&mut world, start(BROKER));
    assert_eq!(store(&world).queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 15);
    assert_eq!(pulled(&mut world, 0), ("FOUND".to_owned(), 15, (0..5).chain(10..15).collect()));
    for offset in [5, 6] {
        assert_eq!(pulled(&mut world, offset), ("FOUND".to_owned(), 15, (10..15).collect()), "from {offset}");
    }
    let events = act(&mut world, wait(3_600_000));
    let told = BrokerStep::FilesMissing { directory: "commitlog".to_owned(), from: 1024, to: 2048 };
    assert_eq!(events.iter().flat_map(broker_steps).filter(|step| **step == told).count(), 1);
}

/// The same with the first file, and the queues rebuilt: what is gone becomes blank units before the first.
#[test]
fn a_log_without_its_head_moves_readers_on() {
    let mut world = fifteen_in_three_files();
    act(&mut world, stop(BROKER));
    act(&mut world, delete("commitlog/00000000000000000000"));
    let event = world.act(delete("consumequeue/")).unwrap();
    let path = "consumequeue/OrderTopic/0/00000000000000000000".to_owned();
    assert_eq!(node_steps(&event), [&NodeStep::FileTaken { path }], "a directory with all below it");
    act(&mut world, start(BROKER));
    assert_eq!(pulled(&mut world, 0), ("OFFSET_ILLEGAL".to_owned(), 5, vec![]));
    assert_eq!(pulled(&mut world, 5), ("FOUND".to_owned(), 15, (5..15).collect()));
}

#[test]
fn a_file_of_the_wrong_length_keeps_the_broker_from_starting() {
    let mut world = world();
    act(&mut world, stop(BROKER));
    let path = "commitlog/00000000000000000000".to_owned();
    act(&mut world, Action::TruncateFile { broker: BROKER.to_owned(), path, len: 65_535 });
    let events = act(&mut world, start(BROKER));
    let failed = events.iter().flat_map(node_steps).find_map(|step| match step {
        NodeStep::StartFailed { cause } => Some(cause.as_str()),
        _ => None,
    });
    let cause = "commitlog/00000000000000000000: 65535 bytes long, the configuration says 65536";
    assert_eq!((failed, world.node_state(BROKER)), (Some(cause), Some(NodeState::Down)));
}

/// B10: the force fails, the producer hears `SEND_OK`, the position moves on.
#[test]
fn a_synchronous_flush_that_fails_promises_what_a_power_loss_takes() {
    for (end, left) in [(power_loss(BROKER, Survives::Flushed), 1000), (kill(BROKER), 1200)] {
        let mut world = configured(&[("flushDiskType", "SYNC_FLUSH")]);
        act(&mut world, fault(Fault::FlushError { path: String::new() }));
        act(&mut world, m(200));
        assert_eq!((status(&world).as_str(), store(&world).flushed_where()), ("SEND_OK", 1200));
        act(&mut world, mend());
        act(&mut world, end);
        act(&mut world, start(BROKER));
        assert_eq!(store(&world).max_phy_offset(), left);
    }
}

/// B11 b: a producer that gives up after 3 s does not know that its message is stored, and sends it again.
#[test]
fn a_timeout_of_the_producer_says_nothing_about_the_message() {
    let mut world = configured(&[("flushDiskType", "SYNC_FLUSH")]);
    act(&mut world, fault(Fault::SlowFlush { ms: 6000, path: "commitlog".to_owned() }));
    act(&mut world, m(200));
    assert_eq!(status(&world), "RemotingTimeoutException");
    assert!((3_000_000..3_100_000).contains(&world.now_us()), "{}", world.now_us());
    assert_eq!(pulled(&mut world, 0), ("FOUND".to_owned(), 1, vec![0]));
    act(&mut world, mend());
    act(&mut world, wait(4000));
    act(&mut world, m(200));
    assert_eq!((status(&world).as_str(), pulled(&mut world, 0).2), ("SEND_OK", vec![0, 1]));
}

#[test]
fn a_power_loss_in_the_middle_of_a_flush_takes_what_it_was_to_save() {
    let mut world = configured(&[("flushDiskType", "SYNC_FLUSH")]);
    act(&mut world, fault(Fault::SlowFlush { ms: 2000, path: "commitlog".to_owned() }));
    world.act(m(200)).unwrap();
    while world.step().unwrap().service != "flushCommitLog" {}
    world.act(power_loss(BROKER, Survives::Flushed)).unwrap();
    rest(&mut world);
    act(&mut world, mend());
    act(&mut world, start(BROKER));
    assert_eq!(store(&world).max_phy_offset(), 1000);
    // The service that waited for the disk is gone with its process.
    act(&mut world, m(200));
    assert_eq!((status(&world).as_str(), store(&world).flushed_where()), ("SEND_OK", 1200));
}

#[test]
fn what_is_only_in_the_transient_pool_dies_with_the_process() {
    let pool = [("transientStorePoolEnable", "true"), ("mappedFileSizeCommitLog", "2048")];
    for (end, log) in [(kill(BROKER), 2048), (stop(BROKER), 2848)] {
        let mut world = configured(&pool);
        act(&mut world, m(800));
        act(&mut world, m(800));
        assert_eq!((status(&world).as_str(), store(&world).max_wrote_offset()), ("SEND_OK", 2848));
        act(&mut world, end);
        act(&mut world, start(BROKER));
        assert_eq!(store(&world).max_phy_offset(), log, "a kill leaves no more than the blank record");
    }
}

/// B24: stopped while it is marked as full, a broker keeps its abort file.
#[test]
fn a_stop_while_the_disk_is_full_is_not_clean() {
    let mut world = world();
    let full = |percent| Action::SetDisk { broker: BROKER.to_owned(), capacity_bytes: None, percent: Some(percent) };
    act(&mut world, full(91));
    act(&mut world, wait(12_000));
    act(&mut world, m(200));
    assert_eq!(status(&world), "MQBrokerException");
    let events = act(&mut world, stop(BROKER));
    assert!(events.iter().flat_map(store_steps).any(|step| *step == Step::AbortKept { behind: 0 }));
    assert!(world.broker(BROKER).unwrap().disk().find("abort").is_some());
    act(&mut world, full(50));
    act(&mut world, start(BROKER));
    assert_eq!(world.broker(BROKER).unwrap().last_start().unwrap().clean, Some(false));
    act(&mut world, m(200));
    assert_eq!(status(&world), "SEND_OK");
}

/// B35: a queue file filled to its last unit makes the flusher say something alarming, and nothing is wrong.
#[test]
fn a_queue_file_that_is_exactly_full_is_harmless() {
    let mut world = world();
    for _ in 0..20 {
        act(&mut world, m(200));
    }
    let events = act(&mut world, wait(120_000));
    let directory = "consumequeue/OrderTopic/0".to_owned();
    let said = Step::FlushOffsetNotMatched { directory, offset: 400, first: 0, last: 400 };
    assert!(events.iter().flat_map(store_steps).any(|step| *step == said));
    assert!(events.len() < 20, "{} events", events.len());
    act(&mut world, m(200));
    assert_eq!((pulled(&mut world, 0).1, pulled(&mut world, 20).1), (20, 21), "a pull stays in one file");
}

#[test]
fn a_name_server_whose_clock_jumps_takes_its_brokers_for_dead() {
    let mut world = world();
    world.act(Action::JumpClock { node: "namesrv".to_owned(), ms: 121_000 }).unwrap();
    let live = |world: &World| world.name_server("namesrv").unwrap().tables().live().len();
    // Scans every 10 s, next at 5 s; registrations every 30 s, next at 10 s.
    act(&mut world, wait(6000));
    assert_eq!(live(&world), 0, "the broker counts as silent for two minutes");
    act(&mut world, wait(5000));
    assert_eq!(live(&world), 1, "the next registration brings it back");
}

#[test]
fn a_stop_waits_for_a_slow_disk() {
    let mut world = world();
    act(&mut world, m(200));
    act(&mut world, fault(Fault::SlowFlush { ms: 3000, path: "commitlog".to_owned() }));
    let from_us = world.now_us();
    act(&mut world, stop(BROKER));
    let took_us = world.now_us() - from_us;
    // The thorough flush begins at 500 ms of world time, while the stop lets the world settle, and nothing is left behind it.
    assert!((3_490_000..3_510_000).contains(&took_us), "three seconds from there: {took_us}");
}

/// A put that comes while the disk is at another's flush has the last round of `GroupCommitService`, 10 ms after that
/// flush; the checkpoint learns of it.
#[test]
fn a_stop_waits_for_the_flush_under_way_and_for_one_more() {
    let mut world = configured(&[("flushDiskType", "SYNC_FLUSH")]);
    act(&mut world, fault(Fault::SlowFlush { ms: 2000, path: "commitlog".to_owned() }));
    let from_us = world.now_us();
    world.act(m(200)).unwrap();
    while world.step().unwrap().service != "flushCommitLog" {}
    world.act(m(200)).unwrap();
    while world.step().unwrap().service != "put" {}
    // The record's store timestamp.
    let stored_ms = store(&world).look_message_by_offset(1200).unwrap().slice(56..64);
    let events = act(&mut world, stop(BROKER));
    let mut steps = events.iter().flat_map(|event| &event.steps);
    let deleted = steps.find(|step| step.what == StepKind::Store(Step::AbortDeleted)).unwrap();
    let took_us = deleted.at_us - from_us;
    assert!((4_010_535..4_012_000).contains(&took_us), "two flushes of 2 s from 535 us on, and 10 ms: {took_us}");
    let checkpoint = broker(&world).disk().find("checkpoint").unwrap();
    assert_eq!(*broker(&world).disk().slice(checkpoint, 0, 8).unwrap(), *stored_ms);
}
