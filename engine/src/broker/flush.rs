//! The services that make written bytes durable: `CommitRealTimeService`, `FlushRealTimeService` or
//! `GroupCommitService`, and `FlushConsumeQueueService`.

use super::{Process, rounds::Rounds};
use crate::{
    disk::{
        MemoryDisk,
        memory::{Change, Fault},
    },
    node::{BrokerStep, Service, Turn},
    store::{FlushDiskType, StillEnv, Store, StoreConfig},
};

/// `GroupCommitService` looks so often when nobody wakes it, milliseconds.
const GROUP_COMMIT_MS: i32 = 10;

/// `GroupCommitService` lets so much time pass before its last round, milliseconds.
const LAST_GROUP_COMMIT_MS: i64 = 10;

/// The loops of the services, and the flushes that a slow disk has not finished.
#[derive(Clone, Debug)]
pub(super) struct Flushing {
    commit: Rounds,
    log: Rounds,
    log_stall: Option<LogFlush>,
    queues: Rounds,
    queue_stall: Option<Thorough>,
    /// A ConsumeQueue or the checkpoint has something for the next thorough round.
    queues_owe: bool,
}

/// A flush of the log that the disk may be working at: it covers what could be read when it began.
#[derive(Clone, Copy, Debug)]
struct LogFlush {
    least_pages: i32,
    limit: i64,
    /// When the disk is done with it, microseconds.
    ends_us: i64,
}

/// Whether a round of the queues' flush is a thorough one.
#[derive(Clone, Copy, Debug)]
struct Thorough(bool);

impl Flushing {
    /// The loops of services that start now.
    pub(super) fn new(config: &StoreConfig, turn: &Turn<'_>) -> Self {
        let now_us = turn.now_us();
        let mut log = match config.flush_disk_type {
            FlushDiskType::AsyncFlush => {
                Rounds::new(config.flush_interval_commit_log, config.flush_commit_log_thorough_interval, now_us)
            }
            FlushDiskType::SyncFlush => Rounds::new(GROUP_COMMIT_MS, 0, now_us),
        };
        let mut commit =
            Rounds::new(config.commit_interval_commit_log, config.commit_commit_log_thorough_interval, now_us);
        for rounds in [&mut log, &mut commit] {
            // These two look at the clock before they wait for the first time.
            rounds.decide(turn.wall_ms());
        }
        Self {
            commit,
            log,
            log_stall: None,
            queues: Rounds::new(
                config.flush_interval_consume_queue,
                config.flush_consume_queue_thorough_interval,
                now_us,
            ),
            queue_stall: None,
            queues_owe: false,
        }
    }
}

impl Process {
    fn sync_flush(&self) -> bool {
        self.store.config().flush_disk_type == FlushDiskType::SyncFlush
    }

    /// Takes in the rounds that have passed unseen, before the clock is set to another time.
    pub(crate) fn settle_rounds(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        for rounds in [&mut self.flushing.commit, &mut self.flushing.log, &mut self.flushing.queues] {
            rounds.settle(now_us, |us| turn.wall_ms_at(us));
        }
    }

    /// The clock shows another time: thorough rounds that are waited for may come earlier.
    pub(super) fn plan_flushes(&mut self, turn: &mut Turn<'_>) {
        if !self.has_services() {
            return;
        }
        if self.flushing.log.is_unseen() {
            self.flushing.log.settle(turn.now_us(), |us| turn.wall_ms_at(us));
            self.leave_log_flush(turn);
        }
        if self.flushing.queues_owe && self.flushing.queue_stall.is_none() {
            self.flushing.queues.settle(turn.now_us(), |us| turn.wall_ms_at(us));
            self.plan_queue_flush(turn);
        }
    }

