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
        let interval = i64::from(self.config.flush_commit_log_thorough_interval);
        let thorough = now >= self.flush_times.commit_log.saturating_add(interval);
        if thorough {
            self.flush_times.commit_log = now;
        }
        let least_pages = if thorough { 0 } else { self.config.flush_commit_log_least_pages };
        self.flush_commit_log(least_pages, env)
    }

    /// Flushes the commit log's file at [`Store::flushed_where`] if at least `least_pages` pages wait, or anything for 0,
    /// and lets the checkpoint know. `true` if nothing changed.
    pub fn flush_commit_log<E: Env>(&mut self, least_pages: i32, env: &mut E) -> bool {
        self.flush_commit_log_to(least_pages, i64::MAX, env)
    }

    /// The same for a flush that began when nothing behind `limit` could be read.
    pub fn flush_commit_log_to<E: Env>(&mut self, least_pages: i32, limit: i64, env: &mut E) -> bool {
        self.disk.set_time(env.now());
        let unchanged = self.commit_log.files.flush_to(&mut self.disk, least_pages, limit, env);
        self.note_physic_timestamp();
        unchanged
    }

    /// A round of `GroupCommitService` in which nobody waits: one flush, of which the checkpoint is not told.
    pub fn flush_commit_log_file<E: Env>(&mut self, limit: i64, env: &mut E) -> bool {
        self.disk.set_time(env.now());
        self.commit_log.files.flush_to(&mut self.disk, 0, limit, env)
    }

    /// Whether a thorough flush has a new store time for the checkpoint, even if there is nothing left to flush.
    pub fn is_physic_timestamp_due(&self) -> bool {
        let waits = self.commit_log.files.flush_timestamp();
        waits > 0 && waits != self.checkpoint.physic_msg_timestamp
    }

    /// Whether a round that wants `least_pages` pages would flush anything of any ConsumeQueue.
    pub fn is_queue_flush_due(&self, least_pages: i32) -> bool {
        self.queues.queues().any(|queue| queue.is_flush_due(least_pages))
    }

    /// ConsumeQueues whose last file is full and flushed: of each the next round says that no file holds its offset.
    pub fn queues_flushed_to_the_end(&self) -> usize {
        let ended = |queue: &&super::ConsumeQueue| {
            queue.files.last().is_some_and(|file| file.end_offset() == queue.flushed_where())
        };
        self.queues.queues().filter(ended).count()
    }

    /// One round of `CommitRealTimeService`, which a store with a transient pool has: bytes move from the buffer into the
    /// file. `true` if nothing changed; else the flush service is to be woken.
    pub fn commit_real_time<E: Env>(&mut self, env: &mut E) -> bool {
        let now = env.now();
        self.disk.set_time(now);
        let interval = i64::from(self.config.commit_commit_log_thorough_interval);
        let thorough = now >= self.flush_times.commit.saturating_add(interval);
        if thorough {
            self.flush_times.commit = now;
        }
        let least_pages = if thorough { 0 } else { self.config.commit_commit_log_least_pages };
        let unchanged = self.commit_commit_log(least_pages, env);
        if !unchanged {
            self.flush_times.commit = env.now();
        }
        unchanged
    }

    /// Commits the file at [`Store::committed_where`] if at least `least_pages` pages wait, or anything for 0. `true` if
    /// nothing changed.
    pub fn commit_commit_log<E: Env>(&mut self, least_pages: i32, env: &mut E) -> bool {
        self.disk.set_time(env.now());
        self.commit_log.files.commit(&mut self.disk, least_pages, env)
    }

    /// One request of `GroupCommitService`: at most two flushes until everything before `next_offset` is flushed. `false`
    /// means `FLUSH_DISK_TIMEOUT`. After a batch of requests [`Store::note_physic_timestamp`] is due.
    pub fn group_commit<E: Env>(&mut self, next_offset: i64, env: &mut E) -> bool {
        self.group_commit_to(next_offset, i64::MAX, env)
    }

    /// The same for a batch that began when nothing behind `limit` could be read.
    pub fn group_commit_to<E: Env>(&mut self, next_offset: i64, limit: i64, env: &mut E) -> bool {
        self.disk.set_time(env.now());
        for _ in 0..2 {
            if self.flushed_where() >= next_offset {
                return true;
            }
            self.commit_log.files.flush_to(&mut self.disk, 0, limit, env);
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
        let thorough = self.is_thorough_time(env.now());
        self.flush_consume_queues_round(thorough, env);
    }

    /// The same for those who keep the service's calendar themselves: `thorough` flushes everything, with the checkpoint
    /// behind it.
    pub fn flush_consume_queues_round<E: Env>(&mut self, thorough: bool, env: &mut E) {
        self.disk.set_time(env.now());
        let logics_timestamp = if thorough { self.checkpoint.logics_msg_timestamp } else { 0 };
        let least_pages = if thorough { 0 } else { self.config.flush_consume_queue_least_pages };
        self.flush_queues(1, least_pages, logics_timestamp, env);
    }

    /// The last round before the stop: everything is flushed, each queue with three tries (`RETRY_TIMES_OVER`).
    pub(super) fn flush_consume_queues_last<E: Env>(&mut self, env: &mut E) {
        let thorough = self.is_thorough_time(env.now());
        let logics_timestamp = if thorough { self.checkpoint.logics_msg_timestamp } else { 0 };
        self.flush_queues(3, 0, logics_timestamp, env);
    }

    /// Whether 60 seconds have passed since this was so for the last time.
    fn is_thorough_time(&mut self, now: i64) -> bool {
        let interval = i64::from(self.config.flush_consume_queue_thorough_interval);
        let thorough = now >= self.flush_times.queues.saturating_add(interval);
        if thorough {
            self.flush_times.queues = now;
        }
        thorough
    }

    /// Flushes every queue up to `tries` times, until nothing of it changes, and with 0 pages the checkpoint (`doFlush`).
    /// Its time for the queues is the one that was read before they were flushed.
    fn flush_queues<E: Env>(&mut self, tries: i32, least_pages: i32, logics_timestamp: i64, env: &mut E) {
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
