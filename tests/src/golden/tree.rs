//! Directories compared byte for byte; a difference says which byte of which record, unit or entry it is.

use rocketscope_engine::message::record;
use serde_json::Value;

use super::archive::{Case, Tree};
use super::diff::Report;
use super::records;
use super::run::config;

/// Sizes needed to say what a byte belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Slots of an index file (`maxHashSlotNum`).
    pub slots: usize,
}

impl Layout {
    /// The sizes that the case was recorded with.
    pub fn of(case: &Case) -> Result<Self, String> {
        Ok(Self { slots: usize::try_from(config(case)?.max_hash_slot_num).unwrap_or_default() })
    }
}

/// What of two directories is not compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Except {
    /// The checkpoint's `physicMsgTimestamp`, where it depends on which flush rounds happened to run.
    pub physic_msg_timestamp: bool,
}

/// Notes every file that is missing, extra, of another length or with other bytes. Index files are paired by their
/// order, since their names are moments of a clock that is not recorded.
pub fn compare(report: &mut Report, expected: &Tree, actual: &Tree, layout: Layout, except: Except) {
    let expected = without_clock_names(expected);
    let actual = without_clock_names(actual);
    for (path, (name, wanted)) in &expected {
        match actual.get(path) {
            None => report.add(format!("{path} ({name}): missing, {} bytes expected", wanted.len())),
            Some((_, got)) => compare_file(report, path, wanted, got, layout, except),
        }
    }
    for (path, (name, got)) in actual.iter().filter(|(path, _)| !expected.contains_key(*path)) {
        report.add(format!("{path} ({name}): {} bytes, not expected to be there", got.len()));
    }
}

/// Path with every index file's name replaced by its place among them, to the real path and the content.
fn without_clock_names(tree: &Tree) -> std::collections::BTreeMap<String, (&str, &[u8])> {
    let mut seen = 0;
    tree.iter()
        .map(|(path, content)| {
            let stable = stable_name(path, &mut seen);
            (stable, (path.as_str(), content.as_slice()))
        })
        .collect()
}

/// `index/<moment>` as `index/#<n>`, n counted in `seen`; any other path unchanged. To be called in order of the paths.
pub fn stable_name(path: &str, seen: &mut usize) -> String {
    if !path.starts_with("index/") {
        return path.to_owned();
    }
    *seen += 1;
    format!("index/#{seen}")
}

fn compare_file(report: &mut Report, path: &str, expected: &[u8], actual: &[u8], layout: Layout, except: Except) {
    if expected.len() != actual.len() {
        report.add(format!("{path}: expected {} bytes, got {}", expected.len(), actual.len()));
    }
    let skipped = if path == "checkpoint" && except.physic_msg_timestamp { 0..8 } else { 0..0 };
    let differs = |at: &usize| !skipped.contains(at) && expected.get(*at) != actual.get(*at);
    let common = 0..expected.len().min(actual.len());
    let Some(first) = common.clone().find(differs) else { return };
    let count = common.filter(differs).count();
    let expected_bytes = first_bytes(expected.get(first..).unwrap_or_default());
    let actual_bytes = first_bytes(actual.get(first..).unwrap_or_default());
    let owner = owner_of(path, expected, first, layout);
    report.add(format!(
        "{path}: byte {first} is the first of {count} that differ ({owner}): expected {expected_bytes}, got {actual_bytes}"
    ));
}

fn first_bytes(bytes: &[u8]) -> String {
    match bytes.split_at_checked(8) {
        Some((shown, [_, ..])) => records::hex(shown) + "..",
        _ => records::hex(bytes),
    }
}

/// What byte `at` of the file belongs to.
fn owner_of(path: &str, bytes: &[u8], at: usize, layout: Layout) -> String {
    let folder = path.split('/').next().unwrap_or_default();
    match folder {
        "commitlog" => record_of(bytes, at),
        "consumequeue" => format!("unit {} of the file, {}", at / 20, field_at(&UNIT_FIELDS, at % 20)),
        "index" => index_place(at, layout.slots),
        "checkpoint" => field_at(&CHECKPOINT_FIELDS, at),
        _ => "text".to_owned(),
    }
}

const UNIT_FIELDS: [(usize, &str); 3] = [(0, "physical offset"), (8, "size"), (12, "tagsCode")];
const CHECKPOINT_FIELDS: [(usize, &str); 4] =
    [(0, "physicMsgTimestamp"), (8, "logicsMsgTimestamp"), (16, "indexMsgTimestamp"), (24, "unused")];
