//! One page of a file in its two images: what a process sees, and what a power loss leaves.

use std::sync::Arc;

use super::page::{OS_PAGE_SIZE, OS_PAGES, OsPage, Page, Pool};

/// The place of one page in a file. Bit `n` of a mask stands for the page's OS page `n`.
///
/// The stable image of an OS page is the cache image unless the OS page is dirty; then it is in `stable`. So a clean
/// page is held once, and a flush copies nothing: it forgets.
#[derive(Clone, Default)]
pub(super) struct Slot {
    /// The cache image; `None`: never written, so zeros or what lies beneath.
    cache: Option<Arc<Page>>,
    /// The stable image of each dirty OS page; `None`: zeros.
    stable: [Option<Arc<OsPage>>; OS_PAGES],
    /// OS pages whose cache image is newer than the stable one.
    dirty: u8,
    /// OS pages that may hold something other than zeros.
    written: u8,
}

/// Every OS page of a page.
const WHOLE: u8 = (1 << OS_PAGES) - 1;

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

/// The OS pages that bytes `start..end` of a page lie in; `start < end <= PAGE_SIZE`.
#[inline]
pub(super) fn mask(start: usize, end: usize) -> u8 {
    let (first, last) = (start / OS_PAGE_SIZE, (end - 1) / OS_PAGE_SIZE);
    (WHOLE << first) & (WHOLE >> (OS_PAGES - 1 - last))
}

fn bits(mask: u8) -> impl Iterator<Item = usize> {
    (0..OS_PAGES).filter(move |n| mask & (1 << n) != 0)
}

impl Slot {
    #[inline]
    pub(super) fn cache(&self) -> Option<&Arc<Page>> {
        self.cache.as_ref()
    }

    #[inline]
    pub(super) fn dirty(&self) -> u8 {
        self.dirty
    }

    /// The numbers of the dirty OS pages.
    pub(super) fn dirty_os_pages(&self) -> impl Iterator<Item = usize> + use<> {
        bits(self.dirty)
    }

    /// Fills `out` from byte `start` of the page as a process sees it.
    pub(super) fn read_cache(&self, start: usize, out: &mut [u8]) {
        match &self.cache {
            Some(page) => out.copy_from_slice(&page.0[start..start + out.len()]),
            None => out.fill(0),
        }
    }

    /// Fills `out` from byte `start` of the page as a power loss would leave it.
    pub(super) fn read_stable(&self, start: usize, out: &mut [u8]) {
        self.read_cache(start, out);
        let end = start + out.len();
        for n in bits(self.dirty) {
            let (first, behind) = (n * OS_PAGE_SIZE, (n + 1) * OS_PAGE_SIZE);
            let (from, to) = (start.max(first), end.min(behind));
            if from < to {
                let out = &mut out[from - start..to - start];
                match &self.stable[n] {
                    Some(stable) => out.copy_from_slice(&stable.0[from - first..to - first]),
                    None => out.fill(0),
                }
            }
        }
    }

    /// Puts `page` here as it is on the disk beneath.
    pub(super) fn load(&mut self, page: Arc<Page>) {
        self.cache = Some(page);
        self.written = WHOLE;
    }

    /// The page to be written in the OS pages of `mask`, which are dirty from now on.
    #[inline]
    pub(super) fn write(&mut self, mask: u8, pool: &mut Pool) -> &mut Page {
        if self.dirty & mask != mask {
            self.soil(mask);
        }
        Arc::make_mut(self.cache.get_or_insert_with(|| pool.take()))
    }

    /// Makes the OS pages of `mask` dirty, keeping the stable image of those that were clean.
    fn soil(&mut self, mask: u8) {
        if let Some(page) = &self.cache {
            for n in bits(mask & !self.dirty & self.written) {
                let mut copy = OsPage([0; OS_PAGE_SIZE]);
                copy.0.copy_from_slice(&page.0[n * OS_PAGE_SIZE..(n + 1) * OS_PAGE_SIZE]);
                self.stable[n] = Some(Arc::new(copy));
            }
        }
        self.dirty |= mask;
        self.written |= mask;
    }

    /// Turns the bits of `mask` round in byte `at` of both images; answers the byte of the cache image. What is clean
    /// stays clean.
    pub(super) fn flip(&mut self, at: usize, mask: u8, pool: &mut Pool) -> u8 {
        let (n, rest) = (at / OS_PAGE_SIZE, at % OS_PAGE_SIZE);
        if self.dirty & (1 << n) != 0 {
            let stable = self.stable[n].get_or_insert_with(|| Arc::new(OsPage([0; OS_PAGE_SIZE])));
            Arc::make_mut(stable).0[rest] ^= mask;
        }
        self.written |= 1 << n;
        let page = Arc::make_mut(self.cache.get_or_insert_with(|| pool.take()));
        page.0[at] ^= mask;
        page.0[at]
    }

    /// Makes the OS pages of `mask` durable.
    pub(super) fn flush(&mut self, mask: u8) {
        for n in bits(mask & self.dirty) {
            self.stable[n] = None;
        }
        self.dirty &= !mask;
    }

    /// The power fails: OS page `n`, which is dirty, becomes what survives of it, and is clean.
    pub(super) fn lose(&mut self, n: usize, survives: Survives) {
        let kept = match survives {
            Survives::All => OS_PAGE_SIZE,
            Survives::Head(len) => usize::from(len).min(OS_PAGE_SIZE),
            Survives::Nothing => 0,
        };
        let stable = self.stable[n].take();
        self.dirty &= !(1 << n);
        if let Some(page) = &mut self.cache
            && kept < OS_PAGE_SIZE
        {
            let lost = &mut Arc::make_mut(page).0[n * OS_PAGE_SIZE + kept..(n + 1) * OS_PAGE_SIZE];
            match &stable {
                Some(stable) => lost.copy_from_slice(&stable.0[kept..]),
                None => lost.fill(0),
            }
        }
        if kept == 0 && stable.is_none() {
            self.written &= !(1 << n);
        }
        if self.written == 0 {
            self.cache = None;
        }
    }

    /// Makes every byte from `from` on zero in both images: the file was cut here.
    pub(super) fn cut(&mut self, from: usize) {
        if let Some(page) = &mut self.cache {
            Arc::make_mut(page).0[from..].fill(0);
        }
        let (torn, rest) = (from / OS_PAGE_SIZE, from % OS_PAGE_SIZE);
        if let Some(stable) = &mut self.stable[torn] {
            Arc::make_mut(stable).0[rest..].fill(0);
        }
        let gone = (WHOLE << from.div_ceil(OS_PAGE_SIZE)) & WHOLE;
        self.flush(gone);
        self.written &= !gone;
        if self.written == 0 {
            self.cache = None;
        }
    }

    /// Gives the page away: the file no longer reaches here.
    pub(super) fn give_back(self, pool: &mut Pool) {
        if let Some(page) = self.cache {
            pool.give(page);
        }
    }
}
