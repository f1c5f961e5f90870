//! Beginning to work: the lock, the place where dispatch begins, the mark of a running store.

use std::fmt;

use crate::disk::{Disk, DiskError, DiskErrorKind, FileId};

use super::reput::ReputPosition;
use super::step::QueueName;
use super::{BrokerRole, Env, Reput, Step, Store, shutdown};

const LOCK_PATH: &str = "lock";
const LOCK_TEXT: &[u8] = b"lock";

/// Why a store could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartError {
    /// Another process holds the `lock` file.
    Locked,
    /// The disk refused.
    Disk(DiskError),
    /// `delayOffset.json` could not be read again.
    Load(super::LoadError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked => f.write_str("Lock failed,MQ already started"),
            Self::Disk(error) => error.fmt(f),
            Self::Load(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

impl From<DiskError> for StartError {
    fn from(error: DiskError) -> Self {
        Self::Disk(error)
    }
}

/// Opens the `lock` file, or makes it empty.
pub(super) fn open_lock_file<D: Disk>(disk: &mut D) -> Result<FileId, DiskError> {
    match disk.find(LOCK_PATH) {
        Some(file) => Ok(file),
        None => disk.create(LOCK_PATH, 0),
    }
}

impl<D: Disk> Store<D> {
    /// Starts the store (`start`): takes the lock, dispatches what waits, then takes puts and pulls. From here on an
    /// `abort` file marks the store as running.
    pub fn start<E: Env>(&mut self, env: &mut E) -> Result<(), StartError> {
        self.begin_start(env)?;
        while self.dispatch_behind_bytes() > 0 {
            // Nothing that waits can be dispatched only on a slave, or at the confirm offset; 4.9.8 looks again every
            // second, for ever.
            match self.reput(env) {
                Reput::Idle => break,
                Reput::Skipped { from, to } if from == to => break,
                _ => {}
            }
        }
        self.finish_start(env)
    }

    /// The first half of [`Store::start`]: lock, and the place where dispatch begins. Dispatch what waits, by
    /// [`Store::reput`], and then call [`Store::finish_start`].
    pub fn begin_start<E: Env>(&mut self, env: &mut E) -> Result<(), StartError> {
        self.disk.set_time(env.now());
        if !self.disk.try_lock(self.lock)? {
            return Err(StartError::Locked);
        }
        let len = LOCK_TEXT.len() as u64;
        if self.disk.meta(self.lock)?.len < len {
            self.disk.set_len(self.lock, len)?;
        }
        self.disk.write_at(self.lock, 0, LOCK_TEXT)?;
        self.disk.flush(self.lock, 0, len)?;
        env.step(|| Step::StoreLocked);
        // The largest over all queues: a gap below it in one of them is never filled.
        let min = self.commit_log.min_offset();
        let known = self.queues.queues().map(super::ConsumeQueue::max_physic_offset);
        let from = known.fold(min, i64::max).max(0);
        self.reput = ReputPosition::at(from);
        env.step(|| {
            let decides = |queue: &&super::ConsumeQueue| from > min && queue.max_physic_offset() == from;
            let queue = self.queues.queues().find(decides);
            let name =
                |queue: &super::ConsumeQueue| QueueName { topic: queue.topic().to_owned(), queue_id: queue.queue_id() };
            Step::ReputFrom { physical_offset: from, min_phy_offset: min, queue: queue.map(name) }
        });
        Ok(())
    }

    /// The second half of [`Store::start`].
    pub fn finish_start<E: Env>(&mut self, env: &mut E) -> Result<(), StartError> {
        self.disk.set_time(env.now());
        self.recover_queue_offsets(env);
        if self.config.broker_role != BrokerRole::Slave {
            self.start_schedule(env).map_err(StartError::Load)?;
        }
        match self.disk.create(shutdown::ABORT_PATH, 0) {
            Ok(_) => env.step(|| Step::AbortCreated),
            Err(DiskError { kind: DiskErrorKind::AlreadyExists, .. }) => {}
            Err(error) => return Err(error.into()),
        }
        self.running = true;
        Ok(())
    }
}
