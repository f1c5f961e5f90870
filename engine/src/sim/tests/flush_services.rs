//! The flush services, the transient pool, and disks that fail: who is told what, and what is left afterwards.
//!
//! A broker starts 60 s before time 0, so its loops of 200 ms, 500 ms and 1 s have rounds at time 0, and the thorough
//! rounds of the log's flush are decided every 10 s from there. The log holds a prefix of 1000 bytes.

use super::*;
use crate::{
    disk::memory::Fault,
    store::{StillEnv, Store, step::Flag},
};

/// 2023-11-14T22:13:20Z, the wall clock at time 0.
const START_MS: i64 = 1_700_000_000_000;

/// When the prefix was stored: what the checkpoint says at the beginning.
const EARLIER_MS: i64 = START_MS - 3_600_000;

fn world_with(broker: &[(&str, &str)]) -> World {
    let mut cluster = cluster();
    for (key, value) in broker {
        cluster.brokers[0].config.insert((*key).to_owned(), (*value).to_owned());
    }
    // Producers that outlast syncFlushTimeout.
    for producer in &mut cluster.producers {
        producer.config.insert("sendMsgTimeout".to_owned(), "10000".to_owned());
    }
    World::new(&cluster, 1).unwrap()
}

fn store(world: &World) -> &Store<crate::disk::MemoryDisk> {
    world.broker("broker-a").unwrap().store().unwrap()
}

/// Written, committed, flushed, dispatched.
fn positions(world: &World) -> (i64, i64, i64, i64) {
    let store = store(world);
    (store.max_wrote_offset(), store.committed_offset(), store.flushed_where(), store.reput_from_offset())
}

fn fault(fault: Fault) -> Action {
    Action::DiskFault { broker: "broker-a".to_owned(), fault }
}

fn slow(ms: i64) -> Action {
    fault(Fault::SlowFlush { ms, path: "commitlog".to_owned() })
}

fn mend() -> Action {
    Action::MendDisk { broker: "broker-a".to_owned() }
}

fn m(size: i32) -> Action {
    bare("OrderTopic", 0, "TagA", size)
}

fn last_status(world: &World) -> String {
    world.client("sender").unwrap().sent().last().unwrap().status.clone()
}

/// Steps to the next event of a service in which something happens.
fn until(world: &mut World, service: &str) -> TraceEvent {
    while let Some(event) = world.step() {
        if event.service == service {
            return event;
        }
    }
    panic!("{service} has no turn");
}

/// Where the log ends for a process that starts on what a kill, or a power loss, left.
fn log_after(world: &World, power_loss: bool) -> i64 {
    let broker = world.broker("broker-a").unwrap();
    let mut disk = broker.disk().clone();
    disk.process_kill();
    if power_loss {
        disk.power_loss();
    }
    Store::load(disk, broker.store_config().clone(), &mut StillEnv(START_MS)).unwrap().max_phy_offset()
}

#[test]
fn a_transient_pool_has_three_positions() {
    let mut world = world_with(&[("transientStorePoolEnable", "true"), ("mappedFileSizeCommitLog", "2048")]);
    // The file that is there from before has no buffer. The second record no longer fits and opens one that has.
    for _ in 0..2 {
        world.act(m(800)).unwrap();
        rest(&mut world);
    }
    assert_eq!(last_status(&world), "SEND_OK");
    assert_eq!(positions(&world), (2848, 2048, 1000, 2048));
    assert_eq!((log_after(&world, false), log_after(&world, true)), (2048, 1000), "the second is only in memory");

    // Each put woke the service, but less than four pages go only 200 ms after the last round that took everything.
    let commit = until(&mut world, "commitCommitLog");
    assert!(store_steps(&commit).iter().any(|step| matches!(step, Step::Committed { from: 2048, to: 2848, .. })));
    assert!((200_000..204_000).contains(&commit.at_us), "{}", commit.at_us);
    assert_eq!((positions(&world).1, positions(&world).2), (2848, 1000));
    assert_eq!((log_after(&world, false), log_after(&world, true)), (2848, 1000), "now a kill leaves it");
    until(&mut world, "reput");
    assert_eq!(positions(&world).3, 2848);

    // One file a round of the flush, too.
    let flush = until(&mut world, "flushCommitLog");
    assert_eq!((flush.at_us, positions(&world).2), (500_000, 2048));
    while positions(&world).2 < 2848 {
        until(&mut world, "flushCommitLog");
    }
    assert_eq!(log_after(&world, true), 2848);
}

