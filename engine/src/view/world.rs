//! Pictures of a running world: the stage, the rulers, the timeline and the event that just happened.
//!
//! Plain data in the viewer's terms. Times are microseconds of world time unless a name says otherwise, physical
//! offsets are bytes in the CommitLog, queue offsets count units.

use serde::{Deserialize, Serialize};

use crate::node::Service;
use crate::sim::{EventKind, NodeState, SentKind, TraceEvent};
use crate::store::BrokerRole;

/// Everything the workbench shows that changes with each event, in one answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPicture {
    /// Events taken to get here: 0 is the start.
    pub position: u64,
    /// Events known on this branch; larger than `position` after a step back.
    pub length: u64,
    /// World time, microseconds since the start.
    pub now_us: i64,
    /// Whether nothing is pending but periodic housekeeping.
    pub at_rest: bool,
    /// When the next event comes, microseconds: exactly while it is known, else not before that. `None` if nothing is
    /// pending at all.
    pub next_us: Option<i64>,
    /// The event that led here; `None` at the start.
    pub event: Option<Box<TraceEvent>>,
    /// Nodes, connections and what is in flight.
    pub stage: Stage,
    /// One per broker.
    pub rulers: Vec<Ruler>,
    /// Hash of the trace so far, for comparing runs.
    pub trace_hash: u64,
}

/// Nodes, connections and messages in flight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stage {
    /// In the order of the set-up.
    pub nodes: Vec<NodePicture>,
    /// Connections that are open.
    pub edges: Vec<Edge>,
    /// What is on the wire at this moment.
    pub flights: Vec<Flight>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NodeKind {
    /// A NameServer.
    NameServer,
    /// A broker.
    Broker,
    /// A producer, whole or bare.
    Producer,
    /// A consumer.
    Consumer,
    /// A database of applications.
    Database,
    /// An administrator with his tool.
    Administrator,
}

/// A node on the stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodePicture {
    /// Its name, unique in the world.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// Whether the last event was one of its turns.
    pub active: bool,
    /// Where its process is in its life.
    pub state: NodeState,
    /// Whether the whole process stands still.
    pub stopped: bool,
    /// Services of this node that can be paused, in order.
    pub services: Vec<Service>,
    /// Those that are.
    pub paused: Vec<Service>,
    /// What the card says, by kind.
    pub facts: NodeFacts,
}

/// What a node's card says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NodeFacts {
    /// A NameServer's tables in short.
    NameServer {
        /// Live brokers.
        brokers: u32,
        /// Topics with a route.
        topics: u32,
    },
    /// A broker's store in short.
    Broker {
        /// The brokerId: 0 is a master.
        broker_id: i64,
        /// `ASYNC_MASTER`, `SYNC_MASTER` or `SLAVE`.
        role: BrokerRole,
        /// Connections for replication: slaves of a master; 1 or 0 of a slave.
        ha_connections: u32,
        /// End of the log, bytes.
        max_phy_offset: i64,
        /// Where reput reads next, bytes.
        reput_from_offset: i64,
        /// Queues that hold units or have been written, with their number of units.
        queues: Vec<QueueFact>,
        /// The machine's disk.
        disk: DiskPicture,
    },
    /// A producer's results.
    Producer {
        /// Sends without an answer yet.
        pending: u32,
        /// Answers by status, e.g. `SEND_OK`, in order of first appearance.
        results: Vec<(String, u32)>,
    },
    /// A consumer's state.
    Consumer {
        /// The consumer group.
        group: String,
        /// Messages received.
        received: u32,
        /// The last pull's status, e.g. `FOUND`.
        last_status: Option<String>,
    },
    /// A push consumer and what it does.
    PushConsumer {
        /// The consumer group.
        group: String,
        /// Queues that it has.
        queues: u32,
        /// Messages that its listener has right now, by their names, or as `@` and the queue offset.
        consuming: Vec<String>,
        /// Messages that it has pulled and is not done with.
        in_hand: u32,
        /// Calls of its listener that have ended, in this process and those before it.
        calls: u32,
        /// Whether it waits for its application, which has suspended it.
        suspended: bool,
    },
    /// A database's tables in short.
    Database {
        /// Its tables, in order.
        tables: Vec<TableFact>,
        /// Commits so far.
        commits: u64,
    },
    /// An administrator's commands.
    Administrator {
        /// Commands that are done.
        commands: u32,
        /// One is under way.
        busy: bool,
        /// What the last one said last: a line of the tool, or its exception.
        last: Option<String>,
    },
}

