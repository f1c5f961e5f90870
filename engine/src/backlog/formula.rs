//! The formulas: what bounds the rate, and what follows from it as long as every queue is behind.

use serde::{Deserialize, Serialize};

use super::{
    allocation::allocation,
    arrival,
    plan::Plan,
    rate::{MESSAGE, Rate, SECOND_US, UNBOUNDED, milli, millis, per_us, time_us},
};

/// What can bound the rate of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResourceKind {
    /// Threads of instances that have queues.
    Threads,
    /// Queues, of which an orderly listener works on each with one thread.
    Queues,
    /// Cores of instances that have queues.
    Cores,
    /// Connections to the database.
    Connections,
    /// Permits of the throttle.
    Throttle,
}

/// What bounds the rate of a group, and how much of it is used while every queue is behind, or at the mean rate if nothing
/// ever is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// What it is.
    pub kind: ResourceKind,
    /// How many there are; of permits, per second.
    pub count: u64,
    /// The rate that it allows by itself, in thousandths of a message per second; `None` if messages need none of it.
    pub milli_per_s: Option<u64>,
    /// How much of it messages use, in thousandths.
    pub used_permille: u64,
    /// Whether it is what bounds the group.
    pub bounds: bool,
}

/// A change that might help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WhatIfKind {
    /// Twice the instances.
    Instances,
    /// Twice the threads of each.
    Threads,
    /// Twice the cores of each.
    Cores,
    /// Twice the queues.
    Queues,
    /// Twice the connections.
    Connections,
    /// Twice the permits.
    Throttle,
    /// Half of T1.
    Cpu,
    /// Half of T2.
    Wait,
}

/// What a change would make of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WhatIf {
    /// The change.
    pub kind: WhatIfKind,
    /// The rate out with it, in thousandths of a message per second.
    pub out_milli_per_s: u64,
}

/// What the formulas say. Rates are thousandths of a message per second.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Formula {
    /// What comes in, in the long run.
    pub in_milli_per_s: u64,
    /// The highest rate in.
    pub peak_milli_per_s: u64,
    /// What goes out while every queue is behind: the least that a resource allows.
    pub out_milli_per_s: u64,
    /// Backlog divided by the difference of the two, in milliseconds; `None` if no more goes out than comes in.
    pub clears_ms: Option<u64>,
    /// The best number of threads of an instance, C × (T1 + T2) / T1, in thousandths of a thread; `None` where T1 is 0
    /// and cores never bound.
    pub best_milli_threads: Option<u64>,
    /// What one instance can do, bound by its threads and cores alone.
    pub node_milli_per_s: u64,
    /// Instances needed: the highest rate that comes in, divided by what one can do, rounded up.
    pub nodes: u64,
}

/// What bounds the rate, from the inside out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Of a queue: a thread of an orderly listener, or as good as nothing.
    pub(super) queue: Rate,
    /// Of an instance, by its threads.
    pub(super) threads: Rate,
    /// Of an instance, by its cores.
    pub(super) cores: Rate,
    /// Of the group, by connections.
    pub(super) connections: Rate,
    /// Of the group, by the throttle.
    pub(super) throttle: Rate,
}

impl Bounds {
    /// Of an instance.
    pub(super) fn instance(&self) -> Rate {
        self.threads.min(self.cores)
    }

    /// Of the group, from outside.
    pub(super) fn group(&self) -> Rate {
        self.connections.min(self.throttle)
    }
}

pub(super) fn bounds(plan: &Plan) -> Bounds {
    let batch = u64::from(plan.batch);
    let connections = match (plan.connections, plan.held_percent) {
        (None, _) | (_, 0) => UNBOUNDED,
        // Held for `wait * percent / 100`: the 100 goes to the other side, so that nothing is cut off.
        (Some(count), percent) => per_us(u64::from(count) * batch * 100, u64::from(plan.wait_us) * u64::from(percent)),
    };
    Bounds {
        queue: if plan.orderly { per_us(batch, plan.call_us()) } else { UNBOUNDED },
        threads: per_us(u64::from(plan.threads) * batch, plan.call_us()),
        cores: per_us(plan.cores.into(), plan.cpu_us.into()),
        connections,
        throttle: plan.permits_per_s.map_or(UNBOUNDED, |permits| per_us(permits.into(), SECOND_US)),
    }
}

