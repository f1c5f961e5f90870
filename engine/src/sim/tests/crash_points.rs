//! Crashes between two disk writes of a turn, in the middle of one, and the damage of a second process.

use super::{
    crashes::{act, broker, kill, start, store},
    *,
};
use crate::{
    disk::{Disk, MemoryDisk, ReadAt},
    store::ConsumeQueue,
};

const BROKER: &str = "broker-a";

fn trap(service: Option<Service>, write: u32, bytes: Option<u32>, survives: Option<Survives>) -> Action {
    Action::CrashAt { node: BROKER.to_owned(), service, write, bytes, survives, unsent: false }
}

/// The event that crashed, if one did.
fn crashed(events: &[TraceEvent]) -> Option<&TraceEvent> {
    events.iter().find(|event| matches!(node_steps(event).last(), Some(NodeStep::Crashed { .. })))
}

/// Sends a record of 200 bytes into a trap, starts the broker again if it was met, and hands out the world and the
/// event that crashed.
fn met(service: Service, write: u32, bytes: Option<u32>, survives: Option<Survives>) -> Option<(World, TraceEvent)> {
    let mut world = world();
    world.act(trap(Some(service), write, bytes, survives)).unwrap();
    let events = act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    let event = crashed(&events)?.clone();
    assert_eq!(world.node_state(BROKER), Some(NodeState::Down));
    assert!(survives.is_none() || broker(&world).disk().dirty_pages().is_empty(), "nothing is left in a page cache");
    act(&mut world, start(BROKER));
    assert_eq!(world.node_state(BROKER), Some(NodeState::Up));
    Some((world, event))
}

/// What a broker that came back holds: end of the log, and of the queue.
fn ends(world: &World) -> (i64, i64) {
    let store = store(world);
    (store.max_phy_offset(), store.queue("OrderTopic", 0).map_or(0, ConsumeQueue::max_offset_in_queue))
}

#[test]
fn a_crash_at_each_write_of_a_put_leaves_the_record_whole_or_not_at_all() {
    let mut seen = Vec::new();
    for write in 0.. {
        let Some((world, event)) = met(Service::Put, write, None, None) else { break };
        assert_eq!((event.service.as_str(), event.writes.len()), ("put", write as usize));
        assert!(event.sent.is_empty(), "the answer never left");
        seen.push(ends(&world));
        assert_eq!(world.client("sender").unwrap().sent()[0].status, "RemotingSendRequestException");
    }
    // The put itself is one write; the file was there.
    assert_eq!(seen, [(1000, 0)]);
}

/// After the last write and before the answer, the record is there and nobody was told.
#[test]
fn a_crash_behind_the_last_write_of_a_put_keeps_the_record_and_tells_nobody() {
    for survives in [None, Some(Survives::Everything), Some(Survives::Flushed)] {
        let mut world = world();
        let trap = Action::CrashAt {
            node: BROKER.to_owned(),
            service: Some(Service::Put),
            write: 1,
            bytes: None,
            survives,
            unsent: true,
        };
        world.act(trap).unwrap();
        let events = act(&mut world, bare("OrderTopic", 0, "TagA", 200));
        let event = crashed(&events).unwrap();
        assert_eq!((event.writes.len(), event.sent.len()), (1, 0));
        act(&mut world, start(BROKER));
        assert_ne!(world.client("sender").unwrap().sent()[0].status, "SEND_OK");
        // The flush of an asynchronous broker comes later.
        let whole = survives != Some(Survives::Flushed);
        assert_eq!(ends(&world), if whole { (1200, 1) } else { (1000, 0) });
    }
}

#[test]
fn a_crash_in_the_middle_of_the_record_leaves_none_of_it() {
    for bytes in [0, 1, 4, 8, 90, 100, 150] {
        let (world, event) = met(Service::Put, 0, Some(bytes), None).unwrap();
        assert_eq!(event.writes.len(), 1);
        assert_eq!((event.writes[0].offset, event.writes[0].len), (1000, u64::from(bytes)));
        assert_eq!(ends(&world).0, 1000, "{bytes} bytes");
    }
    // All of its bytes: the record is there, although nobody was told. The last one is the end of the properties, which
    // no checksum covers.
    for bytes in [199, 200] {
        let (world, _) = met(Service::Put, 0, Some(bytes), None).unwrap();
        assert_eq!(ends(&world), (1200, 1), "{bytes} bytes");
    }
}

#[test]
fn a_crash_at_each_write_of_a_dispatch_is_healed_by_recovery() {
    let mut writes = 0;
    for write in 0.. {
        let Some((world, event)) = met(Service::Reput, write, None, None) else { break };
        assert_eq!(event.service, "reput");
        writes += 1;
        assert_eq!(ends(&world), (1200, 1), "after {write} writes");
        let unit = store(&world).unit("OrderTopic", 0, 0).unwrap();
        assert_eq!((unit.physical_offset, unit.size), (1000, 200));
    }
    assert!(writes >= 2, "a file and a unit at least, not {writes}");
}

#[test]
fn a_crash_with_the_power_gone_takes_what_the_turn_wrote_before() {
    let (world, event) = met(Service::Reput, 1, None, Some(Survives::Flushed)).unwrap();
    let steps = node_steps(&event);
    assert!(steps.contains(&&NodeStep::PowerLost));
    assert_eq!(steps.last(), Some(&&NodeStep::Crashed { write: 1, bytes: None }));
    assert_eq!(ends(&world).0, 1000);
}

