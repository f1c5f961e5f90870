//! Groups whose offset lies behind the end of a queue.

use super::Finding;
use crate::disk::{Disk, ReadAt};
use crate::fastjson::{self, Value};
use crate::store::{Store, config_file};

/// Path of the table of offsets (`ConsumerOffsetManager`).
const PATH: &str = "config/consumerOffset.json";

/// A group's next offset in a queue.
#[derive(Debug, PartialEq, Eq)]
struct Committed {
    group: String,
    topic: String,
    queue_id: i32,
    offset: i64,
}

/// The groups whose offset lies behind the end of a queue of `store`, by the table on the disk.
pub(super) fn ahead<R: ReadAt + ?Sized, D: Disk>(before: &R, store: &Store<D>) -> Vec<Finding> {
    let mut table = Vec::new();
    let read = config_file::load(&before, PATH, |text| {
        table = decode(text)?;
        Ok(())
    });
    if let Err(error) = read {
        return vec![Finding::Unreadable { file: error.file, cause: error.cause }];
    }
    let behind = table.into_iter().filter_map(|Committed { group, topic, queue_id, offset }| {
        let max = store.queue(&topic, queue_id).map_or(0, crate::store::ConsumeQueue::max_offset_in_queue);
        (offset > max).then_some(Finding::ConsumerAhead { group, topic, queue_id, offset, max })
    });
    behind.collect()
}

/// The table: `topic@group` to queue to offset.
fn decode(text: &str) -> Result<Vec<Committed>, String> {
    let file = fastjson::parse(text).map_err(|error| error.to_string())?;
    let mut table = Vec::new();
    for (key, queues) in file.get("offsetTable").map(Value::entries).unwrap_or_default() {
        let Some((topic, group)) = key.as_str().and_then(|key| key.split_once('@')) else { continue };
        for (queue_id, offset) in queues.entries() {
            let (Some(queue_id), Some(offset)) = (queue_id.as_i32(), offset.as_i64()) else { continue };
            table.push(Committed { group: group.to_owned(), topic: topic.to_owned(), queue_id, offset });
        }
    }
    Ok(table)
}
