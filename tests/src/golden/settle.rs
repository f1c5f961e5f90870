//! Snapshots compared, without what no recording decides.

use std::collections::BTreeSet;

use super::diff::Report;
use super::expected::{Checkpoint, DiskState, LogEntry, Snapshot};
use super::tree::stable_name;

/// Compares a picture of our store with the recorded one. Not compared:
///
/// - stage and time of the picture, and the names of index files (their order and content are);
/// - `dispatchBehindBytes` between load and start;
/// - the checkpoint's `logicsMsgTimestamp` on the disk, where it is later than ours: a full index file is flushed, and
///   the checkpoint with it, by a thread of its own while dispatch goes on. It must be a record's store time;
/// - of a store that has run for a while, `flushedWhere` and the checkpoint's `physicMsgTimestamp`: which rounds of the
///   flush service had run is not recorded. The timestamp must not be later than the last dispatched record's.
pub fn compare_snapshots(report: &mut Report, what: &str, expected: &Snapshot, actual: &Snapshot) {
    let mut expected = expected.clone();
    let mut actual = actual.clone();
    name_by_order(&mut expected);
    name_by_order(&mut actual);
    let times = store_times(&actual);
    if expected.stage.ends_with("afterLoad") {
        expected.dispatch_behind_bytes = actual.dispatch_behind_bytes;
    }
    if let (Some(expected), Some(actual)) = (&mut expected.disk.checkpoint, &actual.disk.checkpoint)
        && expected.logics_msg_timestamp > actual.logics_msg_timestamp
        && times.contains(&expected.logics_msg_timestamp)
    {
        expected.logics_msg_timestamp = actual.logics_msg_timestamp;
    }
    if !FRESH_STAGES.iter().any(|stage| expected.stage.ends_with(stage)) {
        expected.flushed_where = actual.flushed_where;
        let latest = actual.checkpoint_in_memory.logics_msg_timestamp.max(times.last().copied().unwrap_or_default());
        settle_physic(report, what, latest, &mut expected.checkpoint_in_memory, &actual.checkpoint_in_memory);
        if let (Some(expected), Some(actual)) = (&mut expected.disk.checkpoint, &actual.disk.checkpoint) {
            settle_physic(report, what, latest, expected, actual);
        }
    }
    actual.stage.clone_from(&expected.stage);
    actual.taken_at = expected.taken_at;
    if expected.commit_log.is_none() {
        actual.commit_log = None;
    }
    for entry in expected.commit_log.iter_mut().chain(&mut actual.commit_log).flatten() {
        if let LogEntry::Bad(words) = entry {
            *words = "no record".into();
        }
    }
    report.compare(what, &expected, &actual);
}

/// Stages of a store that was only just opened: no flush service has done anything yet.
const FRESH_STAGES: [&str; 3] = ["afterLoad", "afterStart", "afterRestart_onAnotherCopy"];

/// Compares a directory's list after a clean shutdown, without names of index files and, where several commit log
/// files were written, without the checkpoint's `physicMsgTimestamp`.
pub fn compare_disk_states(report: &mut Report, what: &str, expected: &DiskState, actual: &DiskState) {
    let mut expected = expected.clone();
    let mut actual = actual.clone();
    rename_index_files(&mut expected);
    rename_index_files(&mut actual);
    if several_log_files(&expected)
        && let (Some(expected), Some(actual)) = (&mut expected.checkpoint, &actual.checkpoint)
    {
        expected.physic_msg_timestamp = actual.physic_msg_timestamp;
    }
    report.compare(what, &expected, &actual);
}

/// Whether more than one commit log file is there: then the checkpoint's `physicMsgTimestamp` follows flush rounds.
pub fn several_log_files(disk: &DiskState) -> bool {
    disk.files.keys().filter(|path| path.starts_with("commitlog/")).count() > 1
}

/// Takes over our `physicMsgTimestamp`, after a look whether both can be.
fn settle_physic(report: &mut Report, what: &str, latest: i64, expected: &mut Checkpoint, actual: &Checkpoint) {
    for checkpoint in [*expected, *actual] {
        let physic = checkpoint.physic_msg_timestamp;
        if physic > latest {
            report.add(format!("{what}: physicMsgTimestamp {physic} is later than the last store time, {latest}"));
        }
    }
    expected.physic_msg_timestamp = actual.physic_msg_timestamp;
}

fn store_times(snapshot: &Snapshot) -> BTreeSet<i64> {
    let entries = snapshot.commit_log.iter().flatten();
    entries
        .filter_map(|entry| match entry {
            LogEntry::Record(record) => Some(record.store_timestamp),
            LogEntry::Blank { .. } | LogEntry::Bad(_) => None,
        })
        .collect()
}

fn name_by_order(snapshot: &mut Snapshot) {
    for (index, file) in snapshot.index_files.iter_mut().enumerate() {
        file.file = format!("#{}", index + 1);
    }
    rename_index_files(&mut snapshot.disk);
}

fn rename_index_files(disk: &mut DiskState) {
    let mut seen = 0;
    let files = std::mem::take(&mut disk.files);
    disk.files = files.into_iter().map(|(path, len)| (stable_name(&path, &mut seen), len)).collect();
}