#[test]
fn nobody_reads_what_is_not_committed() {
    let mut world = world_with(&[("transientStorePoolEnable", "true"), ("mappedFileSizeCommitLog", "2048")]);
    world.act(pause("broker-a", Some(Service::CommitCommitLog))).unwrap();
    for _ in 0..2 {
        world.act(m(800)).unwrap();
        rest(&mut world);
    }
    world.act(Action::Wait { ms: 60_000 }).unwrap();
    rest(&mut world);
    assert_eq!(positions(&world), (2848, 1000, 2048, 2048), "reput has gone as far as the blank record");
    world.act(pull("OrderTopic", 0, 1)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("consumer").unwrap().pulls().last().unwrap().status, "NO_NEW_MSG");
    world.act(resume("broker-a", Some(Service::CommitCommitLog))).unwrap();
    rest(&mut world);
    world.act(Action::Wait { ms: 1000 }).unwrap();
    rest(&mut world);
    world.act(pull("OrderTopic", 0, 1)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("consumer").unwrap().pulls().last().unwrap().status, "FOUND");
}

#[test]
fn without_a_buffer_left_every_send_is_turned_away() {
    let config =
        [("transientStorePoolEnable", "true"), ("transientStorePoolSize", "1"), ("mappedFileSizeCommitLog", "2048")];
    let mut world = world_with(&config);
    for (wanted, code) in [("SEND_OK", None), ("SEND_OK", None), ("MQBrokerException", Some(2))] {
        world.act(m(800)).unwrap();
        rest(&mut world);
        let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
        assert_eq!((sent.status.as_str(), sent.response_code.filter(|_| code.is_some())), (wanted, code));
    }
    let error = world.client("sender").unwrap().sent().last().unwrap().error.clone().unwrap();
    assert!(error.contains("[REJECTREQUEST]system busy, start flow control for a while"), "{error}");
}

#[test]
fn a_commit_that_the_disk_refuses_is_tried_again_and_nobody_is_told() {
    let mut world = world_with(&[("transientStorePoolEnable", "true"), ("mappedFileSizeCommitLog", "2048")]);
    world.act(m(800)).unwrap();
    rest(&mut world);
    world.act(fault(Fault::WriteError { path: "commitlog/00000000000000002048".to_owned() })).unwrap();
    world.act(m(800)).unwrap();
    rest(&mut world);
    assert_eq!(last_status(&world), "SEND_OK");
    world.act(Action::Wait { ms: 1000 }).unwrap();
    rest(&mut world);
    assert_eq!((positions(&world).0, positions(&world).1), (2848, 2048));
    world.act(mend()).unwrap();
    world.act(Action::Wait { ms: 1000 }).unwrap();
    rest(&mut world);
    assert_eq!(positions(&world), (2848, 2848, 2048, 2848), "less than four pages wait for a thorough flush");
}

#[test]
fn a_flush_that_takes_six_seconds_is_answered_after_five_and_the_message_is_there() {
    let mut world = world_with(&[("flushDiskType", "SYNC_FLUSH")]);
    world.act(slow(6000)).unwrap();
    world.act(m(200)).unwrap();
    let put = until(&mut world, "put");
    let put_us = put.at_us + put.took_us;
    let stalled = until(&mut world, "flushCommitLog");
    assert!(broker_steps(&stalled).contains(&&BrokerStep::FlushStalled { ms: 6000 }));
    assert_eq!((stalled.at_us, stalled.took_us), (put_us, 6_000_000));

    // Readers do not wait.
    until(&mut world, "reput");
    world.act(pull("OrderTopic", 0, 0)).unwrap();
    until(&mut world, "pull");
    until(&mut world, "api");
    assert_eq!(world.client("consumer").unwrap().received().len(), 1);
    assert!(world.client("sender").unwrap().sent().is_empty());

    let watcher = until(&mut world, "flushDiskWatcher");
    assert_eq!(watcher.at_us, put_us + 5_000_000);
    until(&mut world, "api");
    assert_eq!((last_status(&world).as_str(), positions(&world).2), ("FLUSH_DISK_TIMEOUT", 1000));
    assert_eq!(log_after(&world, true), 1000, "the disk has not finished");

    let flush = until(&mut world, "flushCommitLog");
    assert_eq!(flush.at_us, put_us + 6_000_000);
    assert!(flush.sent.is_empty(), "the producer has its answer");
    assert_eq!((positions(&world).2, log_after(&world, true)), (1200, 1200));

    // Sent again it is there twice.
    world.act(mend()).unwrap();
    world.act(m(200)).unwrap();
    rest(&mut world);
    assert_eq!(last_status(&world), "SEND_OK");
    assert_eq!(store(&world).queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 2);
}

