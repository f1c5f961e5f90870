//! Stops, kills, and files that somebody took away in between.

use super::*;
use crate::store::{FlushDiskType, GetMessageStatus, LoadError, StartError};

fn pull(rig: &mut Rig, queue_id: i32, offset: i64) -> (GetMessageStatus, i64) {
    let result = rig.store.get_message("g", "T", queue_id, offset, 32, None).expect("the store runs");
    (result.status, result.next_begin_offset)
}

fn max(rig: &mut Rig, queue_id: i32) -> i64 {
    rig.store.max_offset_in_queue("T", queue_id)
}

#[test]
fn an_empty_store_starts_and_stops() {
    let mut rig = Rig::new(small());
    assert_eq!(
        rig.env.names(),
        ["abortChecked", "checkpointRead", "queuesDestroyed"]
            .into_iter()
            .chain(std::iter::repeat_n("queueCreated", 18))
            .chain(["storeLocked", "reputFrom"])
            .chain(std::iter::repeat_n("queueOffsetRecovered", 18))
            .chain(["abortCreated"])
            .collect::<Vec<_>>()
    );
    assert!(rig.store.shutdown(&mut rig.env));
    let files: Vec<_> = rig.store.disk().files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(files, ["checkpoint", "config/delayOffset.json", "lock"]);
}

#[test]
fn a_stop_removes_the_file_made_ahead_and_a_kill_leaves_it() {
    let mut rig = Rig::new(small());
    rig.put_many("T", 0, 1);
    let ahead = |rig: &Rig| rig.store.disk().find("commitlog/00000000000000001024").is_some();
    assert!(ahead(&rig));
    let rig = rig.start_again(|_| {});
    assert!(!ahead(&rig), "recovery removes what lies behind the end");
    let mut rig = rig;
    rig.put_many("T", 0, 1);
    assert_eq!(max(&mut rig, 0), 2);
    let rig = rig.restart(|disk| assert!(disk.find("commitlog/00000000000000001024").is_none()));
    assert_eq!(rig.store.max_phy_offset(), 188);
}

#[test]
fn only_one_store_holds_the_lock() {
    let rig = Rig::new(small());
    let mut env = TestEnv::at(START);
    let mut second = Store::load(rig.store.into_disk(), small(), &mut env).expect("load takes no lock");
    assert_eq!(second.start(&mut env), Err(StartError::Locked));
    assert!(!second.is_running());
}

/// With the disk marked as full a stop is not clean: the next start recovers as from a crash.
#[test]
fn a_stop_while_the_disk_is_full_keeps_abort() {
    let mut rig = Rig::new(small());
    rig.put_many("T", 0, 1);
    rig.store.running_flags_mut().raise(crate::store::step::Flag::DiskFull);
    assert!(!rig.store.shutdown(&mut rig.env));
    assert!(rig.store.disk().find("abort").is_some());
}

#[test]
fn a_stop_with_records_to_dispatch_keeps_abort() {
    let mut rig = Rig::new(small());
    rig.put(message("T", 0));
    rig.store.begin_shutdown(&mut rig.env);
    assert!(!rig.store.finish_shutdown(&mut rig.env));
    let mut rig = rig.start_again(|_| {});
    assert_eq!(max(&mut rig, 0), 1, "recovery dispatched it");
}

/// 25 messages in queue 0 and a later one in queue 1; files of 10 units.
fn two_queues() -> Rig {
    let mut rig = Rig::new(small());
    rig.put_many("T", 0, 25);
    rig.put_many("T", 1, 1);
    rig
}

const LAST_QUEUE_FILE: &str = "consumequeue/T/0/00000000000000000400";

/// The start looks at the largest physical offset over all queues: a queue that lost its last file stays short.
#[test]
fn a_queue_file_lost_while_stopped_is_not_rebuilt() {
    let mut rig = two_queues().restart(|disk| delete(disk, LAST_QUEUE_FILE));
    assert_eq!(max(&mut rig, 0), 20);
    assert_eq!(rig.put_ok(message("T", 0)).append.map(|append| append.queue_offset), Some(20), "used again");
    assert_eq!(pull(&mut rig, 0, 25), (GetMessageStatus::OffsetOverflowBadly, 21));
}

#[test]
fn the_same_after_a_crash_is_healed() {
    let mut rig = two_queues().start_again(|disk| delete(disk, LAST_QUEUE_FILE));
    assert_eq!((max(&mut rig, 0), max(&mut rig, 1)), (25, 1));
}

