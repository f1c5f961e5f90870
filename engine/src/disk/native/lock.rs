//! The exclusive lock on a file.
//!
//! `FileChannel.tryLock(0, 1, false)` of a Java process is a POSIX record lock, `fcntl(F_SETLK)`, on Unix. The lock
//! taken here is one too, on the whole file, so that it and Java's on the first byte exclude each other. Elsewhere it
//! is the standard library's, which on Windows is `LockFileEx` as Java's is.

use std::fs::File;
use std::io;

/// Takes the lock for this process; `false` when another process has it.
///
/// A POSIX lock ends when the process closes any handle of the same file, so `file` must be the only one.
#[cfg(unix)]
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, fcntl_lock};
    use rustix::io::Errno;

    match fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Takes the lock for this process; `false` when another process has it.
#[cfg(not(unix))]
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(std::fs::TryLockError::WouldBlock) => Ok(false),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}
