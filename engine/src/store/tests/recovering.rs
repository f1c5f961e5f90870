//! What recovery tells of itself: records of 94 bytes, ten in a log file of 1024 and a blank record of the last 84.

use super::*;
use crate::message::record::MESSAGE_MAGIC;
use crate::store::step::{DeleteCause, FileVerdict, LoadFault, QueueName, RecordFault, RecoveryEnd, RecoveryStart};

const FILES: [&str; 4] = [
    "commitlog/00000000000000000000",
    "commitlog/00000000000000001024",
    "commitlog/00000000000000002048",
    "commitlog/00000000000000003072",
];

/// The steps of a load and start on this disk.
fn told(disk: MemoryDisk, config: StoreConfig) -> Vec<Step> {
    Rig::on(disk, config).env.steps
}

/// A store of so many messages in T/0, stopped cleanly.
fn stopped(messages: usize) -> MemoryDisk {
    let mut rig = Rig::new(without_index());
    rig.put_many("T", 0, messages);
    assert!(rig.store.shutdown(&mut rig.env));
    rig.store.into_disk()
}

fn overwrite(disk: &mut MemoryDisk, path: &str, offset: u64, bytes: &[u8]) {
    let file = disk.find(path).expect("the file is there");
    disk.write_at(file, offset, bytes).expect("inside the file");
}

/// From one step on, up to another that comes after it.
fn between(steps: &[Step], first: fn(&Step) -> bool, last: fn(&Step) -> bool) -> Vec<Step> {
    let from = steps.iter().position(first).expect("the first step was told");
    let len = steps[from..].iter().position(last).expect("the last step was told");
    steps[from..=from + len].to_vec()
}

fn log_steps(steps: &[Step]) -> Vec<Step> {
    between(steps, |step| matches!(step, Step::RecoveryBegins { .. }), |step| matches!(step, Step::LogTruncated { .. }))
}

fn accepted(physical_offset: i64) -> Step {
    Step::RecordAccepted { physical_offset, size: 94, dispatched: false }
}

/// One bit of the body of message 5, at byte 88 of its record: every record before it, where and why it stopped, and each
/// unit that goes with the records behind it.
#[test]
fn a_damaged_body_is_told_with_its_place() {
    let mut disk = stopped(10);
    overwrite(&mut disk, FILES[0], 470 + 88, b"M");
    let steps = told(disk, without_index());
    let log = log_steps(&steps);
    let begins = Step::RecoveryBegins {
        file: FILES[0].to_owned(),
        physical_offset: 0,
        clean: true,
        why: RecoveryStart::LastFiles,
    };
    assert_eq!(log[..6], [begins, accepted(0), accepted(94), accepted(188), accepted(282), accepted(376)]);
    let Step::RecordRejected { physical_offset: 470, size: -1, file, position: 470, at: 558, fault } = &log[6] else {
        panic!("{:?}", log[6]);
    };
    assert_eq!(file, FILES[0]);
    // CRC-32 of "m0" and "M0" without the highest bit.
    assert_eq!(*fault, RecordFault::Crc { stored: 0x3753_37B9, computed: 0x22D7_131B });
    assert_eq!(
        log[7..],
        [
            Step::RecoveryEnds { physical_offset: 470, why: RecoveryEnd::NoRecord },
            Step::PositionsMoved { file: FILES[0].to_owned(), from: 1024, to: 470 },
            Step::LogTruncated { offset: 470 },
        ]
    );

    let queue = "consumequeue/T/0/00000000000000000000".to_owned();
    let cut = |number: i64| Step::UnitCut {
        topic: "T".to_owned(),
        queue_id: 0,
        queue_offset: number,
        physical_offset: number * 94,
        size: 94,
        file: queue.clone(),
        position: number as i32 * 20,
    };
    let expected = [
        Step::PositionsMoved { file: queue.clone(), from: 200, to: 100 },
        cut(5),
        cut(6),
        cut(7),
        cut(8),
        cut(9),
        Step::QueueTruncated { topic: "T".to_owned(), queue_id: 0, max_offset: 5, physical_offset: 470 },
    ];
    let after = steps.iter().position(|step| matches!(step, Step::LogTruncated { .. })).expect("told");
    assert_eq!(steps[after + 1..][..7], expected);
}

