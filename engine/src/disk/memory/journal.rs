//! The journal: what a turn did to the disk, operation by operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;

use super::super::{Disk, DiskError, DiskErrorKind, FileId};
use super::MemoryDisk;

/// An operation that changed a disk. A crash between two writes is the disk before the turn and the first of its
/// operations, [applied](MemoryDisk::apply) in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskOp {
    /// The wall clock of the machine, milliseconds since the epoch.
    pub at: i64,
    /// The file concerned.
    pub file: FileId,
    /// The file's path; that before the operation, for a rename.
    pub path: Arc<str>,
    /// What was done to the file.
    pub change: Change,
    /// What the counter of [`MemoryDisk::journal_count`] showed; 0 without one.
    pub count: u32,
}

/// What an operation does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The file was made.
    Create {
        /// Its length in bytes.
        len: u64,
    },
    /// Bytes were written to the page cache.
    Write {
        /// The first byte written.
        offset: u64,
        /// The bytes.
        data: Bytes,
    },
    /// A range was made durable.
    Flush {
        /// The first byte of the range as asked for.
        offset: u64,
        /// The bytes asked for; OS pages touched become durable whole.
        len: u64,
    },
    /// The file was cut or grown.
    SetLen {
        /// Its new length in bytes.
        len: u64,
    },
    /// The file got another path, in place of whatever file was there.
    Rename {
        /// The new path.
        to: Arc<str>,
    },
    /// The file was removed.
    Delete,
}

impl DiskOp {
    /// As much of a write as its first `len` bytes, for a crash in the middle of it; `None` if this is no write.
    #[must_use]
    pub fn head(&self, len: usize) -> Option<Self> {
        let Change::Write { offset, data } = &self.change else { return None };
        let change = Change::Write { offset: *offset, data: data.slice(..len.min(data.len())) };
        Some(Self { path: Arc::clone(&self.path), change, ..*self })
    }
}

impl MemoryDisk {
    /// Begins to note operations, with an empty journal. While it is on, [`Disk::window_mut`] lends nothing, so that
    /// every byte written is noted.
    pub fn journal_start(&mut self) {
        self.journal = Some(Vec::new());
    }

    /// Lets each operation be noted with what `counter` shows at its time: whoever moves the counter on knows
    /// afterwards which operations lie between two of its own steps. A counter belongs to one disk and one turn, so
    /// that nobody else can move it.
    pub fn journal_count(&mut self, counter: Arc<AtomicU32>) {
        self.counter = Some(counter);
    }

    /// Stops noting operations and forgets those noted, and the counter.
    pub fn journal_stop(&mut self) {
        self.journal = None;
        self.counter = None;
    }

    /// The operations noted since the start or the last take, in order; the journal stays on.
    pub fn journal_take(&mut self) -> Vec<DiskOp> {
        self.journal.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Operations noted so far: what lies between two answers was done between the two questions.
    pub fn journal_len(&self) -> usize {
        self.journal.as_ref().map_or(0, Vec::len)
    }

    /// The operations noted so far.
    pub fn journal(&self) -> &[DiskOp] {
        self.journal.as_deref().unwrap_or_default()
    }

    /// Does `op` again, on a clone made before it was done, after every operation noted before it. A file created gets
    /// the id that it had.
    pub fn apply(&mut self, op: &DiskOp) -> Result<(), DiskError> {
        self.set_time(op.at);
        let file = op.file;
        match &op.change {
            Change::Create { len } => {
                let made = self.create(&op.path, *len)?;
                if made != file {
                    let cause = format!("made as file {}, but noted as file {}", made.0, file.0);
                    return Err(DiskError { file: op.path.to_string(), offset: None, kind: DiskErrorKind::Io(cause) });
                }
                Ok(())
            }
            Change::Write { offset, data } => self.write_at(file, *offset, data),
            Change::Flush { offset, len } => self.flush(file, *offset, *len),
            Change::SetLen { len } => self.set_len(file, *len),
            Change::Rename { to } => self.rename(file, to),
            Change::Delete => self.delete(file),
        }
    }

    /// How often the disk was changed: if it is the same as before, nothing was. Without a journal, what is written in
    /// place counts when it is lent.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Notes what is being done to `file`, which is still there.
    pub(super) fn note(&mut self, file: FileId, change: impl FnOnce() -> Change) {
        self.changes += 1;
        if self.journal.is_some()
            && let Ok(place) = self.place(file)
        {
            let count = self.counter.as_ref().map_or(0, |counter| counter.load(Ordering::Relaxed));
            let path = Arc::clone(&self.files[place].1.path);
            let op = DiskOp { at: self.now, file, path, change: change(), count };
            self.journal.get_or_insert_default().push(op);
        }
    }
}
