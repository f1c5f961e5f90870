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
mod rng;
mod running;
mod shrink;
mod soak;
mod start;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::case::Case;

/// How many rounds to run at least.
const ROUNDS: &str = "ROCKETSCOPE_CRASH_ROUNDS";
/// The seed from which the cases' own seeds are drawn.
const SEED: &str = "ROCKETSCOPE_CRASH_SEED";
/// The seed of one case, to run that alone.
const CASE: &str = "ROCKETSCOPE_CRASH_CASE";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = Trial::test("crashes_and_restarts", || crashes_and_restarts().map_err(Failed::from));
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

fn crashes_and_restarts() -> Result<(), String> {
    shrink::keep_panics_quiet();
    if let Some(seed) = number(CASE)? {
        let tally = shrink::run(&Case::random(seed)).map_err(|failure| failure.report(seed))?;
        println!("{tally}");
        return Ok(());
    }
    let (rounds, seed) = (number(ROUNDS)?.unwrap_or(100_000), number(SEED)?.unwrap_or(498));
    let tally = soak::soak(rounds, seed)?;
    println!("seed {seed}: {tally}");
    Ok(())
}

/// A number from the environment, decimal or, behind `0x`, hexadecimal.
fn number(variable: &str) -> Result<Option<u64>, String> {
    let Ok(text) = std::env::var(variable) else { return Ok(None) };
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map(Some).map_err(|error| format!("{variable}={text}: {error}"))
}
