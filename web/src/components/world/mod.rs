//! Pictures of the running world beside those of one store: what happened, and what the nodes know.

mod databases;
mod delay;
mod producer;
mod routes;
mod tabs;

/// Where delayed messages wait.
const SCHEDULE_TOPIC: &str = "SCHEDULE_TOPIC_XXXX";

pub use tabs::{WorldTab, world_tabs};
