//! Looking messages up by physical offset, key and time.

use bytes::Bytes;

use crate::disk::Disk;
use crate::message::{OffsetMsgId, record};

use super::consume_queue::{ConsumeQueue, UNIT_SIZE, Unit};
use super::index_file::IndexKey;
use super::mapped_file::read_array;
use super::outcome::{Located, QueryMessageResult, QueryOffsetResult};
use super::{Env, StillEnv, Store};

/// Rounds of a query by key, each looking further back (`queryMessage`).
const QUERY_ROUNDS: usize = 3;

impl<D: Disk> Store<D> {
    /// `size` bytes of the commit log from `physical_offset` on, if all can be read (`selectOneMessageByOffset`).
    ///
    /// Once the head of the log is gone, physical offset 0 is answered with the first surviving byte, as 4.9.8 does.
    pub fn read(&self, physical_offset: i64, size: i32) -> Option<Bytes> {
        self.commit_log.read(&self.disk, physical_offset, size)
    }

    /// The bytes at `physical_offset` as long as their first four say (`selectOneMessageByOffset`): what a broker sends
    /// back for a message id. Nobody has tested that they are a record.
    pub fn select_one_message(&self, physical_offset: i64) -> Option<Bytes> {
        let size = self.commit_log.record_size(&self.disk, physical_offset)?;
        self.commit_log.read(&self.disk, physical_offset, size)
    }

    /// The bytes at `physical_offset` that can be read as a record (`lookMessageByOffset`), to be read by
    /// [`record::decode_unchecked`]: nobody looks whether they are one.
    pub fn look_message_by_offset(&self, physical_offset: i64) -> Option<Bytes> {
        self.select_one_message(physical_offset).filter(|bytes| record::decode_unchecked(bytes).is_ok())
    }

    /// The record that an offsetMsgId names. Its host is not looked at: it says which broker to ask.
    pub fn message_by_id(&self, id: &OffsetMsgId) -> Option<Bytes> {
        self.look_message_by_offset(id.physical_offset)
    }

    /// Physical offsets by key, from the index alone (`IndexService.queryOffset`); `max` counts as at most
    /// `maxMsgsNumBatch`.
    pub fn query_offset(&self, topic: &str, key: &str, max: i32, begin: i64, end: i64) -> QueryOffsetResult {
        self.query_offset_in(topic, key, max, begin, end, &mut StillEnv::default())
    }

    fn query_offset_in<E: Env>(
        &self,
        topic: &str,
        key: &str,
        max: i32,
        begin: i64,
        end: i64,
        env: &mut E,
    ) -> QueryOffsetResult {
        let max = usize::try_from(max.min(self.config.max_msgs_num_batch)).unwrap_or(0);
        self.index.query_offset(&self.disk, IndexKey::new(topic, key), max, (begin, end), env)
    }

    /// Messages by key, stored from `begin` to `end` (`queryMessage`). Keys are not compared, only their hashes.
    pub fn query_message(&self, topic: &str, key: &str, max: i32, begin: i64, end: i64) -> QueryMessageResult {
        self.query_message_in(topic, key, max, begin, end, &mut StillEnv::default())
    }

    /// [`Store::query_message`], telling `env` which index files were searched.
    pub fn query_message_in<E: Env>(
        &self,
        topic: &str,
        key: &str,
        max: i32,
        begin: i64,
        end: i64,
        env: &mut E,
    ) -> QueryMessageResult {
        let mut result = QueryMessageResult::default();
        let mut last_time = end;
        for _ in 0..QUERY_ROUNDS {
            let mut found = self.query_offset_in(topic, key, max, begin, last_time, env);
            if found.phy_offsets.is_empty() {
                break;
            }
            found.phy_offsets.sort_unstable();
            result.index_last_update_timestamp = found.index_last_update_timestamp;
            result.index_last_update_phyoffset = found.index_last_update_phyoffset;
            for (index, &offset) in found.phy_offsets.iter().enumerate() {
                if index == 0 {
                    // The oldest must be a record, else it is left out; the others are not looked at.
                    let Some(time) = self.record_time(offset) else { continue };
                    last_time = time;
                }
                result.messages.extend(self.locate(offset));
            }
            if !result.messages.is_empty() || last_time < begin {
                break;
            }
        }
        result
    }

    /// The store time in the record at `offset`.
    fn record_time(&self, offset: i64) -> Option<i64> {
        record::decode_unchecked(&self.select_one_message(offset)?).ok().map(|record| record.store_timestamp)
    }

    /// The bytes at `offset` as long as their first four say; unlike other reads this one does not take offset 0 for the
    /// first surviving byte.
    fn locate(&self, offset: i64) -> Option<Located> {
        let file = self.commit_log.files.find(offset)?;
        let position = self.commit_log.files.position_of(offset);
        let readable = file.readable_from(position)?;
        let size = read_array(&self.disk, file.id, i64::from(position)).map(i32::from_be_bytes)?;
        (size >= 0 && size <= readable && readable >= 4).then_some(Located { physical_offset: offset, size })
    }

