//! Removing what is old: commit log files by age or for want of space, then what pointed into them.

use std::ops::Range;

use crate::disk::Disk;
use crate::message::delay::SCHEDULE_TOPIC;
use crate::message::java;

use super::clock_text::hour_of_day;
use super::step::Flag;
use super::{ConsumeQueue, Env, Step, Store, Work};

/// Runs that one command of an administrator deletes in (`MAX_MANUAL_DELETE_FILE_TIMES`).
const MANUAL_RUNS: i32 = 20;
/// Topics whose queues stay although no topic of that name is configured.
const KEPT_TOPICS: [&str; 2] = [SCHEDULE_TOPIC, "RMQ_SYS_TRANS_OP_HALF_TOPIC"];

/// What the clean-up services remember.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CleanUp {
    /// Runs that still delete because an administrator said so.
    manual_runs: i32,
    /// The commit log's minimum at the last clean-up of queues and index.
    last_min_physical: i64,
}

/// Use of the disks, 0 to 1; negative where a directory is missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskUse {
    /// Where the commit log is; with several directories the least used.
    pub commit_log: f64,
    /// Where the ConsumeQueues are.
    pub consume_queue: f64,
}

/// When the next clean-up may find something to do, as things stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanUpDue {
    /// Not before something changes.
    Never,
    /// The next one may.
    Next,
    /// The first after this time, milliseconds since the epoch: the oldest file is expired then.
    Expiry(i64),
    /// The first after this time in one of the hours of `deleteWhen`.
    ExpiryInHour(i64),
}

/// Files that are missing between two others (`MappedFileQueue.checkSelf`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingFiles {
    /// Where they are missing, below the root.
    pub directory: String,
    /// The first byte that no file holds.
    pub from: i64,
    /// The byte after the last.
    pub to: i64,
}

/// What the use of the disks asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Space {
    /// Expired files may go at any hour.
    full: bool,
    /// The oldest files go whether or not they are expired.
    at_once: bool,
}

impl<D: Disk> Store<D> {
    /// The regular clean-up, every 10 seconds (`cleanFilesPeriodically`).
    pub fn clean_files<E: Env>(&mut self, disk_use: DiskUse, env: &mut E) {
        self.clean_commit_log(disk_use, env);
        self.clean_consume_queues(env);
    }

    /// Lets the next 20 clean-ups delete expired files at any hour (`executeDeleteFilesManually`).
    pub fn execute_delete_files_manually(&mut self) {
        self.clean_up.manual_runs = MANUAL_RUNS;
    }

    /// Removes expired commit log files if it is their hour, the disk is too full, or an administrator said so
    /// (`CleanCommitLogService`). Answers how many went.
    pub fn clean_commit_log<E: Env>(&mut self, disk_use: DiskUse, env: &mut E) -> usize {
        let time_up = self.is_time_to_delete(env.now());
        let space = self.is_space_to_delete(disk_use, env);
        let manual = self.clean_up.manual_runs > 0;
        if !(time_up || space.full || manual) {
            return 0;
        }
        if manual {
            self.clean_up.manual_runs -= 1;
        }
        let at_once = self.config.clean_file_forcibly_enable && space.at_once;
        self.delete_expired_commit_log(self.reserved_ms(), at_once, env)
    }

    /// Removes, from the oldest on, at most 10 commit log files that were not written for `reserved_ms`, or any with
    /// `at_once`; never the last (`CommitLog.deleteExpiredFile`). Answers how many went.
    pub fn delete_expired_commit_log<E: Env>(&mut self, reserved_ms: i64, at_once: bool, env: &mut E) -> usize {
        self.disk.set_time(env.now());
        let pause = self.config.delete_commit_log_files_interval;
        self.commit_log.files.delete_expired(&mut self.disk, reserved_ms, at_once, pause, env)
    }

    /// Whether the hour is one of `deleteWhen` (`UtilAll.isItTimeToDo`).
    pub fn is_time_to_delete(&self, now: i64) -> bool {
        let hour = hour_of_day(now);
        java::split(&self.config.delete_when, ";").into_iter().any(|when| when.parse() == Ok(hour))
    }

    /// What the use of the disks asks for (`isSpaceToDelete`): the ConsumeQueues' is looked at only if the commit log's is
    /// no reason.
    fn is_space_to_delete<E: Env>(&mut self, disk_use: DiskUse, env: &mut E) -> Space {
        let (space, flag) = self.space(disk_use);
        for full in flag.into_iter().flatten() {
            self.set_disk_full(full, env);
        }
        space
    }

    /// The same, and what it says of the disk-full flag at each of the two looks; `None` leaves it as it is.
    fn space(&self, disk_use: DiskUse) -> (Space, [Option<bool>; 2]) {
        let ratio = f64::from(self.config.disk_max_used_space_percent()) / 100.0;
        let mut at_once = false;
        let mut flags = [None; 2];
        for (used, flag) in [disk_use.commit_log, disk_use.consume_queue].into_iter().zip(&mut flags) {
            let full = used > self.config.disk_space_warning_level_ratio;
            let forcibly = full || used > self.config.disk_space_clean_forcibly_ratio;
            at_once |= forcibly;
            *flag = (full || !forcibly).then_some(full);
            if used < 0.0 || used > ratio {
                return (Space { full: true, at_once }, flags);
            }
        }
        (Space { full: false, at_once }, flags)
    }