const HEADER_FIELDS: [(usize, &str); 6] = [
    (0, "beginTimestamp"),
    (8, "endTimestamp"),
    (16, "beginPhyOffset"),
    (24, "endPhyOffset"),
    (32, "hashSlotCount"),
    (36, "indexCount"),
];
const ENTRY_FIELDS: [(usize, &str); 4] = [(0, "keyHash"), (4, "phyOffset"), (12, "timeDiff"), (16, "prevIndex")];

fn field_at(fields: &[(usize, &str)], at: usize) -> String {
    fields.iter().rev().find(|(start, _)| *start <= at).map_or_else(String::new, |(_, name)| (*name).to_owned())
}

fn index_place(at: usize, slots: usize) -> String {
    let entries = 40 + slots * 4;
    if at < 40 {
        format!("header, {}", field_at(&HEADER_FIELDS, at))
    } else if at < entries {
        format!("slot {}", (at - 40) / 4)
    } else {
        format!("entry {}, {}", (at - entries) / 20, field_at(&ENTRY_FIELDS, (at - entries) % 20))
    }
}

/// The record that byte `at` of a commit-log file lies in, found by walking the file, and the field.
fn record_of(bytes: &[u8], at: usize) -> String {
    let int = |at: usize| Some(i32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let mut start = 0;
    while let (Some(size), Some(magic)) = (int(start), int(start + 4)) {
        let Some(end) = usize::try_from(size).ok().filter(|size| *size > 0).map(|size| start + size) else { break };
        if at < end {
            let kind = if magic == record::BLANK_MAGIC { "blank record" } else { "record" };
            let field = bytes.get(start..end.min(bytes.len())).and_then(|bytes| record_field(bytes, at - start));
            return format!("{kind} at {start} of the file, {}", field.unwrap_or_else(|| "body of the blank".into()));
        }
        start = end;
    }
    format!("no record: behind the last one, which ends at {start} of the file")
}

fn record_field(record: &[u8], at: usize) -> Option<String> {
    let field = record::fields(record)
        .into_iter()
        .find(|field| (field.start..field.start + field.len).contains(&(at as u32)))?;
    match serde_json::to_value(field.name) {
        Ok(Value::String(name)) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout { slots: 10 };

    fn tree(files: &[(&str, &[u8])]) -> Tree {
        files.iter().map(|(path, content)| ((*path).to_owned(), content.to_vec())).collect()
    }

    fn differences(expected: &[(&str, &[u8])], actual: &[(&str, &[u8])], except: Except) -> Result<(), String> {
        let mut report = Report::default();
        compare(&mut report, &tree(expected), &tree(actual), LAYOUT, except);
        report.finish()
    }

    #[test]
    fn index_files_are_paired_by_order() {
        let real: &[(&str, &[u8])] = &[("index/20261129195133464", b"a"), ("index/20261129195133465", b"b")];
        let ours: &[(&str, &[u8])] = &[("index/20270101000000000", b"a"), ("index/20270101000000001", b"b")];
        assert_eq!(differences(real, ours, Except::default()), Ok(()));
    }

    #[test]
    fn missing_and_extra_files_differ() {
        let text = differences(&[("lock", b"lock")], &[("abort", b"")], Except::default()).unwrap_err();
        assert_eq!(text, "lock (lock): missing, 4 bytes expected\nabort (abort): 0 bytes, not expected to be there");
    }

    #[test]
    fn a_byte_is_placed_in_its_unit() {
        let mut ours = [0; 60];
        ours[33] = 7;
        let path = "consumequeue/T/0/00000000000000000000";
        let text = differences(&[(path, &[0; 60])], &[(path, &ours)], Except::default()).unwrap_err();
        assert_eq!(
            text,
            "consumequeue/T/0/00000000000000000000: byte 33 is the first of 1 that differ (unit 1 of the file, tagsCode): \
             expected 0000000000000000.., got 0700000000000000.."
        );
    }

    #[test]
    fn a_byte_is_placed_in_an_index_entry() {
        // 40 bytes of header and 10 slots of 4: entry 2 begins at 120.
        assert_eq!(index_place(120 + 4, 10), "entry 2, phyOffset");
        assert_eq!(index_place(44, 10), "slot 1");
        assert_eq!(index_place(36, 10), "header, indexCount");
    }

    #[test]
    fn only_the_physic_timestamp_is_excepted() {
        let mut ours = [0; 4096];
        ours[7] = 1;
        let except = Except { physic_msg_timestamp: true };
        assert_eq!(differences(&[("checkpoint", &[0; 4096])], &[("checkpoint", &ours)], except), Ok(()));
        ours[15] = 1;
        let text = differences(&[("checkpoint", &[0; 4096])], &[("checkpoint", &ours)], except).unwrap_err();
        assert!(text.starts_with("checkpoint: byte 15 is the first of 1 that differ (logicsMsgTimestamp)"), "{text}");
    }
}
