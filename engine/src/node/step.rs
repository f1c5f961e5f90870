//! The numbered steps inside a turn, as the trace tells them.

mod application;
mod broker;
mod client;
mod consumer;
mod database;
mod delay;
mod group;
mod ha;
mod intake;
mod names;
mod producer;
mod transaction;

use serde::{Deserialize, Serialize};

use crate::{
    store::Step,
    wire::{RequestCode, ResponseCode},
};

pub use application::ApplicationStep;
pub use broker::BrokerStep;
pub use client::ClientStep;
pub use consumer::ConsumerStep;
pub use database::DatabaseStep;
pub use delay::DelayStep;
pub use group::GroupStep;
pub use ha::HaStep;
pub use intake::IntakeStep;
pub use names::NamesStep;
pub use producer::ProducerStep;
pub use transaction::TransactionStep;

/// One step of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceStep {
    /// Number of the step inside its turn, from 0.
    pub index: u32,
    /// Virtual time at which it happened, microseconds since the world began.
    pub at_us: i64,
    /// What was done.
    pub what: StepKind,
}

/// What a step did: something of the store, or something of the node around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepKind {
    /// A step that any node takes, or the learner.
    Node(NodeStep),
    /// A step of a broker around its store.
    Broker(BrokerStep),
    /// A step of replication.
    Ha(HaStep),
    /// A step of a client.
    Client(ClientStep),
    /// A step of a broker with a request or a message on its way in.
    Intake(IntakeStep),
    /// A step about routes, topics, groups and their administration.
    Names(NamesStep),
    /// A step of the store.
    Store(Step),
    /// A step of a producer.
    Producer(ProducerStep),
    /// A step of a push consumer.
    Consumer(ConsumerStep),
    /// A step of a database.
    Database(DatabaseStep),
    /// A step of an application around its client.
    Application(ApplicationStep),
    /// A step of the delivery of delayed messages.
    Delay(DelayStep),
    /// A step about the members of a consumer group, what they subscribe and lock.
    Group(GroupStep),
    /// A step of a transaction at the broker.
    Transaction(TransactionStep),
}

macro_rules! kinds {
    ($($kind:ident($step:ident)),* $(,)?) => {
        $(impl From<$step> for StepKind {
            fn from(step: $step) -> Self {
                Self::$kind(step)
            }
        })*
    };
}

kinds! {
    Node(NodeStep),
    Broker(BrokerStep),
    Ha(HaStep),
    Client(ClientStep),
    Intake(IntakeStep),
    Names(NamesStep),
    Producer(ProducerStep),
    Consumer(ConsumerStep),
    Database(DatabaseStep),
    Application(ApplicationStep),
    Delay(DelayStep),
    Transaction(TransactionStep),
}

impl From<GroupStep> for StepKind {
    fn from(step: GroupStep) -> Self {
        Self::Group(step)
    }
}

