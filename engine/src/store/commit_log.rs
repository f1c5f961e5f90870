//! The commit log: all messages of all queues, one record behind the other.

use bytes::Bytes;

use crate::disk::{FileId, ReadAt};
use crate::message::record::{SYS_FLAG_POSITION, store_timestamp_position};

use super::mapped_file::read_array;
use super::mapped_file_queue::MappedFileQueue;

/// The files of the log (`CommitLog`).
#[derive(Clone, Debug)]
pub(super) struct CommitLog {
    pub(super) files: MappedFileQueue,
    /// Since when the append lock is held; 0 if it is not.
    pub(super) begin_time_in_lock: i64,
    /// When the lock of the appends that come next was taken, if that was before they begin.
    pub(super) lock_taken_at: Option<i64>,
    pub(super) confirm_offset: i64,
}

/// Where bytes of the log stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) file: FileId,
    pub(super) position: i32,
    /// Physical offset of the first byte; not the one asked for where offset 0 stands for a later one.
    pub(super) offset: i64,
}

impl CommitLog {
    pub(super) fn new(files: MappedFileQueue) -> Self {
        Self { files, begin_time_in_lock: 0, lock_taken_at: None, confirm_offset: -1 }
    }

    pub(super) fn min_offset(&self) -> i64 {
        self.files.min_offset()
    }

    pub(super) fn max_offset(&self) -> i64 {
        self.files.max_offset()
    }

    /// Where `size` bytes at `offset` stand, if all can be read (`getMessage`). Offset 0 stands for the first byte of the
    /// log once the head is gone.
    pub(super) fn place(&self, offset: i64, size: i32) -> Option<Place> {
        let file = self.files.find_or_first_for_zero(offset)?;
        let position = self.files.position_of(offset);
        let offset = file.from_offset.wrapping_add(i64::from(position));
        file.holds(position, size).then_some(Place { file: file.id, position, offset })
    }

    /// A copy of, or a share in, the bytes at `offset`.
    pub(super) fn read<R: ReadAt>(&self, disk: &R, offset: i64, size: i32) -> Option<Bytes> {
        let place = self.place(offset, size)?;
        disk.slice(place.file, place.position as u64, size as usize).ok()
    }

    /// TOTALSIZE of the record at `offset`.
    pub(super) fn record_size<R: ReadAt>(&self, disk: &R, offset: i64) -> Option<i32> {
        let place = self.place(offset, 4)?;
        read_array(disk, place.file, i64::from(place.position)).map(i32::from_be_bytes)
    }

    /// The store time of the record of `size` bytes at `offset`; -1 if it cannot be read (`pickupStoreTimestamp`).
    pub(super) fn store_timestamp<R: ReadAt>(&self, disk: &R, offset: i64, size: i32) -> i64 {
        if offset < self.min_offset() {
            return -1;
        }
        let time = || {
            let place = self.place(offset, size)?;
            let start = i64::from(place.position);
            let sys_flag = read_array(disk, place.file, start + SYS_FLAG_POSITION as i64).map(i32::from_be_bytes)?;
            let position = store_timestamp_position(sys_flag) as i64;
            // A record too short to hold its time makes 4.9.8 throw.
            if position + 8 > i64::from(size) {
                return None;
            }
            read_array(disk, place.file, start + position).map(i64::from_be_bytes)
        };
        time().unwrap_or(-1)
    }
}
