//! The store against a model, through crashes of every kind.
//!
//! A case is a store of small files that is put to, crashed and started again, twenty times. Every operation is done to
//! the store and to a model that follows the description of 4.9.8 in plain vectors; every crash leaves both the same
//! bytes; after every start all numbers and all bytes are compared. Then the judge asks what a user would: is what was
//! acknowledged still there, does every record have its unit, is a damaged body ever taken for a whole one? Where the
//! answer is no it must be by a rule of 4.9.8, which `exception.rs` names, and each is counted under its name.
//!
//! Everything comes from a seed. A failure is shrunk and printed with the command that replays it. `cargo xtask soak`
//! runs a million rounds and more.

mod case;
mod crash;
mod drafts;
mod exception;
mod files;
mod images;
mod judge;
mod model;
mod queue;
mod rig;
mod running;
mod shrink;
mod soak;
mod start;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use rocketscope_tests::soak::Soak;

use crate::case::Case;

/// How the environment steers this test.
const SOAK: Soak = Soak { prefix: "ROCKETSCOPE_CRASH", amount: "ROUNDS", usual: 100_000 };

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = Trial::test("crashes_and_restarts", || crashes_and_restarts().map_err(Failed::from));
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

fn crashes_and_restarts() -> Result<(), String> {
    shrink::keep_panics_quiet();
    SOAK.run(|seed| shrink::run(&Case::random(seed)).map_err(|failure| failure.report(seed)), soak::soak)
}