#[test]
fn a_recovery_can_be_crashed_at_each_of_its_writes_and_goes_well_the_next_time() {
    let mut writes = 0;
    for write in 0.. {
        let mut world = world();
        world.act(pause(BROKER, Some(Service::Reput))).unwrap();
        for _ in 0..3 {
            act(&mut world, bare("OrderTopic", 0, "TagA", 200));
        }
        act(&mut world, kill(BROKER));
        world.act(trap(Some(Service::Process), write, None, None)).unwrap();
        let events = act(&mut world, start(BROKER));
        let Some(event) = crashed(&events) else { break };
        writes += 1;
        if event.what == EventKind::Started {
            assert_eq!(broker(&world).last_start().unwrap().seq, Some(event.seq), "as far as it came");
        }
        act(&mut world, start(BROKER));
        assert_eq!(ends(&world), (1600, 3), "after {write} writes");
        for (queue_offset, physical_offset) in [(0, 1000), (1, 1200), (2, 1400)] {
            assert_eq!(store(&world).unit("OrderTopic", 0, queue_offset).unwrap().physical_offset, physical_offset);
        }
    }
    assert!(writes > 5, "{writes}");
}

#[test]
fn a_trap_waits_for_its_service_and_springs_once() {
    let mut world = world();
    world.act(trap(Some(Service::FlushCommitLog), 0, None, None)).unwrap();
    act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    assert_eq!(world.node_state(BROKER), Some(NodeState::Up));
    act(&mut world, Action::Wait { ms: 11_000 });
    assert_eq!(world.node_state(BROKER), Some(NodeState::Down), "the thorough flush");
    act(&mut world, start(BROKER));
    act(&mut world, bare("OrderTopic", 0, "TagA", 200));
    act(&mut world, Action::Wait { ms: 11_000 });
    assert_eq!(world.node_state(BROKER), Some(NodeState::Up));
}

#[test]
fn a_second_process_recovers_the_store_and_fails_at_the_lock() {
    let mut world = world();
    // 16 records of 4000 bytes follow the first 1000 of the first file; the next one begins the second.
    for _ in 0..17 {
        act(&mut world, bare("OrderTopic", 0, "TagA", 4000));
    }
    let third = "commitlog/00000000000000131072";
    assert!(broker(&world).disk().find(third).is_some(), "made ahead of its use");
    let event = world.act(Action::SecondProcess { broker: BROKER.to_owned() }).unwrap();
    let told = node_steps(&event);
    assert_eq!(told.first(), Some(&&NodeStep::SecondProcessStarted));
    assert!(told.contains(&&NodeStep::StartFailed { cause: "Lock failed,MQ already started".to_owned() }));
    let steps = store_steps(&event);
    assert!(steps.contains(&&Step::AbortChecked { clean: false }), "the first one runs");
    assert!(steps.iter().any(|step| matches!(step, Step::FileDeleted { file, .. } if file == third)), "{steps:?}");

    // The first goes on with its own memory, and into the file that has no name any more.
    rest(&mut world);
    assert_eq!(ends(&world), (65536 + 4000, 17));
    assert!(broker(&world).disk().find(third).is_none());
    // 15 more fill the second file; two lie in the third.
    for _ in 0..17 {
        act(&mut world, bare("OrderTopic", 0, "TagA", 4000));
    }
    let sent = world.client("sender").unwrap().sent();
    assert!(sent.iter().all(|sent| sent.status == "SEND_OK"));
    assert_eq!(sent.last().unwrap().physical_offset, Some(131_072 + 4000));
    assert_eq!(ends(&world), (131_072 + 8000, 34));
    assert!(store(&world).look_message_by_offset(131_072).is_some());

    // With the process the file is gone, and two messages that were answered SEND_OK are lost. The fourth file, made
    // ahead, is there: the log goes on in it, and two units lead into the hole before it.
    act(&mut world, kill(BROKER));
    assert!(broker(&world).disk().find("commitlog/00000000000000196608").is_some());
    act(&mut world, start(BROKER));
    assert_eq!(ends(&world), (196_608, 34));
    assert!(store(&world).look_message_by_offset(131_072).is_none());
}

/// A file that another process removed lives on for this one alone: the power takes it whole, and what the learner lets
/// survive is counted in the files that have a name.
#[test]
fn a_file_without_a_name_has_no_pages_to_survive() {
    let mut disk = MemoryDisk::new();
    for path in ["a", "b"] {
        let file = disk.create(path, 4096).unwrap();
        disk.write_at(file, 0, &[1; 4096]).unwrap();
    }
    let before = disk.clone();
    disk.delete(disk.find("a").unwrap()).unwrap();
    disk.keep_open(&before);
    let told = Survives::Prefix { pages: 1 }.take_power(&mut disk);
    assert_eq!(told, [NodeStep::PagesLost { file: "b".to_owned(), survived: 1, torn: 0, lost: 0 }]);
    let b = disk.find("b").unwrap();
    assert_eq!(*disk.slice(b, 0, 4096).unwrap(), [1; 4096]);
}
