//! What an overloaded broker says in its processors' place: at the door (`NettyRemotingAbstract.processRequestCommand`),
//! and to requests that have waited too long (`BrokerFastFailure`).

use super::Process;
use crate::{
    node::{Cleared, Clearing, ClearingReason, Grid, IntakeStep, Moment, Pool, Turn},
    wire::{Response, ResponseCode},
};

/// From the start to the first look, microseconds.
const FIRST_US: i64 = 1_000_000;

/// From look to look, microseconds.
const PERIOD_US: i64 = 10_000;

/// The moments at which a broker that starts at `now_us` looks at its queues.
pub(super) fn rounds(now_us: i64) -> Grid {
    Grid::new(now_us.saturating_add(FIRST_US), PERIOD_US)
}

impl Process {
    /// The remark of a request that is turned away before it is queued: somebody holds the append lock too long, or the
    /// transient pool has no buffer left (`SendMessageProcessor.rejectRequest`), or the queue is full.
    pub(super) fn turns_away(&self, pool: Pool, waiting: usize, now: Moment) -> Option<&'static str> {
        let busy = || self.store.is_os_page_cache_busy(now.wall_ms) || self.store.transient_buffers_left() == Some(0);
        if pool == Pool::Send && busy() {
            return Some("[REJECTREQUEST]system busy, start flow control for a while");
        }
        // A pool whose queue has no room at all does not come into being in 4.9.8.
        let capacity = usize::try_from(self.capacity(pool)).unwrap_or(0).max(1);
        (waiting >= capacity).then_some("[OVERLOAD]system busy, start flow control for a while")
    }

    fn capacity(&self, pool: Pool) -> i32 {
        match pool {
            Pool::Send => self.config.send_thread_pool_queue_capacity,
            Pool::Pull => self.config.pull_thread_pool_queue_capacity,
            Pool::Heartbeat => self.config.heartbeat_thread_pool_queue_capacity,
            Pool::EndTransaction => self.config.end_transaction_pool_queue_capacity,
            Pool::Query => self.config.query_thread_pool_queue_capacity,
            Pool::ClientManage => self.config.client_manager_thread_pool_queue_capacity,
        }
    }

    /// When a request that waits since `since_ms` is answered in the processor's place, as things stand: at the first
    /// look after it has waited too long, or, of those that want to append, after the lock has been held too long.
    pub(super) fn clearing(&self, pool: Pool, since_ms: i64, now: Moment) -> Option<Clearing> {
        if !self.is_running() || !self.config.broker_fast_failure_enable {
            return None;
        }
        let limit_ms = match pool {
            Pool::Send => self.config.wait_time_mills_in_send_queue,
            Pool::Pull => self.config.wait_time_mills_in_pull_queue,
            Pool::Heartbeat => self.config.wait_time_mills_in_heartbeat_queue,
            Pool::EndTransaction => self.config.wait_time_mills_in_transaction_queue,
            Pool::Query | Pool::ClientManage => return None,
        };
        let look = |due_ms: i64, reason| {
            let ahead_ms = due_ms.saturating_sub(now.wall_ms).max(0);
            // The clock shows a millisecond from its first microsecond on.
            let due_us = now.at_us.div_euclid(1000).saturating_add(ahead_ms).saturating_mul(1000).max(now.at_us);
            Clearing { at_us: self.fast_failure.at_or_after(due_us), reason }
        };
        let expired = look(since_ms.saturating_add(limit_ms), ClearingReason::TimedOut);
        let busy_from_ms = self.store.os_page_cache_busy_from().filter(|_| pool == Pool::Send);
        let busy = busy_from_ms.map(|from_ms| look(from_ms, ClearingReason::PageCacheBusy));
        // Of two reasons at the same look the busy page cache is seen first.
        Some(busy.filter(|busy| busy.at_us <= expired.at_us).unwrap_or(expired))
    }

    /// Answers requests that were taken out of their queues.
    pub(super) fn answer_cleared(requests: &[Cleared], turn: &mut Turn<'_>) {
        for Cleared { caller, code, reason, waited_ms, left } in requests {
            turn.step(IntakeStep::RequestCleared {
                code: *code,
                from: caller.name.clone(),
                waited_ms: *waited_ms,
                left: u64::try_from(*left).unwrap_or(u64::MAX),
            });
            let reason = match reason {
                ClearingReason::PageCacheBusy => "[PCBUSY_CLEAN_QUEUE]",
                ClearingReason::TimedOut => "[TIMEOUT_CLEAN_QUEUE]",
            };
            let remark = format!(
                "{reason}broker busy, start flow control for a while, period in queue: {waited_ms}ms, size of queue: \
                 {left}"
            );
            turn.reply(caller, Response::failure(ResponseCode::SystemBusy, remark));
        }
    }
}
