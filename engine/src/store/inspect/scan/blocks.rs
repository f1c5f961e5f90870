//! Blocks of files kept in memory, for many small looks at a few places.

use std::collections::{BTreeMap, VecDeque};

use super::super::files::{Segment, read_clipped};
use crate::disk::{DiskError, FileId, ReadAt};
use crate::store::Unit;

/// A block: whole units.
const BLOCK: u64 = 800 * 20;
/// Blocks kept: 16 MB.
const KEPT: usize = 1000;

/// The blocks last read, the oldest dropped first.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    blocks: BTreeMap<(FileId, u64), Vec<u8>>,
    order: VecDeque<(FileId, u64)>,
}

impl Blocks {
    /// The unit at a position of a ConsumeQueue file, which is a multiple of 20.
    pub(super) fn unit<D: ReadAt + ?Sized>(
        &mut self,
        disk: &D,
        segment: &Segment,
        position: u64,
    ) -> Result<Option<Unit>, DiskError> {
        let key = (segment.file, position / BLOCK);
        if !self.blocks.contains_key(&key) {
            let bytes = read_clipped(disk, segment.file, segment.len, key.1 * BLOCK, BLOCK)?;
            if self.order.len() >= KEPT
                && let Some(oldest) = self.order.pop_front()
            {
                self.blocks.remove(&oldest);
            }
            self.order.push_back(key);
            self.blocks.insert(key, bytes);
        }
        let inside = usize::try_from(position % BLOCK).unwrap_or(usize::MAX);
        let bytes = self.blocks.get(&key).and_then(|block| block.get(inside..)?.first_chunk());
        Ok(bytes.map(Unit::from_bytes))
    }
}