    /// Something was appended: who moves it on has work.
    pub(super) fn wake_log_services(&mut self, turn: &mut Turn<'_>) {
        if self.store.config().transient_store_pool() {
            self.flushing.commit.pass(turn.now_us(), |us| turn.wall_ms_at(us));
            turn.wake_for_work(Service::CommitCommitLog, turn.now_us());
            // Nobody wakes the flush service, but what has no buffer is there for its next round.
            if self.store.flushed_where() < self.store.max_phy_offset() {
                self.plan_log_flush(turn);
            }
        } else {
            self.wake_log_flush(turn);
        }
    }

    /// One round of `CommitRealTimeService`: bytes go from the buffer of the transient pool into the file. Only then
    /// can anybody read them.
    pub(super) fn commit_commit_log(&mut self, turn: &mut Turn<'_>) {
        let rounds = &mut self.flushing.commit;
        rounds.pass(turn.now_us(), |us| turn.wall_ms_at(us));
        let thorough = rounds.decide(turn.wall_ms());
        let least_pages = if thorough { 0 } else { self.store.config().commit_commit_log_least_pages };
        let unchanged = self.store.commit_commit_log(least_pages, turn);
        self.flushing.commit.wait(turn.now_us());
        if !unchanged {
            self.flushing.commit.was_thorough(turn.wall_ms());
            self.wake_log_flush(turn);
            self.wake_reput(self.next_reput_us(turn), turn);
            self.wake_transfer(false, turn);
        }
        if self.store.committed_where() < self.store.max_wrote_offset() {
            turn.wake_at(Service::CommitCommitLog, self.flushing.commit.next_us());
        } else {
            self.flushing.commit.leave(|us| turn.wall_ms_at(us));
        }
    }

    /// The log has bytes to flush, and nobody wakes the flush service: its next round finds them.
    pub(super) fn plan_log_flush(&mut self, turn: &mut Turn<'_>) {
        self.flushing.log.pass(turn.now_us(), |us| turn.wall_ms_at(us));
        turn.wake_for_work(Service::FlushCommitLog, self.flushing.log.next_us());
    }

    /// The log has bytes to flush. `FlushRealTimeService` does not let itself be woken while `flushCommitLogTimed`.
    fn wake_log_flush(&mut self, turn: &mut Turn<'_>) {
        self.flushing.log.pass(turn.now_us(), |us| turn.wall_ms_at(us));
        let timed = self.store.config().flush_commit_log_timed && !self.sync_flush();
        let at_us = if timed { self.flushing.log.next_us() } else { turn.now_us() };
        turn.wake_for_work(Service::FlushCommitLog, at_us);
    }

    /// One round of `FlushRealTimeService`, or of `GroupCommitService`.
    pub(super) fn flush_commit_log(&mut self, turn: &mut Turn<'_>) {
        let stalled = self.flushing.log_stall.take();
        let Some(flush) = stalled.or_else(|| self.begin_log_flush(turn)) else { return };
        let physic = self.store.checkpoint().physic_msg_timestamp;
        let flushed = self.store.flushed_where();
        self.flush_log(flush, turn);
        if flushed != self.store.flushed_where() || physic != self.store.checkpoint().physic_msg_timestamp {
            self.wake_queue_flush(turn);
        }
        self.end_log_flush(turn);
    }

    /// What the disk was asked for is done.
    fn flush_log(&mut self, flush: LogFlush, turn: &mut Turn<'_>) {
        if self.sync_flush() {
            self.group_commit(flush.limit, turn);
        } else if !self.store.flush_commit_log_to(flush.least_pages, flush.limit, turn) {
            turn.spend_us(turn.costs().flush_us);
        }
    }

    /// The flush to be done now; `None` while a slow disk is at it.
    fn begin_log_flush(&mut self, turn: &mut Turn<'_>) -> Option<LogFlush> {
        self.flushing.log.pass(turn.now_us(), |us| turn.wall_ms_at(us));
        // The service asks whether its round is thorough before it waits.
        let thorough = self.flushing.log.is_thorough() || self.sync_flush();
        let least_pages = if thorough { 0 } else { self.store.config().flush_commit_log_least_pages };
        let (flush, stalls_ms) = self.take_log_flush(least_pages, turn);
        if stalls_ms == 0 {
            return Some(flush);
        }
        self.flushing.log_stall = Some(flush);
        stall(Service::FlushCommitLog, stalls_ms, turn);
        None
    }

