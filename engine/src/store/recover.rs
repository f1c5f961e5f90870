//! Finding the end of what is good, after a clean stop and after an unclean one.

use crate::disk::Disk;
use crate::message::record::{Checked, DecodeError, MESSAGE_MAGIC};

use super::mapped_file::read_array;
use super::record_read::{FirstRecord, Stretch};
use super::step::{FileVerdict, RecordFault, RecoveryEnd, RecoveryStart};
use super::{Env, Step, Store};

/// Files at the end of the log that a clean recovery looks at.
const LAST_FILES: usize = 3;

/// What was found at a place of the log.
enum Found {
    Record { size: i32, dispatched: bool },
    Blank { remaining: i32 },
    End(RecoveryEnd),
}

/// A place of the log: number of the file, and position in it.
#[derive(Clone, Copy)]
struct At {
    index: usize,
    position: i32,
}

impl<D: Disk> Store<D> {
    /// Recovers queues, then the log, then the table of queue offsets (`recover`).
    pub(super) fn recover<E: Env>(&mut self, clean: bool, env: &mut E) {
        let mut max_physical = -1;
        for queue in self.queues.queues_mut() {
            queue.recover(&mut self.disk, env);
            max_physical = max_physical.max(queue.max_physic_offset());
        }
        self.recover_commit_log(clean, max_physical, env);
        self.recover_queue_offsets(env);
    }

    /// Checks records from a file near the end on, and lets the log end behind the last good one (`recoverNormally`,
    /// `recoverAbnormally`). After an unclean stop each good record is dispatched on the way.
    fn recover_commit_log<E: Env>(&mut self, clean: bool, max_physical_of_queues: i64, env: &mut E) {
        let files = self.commit_log.files.files();
        if files.is_empty() {
            self.commit_log.files.flushed_where = 0;
            self.commit_log.files.committed_where = 0;
            self.destroy_queues(env);
            return;
        }
        let (index, why) = if clean {
            (files.len().saturating_sub(LAST_FILES), RecoveryStart::LastFiles)
        } else {
            self.last_file_before_checkpoint(env)
        };
        let mut at = At { index, position: 0 };
        env.step(|| Step::RecoveryBegins { file: self.path_at(at), physical_offset: self.offset_at(at), clean, why });
        let why = loop {
            match self.recover_record(at, clean, env) {
                Found::Record { size, dispatched } => {
                    env.step(|| Step::RecordAccepted { physical_offset: self.offset_at(at), size, dispatched });
                    at.position += size;
                }
                Found::Blank { remaining } => {
                    let next = At { index: at.index + 1, position: 0 };
                    let has_next = next.index < self.commit_log.files.files().len();
                    self.tell_blank(at, remaining, has_next.then_some(next), env);
                    if !has_next {
                        break RecoveryEnd::LastBlank;
                    }
                    at = next;
                }
                Found::End(why) => break why,
            }
        };
        let end = self.offset_at(at);
        env.step(|| Step::RecoveryEnds { physical_offset: end, why });
        self.commit_log.files.flushed_where = end;
        self.commit_log.files.committed_where = end;
        self.commit_log.files.truncate(&mut self.disk, end, env);
        env.step(|| Step::LogTruncated { offset: end });
        // Asked of the queues before recovery dispatched anything to them.
        if max_physical_of_queues >= end {
            for queue in self.queues.queues_mut() {
                queue.truncate_dirty(&mut self.disk, end, env);
            }
        }
    }

    /// Where recovery after an unclean stop begins: the last file that begins with a message stored before the checkpoint
    /// (`isMappedFileMatchedRecover`), since everything before it is surely complete; the first file if there is none.
    fn last_file_before_checkpoint<E: Env>(&self, env: &mut E) -> (usize, RecoveryStart) {
        let limit = if self.config.message_index_enable && self.config.message_index_safe {
            self.checkpoint.min_timestamp_index()
        } else {
            self.checkpoint.min_timestamp()
        };
        for (index, file) in self.commit_log.files.files().iter().enumerate().rev() {
            let first = FirstRecord::read(&self.disk, file.id, file.size);
            let why = match first {
                FirstRecord { magic, .. } if magic != MESSAGE_MAGIC => FileVerdict::NoMessage,
                FirstRecord { store_timestamp: 0, .. } => FileVerdict::NoStoreTime,
                FirstRecord { store_timestamp, .. } if store_timestamp > limit => FileVerdict::AfterCheckpoint,
                _ => FileVerdict::BeforeCheckpoint,
            };
            let matches = why == FileVerdict::BeforeCheckpoint;
            env.step(|| Step::RecoveryFileExamined {
                file: self.path_at(At { index, position: 0 }),
                magic: first.magic,
                store_timestamp: first.store_timestamp,
                limit,
                matches,
                why,
            });
            if matches {
                return (index, RecoveryStart::BeforeCheckpoint);
            }
        }
        (0, RecoveryStart::NoneMatched)
    }

