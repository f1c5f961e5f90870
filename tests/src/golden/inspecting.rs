//! The real directory only looked at: the readers of `store::inspect` over files that nobody may write.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use rocketscope_engine::disk::native::ReadOnlyDir;
use rocketscope_engine::disk::{DiskError, ReadAt};
use rocketscope_engine::store::inspect::{
    GivenLayout, IndexReader, LogReader, Look, ProblemScan, QueueReader, StoreFiles, StoreLayout, read_checkpoint,
};

use super::archive::{Case, extract, read_files};
use super::diff::Report;
use super::expected::{Checkpoint, IndexFile, LogEntry, Record, Snapshot};
use super::records::record_of;
use super::run::config;

/// Everything in the directory as the recording knows it, no problem found, and nothing of the directory changed.
pub fn inspect(case: &Case) -> Result<(), String> {
    let tree = case.directory("store").ok_or("no store/ in it")?;
    let folder = tempfile::tempdir().map_err(|cause| cause.to_string())?;
    extract(&tree, folder.path())?;
    let times = write_times(folder.path())?;
    let mut report = Report::default();
    let disk = ReadOnlyDir::open(folder.path()).map_err(|cause| cause.to_string())?;
    look(case, &disk, &mut report).map_err(|cause| cause.to_string())?;
    drop(disk);
    if read_files(folder.path())? != tree || write_times(folder.path())? != times {
        report.add("looking at the directory changed it");
    }
    report.finish()
}

fn look(case: &Case, disk: &ReadOnlyDir, report: &mut Report) -> Result<(), DiskError> {
    let files = StoreFiles::list(disk);
    let layout = StoreLayout::infer(disk, &files, &GivenLayout::default());
    compare_layout(case, &layout, report);
    let expected = &case.expected;
    let Some(recorded) = expected.snapshots.last().or(expected.snapshot.as_ref()) else { return Ok(()) };
    report.compare("records", &recorded_records(recorded), &records(disk, &files)?);
    compare_queues(disk, &files, recorded, report)?;
    report.compare("indexFiles", &recorded_index(recorded), &index_files(disk, &files, &layout)?);
    if let Some(stopped) = expected.stopped() {
        let times = files.checkpoint.as_ref().map(|file| read_checkpoint(disk, file)).transpose()?.flatten();
        let checkpoint = times.map(|times| Checkpoint {
            physic_msg_timestamp: times.physic,
            logics_msg_timestamp: times.logics,
            index_msg_timestamp: times.index,
        });
        report.compare("checkpoint", &stopped.checkpoint, &checkpoint);
        report.compare("abort", &stopped.abort_exists, &files.abort);
    }
    let mut scan = ProblemScan::new(disk, &files, &layout);
    scan.finish(disk, &files);
    for problem in scan.problems() {
        report.add(format!("problem: {problem:?}"));
    }
    Ok(())
}

/// The sizes that are worked out from the files are those of the configuration.
fn compare_layout(case: &Case, layout: &StoreLayout, report: &mut Report) {
    match config(case) {
        Ok(config) => {
            let expected = [
                i64::from(config.mapped_file_size_commit_log),
                i64::from(config.consume_queue_file_size()),
                i64::from(config.max_hash_slot_num),
                i64::from(config.max_index_num),
            ];
            let actual = [
                layout.commit_log_file_size,
                layout.consume_queue_file_size,
                i64::from(layout.hash_slots),
                i64::from(layout.index_capacity),
            ];
            report.compare("layout [commit log file, queue file, hash slots, index capacity]", &expected, &actual);
        }
        Err(text) => report.add(text),
    }
}

fn recorded_records(recorded: &Snapshot) -> Vec<Record> {
    let entries = recorded.commit_log.iter().flatten();
    entries
        .filter_map(|entry| match entry {
            LogEntry::Record(record) => Some(Record { dispatch: None, ..(**record).clone() }),
            LogEntry::Blank { .. } | LogEntry::Bad(_) => None,
        })
        .collect()
}