    /// A flush of everything that is there now, the puts that wait for it, and how long a slow disk takes for it,
    /// milliseconds.
    fn take_log_flush(&mut self, least_pages: i32, turn: &Turn<'_>) -> (LogFlush, i64) {
        for put in &mut self.waiting_puts {
            put.in_batch = true;
        }
        let stalls_ms = self.stalls_ms(turn, |store, env| {
            store.flush_commit_log(least_pages, env);
        });
        let ends_us = turn.now_us().saturating_add(stalls_ms.saturating_mul(1000));
        (LogFlush { least_pages, limit: self.store.max_phy_offset(), ends_us }, stalls_ms)
    }

    /// The services end and are waited for, however long the disk takes (`CommitLog.shutdown`). What is under way comes to
    /// its end. `GroupCommitService`, if it is not in a round, is woken for one, and goes through one more at its end; the
    /// others have up to ten tries.
    pub(super) fn stop_log_services(&mut self, turn: &mut Turn<'_>) {
        let under_way = self.flushing.log_stall.take();
        let sync = self.sync_flush();
        if let Some(flush) = under_way.or_else(|| sync.then(|| self.take_log_flush(0, turn).0)) {
            self.end_flush(flush, turn);
        }
        if sync {
            turn.spend_us(LAST_GROUP_COMMIT_MS.saturating_mul(1000));
            let (last, _) = self.take_log_flush(0, turn);
            self.end_flush(last, turn);
        } else {
            let stalls_ms = self.stalls_ms(turn, Store::close_log);
            turn.spend_us(stalls_ms.saturating_mul(1000));
            self.store.close_log(turn);
        }
    }

    /// Waits for the disk to be done with a flush.
    fn end_flush(&mut self, flush: LogFlush, turn: &mut Turn<'_>) {
        turn.spend_us(flush.ends_us.saturating_sub(turn.now_us()).max(0));
        self.flush_log(flush, turn);
    }

    /// The next wait of the log's flush service.
    fn end_log_flush(&mut self, turn: &mut Turn<'_>) {
        self.flushing.log.wait(turn.now_us());
        self.flushing.log.decide(turn.wall_ms());
        let waits = self.store.flushed_where() < self.store.max_phy_offset();
        if self.waiting_puts.iter().any(|put| !put.in_batch) {
            // They came while the flush was under way, and woke the service.
            turn.wake_at(Service::FlushCommitLog, turn.now_us());
        } else if waits {
            turn.wake_at(Service::FlushCommitLog, self.flushing.log.next_us());
        } else {
            self.leave_log_flush(turn);
        }
    }

    /// Rounds of the log's flush pass unseen, but for a thorough one that has something new for the checkpoint.
    fn leave_log_flush(&mut self, turn: &mut Turn<'_>) {
        let decided_us = self.flushing.log.leave(|us| turn.wall_ms_at(us));
        if !self.sync_flush() && self.store.is_physic_timestamp_due() {
            // What is decided before a wait is done after it.
            let rounds = &self.flushing.log;
            let at_us =
                if rounds.is_thorough() { rounds.next_us() } else { decided_us.saturating_add(rounds.interval_us()) };
            turn.wake_at(Service::FlushCommitLog, at_us);
        }
    }

    /// One batch of `GroupCommitService`: at most two flushes for each put, since its bytes may lie in the second of two
    /// files. Puts that do not wait only wake the service, which then flushes once.
    fn group_commit(&mut self, limit: i64, turn: &mut Turn<'_>) {
        let batch: Vec<_> = self.waiting_puts.extract_if(.., |put| put.in_batch).collect();
        let flush_us = turn.costs().flush_us;
        if batch.is_empty() {
            if !self.store.flush_commit_log_file(limit, turn) {
                turn.spend_us(flush_us);
            }
            return;
        }
        let mut ended = Vec::new();
        for put in batch {
            let before = self.store.flushed_where();
            let flushed = self.store.group_commit_to(put.next_offset, limit, turn);
            if before != self.store.flushed_where() {
                turn.spend_us(flush_us);
            }
            ended.push((put, flushed));
        }
        self.store.note_physic_timestamp();
        for (put, flushed) in ended {
            self.put_flushed(&put, flushed, turn);
        }
    }

