//! Which checks the shape of a case calls for.

use super::archive::Case;
use super::{broker, cleaning, inspecting, reading, recovering, writing};

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
    if case.file(broker::WIRE).is_some() {
        checks.push(("replay", broker::replay));
        checks.push(("read_memory", reading::read_memory));
        checks.push(("read_file", reading::read_file));
        checks.push(("inspect", inspecting::inspect));
    }
    match expected.load_result {
        Some(true) => {
            checks.push(("recovery", recovering::recovery));
            checks.push(("recovery_file", recovering::recovery_file));
        }
        Some(false) => checks.push(("refusal", recovering::refusal)),
        None => {}
    }
    if !expected.probe_puts.is_empty() {
        checks.push(("probe", recovering::probe));
    }
    if !expected.phases.is_empty() {
        checks.push(("phases", recovering::phases));
    }
    checks
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::golden::archive::{EXPECTED, Tree, read_files};

    /// The differences that a check finds in the case basic after a change of its files.
    fn differences(kind: &str, change: impl FnOnce(&mut Tree)) -> String {
        let mut files = read_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/basic.zip")).unwrap();
        change(&mut files);
        let case = Case::new("basic".into(), files).unwrap();
        let (_, check) = checks(&case).into_iter().find(|(name, _)| *name == kind).unwrap();
        check(&case).expect_err("a difference")
    }

    /// Writes other words in `expected.json`.
    fn reword(files: &mut Tree, from: &str, to: &str) {
        let text = String::from_utf8(files[EXPECTED].clone()).unwrap();
        assert!(text.contains(from), "{from} is not there to be changed");
        files.insert(EXPECTED.into(), text.replacen(from, to, 1).into_bytes());
    }

    #[test]
    fn a_changed_byte_is_named_with_its_record() {
        // The first record of the case is 149 bytes long; its body begins at 88.
        let text = differences("clean_shutdown", |files| {
            files.get_mut("store/commitlog/00000000000000000000").unwrap()[88] ^= 1;
        });
        assert_eq!(
            text,
            "commitlog/00000000000000000000: byte 88 is the first of 1 that differ (record at 0 of the file, body): \
             expected 69656c6c6f20726f.., got 68656c6c6f20726f.."
        );
    }

    #[test]
    fn a_changed_answer_is_named_with_its_call() {
        let text = differences("replay", |files| reword(files, "\"wroteBytes\": 149", "\"wroteBytes\": 150"));
        assert_eq!(text, "puts[0] (TopicA-0).wroteBytes: expected 150, got 149");
    }

    #[test]
    fn a_directory_that_is_damaged_does_not_read_the_same() {
        let text = differences("inspect", |files| {
            files.get_mut("store/consumequeue/TopicA/0/00000000000000000000").unwrap()[7] ^= 1;
        });
        assert!(text.starts_with("queue TopicA-0.entries[0][1]: expected 0, got 1"), "{text}");
    }
}
