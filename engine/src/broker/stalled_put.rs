//! A put that waits for the page cache with the append lock in its hands. Whoever else wants to append waits for it, and
//! once that takes too long the broker counts as busy (`DefaultMessageStore.isOSPageCacheBusy`).

use super::Process;
use crate::{
    disk::memory::Fault,
    node::{Caller, IntakeStep, Pool, Service, Turn},
    wire::Request,
};

/// Where the log's files lie; what a fault of the disk has to concern before there is one of them.
const LOG: &str = "commitlog/";

/// The put that is under way.
#[derive(Clone, Debug)]
pub(super) struct StalledPut {
    caller: Caller,
    request: Request,
    /// When it took the lock, milliseconds since the epoch.
    since_ms: i64,
    /// When the bytes are written, microseconds.
    ends_us: i64,
    /// Ends of transactions that came meanwhile, and wait for the lock.
    behind: Vec<(Caller, Request)>,
}

impl Process {
    /// Takes the lock for a message that comes in while writes are slow: it is put when the page cache has taken it in.
    /// Gives back a request that need not wait.
    pub(super) fn stall_put(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) -> Option<Request> {
        if matches!(request, Request::EndTransaction(_)) {
            return self.queue_behind(caller, request, turn);
        }
        let disk = self.store.disk();
        let slow = disk.faults().iter().any(|fault| matches!(fault, Fault::SlowWrite { .. }));
        if !slow || Pool::of(&request) != Some(Pool::Send) || !self.store.takes_messages() {
            return Some(request);
        }
        let ms = disk.write_delay_ms(self.store.written_path().as_deref().unwrap_or(LOG));
        if ms == 0 {
            return Some(request);
        }
        let since_ms = turn.wall_ms();
        self.store.set_begin_time_in_lock(since_ms);
        turn.step(IntakeStep::AppendStalled { ms });
        turn.spend_us(ms.saturating_mul(1000));
        let ends_us = turn.now_us();
        let behind = Vec::new();
        self.stalled_put = Some(StalledPut { caller: caller.clone(), request, since_ms, ends_us, behind });
        turn.wake_for_work(Service::Put, ends_us);
        None
    }

    /// The page cache has taken the bytes in.
    pub(super) fn end_stalled_put(&mut self, turn: &mut Turn<'_>) {
        let Some(StalledPut { caller, request, since_ms, behind, .. }) = self.stalled_put.take() else { return };
        self.store.set_begin_time_in_lock(0);
        self.store.set_lock_taken_at(Some(since_ms));
        self.handle(&caller, request, turn);
        self.store.set_lock_taken_at(None);
        for (caller, request) in behind {
            self.handle(&caller, request, turn);
        }
    }

    fn queue_behind(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) -> Option<Request> {
        let busy = self.store.is_os_page_cache_busy(turn.wall_ms());
        let Some(stalled) = self.stalled_put.as_mut().filter(|_| !busy) else { return Some(request) };
        turn.step(IntakeStep::AppendWaits { ms: stalled.ends_us.saturating_sub(turn.now_us()) / 1000 });
        stalled.behind.push((caller.clone(), request));
        None
    }

    /// Whether a service that appends has to wait for the lock; it is woken then. Where the lock has been held too long
    /// nobody waits for it: the store refuses what comes.
    pub(super) fn waits_for_lock(&self, service: Service, turn: &mut Turn<'_>) -> bool {
        let Some(free_us) = self.lock_free_us(turn) else { return false };
        turn.wake_for_work(service, free_us);
        true
    }

    /// When the lock is free that whoever appends now has to wait for, microseconds; `None`: nobody has to wait.
    pub(super) fn lock_free_us(&self, turn: &Turn<'_>) -> Option<i64> {
        let stalled = self.stalled_put.as_ref()?;
        (!self.store.is_os_page_cache_busy(turn.wall_ms())).then_some(stalled.ends_us)
    }
}
