//! Which event wrote what, by file.

use std::collections::BTreeMap;

use crate::sim::{DiskOp, TraceEvent};

/// One change to a range of a file.
#[derive(Clone, Copy, Debug)]
struct Change {
    seq: u64,
    step: u32,
    start: u64,
    end: u64,
    /// The file ended here: nothing before counts.
    deleted: bool,
}

/// Changes by node and path, each list in order of events.
#[derive(Clone, Debug, Default)]
pub(super) struct Writes(BTreeMap<(String, String), Vec<Change>>);

impl Writes {
    pub(super) fn add(&mut self, event: &TraceEvent) {
        for write in &event.writes {
            let (start, end) = match write.op {
                DiskOp::Write => (write.offset, write.offset.saturating_add(write.len)),
                // A file that is made or put in another's place is new in every byte.
                DiskOp::Create | DiskOp::Rename | DiskOp::Delete => (0, u64::MAX),
                DiskOp::Flush | DiskOp::SetLen => continue,
            };
            let deleted = write.op == DiskOp::Delete;
            let change = Change { seq: event.seq, step: write.step, start, end, deleted };
            self.0.entry((event.node.clone(), write.path.clone())).or_default().push(change);
        }
    }

    /// Forgets events from `seq` on.
    pub(super) fn truncate(&mut self, seq: u64) {
        for changes in self.0.values_mut() {
            let keep = changes.partition_point(|change| change.seq < seq);
            changes.truncate(keep);
        }
    }

    /// The last change of a byte before event `position`.
    pub(super) fn last(&self, node: &str, path: &str, offset: u64, position: u64) -> Option<(u64, u32)> {
        let changes = self.0.get(&(node.to_owned(), path.to_owned()))?;
        let known = changes.get(..changes.partition_point(|change| change.seq < position))?;
        let change = known.iter().rev().find(|change| (change.start..change.end).contains(&offset))?;
        (!change.deleted).then_some((change.seq, change.step))
    }
}
