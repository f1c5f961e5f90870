//! One damage, and the problems that must be found in the store then.
//!
//! The stores are two that the real 4.9.8 wrote (`stores/README.md`); where its records, units and entries lie was
//! read off its own dump of them. Each test names all problems by kind, file and position.

mod bytes;
mod index;
mod log;
mod pictures;
mod queues;
mod store;

use rocketscope_engine::store::inspect::ProblemKind as Kind;
use store::{CLEAN, CRASH, Damaged};

#[test]
fn a_store_that_was_stopped_cleanly_has_no_problem() {
    Damaged::new(CLEAN).finds(&[]);
}

#[test]
fn a_store_that_was_killed_says_so_and_names_the_index_file_that_a_start_deletes() {
    Damaged::new(CRASH)
        .finds(&[(Kind::AbortExists, "abort", 0), (Kind::IndexNewerThanCheckpoint, "index/20261129200122219", 8)]);
}

#[test]
fn config_that_is_no_json_is_named_with_its_place() {
    let mut store = Damaged::new(CLEAN);
    // The object is not closed: the text ends on line 2 behind `}`.
    store.replace("config/delayOffset.json", b"{\n\t\"offsetTable\":{}");
    let found = store.finds(&[(Kind::BadConfig, "config/delayOffset.json", 19)]);
    assert_eq!(found[0].values["line"], "2");
    assert_eq!(found[0].values["column"], "18");
}

#[test]
fn an_empty_config_file_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.replace("config/delayOffset.json", b"");
    store.finds(&[(Kind::BadConfig, "config/delayOffset.json", 0)]);
}

#[test]
fn a_missing_checkpoint_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.remove("checkpoint");
    store.finds(&[(Kind::BadCheckpoint, "checkpoint", 0)]);
}

#[test]
fn a_checkpoint_too_short_for_its_times_is_named() {
    let mut store = Damaged::new(CLEAN);
    store.replace("checkpoint", &[0; 23]);
    let found = store.finds(&[(Kind::BadCheckpoint, "checkpoint", 0)]);
    assert!(found[0].message.contains("too short"), "{}", found[0].message);
}

#[test]
fn a_checkpoint_newer_than_every_record_is_named() {
    let mut store = Damaged::new(CRASH);
    // indexMsgTimestamp of the case index-older-than-checkpoint: 2^52.
    store.write("checkpoint", 16, &(1_i64 << 52).to_be_bytes());
    store.finds(&[(Kind::AbortExists, "abort", 0), (Kind::CheckpointAhead, "checkpoint", 16)]);
}

#[test]
fn units_make_one_problem_only_with_their_neighbours() {
    let mut store = Damaged::new(CLEAN);
    // Every second unit of two files points one byte too far, into its record.
    for path in ["consumequeue/R1/0/00000000000000000000", "consumequeue/R2/0/00000000000000000000"] {
        for unit in (0..20).step_by(2) {
            store.add(path, unit * 20 + 7, 1);
        }
    }
    let problems = store.problems();
    let inside = problems.iter().filter(|problem| problem.kind == Kind::UnitInsideRecord).count();
    assert_eq!(inside, 20, "each unit by itself, since its neighbours are sound");
}