/// The trace vocabulary of every node, and of what the learner does to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NodeStep {
    // Every node.
    /// A request arrived and is being handled.
    RequestReceived {
        /// What it asks for.
        code: RequestCode,
        /// The node that asks.
        from: String,
    },
    /// A request was handed to the network.
    RequestSent {
        /// What it asks for.
        code: RequestCode,
        /// The node it goes to.
        to: String,
        /// Nobody waits for an answer.
        oneway: bool,
    },
    /// An answer was handed to the network.
    ResponseSent {
        /// How the request ended.
        code: ResponseCode,
        /// The text that goes with it.
        remark: Option<String>,
        /// The node it goes to.
        to: String,
    },
    /// An answer arrived.
    ResponseReceived {
        /// How the request ended.
        code: ResponseCode,
        /// The text that came with it.
        remark: Option<String>,
        /// The node that answers.
        from: String,
    },
    /// No answer came in time; the connection is given up (`clientCloseSocketIfTimeout`).
    RequestTimedOut {
        /// What was asked for.
        code: RequestCode,
        /// The node that did not answer.
        to: String,
        /// How long was waited, milliseconds.
        timeout_ms: i64,
    },
    /// A request could not be sent, or its connection broke before the answer.
    RequestFailed {
        /// What was asked for.
        code: RequestCode,
        /// The node it was meant for.
        to: String,
        /// Why, in RocketMQ's words.
        cause: String,
    },
    /// A connection is gone.
    ConnectionClosed {
        /// The other end.
        peer: String,
        /// Why.
        cause: String,
    },
    /// A file of the node was written anew (.tmp, .bak, delete, rename).
    ConfigWritten {
        /// Its path.
        path: String,
        /// Its length in bytes.
        len: u64,
    },

    /// A file of the node could not be written.
    ConfigFailed {
        /// Its path.
        path: String,
        /// Why.
        cause: String,
    },
    /// The process could not start.
    StartFailed {
        /// Why.
        cause: String,
    },
    /// The process is asked to end in good order: it takes no requests from here on.
    StopBegan,
    /// The process has ended of its own accord.
    ProcessEnded,

    // Learner.
    /// A service was stopped by the learner; what is meant for it waits.
    Paused {
        /// The service; `null` is the whole node.
        service: Option<String>,
    },
    /// A service goes on.
    Resumed {
        /// The service; `null` is the whole node.
        service: Option<String>,
    },
    /// The learner set the reput position by hand. Nothing in 4.9.8 does this while a broker runs.
    ReputPositionSet {
        /// The position before.
        from: i64,
        /// The position now.
        to: i64,
    },
    /// The process is started.
    Launched,
    /// The process was killed: its memory is gone, the page cache stays.
    ProcessKilled,
    /// The machine lost its power: memory and page cache are gone.
    PowerLost,
    /// What became of the OS pages of a file that were written since they were last flushed, when the power failed.
    PagesLost {
        /// The file.
        file: String,
        /// Pages that had reached the disk by themselves.
        survived: u32,
        /// Pages of which only the head had.
        torn: u32,
        /// Pages that are as the last flush left them.
        lost: u32,
    },
    /// A crash waits for a turn with enough writes.
    TrapSet,
    /// The turn crashed here: after so many operations on the disk, and so many bytes of the next.
    Crashed {
        /// Operations of this turn that were done.
        write: u32,
        /// Bytes of the next one that were written.
        bytes: Option<u32>,
    },
    /// A second process is started on the same store. The steps that follow are its own.
    SecondProcessStarted,
    /// The learner did something to the link to another node.
    LinkSet {
        /// The other node.
        peer: String,
        /// `cut`, `stalled` or `up`.
        state: String,
    },
    /// The size or the use of the machine's disk was changed.
    DiskSet {
        /// Bytes on the disk.
        capacity_bytes: u64,
        /// Bytes on it that are not the store's.
        other_bytes: u64,
        /// The use that the broker reads, per cent.
        used_percent: u32,
    },
    /// Something is wrong with the machine's disk from now on.
    DiskFaultSet {
        /// `writeError`, `flushError`, `full` or `slowFlush`, with its time and the files that it concerns.
        fault: String,
    },
    /// Nothing is wrong with the machine's disk any more.
    DiskMended,
    /// A bit of a file turned round.
    BitFlipped {
        /// The file.
        path: String,
        /// The byte.
        offset: u64,
        /// The bit: 0, the lowest, to 7.
        bit: u8,
        /// The byte before.
        from: u8,
        /// The byte after.
        to: u8,
    },
    /// Somebody removed a file.
    FileTaken {
        /// The file.
        path: String,
    },
    /// Somebody cut a file.
    FileCut {
        /// The file.
        path: String,
        /// Its length before, bytes.
        from: u64,
        /// Its length now, bytes.
        to: u64,
    },
    /// An administrator lets the next 20 clean-ups delete expired files at any hour.
    DeletionOrdered,
    /// The wall clock was set to another time.
    ClockJumped {
        /// How far forward, milliseconds.
        ms: i64,
    },
}