#[test]
fn what_comes_during_a_flush_is_flushed_by_the_next() {
    let mut world = world_with(&[("flushDiskType", "SYNC_FLUSH")]);
    world.act(slow(4000)).unwrap();
    world.act(m(200)).unwrap();
    until(&mut world, "flushCommitLog");
    world.act(Action::Wait { ms: 1000 }).unwrap();
    until(&mut world, super::LEARNER);
    world.act(m(200)).unwrap();
    let first = until(&mut world, "flushCommitLog");
    assert_eq!((first.at_us / 1000, first.sent.len(), positions(&world).2), (4000, 1, 1200));
    rest(&mut world);
    // Begun at 4 s, done at 8 s; its time was over at 6 s.
    assert_eq!((last_status(&world).as_str(), positions(&world).2), ("FLUSH_DISK_TIMEOUT", 1200));
    let second = until(&mut world, "flushCommitLog");
    assert_eq!((second.at_us / 1000, positions(&world).2), (8001, 1400));
}

#[test]
fn a_producer_that_does_not_wait_is_answered_at_once() {
    let mut world = world_with(&[("flushDiskType", "SYNC_FLUSH")]);
    world.act(pause("broker-a", Some(Service::FlushCommitLog))).unwrap();
    let Action::Send(send) = m(200) else { unreachable!("a send") };
    world.act(Action::Send(Box::new(Send { wait_store: Some(false), ..*send }))).unwrap();
    rest(&mut world);
    assert_eq!((last_status(&world).as_str(), positions(&world).2), ("SEND_OK", 1000));
    world.act(resume("broker-a", Some(Service::FlushCommitLog))).unwrap();
    until(&mut world, "flushCommitLog");
    assert_eq!((positions(&world).2, world.now_us() / 1000), (1200, 1), "the put has woken the service");
    assert_eq!(
        store(&world).checkpoint().physic_msg_timestamp,
        EARLIER_MS,
        "which tells the checkpoint of batches only"
    );
}

/// 4.9.8 swallows the error of the force and moves its position on.
#[test]
fn a_flush_that_fails_is_answered_with_ok() {
    let mut world = world_with(&[("flushDiskType", "SYNC_FLUSH")]);
    world.act(fault(Fault::FlushError { path: String::new() })).unwrap();
    world.act(m(200)).unwrap();
    rest(&mut world);
    world.act(mend()).unwrap();
    assert_eq!((last_status(&world).as_str(), positions(&world).2), ("SEND_OK", 1200));
    assert_eq!((log_after(&world, true), log_after(&world, false)), (1000, 1200));
}

#[test]
fn four_pages_are_flushed_at_the_next_round_and_fewer_at_a_thorough_one() {
    for (timed, flushed_us) in [("true", 1_500_000), ("false", 1_000_000)] {
        let mut world = world_with(&[("flushCommitLogTimed", timed)]);
        // The first second has seen the thorough round of time 0.
        world.act(Action::Wait { ms: 1000 }).unwrap();
        rest(&mut world);
        world.act(m(20_000)).unwrap();
        let put = until(&mut world, "put");
        let flush = until(&mut world, "flushCommitLog");
        let put_us = if timed == "true" { 0 } else { put.at_us + put.took_us - 1_000_000 };
        assert_eq!((flush.at_us, positions(&world).2), (flushed_us + put_us, 21_000), "timed: {timed}");
        assert_eq!(store(&world).checkpoint().physic_msg_timestamp, EARLIER_MS, "only a thorough round knows the time");

        world.act(m(200)).unwrap();
        let flush = until(&mut world, "flushCommitLog");
        assert_eq!(positions(&world).2, 21_200);
        // Decided at the first round from 10 s on, done one wait later.
        assert!((10_400_000..11_000_000).contains(&flush.at_us), "{}", flush.at_us);
        assert_eq!(store(&world).checkpoint().physic_msg_timestamp, put_time(&world), "timed: {timed}");
    }
}

