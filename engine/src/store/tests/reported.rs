//! What users of the real broker reported, with the numbers of its 4.9.8; others of these cases stand with the part of
//! the store that they are about.

use super::*;
use crate::message::batch::{BatchEntry, MessageBatch, encode_client};
use crate::message::record;
use crate::store::step::Flag;
use crate::store::{BrokerRole, DiskUse, GetMessageResult, GetMessageStatus};

fn pull(rig: &mut Rig, offset: i64) -> GetMessageResult {
    rig.store.get_message("g", "T", 0, offset, 32, None).expect("the store runs")
}

fn outcome(rig: &mut Rig, offset: i64) -> (GetMessageStatus, i64) {
    let result = pull(rig, offset);
    (result.status, result.next_begin_offset)
}

/// A slave lost the last file of a queue, 5 of its 25 units. What the master sends next says queue offset 25, and its
/// unit goes to slot 20: from then on slots and queue offsets differ.
#[test]
fn a_slave_that_lost_a_queue_file_puts_units_into_other_slots() {
    let fill = || {
        let mut rig = Rig::new(small());
        rig.put_many("T", 0, 25);
        rig.put_many("T", 1, 1);
        rig
    };
    let mut master = fill();
    let next = master.put_ok(message("T", 0)).append.expect("appended");
    assert_eq!((next.queue_offset, next.wrote_offset), (25, 2048 + 6 * 94));
    let sent = master.store.read(next.wrote_offset, next.wrote_bytes).expect("the record");

    let mut lost = fill();
    lost.store.config_mut().broker_role = BrokerRole::Slave;
    let slave = lost.restart(|disk| {
        delete(disk, "consumequeue/T/0/00000000000000000400");
        let log = disk.find("commitlog/00000000000000002048").expect("the third file");
        disk.write_at(log, 6 * 94, &sent).expect("inside the file");
    });
    assert_eq!(slave.store.unit("T", 0, 20).map(|unit| unit.physical_offset), Some(next.wrote_offset));
    assert_eq!(slave.store.queue("T", 0).map(crate::store::ConsumeQueue::max_offset_in_queue), Some(21));
    let misplaced = Step::UnitMisplaced { topic: "T".to_owned(), queue_id: 0, expected_offset: 25, actual_offset: 20 };
    assert!(slave.env.steps.contains(&misplaced));
}

/// A clean start looks at the last three files. Damage before them is not noticed, and reading does not look at the
/// checksum: the body is served as it is.
#[test]
fn damage_in_an_old_file_is_served() {
    let mut rig = Rig::new(small());
    rig.put_many("T", 0, 40);
    let mut rig = rig.restart(|disk| {
        let log = disk.find("commitlog/00000000000000000000").expect("the first of four files");
        disk.write_at(log, 5 * 94 + 88, b"M").expect("inside the file");
    });
    assert_eq!((rig.store.max_phy_offset(), rig.store.max_offset_in_queue("T", 0)), (3072 + 940, 40));
    assert_eq!(outcome(&mut rig, 5), (GetMessageStatus::Found, 10));
    let bytes = rig.store.read(470, 94).expect("the record");
    let record = record::decode(&bytes).expect("a record");
    assert_eq!((record.body, record.crc_matches()), (&b"M0"[..], false));
}

/// One pull looks at 800 units: a hole in the log that is longer shows.
#[test]
fn a_long_hole_in_the_log_is_passed_in_two_pulls() {
    let config = StoreConfig { mapped_file_size_consume_queue: 20_000, ..without_index() };
    let mut rig = Rig::new(config);
    rig.put_many("T", 0, 900);
    // 10 records a file: the messages 10 to 859 are in the files that go.
    let mut rig = rig.restart(|disk| {
        for file in 1..86 {
            delete(disk, &format!("commitlog/{:020}", file * 1024));
        }
    });
    assert_eq!(outcome(&mut rig, 10), (GetMessageStatus::MessageWasRemoving, 810));
    let result = pull(&mut rig, 810);
    assert_eq!((result.status, result.next_begin_offset), (GetMessageStatus::Found, 892));
    assert_eq!(result.selected.first().map(|one| one.queue_offset), Some(860));
}

/// Delivery goes on where it was after a stop. After a kill it goes on where it was when it was last saved, every
/// 10 seconds: what was delivered since is delivered again.
#[test]
fn delayed_messages_come_again_after_a_kill_only() {
    let deliver = || {
        let mut rig = Rig::new(StoreConfig { mapped_file_size_consume_queue: 2000, ..without_index() });
        for _ in 0..100 {
            rig.put_ok(with(message("T", 0), &[(property::DELAY, "1")]));
        }
        rig.store.set_delay_offset(1, 45);
        rig.store.persist_delay_offsets(&mut rig.env);
        rig.store.set_delay_offset(1, 60);
        rig
    };
    let progress = |rig: &Rig| rig.store.delay_offsets().get(&1).copied();
    assert_eq!(progress(&deliver().restart(|_| {})), Some(60));
    assert_eq!(progress(&deliver().start_again(|_| {})), Some(45), "15 messages are delivered a second time");
}

/// 11:00 UTC, no hour of deleteWhen.
const NOON: i64 = START - START % 86_400_000 + 11 * 3_600_000;

