//! The file `checkpoint`.

use super::files::{SingleFile, read_clipped};
use crate::disk::{DiskError, ReadAt};

/// Three store times (`StoreCheckpoint`), milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckpointTimes {
    /// Up to which the commit log was flushed.
    pub physic: i64,
    /// Up to which the ConsumeQueues were flushed.
    pub logics: i64,
    /// Of the last entry of the last index file that was full and flushed.
    pub index: i64,
}

/// Bytes of the file that have a meaning.
pub const CHECKPOINT_USED: u64 = 24;

impl CheckpointTimes {
    /// What recovery compares the commit log files with: max(0, min(physic, logics) − 3000)
    /// (`StoreCheckpoint.getMinTimestamp`).
    pub fn min(&self) -> i64 {
        self.physic.min(self.logics).saturating_sub(3000).max(0)
    }
}

/// Reads the checkpoint; `None` where the file is too short for it.
pub fn read_checkpoint<D: ReadAt + ?Sized>(disk: &D, file: &SingleFile) -> Result<Option<CheckpointTimes>, DiskError> {
    let bytes = read_clipped(disk, file.file, file.len, 0, CHECKPOINT_USED)?;
    let at = |position: usize| bytes.get(position..)?.first_chunk().map(|time| i64::from_be_bytes(*time));
    let times = || Some(CheckpointTimes { physic: at(0)?, logics: at(8)?, index: at(16)? });
    Ok(times())
}