/// The store time of the newest record of `OrderTopic`.
fn put_time(world: &World) -> i64 {
    let bytes = store(world).look_message_by_offset(21_000).unwrap();
    crate::message::record::decode(&bytes).unwrap().store_timestamp
}

#[test]
fn the_checkpoint_is_written_by_the_thorough_round_of_the_queues() {
    let mut world = world_with(&[]);
    world.act(m(200)).unwrap();
    let event = loop {
        let event = until(&mut world, "flushConsumeQueue");
        if store_steps(&event).iter().any(|step| matches!(step, Step::CheckpointWritten { .. })) {
            break event;
        }
    };
    // Every 60 s, first one second after the start: at 1 s. The log was flushed at 0.5 s, thoroughly.
    assert_eq!(event.at_us, 1_000_000);
    let written = Step::CheckpointWritten {
        physic_msg_timestamp: START_MS,
        logics_msg_timestamp: START_MS,
        index_msg_timestamp: 0,
    };
    assert!(store_steps(&event).contains(&&written), "{:?}", store_steps(&event));
    while let Some(event) = world.step() {
        assert!(!event.service.starts_with("flush"), "nothing is owed any more: {event:?}");
    }
}

/// A store time that no flush is left to tell of still reaches the checkpoint.
#[test]
fn a_thorough_round_without_bytes_moves_the_checkpoint_on() {
    let mut world = world_with(&[]);
    world.act(Action::Wait { ms: 1000 }).unwrap();
    rest(&mut world);
    world.act(m(20_000)).unwrap();
    while world.step().is_some() {}
    let checkpoint = store(&world).checkpoint();
    assert_eq!((checkpoint.physic_msg_timestamp, checkpoint.logics_msg_timestamp), (START_MS + 1000, START_MS + 1000));
    let disk = world.broker("broker-a").unwrap().disk();
    let mut bytes = [0; 8];
    let file = crate::disk::ReadAt::find(disk, "checkpoint").unwrap();
    disk.read_stable_at(file, 0, &mut bytes).unwrap();
    assert_eq!(i64::from_be_bytes(bytes), START_MS + 1000);
}

#[test]
fn a_clock_that_is_set_back_puts_thorough_rounds_off() {
    let mut world = world_with(&[]);
    world.act(Action::Wait { ms: 1000 }).unwrap();
    rest(&mut world);
    world.act(Action::JumpClock { node: "broker-a".to_owned(), ms: -3_600_000 }).unwrap();
    world.act(m(200)).unwrap();
    world.act(Action::Wait { ms: 3_600_000 }).unwrap();
    rest(&mut world);
    assert_eq!(positions(&world).2, 1000, "an hour later it is still only in the page cache");
    let record = store(&world).look_message_by_offset(1000).unwrap();
    let stored_ms = crate::message::record::decode(&record).unwrap().store_timestamp;
    assert_eq!(stored_ms, START_MS + 1000 - 3_600_000);
    world.act(Action::Wait { ms: 12_000 }).unwrap();
    rest(&mut world);
    assert_eq!(positions(&world).2, 1200);
}

/// A clock set forward brings the thorough round of the queues, and with it the checkpoint, to the next second; the
/// rounds of the log stay where they were.
#[test]
fn a_clock_that_is_set_forward_brings_thorough_rounds_on() {
    let mut world = world_with(&[]);
    world.act(Action::Wait { ms: 2000 }).unwrap();
    rest(&mut world);
    world.act(m(200)).unwrap();
    rest(&mut world);
    world.act(Action::JumpClock { node: "broker-a".to_owned(), ms: 600_000 }).unwrap();
    let written = loop {
        let event = until(&mut world, "flushConsumeQueue");
        if store_steps(&event).iter().any(|step| matches!(step, Step::CheckpointWritten { .. })) {
            break event;
        }
    };
    assert_eq!(written.at_us, 3_000_000);
    world.act(Action::Wait { ms: 3_600_000 }).unwrap();
    rest(&mut world);
    world.act(m(20_000)).unwrap();
    let flush = until(&mut world, "flushCommitLog");
    assert_eq!(
        (flush.at_us % 500_000, positions(&world).2),
        (500, 21_200),
        "every half second from the end of the last"
    );
}