    /// Queue offset after the last message; the queue is made if it is new (`getMaxOffsetInQueue`).
    pub fn max_offset_in_queue(&mut self, topic: &str, queue_id: i32) -> i64 {
        self.queue_for_reading(topic, queue_id).max_offset_in_queue()
    }

    /// First queue offset that can be read; the queue is made if it is new (`getMinOffsetInQueue`).
    pub fn min_offset_in_queue(&mut self, topic: &str, queue_id: i32) -> i64 {
        self.queue_for_reading(topic, queue_id).min_offset_in_queue()
    }

    /// The unit of a queue offset.
    pub fn unit(&self, topic: &str, queue_id: i32, queue_offset: i64) -> Option<Unit> {
        self.queue(topic, queue_id)?.unit(&self.disk, queue_offset)
    }

    /// Store time of the message at a queue offset; -1 if there is none (`getMessageStoreTimeStamp`).
    pub fn message_store_timestamp(&mut self, topic: &str, queue_id: i32, queue_offset: i64) -> i64 {
        self.queue_for_reading(topic, queue_id);
        self.unit(topic, queue_id, queue_offset)
            .map_or(-1, |unit| self.commit_log.store_timestamp(&self.disk, unit.physical_offset, unit.size))
    }

    /// Store time of the first message of a queue; -1 if there is none (`getEarliestMessageTime`).
    pub fn earliest_message_time(&mut self, topic: &str, queue_id: i32) -> i64 {
        let min = self.min_offset_in_queue(topic, queue_id);
        self.message_store_timestamp(topic, queue_id, min)
    }

    /// Whether the message at a queue offset is so far back that it counts as being on the disk
    /// (`checkInDiskByConsumeOffset`).
    pub fn is_in_disk(&mut self, topic: &str, queue_id: i32, queue_offset: i64) -> bool {
        self.queue_for_reading(topic, queue_id);
        let behind = |unit: Unit| self.max_phy_offset().wrapping_sub(unit.physical_offset);
        self.unit(topic, queue_id, queue_offset).is_some_and(|unit| behind(unit) > self.config.memory_for_messages())
    }

    fn queue_for_reading(&mut self, topic: &str, queue_id: i32) -> &ConsumeQueue {
        self.queues.queue_or_create(topic, queue_id, &self.config, &mut StillEnv::default())
    }

    /// The queue offset whose message was stored nearest to `timestamp` (`getOffsetInQueueByTime`): of one file, the first
    /// that was written at that time or later. Of two that are equally near the earlier.
    pub fn offset_in_queue_by_time(&mut self, topic: &str, queue_id: i32, timestamp: i64) -> i64 {
        self.queue_for_reading(topic, queue_id);
        self.queue(topic, queue_id).and_then(|queue| self.search_time(queue, timestamp)).unwrap_or(0)
    }

    fn search_time(&self, queue: &ConsumeQueue, timestamp: i64) -> Option<i64> {
        let modified = |file: &&super::mapped_file::MappedFile| {
            self.disk.meta(file.id).is_ok_and(|meta| meta.modified >= timestamp)
        };
        let file = queue.files.files().iter().find(modified).or_else(|| queue.files.last())?;
        let mut low = (queue.min_logic_offset() - file.from_offset).clamp(0, i64::from(i32::MAX)) as i32;
        let mut high = file.readable_from(0)? - UNIT_SIZE;
        let (mut left, mut right) = (None, None);
        // Of units whose records are gone nobody knows the time.
        let mut left_gone = None;
        while high >= low {
            let middle = low.saturating_add(high) / (2 * UNIT_SIZE) * UNIT_SIZE;
            let unit = Unit::from_bytes(&read_array(&self.disk, file.id, i64::from(middle))?);
            if unit.physical_offset < self.min_phy_offset() {
                low = middle + UNIT_SIZE;
                left_gone = Some(middle);
                continue;
            }
            let time = self.commit_log.store_timestamp(&self.disk, unit.physical_offset, unit.size);
            if time < 0 {
                return None;
            }
            match time.cmp(&timestamp) {
                std::cmp::Ordering::Equal => return Some(queue_offset(file.from_offset, middle)),
                std::cmp::Ordering::Greater => {
                    high = middle - UNIT_SIZE;
                    right = Some((middle, time));
                }
                std::cmp::Ordering::Less => {
                    low = middle + UNIT_SIZE;
                    left = Some((middle, time));
                    left_gone = Some(middle);
                }
            }
        }
        // -1 as in 4.9.8, where a position that was never set is one byte before the file.
        let position = match (left, right) {
            (None, right) => right.map_or(-1, |(middle, _)| middle),
            (Some(_), None) => left_gone.unwrap_or(-1),
            (Some((_, left_time)), Some((right, right_time))) => {
                let nearer = distance(timestamp, left_time) > distance(timestamp, right_time);
                if nearer { right } else { left_gone.unwrap_or(-1) }
            }
        };
        Some(queue_offset(file.from_offset, position))
    }
}

fn queue_offset(file_start: i64, position: i32) -> i64 {
    file_start.wrapping_add(i64::from(position)) / i64::from(UNIT_SIZE)
}

/// `Math.abs(a - b)`.
fn distance(a: i64, b: i64) -> i64 {
    a.wrapping_sub(b).wrapping_abs()
}
