//! Which event wrote what, by file.

use imbl::{OrdMap, Vector};

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

/// Changes by node and path, each list in order of events. A copy shares them.
#[derive(Clone, Debug, Default)]
pub(super) struct Writes(OrdMap<(String, String), Vector<Change>>);

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
            self.0.entry((event.node.clone(), write.path.clone())).or_default().push_back(change);
        }
    }

    /// Forgets events from `seq` on.
    pub(super) fn truncate(&mut self, seq: u64) {
        let ends_before = |changes: &Vector<Change>| changes.last().is_none_or(|change| change.seq < seq);
        let late: Vec<_> =
            self.0.iter().filter(|(_, changes)| !ends_before(changes)).map(|(file, _)| file.clone()).collect();
        for file in late {
            if let Some(changes) = self.0.get_mut(&file) {
                changes.truncate(before(changes, seq));
            }
        }
    }

    /// The last change of a byte before event `position`.
    pub(super) fn last(&self, node: &str, path: &str, offset: u64, position: u64) -> Option<(u64, u32)> {
        let changes = self.0.get(&(node.to_owned(), path.to_owned()))?;
        let known = changes.focus().narrow(..before(changes, position));
        let change = known.into_iter().rev().find(|change| (change.start..change.end).contains(&offset))?;
        (!change.deleted).then_some((change.seq, change.step))
    }
}

/// How many changes come before event `seq`.
fn before(changes: &Vector<Change>, seq: u64) -> usize {
    changes
        .binary_search_by(
            |change| if change.seq < seq { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater },
        )
        .unwrap_or_else(|place| place)
}
