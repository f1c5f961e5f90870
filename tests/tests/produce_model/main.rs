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
mod halves;
mod judge;
mod ledger;
mod logs;
mod play;
#[path = "../crash_model/rng.rs"]
mod rng;
mod sends;
mod shrink;
mod soak;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::case::Case;

/// How many cases to run.
const CASES: &str = "ROCKETSCOPE_PRODUCE_CASES";
/// The seed from which the cases' own seeds are drawn.
const SEED: &str = "ROCKETSCOPE_PRODUCE_SEED";
/// The seed of one case, to run that alone.
const CASE: &str = "ROCKETSCOPE_PRODUCE_CASE";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = Trial::test("acknowledged_is_stored", || acknowledged_is_stored().map_err(Failed::from));
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

fn acknowledged_is_stored() -> Result<(), String> {
    shrink::keep_panics_quiet();
    if let Some(seed) = number(CASE)? {
        let tally = shrink::run(&Case::random(seed)).map_err(|what| shrink::report(what, seed))?;
        println!("{tally}");
        return Ok(());
    }
    let (cases, seed) = (number(CASES)?.unwrap_or(400), number(SEED)?.unwrap_or(498));
    let tally = soak::soak(cases, seed)?;
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