/// A queue's file whose first unit lies behind the end goes as a whole, and its units are told all the same.
#[test]
fn a_queue_file_behind_the_end_is_told_unit_by_unit_and_deleted() {
    let mut disk = stopped(12);
    // The eleventh record is the first of the second log file.
    overwrite(&mut disk, FILES[1], 4, &[0; 4]);
    let steps = told(disk, without_index());
    let log = log_steps(&steps);
    // TOTALSIZE is still 94, only the magic is zero.
    assert!(
        log.iter().any(|step| matches!(
            step,
            Step::RecordRejected {
                physical_offset: 1024,
                position: 0,
                at: 4,
                fault: RecordFault::Magic { magic: 0 },
                ..
            }
        )),
        "{log:?}"
    );
    let tail = between(
        &steps,
        |step| matches!(step, Step::UnitCut { .. }),
        |step| matches!(step, Step::QueueTruncated { .. }),
    );
    let cut: Vec<_> = tail
        .iter()
        .filter_map(|step| match step {
            Step::UnitCut { queue_offset, physical_offset, .. } => Some((*queue_offset, *physical_offset)),
            _ => None,
        })
        .collect();
    assert_eq!(cut, [(10, 1024), (11, 1118)]);
    let file = "consumequeue/T/0/00000000000000000200".to_owned();
    assert!(tail.contains(&Step::FileDeleted { file, why: DeleteCause::Truncated }), "{tail:?}");
}

/// A blank record leads to the next file; zeros behind the last record end the recovery.
#[test]
fn a_blank_record_leads_to_the_next_file() {
    let log = log_steps(&told(stopped(11), without_index()));
    let place = log.iter().position(|step| matches!(step, Step::RecoveryBlank { .. })).expect("the file ends with it");
    assert_eq!(
        log[place..],
        [
            Step::RecoveryBlank {
                physical_offset: 940,
                remaining: 84,
                file: FILES[0].to_owned(),
                position: 940,
                next: Some(1024),
            },
            Step::RecoveryFileEntered { file: FILES[1].to_owned(), physical_offset: 1024 },
            accepted(1024),
            Step::RecordRejected {
                physical_offset: 1118,
                size: -1,
                file: FILES[1].to_owned(),
                position: 94,
                at: 98,
                fault: RecordFault::Zeros,
            },
            Step::RecoveryEnds { physical_offset: 1118, why: RecoveryEnd::NoRecord },
            Step::PositionsMoved { file: FILES[1].to_owned(), from: 1024, to: 94 },
            Step::LogTruncated { offset: 1118 },
        ]
    );
}

/// A log whose last file ends with its blank record and has no next one is opened again at that blank.
#[test]
fn a_blank_record_of_the_last_file_ends_recovery() {
    let mut disk = stopped(11);
    delete(&mut disk, FILES[1]);
    let log = log_steps(&told(disk, without_index()));
    let blank = |step: &Step| matches!(step, Step::RecoveryBlank { physical_offset: 940, next: None, .. });
    assert!(log.iter().any(blank), "{log:?}");
    assert!(log.contains(&Step::RecoveryEnds { physical_offset: 940, why: RecoveryEnd::LastBlank }));
}

/// A store that was killed: ten messages a file, the third file's stored 15 seconds after the second's, the checkpoint at
/// the third file's time. The fourth file was only made ahead.
fn killed() -> MemoryDisk {
    let mut rig = Rig::new(without_index());
    for (count, now) in [(10, START), (10, START + 5000), (10, START + 20_000)] {
        rig.env.now = now;
        rig.put_many("T", 0, count);
    }
    rig.store.flush_commit_log(0, &mut rig.env);
    for _ in 0..4 {
        rig.store.flush_commit_log(0, &mut rig.env);
    }
    rig.store.flush_consume_queues(true, &mut rig.env);
    let mut disk = rig.store.into_disk();
    let lock = disk.find("lock").expect("it was locked");
    disk.unlock(lock).expect("the lock is there");
    // physicMsgTimestamp and logicsMsgTimestamp: the third file's time.
    let time = (START + 20_000).to_be_bytes();
    overwrite(&mut disk, "checkpoint", 0, &[time, time].concat());
    disk
}

fn examined(steps: &[Step]) -> Vec<(String, i32, i64, i64, bool, FileVerdict)> {
    let of = |step: &Step| match step {
        Step::RecoveryFileExamined { file, magic, store_timestamp, limit, matches, why } => {
            Some((file.clone(), *magic, *store_timestamp, *limit, *matches, *why))
        }
        _ => None,
    };
    steps.iter().filter_map(of).collect()
}

