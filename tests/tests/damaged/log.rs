//! Damages of the commit log.

use rocketscope_engine::store::inspect::ProblemKind as Kind;

use crate::store::{CLEAN, CRASH, Damaged, LOG};

const R1_0_LAST: &str = "consumequeue/R1/0/00000000000000001200";
const R1_1_LAST: &str = "consumequeue/R1/1/00000000000000000400";
const R2_0_LAST: &str = "consumequeue/R2/0/00000000000000000400";
const INDEX_LAST: &str = "index/20261129200122280";
/// An entry of an index file: behind the header and 20 slots.
const fn entry(number: u64) -> u64 {
    40 + 20 * 4 + number * 20
}

#[test]
fn a_flipped_bit_in_a_body_is_a_bad_crc_with_what_it_costs() {
    let mut store = Damaged::new(CLEAN);
    // The record at 26641, R1/1 @31, is the fifth from the end; its body begins at 88 of it.
    store.flip(LOG[3], 26641 - 24576 + 88);
    let found = store.finds(&[
        (Kind::BadCrc, LOG[3], 2065),
        (Kind::RecordsBehindDamage, LOG[3], 2277),
        // The newest record left was stored 2 ms before the checkpoint's times.
        (Kind::CheckpointAhead, "checkpoint", 0),
        (Kind::CheckpointAhead, "checkpoint", 8),
        (Kind::UnitBeyondEnd, R1_0_LAST, 60),
        (Kind::UnitBeyondEnd, R1_1_LAST, 220),
        (Kind::UnitBeyondEnd, R2_0_LAST, 220),
        (Kind::IndexPointsNowhere, INDEX_LAST, entry(15)),
    ]);
    assert_eq!(found[0].values["topic"], "R1");
    assert_eq!((found[0].values["queueId"].as_str(), found[0].values["queueOffset"].as_str()), ("1", "31"));
    // 213 + 214 + 215 + 216 bytes.
    assert_eq!((found[1].values["count"].as_str(), found[1].values["bytes"].as_str()), ("4", "858"));
    assert_eq!((found[5].values["first"].as_str(), found[5].values["last"].as_str()), ("31", "32"));
}

#[test]
fn a_flipped_bit_in_an_older_file_does_not_end_the_log() {
    let mut store = Damaged::new(CRASH);
    // R1/0 @1 at 397; its body begins at 485. The records that follow end at the blank at 8153.
    store.flip(LOG[0], 485);
    let found = store.finds(&[
        (Kind::AbortExists, "abort", 0),
        (Kind::BadCrc, LOG[0], 397),
        (Kind::RecordsBehindDamage, LOG[0], 597),
        (Kind::IndexNewerThanCheckpoint, "index/20261129200122219", 8),
    ]);
    assert_eq!(found[2].values["bytes"], (8153 - 597).to_string());
}

#[test]
fn a_torn_last_record_is_a_bad_crc_even_if_its_topic_is_gone() {
    let mut store = Damaged::new(CLEAN);
    // The second half of the record at 27495, 216 bytes, never reached the disk.
    store.write(LOG[3], 27495 - 24576 + 108, &[0; 108]);
    let found = store.finds(&[
        (Kind::BadCrc, LOG[3], 2919),
        (Kind::UnitBeyondEnd, R1_1_LAST, 240),
        (Kind::IndexPointsNowhere, INDEX_LAST, entry(23)),
    ]);
    assert_eq!((found[0].values["topic"].as_str(), found[0].values["queueOffset"].as_str()), ("?", "32"));
}

#[test]
fn a_wrong_total_size_is_named_with_what_the_lengths_say() {
    let mut store = Damaged::new(CLEAN);
    store.add(LOG[3], 27495 - 24576 + 3, 5);
    let found = store.finds(&[
        (Kind::BadSize, LOG[3], 2919),
        (Kind::UnitBeyondEnd, R1_1_LAST, 240),
        (Kind::IndexPointsNowhere, INDEX_LAST, entry(23)),
    ]);
    assert_eq!(found[0].values["size"], "221");
    assert!(found[0].message.contains("216"), "{}", found[0].message);
}

#[test]
fn a_total_size_beyond_the_file_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.write(LOG[3], 27495 - 24576, &i32::MAX.to_be_bytes());
    let found = store.problems();
    let bad = found.iter().find(|problem| problem.kind == Kind::BadSize).unwrap();
    // 8192 - 2919 bytes are left.
    assert!(bad.message.contains("5273"), "{}", bad.message);
}

#[test]
fn garbage_behind_the_last_record_is_a_bad_magic() {
    let mut store = Damaged::new(CLEAN);
    store.write(LOG[3], 27711 - 24576, &[0x35; 64]);
    let found = store.finds(&[(Kind::BadMagic, LOG[3], 3135)]);
    assert_eq!(found[0].values["found"], "0x35353535");
}

#[test]
fn records_missing_at_the_end_leave_units_and_entries_behind() {
    let mut store = Damaged::new(CLEAN);
    // The last three records, from 27066 to 27711, are zeros.
    store.write(LOG[3], 27066 - 24576, &[0; 27711 - 27066]);
    let found = store.finds(&[
        (Kind::CheckpointAhead, "checkpoint", 0),
        (Kind::CheckpointAhead, "checkpoint", 8),
        (Kind::UnitBeyondEnd, R1_0_LAST, 80),
        (Kind::UnitBeyondEnd, R1_1_LAST, 240),
        (Kind::UnitBeyondEnd, R2_0_LAST, 220),
        (Kind::IndexPointsNowhere, INDEX_LAST, entry(19)),
    ]);
    assert_eq!(found[2].values["end"], "27066");
    assert_eq!(found[5].values["count"], "6");
}

