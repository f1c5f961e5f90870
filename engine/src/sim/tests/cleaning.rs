//! Clean-up by the clock and by the use of the disk, as a running broker does it.
//!
//! The broker starts 60 s before time 0: clean-ups are due every 10 s from time 0 on, looks at the disk at 1 s, 11 s ...
//! The log holds 25 records of 200 bytes, five to a file of 1024 bytes, stored an hour before.

use super::*;
use crate::{
    disk::ReadAt,
    store::{Step, Store, step::Flag},
};

fn world() -> World {
    let mut cluster = cluster();
    let broker = &mut cluster.brokers[0];
    broker.config.insert("mappedFileSizeCommitLog".to_owned(), "1024".to_owned());
    broker.store = StoreSpec { prefix_messages: 25, prefix_message_size: 200, ..StoreSpec::default() };
    World::new(&cluster, 1).unwrap()
}

fn store(world: &World) -> &Store<crate::disk::MemoryDisk> {
    world.broker("broker-a").unwrap().store().unwrap()
}

fn files(world: &World) -> usize {
    store(world).commit_log_files().count()
}

fn set_percent(world: &mut World, percent: u32) {
    let action = Action::SetDisk { broker: "broker-a".to_owned(), capacity_bytes: None, percent: Some(percent) };
    world.act(action).unwrap();
}

fn wait(world: &mut World, ms: i64) -> Vec<TraceEvent> {
    world.act(Action::Wait { ms }).unwrap();
    rest(world)
}

fn put(world: &mut World) -> (String, Option<i32>) {
    world.act(bare("OrderTopic", 0, "TagA", 200)).unwrap();
    rest(world);
    let sent = world.client("sender").unwrap().sent().last().unwrap();
    (sent.status.clone(), sent.response_code.filter(|_| sent.status != "SEND_OK"))
}

fn cleanings(events: &[TraceEvent]) -> Vec<i64> {
    events.iter().filter(|event| event.service == "cleanFiles").map(|event| event.at_us / 1_000_000).collect()
}

/// The thresholds, one after the other in one world.
#[test]
fn what_happens_at_which_use_of_the_disk() {
    let ok = ("SEND_OK".to_owned(), None);
    let mut world = world();
    assert_eq!(files(&world), 5);
    for (percent, left, accepts) in [(70, 5, true), (80, 5, true)] {
        set_percent(&mut world, percent);
        assert_eq!(cleanings(&wait(&mut world, 20_000)), [0; 0], "nothing can be done at {percent}");
        assert_eq!((files(&world), store(&world).running_flags().is_writeable()), (left, accepts), "at {percent}");
    }
    set_percent(&mut world, 86);
    let events = wait(&mut world, 20_000);
    assert_eq!(cleanings(&events), [50]);
    // Four files, with a pause of 100 ms between two of them, and one after the queue of which a file went.
    let clean = events.iter().find(|event| event.service == "cleanFiles").unwrap();
    assert_eq!((files(&world), store(&world).min_phy_offset(), clean.took_us), (1, 4096, 400_000));
    assert_eq!(store(&world).queue("Earlier", 0).unwrap().min_offset_in_queue(), 20);
    assert_eq!(put(&mut world), ok);

    // The reader at the beginning is moved, whatever it has not read.
    world.act(pull("Earlier", 0, 0)).unwrap();
    rest(&mut world);
    let moved = world.client("consumer").unwrap().pulls().last().unwrap().clone();
    assert_eq!((moved.status.as_str(), moved.next_begin_offset), ("OFFSET_ILLEGAL", 20));

    set_percent(&mut world, 91);
    // The clean-up of 60 s is over; the look at 61 s comes before the next one.
    let events = wait(&mut world, 20_000);
    let full = Step::FlagRaised { flag: Flag::DiskFull };
    let raised = events.iter().find(|event| store_steps(event).contains(&&full)).unwrap();
    assert_eq!((raised.at_us, raised.service.as_str()), (61_000_000, "cleanFiles"));
    assert_eq!((store_steps(raised), raised.steps[0].at_us), (vec![&full], 61_000_000));
    assert!(store(&world).running_flags().has(Flag::DiskFull));
    assert_eq!(put(&mut world), ("MQBrokerException".to_owned(), Some(14)));
    let error = world.client("sender").unwrap().sent().last().unwrap().error.clone().unwrap();
    assert!(error.contains("the broker's disk is full [CL:  0.91 CQ:  0.91 INDEX:  0.91]"), "{error}");
    world.act(pull("OrderTopic", 0, 0)).unwrap();
    rest(&mut world);
    assert_eq!(world.client("consumer").unwrap().pulls().last().unwrap().status, "FOUND", "reads go on");

    set_percent(&mut world, 88);
    wait(&mut world, 20_000);
    assert_eq!(put(&mut world), ok);
}

