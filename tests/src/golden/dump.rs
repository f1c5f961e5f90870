//! Pictures of a store of ours, in the form that the recordings have.
//!
//! The numbers in memory come from the store, everything else from the bytes on its disk.

use std::collections::BTreeMap;

use rocketscope_engine::disk::{Disk, ReadAt};
use rocketscope_engine::store::{ConsumeQueue, Store};
use serde_json::{Value, json};

use super::archive::Tree;
use super::expected::{Checkpoint, DiskState, IndexFile, LogFile, Queue, QueueFile, Snapshot};
use super::records::log_entries;

const UNIT_SIZE: usize = 20;
const INDEX_HEADER_SIZE: usize = 40;

/// A picture of `store`, now at `taken_at`.
pub fn snapshot<D: Disk>(store: &Store<D>, stage: &str, taken_at: i64) -> Snapshot {
    let tree = tree(store.disk());
    let log_files: Vec<LogFile> = store
        .commit_log_files()
        .map(|(from, wrote)| LogFile { file: file_name(from), file_from_offset: from, wrote_position: wrote })
        .collect();
    let checkpoint = store.checkpoint();
    Snapshot {
        stage: stage.to_owned(),
        taken_at,
        min_phy_offset: store.min_phy_offset(),
        max_phy_offset: store.max_phy_offset(),
        flushed_where: store.flushed_where(),
        dispatch_behind_bytes: store.dispatch_behind_bytes(),
        queues: store.queues().filter_map(|(_, _, queue)| queue_of(queue, &tree)).collect(),
        topic_queue_table: store
            .topic_queue_table()
            .map(|(topic, queue_id, next)| (format!("{topic}-{queue_id}"), next))
            .collect(),
        index_files: index_files(store, &tree),
        checkpoint_in_memory: Checkpoint {
            physic_msg_timestamp: checkpoint.physic_msg_timestamp,
            logics_msg_timestamp: checkpoint.logics_msg_timestamp,
            index_msg_timestamp: checkpoint.index_msg_timestamp,
        },
        commit_log: Some(log_entries(&log_files, &tree, store.config())),
        commit_log_mapped_files: log_files,
        disk: disk_state(&tree),
    }
}

/// Every file of a disk.
pub fn tree(disk: &impl ReadAt) -> Tree {
    disk.files()
        .into_iter()
        .map(|(path, file)| {
            let len = disk.meta(file).map_or(0, |meta| meta.len);
            let mut content = vec![0; usize::try_from(len).unwrap_or_default()];
            // A file that cannot be read differs from any recorded one by its first byte.
            if disk.read_at(file, 0, &mut content).is_err() {
                content.fill(0xFF);
            }
            (path, content)
        })
        .collect()
}

/// What the recordings keep of a directory.
pub fn disk_state(tree: &Tree) -> DiskState {
    let time = |bytes: &[u8], at| be_i64(bytes, at).unwrap_or_default();
    DiskState {
        abort_exists: tree.contains_key("abort"),
        checkpoint: tree.get("checkpoint").map(|bytes| Checkpoint {
            physic_msg_timestamp: time(bytes, 0),
            logics_msg_timestamp: time(bytes, 8),
            index_msg_timestamp: time(bytes, 16),
        }),
        files: tree.iter().map(|(path, content)| (path.clone(), content.len() as u64)).collect(),
    }
}

/// The name of the file that begins at `offset`.
pub fn file_name(offset: i64) -> String {
    format!("{offset:020}")
}

