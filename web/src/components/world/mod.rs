//! Pictures of the running world beside those of one store: what happened, and what the nodes know.

mod consumers;
mod databases;
mod delay;
mod ledger;
mod producer;
mod routes;
mod tabs;
mod transactions;

/// Where delayed messages wait.
const SCHEDULE_TOPIC: &str = "SCHEDULE_TOPIC_XXXX";

/// Half messages wait here for their end.
const HALF_TOPIC: &str = "RMQ_SYS_TRANS_HALF_TOPIC";

pub use tabs::{WorldTab, world_tabs};