    fn offset_at(&self, at: At) -> i64 {
        let start = self.commit_log.files.files().get(at.index).map_or(0, |file| file.from_offset);
        start.wrapping_add(i64::from(at.position))
    }

    fn path_at(&self, at: At) -> String {
        let file = self.commit_log.files.files().get(at.index).and_then(|file| self.disk.path(file.id));
        file.unwrap_or_default()
    }

    fn tell_blank<E: Env>(&self, at: At, remaining: i32, next: Option<At>, env: &mut E) {
        env.step(|| Step::RecoveryBlank {
            physical_offset: self.offset_at(at),
            remaining,
            file: self.path_at(at),
            position: at.position,
            next: next.map(|next| self.offset_at(next)),
        });
        if let Some(next) = next {
            env.step(|| Step::RecoveryFileEntered { file: self.path_at(next), physical_offset: self.offset_at(next) });
        }
    }

    /// Checks the record at a place, and after an unclean stop dispatches it.
    fn recover_record<E: Env>(&mut self, at: At, clean: bool, env: &mut E) -> Found {
        let Some(file) = self.commit_log.files.files().get(at.index) else { return Found::End(RecoveryEnd::NoRecord) };
        let record = Stretch { file: file.id, position: at.position, end: file.size };
        let mut scratch = std::mem::take(&mut self.scratch.0);
        let check_crc = self.config.check_crc_on_recover;
        let found = match record.check_for_recovery(&self.disk, check_crc, self.schedule.levels(), &mut scratch) {
            Err(error) => {
                env.step(|| Step::DiskFailed { error: error.to_string() });
                self.reject(at, None, -1, env)
            }
            Ok(checked) => self.accept(&checked, at, clean, env),
        };
        self.scratch.0 = scratch;
        found
    }

    fn accept<E: Env>(&mut self, checked: &Checked<'_>, at: At, clean: bool, env: &mut E) -> Found {
        match checked {
            Checked::Good(found) if clean => Found::Record { size: found.size, dispatched: false },
            Checked::Good(found) => {
                let dispatched =
                    !self.config.duplication_enable || found.physical_offset < self.commit_log.confirm_offset;
                if dispatched {
                    self.dispatch(found, env);
                }
                Found::Record { size: found.size, dispatched }
            }
            Checked::Blank { remaining } => Found::Blank { remaining: *remaining },
            Checked::Bad { error, size } => self.reject(at, Some(error), *size, env),
        }
    }

    /// Ends recovery at bytes that are no record; without an `error` they could not be read.
    fn reject<E: Env>(&self, at: At, error: Option<&DecodeError>, size: i32, env: &mut E) -> Found {
        env.step(|| {
            let file = self.commit_log.files.files().get(at.index);
            let total_size = file.and_then(|file| read_array(&self.disk, file.id, i64::from(at.position)));
            let total_size = total_size.map_or(0, i32::from_be_bytes);
            Step::RecordRejected {
                physical_offset: self.offset_at(at),
                size,
                file: self.path_at(at),
                position: at.position,
                at: i64::from(at.position) + error.map_or(0, |error| i64::from(error.position)),
                fault: error.map_or(RecordFault::Unreadable, |error| RecordFault::of(&error.cause, total_size)),
            }
        });
        Found::End(if size > 0 { RecoveryEnd::LengthMismatch } else { RecoveryEnd::NoRecord })
    }

    /// Without a commit log no unit means anything (`destroyLogics`).
    fn destroy_queues<E: Env>(&mut self, env: &mut E) {
        for queue in self.queues.queues_mut() {
            queue.destroy(&mut self.disk, env);
        }
        env.step(|| Step::QueuesDestroyed);
    }

    /// Takes the next queue offset of each queue from its units, and corrects its minimum (`recoverTopicQueueTable`).
    pub(super) fn recover_queue_offsets<E: Env>(&mut self, env: &mut E) {
        let min_physical = self.commit_log.min_offset();
        for state in self.queues.states_mut() {
            state.next_offset = None;
            let Some(queue) = &mut state.queue else { continue };
            let next = queue.max_offset_in_queue();
            state.next_offset = Some(next);
            env.step(|| Step::QueueOffsetRecovered { topic: state.topic.to_string(), queue_id: state.queue_id, next });
            queue.correct_min_offset(&mut self.disk, min_physical, env);
        }
    }
}