    /// The check of the disk every 10 seconds (`isSpaceFull`): the store refuses writes while the disk is too full.
    pub fn check_space<E: Env>(&mut self, commit_log_use: f64, env: &mut E) -> bool {
        let full = commit_log_use > self.config.disk_space_warning_level_ratio;
        self.set_disk_full(full, env);
        full
    }

    /// Whether [`Store::check_space`] would set or clear the flag.
    pub fn is_space_flag_due(&self, commit_log_use: f64) -> bool {
        (commit_log_use > self.config.disk_space_warning_level_ratio) != self.flags.has(Flag::DiskFull)
    }

    /// When the next [`Store::clean_files`] may find something to do, if nothing but time passes.
    pub fn clean_up_due(&self, disk_use: DiskUse) -> CleanUpDue {
        let (space, flag) = self.space(disk_use);
        let full = self.flags.has(Flag::DiskFull);
        if self.clean_up.manual_runs > 0
            || self.commit_log.min_offset() > self.clean_up.last_min_physical
            || flag.into_iter().flatten().any(|wanted| wanted != full)
        {
            return CleanUpDue::Next;
        }
        // The last file never goes.
        let Some([oldest, _]) = self.commit_log.files.files().first_chunk() else { return CleanUpDue::Never };
        let expiry = if self.config.clean_file_forcibly_enable && space.at_once {
            i64::MIN
        } else {
            let modified = self.disk.meta(oldest.id).map_or(0, |meta| meta.modified);
            modified.saturating_add(self.reserved_ms())
        };
        if space.full { CleanUpDue::Expiry(expiry) } else { CleanUpDue::ExpiryInHour(expiry) }
    }

    fn reserved_ms(&self) -> i64 {
        i64::from(self.config.file_reserved_time) * 3_600_000
    }

    fn set_disk_full<E: Env>(&mut self, full: bool, env: &mut E) {
        let flag = Flag::DiskFull;
        if full && self.flags.raise(flag) {
            env.step(|| Step::FlagRaised { flag });
        } else if !full && self.flags.clear(flag) {
            env.step(|| Step::FlagCleared { flag });
        }
    }

    /// Marks commit log directories as too full for new files (`setFullStorePaths`). Paths are below the root.
    pub fn set_full_commit_log_paths(&mut self, paths: Vec<String>) {
        self.commit_log.files.directories_mut().set_full(paths);
    }

    /// Removes ConsumeQueue and index files whose records are gone, once the commit log's minimum has grown
    /// (`CleanConsumeQueueService`).
    pub fn clean_consume_queues<E: Env>(&mut self, env: &mut E) {
        let min = self.commit_log.min_offset();
        if min <= self.clean_up.last_min_physical {
            return;
        }
        self.clean_up.last_min_physical = min;
        self.disk.set_time(env.now());
        let pause = i64::from(self.config.delete_consume_queue_files_interval);
        for queue in self.queues.queues_mut() {
            if queue.delete_expired(&mut self.disk, min, env) > 0 && pause > 0 {
                env.spend(Work::Sleep(pause));
            }
        }
        self.index.delete_expired(&mut self.disk, min, env);
    }

    /// Destroys the queues of topics that nobody knows (`cleanUnusedTopic`).
    pub fn clean_unused_topics<E: Env>(&mut self, is_known: impl Fn(&str) -> bool, env: &mut E) {
        self.destroy_queues_where(env, |_, queue| !is_known(queue.topic()) && !KEPT_TOPICS.contains(&queue.topic()));
    }

    /// Destroys the queues whose last record is gone (`cleanExpiredConsumerQueue`), but those of delayed messages.
    pub fn clean_expired_consume_queues<E: Env>(&mut self, env: &mut E) {
        let min = self.commit_log.min_offset();
        self.destroy_queues_where(env, |disk, queue| {
            let last = queue.last_offset(disk);
            queue.topic() != SCHEDULE_TOPIC && last != -1 && last < min
        });
    }

    fn destroy_queues_where<E: Env>(&mut self, env: &mut E, gone: impl Fn(&D, &ConsumeQueue) -> bool) {
        self.disk.set_time(env.now());
        for state in self.queues.states_mut() {
            if let Some(queue) = state.queue.take_if(|queue| gone(&self.disk, queue)).as_mut() {
                queue.destroy(&mut self.disk, env);
                state.next_offset = None;
            }
        }
    }

    /// The gaps in the commit log's and the queues' files (`checkSelf`): 4.9.8 logs each and does nothing about it.
    pub fn check_self(&self) -> Vec<MissingFiles> {
        let missing = |directory: String, gap: Range<i64>| MissingFiles { directory, from: gap.start, to: gap.end };
        let log = self.commit_log.files.gaps().map(|gap| missing("commitlog".to_owned(), gap));
        let queues = self.queues.queues().flat_map(|queue| {
            let directory = || format!("consumequeue/{}/{}", queue.topic(), queue.queue_id());
            queue.files.gaps().map(move |gap| missing(directory(), gap))
        });
        log.chain(queues).collect()
    }
}