/// Five files that are not expired, a consumer that has read nothing, and the disk filling up: at which use what is
/// refused, what is deleted, and where the consumer is.
#[test]
fn a_disk_that_fills_up() {
    let mut rig = Rig::new(without_index());
    rig.env.now = NOON;
    rig.put_many("T", 0, 45);
    let rows = [
        (0.70, PutMessageStatus::PutOk, 5, (GetMessageStatus::Found, 10)),
        (0.80, PutMessageStatus::PutOk, 5, (GetMessageStatus::Found, 10)),
        (0.86, PutMessageStatus::PutOk, 1, (GetMessageStatus::OffsetTooSmall, 40)),
        (0.91, PutMessageStatus::ServiceNotAvailable, 1, (GetMessageStatus::OffsetTooSmall, 40)),
        // Between 0.85 and 0.90 the mark of a full disk stays as it is; the check of the disk takes it away.
        (0.88, PutMessageStatus::ServiceNotAvailable, 1, (GetMessageStatus::OffsetTooSmall, 40)),
    ];
    for (used, status, files, pulled) in rows {
        rig.store.clean_files(DiskUse { commit_log: used, consume_queue: 0.1 }, &mut rig.env);
        assert_eq!(rig.store.commit_log_files().count(), files, "files at {used}");
        assert_eq!(rig.put(message("T", 0)).status, status, "at {used}");
        assert_eq!(outcome(&mut rig, 0), pulled, "at {used}");
    }
    assert!(!rig.store.check_space(0.88, &mut rig.env));
    assert_eq!(rig.put(message("T", 0)).status, PutMessageStatus::PutOk);
}

/// The last file is never deleted: a store of one file does not shrink.
#[test]
fn a_store_of_one_file_does_not_shrink() {
    let mut rig = Rig::new(without_index());
    rig.env.now = NOON;
    rig.put_many("T", 0, 5);
    rig.env.now += 100 * 3_600_000;
    rig.store.clean_files(DiskUse { commit_log: 0.95, consume_queue: 0.1 }, &mut rig.env);
    assert_eq!((rig.store.commit_log_files().count(), rig.store.min_phy_offset()), (1, 0));
    assert!(rig.store.running_flags().has(Flag::DiskFull));
}

fn batch(bodies: &[Bytes]) -> MessageBatch {
    let entry = |body: &Bytes| BatchEntry { flag: 0, body: body.clone(), properties_text: String::new() };
    let entries: Vec<_> = bodies.iter().map(entry).collect();
    MessageBatch {
        topic: "T".to_owned(),
        queue_id: 0,
        sys_flag: 0,
        born_timestamp: START,
        born_host: host(1),
        store_host: host(10_911),
        reconsume_times: 0,
        properties: Properties::new(),
        body: encode_client(&entries).expect("short properties").into(),
    }
}

/// An entry costs 22 bytes beside its body, and all entries together may have 4194304.
#[test]
fn a_batch_has_four_mebibytes() {
    let mut rig = Rig::new(StoreConfig { mapped_file_size_commit_log: 8 << 20, ..without_index() });
    let zeros = |len: usize| Bytes::from(vec![0; len]);
    let mut status = |bodies: &[Bytes]| rig.store.put_messages(&batch(bodies), &mut rig.env).status;
    assert_eq!(status(&[zeros(4_194_304 - 22)]), PutMessageStatus::PutOk);
    assert_eq!(status(&[zeros(4_194_304 - 21)]), PutMessageStatus::MessageIllegal);
    assert_eq!(status(&[zeros(2_097_152 - 22), zeros(2_097_152 - 22)]), PutMessageStatus::PutOk);
    assert_eq!(status(&[zeros(2_097_152 - 22), zeros(2_097_152 - 21)]), PutMessageStatus::MessageIllegal);
}

/// The entries of a batch have one store time and follow each other in one queue.
#[test]
fn the_entries_of_a_batch_share_queue_and_time() {
    let mut rig = Rig::new(without_index());
    let bodies = ["a", "b", "c"].map(Bytes::from);
    rig.store.put_messages(&batch(&bodies), &mut rig.env);
    rig.dispatch();
    let place = |slot: i64| (0, slot, START);
    let stored: Vec<_> = [0, 93, 186]
        .into_iter()
        .map(|at| {
            let bytes = rig.store.read(at, 93).expect("91 bytes, the topic and the body");
            let record = record::decode(&bytes).expect("a record");
            (record.queue_id, record.queue_offset, record.store_timestamp)
        })
        .collect();
    assert_eq!(stored, [place(0), place(1), place(2)]);
}

/// The last file of a queue is exactly full: the place that is flushed up to lies in no file, so each round looks in vain
/// until the next message makes one. Nothing is wrong with the data.
#[test]
fn a_queue_file_that_is_exactly_full_does_no_harm() {
    let mut rig = Rig::new(without_index());
    rig.put_many("T", 0, 10);
    let flushed = |rig: &mut Rig| {
        rig.store.flush_consume_queues(true, &mut rig.env);
        rig.store.queue("T", 0).map(crate::store::ConsumeQueue::flushed_where)
    };
    assert_eq!(flushed(&mut rig), Some(200));
    assert_eq!(flushed(&mut rig), Some(200), "offset 200 of a queue whose only file ends there");
    rig.put_many("T", 0, 1);
    assert_eq!(flushed(&mut rig), Some(220));
    let mut rig = rig.start_again(MemoryDisk::power_loss);
    assert_eq!(rig.store.max_offset_in_queue("T", 0), 0, "the log was not flushed");
}
