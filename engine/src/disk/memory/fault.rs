//! What is wrong with a memory disk: data that is cloned with it, so that a run replayed meets the same faults.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::super::{DiskError, DiskErrorKind, FileId};
use super::{Change, MemoryDisk};

/// Something that is wrong with a disk until it is mended. It concerns the files whose path begins with `path`; all of
/// them when that is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Fault {
    /// Writing bytes fails. Nothing of them is written.
    WriteError {
        /// How the paths begin.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        path: String,
    },
    /// Forcing bytes fails: they stay in the page cache and are lost with the power.
    FlushError {
        /// How the paths begin.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        path: String,
    },
    /// No file can be made or grow.
    Full {
        /// How the paths begin.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        path: String,
    },
    /// Forcing bytes takes this long. The disk only says so: letting the time pass is the business of whoever flushes.
    SlowFlush {
        /// Milliseconds.
        ms: i64,
        /// How the paths begin.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        path: String,
    },
    /// Writing bytes into the page cache takes this long, as when it is short of pages. As with `SlowFlush`, the disk only
    /// says so.
    SlowWrite {
        /// Milliseconds.
        ms: i64,
        /// How the paths begin.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        path: String,
    },
}

/// What an operation wants of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Write,
    Flush,
    Room,
}

impl Fault {
    /// How the paths of the files begin that it concerns.
    pub fn path(&self) -> &str {
        let (Self::WriteError { path }
        | Self::FlushError { path }
        | Self::Full { path }
        | Self::SlowFlush { path, .. }
        | Self::SlowWrite { path, .. }) = self;
        path
    }

    /// Its name in scripts.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::WriteError { .. } => "writeError",
            Self::FlushError { .. } => "flushError",
            Self::Full { .. } => "full",
            Self::SlowFlush { .. } => "slowFlush",
            Self::SlowWrite { .. } => "slowWrite",
        }
    }

    /// Why it refuses what is wanted; `None` if it does not.
    fn refuses(&self, wanted: Wanted) -> Option<DiskErrorKind> {
        match (self, wanted) {
            (Self::WriteError { .. }, Wanted::Write) | (Self::FlushError { .. }, Wanted::Flush) => {
                Some(DiskErrorKind::Io("Input/output error".to_owned()))
            }
            (Self::Full { .. }, Wanted::Room) => Some(DiskErrorKind::Full),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if let Self::SlowFlush { ms, .. } | Self::SlowWrite { ms, .. } = self {
            write!(f, " {ms} ms")?;
        }
        if self.path().is_empty() { Ok(()) } else { write!(f, " {}", self.path()) }
    }
}

impl MemoryDisk {
    /// Lets something be wrong from now on, beside what is wrong already.
    pub fn set_fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Mends everything that is wrong. Bits that flipped stay flipped.
    pub fn mend(&mut self) {
        self.faults.clear();
    }

    /// What is wrong, in the order in which it came.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// How long forcing the file at `path` takes beyond the usual, in milliseconds: the longest that a fault says.
    pub fn flush_delay_ms(&self, path: &str) -> i64 {
        let delay = |fault: &Fault| match fault {
            Fault::SlowFlush { ms, path: prefix } if path.starts_with(prefix.as_str()) => Some(*ms),
            _ => None,
        };
        self.faults.iter().filter_map(delay).max().unwrap_or(0).max(0)
    }

    /// How long writing to the file at `path` takes beyond the usual, in milliseconds: the longest that a fault says.
    pub fn write_delay_ms(&self, path: &str) -> i64 {
        let delay = |fault: &Fault| match fault {
            Fault::SlowWrite { ms, path: prefix } if path.starts_with(prefix.as_str()) => Some(*ms),
            _ => None,
        };
        self.faults.iter().filter_map(delay).max().unwrap_or(0).max(0)
    }

    /// Whether a fault refuses what is wanted of the file at `path`. To be asked only where something is wrong at all.
    #[cold]
    pub(super) fn check_faults(&self, path: &str, offset: Option<u64>, wanted: Wanted) -> Result<(), DiskError> {
        let mut concerned = self.faults.iter().filter(|fault| path.starts_with(fault.path()));
        match concerned.find_map(|fault| fault.refuses(wanted)) {
            Some(kind) => Err(DiskError { file: path.to_owned(), offset, kind }),
            None => Ok(()),
        }
    }

