//! One page of a file in its two images: what a process sees, and what a power loss leaves.

use std::sync::Arc;

use super::page::{OS_PAGE_SIZE, Page, Pool, ZEROS};

/// The place of one page in a file; an image that is not there is zeros, or what lies beneath.
///
/// The stable image is the cache image unless the page is dirty. So a clean page is held once, a flush copies nothing: it
/// forgets, and so does a power loss.
#[derive(Clone, Default)]
pub(super) struct Slot {
    /// The cache image; `None`: never written.
    cache: Option<Arc<Page>>,
    /// The stable image while the page is dirty.
    stable: Option<Arc<Page>>,
    dirty: bool,
}

/// What becomes of a dirty OS page when the power fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survives {
    /// The stable bytes are left: what was written since the last flush is lost.
    Nothing,
    /// The page had reached the disk by itself.
    All,
    /// The page was torn: this many of its first bytes reached the disk, the rest did not.
    Head(u16),
}

/// Fills `out` from byte `start` of an image.
fn read(image: Option<&Arc<Page>>, start: usize, out: &mut [u8]) {
    match image {
        Some(page) => out.copy_from_slice(&page.0[start..start + out.len()]),
        None => out.fill(0),
    }
}

impl Slot {
    #[inline]
    pub(super) fn cache(&self) -> Option<&Arc<Page>> {
        self.cache.as_ref()
    }

    #[inline]
    pub(super) fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Fills `out` from byte `start` of the page as a process sees it.
    pub(super) fn read_cache(&self, start: usize, out: &mut [u8]) {
        read(self.cache.as_ref(), start, out);
    }

    /// Fills `out` from byte `start` of the page as a power loss would leave it.
    pub(super) fn read_stable(&self, start: usize, out: &mut [u8]) {
        read(if self.dirty { self.stable.as_ref() } else { self.cache.as_ref() }, start, out);
    }

    /// Puts `page` here as it is on the disk beneath.
    pub(super) fn load(&mut self, page: Arc<Page>) {
        self.cache = Some(page);
    }

    /// The page to be written, which is dirty from now on. The stable image of one that was clean is kept.
    #[inline]
    pub(super) fn write(&mut self, pool: &mut Pool) -> &mut Page {
        if !self.dirty {
            self.dirty = true;
            self.stable.clone_from(&self.cache);
        }
        Arc::make_mut(self.cache.get_or_insert_with(|| pool.take()))
    }

    /// Turns the bits of `mask` round in byte `at` of both images; answers the byte of the cache image. What is clean
    /// stays clean.
    pub(super) fn flip(&mut self, at: usize, mask: u8, pool: &mut Pool) -> u8 {
        if self.dirty {
            Arc::make_mut(self.stable.get_or_insert_with(|| pool.take())).0[at] ^= mask;
        }
        let page = Arc::make_mut(self.cache.get_or_insert_with(|| pool.take()));
        page.0[at] ^= mask;
        page.0[at]
    }

    /// Makes the page durable.
    pub(super) fn flush(&mut self) {
        self.stable = None;
        self.dirty = false;
    }

    /// The power fails: the page, which is dirty, becomes what survives of it, and is clean.
    pub(super) fn lose(&mut self, survives: Survives) {
        let kept = match survives {
            Survives::All => OS_PAGE_SIZE,
            Survives::Head(len) => usize::from(len).min(OS_PAGE_SIZE),
            Survives::Nothing => 0,
        };
        let stable = self.stable.take();
        self.dirty = false;
        if kept == 0 {
            self.cache = stable;
        } else if let Some(page) = &mut self.cache
            && kept < OS_PAGE_SIZE
        {
            let stable = stable.as_deref().unwrap_or(&ZEROS);
            Arc::make_mut(page).0[kept..].copy_from_slice(&stable.0[kept..]);
        }
    }

    /// Makes every byte from `from` on zero in both images: the file was cut here.
    pub(super) fn cut(&mut self, from: usize) {
        for image in [&mut self.cache, &mut self.stable].into_iter().flatten() {
            Arc::make_mut(image).0[from..].fill(0);
        }
    }

    /// Gives the page away: the file no longer reaches here.
    pub(super) fn give_back(self, pool: &mut Pool) {
        [self.cache, self.stable].into_iter().flatten().for_each(|page| pool.give(page));
    }
}
