//! What every node has: services with turns, what a turn may do, its steps, and the costs of doing things.

mod actor;
mod costs;
mod grid;
mod hash;
mod keys;
mod pool;
mod service;
mod step;
mod streams;
mod turn;

pub use actor::{Actor, Moment};
pub use costs::Costs;
pub use grid::Grid;
pub use hash::Fnv;
pub use keys::{ConfigKey, KeyError};
pub(crate) use keys::{config_key, config_keys, read_value};
pub use pool::{Cleared, Clearing, ClearingReason, Pool};
pub use service::Service;
pub use step::{
    ApplicationStep, BrokerStep, ClientStep, ConsumerStep, DatabaseStep, DelayStep, GroupStep, HaStep, IntakeStep,
    NamesStep, NodeStep, ProducerStep, StepKind, TraceStep, TransactionStep,
};
pub use streams::Streams;
pub use turn::{Answer, CallError, CallId, Caller, ConnId, Effect, Manner, Outcome, Turn};
