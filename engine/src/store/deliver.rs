//! What the delivery of a delayed message reads and puts (`ScheduleMessageService`: `executeOnTimeup`, `messageTimeup`).

use std::fmt;

use crate::disk::Disk;
use crate::message::delay::SCHEDULE_TOPIC;
use crate::message::{Message, java, property, record, transaction::HALF_TOPIC};

use super::consume_queue::UNIT_SIZE;
use super::consume_queue_ext::is_ext_address;
use super::{BrokerRole, Store};

/// A unit in the queue of a delay level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedUnit {
    /// When it is due by itself, milliseconds since the epoch: what stands in place of the tags' hash.
    pub deliver_ms: i64,
    /// Where its record starts.
    pub physical_offset: i64,
    /// The record's length in bytes.
    pub size: i32,
    /// The queue offset after the last unit that a task sees which begins here: its ConsumeQueue file ends there, or the
    /// queue does.
    pub run_end: i64,
}

/// Why a delayed message is not put where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undeliverable {
    /// Its record cannot be read. The task passes it over.
    Unreadable,
    /// It is a half message, for which delay means nothing. The task passes it over.
    HalfMessage,
    /// Its properties do not say where it belongs; 4.9.8 throws, and the task comes back to it for ever.
    Malformed(String),
}

impl fmt::Display for Undeliverable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => f.write_str("the record cannot be read"),
            Self::HalfMessage => f.write_str("the real topic is that of half messages"),
            Self::Malformed(cause) => f.write_str(cause),
        }
    }
}

impl<D: Disk> Store<D> {
    /// Whether messages are taken at all: the store runs, is a master's and may be written.
    pub fn takes_messages(&self) -> bool {
        self.running && self.config.broker_role != BrokerRole::Slave && self.flags.is_writeable()
    }

    /// The unit at a queue offset of a delay level's queue; `None` before its first and behind its last.
    pub fn delayed_unit(&self, level: i32, queue_offset: i64) -> Option<DelayedUnit> {
        let queue = self.queue(SCHEDULE_TOPIC, level.checked_sub(1)?)?;
        let unit = queue.unit(&self.disk, queue_offset)?;
        let seen = queue.units_from(queue_offset)?.len / UNIT_SIZE;
        let mut deliver_ms = unit.tags_code;
        if queue.ext.is_some() && is_ext_address(deliver_ms) {
            deliver_ms = queue.ext_unit(&self.disk, deliver_ms).map_or_else(
                || {
                    let stored = self.commit_log.store_timestamp(&self.disk, unit.physical_offset, unit.size);
                    self.schedule.levels().deliver_timestamp(level, stored)
                },
                |ext| ext.tags_code,
            );
        }
        Some(DelayedUnit {
            deliver_ms,
            physical_offset: unit.physical_offset,
            size: unit.size,
            run_end: queue_offset.saturating_add(seen.into()),
        })
    }

    /// Where a level's task goes on that finds no unit at `queue_offset`: at its queue's nearest end, or where it is.
    pub fn nearest_delay_offset(&self, level: i32, queue_offset: i64) -> i64 {
        let queue = level.checked_sub(1).and_then(|queue_id| self.queue(SCHEDULE_TOPIC, queue_id));
        queue.map_or(queue_offset, |queue| {
            queue_offset.min(queue.max_offset_in_queue()).max(queue.min_offset_in_queue())
        })
    }

    /// The message that is due, rebuilt as it is put where it belongs (`messageTimeup`). Its stored properties are those
    /// of the record, so they still hold `DELAY`, `REAL_TOPIC` and `REAL_QID`; in memory it has no delay and waits for
    /// nothing.
    pub fn delayed_message(&self, unit: &DelayedUnit) -> Result<Message, Undeliverable> {
        let bytes = self.read(unit.physical_offset, unit.size).ok_or(Undeliverable::Unreadable)?;
        let record = record::decode_unchecked(&bytes).map_err(|_| Undeliverable::Unreadable)?;
        let mut properties = record.properties();
        let properties_text = properties.to_text();
        properties.put(property::WAIT, "false");
        properties.remove(property::DELAY);
        let queue_id = properties.get(property::REAL_QID).and_then(java::parse_int);
        let queue_id = queue_id.ok_or_else(|| Undeliverable::Malformed("REAL_QID is no number".to_owned()))?;
        let topic = properties.get(property::REAL_TOPIC).map(str::to_owned);
        let topic = topic.ok_or_else(|| Undeliverable::Malformed("REAL_TOPIC is missing".to_owned()))?;
        if topic == HALF_TOPIC {
            return Err(Undeliverable::HalfMessage);
        }
        let body = bytes.slice_ref(record.body);
        Ok(Message {
            topic,
            queue_id,
            flag: record.flag,
            sys_flag: record.sys_flag,
            born_timestamp: record.born_timestamp,
            born_host: record.born_host,
            store_host: record.store_host,
            reconsume_times: record.reconsume_times,
            prepared_transaction_offset: 0,
            body,
            properties,
            properties_text,
        })
    }
}
