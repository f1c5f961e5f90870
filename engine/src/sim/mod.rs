//! The world: one thread, one clock, nodes on a network, a trace with causes, and time that runs both ways.

mod action;
mod cluster;
mod event;

pub use action::{Action, ActionError, BatchMessage, Question, Send};
pub use cluster::{
    Begin, BrokerSpec, Cluster, ClusterError, ConsumerSpec, NameServerSpec, PREFIX_TOPIC, ProducerSpec, SenderKind,
    StoreSpec, TopicSpec,
};
pub use event::{DiskOp, DiskWrite, EventKind, Sent, SentKind, TraceEvent};
