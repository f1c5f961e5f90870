//! One round of each service that makes written bytes durable. When a round is a thorough one, and how many pages it
//! wants, is up to whoever keeps the services' calendars.

use crate::disk::Disk;

use super::{Env, Store};

impl<D: Disk> Store<D> {
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

    /// One round of `FlushConsumeQueueService`: queues of which enough pages wait are flushed, and if it is `thorough`, as
    /// every 60 seconds, all, with the checkpoint behind them.
    pub fn flush_consume_queues<E: Env>(&mut self, thorough: bool, env: &mut E) {
        self.disk.set_time(env.now());
        let least_pages = if thorough { 0 } else { self.config.flush_consume_queue_least_pages };
        self.flush_queues(1, least_pages, env);
    }

    /// The last round before the stop: everything is flushed, each queue with three tries (`RETRY_TIMES_OVER`).
    pub(super) fn flush_consume_queues_last<E: Env>(&mut self, env: &mut E) {
        self.flush_queues(3, 0, env);
    }

    /// Flushes every queue up to `tries` times, until nothing of it changes, and with 0 pages the checkpoint (`doFlush`).
    /// Nothing is dispatched meanwhile, so its time for the queues is the one from before they were flushed.
    fn flush_queues<E: Env>(&mut self, tries: i32, least_pages: i32, env: &mut E) {
        for queue in self.queues.queues_mut() {
            for _ in 0..tries {
                if queue.flush(&mut self.disk, least_pages, env) {
                    break;
                }
            }
        }
        if least_pages == 0 {
            self.checkpoint.flush(&mut self.disk, env);
        }
    }

    /// Writes the checkpoint and forces it.
    pub fn flush_checkpoint<E: Env>(&mut self, env: &mut E) {
        self.disk.set_time(env.now());
        self.checkpoint.flush(&mut self.disk, env);
    }
}