#[test]
fn all_queues_lost_are_all_rebuilt() {
    let mut rig = two_queues().restart(|disk| delete_all(disk, "consumequeue/"));
    assert_eq!((max(&mut rig, 0), max(&mut rig, 1)), (25, 1));
}

#[test]
fn a_whole_queue_lost_begins_at_zero() {
    let mut rig = two_queues().restart(|disk| delete_all(disk, "consumequeue/T/0/"));
    assert_eq!(rig.put_ok(message("T", 0)).append.map(|append| append.queue_offset), Some(0));
    assert_eq!((max(&mut rig, 0), pull(&mut rig, 0, 25)), (1, (GetMessageStatus::OffsetOverflowBadly, 1)));
}

/// First log file and all queues gone: the queue begins with blank units, and its minimum is where messages are.
#[test]
fn what_is_before_the_log_is_blank_units() {
    let mut rig = Rig::new(small());
    rig.put_many("T", 0, 30);
    let mut rig = rig.restart(|disk| {
        delete(disk, "commitlog/00000000000000000000");
        delete_all(disk, "consumequeue/");
    });
    assert_eq!(rig.store.min_offset_in_queue("T", 0), 10);
    assert_eq!(pull(&mut rig, 0, 0), (GetMessageStatus::OffsetTooSmall, 10));
    // The second file of the queue is its first: nothing of the file before was ever made.
    assert!(rig.store.disk().find("consumequeue/T/0/00000000000000000000").is_none());
}

/// The same where the first message is in the middle of a queue file.
#[test]
fn blank_units_within_a_file() {
    let mut rig = Rig::new(StoreConfig { mapped_file_size_consume_queue: 2000, ..small() });
    rig.put_many("T", 0, 30);
    let mut rig = rig.restart(|disk| {
        delete(disk, "commitlog/00000000000000000000");
        delete_all(disk, "consumequeue/");
    });
    let blank = rig.store.disk().find("consumequeue/T/0/00000000000000000000").expect("the file");
    let units = rig.store.disk().slice(blank, 0, 220).expect("units");
    let (blanks, first) = units.split_at(200);
    assert!(blanks.chunks(20).all(|unit| unit == crate::store::Unit::BLANK.to_bytes()));
    assert_eq!(first[..8], 1024i64.to_be_bytes());
    assert_eq!(pull(&mut rig, 0, 0), (GetMessageStatus::OffsetTooSmall, 10));
}

/// One flipped bit in the body of message 5: the log ends before it, and the queues with it.
#[test]
fn a_damaged_body_ends_the_log() {
    let mut rig = Rig::new(small());
    rig.put_many("T", 0, 10);
    let mut rig = rig.restart(|disk| {
        let log = disk.find("commitlog/00000000000000000000").expect("the log");
        disk.write_at(log, 5 * 94 + 88, b"M").expect("inside the file");
    });
    assert_eq!((rig.store.max_phy_offset(), max(&mut rig, 0)), (470, 5));
    assert_eq!(pull(&mut rig, 0, 10), (GetMessageStatus::OffsetOverflowBadly, 5));
    rig.put_ok(message("T", 0));
    assert_eq!((rig.store.max_phy_offset(), max(&mut rig, 0)), (564, 6));
}

/// Consumers read what a power loss then takes: the queue offsets are given out a second time.
#[test]
fn reading_ahead_of_the_flush() {
    for (again, expected) in [
        (3, (GetMessageStatus::OffsetOverflowBadly, 8)),
        (5, (GetMessageStatus::OffsetOverflowOne, 10)),
        (7, (GetMessageStatus::Found, 12)),
    ] {
        let mut rig = Rig::new(StoreConfig { mapped_file_size_consume_queue: 2000, ..small() });
        rig.put_many("T", 0, 5);
        rig.store.flush_commit_log(0, &mut rig.env);
        rig.store.flush_consume_queues(true, &mut rig.env);
        rig.put_many("T", 0, 5);
        assert_eq!(pull(&mut rig, 0, 5), (GetMessageStatus::Found, 10));
        let mut rig = rig.start_again(MemoryDisk::power_loss);
        assert_eq!(max(&mut rig, 0), 5);
        rig.put_many("T", 0, again);
        assert_eq!(pull(&mut rig, 0, 10), expected, "{again} new messages");
    }
}

