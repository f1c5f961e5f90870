//! Putting messages: the checks before the lock, and what the answer waits for.

use crate::disk::Disk;
use crate::message::batch::{self, MessageBatch};
use crate::message::delay::SCHEDULE_TOPIC;
use crate::message::record::{EncodeError, Limits, encoded_len};
use crate::message::{Message, TransactionType, java, property};

use super::append::{BatchTarget, Payload};
use super::outcome::{CommitRequest, PutMessageResult, PutMessageStatus};
use super::{BrokerRole, Env, FlushDiskType, Step, Store, Work};

/// The most characters of a topic (`Byte.MAX_VALUE`).
const MAX_TOPIC_LENGTH: usize = 127;
/// The most characters of the stored properties (`Short.MAX_VALUE`).
const MAX_PROPERTIES_LENGTH: usize = 32_767;
/// A lock held longer than this is taken for not held at all.
const BUSY_TIME_MAX: i64 = 10_000_000;

impl<D: Disk> Store<D> {
    /// Appends a message (`asyncPutMessage`). The IPv6 bits of its sysFlag follow the hosts; a message with a delay level
    /// goes to `SCHEDULE_TOPIC_XXXX` with its stored properties rebuilt from its map.
    ///
    /// `UNKNOWN_ERROR` without an append stands for what 4.9.8 throws: a `DELAY` property that is no number, a disk that
    /// refuses to be written.
    pub fn put_message<E: Env>(&mut self, message: &Message, env: &mut E) -> PutMessageResult {
        match self.prepare(message, env) {
            Ok(None) => self.put_prepared(message, env),
            Ok(Some(delayed)) => self.put_prepared(&delayed, env),
            Err(status) => refuse(status, env),
        }
    }

    fn put_prepared<E: Env>(&mut self, message: &Message, env: &mut E) -> PutMessageResult {
        let size = match encoded_len(message, &self.limits()) {
            Ok(size) => size,
            Err(EncodeError::PropertiesSizeExceeded(_)) => {
                return refuse(PutMessageStatus::PropertiesSizeExceeded, env);
            }
            Err(EncodeError::MessageIllegal { .. }) => return refuse(PutMessageStatus::MessageIllegal, env),
        };
        env.step(|| Step::Encoded { size, body_length: message.body.len() as i32 });
        let mut payload = Payload::Message(message, size);
        let result = self.append(&mut payload, &message.topic, message.queue_id, env);
        self.submit(result, || message.waits_for_store(), env)
    }

    /// Appends the messages of a batch, all into one file (`asyncPutMessages`). `UNKNOWN_ERROR` without an append stands
    /// for what 4.9.8 throws: entries that cannot be read, properties or body over the limits of the encoder.
    pub fn put_messages<E: Env>(&mut self, batch: &MessageBatch, env: &mut E) -> PutMessageResult {
        let mut records = match self.prepare_batch(batch, env) {
            Ok(records) => records,
            Err(status) => return refuse(status, env),
        };
        let (messages, size) = (records.sizes.len(), records.bytes.len());
        env.step(|| Step::BatchEncoded { messages: messages as i32, size: size as i32 });
        let target = BatchTarget { records: &mut records, store_host: batch.store_host, offsets: vec![0; messages] };
        let result = self.append(&mut Payload::Batch(target), &batch.topic, batch.queue_id, env);
        let waits = || batch.properties.get(property::WAIT).is_none_or(|wait| wait.eq_ignore_ascii_case("true"));
        self.submit(result, waits, env)
    }

    /// The checks before anything is encoded. A delayed message comes back as the one to append instead.
    fn prepare<E: Env>(&self, message: &Message, env: &mut E) -> Result<Option<Message>, PutMessageStatus> {
        self.check_store(env.now())?;
        if java::utf16_len(&message.topic) > MAX_TOPIC_LENGTH
            || java::utf16_len(&message.properties_text) > MAX_PROPERTIES_LENGTH
        {
            return Err(PutMessageStatus::MessageIllegal);
        }
        if !message.transaction_type().takes_queue_offset() {
            return Ok(None);
        }
        let level = message.delay_level().ok_or(PutMessageStatus::UnknownError)?;
        Ok((level > 0).then(|| self.delay(message, level, env)))
    }