/// What each resource that there is allows by itself.
fn allowed(plan: &Plan) -> Vec<(ResourceKind, u64, Rate)> {
    let bounds = bounds(plan);
    let working = u64::from(allocation(plan).working);
    let mut all =
        vec![(ResourceKind::Threads, working * u64::from(plan.threads), bounds.threads * u128::from(working))];
    if plan.orderly {
        all.push((ResourceKind::Queues, plan.queues.into(), bounds.queue * u128::from(plan.queues)));
    }
    all.push((ResourceKind::Cores, working * u64::from(plan.cores), bounds.cores * u128::from(working)));
    if let Some(connections) = plan.connections {
        all.push((ResourceKind::Connections, connections.into(), bounds.connections));
    }
    if let Some(permits) = plan.permits_per_s {
        all.push((ResourceKind::Throttle, permits.into(), bounds.throttle));
    }
    all
}

/// The rate out while every queue is behind.
pub(super) fn rate_out(plan: &Plan) -> Rate {
    allowed(plan).into_iter().map(|(_, _, rate)| rate).min().unwrap_or(0)
}

/// Every resource, how much of it is used at a rate, and whether it is what bounds the group.
pub(super) fn resources(plan: &Plan, at: Rate) -> Vec<Resource> {
    let out = rate_out(plan);
    let resource = |(kind, count, rate): (ResourceKind, u64, Rate)| Resource {
        kind,
        count,
        milli_per_s: (rate < UNBOUNDED).then(|| milli(rate)),
        used_permille: if rate < UNBOUNDED {
            u64::try_from((at * 1000 + rate / 2) / rate.max(1)).unwrap_or(1000)
        } else {
            0
        },
        // Two that allow the same may differ in what division cut off.
        bounds: rate - out <= out / 1_000_000,
    };
    allowed(plan).into_iter().map(resource).collect()
}

/// What each change that can be made would make of the rate.
pub(super) fn what_if(plan: &Plan) -> Vec<WhatIf> {
    let changed = |kind| {
        let mut plan = plan.clone();
        match kind {
            WhatIfKind::Instances => plan.instances *= 2,
            WhatIfKind::Threads => plan.threads *= 2,
            WhatIfKind::Cores => plan.cores *= 2,
            WhatIfKind::Queues => plan.queues *= 2,
            WhatIfKind::Connections => plan.connections = Some(plan.connections? * 2),
            WhatIfKind::Throttle => plan.permits_per_s = Some(plan.permits_per_s? * 2),
            WhatIfKind::Cpu if plan.cpu_us > 1 => plan.cpu_us /= 2,
            WhatIfKind::Wait if plan.wait_us > 1 => plan.wait_us /= 2,
            WhatIfKind::Cpu | WhatIfKind::Wait => return None,
        }
        Some(WhatIf { kind, out_milli_per_s: milli(rate_out(&plan)) })
    };
    let kinds = [
        WhatIfKind::Instances,
        WhatIfKind::Queues,
        WhatIfKind::Threads,
        WhatIfKind::Cores,
        WhatIfKind::Connections,
        WhatIfKind::Throttle,
        WhatIfKind::Cpu,
        WhatIfKind::Wait,
    ];
    kinds.into_iter().filter_map(changed).collect()
}

/// What the formulas say of a plan.
pub(super) fn formula(plan: &Plan) -> Formula {
    let (comes, goes) = (arrival::mean(plan), rate_out(plan));
    let behind = u128::from(plan.behind) * MESSAGE;
    let node = bounds(plan).instance();
    let best = (u128::from(plan.cores) * 1000 * u128::from(plan.call_us()))
        .checked_div(u128::from(plan.batch) * u128::from(plan.cpu_us));
    let clears_us = if goes > comes { time_us(behind, goes - comes) } else { None };
    Formula {
        in_milli_per_s: milli(comes),
        peak_milli_per_s: milli(arrival::peak(plan)),
        out_milli_per_s: milli(goes),
        clears_ms: clears_us.map(millis),
        best_milli_threads: best.map(|best| u64::try_from(best).unwrap_or(u64::MAX)),
        node_milli_per_s: milli(node),
        nodes: u64::try_from(arrival::peak(plan).div_ceil(node.max(1))).unwrap_or(u64::MAX),
    }
}