#[test]
fn files_of_another_size_are_not_loaded() {
    let mut rig = Rig::new(small());
    rig.put_many("T", 0, 1);
    assert!(rig.store.shutdown(&mut rig.env));
    let disk = rig.store.into_disk();
    let load = |config| Store::load(disk.clone(), config, &mut TestEnv::at(START)).map(drop);
    let file = "commitlog/00000000000000000000".to_owned();
    let config = StoreConfig { mapped_file_size_commit_log: 2048, ..small() };
    assert_eq!(load(config), Err(LoadError::WrongSize { file, len: 1024, expected: 2048 }));
    let file = "consumequeue/T/0/00000000000000000000".to_owned();
    let config = StoreConfig { mapped_file_size_consume_queue: 400, ..small() };
    assert_eq!(load(config), Err(LoadError::WrongSize { file, len: 200, expected: 400 }));
    assert_eq!(load(small()), Ok(()));
}

#[test]
fn what_a_load_refuses() {
    let load = |disk: MemoryDisk, config| Store::load(disk, config, &mut TestEnv::at(START)).map(drop);
    let with_file = |path: &str, len| {
        let mut disk = MemoryDisk::new();
        disk.create(path, len).expect("an empty disk");
        disk
    };
    let file = "commitlog/lost+found".to_owned();
    assert_eq!(load(with_file("commitlog/lost+found", 1024), small()), Err(LoadError::BadName { file }));
    assert_eq!(load(with_file("consumequeue/T/x/0", 7), small()), Ok(()), "x is no queue");
    assert_eq!(load(with_file("index/notes.txt", 7), small()), Ok(()));
    let config = StoreConfig { message_delay_level: "1s 5".to_owned(), ..small() };
    assert!(matches!(load(MemoryDisk::new(), config), Err(LoadError::DelayLevels(_))));
    let config = StoreConfig { mapped_file_size_commit_log: 0, ..small() };
    assert!(matches!(load(MemoryDisk::new(), config), Err(LoadError::Config(_))));
    let config = StoreConfig { store_path_commit_log: Some("/elsewhere/commitlog".to_owned()), ..small() };
    assert!(matches!(load(MemoryDisk::new(), config), Err(LoadError::PathOutsideRoot { .. })));
}

/// Several directories take turns.
#[test]
fn a_log_in_two_directories() {
    let config = StoreConfig {
        store_path_root_dir: "/data/store".to_owned(),
        store_path_commit_log: Some("/data/store/b,/data/store/a".to_owned()),
        ..small()
    };
    let mut rig = Rig::new(config);
    rig.put_many("T", 0, 25);
    let mut rig = rig.restart(|disk| {
        let logs: Vec<_> = disk.files().into_iter().map(|(path, _)| path).filter(|path| path.len() == 22).collect();
        let names = ["a/00000000000000000000", "a/00000000000000002048", "b/00000000000000001024"];
        assert_eq!(logs, names);
    });
    assert_eq!((rig.store.max_phy_offset(), max(&mut rig, 0)), (2518, 25));
}

/// TOTALSIZE of a record damaged while the store runs: dispatch reads on behind its parts and counts on by its size, so
/// that what comes next is passed over.
#[test]
fn a_damaged_size_makes_dispatch_lose_count() {
    let mut rig = Rig::new(small());
    for _ in 0..4 {
        rig.put(message("T", 0));
    }
    let log = rig.store.disk().find("commitlog/00000000000000000000").expect("the log");
    rig.store.disk_mut().write_at(log, 94, &100i32.to_be_bytes()).expect("inside the file");
    rig.dispatch();
    // Three of four were dispatched; the count is 100 bytes too far: the size that was skipped, and the rest of the
    // slice that was given up.
    assert_eq!((max(&mut rig, 0), rig.store.reput_from_offset(), rig.store.max_phy_offset()), (3, 476, 376));
    rig.put_many("T", 0, 1);
    assert_eq!(max(&mut rig, 0), 3, "470 is still less than 476");
}

/// 35 records of 94 bytes lie in four files of 1024 bytes, ten to a file. `GroupCommitService` has two rounds of one flush
/// left, and a flush ends with its file; `FlushRealTimeService` has up to ten.
#[test]
fn the_last_flushes_of_a_stop() {
    for (flush_disk_type, flushed) in [(FlushDiskType::SyncFlush, 2048), (FlushDiskType::AsyncFlush, 3 * 1024 + 5 * 94)]
    {
        let mut rig = Rig::new(StoreConfig { flush_disk_type, ..small() });
        rig.put_many("T", 0, 35);
        assert_eq!((rig.store.flushed_where(), rig.store.max_phy_offset()), (0, 3 * 1024 + 5 * 94));
        assert!(rig.store.shutdown(&mut rig.env));
        assert_eq!(rig.store.flushed_where(), flushed);
    }
}
