//! `cargo xtask soak`: crashes and restarts of the store, and whole clusters that go wrong, for as long as one likes.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use crate::command::Cmd;
use crate::say;
use crate::workspace::Workspace;

/// Rounds of the crash model for each case of the produce model and of the consume model: each takes about a third of the
/// time.
const ROUNDS_A_CASE: u64 = 50;

/// Runs at least `rounds` rounds of the crash model, and cases of the produce model and the consume model for about as long; without a seed each
/// call runs others.
pub(crate) fn soak(workspace: &Workspace, rounds: u64, seed: Option<u64>) -> Result<()> {
    let seed = match seed {
        Some(seed) => seed,
        // The low digits of the time are as good as any number; the clock being wrong does no harm.
        None => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64 % 1_000_000,
    };
    say::note(&format!("{rounds} rounds; the same again: cargo xtask soak --rounds {rounds} --seed {seed}"));
    let test = |name: &str| {
        let args = ["test", "--release", "--locked", "--package", "rocketscope-tests", "--test", name];
        Cmd::cargo().dir(&workspace.root).args(args)
    };
    test("crash_model")
        .env("ROCKETSCOPE_CRASH_ROUNDS", rounds.to_string())
        .env("ROCKETSCOPE_CRASH_SEED", seed.to_string())
        .run()?;
    for (name, prefix) in [("produce_model", "ROCKETSCOPE_PRODUCE"), ("consume_model", "ROCKETSCOPE_CONSUME")] {
        test(name)
            .env(format!("{prefix}_CASES"), rounds.div_ceil(ROUNDS_A_CASE).to_string())
            .env(format!("{prefix}_SEED"), seed.to_string())
            .run()?;
    }
    Ok(())
}
