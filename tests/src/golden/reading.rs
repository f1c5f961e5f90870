//! The real directory opened: what our store finds in it, and what it answers.

use rocketscope_engine::disk::native::FileDisk;
use rocketscope_engine::disk::{Disk, MemoryDisk};

use super::archive::{Case, Tree, extract};
use super::diff::Report;
use super::dump::snapshot;
use super::expected::Snapshot;
use super::reads::{get_messages, index_queries, look_messages, offsets_by_time};
use super::run::Run;
use super::settle::compare_snapshots;
use super::writing::compare_picture;

/// The real directory in memory.
pub fn read_memory(case: &Case) -> Result<(), String> {
    read(case, memory_disk(&store_tree(case)?)?)
}

/// The real directory in mapped files.
pub fn read_file(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|cause| cause.to_string())?;
    extract(&store_tree(case)?, folder.path())?;
    read(case, FileDisk::open(folder.path()).map_err(|cause| cause.to_string())?)
}

/// A disk that holds `tree`.
pub(super) fn memory_disk(tree: &Tree) -> Result<MemoryDisk, String> {
    let files = tree.iter().map(|(path, content)| (path.clone(), content.clone(), 0));
    MemoryDisk::from_files(files).map_err(|cause| cause.to_string())
}

fn store_tree(case: &Case) -> Result<Tree, String> {
    case.directory("store").ok_or_else(|| "no store/ in it".to_owned())
}

/// Loads, starts, and asks everything that was recorded. A case that recorded its own restart says what is found
/// after it; in any other a restart changes nothing that can be asked for.
fn read<D: Disk>(case: &Case, disk: D) -> Result<(), String> {
    let expected = &case.expected;
    let mut report = Report::default();
    let recorded = expected.snapshots.last().or(expected.snapshot.as_ref());
    let mut run = Run::load(disk, case, recorded.map_or(0, |snapshot| snapshot.taken_at))?;
    run.start()?;
    match recorded {
        Some(recorded) if expected.get_after_restart.is_some() => compare_picture(&mut run, recorded, &mut report),
        Some(recorded) => compare_content(&run, recorded, &mut report),
        None => {}
    }
    let gets = expected.get_after_restart.as_ref().unwrap_or(&expected.get_message);
    get_messages(&mut report, &mut run.store, "getMessage", gets);
    index_queries(&mut report, &run.store, "indexQuery", &expected.index_query);
    offsets_by_time(&mut report, &mut run.store, "offsetByTime", &expected.offset_by_time);
    look_messages(&mut report, &run.store, "lookMessageByOffset", &expected.look_message_by_offset);
    report.finish()
}

/// Compares with the picture of the store as it ran before it was stopped. The files that stood ready for the next
/// puts are gone, and so is what only a running store has.
fn compare_content<D: Disk>(run: &Run<D>, recorded: &Snapshot, report: &mut Report) {
    let mut ours = snapshot(&run.store, &recorded.stage, recorded.taken_at);
    ours.disk.clone_from(&recorded.disk);
    ours.checkpoint_in_memory = recorded.checkpoint_in_memory;
    // Puts of half messages ask for the next offset of their queue and make no unit: nothing of it is on the disk.
    let mut recorded = recorded.clone();
    recorded.topic_queue_table.retain(|queue, next| *next != 0 || ours.topic_queue_table.contains_key(queue));
    compare_snapshots(report, "the store opened again", &recorded, &ours);
}
