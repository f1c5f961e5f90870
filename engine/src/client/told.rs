//! What an application was told.

use std::{iter, ops::Index, sync::Arc};

use imbl::{shared_ptr::DefaultSharedPtr, vector};

/// A list that grows at its end. Copies share what they have in common: one more entry copies references only.
#[derive(Clone, Debug)]
pub struct Told<T>(vector::Vector<Arc<T>>);

impl<T> Default for Told<T> {
    fn default() -> Self {
        Self(vector::Vector::new())
    }
}

/// The entries of a [`Told`], oldest first.
pub type ToldIter<'a, T> = iter::Map<vector::Iter<'a, Arc<T>, DefaultSharedPtr>, fn(&'a Arc<T>) -> &'a T>;

impl<T> Told<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry at a place, from 0.
    pub fn get(&self, place: usize) -> Option<&T> {
        self.0.get(place).map(AsRef::as_ref)
    }

    /// The oldest.
    pub fn front(&self) -> Option<&T> {
        self.0.front().map(AsRef::as_ref)
    }

    /// The newest.
    pub fn last(&self) -> Option<&T> {
        self.0.last().map(AsRef::as_ref)
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> ToldIter<'_, T> {
        self.0.iter().map(AsRef::as_ref)
    }

    pub(super) fn push_back(&mut self, entry: T) {
        self.0.push_back(Arc::new(entry));
    }

    /// Puts an entry in place of the one that is there, or at the end if there is none.
    pub(super) fn put(&mut self, place: usize, entry: T) {
        match self.0.get_mut(place) {
            Some(there) => *there = Arc::new(entry),
            None => self.push_back(entry),
        }
    }
}

impl<T> Extend<T> for Told<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().map(Arc::new));
    }
}

impl<T> Index<usize> for Told<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        &self.0[place]
    }
}

impl<'a, T> IntoIterator for &'a Told<T> {
    type Item = &'a T;
    type IntoIter = ToldIter<'a, T>;

    fn into_iter(self) -> ToldIter<'a, T> {
        self.iter()
    }
}
