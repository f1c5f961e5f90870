//! Damages of the index files.

use rocketscope_engine::store::inspect::ProblemKind as Kind;

use crate::store::{CLEAN, CRASH, Damaged, LOG};

const FIRST: &str = "index/20261129200112163";
/// Entries begin behind the header and 20 slots.
const ENTRIES: usize = 40 + 20 * 4;

#[test]
fn a_deleted_index_is_named_by_the_records_it_is_missing_for() {
    let mut store = Damaged::new(CLEAN);
    store.remove_all("index/");
    let found = store.finds(&[(Kind::RecordNotIndexed, LOG[0], 0)]);
    assert_eq!((found[0].values["count"].as_str(), found[0].values["last"].as_str()), ("130", "27495"));
}

#[test]
fn a_deleted_index_file_in_the_middle_is_named() {
    let mut store = Damaged::new(CLEAN);
    // It held entries for 12403 to 18727; the ends are in its neighbours too, or not.
    store.remove("index/20261129200116483");
    let found = store.finds(&[(Kind::RecordNotIndexed, LOG[1], 12403 - 8192)]);
    // 18727 is the first of the next file.
    assert_eq!(found[0].values["last"], "18509");
}

#[test]
fn every_index_file_is_newer_than_a_checkpoint_of_zero() {
    let mut store = Damaged::new(CRASH);
    store.write("checkpoint", 16, &[0; 8]);
    store.finds(&[
        (Kind::AbortExists, "abort", 0),
        (Kind::IndexNewerThanCheckpoint, "index/20261129200112081", 8),
        (Kind::IndexNewerThanCheckpoint, "index/20261129200112131", 8),
        (Kind::IndexNewerThanCheckpoint, "index/20261129200116419", 8),
        (Kind::IndexNewerThanCheckpoint, "index/20261129200116436", 8),
        (Kind::IndexNewerThanCheckpoint, "index/20261129200122219", 8),
    ]);
}

#[test]
fn an_entry_that_points_nowhere_is_named() {
    let mut store = Damaged::new(CLEAN);
    // Entry 3 is of the record at 198.
    store.write(FIRST, ENTRIES + 3 * 20 + 4, &200_i64.to_be_bytes());
    let found = store.finds(&[(Kind::IndexPointsNowhere, FIRST, (ENTRIES + 60) as u64)]);
    assert_eq!((found[0].values["first"].as_str(), found[0].values["physicalOffset"].as_str()), ("3", "200"));
}

#[test]
fn an_entry_of_a_record_that_does_not_have_the_key_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.write(FIRST, ENTRIES + 3 * 20 + 4, &397_i64.to_be_bytes());
    store.finds(&[(Kind::IndexMismatch, FIRST, (ENTRIES + 60) as u64)]);
}

#[test]
fn an_entry_that_names_a_later_one_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.write(FIRST, ENTRIES + 3 * 20 + 16, &3_i32.to_be_bytes());
    store.finds(&[(Kind::BadIndex, FIRST, (ENTRIES + 60) as u64)]);
}

#[test]
fn a_slot_that_names_no_entry_is_named() {
    let mut store = Damaged::new(CLEAN);
    // The file has entries 1 to 59.
    store.write(FIRST, 40 + 7 * 4, &60_i32.to_be_bytes());
    let found = store.finds(&[(Kind::BadIndex, FIRST, 68)]);
    assert!(found[0].message.contains("slot 7 names entry 60"), "{}", found[0].message);
}

#[test]
fn a_header_that_counts_more_than_there_is_room_for_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.write(FIRST, 36, &61_i32.to_be_bytes());
    store.finds(&[(Kind::BadIndex, FIRST, 36)]);
}
