//! What every node has: services with turns, the steps of a turn, the costs of doing things.

mod costs;
mod service;
mod step;

pub use costs::Costs;
pub use service::Service;
pub use step::{NodeStep, StepKind, TraceStep};
