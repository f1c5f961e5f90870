//! How far a consumer has come: its memory of offsets, and the file that a broadcasting one keeps them in.

use std::collections::BTreeSet;

use imbl::OrdMap;

use crate::{
    client::PullQueue,
    disk::{Disk, DiskError, ReadAt},
    fastjson::{Value, parse},
    store::config_file::{self, ConfigFileError},
};

/// The offsets in memory (`RemoteBrokerOffsetStore.offsetTable`): by queue, the next offset to consume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetTable(OrdMap<PullQueue, i64>);

/// What asking the broker for an offset came to (`READ_FROM_STORE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// This offset.
    At(i64),
    /// The broker has none (`MQBrokerException`): 4.9.8's -1.
    Nothing,
    /// It could not be asked: 4.9.8's -2.
    Unknown,
}

impl OffsetTable {
    /// Sets an offset; with `increase_only`, a smaller one changes nothing (`updateOffset`).
    pub fn update(&mut self, queue: &PullQueue, offset: i64, increase_only: bool) {
        match self.0.get_mut(queue) {
            Some(old) if increase_only && *old >= offset => {}
            Some(old) => *old = offset,
            None => {
                self.0.insert(queue.clone(), offset);
            }
        }
    }

    /// The offset in memory (`READ_FROM_MEMORY`); `None`, 4.9.8's -1, if there is none.
    pub fn get(&self, queue: &PullQueue) -> Option<i64> {
        self.0.get(queue).copied()
    }

    /// Forgets an offset (`removeOffset`).
    pub fn remove(&mut self, queue: &PullQueue) {
        self.0.remove(queue);
    }

    /// What a round of `persistAll` sends: the offsets of the consumer's present queues. Those of other queues are forgotten.
    /// Without any present queue nothing happens at all.
    pub fn persist_all(&mut self, present: &BTreeSet<PullQueue>) -> Vec<(PullQueue, i64)> {
        if present.is_empty() {
            return Vec::new();
        }
        let gone: Vec<PullQueue> = self.0.keys().filter(|queue| !present.contains(*queue)).cloned().collect();
        for queue in &gone {
            self.0.remove(queue);
        }
        self.0.iter().map(|(queue, offset)| (queue.clone(), *offset)).collect()
    }

    /// The offsets, by queue.
    pub fn iter(&self) -> impl Iterator<Item = (&PullQueue, i64)> {
        self.0.iter().map(|(queue, offset)| (queue, *offset))
    }
}

/// The offsets of a broadcasting consumer (`LocalFileOffsetStore`): in memory, and in a file of its own machine.
#[derive(Clone, Debug)]
pub struct LocalOffsets {
    path: String,
    table: OffsetTable,
}

impl LocalOffsets {
    /// Those of a group at a client; the file is found below the home directory by the client's id.
    pub fn new(client_id: &str, group: &str) -> Self {
        Self { path: format!(".rocketmq_offsets/{client_id}/{group}/offsets.json"), table: OffsetTable::default() }
    }

    /// The file, relative to the home directory.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The offsets in memory.
    pub const fn table(&self) -> &OffsetTable {
        &self.table
    }

    /// The offsets in memory, to be set.
    pub const fn table_mut(&mut self) -> &mut OffsetTable {
        &mut self.table
    }

    /// Reads the file into memory (`load`). A missing file is none; one that cannot be read, and its backup neither, keeps
    /// the consumer from starting.
    pub fn load<R: ReadAt>(&mut self, disk: &R) -> Result<(), ConfigFileError> {
        for (queue, offset) in self.read(disk)?.0 {
            self.table.update(&queue, offset, false);
        }
        Ok(())
    }

    /// What the file says of a queue, and nothing more comes of it; `None` if it says nothing or cannot be read.
    pub fn saved<R: ReadAt>(&self, disk: &R, queue: &PullQueue) -> Option<i64> {
        self.read(disk).ok()?.get(queue)
    }

    /// What the file says of a queue (`READ_FROM_STORE`); memory says so too then. `None`, 4.9.8's -1, if it says nothing
    /// or cannot be read.
    pub fn stored<R: ReadAt>(&mut self, disk: &R, queue: &PullQueue) -> Option<i64> {
        let offset = self.saved(disk, queue)?;
        self.table.update(queue, offset, false);
        Some(offset)
    }

    /// Saves the offsets of the present queues (`persistAll`); entries of other queues in the file stay. Without any present
    /// queue, and where the file and its backup cannot be read, nothing is saved. Whether it was.
    pub fn persist_all<D: Disk>(&self, disk: &mut D, present: &BTreeSet<PullQueue>) -> Result<bool, DiskError> {
        if present.is_empty() {
            return Ok(false);
        }
        self.save(disk, |queue| present.contains(queue))
    }

    /// Saves the offset of one queue, if there is one (`persist`). Whether it was saved.
    pub fn persist<D: Disk>(&self, disk: &mut D, queue: &PullQueue) -> Result<bool, DiskError> {
        if self.table.get(queue).is_none() {
            return Ok(false);
        }
        self.save(disk, |other| other == queue)
    }

    fn save<D: Disk>(&self, disk: &mut D, saves: impl Fn(&PullQueue) -> bool) -> Result<bool, DiskError> {
        let Ok(mut saved) = self.read(disk) else {
            return Ok(false);
        };
        for (queue, offset) in self.table.iter().filter(|(queue, _)| saves(queue)) {
            saved.update(queue, offset, false);
        }
        config_file::save(disk, &self.path, &to_text(&saved))?;
        Ok(true)
    }

    /// The file, or its backup where it is missing, empty or not JSON (`readLocalOffset`).
    fn read<R: ReadAt>(&self, disk: &R) -> Result<OffsetTable, ConfigFileError> {
        let mut saved = OffsetTable::default();
        config_file::load(disk, &self.path, |text| {
            saved = from_text(text)?;
            Ok(())
        })?;
        Ok(saved)
    }
}

/// `OffsetSerializeWrapper.toJson(true)`; the queues are in order.
fn to_text(offsets: &OffsetTable) -> String {
    let entries = offsets.iter().map(|(queue, offset)| {
        let PullQueue { topic, broker_name, queue_id } = queue;
        let fields: [(&str, Value<'_>); 3] =
            [("brokerName", broker_name.into()), ("queueId", (*queue_id).into()), ("topic", topic.into())];
        (Value::object(fields), Value::from(offset))
    });
    Value::object([("offsetTable", Value::Object(entries.collect()))]).to_pretty()
}

fn from_text(text: &str) -> Result<OffsetTable, String> {
    let value = parse(text).map_err(|error| error.to_string())?;
    let mut offsets = OffsetTable::default();
    for (key, offset) in value.get("offsetTable").map(Value::entries).unwrap_or_default() {
        let text = |name: &str| Some(key.get(name)?.as_str()?.to_owned());
        let queue = text("topic").zip(text("brokerName")).zip(key.get("queueId").and_then(Value::as_i32));
        if let Some((((topic, broker_name), queue_id), offset)) = queue.zip(offset.as_i64()) {
            offsets.update(&PullQueue { topic, broker_name, queue_id }, offset, false);
        }
    }
    Ok(offsets)
}
