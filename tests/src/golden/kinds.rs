//! Which checks the shape of a case calls for.

use super::archive::Case;
use super::{cleaning, inspecting, reading, recovering, writing};

/// A check of one case: its differences, one a line.
pub type Check = fn(&Case) -> Result<(), String>;

/// The checks that `case` calls for, by name; none when it is not about writing and reading.
pub fn checks(case: &Case) -> Vec<(&'static str, Check)> {
    let expected = &case.expected;
    let mut checks: Vec<(&'static str, Check)> = Vec::new();
    if !expected.puts.is_empty() && (expected.snapshot.is_some() || !expected.snapshots.is_empty()) {
        checks.push(("replay", writing::replay_memory));
        checks.push(("replay_file", writing::replay_file));
        if expected.stopped().is_none() {
            checks.push(("process_kill", writing::process_kill));
        } else {
            let cleaned = expected.stage(cleaning::LOG_CLEANED).is_some();
            let stop = if cleaned { cleaning::clean_and_shut_down } else { writing::clean_shutdown };
            checks.push(("clean_shutdown", stop));
            checks.push(("read_memory", reading::read_memory));
            checks.push(("read_file", reading::read_file));
            checks.push(("inspect", inspecting::inspect));
        }
    }
    if expected.load_result.is_some() {
        checks.push(("recovery", recovering::recovery));
        if !expected.probe_puts.is_empty() {
            checks.push(("probe", recovering::probe));
        }
    }
    if !expected.phases.is_empty() {
        checks.push(("phases", recovering::phases));
    }
    checks
}