/// From the last file to the first, against the checkpoint less three seconds.
#[test]
fn the_first_file_to_check_is_searched_from_the_last() {
    let steps = told(killed(), without_index());
    let limit = START + 17_000;
    let file = |number: usize| FILES[number].to_owned();
    assert_eq!(
        examined(&steps),
        [
            (file(3), 0, 0, limit, false, FileVerdict::NoMessage),
            (file(2), MESSAGE_MAGIC, START + 20_000, limit, false, FileVerdict::AfterCheckpoint),
            (file(1), MESSAGE_MAGIC, START + 5000, limit, true, FileVerdict::BeforeCheckpoint),
        ]
    );
    let begins = Step::RecoveryBegins {
        file: file(1),
        physical_offset: 1024,
        clean: false,
        why: RecoveryStart::BeforeCheckpoint,
    };
    assert!(steps.contains(&begins));
    let dispatched = |step: &&Step| matches!(step, Step::RecordAccepted { dispatched: true, size: 94, .. });
    assert_eq!(steps.iter().filter(dispatched).count(), 20);
    assert!(steps.contains(&Step::FileDeleted { file: file(3), why: DeleteCause::Truncated }));
}

/// Without a checkpoint its times are zero: no file is old enough, and the first is taken.
#[test]
fn without_a_checkpoint_everything_is_checked() {
    let mut disk = killed();
    delete(&mut disk, "checkpoint");
    // And a first record that says it was stored at 0.
    overwrite(&mut disk, FILES[0], 56, &[0; 8]);
    let steps = told(disk, without_index());
    let verdicts: Vec<_> = examined(&steps).into_iter().map(|(.., why)| why).collect();
    let after = FileVerdict::AfterCheckpoint;
    assert_eq!(verdicts, [FileVerdict::NoMessage, after, after, FileVerdict::NoStoreTime]);
    let begins = |step: &Step| {
        matches!(step, Step::RecoveryBegins { physical_offset: 0, clean: false, why: RecoveryStart::NoneMatched, .. })
    };
    assert!(steps.iter().any(begins));
}

#[test]
fn the_place_where_dispatch_begins_names_the_queue_that_decides() {
    let mut rig = Rig::new(without_index());
    rig.put_many("T", 0, 2);
    rig.put_many("T", 1, 1);
    let rig = rig.restart(|disk| delete_all(disk, "consumequeue/T/0/"));
    let queue = Some(QueueName { topic: "T".to_owned(), queue_id: 1 });
    assert!(rig.env.steps.contains(&Step::ReputFrom { physical_offset: 282, min_phy_offset: 0, queue }));
    let rig = rig.restart(|disk| delete_all(disk, "consumequeue/"));
    assert!(rig.env.steps.contains(&Step::ReputFrom { physical_offset: 0, min_phy_offset: 0, queue: None }));
}

#[test]
fn a_refused_load_is_told_with_file_and_sizes() {
    let mut disk = stopped(1);
    let log = disk.find(FILES[0]).expect("the log");
    disk.set_len(log, 1000).expect("it can be cut");
    let mut env = TestEnv::at(START);
    let failed = Store::load_or_give_back(disk, without_index(), &mut env);
    let (_, disk) = failed.map(drop).expect_err("the size is wrong");
    let fault = LoadFault::WrongSize { file: FILES[0].to_owned(), len: 1000, expected: 1024 };
    assert_eq!(env.steps.last(), Some(&Step::LoadRefused { fault }));
    assert_eq!(disk.meta(log).map(|meta| meta.len), Ok(1000), "and left as it was");
}

/// After an unclean stop an index file goes if its last message is newer than the checkpoint's time for the index.
#[test]
fn index_files_are_told_with_what_decides() {
    let mut rig = Rig::new(small());
    rig.put_ok(with_keys("T", "a b"));
    let rig = rig.start_again(|disk| {
        disk.create("index/notes", 7).expect("a name that is no number");
    });
    let end = rig.store.index_files()[0].header();
    let loaded = |step: &&Step| matches!(step, Step::IndexLoaded { .. } | Step::IndexIgnored { .. });
    let told: Vec<_> = rig.env.steps.iter().filter(loaded).collect();
    let [
        Step::IndexLoaded {
            index_count: 3, begin_phy_offset: 0, end_phy_offset: 0, end_timestamp, limit: 0, kept, ..
        },
        ignored,
    ] = told[..]
    else {
        panic!("{told:?}");
    };
    assert_eq!((*end_timestamp, *kept), (end.end_timestamp, false));
    let fault = crate::store::step::IndexFault::BadName;
    assert_eq!(*ignored, Step::IndexIgnored { file: "index/notes".to_owned(), fault });
}
