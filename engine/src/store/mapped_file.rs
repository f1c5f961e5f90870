//! One file of fixed size, and how far it is written, committed and flushed.

use crate::disk::{Disk, DiskError, FileId, ReadAt};

use super::{Env, Step};

/// Size of a page, by which the flush services count (`MappedFile.OS_PAGE_SIZE`).
pub(super) const PAGE_SIZE: i32 = 4096;

/// A file of a [`MappedFileQueue`](super::mapped_file_queue::MappedFileQueue) (`MappedFile`).
///
/// The three positions count from the start of the file: `flushed <= committed <= wrote` while all goes well. Without a
/// transient buffer a written byte is at once readable and `committed` means nothing.
#[derive(Clone, Debug)]
pub(super) struct MappedFile {
    pub(super) id: FileId,
    /// Offset of the first byte: the file's name.
    pub(super) from_offset: i64,
    pub(super) size: i32,
    pub(super) wrote: i32,
    committed: i32,
    flushed: i32,
    /// Store time of the last message appended here since the store was loaded; 0 if none.
    pub(super) store_timestamp: i64,
    /// Whether the queue had no file when this one was made.
    pub(super) first_created_in_queue: bool,
    buffer: Option<Buffer>,
}

/// A buffer of the transient pool, attached to a file until that is full and committed.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffer {
    /// The bytes between `committed` and `wrote`, which are not in the file yet.
    pending: Vec<u8>,
    /// The file that had the buffer before. Nobody clears a buffer: what that file held is still in it.
    before: Option<FileId>,
}

impl Buffer {
    /// A buffer that `before` has given back to the pool; `None`: a fresh one, all zeros.
    pub(super) fn after(before: Option<FileId>) -> Self {
        Self { pending: Vec::new(), before }
    }
}

impl MappedFile {
    /// A file that was just made: nothing written. `buffer` comes from the transient pool.
    pub(super) fn created(id: FileId, from_offset: i64, size: i32, buffer: Option<Buffer>) -> Self {
        let first_created_in_queue = false;
        Self {
            id,
            from_offset,
            size,
            wrote: 0,
            committed: 0,
            flushed: 0,
            store_timestamp: 0,
            first_created_in_queue,
            buffer,
        }
    }

    /// A file that was there already: it counts as full until recovery says otherwise.
    pub(super) fn loaded(id: FileId, from_offset: i64, size: i32) -> Self {
        let mut file = Self::created(id, from_offset, size, None);
        file.set_positions(size);
        file
    }

    /// Sets all three positions, as recovery does. What the transient buffer held is forgotten.
    pub(super) fn set_positions(&mut self, position: i32) {
        self.wrote = position;
        self.committed = position;
        self.flushed = position;
        if let Some(buffer) = &mut self.buffer {
            buffer.pending.clear();
        }
    }

    /// How far the file can be read: with a transient buffer only what was committed.
    pub(super) fn read_position(&self) -> i32 {
        if self.buffer.is_some() { self.committed } else { self.wrote }
    }

    pub(super) fn is_full(&self) -> bool {
        self.wrote == self.size
    }

    /// The offset after the last byte of the file.
    pub(super) fn end_offset(&self) -> i64 {
        self.from_offset.wrapping_add(i64::from(self.size))
    }

    /// Whether `offset` lies in this file.
    pub(super) fn contains(&self, offset: i64) -> bool {
        offset >= self.from_offset && offset < self.end_offset()
    }

    /// Whether `position..position + size` can be read (`selectMappedBuffer`); a range that makes Java throw cannot.
    pub(super) fn holds(&self, position: i32, size: i32) -> bool {
        position >= 0 && size >= 0 && i64::from(position) + i64::from(size) <= i64::from(self.read_position())
    }

    /// Bytes that can be read from `position` on; `None` where there are none.
    pub(super) fn readable_from(&self, position: i32) -> Option<i32> {
        (position >= 0 && position < self.read_position()).then(|| self.read_position() - position)
    }