/// At 91 per cent files go as at 86, and ten at most in one run.
#[test]
fn ten_files_a_run() {
    let mut cluster = cluster();
    let broker = &mut cluster.brokers[0];
    broker.config.insert("mappedFileSizeCommitLog".to_owned(), "1024".to_owned());
    broker.store = StoreSpec { prefix_messages: 63, prefix_message_size: 200, ..StoreSpec::default() };
    let mut world = World::new(&cluster, 1).unwrap();
    assert_eq!(files(&world), 13);
    set_percent(&mut world, 91);
    let mut left = Vec::new();
    for ms in [12_000, 10_000, 10_000] {
        wait(&mut world, ms);
        left.push(files(&world));
    }
    assert_eq!(left, [3, 1, 1]);
}

/// `DefaultMessageStore.shutdown` ends the timers before it sleeps for a second: a mark that the next look would take
/// back stays, and with it `abort`.
#[test]
fn a_stop_ends_the_timers_before_it_settles() {
    for stop in [true, false] {
        let mut world = world();
        set_percent(&mut world, 91);
        wait(&mut world, 10_500);
        assert!(store(&world).running_flags().has(Flag::DiskFull), "since the look at 1 s");
        set_percent(&mut world, 50);
        // The next look is due at 11 s, in the middle of the second that a stop takes.
        if !stop {
            wait(&mut world, 1000);
            assert!(!store(&world).running_flags().has(Flag::DiskFull));
        }
        world.act(Action::Stop { node: "broker-a".to_owned() }).unwrap();
        let events = rest(&mut world);
        assert_eq!(cleanings(&events), [0; 0]);
        let kept = events.iter().flat_map(store_steps).any(|step| matches!(step, Step::AbortKept { behind: 0 }));
        assert_eq!((kept, world.broker("broker-a").unwrap().disk().find("abort").is_some()), (stop, stop));
    }
}

#[test]
fn files_of_72_hours_go_at_four_in_the_morning() {
    let mut world = world();
    let events = wait(&mut world, 100 * 3_600_000);
    // Stored at 21:13:20 on the 14th, expired at 21:13:20 on the 17th; 280,000 s after 22:13:20 on the 14th it is four
    // o'clock on the 18th.
    assert_eq!(cleanings(&events), [280_000]);
    assert_eq!(files(&world), 1, "the last file stays");
    assert!(events.len() < 20, "{} events in a hundred hours", events.len());
    assert!(world.step().is_none());
}

#[test]
fn between_75_and_85_expired_files_go_at_any_hour() {
    let mut world = world();
    set_percent(&mut world, 80);
    // 72 h after 21:13:20; time 0 is 22:13:20.
    assert_eq!(cleanings(&wait(&mut world, 75 * 3_600_000)), [71 * 3600]);
    assert_eq!(files(&world), 1);
}

#[test]
fn an_administrator_lets_expired_files_go_at_once() {
    let delete = || Action::DeleteExpired { broker: "broker-a".to_owned() };
    let mut world = world();
    world.act(delete()).unwrap();
    wait(&mut world, 3_600_000);
    assert_eq!(files(&world), 5, "nothing is expired, and after 20 runs the order is over");
    wait(&mut world, 72 * 3_600_000);
    assert_eq!(files(&world), 5);
    world.act(delete()).unwrap();
    assert_eq!(cleanings(&wait(&mut world, 20_000)), [73 * 3600 + 10]);
    assert_eq!(files(&world), 1);
}

#[test]
fn a_clock_set_forward_expires_files_early() {
    let mut world = world();
    // To 04:10 on the 18th.
    world.act(Action::JumpClock { node: "broker-a".to_owned(), ms: 280_600_000 }).unwrap();
    assert_eq!(cleanings(&wait(&mut world, 20_000)), [10]);
    assert_eq!(files(&world), 1);
}

#[test]
fn a_clean_up_that_was_held_up_runs_once_for_every_run_missed() {
    let mut cluster = cluster();
    let broker = &mut cluster.brokers[0];
    broker.config.insert("mappedFileSizeCommitLog".to_owned(), "1024".to_owned());
    broker.store = StoreSpec { prefix_messages: 63, prefix_message_size: 200, ..StoreSpec::default() };
    let mut world = World::new(&cluster, 1).unwrap();
    world.act(pause("broker-a", Some(Service::CleanFiles))).unwrap();
    set_percent(&mut world, 86);
    wait(&mut world, 60_000);
    assert_eq!(files(&world), 13);
    world.act(resume("broker-a", Some(Service::CleanFiles))).unwrap();
    wait(&mut world, 3000);
    assert_eq!(files(&world), 1, "two runs, without ten seconds between them");
}

