use super::*;
use crate::store::step::Flag;
use crate::store::{DiskUse, GetMessageStatus};

/// 11:00 UTC, no hour of deleteWhen.
const NOON: i64 = START - START % 86_400_000 + 11 * 3_600_000;

fn at(used: f64) -> DiskUse {
    DiskUse { commit_log: used, consume_queue: 0.1 }
}

fn five_files() -> Rig {
    let mut rig = Rig::new(small());
    rig.env.now = NOON;
    rig.put_many("T", 0, 45);
    rig
}

fn files(rig: &Rig) -> usize {
    rig.store.commit_log_files().count()
}

/// What happens at which use of the disk.
#[test]
fn thresholds() {
    for (used, accepts, fresh_left, expired_left) in
        [(0.70, true, 5, 5), (0.80, true, 5, 1), (0.86, true, 1, 1), (0.91, false, 1, 1), (-1.0, true, 5, 1)]
    {
        let mut rig = five_files();
        rig.store.clean_commit_log(at(used), &mut rig.env);
        assert_eq!(files(&rig), fresh_left, "fresh files at {used}");
        assert_eq!(rig.store.running_flags().is_writeable(), accepts, "at {used}");
        let mut rig = five_files();
        rig.env.now += 73 * 3_600_000 - 1;
        rig.store.clean_commit_log(at(used), &mut rig.env);
        assert_eq!(files(&rig), expired_left, "expired files at {used}");
    }
}

#[test]
fn expired_files_go_in_their_hour_or_on_command() {
    let mut rig = five_files();
    rig.env.now += 17 * 3_600_000;
    rig.store.clean_commit_log(at(0.1), &mut rig.env);
    assert_eq!(files(&rig), 5, "04:00 the next day: not old enough");
    rig.env.now += 72 * 3_600_000;
    rig.store.clean_commit_log(at(0.1), &mut rig.env);
    assert_eq!(files(&rig), 1, "the last file never goes");
    assert_eq!(rig.store.min_phy_offset(), 4096);

    let mut rig = five_files();
    rig.env.now += 80 * 3_600_000;
    rig.store.clean_commit_log(at(0.1), &mut rig.env);
    assert_eq!(files(&rig), 5);
    rig.store.execute_delete_files_manually();
    rig.store.clean_commit_log(at(0.1), &mut rig.env);
    assert_eq!(files(&rig), 1);
}

#[test]
fn ten_files_at_most_a_tenth_of_a_second_apart() {
    let mut rig = Rig::new(small());
    rig.put_many("T", 0, 125);
    assert_eq!(files(&rig), 13);
    let before = rig.env.now;
    assert_eq!(rig.store.delete_expired_commit_log(0, true, &mut rig.env), 10);
    assert_eq!((files(&rig), rig.env.now - before), (3, 900));
}

/// Queues and index follow the log: files of which nothing is left go, and the minimum moves to the first message.
#[test]
fn queues_and_index_follow() {
    let mut rig = Rig::new(small());
    for _ in 0..30 {
        rig.put_ok(with_keys("T", "k"));
    }
    // 100 bytes each: ten in a file and the blank record; nine entries in an index file.
    assert_eq!((files(&rig), rig.store.index_files().len()), (3, 4));
    rig.store.delete_expired_commit_log(0, true, &mut rig.env);
    assert_eq!(rig.store.min_phy_offset(), 2048);
    let get = |rig: &mut Rig, offset| {
        rig.store.get_message("g", "T", 0, offset, 32, None).map(|result| (result.status, result.next_begin_offset))
    };
    // Before the queue is cleaned its first unit, which says 0, is answered with the first surviving record.
    assert_eq!(get(&mut rig, 0), Some((GetMessageStatus::Found, 10)));
    assert_eq!(get(&mut rig, 1), Some((GetMessageStatus::MessageWasRemoving, 10)));
    rig.store.clean_consume_queues(&mut rig.env);
    assert_eq!(rig.store.min_offset_in_queue("T", 0), 20);
    assert_eq!(get(&mut rig, 0), Some((GetMessageStatus::OffsetTooSmall, 20)));
    assert_eq!(rig.store.index_files().len(), 2, "the second ends with message 17, before the log");
    assert!(rig.store.disk().find("consumequeue/T/0/00000000000000000200").is_none());
    rig.env.names();
    rig.store.clean_consume_queues(&mut rig.env);
    assert!(rig.env.names().is_empty(), "nothing has changed since");
}

#[test]
fn queues_that_nobody_needs() {
    let mut rig = Rig::new(small());
    rig.put_many("old", 0, 12);
    rig.put_many("new", 0, 12);
    rig.store.delete_expired_commit_log(0, true, &mut rig.env);
    rig.store.clean_expired_consume_queues(&mut rig.env);
    assert!(rig.store.queue("old", 0).is_none() && rig.store.queue("new", 0).is_some());
    rig.store.clean_unused_topics(|topic| topic == "other", &mut rig.env);
    assert!(rig.store.queue("new", 0).is_none());
    assert!(rig.store.queue("SCHEDULE_TOPIC_XXXX", 0).is_some());
    assert!(!rig.store.topic_queue_table().any(|(topic, ..)| topic == "new"));
}

#[test]
fn the_disk_check_sets_and_clears_its_flag() {
    let mut rig = Rig::new(small());
    assert!(rig.store.check_space(0.91, &mut rig.env) && rig.store.running_flags().has(Flag::DiskFull));
    assert!(!rig.store.check_space(0.90, &mut rig.env) && !rig.store.running_flags().has(Flag::DiskFull));
}
