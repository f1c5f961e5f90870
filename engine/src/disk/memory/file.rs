//! One file of a memory disk.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::super::{DiskError, DiskErrorKind, FileId, ReadAt};
use super::page::{OS_PAGE_SIZE, Pool, ZEROS, share};
use super::slot::{Slot, Survives};
use super::table::{Piece, Table};

/// Slices shorter than this are copied: sharing costs an allocation too, and makes the next write copy the page.
const SHARED_FROM: usize = 512;

/// Where the pages lie that were never written: a file of the disk beneath, as far as this file was never cut.
#[derive(Clone)]
pub(super) struct Beneath {
    pub(super) disk: Arc<dyn ReadAt + Send + Sync>,
    pub(super) file: FileId,
    pub(super) len: u64,
}

/// Ranges handed to the methods lie inside the file: the disk calls [`MemoryFile::check`] first.
#[derive(Clone)]
pub(super) struct MemoryFile {
    pub(super) path: Arc<str>,
    pub(super) len: u64,
    pub(super) modified: i64,
    table: Table,
    /// Page numbers; no page outside is dirty.
    dirty: Range<u64>,
    beneath: Option<Beneath>,
}

impl MemoryFile {
    pub(super) fn new(path: Arc<str>, len: u64, modified: i64, beneath: Option<Beneath>) -> Self {
        Self { path, len, modified, table: Table::default(), dirty: 0..0, beneath }
    }

