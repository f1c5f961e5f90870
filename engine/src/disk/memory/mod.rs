//! The disk in memory: files of their true sizes that cost only the pages written, a page cache over stable bytes, and
//! a clone that shares everything until one side writes.
//!
//! What a process reads is the cache image. A flush makes the OS pages (4096 bytes) that its range touches durable, as
//! `msync` does; a power loss leaves the stable image. Creating, deleting, renaming and sizing files is durable at
//! once and in order. A renamed file's bytes are durable too: journaling file systems write out what is renamed into
//! place, and 4.9.8, which saves its configuration files so and never forces them, lives on that.
//!
//! ```text
//! MemoryDisk ── files: id ──▶ Arc<MemoryFile> ── Table ── Arc<leaf of 32 slots> ── Slot ──▶ cache:  Arc<4 KiB>
//!            └─ names: path ─▶ id                          (128 KiB of the file)     └───▶ stable: Arc<4 KiB> if dirty
//! ```

mod crash;
mod fault;
mod file;
mod journal;
mod page;
mod room;
mod slot;
mod table;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use bytes::Bytes;

use self::file::{Beneath, MemoryFile};
use self::page::Pool;
use super::names::Names;
use super::{Disk, DiskError, DiskErrorKind, FileId, FileMeta, ReadAt};

pub use self::crash::DirtyPage;
pub use self::fault::Fault;
pub use self::journal::{Change, DiskOp};
pub use self::page::OS_PAGE_SIZE;
pub use self::room::Room;
pub use self::slot::Survives;

/// The longest file, 1 TiB; beyond it the disk is full.
const LONGEST: u64 = 1 << 40;

/// A disk in memory. A clone costs one reference per file, and each side pays for what it then writes.
#[derive(Default)]
pub struct MemoryDisk {
    /// By id, ascending: new files come last.
    files: Vec<(FileId, Arc<MemoryFile>)>,
    names: Names,
    next: u32,
    now: i64,
    locks: BTreeSet<FileId>,
    /// Lengths of all files together, in bytes.
    used: u64,
    /// Bytes that others have on the same disk.
    other: u64,
    capacity: Option<u64>,
    faults: Vec<Fault>,
    journal: Option<Vec<DiskOp>>,
    /// What the journal's operations are counted with.
    counter: Option<Arc<AtomicU32>>,
    /// Operations so far.
    changes: u64,
    pool: Pool,
}

impl MemoryDisk {
    /// An empty disk without limit, at time 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// A disk that begins as `beneath` is now and reads through to it until a page is written: a dry run, which cannot
    /// change what lies beneath. The files get ids of their own; one that has just vanished from a directory in use is
    /// left out.
    pub fn over(beneath: &Arc<dyn ReadAt + Send + Sync>) -> Result<Self, DiskError> {
        let mut disk = Self::new();
        for (path, file) in beneath.files() {
            let FileMeta { len, modified } = match beneath.meta(file) {
                Err(error) if error.kind == DiskErrorKind::NotFound => continue,
                meta => meta?,
            };
            let below = Beneath { disk: Arc::clone(beneath), file, len };
            disk.enter(&path, |path| MemoryFile::new(path, len, modified, Some(below)))?;
        }
        Ok(disk)
    }

    /// A disk with these files, all of it stable: path, bytes, and time of the last write in milliseconds.
    pub fn from_files(files: impl IntoIterator<Item = (String, Vec<u8>, i64)>) -> Result<Self, DiskError> {
        let mut disk = Self::new();
        for (path, bytes, modified) in files {
            disk.set_time(modified);
            let len = bytes.len() as u64;
            let file = disk.create(&path, len)?;
            disk.write_at(file, 0, &bytes)?;
            disk.flush(file, 0, len)?;
        }
        Ok(disk)
    }

    /// Lets the lengths of all files together, with what others have on the disk, be `bytes` at most; what would pass
    /// it is [`DiskErrorKind::Full`]. A file counts with its whole length from the start, although pages never written take no memory: a store that
    /// maps its files cannot be told of a full disk in the middle of one.
    pub fn set_capacity(&mut self, bytes: Option<u64>) {
        self.capacity = bytes;
    }

    /// The limit of [`MemoryDisk::set_capacity`], in bytes.
    pub fn capacity(&self) -> Option<u64> {
        self.capacity
    }

    /// Lengths of all files together, in bytes.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Lets others have so many bytes on the same disk.
    pub fn set_other(&mut self, bytes: u64) {
        self.other = bytes;
    }

    /// Bytes that others have on the same disk.
    pub fn other(&self) -> u64 {
        self.other
    }

    /// The pages of `file` that hold anything but zeros, as a process sees them: first byte in the file, and 4 KiB.
    /// Together with the length they are the file's content; what lies beneath and was never written is left out.
    pub fn pages(&self, file: FileId) -> Result<impl Iterator<Item = (u64, &[u8])>, DiskError> {
        Ok(self.file(file)?.pages().filter(|(_, bytes)| bytes.iter().any(|byte| *byte != 0)))
    }