/// Every record of every file up to the first place in it that holds none.
fn records(disk: &impl ReadAt, files: &StoreFiles) -> Result<Vec<Record>, DiskError> {
    let mut log = LogReader::new(disk, &files.commit_log, 4096);
    let mut records = Vec::new();
    for (index, segment) in files.commit_log.iter().enumerate() {
        let mut position = 0;
        while let Look::Record(record) = log.look(index, position)? {
            records.push(record_of(&record, segment.from + position.cast_signed()));
            position += u64::from(record.total_size.max(1).unsigned_abs());
        }
    }
    Ok(records)
}

fn compare_queues(
    disk: &impl ReadAt,
    files: &StoreFiles,
    recorded: &Snapshot,
    report: &mut Report,
) -> Result<(), DiskError> {
    let log_min = files.commit_log.first().map_or(0, |segment| segment.from);
    report.compare("number of queues", &recorded.queues.len(), &files.queues.len());
    for queue in &recorded.queues {
        let what = format!("queue {}-{}", queue.topic, queue.queue_id);
        let Some(segments) = files.queues.get(&(queue.topic.clone(), queue.queue_id)) else {
            report.add(format!("{what}: not found"));
            continue;
        };
        let reader = QueueReader::new(disk, segments);
        let max = reader.max_offset()?;
        let min = reader.min_offset(log_min, max)?;
        report.compare(&format!("{what}.[minOffset, maxOffset]"), &[queue.min_offset, queue.max_offset], &[min, max]);
        let mut entries = Vec::new();
        while let Some(placed) = reader.unit(min + entries.len() as i64)?.filter(|placed| placed.queue_offset < max) {
            let unit = placed.unit;
            entries.push([placed.queue_offset, unit.physical_offset, unit.size.into(), unit.tags_code]);
        }
        report.compare(&format!("{what}.entries"), &queue.entries, &entries);
    }
    Ok(())
}

fn recorded_index(recorded: &Snapshot) -> Vec<IndexFile> {
    recorded.index_files.clone()
}

fn index_files(disk: &impl ReadAt, files: &StoreFiles, layout: &StoreLayout) -> Result<Vec<IndexFile>, DiskError> {
    let read = |path| {
        let reader = IndexReader::new(disk, path, layout);
        let header = reader.header()?;
        let end = reader.entry_end(&header);
        let slots = reader.slot_values(0, reader.slots)?;
        let entries = reader.entries(1, end - 1)?;
        let entry = |(number, entry): (i64, rocketscope_engine::store::IndexEntry)| {
            [number, entry.key_hash.into(), entry.phy_offset, entry.time_diff.into(), entry.prev_index.into()]
        };
        Ok(IndexFile {
            file: path.name.clone(),
            begin_timestamp: header.begin_timestamp,
            end_timestamp: header.end_timestamp,
            begin_phy_offset: header.begin_phy_offset,
            end_phy_offset: header.end_phy_offset,
            hash_slot_count: header.hash_slot_count,
            // The bytes of a file without an entry are zeros; in memory it counts its unused entry 0.
            index_count: header.index_count.max(1),
            file_size: path.len,
            non_zero_slots: (0..).zip(slots).filter(|(_, value)| *value != 0).collect(),
            entries: (1..).zip(entries).map(entry).collect(),
        })
    };
    files.index.iter().map(read).collect()
}

/// The time of the last write of every file, by path.
fn write_times(folder: &Path) -> Result<Vec<(String, SystemTime)>, String> {
    let time = |path: &String| {
        let modified = fs::metadata(folder.join(path)).and_then(|meta| meta.modified());
        modified.map(|time| (path.clone(), time)).map_err(|cause| format!("{path}: {cause}"))
    };
    read_files(folder)?.keys().map(time).collect()
}
