//! What a broker has saved of its groups' offsets.

use crate::{
    disk::ReadAt,
    fastjson::{self, Value},
    store::config_file::{self, ConfigFileError},
};

/// Path of the table of offsets (`ConsumerOffsetManager`).
const PATH: &str = "config/consumerOffset.json";

/// A group's next offset in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SavedOffset {
    pub(super) group: String,
    pub(super) topic: String,
    pub(super) queue_id: i32,
    pub(super) offset: i64,
}

/// The offsets in the file, or in its backup, as a broker that starts would load them.
pub(super) fn saved_offsets<R: ReadAt>(disk: &R) -> Result<Vec<SavedOffset>, ConfigFileError> {
    let mut table = Vec::new();
    config_file::load(disk, PATH, |text| {
        table = decode(text)?;
        Ok(())
    })?;
    Ok(table)
}

/// The table: `topic@group` to queue to offset.
fn decode(text: &str) -> Result<Vec<SavedOffset>, String> {
    let file = fastjson::parse(text).map_err(|error| error.to_string())?;
    let mut table = Vec::new();
    for (key, queues) in file.get("offsetTable").map(Value::entries).unwrap_or_default() {
        let Some((topic, group)) = key.as_str().and_then(|key| key.split_once('@')) else { continue };
        for (queue_id, offset) in queues.entries() {
            let (Some(queue_id), Some(offset)) = (queue_id.as_i32(), offset.as_i64()) else { continue };
            table.push(SavedOffset { group: group.to_owned(), topic: topic.to_owned(), queue_id, offset });
        }
    }
    Ok(table)
}
