//! The world: one thread, one clock, nodes on a network, a trace with causes, and time that runs both ways.

mod act;
mod action;
mod build;
mod cluster;
mod crash;
mod draft;
mod event;
mod hash;
mod history;
mod import;
mod journal;
mod lane;
mod life;
mod limits;
mod lives;
mod look;
mod network;
mod node;
mod overload;
mod polls;
mod queue;
mod quiet;
mod streams;
#[cfg(test)]
mod tests;
mod turns;
mod wires;
mod world;

pub use action::{
    Action, ActionError, Administer, BatchMessage, ChangeAndSend, Command, CrashWhen, EndTransaction, HalfAt, Question,
    Send, SendBack, SendBatch, SendInTransaction, Transact,
};
pub use cluster::{
    AdministratorSpec, Begin, BrokerSpec, Cluster, ClusterError, ConsumerSpec, DatabaseSpec, DiskSpec, ListenerSpec,
    NameServerSpec, OutboxSpec, PREFIX_TOPIC, ProducerSpec, PushSpec, RecordSpec, SenderKind, StoreSpec,
    SubscriptionSpec, TopicSpec,
};
pub use crash::Survives;
pub use event::{DiskOp, DiskWrite, EventKind, Sent, SentKind, TraceEvent};
pub use history::{BRANCHES_MAX, Branch, History, LoggedAction, Offshoot, ReplayError};
pub use import::{IMPORT_MAX, ImportError, ImportSpec, Imports};
pub use lives::{Ending, Life, LifeEnd, LogFound, LogState};
pub use look::{FlightRef, NodeRef};
pub use node::{NodeActor, NodeState};
pub use world::{WORLD, World};

/// The service name of what the learner or the script does to a node or to the world itself.
pub const LEARNER: &str = "learner";
