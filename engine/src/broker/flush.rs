//! Flushing: `FlushRealTimeService` or `GroupCommitService`, and `FlushConsumeQueueService`.

use super::Process;
use crate::{
    node::{Grid, Service, Turn},
    store::{FlushDiskType, StoreConfig},
};

/// The grids of the flush services. A thorough round flushes whatever is dirty, however little.
#[derive(Clone, Debug)]
pub(super) struct Flushing {
    log: Grid,
    /// Every so many rounds of the log's flush is thorough.
    log_thorough: i64,
    queues: Grid,
    queues_thorough: i64,
}

impl Flushing {
    pub(super) fn new(config: &StoreConfig, now_us: i64) -> Self {
        let period = |ms: i32| i64::from(ms.max(1)).saturating_mul(1000);
        let log_us = period(config.flush_interval_commit_log);
        let queues_us = period(config.flush_interval_consume_queue);
        // A loop that sleeps `every` decides on thoroughness when at least `thorough` has passed.
        let rounds = |thorough_ms: i32, every_us: i64| (period(thorough_ms) + every_us - 1) / every_us;
        Self {
            log: Grid::new(now_us.saturating_add(log_us), log_us),
            log_thorough: rounds(config.flush_commit_log_thorough_interval, log_us).max(1),
            queues: Grid::new(now_us.saturating_add(queues_us), queues_us),
            queues_thorough: rounds(config.flush_consume_queue_thorough_interval, queues_us).max(1),
        }
    }
}

impl Process {
    fn sync_flush(&self) -> bool {
        self.store.config().flush_disk_type == FlushDiskType::SyncFlush
    }

    /// The log has bytes to flush.
    pub(super) fn wake_log_flush(&self, turn: &mut Turn<'_>) {
        if self.sync_flush() {
            // GroupCommitService is woken by every put.
            turn.wake_for_work(Service::FlushCommitLog, turn.now_us());
        } else {
            turn.wake_for_work(Service::FlushCommitLog, self.flushing.log.after(turn.now_us()));
        }
    }

    pub(super) fn flush_commit_log(&mut self, turn: &mut Turn<'_>) {
        if self.sync_flush() {
            self.group_commit(turn);
            return;
        }
        let thorough = self.flushing.log.index(turn.now_us()).rem_euclid(self.flushing.log_thorough) == 0;
        let least_pages = if thorough { 0 } else { self.store.config().flush_commit_log_least_pages };
        self.flush_log(least_pages, turn);
        if self.store.flushed_where() < self.store.max_phy_offset() {
            turn.wake_at(Service::FlushCommitLog, self.flushing.log.after(turn.now_us()));
        }
    }

    /// One flush; the checkpoint then has something new to say, which a thorough round writes.
    fn flush_log(&mut self, least_pages: i32, turn: &mut Turn<'_>) {
        if !self.store.flush_commit_log(least_pages, turn) {
            turn.spend_us(turn.costs().flush_us);
            self.wake_queue_flush(turn);
        }
    }

    /// At most two flushes, since the bytes may lie in two files; then the puts are answered.
    fn group_commit(&mut self, turn: &mut Turn<'_>) {
        for _ in 0..2 {
            if self.store.flushed_where() < self.store.max_phy_offset() {
                self.flush_log(0, turn);
            }
        }
        let flushed = self.store.flushed_where();
        self.flushed_puts(flushed, turn);
    }

    /// A ConsumeQueue has units to flush.
    pub(super) fn wake_queue_flush(&self, turn: &mut Turn<'_>) {
        turn.wake_for_work(Service::FlushConsumeQueue, self.flushing.queues.after(turn.now_us()));
    }

    pub(super) fn flush_consume_queues(&mut self, turn: &mut Turn<'_>) {
        let thorough = self.flushing.queues.index(turn.now_us()).rem_euclid(self.flushing.queues_thorough) == 0;
        self.store.flush_consume_queues_round(thorough, turn);
        // The round after the last unit is flushed at the latest by a thorough one, which also writes the checkpoint.
        if !thorough {
            turn.wake_at(Service::FlushConsumeQueue, self.flushing.queues.after(turn.now_us()));
        }
    }
}
