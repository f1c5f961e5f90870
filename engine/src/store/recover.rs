//! Finding the end of what is good, after a clean stop and after an unclean one.

use crate::disk::Disk;
use crate::message::record::Checked;

use super::mapped_file::MappedFile;
use super::record_read::{Stretch, first_store_timestamp};
use super::step::RecoveryEnd;
use super::{Env, Step, Store};

/// Files at the end of the log that a clean recovery looks at.
const LAST_FILES: usize = 3;

/// What was found at a place of the log.
enum Found {
    Record { size: i32, dispatched: bool },
    End(RecoveryEnd),
    Blank,
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
        let mut index = if clean {
            files.len().saturating_sub(LAST_FILES)
        } else {
            files.iter().rposition(|file| self.begins_before_checkpoint(file)).unwrap_or(0)
        };
        self.tell_recovery_begins(index, clean, env);
        let mut position = 0;
        let why = loop {
            match self.recover_record(index, position, clean, env) {
                Found::Record { size, dispatched } => {
                    let physical_offset = self.offset_in(index, position);
                    env.step(|| Step::RecordAccepted { physical_offset, size, dispatched });
                    position += size;
                }
                Found::Blank if index + 1 < self.commit_log.files.files().len() => {
                    index += 1;
                    position = 0;
                }
                Found::Blank => break RecoveryEnd::LastBlank,
                Found::End(why) => break why,
            }
        };
        let end = self.offset_in(index, position);
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

    fn offset_in(&self, index: usize, position: i32) -> i64 {
        let start = self.commit_log.files.files().get(index).map_or(0, |file| file.from_offset);
        start.wrapping_add(i64::from(position))
    }

    fn tell_recovery_begins<E: Env>(&self, index: usize, clean: bool, env: &mut E) {
        let file = self.commit_log.files.files().get(index).and_then(|file| self.disk.path(file.id));
        env.step(|| Step::RecoveryBegins { file: file.unwrap_or_default(), clean });
    }

    /// Checks the record at `position` of a file, and after an unclean stop dispatches it.
    fn recover_record<E: Env>(&mut self, index: usize, position: i32, clean: bool, env: &mut E) -> Found {
        let Some(file) = self.commit_log.files.files().get(index) else { return Found::End(RecoveryEnd::NoRecord) };
        let record = Stretch { file: file.id, position, end: file.size };
        let mut scratch = std::mem::take(&mut self.scratch.0);
        let check_crc = self.config.check_crc_on_recover;
        let found = match record.check_for_recovery(&self.disk, check_crc, self.schedule.levels(), &mut scratch) {
            Err(error) => {
                env.step(|| Step::DiskFailed { error: error.to_string() });
                return Found::End(RecoveryEnd::NoRecord);
            }
            Ok(checked) => self.accept(&checked, clean, env),
        };
        self.scratch.0 = scratch;
        found
    }

    fn accept<E: Env>(&mut self, checked: &Checked<'_>, clean: bool, env: &mut E) -> Found {
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
            Checked::Blank { .. } => Found::Blank,
            Checked::Bad { size, .. } if *size > 0 => Found::End(RecoveryEnd::LengthMismatch),
            Checked::Bad { .. } => Found::End(RecoveryEnd::NoRecord),
        }
    }

    /// Whether the file begins with a message that was stored before the checkpoint (`isMappedFileMatchedRecover`): then
    /// everything before this file is surely complete.
    fn begins_before_checkpoint(&self, file: &MappedFile) -> bool {
        let limit = if self.config.message_index_enable && self.config.message_index_safe {
            self.checkpoint.min_timestamp_index()
        } else {
            self.checkpoint.min_timestamp()
        };
        first_store_timestamp(&self.disk, file.id, file.size).is_some_and(|time| time != 0 && time <= limit)
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