/// The recordings leave out queues that never had a unit.
fn queue_of(queue: &ConsumeQueue, tree: &Tree) -> Option<Queue> {
    let (topic, queue_id) = (queue.topic().to_owned(), queue.queue_id());
    let files: Vec<(i64, i32)> = queue.mapped_files().collect();
    let content = |from: i64| tree.get(&format!("consumequeue/{topic}/{queue_id}/{}", file_name(from)));
    if files.is_empty() && queue.max_physic_offset() < 0 {
        return None;
    }
    let (min, max) = (queue.min_offset_in_queue(), queue.max_offset_in_queue());
    let unit = |index: i64| {
        let byte = index * UNIT_SIZE as i64;
        let (from, _) = files.iter().rev().find(|(from, _)| *from <= byte)?;
        let at = usize::try_from(byte - from).ok()?;
        let [offset, size, tags] = unit_at(content(*from)?, at)?;
        Some([index, offset, size, tags])
    };
    Some(Queue {
        min_offset: min,
        max_offset: max,
        min_logic_offset: queue.min_logic_offset(),
        max_physic_offset: queue.max_physic_offset(),
        last_offset: match files.last() {
            Some((from, wrote)) => last_offset(content(*from)?, *wrote),
            None => json!(-1),
        },
        mapped_files: files
            .iter()
            .map(|(from, wrote)| QueueFile { file: file_name(*from), wrote_position: *wrote })
            .collect(),
        entries: (min..max).filter_map(unit).collect(),
        topic,
        queue_id,
    })
}

fn unit_at(bytes: &[u8], at: usize) -> Option<[i64; 3]> {
    Some([be_i64(bytes, at)?, be_i32(bytes, at + 8)?.into(), be_i64(bytes, at + 12)?])
}

/// `ConsumeQueue.getLastOffset` as 4.9.8 has it: from the last unit on it reads as many units as a file has, until one
/// is not valid, and throws when the file ends before that.
fn last_offset(bytes: &[u8], wrote: i32) -> Value {
    let start = usize::try_from(wrote).unwrap_or_default().saturating_sub(UNIT_SIZE);
    let mut last = -1;
    for index in 0..bytes.len() / UNIT_SIZE {
        match unit_at(bytes, start + index * UNIT_SIZE) {
            Some([offset, size, _]) if offset >= 0 && size > 0 => last = offset + size,
            Some(_) => break,
            None => return json!("exception:BufferUnderflowException"),
        }
    }
    json!(last)
}

fn index_files<D: Disk>(store: &Store<D>, tree: &Tree) -> Vec<IndexFile> {
    let slots = usize::try_from(store.config().max_hash_slot_num).unwrap_or_default();
    store
        .index_files()
        .iter()
        .map(|file| {
            let header = file.header();
            let path = store.disk().path(file.file()).unwrap_or_default();
            let bytes = tree.get(&path).map(Vec::as_slice).unwrap_or_default();
            let name = path.strip_prefix("index/").unwrap_or(&path).to_owned();
            IndexFile {
                file: name,
                begin_timestamp: header.begin_timestamp,
                end_timestamp: header.end_timestamp,
                begin_phy_offset: header.begin_phy_offset,
                end_phy_offset: header.end_phy_offset,
                hash_slot_count: header.hash_slot_count,
                index_count: header.index_count,
                file_size: bytes.len() as u64,
                non_zero_slots: non_zero_slots(bytes, slots),
                entries: (1..header.index_count).filter_map(|index| entry(bytes, slots, index)).collect(),
            }
        })
        .collect()
}

fn non_zero_slots(bytes: &[u8], slots: usize) -> BTreeMap<i32, i32> {
    (0..slots)
        .filter_map(|slot| Some((i32::try_from(slot).ok()?, be_i32(bytes, INDEX_HEADER_SIZE + slot * 4)?)))
        .filter(|(_, value)| *value != 0)
        .collect()
}

fn entry(bytes: &[u8], slots: usize, index: i32) -> Option<[i64; 5]> {
    let at = INDEX_HEADER_SIZE + slots * 4 + usize::try_from(index).ok()? * 20;
    let int = |at| be_i32(bytes, at).map(i64::from);
    Some([index.into(), int(at)?, be_i64(bytes, at + 4)?, int(at + 12)?, int(at + 16)?])
}

fn be_i32(bytes: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn be_i64(bytes: &[u8], at: usize) -> Option<i64> {
    Some(i64::from_be_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
