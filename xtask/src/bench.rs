//! `cargo xtask bench`: the benchmarks, each beside its limit.

use anyhow::Result;

use crate::command::Cmd;
use crate::workspace::Workspace;

/// Runs every criterion benchmark; `filter` and criterion's other arguments are handed on.
pub(crate) fn bench(workspace: &Workspace, filter: &[String]) -> Result<()> {
    // Packages without benchmarks are left out: cargo would run their unit tests as benchmarks.
    Cmd::cargo()
        .dir(&workspace.root)
        .args(["bench", "--locked", "--workspace", "--exclude", "rocketscope-web", "--exclude", "xtask"])
        .args(["--bench", "*", "--"])
        .args(filter)
        .run()
}
