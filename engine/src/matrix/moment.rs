//! The places in a run at which something can crash.

use serde::{Deserialize, Serialize};

use super::{Fault, Plan};
use crate::{
    node::Service,
    sim::{DiskOp, DiskWrite, EventKind, NodeActor, NodeState, TraceEvent, World},
};

/// A moment of the run: before one of its events, and inside that event. The last one lies behind the last event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    /// The number of the event, which is the number of events before it.
    pub event: u64,
    /// Virtual time before it, microseconds.
    pub at_us: i64,
    /// The event; `None` behind the last one.
    pub turn: Option<MomentTurn>,
    /// Cells of this moment.
    pub cells: u64,
}

/// An event, as far as crashes in it are concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MomentTurn {
    /// The node.
    pub node: String,
    /// The service, or `learner` for an action.
    pub service: String,
    /// What set it off.
    pub what: EventKind,
    /// What it does to the node's disk, in order.
    pub writes: Vec<DiskWrite>,
}

/// One crash: where in a moment, to whom, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// The target's place in the plan.
    pub(super) target: usize,
    pub(super) fault: Fault,
    /// Operations of the event that are done before; `None`: the event has not begun.
    pub(super) write: Option<u32>,
    /// Bytes of the next write that are done as well.
    pub(super) bytes: Option<u32>,
}

impl MomentTurn {
    pub(super) fn of(event: TraceEvent) -> Self {
        Self { node: event.node, service: event.service, what: event.what, writes: event.writes }
    }

    /// The service whose turn it is; `None`: an action.
    pub(super) fn service(&self) -> Option<Service> {
        Service::ALL.iter().copied().find(|service| service.name() == self.service)
    }
}

/// The crashes of a moment, in order: before the event, then after each operation on the disk; there by target, and then
/// by fault, as the plan lists them. `before` is the world before the event.
pub(super) fn points(plan: &Plan, before: &World, turn: Option<&MomentTurn>) -> Vec<Point> {
    let mut points = Vec::new();
    let targets = || plan.targets.iter().enumerate();
    for (target, name) in targets() {
        let has_process = before.node_state(name).is_some_and(|state| state != NodeState::Down);
        let faults = plan.faults.iter().filter(|fault| **fault != Fault::TornWrite);
        let faults = faults.filter(|fault| !fault.needs_disk() || before.broker(name).is_some());
        if has_process {
            points.extend(faults.map(|fault| Point { target, fault: *fault, write: None, bytes: None }));
        }
    }
    let Some(turn) = turn else { return points };
    let Some((target, _)) = targets().find(|(_, name)| **name == turn.node) else { return points };
    // A start that is launched has no process before it begins.
    let is_broker = before.nodes().any(|node| node.name == turn.node && matches!(node.actor, NodeActor::Broker(_)));
    if !is_broker {
        return points;
    }
    let ops = u32::try_from(turn.writes.len()).unwrap_or(u32::MAX);
    for write in 0..=ops {
        for fault in &plan.faults {
            let next = usize::try_from(write).ok().and_then(|next| turn.writes.get(next));
            match fault {
                Fault::TornWrite => {
                    let half = next.filter(|next| next.op == DiskOp::Write).map(|next| next.len / 2);
                    let half = half.and_then(|half| u32::try_from(half).ok()).filter(|half| *half > 0);
                    points.extend(half.map(|half| Point {
                        target,
                        fault: *fault,
                        write: Some(write),
                        bytes: Some(half),
                    }));
                }
                // With nothing done yet it is the crash before the event.
                Fault::Kill | Fault::PowerLoss { .. } if write == 0 => {}
                Fault::Kill | Fault::PowerLoss { .. } => {
                    points.push(Point { target, fault: *fault, write: Some(write), bytes: None });
                }
            }
        }
    }
    points
}
