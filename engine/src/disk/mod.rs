//! Disks: where bytes are kept, and what of them survives.
//!
//! [`ReadAt`] is a tree of files that can be read; [`Disk`] is one that can be written too. The store is generic over
//! [`Disk`], everything that only looks is generic over [`ReadAt`], so the same readers serve a simulated broker, a
//! real `store/` directory and a directory dropped on the page.
//!
//! There are no directories: a file is named by its path relative to the root, `/`-separated, and a directory exists
//! as long as a file below it does.

pub mod memory;
mod names;
#[cfg(feature = "native")]
pub mod native;
mod overlay;
#[cfg(test)]
mod random;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

pub use self::memory::MemoryDisk;
pub use self::overlay::Overlay;

/// A file of one disk. Ids are handed out in order of opening and never reused: the id of a deleted file answers
/// [`DiskErrorKind::NotFound`] for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// What a directory entry says about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileMeta {
    /// Length in bytes.
    pub len: u64,
    /// Time of the last write, milliseconds since the epoch.
    pub modified: i64,
}

/// A tree of files that can be read. Reading never changes a byte, a length or a time.
pub trait ReadAt {
    /// Every file, as path and id, in byte order of the paths.
    fn files(&self) -> Vec<(String, FileId)>;

    /// The file at `path`, if there is one.
    fn find(&self, path: &str) -> Option<FileId>;

    /// The path of `file`; `None` once it is deleted.
    fn path(&self, file: FileId) -> Option<String>;

    /// Length and time of `file`.
    fn meta(&self, file: FileId) -> Result<FileMeta, DiskError>;

    /// Fills `buf` from `offset`. A range that leaves the file is an error ([`DiskErrorKind::OutOfRange`]), and `buf`
    /// is then unspecified.
    fn read_at(&self, file: FileId, offset: u64, buf: &mut [u8]) -> Result<(), DiskError>;

    /// The bytes `offset..offset + len` lent without a copy, where the disk holds them in one piece. `None` says only
    /// "not in one piece" (or out of range): the caller then uses [`ReadAt::read_at`].
    fn peek(&self, _file: FileId, _offset: u64, _len: usize) -> Option<&[u8]> {
        None
    }

    /// The bytes `offset..offset + len` as a value of its own, shared with the disk where it can be.
    fn slice(&self, file: FileId, offset: u64, len: usize) -> Result<Bytes, DiskError> {
        let mut buf = vec![0; len];
        self.read_at(file, offset, &mut buf)?;
        Ok(buf.into())
    }
}

/// A disk lent or shared is read like the disk itself.
macro_rules! read_through {
    ($($pointer:ty),*) => {$(
        impl<T: ReadAt + ?Sized> ReadAt for $pointer {
            fn files(&self) -> Vec<(String, FileId)> {
                (**self).files()
            }

            fn find(&self, path: &str) -> Option<FileId> {
                (**self).find(path)
            }

            fn path(&self, file: FileId) -> Option<String> {
                (**self).path(file)
            }

            fn meta(&self, file: FileId) -> Result<FileMeta, DiskError> {
                (**self).meta(file)
            }

            fn read_at(&self, file: FileId, offset: u64, buf: &mut [u8]) -> Result<(), DiskError> {
                (**self).read_at(file, offset, buf)
            }

            fn peek(&self, file: FileId, offset: u64, len: usize) -> Option<&[u8]> {
                (**self).peek(file, offset, len)
            }

            fn slice(&self, file: FileId, offset: u64, len: usize) -> Result<Bytes, DiskError> {
                (**self).slice(file, offset, len)
            }
        }
    )*};
}

read_through!(&T, Arc<T>);

/// A disk that can be written: the operating system as 4.9.8 sees it.
///
/// Creating, deleting, renaming and sizing files is durable at once and in order; what [`Disk::write_at`] wrote is in
/// the page cache until a [`Disk::flush`] covers it.
pub trait Disk: ReadAt {
    /// The wall clock of the machine, milliseconds since the epoch: the mtime that the writes after this call leave.
    fn set_time(&mut self, now: i64);

    /// Makes a file of `len` zero bytes. An existing file at `path` is [`DiskErrorKind::AlreadyExists`].
    fn create(&mut self, path: &str, len: u64) -> Result<FileId, DiskError>;

    /// Writes `data` at `offset`, inside the file's length.
    fn write_at(&mut self, file: FileId, offset: u64, data: &[u8]) -> Result<(), DiskError>;

    /// The bytes `offset..offset + len` to be written in place, where the disk holds them in one piece and need not
    /// know what is written. `None` says only "not here": the caller then uses [`Disk::write_at`].
    fn window_mut(&mut self, _file: FileId, _offset: u64, _len: usize) -> Option<&mut [u8]> {
        None
    }

    /// Makes `offset..offset + len` durable (`MappedByteBuffer.force`, `FileChannel.force`).
    fn flush(&mut self, file: FileId, offset: u64, len: u64) -> Result<(), DiskError>;

    /// Cuts the file or grows it with zeros.
    fn set_len(&mut self, file: FileId, len: u64) -> Result<(), DiskError>;

    /// Gives the file another path, in place of whatever file is there. Its bytes become durable with it.
    fn rename(&mut self, file: FileId, path: &str) -> Result<(), DiskError>;

    /// Removes the file.
    fn delete(&mut self, file: FileId) -> Result<(), DiskError>;

    /// Takes the exclusive lock on the first byte of `file` (`FileChannel.tryLock(0, 1, false)`): `false` when another
    /// process holds it. It is held until [`Disk::unlock`] or the end of the process.
    fn try_lock(&mut self, file: FileId) -> Result<bool, DiskError>;

    /// Gives the lock of `file` back; nothing happens when it is not held.
    fn unlock(&mut self, file: FileId) -> Result<(), DiskError>;
}

/// An operation on a disk that did not happen: where, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskError {
    /// The file's path, or its id in words where the path is not known.
    pub file: String,
    /// The first byte concerned; `None` for operations on the whole file.
    pub offset: Option<u64>,
    /// The cause.
    pub kind: DiskErrorKind,
}

/// Why an operation on a disk did not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiskErrorKind {
    /// No such file.
    NotFound,
    /// A file of this path is there already.
    AlreadyExists,
    /// The range leaves the file, which is this long.
    OutOfRange {
        /// The file's length in bytes.
        len: u64,
    },
    /// The disk has no room left.
    Full,
    /// The disk is read only.
    ReadOnly,
    /// A path that is empty, absolute, or climbs out of the root.
    BadPath,
    /// The machine's own words, or an injected fault's.
    Io(String),
}

impl fmt::Display for DiskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(offset) = self.offset {
            write!(f, " at {offset}")?;
        }
        match &self.kind {
            DiskErrorKind::NotFound => f.write_str(": no such file"),
            DiskErrorKind::AlreadyExists => f.write_str(": the file exists"),
            DiskErrorKind::OutOfRange { len } => write!(f, ": outside the file, which is {len} bytes long"),
            DiskErrorKind::Full => f.write_str(": no space left on the disk"),
            DiskErrorKind::ReadOnly => f.write_str(": the disk is read only"),
            DiskErrorKind::BadPath => f.write_str(": not a path inside the disk"),
            DiskErrorKind::Io(cause) => write!(f, ": {cause}"),
        }
    }
}

impl std::error::Error for DiskError {}
