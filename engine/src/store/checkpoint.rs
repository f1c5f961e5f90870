//! The checkpoint: up to which store time log, queues and index are surely on the disk.

use crate::disk::{Disk, DiskError, FileId, ReadAt};

use super::mapped_file::read_array;
use super::{Env, Step};

/// Path of the file below the root.
pub(super) const PATH: &str = "checkpoint";
const FILE_SIZE: u64 = 4096;

/// Three store times and the file that keeps them (`StoreCheckpoint`): three 64-bit integers at the start of 4096 bytes.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    file: FileId,
    /// Store time of a message up to which the commit log is flushed.
    pub physic_msg_timestamp: i64,
    /// Store time of the last message dispatched to a ConsumeQueue.
    pub logics_msg_timestamp: i64,
    /// Store time of the last message in the last index file that was full and flushed.
    pub index_msg_timestamp: i64,
}

impl Checkpoint {
    /// Opens the file, or makes it; the times of a file that was not there are zero.
    pub(super) fn open<D: Disk, E: Env>(disk: &mut D, env: &mut E) -> Result<Self, DiskError> {
        let (file, existed) = match disk.find(PATH) {
            Some(file) => {
                if disk.meta(file)?.len < FILE_SIZE {
                    disk.set_len(file, FILE_SIZE)?;
                }
                (file, true)
            }
            None => (disk.create(PATH, FILE_SIZE)?, false),
        };
        let [physic, logics, index] = if existed { times(disk, file) } else { [0; 3] };
        env.step(|| Step::CheckpointRead {
            physic_msg_timestamp: physic,
            logics_msg_timestamp: logics,
            index_msg_timestamp: index,
            existed,
        });
        Ok(Self { file, physic_msg_timestamp: physic, logics_msg_timestamp: logics, index_msg_timestamp: index })
    }

    /// The time before which nothing of log and queues can be missing (`getMinTimestamp`).
    pub fn min_timestamp(&self) -> i64 {
        self.physic_msg_timestamp.min(self.logics_msg_timestamp).wrapping_sub(3000).max(0)
    }

    /// The same with the index (`getMinTimestampIndex`).
    pub fn min_timestamp_index(&self) -> i64 {
        self.min_timestamp().min(self.index_msg_timestamp)
    }

    /// Writes the three times and forces them (`flush`).
    pub(super) fn flush<D: Disk, E: Env>(&self, disk: &mut D, env: &mut E) {
        let mut bytes = [0; 24];
        let times = [self.physic_msg_timestamp, self.logics_msg_timestamp, self.index_msg_timestamp];
        for (field, time) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(times) {
            *field = time.to_be_bytes();
        }
        let written = disk.write_at(self.file, 0, &bytes).and_then(|()| disk.flush(self.file, 0, FILE_SIZE));
        match written {
            Ok(()) => env.step(|| Step::CheckpointWritten {
                physic_msg_timestamp: self.physic_msg_timestamp,
                logics_msg_timestamp: self.logics_msg_timestamp,
                index_msg_timestamp: self.index_msg_timestamp,
            }),
            Err(error) => env.step(|| Step::DiskFailed { error: error.to_string() }),
        }
    }
}

/// The three times at the start of a checkpoint file; zero for those that cannot be read.
fn times<R: ReadAt>(disk: &R, file: FileId) -> [i64; 3] {
    [0, 8, 16].map(|at| read_array::<8, R>(disk, file, at).map_or(0, i64::from_be_bytes))
}
