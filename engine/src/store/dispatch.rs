//! What becomes of one record: a unit in its ConsumeQueue, its keys in the index.

use std::sync::Arc;

use crate::disk::Disk;
use crate::message::TransactionType;
use crate::message::record::Dispatch;
use crate::planted::PlantedFault;

use super::consume_queue::{ConsumeQueue, Unit};
use super::queue_table::{QueueState, QueueTable};
use super::step::{Flag, IndexSkip};
use super::{BrokerRole, DispatchInfo, Env, Step, Store, StoreConfig, Work};

/// Attempts to write a unit (`putMessagePositionInfoWrapper`).
const MAX_TRIES: i32 = 30;
/// Pause after an attempt that failed, milliseconds.
pub(super) const UNIT_RETRY_MS: i64 = 1000;

impl<D: Disk> Store<D> {
    /// Dispatches a record (`doDispatch`): first its ConsumeQueue, then the index. What fails there does not stop the
    /// next record.
    pub(super) fn dispatch<E: Env>(&mut self, record: &Dispatch<'_>, env: &mut E) -> DispatchInfo {
        loop {
            match self.place_unit(record, env) {
                Some(topic) => return self.finish_dispatch(record, topic, env),
                None => env.spend(Work::Sleep(UNIT_RETRY_MS)),
            }
        }
    }

    /// The first half of a dispatch: one attempt at the record's unit, if it is to have one. Answers the topic; `None`
    /// asks for another attempt.
    pub(super) fn place_unit<E: Env>(&mut self, record: &Dispatch<'_>, env: &mut E) -> Option<Arc<str>> {
        let transaction = record.transaction_type();
        if transaction.takes_queue_offset() {
            return self.put_unit(record, env);
        }
        let prepared = transaction == TransactionType::Prepared;
        env.step(|| Step::UnitNotWanted { physical_offset: record.physical_offset, prepared });
        Some(Arc::from(&*record.topic))
    }

    /// The second half of a dispatch: the record's keys.
    pub(super) fn finish_dispatch<E: Env>(
        &mut self,
        record: &Dispatch<'_>,
        topic: Arc<str>,
        env: &mut E,
    ) -> DispatchInfo {
        if self.config.message_index_enable {
            self.index.build(&mut self.disk, record, &mut self.checkpoint, &mut self.flags, env);
        } else {
            let physical_offset = record.physical_offset;
            env.step(|| Step::IndexSkipped { physical_offset, reason: IndexSkip::Disabled });
        }
        env.spend(Work::Dispatch);
        DispatchInfo {
            topic,
            queue_id: record.queue_id,
            queue_offset: record.queue_offset,
            physical_offset: record.physical_offset,
            size: record.size,
            tags_code: record.tags_code,
            store_timestamp: record.store_timestamp,
            sys_flag: record.sys_flag,
            bit_map: self.bit_maps.as_ref().and_then(|of| of.bit_map(record)),
        }
    }

    /// One of up to 30 attempts to put the record's unit; after the last the store marks itself as broken. Answers the
    /// topic; `None` asks for another attempt. Whether units may be written at all is asked before the first only.
    fn put_unit<E: Env>(&mut self, record: &Dispatch<'_>, env: &mut E) -> Option<Arc<str>> {
        let state = self.queues.entry(&record.topic, record.queue_id);
        let topic = Arc::clone(&state.topic);
        let queue = state.queue_or_create(&self.config, env);
        let attempt = std::mem::take(&mut self.unit_tries);
        if attempt < MAX_TRIES && (attempt > 0 || self.flags.is_consume_queue_writeable()) {
            let bits = self.bit_maps.as_ref().and_then(|of| of.bit_map(record)).unwrap_or_default();
            let tags_code = queue.put_ext(&mut self.disk, record.tags_code, record.store_timestamp, &bits, env);
            let wrong = self.planted.has(PlantedFault::UnitOfNextRecord);
            let physical_offset = record.physical_offset + if wrong { i64::from(record.size) } else { 0 };
            let unit = Unit { physical_offset, size: record.size, tags_code };
            if queue.put(&mut self.disk, unit, record.queue_offset, env) {
                if self.config.broker_role == BrokerRole::Slave {
                    self.checkpoint.physic_msg_timestamp = record.store_timestamp;
                }
                self.checkpoint.logics_msg_timestamp = record.store_timestamp;
                return Some(topic);
            }
            env.step(|| Step::UnitFailed {
                topic: topic.to_string(),
                queue_id: record.queue_id,
                queue_offset: record.queue_offset,
                attempt,
            });
            self.unit_tries = attempt + 1;
            return None;
        }
        if self.flags.raise(Flag::WriteLogicsQueueError) {
            env.step(|| Step::FlagRaised { flag: Flag::WriteLogicsQueueError });
        }
        Some(topic)
    }
}

impl QueueState {
    /// The queue, made if it was never read or written (`findConsumeQueue`).
    pub(super) fn queue_or_create<E: Env>(&mut self, config: &StoreConfig, env: &mut E) -> &mut ConsumeQueue {
        self.queue.get_or_insert_with(|| {
            env.step(|| Step::QueueCreated { topic: self.topic.to_string(), queue_id: self.queue_id });
            ConsumeQueue::new(Arc::clone(&self.topic), self.queue_id, config)
        })
    }
}

impl QueueTable {
    /// The queue, made if it was never read or written (`findConsumeQueue`).
    pub(super) fn queue_or_create<E: Env>(
        &mut self,
        topic: &str,
        queue_id: i32,
        config: &StoreConfig,
        env: &mut E,
    ) -> &mut ConsumeQueue {
        self.entry(topic, queue_id).queue_or_create(config, env)
    }
}
