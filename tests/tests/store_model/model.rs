//! The model: what a store must hold, as vectors, for small files of fixed sizes.

use std::collections::BTreeMap;

use rocketscope_engine::message::{sys_flag, tags};

use crate::ops::{Envelope, TAGS, keys_of};

pub(crate) const LOG_FILE: i64 = 2048;
pub(crate) const QUEUE_FILE_UNITS: i64 = 5;

/// A record of the model.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) offset: i64,
    pub(crate) size: i32,
    pub(crate) body: Vec<u8>,
}

/// A unit of the model: the record and the code of its tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) record: usize,
    pub(crate) tags_code: i64,
}

/// The store as vectors.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) end: i64,
    pub(crate) records: Vec<Stored>,
    pub(crate) queues: BTreeMap<(usize, i32), Vec<Unit>>,
    /// Topic, key and record of every index entry, in order.
    pub(crate) index: Vec<(usize, String, usize)>,
    /// Records that dispatch has seen, but no queue: half and rolled-back ones behind the last unit.
    pub(crate) tail: Vec<(usize, Vec<String>)>,
    pub(crate) last_indexed: Option<usize>,
}

impl Model {
    /// Where `len` bytes go: behind the last record, or at the start of the next file when they and a blank record do
    /// not fit.
    pub(crate) fn place(&mut self, len: i64) -> i64 {
        let room = LOG_FILE - self.end % LOG_FILE;
        if len + 8 > room {
            self.end += room;
        }
        let offset = self.end;
        self.end += len;
        offset
    }

    pub(crate) fn add(&mut self, envelope: &Envelope, offset: i64, size: i32, body: Vec<u8>) {
        let record = self.records.len();
        self.records.push(Stored { offset, size, body });
        let in_queue = matches!(envelope.transaction, 0 | sys_flag::TRANSACTION_COMMIT);
        let keys = if envelope.transaction == sys_flag::TRANSACTION_ROLLBACK { Vec::new() } else { keys_of(envelope) };
        if in_queue {
            let tags_code = tags::tags_code(envelope.tag.map(|tag| TAGS[tag]));
            self.queues.entry(envelope.queue).or_default().push(Unit { record, tags_code });
            self.tail.clear();
        } else {
            self.tail.push((record, keys.clone()));
        }
        self.index_record(envelope.queue.0, record, keys);
    }

    fn index_record(&mut self, topic: usize, record: usize, keys: Vec<String>) {
        if !keys.is_empty() {
            self.last_indexed = Some(record);
        }
        self.index.extend(keys.into_iter().map(|key| (topic, key, record)));
    }

    /// A restart dispatches once more what stands behind the last unit; the index takes a record that is not before its
    /// last one, which is that one itself.
    pub(crate) fn restart(&mut self, topic_of: impl Fn(usize) -> usize) {
        for (record, keys) in self.tail.clone() {
            if self.last_indexed.is_none_or(|last| record >= last) {
                self.index_record(topic_of(record), record, keys);
            }
        }
    }
}
