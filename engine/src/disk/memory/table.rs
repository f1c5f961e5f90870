//! The pages of a file in a tree of two levels, shared with clones until written.

use std::ops::Range;
use std::sync::Arc;

use super::page::{OS_PAGE_SIZE, Pool};
use super::slot::Slot;

/// Pages in one leaf: 128 KiB of the file. The first write after a clone copies a leaf of references and one page, and the
/// smallest file has a leaf; a clone counts up one reference for each leaf.
const LEAF: usize = 32;

type Leaf = [Slot; LEAF];

/// The slots of a file by page number. Leaves that were never written are not there.
#[derive(Clone, Default)]
pub(super) struct Table {
    leaves: Vec<Option<Arc<Leaf>>>,
}

/// The part of one page that a range of the file covers.
pub(super) struct Piece {
    /// Page number.
    pub(super) page: u64,
    /// First byte in the page.
    pub(super) start: usize,
    /// The byte behind the last.
    pub(super) end: usize,
}

impl Piece {
    /// The piece of the page that byte `at` lies in, as far as `end`.
    #[inline]
    pub(super) fn first(at: u64, end: u64) -> Self {
        const SIZE: u64 = OS_PAGE_SIZE as u64;
        let start = at % SIZE;
        Self { page: at / SIZE, start: start as usize, end: (start + (end - at)).min(SIZE) as usize }
    }

    /// The pieces of `len` bytes from `offset`, in order.
    pub(super) fn all(offset: u64, len: u64) -> impl Iterator<Item = Self> {
        let end = offset + len;
        let mut at = offset;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let piece = Self::first(at, end);
                at += piece.len() as u64;
                piece
            })
        })
    }

    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }
}

/// Leaf, and slot in the leaf. Files are shorter than 2^40 bytes, so both fit on every platform.
#[inline]
fn place(page: u64) -> (usize, usize) {
    ((page / LEAF as u64) as usize, (page % LEAF as u64) as usize)
}

impl Table {
    #[inline]
    pub(super) fn slot(&self, page: u64) -> Option<&Slot> {
        let (leaf, slot) = place(page);
        self.leaves.get(leaf)?.as_ref()?.get(slot)
    }

    /// The slot of `page`, made if it is not there yet, no longer shared with any clone.
    #[inline]
    pub(super) fn slot_mut(&mut self, page: u64) -> &mut Slot {
        let (leaf, slot) = place(page);
        if leaf >= self.leaves.len() {
            self.leaves.resize(leaf + 1, None);
        }
        let leaf = self.leaves[leaf].get_or_insert_with(|| Arc::new(std::array::from_fn(|_| Slot::default())));
        &mut Arc::make_mut(leaf)[slot]
    }

    /// The numbers of the dirty pages among `pages`, in order.
    pub(super) fn dirty(&self, pages: Range<u64>) -> impl Iterator<Item = u64> {
        let (first, last) = (place(pages.start).0, place(pages.end).0);
        let leaves = self.leaves.iter().enumerate().take(last.saturating_add(1)).skip(first);
        leaves
            .filter_map(|(n, leaf)| Some((n, leaf.as_deref()?)))
            .flat_map(|(n, leaf)| ((n * LEAF) as u64..).zip(leaf))
            .filter(move |(page, slot)| pages.contains(page) && slot.is_dirty())
            .map(|(page, _)| page)
    }

    /// Hands every dirty slot of `pages` to `change`. Leaves without one stay shared.
    pub(super) fn change_dirty(&mut self, pages: Range<u64>, mut change: impl FnMut(u64, &mut Slot)) {
        let (first, last) = (place(pages.start).0, place(pages.end).0);
        for (n, leaf) in self.leaves.iter_mut().enumerate().take(last.saturating_add(1)).skip(first) {
            let Some(leaf) = leaf else { continue };
            let numbers = (n * LEAF) as u64..;
            let concerned = |page: u64, slot: &Slot| pages.contains(&page) && slot.is_dirty();
            if !numbers.clone().zip(&**leaf).any(|(page, slot)| concerned(page, slot)) {
                continue;
            }
            for (page, slot) in numbers.zip(Arc::make_mut(leaf)) {
                if concerned(page, slot) {
                    change(page, slot);
                }
            }
        }
    }

    /// The pages held here, by number, as a process sees them.
    pub(super) fn pages(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let leaves = self.leaves.iter().enumerate().filter_map(|(n, leaf)| Some((n, leaf.as_deref()?)));
        leaves
            .flat_map(|(n, leaf)| ((n * LEAF) as u64..).zip(leaf))
            .filter_map(|(page, slot)| Some((page, slot.cache()?.0.as_slice())))
    }

    pub(super) fn pages_held(&self) -> usize {
        let leaves = self.leaves.iter().flatten();
        leaves.map(|leaf| leaf.iter().filter(|slot| slot.cache().is_some()).count()).sum()
    }

    /// Gives back every page from number `first` on.
    pub(super) fn cut(&mut self, first: u64, pool: &mut Pool) {
        let (leaf, slot) = place(first);
        let keep = if slot == 0 { leaf } else { leaf + 1 };
        for leaf in self.leaves.drain(keep.min(self.leaves.len())..).flatten() {
            // A leaf that a clone still holds is only let go of.
            if let Some(leaf) = Arc::into_inner(leaf) {
                for slot in leaf {
                    slot.give_back(pool);
                }
            }
        }
        if slot > 0
            && let Some(Some(leaf)) = self.leaves.get_mut(leaf)
        {
            for slot in &mut Arc::make_mut(leaf)[slot..] {
                std::mem::take(slot).give_back(pool);
            }
        }
    }
}