    /// The message as it waits in the queue of its delay level; where it belongs is kept in its properties.
    fn delay<E: Env>(&self, message: &Message, asked: i32, env: &mut E) -> Message {
        let level = asked.min(self.schedule.levels().max_level());
        let mut delayed = Message { topic: SCHEDULE_TOPIC.to_owned(), queue_id: level - 1, ..message.clone() };
        env.step(|| Step::Delayed {
            real_topic: message.topic.clone(),
            real_queue_id: message.queue_id,
            level,
            queue_id: delayed.queue_id,
        });
        if level != asked {
            delayed.properties.put(property::DELAY, level.to_string());
        }
        delayed.properties.put(property::REAL_TOPIC, message.topic.clone());
        delayed.properties.put(property::REAL_QID, message.queue_id.to_string());
        delayed.rebuild_properties_text();
        delayed
    }

    fn prepare_batch<E: Env>(&self, batch: &MessageBatch, env: &E) -> Result<batch::BatchRecords, PutMessageStatus> {
        self.check_store(env.now())?;
        if java::utf16_len(&batch.topic) > MAX_TOPIC_LENGTH
            || i32::try_from(batch.body.len()).map_or(true, |len| len > self.config.max_message_size)
            || TransactionType::of(batch.sys_flag) != TransactionType::Not
        {
            return Err(PutMessageStatus::MessageIllegal);
        }
        let level = batch.properties.get(property::DELAY).map_or(Some(0), java::parse_int);
        if level.ok_or(PutMessageStatus::UnknownError)? > 0 {
            return Err(PutMessageStatus::MessageIllegal);
        }
        batch::expand(batch, &self.limits()).map_err(|_| PutMessageStatus::UnknownError)
    }

    fn limits(&self) -> Limits {
        Limits { max_message_size: self.config.max_message_size }
    }

    /// Whether the store takes messages at all (`checkStoreStatus`).
    fn check_store(&self, now: i64) -> Result<(), PutMessageStatus> {
        if !self.takes_messages() {
            return Err(PutMessageStatus::ServiceNotAvailable);
        }
        if self.is_os_page_cache_busy(now) {
            return Err(PutMessageStatus::OsPageCacheBusy);
        }
        Ok(())
    }

    /// Whether somebody has held the append lock too long (`isOSPageCacheBusy`).
    pub fn is_os_page_cache_busy(&self, now: i64) -> bool {
        let held = now.wrapping_sub(self.commit_log.begin_time_in_lock);
        held < BUSY_TIME_MAX && held > self.config.os_page_cache_busy_time_out_mills
    }

    /// When the append lock will have been held too long, milliseconds since the epoch; `None` while nobody holds it.
    pub fn os_page_cache_busy_from(&self) -> Option<i64> {
        let begin = self.commit_log.begin_time_in_lock;
        let held = self.config.os_page_cache_busy_time_out_mills;
        (begin > 0).then(|| begin.saturating_add(held).saturating_add(1))
    }

    /// Says what the answer waits for (`submitFlushRequest`, `submitReplicaRequest`).
    fn submit<E: Env>(&self, mut result: PutMessageResult, waits: impl Fn() -> bool, env: &mut E) -> PutMessageResult {
        let Some(append) = result.append.as_ref().filter(|_| result.status == PutMessageStatus::PutOk) else {
            return refuse_with(result, env);
        };
        env.spend(Work::Append);
        let next_offset = append.wrote_offset.wrapping_add(i64::from(append.wrote_bytes));
        let request = |timeout: i32, env: &E| CommitRequest {
            next_offset,
            deadline: env.now().saturating_add(i64::from(timeout)),
        };
        let wait = self.config.flush_disk_type == FlushDiskType::SyncFlush && waits();
        env.step(|| Step::FlushRequested { next_offset, wait });
        if wait {
            result.flush = Some(request(self.config.sync_flush_timeout, env));
        }
        if self.config.broker_role == BrokerRole::SyncMaster && waits() {
            if self.is_slave_ok(next_offset) {
                env.step(|| Step::ReplicaRequested { next_offset });
                result.replica = Some(request(self.config.slave_timeout, env));
            } else {
                let slaves = self.slave_connections();
                let behind = next_offset.wrapping_sub(self.push_to_slave_max_offset());
                env.step(|| Step::SlaveMissing { next_offset, slaves, behind });
                result.status = PutMessageStatus::SlaveNotAvailable;
            }
        }
        result
    }
}

fn refuse<E: Env>(status: PutMessageStatus, env: &mut E) -> PutMessageResult {
    refuse_with(PutMessageResult::refused(status), env)
}

fn refuse_with<E: Env>(result: PutMessageResult, env: &mut E) -> PutMessageResult {
    env.step(|| Step::PutRefused { status: result.status });
    result
}