    /// A ConsumeQueue has units to flush, or the checkpoint something new to say.
    pub(super) fn wake_queue_flush(&mut self, turn: &mut Turn<'_>) {
        self.flushing.queues_owe = true;
        self.flushing.queues.pass(turn.now_us(), |us| turn.wall_ms_at(us));
        self.plan_queue_flush(turn);
    }

    /// Rounds that flush nothing are left out, but for the thorough one, which writes the checkpoint.
    fn plan_queue_flush(&mut self, turn: &mut Turn<'_>) {
        let least_pages = self.store.config().flush_consume_queue_least_pages;
        let at_us = if self.store.is_queue_flush_due(least_pages) {
            self.flushing.queues.next_us()
        } else {
            self.flushing.queues.leave(|us| turn.wall_ms_at(us))
        };
        turn.wake_for_work(Service::FlushConsumeQueue, at_us);
    }

    /// One round of `FlushConsumeQueueService`.
    pub(super) fn flush_consume_queues(&mut self, turn: &mut Turn<'_>) {
        let stalled = self.flushing.queue_stall.take();
        let Some(Thorough(thorough)) = stalled.or_else(|| self.begin_queue_flush(turn)) else { return };
        let ended = self.store.queues_flushed_to_the_end();
        self.store.flush_consume_queues(thorough, turn);
        self.flushing.queues.wait(turn.now_us());
        // A queue that has just been flushed to the end of its last file has something to say in the next round, once.
        let says = self.store.queues_flushed_to_the_end() > ended;
        self.flushing.queues_owe = !thorough || says || self.store.is_queue_flush_due(0);
        if self.flushing.queues_owe {
            self.plan_queue_flush(turn);
        } else {
            self.flushing.queues.leave(|us| turn.wall_ms_at(us));
        }
    }

    /// The round to be done now; `None` while a slow disk is at it.
    fn begin_queue_flush(&mut self, turn: &mut Turn<'_>) -> Option<Thorough> {
        self.flushing.queues.pass(turn.now_us(), |us| turn.wall_ms_at(us));
        let thorough = self.flushing.queues.decide(turn.wall_ms());
        let stalls_ms = self.stalls_ms(turn, |store, env| store.flush_consume_queues(thorough, env));
        if stalls_ms == 0 {
            return Some(Thorough(thorough));
        }
        self.flushing.queue_stall = Some(Thorough(thorough));
        stall(Service::FlushConsumeQueue, stalls_ms, turn);
        None
    }

    /// How long a slow disk takes for the flushes of a round, milliseconds: those that a twin of the store does in it.
    pub(super) fn stalls_ms(&self, turn: &Turn<'_>, round: impl FnOnce(&mut Store<MemoryDisk>, &mut StillEnv)) -> i64 {
        let disk = self.store.disk();
        if !disk.faults().iter().any(|fault| matches!(fault, Fault::SlowFlush { .. })) {
            return 0;
        }
        let mut twin = self.store.clone();
        twin.disk_mut().journal_start();
        round(&mut twin, &mut StillEnv(turn.wall_ms()));
        let flushes = twin.disk().journal().iter().filter(|op| matches!(op.change, Change::Flush { .. }));
        flushes.map(|op| disk.flush_delay_ms(&op.path)).sum()
    }
}

/// The service waits for the disk: its lane does nothing else until then.
fn stall(service: Service, ms: i64, turn: &mut Turn<'_>) {
    turn.step(BrokerStep::FlushStalled { ms });
    turn.spend_us(ms.saturating_mul(1000));
    turn.wake_for_work(service, turn.now_us());
}
