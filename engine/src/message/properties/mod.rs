//! Properties of a message: a map in the order of a Java `HashMap`, and its text form.

#[cfg(test)]
mod tests;
mod text;

use super::java;

pub use text::segments;
pub(super) use text::{find_value, find_values};

/// Name 0x01 value.
pub(super) const NAME_VALUE_SEPARATOR: u8 = 1;
/// Between two properties.
pub(super) const PROPERTY_SEPARATOR: u8 = 2;

/// `HashMap` starts with this many buckets.
const INITIAL_CAPACITY: u32 = 16;
/// A bucket that is to hold more than this many entries doubles a table below [`MIN_TREEIFY_CAPACITY`].
const TREEIFY_THRESHOLD: usize = 8;
/// From this capacity on a crowded bucket becomes a tree and the table is left as it is.
const MIN_TREEIFY_CAPACITY: u32 = 64;
/// `HashMap` does not grow beyond this many buckets.
const MAX_CAPACITY: u32 = 1 << 30;

/// The properties of a message, iterated in the order of the Java `HashMap<String, String>` that 4.9.8 keeps them in,
/// because that order is the order of their stored bytes.
///
/// The order is that of the buckets, `(h ^ (h >>> 16)) & (capacity - 1)` with `h` the Java hash of the name; within a
/// bucket it is the order of insertion. Putting a name again keeps its place; removing it and putting it again moves
/// it to the end of its bucket. The capacity starts at 16 and doubles when the size exceeds three quarters of it (12,
/// 24, 48 ...), and also when a bucket gets its ninth entry while the capacity is below 64; entries of one bucket
/// keep their relative order then. It never shrinks.
///
/// One simplification: from capacity 64 on, Java turns a bucket with nine or more entries into a red-black tree, and
/// later entries of that bucket are then linked behind their parents in the tree and its root moved to the front.
/// Here they stay in order of insertion. It takes nine names that agree in six or more bits of their hashes.
///
/// Entries are kept in one vector, in the order of iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    entries: Vec<Entry>,
    capacity: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// The name's Java hash, its high half spread over the low.
    spread: u32,
    name: String,
    value: String,
}

impl Properties {
    /// No properties.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), capacity: INITIAL_CAPACITY }
    }

    /// Number of properties.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        let index = self.find(spread(name), name).ok()?;
        self.entries.get(index).map(|entry| entry.value.as_str())
    }

    /// Whether there is a value of `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.find(spread(name), name).is_ok()
    }

    /// Sets the value of `name` and gives back the one it had.
    pub fn put(&mut self, name: impl Into<String>, value: impl Into<String>) -> Option<String> {
        let (name, value) = (name.into(), value.into());
        let spread = spread(&name);
        match self.find(spread, &name) {
            Ok(index) => self.entries.get_mut(index).map(|entry| std::mem::replace(&mut entry.value, value)),
            Err(Tail { index, in_bucket }) => {
                self.entries.insert(index, Entry { spread, name, value });
                if in_bucket >= TREEIFY_THRESHOLD && self.capacity < MIN_TREEIFY_CAPACITY {
                    self.grow();
                }
                if self.entries.len() > (self.capacity / 4 * 3) as usize {
                    self.grow();
                }
                None
            }
        }
    }

    /// Removes `name` and gives back its value.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let index = self.find(spread(name), name).ok()?;
        Some(self.entries.remove(index).value)
    }

    /// Names and values in the order of iteration, which is the order of the stored text.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> + Clone {
        self.entries.iter().map(|entry| (entry.name.as_str(), entry.value.as_str()))
    }

    /// Where the entry of `name` is, or where it would be put.
    fn find(&self, spread: u32, name: &str) -> Result<usize, Tail> {
        let mask = self.capacity - 1;
        let bucket = spread & mask;
        let start = self.entries.partition_point(|entry| entry.spread & mask < bucket);
        let entries = self.entries.get(start..).unwrap_or_default();
        let mut in_bucket = 0;
        for entry in entries.iter().take_while(|entry| entry.spread & mask == bucket) {
            if entry.spread == spread && entry.name == name {
                return Ok(start + in_bucket);
            }
            in_bucket += 1;
        }
        Err(Tail { index: start + in_bucket, in_bucket })
    }

    /// Doubles the capacity: every bucket is split in two, each in its old order.
    fn grow(&mut self) {
        if self.capacity < MAX_CAPACITY {
            self.capacity *= 2;
            let mask = self.capacity - 1;
            self.entries.sort_by_key(|entry| entry.spread & mask);
        }
    }
}

/// The place behind the last entry of a bucket.
struct Tail {
    index: usize,
    in_bucket: usize,
}

fn spread(name: &str) -> u32 {
    let hash = java::string_hash(name).cast_unsigned();
    hash ^ (hash >> 16)
}

impl Default for Properties {
    fn default() -> Self {
        Self::new()
    }
}

impl<N: Into<String>, V: Into<String>> Extend<(N, V)> for Properties {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, properties: I) {
        for (name, value) in properties {
            self.put(name, value);
        }
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Properties {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(properties: I) -> Self {
        let mut map = Self::new();
        map.extend(properties);
        map
    }
}
