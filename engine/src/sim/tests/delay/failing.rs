//! Deliveries that fail: puts that are refused, records that are gone, messages that say too little.

use super::*;
use crate::disk::memory::Fault;

fn write_error() -> Action {
    let fault = Fault::WriteError { path: "commitlog/".to_owned() };
    Action::DiskFault { broker: BROKER.to_owned(), fault }
}

fn mend() -> Action {
    Action::MendDisk { broker: BROKER.to_owned() }
}

/// The task comes back to the same unit; nothing behind it overtakes it.
#[test]
fn a_put_that_fails_is_tried_again() {
    let mut world = world();
    sent(&mut world, 1);
    sent(&mut world, 1);
    world.act(write_error()).unwrap();
    let events = pass(&mut world, 3_600_000);
    let steps: Vec<_> = told(&events).into_iter().map(|(_, step)| step).collect();
    assert!(matches!(steps[1], DelayStep::DelayRetried { level: 1, queue_offset: 0, after_ms: 100 }), "{steps:?}");
    assert_eq!(deliveries(&events).len(), 1, "as long as the disk is as it is, no try would end otherwise");
    assert_eq!((delivered(&world), progress(&world, 1)), (0, None));
    let mended_us = world.now_us();
    let events = act(&mut world, mend());
    let times: Vec<_> = deliveries(&events).iter().map(|event| event.at_us).collect();
    assert_eq!(times.len(), 2);
    assert!(times.iter().all(|at_us| (mended_us..mended_us + 101_000).contains(at_us)), "the next poll");
    assert_eq!((delivered(&world), progress(&world, 1)), (2, Some(2)));
}

/// A full disk refuses messages until the look at the disk finds room again.
#[test]
fn a_full_disk_holds_deliveries_back() {
    let mut world = world();
    let disk = |percent| Action::SetDisk {
        broker: BROKER.to_owned(),
        capacity_bytes: Some(100_000_000),
        percent: Some(percent),
    };
    sent(&mut world, 2);
    act(&mut world, disk(95));
    let events = pass(&mut world, 60_000);
    assert!(store(&world).running_flags().has(crate::store::step::Flag::DiskFull));
    assert!(deliveries(&events).len() <= 1, "refused once at most");
    assert_eq!(delivered(&world), 0);
    act(&mut world, disk(50));
    pass(&mut world, 20_000);
    assert_eq!((delivered(&world), progress(&world, 2)), (1, Some(1)));
}

/// The log file of a waiting message is gone: its unit is passed over, and the progress does not tell of it.
#[test]
fn a_record_that_is_gone_is_passed_over() {
    let mut world = world();
    sent(&mut world, 5);
    for _ in 0..17 {
        act_until_answered(&mut world, bare("OrderTopic", 1, "TagA", 4000));
    }
    assert!(store(&world).commit_log_files().count() > 1);
    stop_and_wait(&mut world);
    let path = "commitlog/00000000000000000000".to_owned();
    world.act(Action::DeleteFile { broker: BROKER.to_owned(), path }).unwrap();
    world.act(start(BROKER)).unwrap();
    let events = pass(&mut world, 120_000);
    let gone = told(&events).into_iter().map(|(_, step)| step).collect::<Vec<_>>();
    assert!(
        matches!(gone[1], DelayStep::DelayRecordGone { level: 5, queue_offset: 0, physical_offset: 1000 }),
        "{gone:?}"
    );
    assert_eq!((gone.len(), delivered(&world), progress(&world, 5)), (2, 0, None));
    sent(&mut world, 5);
    rest(&mut world);
    assert_eq!((delivered(&world), progress(&world, 5)), (1, Some(2)));
}

fn act_until_answered(world: &mut World, action: Action) {
    let answers = world.client("sender").unwrap().sent().len();
    world.act(action).unwrap();
    run_until(world, |world| world.client("sender").unwrap().sent().len() > answers);
}

fn stop_and_wait(world: &mut World) {
    world.act(stop(BROKER)).unwrap();
    run_until(world, |world| world.node_state(BROKER) == Some(NodeState::Down));
}

/// A record in the schedule topic that does not say where it belongs: 4.9.8 comes back to it every 100 ms, for ever, and
/// the level is blocked.
#[test]
fn a_message_that_says_too_little_blocks_its_level() {
    let mut cluster = cluster();
    let record = RecordSpec { topic: SCHEDULE.to_owned(), queue: 0, size: 200, ..RecordSpec::default() };
    cluster.brokers[0].store = StoreSpec { records: vec![record], ..StoreSpec::default() };
    cluster.begin = Begin::Cold;
    let mut world = World::new(&cluster, 1).unwrap();
    let events = rest(&mut world);
    let steps: Vec<_> = told(&events).into_iter().map(|(_, step)| step).collect();
    let cause = "REAL_QID is no number".to_owned();
    assert_eq!(steps[1], DelayStep::DelayBroken { level: 1, queue_offset: 0, cause });
    assert_eq!(deliveries(&events).len(), 1);
    sent(&mut world, 1);
    sent(&mut world, 2);
    pass(&mut world, 60_000);
    assert_eq!((delivered(&world), progress(&world, 1), progress(&world, 2)), (1, None, Some(1)));
}
