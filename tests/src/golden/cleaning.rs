//! Old commit log files expired from a running store, then what pointed into them.

use rocketscope_engine::disk::{Disk, MemoryDisk, ReadAt};
use rocketscope_engine::store::DiskUse;

use super::archive::Case;
use super::diff::Report;
use super::expected::Snapshot;
use super::reads::{get_messages, index_queries, look_messages};
use super::run::Run;
use super::writing::{compare_picture, compare_stopped, replay};

/// The stage after the commit log lost its first files, and nothing else did.
pub const LOG_CLEANED: &str = "afterCommitLogExpiry_beforeCqClean";
/// The stage after the queues and the index followed.
const QUEUES_CLEANED: &str = "afterCqClean";
/// Disks with room enough: files go by age and by the administrator's word alone.
const ROOM: DiskUse = DiskUse { commit_log: 0.5, consume_queue: 0.5 };

/// Puts everything, lets the files that are recorded as expired grow old, cleans in the recorded steps, stops, and
/// compares pictures, reads and at last every byte.
pub fn clean_and_shut_down(case: &Case) -> Result<(), String> {
    let expected = &case.expected;
    let mut report = Report::default();
    let mut run = replay(case, MemoryDisk::new(), &mut Report::default())?;
    get_messages(&mut report, &mut run.store, "getMessage_beforeExpiry", &expected.get_before_expiry);

    let before = expected.snapshots.first().ok_or("no picture of the store before its clean-up")?;
    let cleaned = expected.stage(LOG_CLEANED).ok_or("no picture of the store after its clean-up")?;
    grow_old(&mut run, before, cleaned)?;
    run.clock.resume();
    run.store.execute_delete_files_manually();
    run.store.clean_commit_log(ROOM, &mut run.clock);
    compare_picture(&mut run, cleaned, &mut report);
    get_messages(&mut report, &mut run.store, "getMessage after log expiry", &expected.get_after_log_expiry);
    index_queries(&mut report, &run.store, "indexQuery after log expiry", &expected.query_after_log_expiry);

    run.store.clean_consume_queues(&mut run.clock);
    if let Some(recorded) = expected.stage(QUEUES_CLEANED) {
        compare_picture(&mut run, recorded, &mut report);
    }
    get_messages(&mut report, &mut run.store, "getMessage", &expected.get_message);
    index_queries(&mut report, &run.store, "indexQuery", &expected.index_query);
    look_messages(&mut report, &run.store, "lookMessageByOffset", &expected.look_message_by_offset);

    run.shutdown()?;
    compare_stopped(case, &mut report, run.store.disk())?;
    report.finish()
}

/// Gives the files that `after` no longer has the time of the epoch, by writing what they hold.
fn grow_old(run: &mut Run<MemoryDisk>, before: &Snapshot, after: &Snapshot) -> Result<(), String> {
    let disk = run.store.disk_mut();
    let kept: Vec<i64> = after.commit_log_mapped_files.iter().map(|file| file.file_from_offset).collect();
    for old in before.commit_log_mapped_files.iter().filter(|file| !kept.contains(&file.file_from_offset)) {
        let path = format!("commitlog/{}", old.file);
        let file = disk.find(&path).ok_or_else(|| format!("{path}: not there to grow old"))?;
        let mut first = [0];
        disk.read_at(file, 0, &mut first).map_err(|cause| cause.to_string())?;
        disk.set_time(0);
        disk.write_at(file, 0, &first).map_err(|cause| cause.to_string())?;
    }
    Ok(())
}