#[test]
fn an_old_record_behind_the_end_is_stale() {
    let mut store = Damaged::new(CLEAN);
    // A page of zeros behind the end, and then bytes that were a record once.
    let old = store.bytes(LOG[3], 27495 - 24576, 216);
    store.write(LOG[3], 5000, &old);
    // The first byte that is not zero is the last of TOTALSIZE.
    let found = store.finds(&[(Kind::StaleBytes, LOG[3], 5003)]);
    assert_eq!(found[0].values["count"], "0", "it says that it lies elsewhere");
    // The same record as it would have been written there.
    let place = (24576_i64 + 5000).to_be_bytes();
    store.write(LOG[3], 5028, &place);
    let found = store.finds(&[(Kind::StaleBytes, LOG[3], 5000)]);
    assert_eq!(found[0].values["count"], "1");
    assert_eq!(found[0].values["end"], "27711");
}

#[test]
fn zeros_in_the_middle_of_the_log_are_a_hole() {
    let mut store = Damaged::new(CLEAN);
    // R1/0 @64's file is the last; here the second one ends without its blank at 16206, 178 bytes before its end.
    store.write(LOG[1], 16206 - 8192, &[0; 8]);
    store.finds(&[(Kind::HoleInLog, LOG[1], 8014)]);
}

#[test]
fn a_blank_that_does_not_reach_the_end_of_its_file_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.write(LOG[1], 16206 - 8192, &177_i32.to_be_bytes());
    let found = store.finds(&[(Kind::BadBlank, LOG[1], 8014)]);
    assert_eq!((found[0].values["remaining"].as_str(), found[0].values["left"].as_str()), ("177", "178"));
}

#[test]
fn a_record_that_says_it_lies_elsewhere_is_named() {
    let mut store = Damaged::new(CLEAN);
    // PHYSICALOFFSET of the record at 597, which stands at 28 of it.
    store.write(LOG[0], 597 + 28, &598_i64.to_be_bytes());
    let found = store.finds(&[(Kind::PhysicalOffsetMismatch, LOG[0], 597)]);
    assert_eq!(found[0].values["found"], "598");
}

#[test]
fn a_file_of_another_length_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.resize(LOG[3], 1000);
    let found = store.problems();
    let kinds: Vec<_> = found.iter().map(|problem| (problem.kind, problem.offset)).take(2).collect();
    // The record at 25390 is cut: 186 of its 206 bytes are left.
    assert_eq!(kinds, [(Kind::WrongFileLength, 1000), (Kind::BadSize, 814)]);
    assert_eq!(found[0].values["expected"], "8192");
}

#[test]
fn a_file_missing_in_the_middle_is_named_with_the_units_that_need_it() {
    let mut store = Damaged::new(CLEAN);
    store.remove(LOG[1]);
    let found = store.finds(&[
        (Kind::MissingFile, LOG[1], 0),
        // Units 20 to 38 of R1/0, 10 to 18 of R1/1 and 9 to 18 of R2/0 point into it.
        (Kind::UnitPointsNowhere, "consumequeue/R1/0/00000000000000000400", 0),
        (Kind::UnitPointsNowhere, "consumequeue/R1/1/00000000000000000000", 200),
        (Kind::UnitPointsNowhere, "consumequeue/R2/0/00000000000000000000", 180),
        // Entry 1 is of 6048, then two each of the nine records from 6254 to the end of the first file.
        (Kind::IndexPointsNowhere, "index/20261129200112197", entry(20)),
        (Kind::IndexPointsNowhere, "index/20261129200116483", entry(1)),
    ]);
    assert_eq!((found[0].values["from"].as_str(), found[0].values["end"].as_str()), ("8192", "16384"));
    assert_eq!((found[1].values["first"].as_str(), found[1].values["last"].as_str()), ("20", "38"));
}

#[test]
fn a_removed_head_leaves_queue_files_that_point_before_it() {
    let mut store = Damaged::new(CLEAN);
    store.remove(LOG[0]);
    let found = store.finds(&[(Kind::UnitsBelowMin, "consumequeue/R1/0/00000000000000000000", 0)]);
    assert_eq!((found[0].values["last"].as_str(), found[0].values["min"].as_str()), ("19", "8192"));
}

#[test]
fn no_commit_log_at_all_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.remove_all("commitlog/");
    let found = store.problems();
    assert_eq!((found[0].kind, found[0].file.as_str()), (Kind::MissingCommitLog, "commitlog"));
    let beyond = found.iter().filter(|problem| problem.kind == Kind::UnitBeyondEnd).count();
    assert_eq!(beyond, 3, "one run of units for each queue");
}

#[test]
fn a_file_name_that_is_no_offset_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.replace("commitlog/00000000000000008192.copy", &[0; 8192]);
    store.replace("consumequeue/R1/0/notes", b"");
    store.finds(&[
        (Kind::WrongFileName, "commitlog/00000000000000008192.copy", 0),
        (Kind::WrongFileName, "consumequeue/R1/0/notes", 0),
    ]);
}

#[test]
fn two_records_with_one_queue_offset_are_named() {
    let mut store = Damaged::new(CLEAN);
    // R1/1 @32 at 27495, the last record, gets number 31 again, as after the loss of unit 31.
    store.write(LOG[3], 27495 - 24576 + 20, &31_i64.to_be_bytes());
    let found = store.finds(&[(Kind::DuplicateQueueOffset, LOG[3], 2919), (Kind::QueueOffsetMismatch, R1_1_LAST, 240)]);
    assert_eq!(found[0].values["earlier"], "26641");
    assert_eq!((found[1].values["first"].as_str(), found[1].values["found"].as_str()), ("32", "31"));
}
