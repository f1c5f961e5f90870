//! Writing records into the commit log's last file, under the append lock.

use crate::disk::{Disk, DiskError};
use crate::message::batch::BatchRecords;
use crate::message::record::{self, END_FILE_MIN_BLANK_LENGTH};
use crate::message::{Host, Message, OffsetMsgId};

use super::mapped_file::MappedFile;
use super::outcome::{AppendMessageResult, AppendMessageStatus, MsgIds, PutMessageResult, PutMessageStatus};
use super::queue_table::QueueState;
use super::{Env, Step, Store};

/// What is to be appended.
pub(super) enum Payload<'m> {
    /// A message and the length of its record.
    Message(&'m Message, i32),
    /// The records of a batch.
    Batch(BatchTarget<'m>),
}

/// A batch under way: its records, and where each begins.
pub(super) struct BatchTarget<'m> {
    pub(super) records: &'m mut BatchRecords,
    pub(super) store_host: Host,
    /// Physical offsets of the records. Those behind the one that no longer fitted a file are zero.
    pub(super) offsets: Vec<i64>,
}

impl<D: Disk> Store<D> {
    /// Appends under the lock: into the last file, and where it has no room once more into a new one, whatever comes of
    /// that (`CommitLog.asyncPutMessage`). An error of the disk is what 4.9.8 throws out of the put.
    pub(super) fn append<E: Env>(
        &mut self,
        payload: &mut Payload<'_>,
        topic: &str,
        queue_id: i32,
        env: &mut E,
    ) -> PutMessageResult {
        env.step(|| Step::LockTaken);
        self.disk.set_time(env.now());
        let now = self.commit_log.lock_taken_at.unwrap_or_else(|| env.now());
        let result = self.append_locked(payload, topic, queue_id, now, env);
        env.step(|| Step::LockReleased);
        result
    }

    fn append_locked<E: Env>(
        &mut self,
        payload: &mut Payload<'_>,
        topic: &str,
        queue_id: i32,
        now: i64,
        env: &mut E,
    ) -> PutMessageResult {
        let mut rolled = None;
        loop {
            let Some(file) = self.commit_log.files.last_or_create(&mut self.disk, 0, env) else {
                let status = PutMessageStatus::CreateMappedFileFailed;
                return PutMessageResult { append: rolled, ..PutMessageResult::refused(status) };
            };
            let queue = self.queues.entry(topic, queue_id);
            let mut target = Target { file, queue, now };
            let append = match payload {
                Payload::Message(message, size) => {
                    target.append_message(&mut self.disk, message, *size, &mut self.scratch.0, env)
                }
                Payload::Batch(batch) => target.append_batch(&mut self.disk, batch, env),
            };
            match append {
                Some(append) if append.status == AppendMessageStatus::EndOfFile && rolled.is_none() => {
                    rolled = Some(append);
                }
                Some(append) => {
                    return PutMessageResult {
                        append: Some(append),
                        ..PutMessageResult::refused(PutMessageStatus::PutOk)
                    };
                }
                None => return PutMessageResult::refused(PutMessageStatus::UnknownError),
            }
        }
    }
}

/// The file and the queue that a put goes to.
struct Target<'s> {
    file: &'s mut MappedFile,
    queue: &'s mut QueueState,
    now: i64,
}

