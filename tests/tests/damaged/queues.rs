//! Damages of the queues.

use rocketscope_engine::store::inspect::ProblemKind as Kind;

use crate::store::{CLEAN, CRASH, Damaged, LOG};

const R1_0: [&str; 4] = [
    "consumequeue/R1/0/00000000000000000000",
    "consumequeue/R1/0/00000000000000000400",
    "consumequeue/R1/0/00000000000000000800",
    "consumequeue/R1/0/00000000000000001200",
];

#[test]
fn queues_deleted_after_a_clean_stop_are_rebuilt_whole_by_the_next_start() {
    let mut store = Damaged::new(CLEAN);
    store.remove_all("consumequeue/");
    let found = store.finds(&[
        (Kind::RecordNotDispatched, LOG[0], 0),
        (Kind::RecordNotDispatched, LOG[0], 198),
        (Kind::RecordNotDispatched, LOG[0], 597),
    ]);
    assert_eq!((found[0].values["count"].as_str(), found[0].values["from"].as_str()), ("65", "0"));
}

/// What the real store had after its start: R1/0 without 20 units, R1/1 without 10, R2/0 without 9.
#[test]
fn queues_deleted_after_a_crash_are_rebuilt_from_the_file_that_the_checkpoint_chooses() {
    let mut store = Damaged::new(CRASH);
    store.remove_all("consumequeue/");
    let found = store.finds(&[
        (Kind::RecordWithoutUnit, LOG[0], 0),
        (Kind::RecordWithoutUnit, LOG[0], 198),
        (Kind::RecordWithoutUnit, LOG[0], 597),
        (Kind::RecordNotDispatched, LOG[1], 0),
        (Kind::RecordNotDispatched, LOG[1], 216),
        (Kind::RecordNotDispatched, LOG[1], 433),
        (Kind::AbortExists, "abort", 0),
        (Kind::IndexNewerThanCheckpoint, "index/20261129200122219", 8),
    ]);
    let counts: Vec<_> = found[..3].iter().map(|problem| problem.values["count"].as_str()).collect();
    assert_eq!(counts, ["20", "10", "9"]);
    assert_eq!(found[3].values["from"], "8192");
}

#[test]
fn the_last_file_of_one_queue_deleted_after_a_clean_stop_is_never_rebuilt() {
    let mut store = Damaged::new(CLEAN);
    store.remove(R1_0[3]);
    // R1/0 @60 is at 25596.
    let found = store.finds(&[(Kind::RecordWithoutUnit, LOG[3], 1020)]);
    assert_eq!((found[0].values["first"].as_str(), found[0].values["last"].as_str()), ("60", "64"));
    // R1/1 @32 at 27495, 216 bytes, is the last that has a unit.
    assert_eq!(found[0].values["from"], "27711");
}

#[test]
fn the_last_file_of_one_queue_deleted_after_a_crash_is_rebuilt() {
    let mut store = Damaged::new(CRASH);
    store.remove(R1_0[3]);
    store.finds(&[
        (Kind::RecordNotDispatched, LOG[3], 1020),
        (Kind::AbortExists, "abort", 0),
        (Kind::IndexNewerThanCheckpoint, "index/20261129200122219", 8),
    ]);
}

#[test]
fn a_file_missing_in_the_middle_of_a_queue_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.remove(R1_0[1]);
    let found = store.finds(&[(Kind::MissingFile, R1_0[1], 0), (Kind::RecordWithoutUnit, LOG[1], 216)]);
    assert_eq!((found[1].values["first"].as_str(), found[1].values["last"].as_str()), ("20", "39"));
}

#[test]
fn a_unit_that_points_into_a_record_is_named_with_where_the_record_begins() {
    let mut store = Damaged::new(CLEAN);
    // Unit 2 of R1/0 points at 798.
    store.write(R1_0[0], 40, &800_i64.to_be_bytes());
    let found = store.finds(&[(Kind::UnitInsideRecord, R1_0[0], 40), (Kind::RecordWithoutUnit, LOG[0], 798)]);
    assert_eq!((found[0].values["physicalOffset"].as_str(), found[0].values["record"].as_str()), ("800", "798"));
}