    /// Whether `len` bytes from `offset` lie inside the file.
    #[inline]
    pub(super) fn check(&self, offset: u64, len: u64) -> Result<(), DiskErrorKind> {
        match offset.checked_add(len) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(DiskErrorKind::OutOfRange { len: self.len }),
        }
    }

    /// An error at `offset` of this file.
    pub(super) fn error(&self, offset: u64, kind: DiskErrorKind) -> DiskError {
        DiskError { file: self.path.to_string(), offset: Some(offset), kind }
    }

    // ---- reading

    /// Fills `buf` with the cache image from `offset`.
    pub(super) fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), DiskErrorKind> {
        self.read_image(offset, buf, Slot::read_cache)
    }

    /// Fills `buf` with what a power loss would leave.
    pub(super) fn read_stable(&self, offset: u64, buf: &mut [u8]) -> Result<(), DiskErrorKind> {
        self.read_image(offset, buf, Slot::read_stable)
    }

    /// Reads the pages held here by `image`, and each run of pages not held here at once from beneath.
    fn read_image(
        &self,
        offset: u64,
        buf: &mut [u8],
        image: impl Fn(&Slot, usize, &mut [u8]),
    ) -> Result<(), DiskErrorKind> {
        let (mut done, mut missing) = (0, 0);
        for piece in Piece::all(offset, buf.len() as u64) {
            let next = done + piece.len();
            if let Some(slot) = self.table.slot(piece.page).filter(|slot| slot.cache().is_some()) {
                self.read_beneath(offset + missing as u64, &mut buf[missing..done])?;
                image(slot, piece.start, &mut buf[done..next]);
                missing = next;
            }
            done = next;
        }
        self.read_beneath(offset + missing as u64, &mut buf[missing..done])
    }

    /// Reads from the disk beneath, zeros behind its end.
    fn read_beneath(&self, offset: u64, buf: &mut [u8]) -> Result<(), DiskErrorKind> {
        let held = self.beneath.as_ref().map_or(0, |beneath| beneath.len.saturating_sub(offset));
        let split = usize::try_from(held).unwrap_or(usize::MAX).min(buf.len());
        let (below, zeros) = buf.split_at_mut(split);
        zeros.fill(0);
        match &self.beneath {
            Some(beneath) if !below.is_empty() => {
                beneath.disk.read_at(beneath.file, offset, below).map_err(|error| error.kind)
            }
            _ => Ok(()),
        }
    }

    /// The bytes in one piece, if they lie in one page.
    #[inline]
    pub(super) fn peek(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let end = offset + len as u64;
        let piece = Piece::first(offset, end);
        if piece.len() != len {
            return None;
        }
        let held = self.table.slot(piece.page).and_then(Slot::cache);
        match (held, &self.beneath) {
            (Some(page), _) => page.0.get(piece.start..piece.end),
            (None, Some(beneath)) if end <= beneath.len => beneath.disk.peek(beneath.file, offset, len),
            (None, Some(beneath)) if offset < beneath.len => None,
            (None, _) => ZEROS.0.get(piece.start..piece.end),
        }
    }

    /// The bytes as a value, sharing the page if they lie in one.
    pub(super) fn slice(&self, offset: u64, len: usize) -> Result<Bytes, DiskErrorKind> {
        let end = offset + len as u64;
        let piece = Piece::first(offset, end);
        let held = self.table.slot(piece.page).and_then(Slot::cache);
        if let Some(page) = held
            && len >= SHARED_FROM
            && piece.len() == len
        {
            return Ok(share(page, piece.start, len));
        }
        let mut bytes = Vec::with_capacity(len);
        for piece in Piece::all(offset, len as u64) {
            let at = offset + bytes.len() as u64;
            if let Some(held) = self.peek(at, piece.len()) {
                bytes.extend_from_slice(held);
            } else {
                let filled = bytes.len();
                bytes.resize(filled + piece.len(), 0);
                self.read(at, &mut bytes[filled..])?;
            }
        }
        Ok(bytes.into())
    }

    // ---- writing

    /// Writes to the cache image. An error of the disk beneath may leave the pages before it written.
    pub(super) fn write(&mut self, offset: u64, data: &[u8], pool: &mut Pool) -> Result<(), DiskErrorKind> {
        let mut rest = data;
        for piece in Piece::all(offset, data.len() as u64) {
            let (now, later) = rest.split_at(piece.len());
            rest = later;
            // Zeros over a page that was never written change nothing, and zero pages are never stored.
            let held = self.beneath.is_some() || self.table.slot(piece.page).is_some_and(|slot| slot.cache().is_some());
            if held || now.iter().any(|byte| *byte != 0) {
                self.window(&piece, pool)?.copy_from_slice(now);
            }
        }
        Ok(())
    }

    /// The bytes in one piece to be written, if they lie in one page; they are dirty from now on.
    #[inline]
    pub(super) fn window_mut(&mut self, offset: u64, len: usize, pool: &mut Pool) -> Option<&mut [u8]> {
        let piece = Piece::first(offset, offset + len as u64);
        if len == 0 || piece.len() != len { None } else { self.window(&piece, pool).ok() }
    }

    #[inline]
    fn window(&mut self, piece: &Piece, pool: &mut Pool) -> Result<&mut [u8], DiskErrorKind> {
        let page = piece.page;
        if self.beneath.is_some() {
            self.load(page, pool)?;
        }
        if self.dirty.is_empty() {
            self.dirty = page..page + 1;
        } else if !self.dirty.contains(&page) {
            self.dirty = self.dirty.start.min(page)..self.dirty.end.max(page + 1);
        }
        let bytes = self.table.slot_mut(page).write(pool);
        Ok(&mut bytes.0[piece.start..piece.end])
    }

    /// Turns the bits of `mask` round in one byte of both images; answers the byte as it is then.
    pub(super) fn flip(&mut self, offset: u64, mask: u8, pool: &mut Pool) -> Result<u8, DiskErrorKind> {
        let piece = Piece::first(offset, offset + 1);
        self.load(piece.page, pool)?;
        Ok(self.table.slot_mut(piece.page).flip(piece.start, mask, pool))
    }

    /// Brings a page up from the disk beneath.
    fn load(&mut self, page: u64, pool: &mut Pool) -> Result<(), DiskErrorKind> {
        let offset = page * OS_PAGE_SIZE as u64;
        let below = self.beneath.as_ref().is_some_and(|beneath| offset < beneath.len);
        if below && self.table.slot(page).is_none_or(|slot| slot.cache().is_none()) {
            let mut loaded = pool.take();
            let within = usize::try_from(self.len - offset).unwrap_or(usize::MAX).min(OS_PAGE_SIZE);
            self.read_beneath(offset, &mut Arc::make_mut(&mut loaded).0[..within])?;
            self.table.slot_mut(page).load(loaded);
        }
        Ok(())
    }

    /// Cuts the file or grows it with zeros, durable at once.
    pub(super) fn set_len(&mut self, len: u64, pool: &mut Pool) {
        if len < self.len {
            let (last, rest) = (len / OS_PAGE_SIZE as u64, (len % OS_PAGE_SIZE as u64) as usize);
            if let Some(beneath) = &mut self.beneath {
                beneath.len = beneath.len.min(len);
            }
            if rest > 0 && self.table.slot(last).is_some_and(|slot| slot.cache().is_some()) {
                self.table.slot_mut(last).cut(rest);
            }
            let pages = len.div_ceil(OS_PAGE_SIZE as u64);
            self.table.cut(pages, pool);
            self.dirty = self.dirty.start.min(pages)..self.dirty.end.min(pages);
        }
        self.len = len;
    }

    // ---- what survives

    /// Makes the OS pages that the range touches durable.
    pub(super) fn flush(&mut self, offset: u64, len: u64) {
        let end = offset + len;
        let pages = offset / OS_PAGE_SIZE as u64..end.div_ceil(OS_PAGE_SIZE as u64);
        let dirty = self.dirty.clone();
        let concerned = pages.start.max(dirty.start)..pages.end.min(dirty.end);
        if len == 0 || concerned.is_empty() {
            return;
        }
        self.table.change_dirty(concerned.clone(), |_, slot| slot.flush());
        // What was flushed at an end of the dirty range is taken out of it.
        if concerned.start == dirty.start {
            self.dirty.start = concerned.end;
        } else if concerned.end == dirty.end {
            self.dirty.end = concerned.start;
        }
    }

    /// The pages held here as a process sees them: first byte in the file, and bytes.
    pub(super) fn pages(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.table.pages().map(|(page, bytes)| (page * OS_PAGE_SIZE as u64, bytes))
    }

    pub(super) fn pages_held(&self) -> usize {
        self.table.pages_held()
    }

    /// Whether any page may be dirty.
    pub(super) fn has_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// The numbers of the OS pages whose cache image is newer than the stable one, in order.
    pub(super) fn dirty_os_pages(&self) -> impl Iterator<Item = u64> {
        self.table.dirty(self.dirty.clone())
    }

    /// The bytes of those pages as ranges, as few as there can be, cut at the end of the file.
    pub(super) fn dirty_ranges(&self) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for page in self.dirty_os_pages() {
            let start = page * OS_PAGE_SIZE as u64;
            let end = (start + OS_PAGE_SIZE as u64).min(self.len);
            match ranges.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => ranges.push(start..end),
            }
        }
        ranges
    }

    /// The power fails: `fate` says of each dirty OS page, named by its number, what survives; then all is clean.
    pub(super) fn lose(&mut self, mut fate: impl FnMut(u64) -> Survives) {
        self.table.change_dirty(self.dirty.clone(), |page, slot| slot.lose(fate(page)));
        self.dirty = 0..0;
    }
}
