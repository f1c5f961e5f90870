//! Damaged and crashed directories: load, start, reads, clean stop, as the real store did them.

use rocketscope_engine::disk::MemoryDisk;

use super::archive::{Case, Tree};
use super::diff::Report;
use super::dump::{disk_state, tree};
use super::expected::{DiskState, Snapshot};
use super::reading::memory_disk;
use super::reads::{get_messages, index_queries, look_messages, offsets_by_time};
use super::run::Run;
use super::settle::{compare_disk_states, several_log_files};
use super::tree::{Except, Layout, compare};
use super::writing::compare_picture;

/// Loads and starts the damaged directory, asks what was asked, stops cleanly, and compares every byte that is left.
pub fn recovery(case: &Case) -> Result<(), String> {
    let expected = &case.expected;
    let mut report = Report::default();
    let Some(mut run) = load(case, &mut report)? else { return report.finish() };
    compare_stage(case, &run, "afterLoad", &mut report);
    run.start()?;
    compare_stage(case, &run, "afterStart", &mut report);
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
    let Some(mut run) = load(case, &mut report)? else { return report.finish() };
    run.start()?;
    run.put_all(&mut report, "probePuts", &expected.probe_puts)?;
    get_messages(&mut report, &mut run.store, "probeGetMessage", &expected.probe_get);
    index_queries(&mut report, &run.store, "probeIndexQuery", &expected.probe_query);
    report.finish()
}

/// Loads `before/`. `None` where load fails, as it must in some cases; then nothing may have changed.
fn load(case: &Case, report: &mut Report) -> Result<Option<Run<MemoryDisk>>, String> {
    let expected = &case.expected;
    let disk = memory_disk(&directory(case, "before")?)?;
    let now = expected.snapshots.first().map_or(0, |snapshot| snapshot.taken_at);
    match (Run::load(disk, case, now), expected.load_result) {
        (Ok(_), Some(false)) => {
            report.add("load: succeeded, and must fail");
            Ok(None)
        }
        (Err(_), Some(false)) => Ok(None),
        (loaded, _) => loaded.map(Some),
    }
}

/// Runs of one store after another, each with its puts, reads and stop.
pub fn phases(case: &Case) -> Result<(), String> {
    let mut report = Report::default();
    let mut disk = MemoryDisk::new();
    let mut running: Option<Run<MemoryDisk>> = None;
    for (index, phase) in case.expected.phases.iter().enumerate() {
        let what = format!("phase {index} ({})", phase.action);
        if let Some(after_load) = &phase.after_load {
            let mut run =
                Run::load(disk.clone(), case, after_load.taken_at).map_err(|cause| format!("{what}: {cause}"))?;
            compare_named(&run, after_load, &format!("{what}: afterLoad"), &mut report);
            run.start().map_err(|cause| format!("{what}: {cause}"))?;
            running = Some(run);
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
            if let Some(mut run) = running.take() {
                run.shutdown()?;
                compare_directory(case, &mut report, &kept, &run, phase.disk.as_ref())?;
            }
            // The next run begins with the real bytes, whether they were left by the stop or by an edit.
            disk = memory_disk(&kept)?;
        }
        if !report.is_empty() {
            break;
        }
    }
    report.finish()
}

fn compare_stage(case: &Case, run: &Run<MemoryDisk>, stage: &str, report: &mut Report) {
    if let Some(recorded) = case.expected.stage(stage) {
        compare_picture(run, recorded, report);
    }
}

fn compare_named(run: &Run<MemoryDisk>, recorded: &Snapshot, name: &str, report: &mut Report) {
    let recorded = Snapshot { stage: name.to_owned(), ..recorded.clone() };
    compare_picture(run, &recorded, report);
}

fn compare_directory(
    case: &Case,
    report: &mut Report,
    expected: &Tree,
    run: &Run<MemoryDisk>,
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
