//! What a crash leaves of a memory disk.

use std::ops::Range;
use std::sync::Arc;

use super::super::{DiskError, FileId};
use super::{MemoryDisk, Survives};

/// An OS page that was written since it was last flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirtyPage {
    /// The file it belongs to.
    pub file: FileId,
    /// Its number in the file: byte offset divided by [`OS_PAGE_SIZE`](super::OS_PAGE_SIZE).
    pub number: u64,
}

impl MemoryDisk {
    /// The bytes of `file` that a power loss would take, as ranges of whole OS pages (cut at the end of the file), in
    /// order.
    pub fn dirty_ranges(&self, file: FileId) -> Result<Vec<Range<u64>>, DiskError> {
        Ok(self.file(file)?.dirty_ranges())
    }

    /// Every dirty OS page, in order of files and offsets.
    pub fn dirty_pages(&self) -> Vec<DirtyPage> {
        self.dirty_pages_named().into_iter().map(|(_, page)| page).collect()
    }

    /// Every dirty OS page with the path of its file, in order of files and offsets.
    pub fn dirty_pages_named(&self) -> Vec<(Arc<str>, DirtyPage)> {
        let mut pages = Vec::new();
        for (file, content) in &self.files {
            let page = |number| (Arc::clone(&content.path), DirtyPage { file: *file, number });
            pages.extend(content.dirty_os_pages().map(page));
        }
        pages
    }

    /// Fills `buf` from `offset` with what a power loss would leave there.
    pub fn read_stable_at(&self, file: FileId, offset: u64, buf: &mut [u8]) -> Result<(), DiskError> {
        let content = self.file(file)?;
        content
            .check(offset, buf.len() as u64)
            .and_then(|()| content.read_stable(offset, buf))
            .map_err(|kind| content.error(offset, kind))
    }

    /// The process is killed: the page cache survives, the locks and the files that lived on for it alone do not.
    pub fn process_kill(&mut self) {
        self.locks.clear();
        let names = &self.names;
        self.files.retain(|(file, content)| names.find(&content.path) == Some(*file));
        self.used = self.files.iter().map(|(_, content)| content.len).sum();
    }

    /// Another process may have removed files of `before` that the process here has mapped: they live on for it, without
    /// a name, until [`MemoryDisk::process_kill`]. Their room is not free before.
    pub fn keep_open(&mut self, before: &Self) {
        for (file, content) in &before.files {
            if let Err(place) = self.files.binary_search_by_key(file, |entry| entry.0) {
                self.files.insert(place, (*file, Arc::clone(content)));
                self.used += content.len;
            }
        }
    }

    /// The power fails, and everything that was not flushed is lost.
    pub fn power_loss(&mut self) {
        self.power_loss_where(|_| Survives::Nothing);
    }

    /// The power fails, and `fate` says of each dirty OS page, in order of files and offsets, what is left of it.
    pub fn power_loss_where(&mut self, mut fate: impl FnMut(DirtyPage) -> Survives) {
        self.process_kill();
        for (file, content) in &mut self.files {
            if content.has_dirty() {
                let file = *file;
                Arc::make_mut(content).lose(|number| fate(DirtyPage { file, number }));
            }
        }
    }
}