    /// The window `wrote..wrote + len` to be written in place; `None` if the bytes must go through
    /// [`MappedFile::write`]. Nothing moves on.
    pub(super) fn window<'d, D: Disk>(&self, disk: &'d mut D, len: i32) -> Option<&'d mut [u8]> {
        if self.buffer.is_some() {
            return None;
        }
        disk.window_mut(self.id, u64::try_from(self.wrote).ok()?, usize::try_from(len).ok()?)
    }

    /// Writes `data` at the end, and nothing moves on.
    pub(super) fn write<D: Disk>(&mut self, disk: &mut D, data: &[u8]) -> Result<(), DiskError> {
        if let Some(buffer) = &mut self.buffer {
            let at = usize::try_from(self.wrote - self.committed).unwrap_or_default();
            buffer.pending.resize(at, 0);
            buffer.pending.extend_from_slice(data);
            return Ok(());
        }
        disk.write_at(self.id, self.wrote as u64, data)
    }

    /// Writes a blank record, with which the file counts as full. Of a transient buffer everything up to the end is
    /// committed then, and behind the blank record that is what the buffer held before: the bytes of the file that had
    /// it, as long as that is there to be asked.
    pub(super) fn write_blank<D: Disk>(&mut self, disk: &mut D, blank: &[u8]) -> Result<(), DiskError> {
        self.write(disk, blank)?;
        if let Some(Buffer { pending, before: Some(before) }) = &mut self.buffer {
            let from = self.wrote as usize + blank.len();
            let written = pending.len();
            pending.resize(written + (self.size as usize).saturating_sub(from), 0);
            let rest = pending.get_mut(written..).unwrap_or_default();
            if disk.read_at(*before, from as u64, rest).is_err() {
                rest.fill(0);
            }
        }
        Ok(())
    }

    /// Writes `data` at the end and moves on (`appendMessage(byte[])`): `false` if it does not fit. As in 4.9.8 a write
    /// that the disk refuses counts as done.
    pub(super) fn append<D: Disk, E: Env>(&mut self, disk: &mut D, data: &[u8], env: &mut E) -> bool {
        let Ok(len) = i32::try_from(data.len()) else { return false };
        if len > self.size.saturating_sub(self.wrote) {
            return false;
        }
        if let Err(error) = self.write(disk, data) {
            env.step(|| Step::DiskFailed { error: error.to_string() });
        }
        self.wrote += len;
        true
    }

    /// Forces the file if at least `least_pages` pages wait, or anything at all for 0 (`flush`). As in 4.9.8 a force
    /// that the disk refuses counts as done. Nothing behind `limit`, a physical offset, is flushed. Answers how far the
    /// file is.
    pub(super) fn flush<D: Disk, E: Env>(&mut self, disk: &mut D, least_pages: i32, limit: i64, env: &mut E) -> i32 {
        let limit = limit.saturating_sub(self.from_offset).clamp(0, i64::from(self.size)) as i32;
        let readable = self.read_position().min(limit);
        if self.is_full() || enough(self.flushed, readable, least_pages) {
            if let Err(error) = disk.flush(self.id, 0, limit as u64) {
                env.step(|| Step::DiskFailed { error: error.to_string() });
            }
            let from = self.from_offset.wrapping_add(i64::from(self.flushed));
            self.flushed = readable;
            let to = self.from_offset.wrapping_add(i64::from(readable));
            if from != to {
                env.step(|| Step::Flushed { file: disk.path(self.id).unwrap_or_default(), from, to });
            }
        }
        self.flushed
    }

    /// Whether a flush that wants `least_pages` pages would change anything.
    pub(super) fn is_flush_due(&self, least_pages: i32) -> bool {
        let readable = self.read_position();
        readable != self.flushed && (self.is_full() || enough(self.flushed, readable, least_pages))
    }

    /// Moves bytes from the transient buffer into the file if at least `least_pages` pages wait (`commit`). Answers how
    /// far the file is committed, and whether the buffer went back to the pool, which it does when the file is full.
    pub(super) fn commit<D: Disk, E: Env>(&mut self, disk: &mut D, least_pages: i32, env: &mut E) -> (i32, bool) {
        let Some(buffer) = &mut self.buffer else { return (self.wrote, false) };
        let full = self.size == self.wrote;
        if self.wrote > self.committed && (full || enough(self.committed, self.wrote, least_pages)) {
            let pending = &mut buffer.pending;
            pending.resize(usize::try_from(self.wrote - self.committed).unwrap_or_default(), 0);
            match disk.write_at(self.id, self.committed as u64, pending) {
                Ok(()) => {
                    pending.clear();
                    let from = self.from_offset.wrapping_add(i64::from(self.committed));
                    let to = self.from_offset.wrapping_add(i64::from(self.wrote));
                    self.committed = self.wrote;
                    env.step(|| Step::Committed { file: disk.path(self.id).unwrap_or_default(), from, to });
                }
                Err(error) => env.step(|| Step::DiskFailed { error: error.to_string() }),
            }
        }
        let returned = self.committed == self.size;
        if returned {
            self.buffer = None;
        }
        (self.committed, returned)
    }
}

/// Whether between `done` and `end` enough waits: `least_pages` whole pages, or anything for 0.
fn enough(done: i32, end: i32, least_pages: i32) -> bool {
    if least_pages > 0 { end / PAGE_SIZE - done / PAGE_SIZE >= least_pages } else { end > done }
}

/// Reads `offset..offset + len` of a file: lent by the disk where it can, else copied into `scratch`.
pub(super) fn read<'b, D: ReadAt>(
    disk: &'b D,
    file: FileId,
    offset: i32,
    len: i32,
    scratch: &'b mut Vec<u8>,
) -> Result<&'b [u8], DiskError> {
    let (offset, len) = (offset.max(0) as u64, len.max(0) as usize);
    if let Some(bytes) = disk.peek(file, offset, len) {
        return Ok(bytes);
    }
    scratch.resize(len, 0);
    disk.read_at(file, offset, scratch)?;
    Ok(scratch)
}

/// Reads `N` bytes at `offset` of a file; `None` if the file does not hold them.
pub(super) fn read_array<const N: usize, D: ReadAt>(disk: &D, file: FileId, offset: i64) -> Option<[u8; N]> {
    let offset = u64::try_from(offset).ok()?;
    if let Some(bytes) = disk.peek(file, offset, N) {
        return bytes.try_into().ok();
    }
    let mut bytes = [0; N];
    disk.read_at(file, offset, &mut bytes).ok()?;
    Some(bytes)
}
