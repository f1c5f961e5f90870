//! `cargo xtask soak`: crashes and restarts of the store, for as long as one likes.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use crate::command::Cmd;
use crate::say;
use crate::workspace::Workspace;

/// Runs at least `rounds` rounds of the crash model; without a seed each call runs others.
pub(crate) fn soak(workspace: &Workspace, rounds: u64, seed: Option<u64>) -> Result<()> {
    let seed = match seed {
        Some(seed) => seed,
        // The low digits of the time are as good as any number; the clock being wrong does no harm.
        None => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64 % 1_000_000,
    };
    say::note(&format!("{rounds} rounds; the same again: cargo xtask soak --rounds {rounds} --seed {seed}"));
    Cmd::cargo()
        .dir(&workspace.root)
        .args(["test", "--release", "--locked", "--package", "rocketscope-tests", "--test", "crash_model"])
        .env("ROCKETSCOPE_CRASH_ROUNDS", rounds.to_string())
        .env("ROCKETSCOPE_CRASH_SEED", seed.to_string())
        .run()
}
