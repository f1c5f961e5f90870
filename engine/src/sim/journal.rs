//! What a turn did to its node's disk.

use super::{DiskOp, DiskWrite, NodeActor};
use crate::{
    disk::memory::{self as disk, Change},
    node::Turn,
};

/// How often the node's disk was changed.
pub(super) fn changes(actor: &NodeActor) -> u64 {
    if let NodeActor::Broker(broker) = actor { broker.disk().changes() } else { 0 }
}

/// Begins to note what the turn does to the disk, and with which step.
pub(super) fn begin(actor: &mut NodeActor, turn: &mut Turn<'_>) {
    if let Some(broker) = actor.broker_mut() {
        let disk = broker.disk_mut();
        disk.journal_start();
        disk.journal_count(turn.step_clock());
    }
}

/// Ends it.
pub(super) fn take(actor: &mut NodeActor) -> Vec<disk::DiskOp> {
    let Some(broker) = actor.broker_mut() else { return Vec::new() };
    let disk = broker.disk_mut();
    let ops = disk.journal_take();
    disk.journal_stop();
    ops
}

/// The operations as the trace tells them. A write belongs to the step that tells of it: the next one after it, or the
/// last.
pub(super) fn told(ops: Vec<disk::DiskOp>, steps: u32) -> Vec<DiskWrite> {
    ops.into_iter()
        .map(|op| {
            let (kind, offset, len) = match op.change {
                Change::Create { len } => (DiskOp::Create, 0, len),
                Change::Write { offset, data } => (DiskOp::Write, offset, data.len() as u64),
                Change::Flush { offset, len } => (DiskOp::Flush, offset, len),
                Change::SetLen { len } => (DiskOp::SetLen, 0, len),
                Change::Rename { to } => {
                    let step = op.count.min(steps.saturating_sub(1));
                    return DiskWrite { step, op: DiskOp::Rename, path: to.to_string(), offset: 0, len: 0 };
                }
                Change::Delete => (DiskOp::Delete, 0, 0),
            };
            let step = op.count.min(steps.saturating_sub(1));
            DiskWrite { step, op: kind, path: op.path.to_string(), offset, len }
        })
        .collect()
}