#[test]
fn a_disk_has_a_size_and_others_use_it_too() {
    let mut cluster = cluster();
    cluster.brokers[0].disk = DiskSpec { capacity_bytes: Some(1_000_000), other_bytes: 400_000 };
    let mut world = World::new(&cluster, 1).unwrap();
    let used = world.broker("broker-a").unwrap().disk().used();
    let percent =
        |world: &World| crate::disk::memory::Room::of(world.broker("broker-a").unwrap().disk()).used_percent();
    assert_eq!(u64::from(percent(&world)), (used + 400_000).div_ceil(10_000));
    set_percent(&mut world, 76);
    assert_eq!(percent(&world), 76);
    let set = |capacity_bytes, percent| Action::SetDisk { broker: "broker-a".to_owned(), capacity_bytes, percent };
    for action in [set(None, None), set(None, Some(0)), set(None, Some(101)), set(Some(1000), None), set(None, Some(1))]
    {
        assert!(matches!(world.act(action), Err(ActionError::BadValue { .. })));
    }
    let least = u32::try_from(used.div_ceil(10_000)).unwrap();
    let Err(ActionError::BadValue { cause, .. }) = world.act(set(None, Some(least - 1))) else {
        panic!("less than the store alone")
    };
    assert_eq!(cause, format!("from {least} to 100: the store alone has {used} of 1000000 bytes"));
    world.act(set(None, Some(least))).unwrap();
    assert_eq!(percent(&world), least);
    // Only an empty disk reads as 0.
    world.act(Action::Kill { node: "broker-a".to_owned() }).unwrap();
    for (path, _) in world.broker("broker-a").unwrap().disk().files() {
        world.act(Action::DeleteFile { broker: "broker-a".to_owned(), path }).unwrap();
    }
    world.act(set(None, Some(0))).unwrap();
    assert_eq!(percent(&world), 0);
    cluster.brokers[0].disk.other_bytes = 1_000_000;
    assert_eq!(World::new(&cluster, 1).unwrap_err().place, "broker-a.disk");
}

#[test]
fn what_cannot_be_done_to_a_disk_is_refused() {
    let mut world = world();
    let broker = || "broker-a".to_owned();
    let path = || "commitlog/00000000000000000000".to_owned();
    let running = ActionError::Running { node: broker() };
    assert_eq!(world.act(Action::DeleteFile { broker: broker(), path: path() }).unwrap_err(), running);
    assert_eq!(world.act(Action::TruncateFile { broker: broker(), path: path(), len: 0 }).unwrap_err(), running);
    let nothing = Action::FlipBit { broker: broker(), path: "nothing".to_owned(), offset: 0, bit: 0 };
    assert!(matches!(world.act(nothing), Err(ActionError::NoSuchFile { .. })));
    for (offset, bit) in [(1024, 0), (0, 8)] {
        let flip = Action::FlipBit { broker: broker(), path: path(), offset, bit };
        assert!(matches!(world.act(flip), Err(ActionError::BadValue { .. })));
    }
    assert!(matches!(world.act(Action::MendDisk { broker: broker() }), Err(ActionError::BadValue { .. })));
    let slow = crate::disk::memory::Fault::SlowFlush { ms: 0, path: String::new() };
    assert!(matches!(
        world.act(Action::DiskFault { broker: broker(), fault: slow }),
        Err(ActionError::BadValue { .. })
    ));
    for ms in [0, i64::MAX] {
        let jump = Action::JumpClock { node: broker(), ms };
        assert!(matches!(world.act(jump), Err(ActionError::BadValue { .. })));
    }
    let other = Action::DeleteExpired { broker: "consumer".to_owned() };
    assert!(matches!(world.act(other), Err(ActionError::WrongNode { .. })));
}

#[test]
fn actions_on_disks_keep_their_form_in_scripts() {
    for text in [
        r#"{"kind":"setDisk","broker":"b","percent":86}"#,
        r#"{"kind":"diskFault","broker":"b","fault":{"kind":"slowFlush","ms":6000,"path":"commitlog"}}"#,
        r#"{"kind":"diskFault","broker":"b","fault":{"kind":"flushError"}}"#,
        r#"{"kind":"flipBit","broker":"b","path":"commitlog/00000000000000000000","offset":5,"bit":0}"#,
        r#"{"kind":"truncateFile","broker":"b","path":"checkpoint","len":24}"#,
        r#"{"kind":"jumpClock","node":"b","ms":-1000}"#,
        r#"{"kind":"deleteExpired","broker":"b"}"#,
    ] {
        let action: Action = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&action).unwrap(), text);
    }
}

/// There is no hour 24: nothing is to be cleaned ever, and the search for the hour ends.
#[test]
fn without_an_hour_nothing_expires() {
    let mut cluster = cluster();
    let broker = &mut cluster.brokers[0];
    broker.config.insert("mappedFileSizeCommitLog".to_owned(), "1024".to_owned());
    broker.config.insert("deleteWhen".to_owned(), "24".to_owned());
    broker.store = StoreSpec { prefix_messages: 25, prefix_message_size: 200, ..StoreSpec::default() };
    let mut world = World::new(&cluster, 1).unwrap();
    assert_eq!(cleanings(&wait(&mut world, 100 * 86_400_000)), [0; 0]);
    assert_eq!(files(&world), 5);
    for _ in 0..20 {
        world.step();
    }
    assert_eq!(files(&world), 5);
}