/// A table on a database's card: what is committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TableFact {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: u32,
    /// Rows that say what an earlier row says, in every column but the one that counts up by itself: what a message that is
    /// done twice leaves where it inserts a row each time, and what two messages about one thing leave. 0 without such a
    /// column.
    pub twins: u32,
    /// Messages for which one group has committed changes of its rows more than once, as where a sum is added to twice
    /// ([`crate::ledger::redone`]). Where the changes insert a row each time, there are twins too.
    pub redone: u32,
}

/// The disk of a broker's machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiskPicture {
    /// The use that the broker reads: whole per cents, rounded up; 0 for a disk without limit.
    pub used_percent: u32,
    /// Bytes on it; `None` for a disk without limit.
    pub capacity_bytes: Option<u64>,
    /// What is wrong with it, as in `slowFlush 6000 ms commitlog`, in the order in which it came.
    pub faults: Vec<String>,
    /// Whether the store has marked it as full and refuses puts (`RunningFlags`, `DISK_FULL`).
    pub full: bool,
}

/// A queue on a broker's card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueFact {
    /// Topic.
    pub topic: String,
    /// Queue id.
    pub queue_id: i32,
    /// Max queue offset: where the next unit goes.
    pub max_offset: i64,
    /// Whether the last event wrote a unit here.
    pub just_written: bool,
}

/// An open connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// The node that opened it.
    pub from: String,
    /// The node it leads to.
    pub to: String,
}

/// A request or response between leaving and arriving.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Flight {
    /// Its number, unique in the world.
    pub id: u64,
    /// The node it left.
    pub from: String,
    /// The node it goes to.
    pub to: String,
    /// What it is, e.g. `SEND_MESSAGE`, or the response code's name.
    pub label: String,
    /// Request, answer, one-way request, or bytes of replication.
    pub kind: SentKind,
    /// When it left.
    pub sent_us: i64,
    /// When it will arrive.
    pub arrives_us: i64,
}

/// Where everything stands in one broker's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruler {
    /// The broker.
    pub broker: String,
    /// Start of the log, bytes.
    pub min: i64,
    /// End of what has been appended, bytes.
    pub written: i64,
    /// End of what a transient store pool has handed to the files, which is as far as anybody can read; equals `written`
    /// without a pool.
    pub committed: i64,
    /// End of what has been flushed.
    pub flushed: i64,
    /// What some slave has acknowledged since the process started, which means appended there, not flushed. It can lie
    /// beyond the end of the log. `None` for a slave, and for a master that no slave has ever talked to.
    pub replicated: Option<i64>,
    /// Where reput reads next.
    pub dispatched: i64,
    /// Per group: the physical offset of its next unconsumed unit.
    pub consumed: Vec<ConsumedMark>,
    /// Starts of the CommitLog files.
    pub file_starts: Vec<i64>,
    /// The newest records to which the scenario gave a name, such as `M1`, in the order of the log.
    pub marks: Vec<RecordMark>,
}

/// A group's mark on the ruler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsumedMark {
    /// Consumer group.
    pub group: String,
    /// Physical offset of its next unconsumed unit, bytes.
    pub offset: i64,
}

/// A record on the ruler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordMark {
    /// The name the scenario gave the message.
    pub name: String,
    /// Where its record starts.
    pub physical_offset: i64,
    /// Its length in bytes.
    pub size: i32,
}

/// One event as the timeline draws it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimelineEvent {
    /// Its number, from 0.
    pub seq: u64,
    /// When.
    pub at_us: i64,
    /// Index into [`Timeline::lanes`].
    pub lane: u32,
    /// The event that caused it.
    pub cause: Option<u64>,
    /// What set the turn off.
    pub what: EventKind,
    /// Whether it wrote to the node's disk.
    pub wrote: bool,
}

/// A lane of the timeline: a service of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lane {
    /// The node.
    pub node: String,
    /// The service, e.g. `put`, `reput`, `flush`.
    pub service: String,
}

/// A window of the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// Every lane that has had an event on this branch, nodes in set-up order.
    pub lanes: Vec<Lane>,
    /// Events in the window, by number.
    pub events: Vec<TimelineEvent>,
    /// Events known on this branch.
    pub length: u64,
}
