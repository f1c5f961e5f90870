//! What the trace says about one turn.

use serde::{Deserialize, Serialize};

use super::Action;
use crate::{
    node::TraceStep,
    wire::{RequestCode, ResponseCode},
};

/// One event: a turn of one service of one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceEvent {
    /// Number of the event in its run, from 0.
    pub seq: u64,
    /// When the turn began, microseconds since the world began.
    pub at_us: i64,
    /// How long it took, microseconds.
    pub took_us: i64,
    /// The node.
    pub node: String,
    /// The lane: a [`crate::node::Service`]'s name, or `learner` for an action.
    pub service: String,
    /// The event that caused this one; `None` for actions and for timers that nothing but time set off.
    pub cause: Option<u64>,
    /// What set the turn off.
    pub what: EventKind,
    /// The steps of the turn, in order.
    pub steps: Vec<TraceStep>,
    /// The writes to the node's disk, in order.
    pub writes: Vec<DiskWrite>,
    /// What was put on the wire.
    pub sent: Vec<Sent>,
}

/// What set a turn off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// The learner or the script acted.
    Action {
        /// The action.
        action: Action,
    },
    /// A request is handled.
    Request {
        /// What it asks for.
        code: RequestCode,
        /// The node that asks.
        from: String,
    },
    /// An answer is taken in.
    Response {
        /// What had been asked.
        request: RequestCode,
        /// How it ended.
        code: ResponseCode,
        /// The node that answers.
        from: String,
    },
    /// A request got no answer in time.
    Timeout {
        /// What had been asked.
        request: RequestCode,
        /// The node that did not answer.
        to: String,
    },
    /// A request could not be sent, or its connection broke.
    Failed {
        /// What had been asked.
        request: RequestCode,
        /// The node it was meant for.
        to: String,
    },
    /// A connection is gone.
    Disconnected {
        /// The other end.
        peer: String,
    },
    /// A connection for replication stands.
    Connected {
        /// The other end.
        peer: String,
    },
    /// A connection for replication cannot be had.
    ConnectFailed,
    /// Bytes of replication are read.
    Bytes {
        /// The other end.
        from: String,
        /// What they are: `HA_DATA`, `HA_ACK` or `HA_HEARTBEAT` with their numbers.
        label: String,
    },
    /// The process starts.
    Started,
    /// The service's own time has come, or work woke it.
    Turn,
    /// The time is over that [`Action::Wait`] let pass.
    Alarm,
}

/// One write to a node's disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiskWrite {
    /// The step it belongs to.
    pub step: u32,
    /// What kind of operation it was.
    pub op: DiskOp,
    /// The file.
    pub path: String,
    /// The first byte.
    pub offset: u64,
    /// How many bytes.
    pub len: u64,
}

/// The kinds of operations on a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DiskOp {
    /// Bytes were written to the page cache.
    Write,
    /// Bytes were made durable.
    Flush,
    /// A file of `len` zero bytes was made.
    Create,
    /// A file was cut or grown to `len`.
    SetLen,
    /// A file got the path `path`.
    Rename,
    /// A file was removed.
    Delete,
}

/// Something put on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    /// Number of the flight, unique in its world.
    pub id: u64,
    /// The node it goes to.
    pub to: String,
    /// Request, answer, or one-way request.
    pub kind: SentKind,
    /// The code's name: `SEND_MESSAGE_V2`, `SUCCESS` ...
    pub label: String,
    /// When it leaves, microseconds.
    pub leaves_us: i64,
    /// When it arrives, microseconds.
    pub arrives_us: i64,
}

/// The direction of something on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SentKind {
    /// A request that waits for an answer.
    Request,
    /// A request that does not.
    Oneway,
    /// An answer.
    Response,
    /// Bytes of replication.
    Replica,
}