    /// One bit of a file turns round on the disk, and in the page cache with it: durable at once, and no write, so the
    /// file's time stays. Answers the byte before and after. `bit`: 0, the lowest, to 7.
    pub fn flip_bit(&mut self, file: FileId, offset: u64, bit: u8) -> Result<(u8, u8), DiskError> {
        let place = self.place(file)?;
        let content = std::sync::Arc::make_mut(&mut self.files[place].1);
        let mask = 1u8.checked_shl(u32::from(bit)).unwrap_or(0);
        let after = content
            .check(offset, 1)
            .and_then(|()| content.flip(offset, mask, &mut self.pool))
            .map_err(|kind| content.error(offset, kind))?;
        self.note(file, || Change::Write { offset, data: vec![after].into() });
        Ok((after ^ mask, after))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Disk, ReadAt};
    use super::*;

    fn disk() -> (MemoryDisk, FileId, FileId) {
        let mut disk = MemoryDisk::new();
        let log = disk.create("commitlog/00000000000000000000", 8192).unwrap();
        let queue = disk.create("consumequeue/T/0/00000000000000000000", 8192).unwrap();
        (disk, log, queue)
    }

    #[test]
    fn a_fault_concerns_the_paths_that_begin_so_and_is_cloned() {
        let (mut disk, log, queue) = disk();
        disk.set_fault(Fault::WriteError { path: "commitlog/".to_owned() });
        let mut twin = disk.clone();
        let error = twin.write_at(log, 8, b"x").unwrap_err();
        assert_eq!(error.to_string(), "commitlog/00000000000000000000 at 8: Input/output error");
        assert!(twin.window_mut(log, 8, 1).is_none(), "nobody writes past the fault");
        twin.write_at(queue, 8, b"x").unwrap();
        twin.mend();
        twin.write_at(log, 8, b"x").unwrap();
        assert_eq!(disk.faults().len(), 1, "mending one disk mends no other");
    }

    #[test]
    fn a_flush_that_fails_leaves_the_bytes_in_the_page_cache() {
        let (mut disk, log, _) = disk();
        disk.write_at(log, 0, b"x").unwrap();
        disk.set_fault(Fault::FlushError { path: String::new() });
        assert!(disk.flush(log, 0, 8192).is_err());
        assert_eq!(disk.dirty_ranges(log), Ok(std::iter::once(0..4096).collect()));
        disk.mend();
        disk.power_loss();
        assert_eq!(disk.slice(log, 0, 1).unwrap().as_ref(), [0]);
    }

    #[test]
    fn a_full_disk_makes_no_file_and_grows_none() {
        let (mut disk, log, _) = disk();
        disk.set_fault(Fault::Full { path: String::new() });
        assert_eq!(disk.create("new", 1).unwrap_err().kind, DiskErrorKind::Full);
        assert_eq!(disk.set_len(log, 9000).unwrap_err().kind, DiskErrorKind::Full);
        assert_eq!(disk.write_at(log, 0, b"x"), Ok(()), "what is there can be written");
        assert_eq!(disk.set_len(log, 100), Ok(()));
    }

    #[test]
    fn the_longest_delay_counts() {
        let (mut disk, ..) = disk();
        disk.set_fault(Fault::SlowFlush { ms: 10, path: String::new() });
        disk.set_fault(Fault::SlowFlush { ms: 6000, path: "commitlog".to_owned() });
        disk.set_fault(Fault::SlowWrite { ms: 1500, path: "commitlog".to_owned() });
        assert_eq!((disk.flush_delay_ms("commitlog/0"), disk.flush_delay_ms("checkpoint")), (6000, 10));
        assert_eq!((disk.write_delay_ms("commitlog/0"), disk.write_delay_ms("checkpoint")), (1500, 0));
        let texts: Vec<String> = disk.faults().iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["slowFlush 10 ms", "slowFlush 6000 ms commitlog", "slowWrite 1500 ms commitlog"]);
    }

    #[test]
    fn a_flipped_bit_is_durable_in_clean_dirty_and_unwritten_pages() {
        let (mut disk, log, _) = disk();
        disk.write_at(log, 0, &[0b0000_0001]).unwrap();
        disk.flush(log, 0, 1).unwrap();
        assert_eq!(disk.flip_bit(log, 0, 7), Ok((0b0000_0001, 0b1000_0001)), "clean");
        disk.write_at(log, 1, &[0xFF]).unwrap();
        assert_eq!(disk.flip_bit(log, 0, 0), Ok((0b1000_0001, 0b1000_0000)), "dirty");
        assert_eq!(disk.flip_bit(log, 5000, 1), Ok((0, 2)), "never written");
        assert_eq!(disk.dirty_ranges(log), Ok(std::iter::once(0..4096).collect()));
        disk.power_loss();
        let byte = |offset| disk.slice(log, offset, 1).unwrap()[0];
        assert_eq!((byte(0), byte(1), byte(5000)), (0b1000_0000, 0, 2));
        assert!(disk.clone().flip_bit(log, 8192, 0).is_err());
    }
}