#[test]
fn a_unit_that_points_into_a_blank_is_named() {
    let mut store = Damaged::new(CLEAN);
    // The blank of the first file is at 8153.
    store.write(R1_0[0], 40, &8160_i64.to_be_bytes());
    store.finds(&[(Kind::UnitPointsNowhere, R1_0[0], 40), (Kind::RecordWithoutUnit, LOG[0], 798)]);
}

#[test]
fn a_unit_that_points_at_the_record_of_another_queue_is_named() {
    let mut store = Damaged::new(CLEAN);
    // R2/0 @0 is at 597, of 201 bytes; unit 2 of R1/0 now names it.
    store.write(R1_0[0], 40, &597_i64.to_be_bytes());
    store.write(R1_0[0], 48, &201_i32.to_be_bytes());
    store.finds(&[(Kind::UnitMismatch, R1_0[0], 40), (Kind::RecordWithoutUnit, LOG[0], 798)]);
}

#[test]
fn a_unit_with_a_wrong_size_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.add(R1_0[0], 51, 1);
    let found = store.finds(&[(Kind::UnitMismatch, R1_0[0], 40)]);
    // 202 bytes is the record's own size.
    assert_eq!(found[0].values["size"], "202");
}

#[test]
fn units_in_the_wrong_slots_are_one_problem() {
    let mut store = Damaged::new(CLEAN);
    // The last file of R1/0, units 60 to 64, as if units 58 and 59 had been lost before they were written: the file
    // before ends two units earlier, and everything moved up.
    let last = store.bytes(R1_0[3], 0, 100);
    store.write(R1_0[2], 360, &last[..40]);
    store.write(R1_0[3], 0, &[last[40..].to_vec(), vec![0; 40]].concat());
    let found = store.finds(&[
        (Kind::QueueOffsetMismatch, R1_0[2], 360),
        // R1/0 @58 and @59 have no unit any more.
        (Kind::RecordWithoutUnit, LOG[3], found_at(58)),
    ]);
    assert_eq!((found[0].values["first"].as_str(), found[0].values["last"].as_str()), ("58", "62"));
    assert_eq!(found[0].values["found"], "60");
    assert_eq!(found[1].values["count"], "2");
}

/// Position of R1/0 @58 in the last commit log file: from the dump of the store.
fn found_at(queue_offset: u64) -> u64 {
    assert_eq!(queue_offset, 58);
    24778 - 24576
}

#[test]
fn a_unit_lost_in_the_middle_hides_all_behind_it() {
    let mut store = Damaged::new(CLEAN);
    // Unit 62, the third of the last file.
    store.write(R1_0[3], 40, &[0; 20]);
    let found = store.finds(&[
        // R1/0 @62 is at 26430.
        (Kind::RecordWithoutUnit, LOG[3], 1854),
        (Kind::StaleUnits, R1_0[3], 60),
    ]);
    assert_eq!((found[1].values["end"].as_str(), found[1].values["count"].as_str()), ("62", "2"));
}

#[test]
fn a_queue_file_of_another_length_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.resize(R1_0[3], 399);
    store.finds(&[(Kind::WrongFileLength, R1_0[3], 399)]);
}

#[test]
fn a_queue_file_between_two_multiples_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.rename(R1_0[3], "consumequeue/R1/0/00000000000000001220");
    let found = store.problems();
    assert!(
        found
            .iter()
            .any(|problem| problem.kind == Kind::WrongFileName
                && problem.file == "consumequeue/R1/0/00000000000000001220"),
        "{found:#?}"
    );
}

#[test]
fn filler_before_the_first_unit_is_no_problem_of_its_own() {
    let mut store = Damaged::new(CLEAN);
    // As 4.9.8 rebuilds a queue whose head is lost: 0, 0x7FFFFFFF, 0.
    let filler = [&0_i64.to_be_bytes()[..], &i32::MAX.to_be_bytes(), &0_i64.to_be_bytes()].concat();
    for unit in 0..3 {
        store.write(R1_0[0], unit * 20, &filler);
    }
    let found = store.finds(&[(Kind::RecordWithoutUnit, LOG[0], 0)]);
    assert_eq!(found[0].values["count"], "3");
}
