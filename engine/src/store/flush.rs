//! One round of each service that makes written bytes durable.

use crate::disk::Disk;

use super::{Env, Store};

/// When the services last did everything that waited.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlushTimes {
    commit_log: i64,
    commit: i64,
    queues: i64,
}

impl<D: Disk> Store<D> {
    /// One round of `FlushRealTimeService`: pages that wait are flushed if there are enough of them, and every 10 seconds
    /// all. `true` if nothing changed.
    pub fn flush_real_time<E: Env>(&mut self, env: &mut E) -> bool {
        let now = env.now();
        let thorough = now >= self.flush_times.commit_log + i64::from(self.config.flush_commit_log_thorough_interval);
        if thorough {
            self.flush_times.commit_log = now;
        }
        let least_pages = if thorough { 0 } else { self.config.flush_commit_log_least_pages };
        self.flush_commit_log(least_pages, env)
    }

    /// Flushes the commit log's file at [`Store::flushed_where`] if at least `least_pages` pages wait, or anything for 0,
    /// and lets the checkpoint know. `true` if nothing changed.
    pub fn flush_commit_log<E: Env>(&mut self, least_pages: i32, env: &mut E) -> bool {
        self.disk.set_time(env.now());
        let unchanged = self.commit_log.files.flush(&mut self.disk, least_pages, env);
        self.note_physic_timestamp();
        unchanged
    }

    /// One round of `CommitRealTimeService`, which a store with a transient pool has: bytes move from the buffer into the
    /// file. `true` if nothing changed; else the flush service is to be woken.
    pub fn commit_real_time<E: Env>(&mut self, env: &mut E) -> bool {
        let now = env.now();
        self.disk.set_time(now);
        let thorough = now >= self.flush_times.commit + i64::from(self.config.commit_commit_log_thorough_interval);
        if thorough {
            self.flush_times.commit = now;
        }
        let least_pages = if thorough { 0 } else { self.config.commit_commit_log_least_pages };
        let unchanged = self.commit_log.files.commit(&mut self.disk, least_pages, env);
        if !unchanged {
            self.flush_times.commit = env.now();
        }
        unchanged
    }

    /// One request of `GroupCommitService`: at most two flushes until everything before `next_offset` is flushed. `false`
    /// means `FLUSH_DISK_TIMEOUT`. After a batch of requests [`Store::note_physic_timestamp`] is due.
    pub fn group_commit<E: Env>(&mut self, next_offset: i64, env: &mut E) -> bool {
        self.disk.set_time(env.now());
        for _ in 0..2 {
            if self.flushed_where() >= next_offset {
                return true;
            }
            self.commit_log.files.flush(&mut self.disk, 0, env);
        }
        self.flushed_where() >= next_offset
    }

    /// Lets the checkpoint know up to which store time the commit log is flushed.
    pub fn note_physic_timestamp(&mut self) {
        if self.commit_log.files.store_timestamp > 0 {
            self.checkpoint.physic_msg_timestamp = self.commit_log.files.store_timestamp;
        }
    }

    /// One round of `FlushConsumeQueueService`: queues of which enough pages wait are flushed, and every 60 seconds all,
    /// with the checkpoint behind them.
    pub fn flush_consume_queues<E: Env>(&mut self, env: &mut E) {
        self.disk.set_time(env.now());
        self.flush_queues(1, env);
    }

    /// One round of `FlushConsumeQueueService` by somebody who keeps its calendar: `thorough` flushes everything, and the
    /// checkpoint behind it.
    pub fn flush_consume_queues_round<E: Env>(&mut self, thorough: bool, env: &mut E) {
        let now = env.now();
        let interval = i64::from(self.config.flush_consume_queue_thorough_interval);
        self.flush_times.queues = if thorough { now.saturating_sub(interval) } else { now };
        self.flush_consume_queues(env);
    }

    /// Flushes every queue up to `tries` times, until nothing of it changes (`doFlush`). Three tries are the last round
    /// before the stop, which flushes everything.
    pub(super) fn flush_queues<E: Env>(&mut self, tries: i32, env: &mut E) {
        const LAST_ROUND: i32 = 3;
        let mut least_pages = if tries == LAST_ROUND { 0 } else { self.config.flush_consume_queue_least_pages };
        let mut logics_timestamp = 0;
        let now = env.now();
        if now >= self.flush_times.queues + i64::from(self.config.flush_consume_queue_thorough_interval) {
            self.flush_times.queues = now;
            least_pages = 0;
            logics_timestamp = self.checkpoint.logics_msg_timestamp;
        }
        for queue in self.queues.queues_mut() {
            for _ in 0..tries {
                if queue.flush(&mut self.disk, least_pages, env) {
                    break;
                }
            }
        }
        if least_pages == 0 {
            if logics_timestamp > 0 {
                self.checkpoint.logics_msg_timestamp = logics_timestamp;
            }
            self.checkpoint.flush(&mut self.disk, env);
        }
    }

    /// Writes the checkpoint and forces it.
    pub fn flush_checkpoint<E: Env>(&mut self, env: &mut E) {
        self.disk.set_time(env.now());
        self.checkpoint.flush(&mut self.disk, env);
    }
}
