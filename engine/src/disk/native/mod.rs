//! Files of the machine: the one place with `std::fs` and `unsafe`.
//!
//! [`FileDisk`] reads and writes a directory through memory maps, as the store of 4.9.8 does. [`ReadOnlyDir`] only
//! looks: it opens files for reading, never maps, makes, sizes or locks one, and so is fit for a store in use.
//!
//! Both list the directory once, when it is opened. Directories themselves are not files of a disk, and neither is
//! what [`Skipped`] names.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "this module is the place where the machine's files are touched"
)]

mod file_disk;
mod list;
mod lock;
mod read_only;
#[cfg(test)]
mod tests;

use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::time::UNIX_EPOCH;

use super::{DiskErrorKind, FileMeta};

pub use self::file_disk::FileDisk;
pub use self::list::{SkipReason, Skipped};
pub use self::read_only::ReadOnlyDir;

/// What the machine says, in the words of a disk.
fn kind(error: &io::Error) -> DiskErrorKind {
    match error.kind() {
        ErrorKind::NotFound => DiskErrorKind::NotFound,
        ErrorKind::AlreadyExists => DiskErrorKind::AlreadyExists,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => DiskErrorKind::Full,
        ErrorKind::ReadOnlyFilesystem => DiskErrorKind::ReadOnly,
        _ => DiskErrorKind::Io(error.to_string()),
    }
}

/// Length and mtime; a time that the machine cannot tell is 0, one before the epoch negative.
fn file_meta(metadata: &Metadata) -> FileMeta {
    let modified = metadata.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |millis| -millis),
    });
    FileMeta { len: metadata.len(), modified }
}
