//! Backlog as a counting model: how many messages of a consumer group are behind, when that clears, and what keeps it
//! from clearing sooner.
//!
//! Messages are counted, not made, so that six million of them cost as little as six. What is counted:
//!
//! - Messages come in at a rate that may have bursts or a random swing ([`Arrival`]), spread over the queues.
//! - Queues go to instances as `AllocateMessageQueueAveragely.allocate` gives them out; instances beyond the number of
//!   queues get none.
//! - One call of the listener handles up to `consumeMessageBatchMaxSize` messages of a queue. It computes for T1 for
//!   each of them and waits for T2 once. Calls run on the threads of the instance (`consumeThreadMin`), an orderly
//!   listener with one of them per queue at most.
//! - An instance's cores, the database's connections and the throttle bound it from outside. Connections and throttle
//!   are shared by all instances, evenly, where they do not suffice.
//!
//! Between two changes of a rate everything is linear, so the model goes from change to change and is exact in
//! between. All arithmetic is of integers: amounts in 10^-15 of a message, rates in 10^-9 messages a second, time in
//! microseconds; what a division cuts off stays below a message for all inputs that [`Plan`] allows.
//!
//! Left out, because it does not bound a backlog: pulling (it is faster than any listener that waits for a database,
//! and goes on while calls run), and what switching between too many threads costs.

mod allocation;
mod arrival;
mod formula;
mod outlook;
mod pairs;
mod plan;
mod presets;
mod rate;
mod share;
mod simulation;

#[cfg(test)]
mod tests;

pub use allocation::Allocation;
pub use formula::{Formula, Resource, ResourceKind, WhatIf, WhatIfKind};
pub use outlook::{Clearing, Outlook, Point, Threads, outlook};
pub use plan::{Arrival, Plan, PlanError};
pub use presets::{Preset, presets};
