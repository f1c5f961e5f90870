//! Stopping: everything is flushed, and if nothing is left open, the mark of a running store goes.

use crate::disk::Disk;

use super::{Env, FlushDiskType, Reput, Step, Store, Work};

/// The mark of a running store, which an unclean stop leaves.
pub(super) const ABORT_PATH: &str = "abort";
/// How long 4.9.8 waits before it stops its services.
const SETTLE_MS: i64 = 1000;
/// `GroupCommitService` sleeps so long before its last round.
const LAST_GROUP_COMMIT_MS: i64 = 10;
/// Final flushes of the commit log by the other services, at most (`FlushCommitLogService.RETRY_TIMES_OVER`).
const LAST_FLUSHES: i32 = 10;

impl<D: Disk> Store<D> {
    /// Stops the store (`shutdown`), dispatching what waits. `true` if the stop was clean: otherwise the `abort` file
    /// stays and the next load is an unclean recovery. A store that does not run only gives the
    /// lock back.
    pub fn shutdown<E: Env>(&mut self, env: &mut E) -> bool {
        if !self.running {
            self.unlock(env);
            return false;
        }
        self.begin_shutdown(env);
        loop {
            match self.reput(env) {
                Reput::Idle => break,
                Reput::Skipped { from, to } if from == to => break,
                _ => {}
            }
        }
        self.finish_shutdown(env)
    }

    /// The first half of [`Store::shutdown`]: puts and pulls are refused, the commit log is flushed. 4.9.8 then waits up
    /// to 5 seconds for dispatch; let [`Store::reput`] work as long, then call [`Store::finish_shutdown`].
    pub fn begin_shutdown<E: Env>(&mut self, env: &mut E) {
        if !self.running {
            return;
        }
        self.refuse_work();
        env.spend(Work::Sleep(SETTLE_MS));
        self.close_log(env);
    }

    /// The first thing of [`Store::begin_shutdown`]: puts and pulls are refused from here on. 4.9.8 then sleeps for a
    /// second while its services go on; whoever keeps the calendar itself lets that time pass and calls
    /// [`Store::close_log`].
    pub fn refuse_work(&mut self) {
        self.running = false;
    }

    /// The rest of [`Store::begin_shutdown`]: the delay levels are saved, the commit log is flushed for the last time.
    /// With `SYNC_FLUSH` that is the round for which `GroupCommitService` is woken and the one at its end, one flush each
    /// if nobody waits; whoever keeps puts that wait goes through these two rounds himself.
    pub fn close_log<E: Env>(&mut self, env: &mut E) {
        self.disk.set_time(env.now());
        self.stop_schedule(env);
        if self.config.flush_disk_type == FlushDiskType::SyncFlush {
            self.flush_commit_log_file(i64::MAX, env);
            env.spend(Work::Sleep(LAST_GROUP_COMMIT_MS));
            self.flush_commit_log_file(i64::MAX, env);
            return;
        }
        for _ in 0..LAST_FLUSHES {
            if self.config.transient_store_pool() && self.commit_log.files.commit(&mut self.disk, 0, env) {
                break;
            }
        }
        for _ in 0..LAST_FLUSHES {
            if self.commit_log.files.flush(&mut self.disk, 0, env) {
                break;
            }
        }
    }

    /// The second half of [`Store::shutdown`].
    pub fn finish_shutdown<E: Env>(&mut self, env: &mut E) -> bool {
        self.disk.set_time(env.now());
        let clean = self.flags.is_writeable() && self.dispatch_behind_bytes() == 0;
        self.flush_consume_queues_last(env);
        self.commit_log.files.discard_ahead(&mut self.disk, env);
        self.checkpoint.flush(&mut self.disk, env);
        if clean {
            if let Some(abort) = self.disk.find(ABORT_PATH)
                && self.disk.delete(abort).is_ok()
            {
                env.step(|| Step::AbortDeleted);
            }
        } else {
            env.step(|| Step::AbortKept { behind: self.dispatch_behind_bytes() });
        }
        self.unlock(env);
        clean
    }

    fn unlock<E: Env>(&mut self, env: &mut E) {
        if self.disk.unlock(self.lock).is_ok() {
            env.step(|| Step::StoreUnlocked);
        }
    }
}