#[test]
fn no_file_for_the_log() {
    let mut world = world_with(&[("mappedFileSizeCommitLog", "2048")]);
    world.act(fault(Fault::Full { path: "commitlog".to_owned() })).unwrap();
    let mut took = Vec::new();
    for wanted in ["SEND_OK", "MQBrokerException", "MQBrokerException"] {
        let before_us = world.now_us();
        world.act(m(800)).unwrap();
        rest(&mut world);
        assert_eq!(last_status(&world), wanted);
        took.push((world.now_us() - before_us) / 1_000_000);
    }
    // The service that makes files is waited for once; then it is known to have failed.
    assert_eq!(took, [0, 5, 0]);
    let error = world.client("sender").unwrap().sent().last().unwrap().error.clone().unwrap();
    assert!(error.contains("create mapped file failed, server is busy or broken."), "{error}");
    world.act(mend()).unwrap();
    world.act(m(800)).unwrap();
    rest(&mut world);
    assert_eq!((last_status(&world).as_str(), positions(&world).0), ("SEND_OK", 2848));
}

#[test]
fn a_unit_that_finds_no_file_is_tried_thirty_times_a_second_apart() {
    let no_queue_file = || fault(Fault::Full { path: "consumequeue/OrderTopic".to_owned() });
    let attempts = |events: &[TraceEvent]| {
        let failed =
            |event: &&TraceEvent| store_steps(event).iter().any(|step| matches!(step, Step::UnitFailed { .. }));
        events.iter().filter(failed).map(|event| event.at_us / 1_000_000).collect::<Vec<_>>()
    };
    let mut world = world_with(&[]);
    world.act(no_queue_file()).unwrap();
    world.act(m(200)).unwrap();
    let events = rest(&mut world);
    assert_eq!(attempts(&events), (0..30).collect::<Vec<_>>());
    let raised = Step::FlagRaised { flag: Flag::WriteLogicsQueueError };
    let flagged = events.iter().find(|event| store_steps(event).contains(&&raised)).unwrap();
    assert_eq!(flagged.at_us / 1_000_000, 30);
    assert_eq!(positions(&world).3, 1200, "dispatch goes on without the unit");
    world.act(mend()).unwrap();
    world.act(m(200)).unwrap();
    rest(&mut world);
    let sent = world.client("sender").unwrap().sent().last().unwrap().clone();
    assert_eq!((sent.status.as_str(), sent.response_code), ("MQBrokerException", Some(14)), "until the next start");

    let mut world = world_with(&[]);
    world.act(no_queue_file()).unwrap();
    world.act(m(200)).unwrap();
    while world.now_us() < 4_500_000 && world.step().is_some() {}
    world.act(mend()).unwrap();
    rest(&mut world);
    assert_eq!(store(&world).queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 1, "mended in time");
    assert!(store(&world).running_flags().is_writeable());
}

#[test]
fn no_index_file_stops_puts_after_three_attempts() {
    let mut world = world_with(&[]);
    world.act(fault(Fault::Full { path: "index".to_owned() })).unwrap();
    let mut events = Vec::new();
    // 400 entries fill the index file, entry 0 unused; the prefix has no key.
    let send = Send { keys: Some((0..200).map(|n| format!("k{n}")).collect::<Vec<_>>().join(" ")), ..keyed() };
    for _ in 0..2 {
        world.act(Action::Send(Box::new(send.clone()))).unwrap();
        events.extend(rest(&mut world));
    }
    let attempts = events.iter().flat_map(store_steps).filter(|step| matches!(step, Step::IndexFailed { .. })).count();
    assert_eq!(attempts, 3);
    assert!(store(&world).running_flags().has(Flag::WriteIndexFileError));
    assert_eq!(store(&world).queue("OrderTopic", 0).unwrap().max_offset_in_queue(), 2);
}

fn keyed() -> Send {
    let Action::Send(send) = bare("OrderTopic", 0, "TagA", 4000) else { unreachable!("a send") };
    Send { record_size: None, body: Some("m".to_owned()), ..*send }
}