impl Target<'_> {
    fn remaining(&self) -> i32 {
        self.file.size - self.file.wrote
    }

    /// Physical offset of the next byte.
    fn offset(&self) -> i64 {
        self.file.from_offset.wrapping_add(i64::from(self.file.wrote))
    }

    /// Appends one record (`DefaultAppendMessageCallback.doAppend`); `None` if the disk refuses.
    fn append_message<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        message: &Message,
        size: i32,
        scratch: &mut Vec<u8>,
        env: &mut E,
    ) -> Option<AppendMessageResult> {
        let takes_offset = message.transaction_type().takes_queue_offset();
        let next = self.queue.next_offset.get_or_insert(0);
        let queue_offset = if takes_offset { *next } else { 0 };
        let offset = self.offset();
        let msg_ids = MsgIds::One(OffsetMsgId { host: message.store_host, physical_offset: offset });
        if i64::from(size) + i64::from(END_FILE_MIN_BLANK_LENGTH) > i64::from(self.remaining()) {
            return self.append_blank(disk, msg_ids, queue_offset, env);
        }
        self.tell_queue_offset(queue_offset, env);
        if let Some(window) = self.file.window(disk, size) {
            record::encode_into(message, size, window)?;
            record::patch(window, queue_offset, offset, self.now);
        } else {
            scratch.clear();
            scratch.resize(usize::try_from(size).ok()?, 0);
            record::encode_into(message, size, scratch)?;
            record::patch(scratch, queue_offset, offset, self.now);
            self.write(disk, scratch, env)?;
        }
        if takes_offset {
            self.queue.next_offset = Some(queue_offset.wrapping_add(1));
        }
        self.tell_appended(disk, self.file.wrote, size, env);
        Some(self.done(AppendMessageStatus::PutOk, size, msg_ids, queue_offset, 1))
    }

    /// Appends the records of a batch, all or none.
    fn append_batch<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        batch: &mut BatchTarget<'_>,
        env: &mut E,
    ) -> Option<AppendMessageResult> {
        let first_queue_offset = *self.queue.next_offset.get_or_insert(0);
        let mut queue_offset = first_queue_offset;
        let mut size = 0i32;
        let mut rest = batch.records.bytes.as_mut_slice();
        for (&len, place) in batch.records.sizes.iter().zip(&mut batch.offsets) {
            let end = i64::from(size) + i64::from(len);
            if end + i64::from(END_FILE_MIN_BLANK_LENGTH) > i64::from(self.remaining()) {
                let msg_ids = MsgIds::Batch(batch.store_host, batch.offsets.clone());
                return self.append_blank(disk, msg_ids, first_queue_offset, env);
            }
            let (record, behind) = rest.split_at_mut_checked(usize::try_from(len).ok()?)?;
            *place = self.offset().wrapping_add(i64::from(size));
            record::patch(record, queue_offset, *place, self.now);
            queue_offset = queue_offset.wrapping_add(1);
            size = i32::try_from(end).ok()?;
            rest = behind;
        }
        self.write(disk, &batch.records.bytes, env)?;
        self.queue.next_offset = Some(queue_offset);
        let mut position = self.file.wrote;
        for (&len, queue_offset) in batch.records.sizes.iter().zip(first_queue_offset..) {
            self.tell_queue_offset(queue_offset, env);
            self.tell_appended(disk, position, len, env);
            position = position.wrapping_add(len);
        }
        let msg_ids = MsgIds::Batch(batch.store_host, batch.offsets.clone());
        let count = batch.records.sizes.len() as i32;
        Some(self.done(AppendMessageStatus::PutOk, size, msg_ids, first_queue_offset, count))
    }

    /// Fills the rest of the file: 8 bytes are written, and the file counts as full.
    fn append_blank<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        msg_ids: MsgIds,
        queue_offset: i64,
        env: &mut E,
    ) -> Option<AppendMessageResult> {
        let remaining = self.remaining();
        if remaining < END_FILE_MIN_BLANK_LENGTH {
            return None;
        }
        let blank = record::blank(remaining);
        self.told(|file| file.write_blank(disk, &blank), env)?;
        let (physical_offset, position, file) = (self.offset(), self.file.wrote, self.file.id);
        env.step(|| Step::BlankWritten {
            physical_offset,
            remaining,
            file: disk.path(file).unwrap_or_default(),
            position,
        });
        Some(self.done(AppendMessageStatus::EndOfFile, remaining, msg_ids, queue_offset, 1))
    }

    fn write<D: Disk, E: Env>(&mut self, disk: &mut D, bytes: &[u8], env: &mut E) -> Option<()> {
        self.told(|file| file.write(disk, bytes), env)
    }

    /// Writes to the file, and tells of a disk that refuses.
    fn told<E: Env>(
        &mut self,
        write: impl FnOnce(&mut MappedFile) -> Result<(), DiskError>,
        env: &mut E,
    ) -> Option<()> {
        write(self.file).inspect_err(|error| env.step(|| Step::DiskFailed { error: error.to_string() })).ok()
    }

    /// Lets the file move on behind what was written.
    fn done(
        &mut self,
        status: AppendMessageStatus,
        wrote_bytes: i32,
        msg_ids: MsgIds,
        queue_offset: i64,
        msg_num: i32,
    ) -> AppendMessageResult {
        let wrote_offset = self.offset();
        self.file.wrote += wrote_bytes;
        self.file.store_timestamp = self.now;
        let store_timestamp = self.now;
        AppendMessageResult { status, wrote_offset, wrote_bytes, msg_ids, store_timestamp, queue_offset, msg_num }
    }

    fn tell_queue_offset<E: Env>(&self, queue_offset: i64, env: &mut E) {
        env.step(|| Step::QueueOffsetAssigned {
            topic: self.queue.topic.to_string(),
            queue_id: self.queue.queue_id,
            queue_offset,
        });
    }

    fn tell_appended<D: Disk, E: Env>(&self, disk: &D, position: i32, size: i32, env: &mut E) {
        env.step(|| Step::Appended {
            physical_offset: self.file.from_offset.wrapping_add(i64::from(position)),
            size,
            file: disk.path(self.file.id).unwrap_or_default(),
            position,
        });
    }
}
