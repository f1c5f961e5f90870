//! Damaged and crashed directories: load, start, reads, clean stop, as the real store did them.

use rocketscope_engine::disk::native::FileDisk;
use rocketscope_engine::disk::{Disk, MemoryDisk};

use super::archive::{Case, Tree, extract, read_files};
use super::diff::Report;
use super::dump::{disk_state, tree};
use super::expected::{DiskState, Phase, Snapshot};
use super::reading::memory_disk;
use super::reads::{get_messages, index_queries, look_messages, offsets_by_time};
use super::run::Run;
use super::settle::{compare_disk_states, several_log_files};
use super::tree::{Except, Layout, compare};
use super::writing::compare_picture;

/// The damaged directory in memory.
pub fn recovery(case: &Case) -> Result<(), String> {
    recover(case, memory_disk(&directory(case, "before")?)?)
}

/// The damaged directory in mapped files.
pub fn recovery_file(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|cause| cause.to_string())?;
    extract(&directory(case, "before")?, folder.path())?;
    recover(case, FileDisk::open(folder.path()).map_err(|cause| cause.to_string())?)
}

/// A directory that cannot be loaded: it must be refused, and left as the real store left it.
pub fn refusal(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|cause| cause.to_string())?;
    extract(&directory(case, "before")?, folder.path())?;
    let disk = FileDisk::open(folder.path()).map_err(|cause| cause.to_string())?;
    if Run::load(disk, case, opened_at(case)).is_ok() {
        return Err("load: succeeded, and must fail".into());
    }
    let mut report = Report::default();
    let left = read_files(folder.path())?;
    compare(&mut report, &directory(case, "after")?, &left, Layout::of(case)?, Except::default());
    report.finish()
}

/// Loads and starts, asks what was asked, stops cleanly, and compares every byte that is left.
fn recover<D: Disk>(case: &Case, disk: D) -> Result<(), String> {
    let expected = &case.expected;
    let mut report = Report::default();
    let mut run = Run::load(disk, case, opened_at(case))?;
    compare_stage(case, &mut run, "afterLoad", &mut report);
    run.start()?;
    compare_stage(case, &mut run, "afterStart", &mut report);
    get_messages(&mut report, &mut run.store, "getMessage", &expected.get_message);
    index_queries(&mut report, &run.store, "indexQuery", &expected.index_query);
    offsets_by_time(&mut report, &mut run.store, "offsetByTime", &expected.offset_by_time);
    look_messages(&mut report, &run.store, "lookMessageByOffset", &expected.look_message_by_offset);
    run.shutdown()?;
    compare_directory(case, &mut report, &directory(case, "after")?, &run, expected.after_clean_shutdown.as_ref())?;
    report.finish()
}

/// Puts and reads after recovery, on a copy of its own.
pub fn probe(case: &Case) -> Result<(), String> {
    let expected = &case.expected;
    let mut report = Report::default();
    let mut run = Run::load(memory_disk(&directory(case, "before")?)?, case, opened_at(case))?;
    run.start()?;
    run.put_all(&mut report, "probePuts", &expected.probe_puts)?;
    get_messages(&mut report, &mut run.store, "probeGetMessage", &expected.probe_get);
    index_queries(&mut report, &run.store, "probeIndexQuery", &expected.probe_query);
    report.finish()
}

/// Runs of one store after another, each with its puts, reads and stop.
pub fn phases(case: &Case) -> Result<(), String> {
    let mut report = Report::default();
    let mut disk = MemoryDisk::new();
    let mut running = None;
    for (index, phase) in case.expected.phases.iter().enumerate() {
        let what = format!("phase {index} ({})", phase.action);
        let failed = |cause| format!("{what}: {cause}");
        match phase.load_result {
            Some(true) => running = Some(open(case, phase, disk.clone(), &what, &mut report).map_err(failed)?),
            Some(false) if Run::load(disk.clone(), case, 0).is_ok() => {
                report.add(format!("{what}: load succeeded, and must fail"));
            }
            Some(false) | None => {}
        }
        if let Some(run) = &mut running {
            run.put_all(&mut report, &format!("{what}: puts"), &phase.puts)?;
            if let Some(recorded) = &phase.snapshot {
                compare_named(run, recorded, &format!("{what}: snapshot"), &mut report);
            }
            get_messages(&mut report, &mut run.store, &format!("{what}: getMessage"), &phase.get_message);
            index_queries(&mut report, &run.store, &format!("{what}: indexQuery"), &phase.index_query);
        }
        if let Some(folder) = &phase.store_dir {
            let kept = directory(case, folder)?;
            if let Some(run) = running.take() {
                stop(case, phase, run, &kept, &mut report).map_err(failed)?;
            }
            // The next run begins with the real bytes, whether they were left by the stop or by an edit.
            disk = memory_disk(&kept)?;
        }
        if !report.is_empty() {
            report.add(format!("{what}: what comes after is not compared"));
            break;
        }
    }
    report.finish()
}

fn open(
    case: &Case,
    phase: &Phase,
    disk: MemoryDisk,
    what: &str,
    report: &mut Report,
) -> Result<Run<MemoryDisk>, String> {
    let now = phase.after_load.as_ref().or(phase.snapshot.as_ref()).map_or(0, |snapshot| snapshot.taken_at);
    let mut run = Run::load(disk, case, now)?;
    if let Some(after_load) = &phase.after_load {
        compare_named(&mut run, after_load, &format!("{what}: afterLoad"), report);
    }
    run.start()?;
    Ok(run)
}

/// Ends a run as it was ended: by a clean stop, or, where `abort` was left, by the end of the process, and then the
/// checkpoint was last flushed at a moment that is not recorded.
fn stop(case: &Case, phase: &Phase, mut run: Run<MemoryDisk>, kept: &Tree, report: &mut Report) -> Result<(), String> {
    if !kept.contains_key("abort") {
        run.shutdown()?;
        return compare_directory(case, report, kept, &run, phase.disk.as_ref());
    }
    let mut kept = kept.clone();
    let mut ours = tree(run.store.disk());
    kept.remove("checkpoint");
    ours.remove("checkpoint");
    compare(report, &kept, &ours, Layout::of(case)?, Except::default());
    Ok(())
}

/// The time at which the real store opened the directory, as nearly as it was recorded.
fn opened_at(case: &Case) -> i64 {
    case.expected.snapshots.first().map_or(0, |snapshot| snapshot.taken_at)
}

fn compare_stage<D: Disk>(case: &Case, run: &mut Run<D>, stage: &str, report: &mut Report) {
    if let Some(recorded) = case.expected.stage(stage) {
        compare_picture(run, recorded, report);
    }
}

fn compare_named(run: &mut Run<MemoryDisk>, recorded: &Snapshot, name: &str, report: &mut Report) {
    let recorded = Snapshot { stage: name.to_owned(), ..recorded.clone() };
    compare_picture(run, &recorded, report);
}

fn compare_directory<D: Disk>(
    case: &Case,
    report: &mut Report,
    expected: &Tree,
    run: &Run<D>,
    state: Option<&DiskState>,
) -> Result<(), String> {
    let actual = tree(run.store.disk());
    if let Some(state) = state {
        compare_disk_states(report, "the list after the stop", state, &disk_state(&actual));
    }
    let except = Except { physic_msg_timestamp: several_log_files(&disk_state(expected)) };
    compare(report, expected, &actual, Layout::of(case)?, except);
    Ok(())
}

fn directory(case: &Case, name: &str) -> Result<Tree, String> {
    case.directory(name).ok_or_else(|| format!("no {name}/ in it"))
}
