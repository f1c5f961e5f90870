//! The puts again, into an empty store.

use rocketscope_engine::disk::native::FileDisk;
use rocketscope_engine::disk::{Disk, MemoryDisk};

use super::archive::{Case, Tree};
use super::diff::Report;
use super::dump::{disk_state, snapshot, tree};
use super::expected::Snapshot;
use super::reads::{get_messages, index_queries, look_messages, offsets_by_time};
use super::run::Run;
use super::settle::{compare_disk_states, compare_snapshots, several_log_files};
use super::tree::{Except, Layout, compare};

/// Every put in memory: its answer, the store after all of them, and what it then answers.
pub fn replay_memory(case: &Case) -> Result<(), String> {
    let mut report = Report::default();
    replay(case, MemoryDisk::new(), &mut report)?;
    report.finish()
}

/// The same in mapped files, with the clean shutdown.
pub fn replay_file(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|cause| cause.to_string())?;
    let disk = FileDisk::open(folder.path()).map_err(|cause| cause.to_string())?;
    let mut report = Report::default();
    let mut run = replay(case, disk, &mut report)?;
    if case.expected.snapshot.is_some() && case.expected.stopped().is_some() {
        run.shutdown()?;
        compare_stopped(case, &mut report, run.store.disk())?;
    }
    report.finish()
}

/// Every put in memory, then the clean shutdown: every byte on the disk.
pub fn clean_shutdown(case: &Case) -> Result<(), String> {
    let mut report = Report::default();
    let mut run = replay(case, MemoryDisk::new(), &mut Report::default())?;
    run.shutdown()?;
    compare_stopped(case, &mut report, run.store.disk())?;
    report.finish()
}

/// Every put in memory, then the end of the process: every byte on the disk but the checkpoint's, which was flushed at
/// moments that are not recorded.
pub fn process_kill(case: &Case) -> Result<(), String> {
    let mut report = Report::default();
    let run = replay(case, MemoryDisk::new(), &mut Report::default())?;
    let mut expected = store_tree(case)?;
    let mut actual = tree(run.store.disk());
    expected.remove("checkpoint");
    actual.remove("checkpoint");
    compare(&mut report, &expected, &actual, Layout::of(case)?, Except::default());
    report.finish()
}

/// Puts everything and compares each answer, the first picture taken, and the reads that belong to it.
pub(super) fn replay<D: Disk>(case: &Case, disk: D, report: &mut Report) -> Result<Run<D>, String> {
    let expected = &case.expected;
    let first = expected.puts.iter().find_map(|put| put.output.store_timestamp).unwrap_or_default();
    let mut run = Run::load(disk, case, first)?;
    run.start()?;
    run.put_all(report, "puts", &expected.puts)?;
    if let Some(recorded) = expected.snapshot.as_ref().or(expected.snapshots.first()) {
        compare_picture(&mut run, recorded, report);
    }
    if expected.snapshot.is_some() {
        get_messages(report, &mut run.store, "getMessage", &expected.get_message);
        index_queries(report, &run.store, "indexQuery", &expected.index_query);
        offsets_by_time(report, &mut run.store, "offsetByTime", &expected.offset_by_time);
        look_messages(report, &run.store, "lookMessageByOffset", &expected.look_message_by_offset);
    }
    Ok(run)
}

/// Compares the store with a recorded picture.
pub(super) fn compare_picture<D: Disk>(run: &mut Run<D>, recorded: &Snapshot, report: &mut Report) {
    run.save_delay_offsets_as_in(&recorded.disk);
    let ours = snapshot(&run.store, &recorded.stage, recorded.taken_at);
    let what = if recorded.stage.is_empty() { "snapshot" } else { &recorded.stage };
    compare_snapshots(report, what, recorded, &ours);
}

/// Compares the directory of a stopped store with the real one.
pub(super) fn compare_stopped<D: Disk>(case: &Case, report: &mut Report, disk: &D) -> Result<(), String> {
    let expected = store_tree(case)?;
    let actual = tree(disk);
    if let Some(state) = case.expected.stopped() {
        compare_disk_states(report, "afterCleanShutdown", state, &disk_state(&actual));
    }
    let except = Except { physic_msg_timestamp: several_log_files(&disk_state(&expected)) };
    compare(report, &expected, &actual, Layout::of(case)?, except);
    Ok(())
}

fn store_tree(case: &Case) -> Result<Tree, String> {
    case.directory("store").ok_or_else(|| "no store/ in it".to_owned())
}
