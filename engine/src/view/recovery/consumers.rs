//! Groups whose offset lies behind the end of a queue.

use super::super::saved_offsets::{SavedOffset, saved_offsets};
use super::Finding;
use crate::disk::{Disk, ReadAt};
use crate::store::Store;

/// The groups whose offset lies behind the end of a queue of `store`, by the table on the disk.
pub(super) fn ahead<R: ReadAt + ?Sized, D: Disk>(before: &R, store: &Store<D>) -> Vec<Finding> {
    let table = match saved_offsets(&before) {
        Ok(table) => table,
        Err(error) => return vec![Finding::Unreadable { file: error.file, cause: error.cause }],
    };
    let behind = table.into_iter().filter_map(|SavedOffset { group, topic, queue_id, offset }| {
        let max = store.queue(&topic, queue_id).map_or(0, crate::store::ConsumeQueue::max_offset_in_queue);
        (offset > max).then_some(Finding::ConsumerAhead { group, topic, queue_id, offset, max })
    });
    behind.collect()
}