    /// Pages that this disk holds, of 4 KiB each, as a process sees them, those shared with clones included.
    pub fn pages_held(&self) -> usize {
        self.files.iter().map(|(_, content)| content.pages_held()).sum()
    }

    fn place(&self, file: FileId) -> Result<usize, DiskError> {
        self.files.binary_search_by_key(&file, |entry| entry.0).map_err(|_| DiskError {
            file: format!("file {}", file.0),
            offset: None,
            kind: DiskErrorKind::NotFound,
        })
    }

    #[inline]
    fn file(&self, file: FileId) -> Result<&MemoryFile, DiskError> {
        Ok(&self.files[self.place(file)?].1)
    }

    /// Whether `more` bytes of file length fit.
    fn check_room(&self, more: u64) -> Result<(), DiskErrorKind> {
        let used = self.used.checked_add(more).ok_or(DiskErrorKind::Full)?;
        let used = used.checked_add(self.other).ok_or(DiskErrorKind::Full)?;
        if self.capacity.is_some_and(|capacity| used > capacity) { Err(DiskErrorKind::Full) } else { Ok(()) }
    }

    /// Puts a new file under `path`.
    fn enter(&mut self, path: &str, make: impl FnOnce(Arc<str>) -> MemoryFile) -> Result<FileId, DiskError> {
        let fail = |kind| DiskError { file: path.to_owned(), offset: None, kind };
        self.names.check_new(path).map_err(fail)?;
        let file = FileId(self.next);
        let next = self.next.checked_add(1).ok_or_else(|| fail(DiskErrorKind::Io("out of file ids".into())))?;
        let content = make(path.into());
        if content.len > LONGEST {
            return Err(fail(DiskErrorKind::Full));
        }
        self.check_room(content.len).map_err(fail)?;
        self.next = next;
        self.used += content.len;
        self.names.insert(Arc::clone(&content.path), file);
        self.files.push((file, Arc::new(content)));
        Ok(file)
    }

    /// Takes a file out, its pages kept for new ones.
    fn remove(&mut self, file: FileId) -> Result<(), DiskError> {
        let place = self.place(file)?;
        let (_, mut content) = self.files.remove(place);
        // A file that lives on without a name may have left its path to another.
        if self.names.find(&content.path) == Some(file) {
            self.names.remove(&content.path);
        }
        self.locks.remove(&file);
        self.used -= content.len;
        if let Some(content) = Arc::get_mut(&mut content) {
            content.set_len(0, &mut self.pool);
        }
        Ok(())
    }
}

impl Clone for MemoryDisk {
    fn clone(&self) -> Self {
        Self {
            files: self.files.clone(),
            names: self.names.clone(),
            next: self.next,
            now: self.now,
            locks: self.locks.clone(),
            used: self.used,
            other: self.other,
            capacity: self.capacity,
            faults: self.faults.clone(),
            journal: self.journal.clone(),
            changes: self.changes,
            // A counter belongs to one disk.
            counter: None,
            // Spare pages are a cache of this disk, not part of it.
            pool: self.pool.of_copy(),
        }
    }
}

impl fmt::Debug for MemoryDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files =
            self.names.iter().map(|(path, file)| (path, file.0, self.file(file).map_or(0, |content| content.len)));
        f.debug_struct("MemoryDisk").field("files", &files.collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

impl ReadAt for MemoryDisk {
    fn files(&self) -> Vec<(String, FileId)> {
        self.names.iter().map(|(path, file)| (path.to_string(), file)).collect()
    }

    fn find(&self, path: &str) -> Option<FileId> {
        self.names.find(path)
    }

    fn path(&self, file: FileId) -> Option<String> {
        self.file(file).ok().map(|content| content.path.to_string())
    }

    fn meta(&self, file: FileId) -> Result<FileMeta, DiskError> {
        let content = self.file(file)?;
        Ok(FileMeta { len: content.len, modified: content.modified })
    }

    fn read_at(&self, file: FileId, offset: u64, buf: &mut [u8]) -> Result<(), DiskError> {
        let content = self.file(file)?;
        content
            .check(offset, buf.len() as u64)
            .and_then(|()| content.read(offset, buf))
            .map_err(|kind| content.error(offset, kind))
    }

    #[inline]
    fn peek(&self, file: FileId, offset: u64, len: usize) -> Option<&[u8]> {
        let content = self.file(file).ok()?;
        content.check(offset, len as u64).ok()?;
        content.peek(offset, len)
    }

    fn slice(&self, file: FileId, offset: u64, len: usize) -> Result<Bytes, DiskError> {
        let content = self.file(file)?;
        content
            .check(offset, len as u64)
            .and_then(|()| content.slice(offset, len))
            .map_err(|kind| content.error(offset, kind))
    }
}
