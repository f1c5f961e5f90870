//! Producing, whatever goes wrong: random clusters, sends of every kind, faults of every kind, and then everything heals.
//!
//! A case is a cluster and a list of things that happen to it. Its messages are numbered, so the judge knows each by its
//! key. At the end, when all nodes run and all links stand again, he asks what a user would: is every message that was
//! acknowledged stored, can consumers see it, is it the one that was sent, was no message to be seen before its time or
//! before its transaction was committed, and has every transaction come to an end? Where the answer is no it must be by a
//! rule of 4.9.8, which `exception.rs` names, and each is counted under its name.
//!
//! Everything comes from a seed. A failure is shrunk and printed with the command that replays it. `cargo xtask soak`
//! runs more of them.

mod case;
mod cluster;
mod ends;
mod exception;
mod faults;
mod halves;
mod judge;
mod ledger;
mod logs;
mod play;
mod sends;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use rocketscope_tests::cases;

use crate::case::Case;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        Trial::test("acknowledged_is_stored", || cases::run::<Case>().map_err(Failed::from)),
        Trial::test("wrong_runs_are_found", || faults::are_found().map_err(Failed::from)),
        Trial::test("what_4_9_8_allows_is_excused", || faults::are_excused().map_err(Failed::from)),
        Trial::test("early_ends_are_found", || faults::early_ends_are_found().map_err(Failed::from)),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}
