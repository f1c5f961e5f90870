//! What a learner or a script can do to a world.

mod administer;
mod database;
mod send;
mod send_back;
mod transaction;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{SubscriptionSpec, Survives};
use crate::{client::consumer::MessageListener, disk::memory::Fault, node::Service};

pub use administer::{Administer, Command};
pub use database::{ChangeAndSend, CrashWhen, Transact};
pub use send::{BatchMessage, Send, SendBatch};
pub use send_back::SendBack;
pub use transaction::{EndTransaction, HalfAt, SendInTransaction};

/// One intervention, applied at the world's present time. The form of lesson scripts and of links alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Action {
    /// A producer sends one message.
    Send(Box<Send>),
    /// A producer sends a batch.
    SendBatch(Box<SendBatch>),
    /// A producer sends a message in a transaction: a half message, then the local transaction, then its end.
    SendInTransaction(Box<SendInTransaction>),
    /// A producer ends a transaction by a call of its own: once more, or late (`END_TRANSACTION`, one-way).
    EndTransaction(Box<EndTransaction>),
    /// A client's application changes a database and commits.
    Transact(Box<Transact>),
    /// A producer's application changes a database, commits, and then sends a message about it.
    CommitThenSend(Box<ChangeAndSend>),
    /// A producer's application changes a database, sends a message about it, and then commits.
    SendThenCommit(Box<ChangeAndSend>),
    /// A producer's application changes a database and writes the message into its outbox, in one transaction.
    WriteOutbox(Box<ChangeAndSend>),
    /// A consumer pulls once from one queue.
    Pull {
        /// The consumer.
        consumer: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue: i32,
        /// The queue offset to begin at.
        offset: i64,
        /// Messages at most.
        #[serde(default = "default_max")]
        max: i32,
        /// Tags, `*` or `TagA || TagB`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tags: Option<String>,
        /// An SQL92 expression instead of tags (`MessageSelector.bySql`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sql: Option<String>,
        /// Let the broker hold the pull for so long when nothing is there, milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suspend_ms: Option<i64>,
        /// Commit this offset with the pull.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<i64>,
        /// The name of the broker that holds the queue; absent: the first in the route that has such a queue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        broker: Option<String>,
    },
    /// A consumer commits an offset (`UPDATE_CONSUMER_OFFSET`, one-way).
    Commit {
        /// The consumer.
        consumer: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue: i32,
        /// The next offset to read.
        offset: i64,
    },
    /// A consumer gives a message back that it has received (`CONSUMER_SEND_MSG_BACK`).
    SendBack(Box<SendBack>),
    /// An application suspends its push consumer: it neither pulls nor shares queues out.
    SuspendConsumer {
        /// The consumer.
        consumer: String,
    },
    /// An application has its push consumer go on.
    ResumeConsumer {
        /// The consumer.
        consumer: String,
    },
    /// The application of a running push consumer subscribes a topic, or what an expression lets through of it, in place of
    /// what it has subscribed of it.
    Subscribe {
        /// The consumer.
        consumer: String,
        /// The topic, and the expression.
        subscription: SubscriptionSpec,
    },
    /// The application of a running push consumer does not subscribe a topic any more.
    Unsubscribe {
        /// The consumer.
        consumer: String,
        /// The topic.
        topic: String,
    },
    /// The listener of a push consumer behaves otherwise from its next call on.
    SetListener {
        /// The consumer.
        consumer: String,
        /// The listener, of the kind that it was.
        listener: Box<MessageListener>,
    },
    /// The application of a running push consumer sets how many threads call its listener
    /// (`DefaultMQPushConsumer.updateCorePoolSize`): only to what is less than `consumeThreadMax`.
    UpdateCorePoolSize {
        /// The consumer.
        consumer: String,
        /// The threads.
        core_pool_size: i32,
    },
    /// A client asks a broker about a queue; the answer is in the client's view.
    Ask {
        /// The client: a producer or a consumer.
        client: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue: i32,
        /// What is asked.
        what: Question,
    },
    /// A client looks messages up by key (`QUERY_MESSAGE`).
    QueryKey {
        /// The client.
        client: String,
        /// The topic.
        topic: String,
        /// The key; or a client message id with `unique`.
        key: String,
        /// `key` is a `UNIQ_KEY`.
        #[serde(default)]
        unique: bool,
        /// Messages at most.
        #[serde(default = "default_max")]
        max: i32,
        /// Earliest store time, milliseconds since the epoch; absent: 0, and of a `unique` key a second before its id was
        /// made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        begin: Option<i64>,
        /// Latest store time, milliseconds since the epoch.
        #[serde(default = "default_end")]
        end: i64,
    },
    /// A client looks a message up by the broker's message id (`VIEW_MESSAGE_BY_ID`).
    ViewMessage {
        /// The client.
        client: String,
        /// The broker's message id.
        id: String,
    },
    /// An administrator is given a command of `mqadmin`: it makes its calls one after the other.
    Administer(Box<Administer>),
    /// Somebody creates a topic or changes it (`UPDATE_AND_CREATE_TOPIC` from an administrator's tool).
    SetTopic {
        /// The broker's node.
        broker: String,
        /// The topic.
        topic: String,
        /// Queues that may be read.
        read_queues: i32,
        /// Queues that may be written.
        write_queues: i32,
        /// Permission bits: 4 read, 2 write.
        #[serde(default = "default_perm")]
        perm: i32,
    },
    /// Lets time pass: the world is not at rest before it has.
    Wait {
        /// So much, milliseconds.
        ms: i64,
    },
    /// Stops a service; what is meant for it waits. Without a service: the whole process stands still.
    Pause {
        /// The node.
        node: String,
        /// The service.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        service: Option<Service>,
    },
    /// Lets a paused service go on.
    Resume {
        /// The node.
        node: String,
        /// The service.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        service: Option<Service>,
    },
    /// Sets the reput position: an intervention for teaching, which nothing in 4.9.8 does while a broker runs.
    ReputFrom {
        /// The broker's node.
        broker: String,
        /// The physical offset to read on from.
        offset: i64,
    },
    /// Breaks every connection between two nodes and lets no new one stand.
    Cut {
        /// One node.
        a: String,
        /// The other.
        b: String,
    },
    /// Holds back the bytes between two nodes: nothing is lost, nothing arrives.
    Stall {
        /// One node.
        a: String,
        /// The other.
        b: String,
    },
    /// Mends what [`Action::Cut`] or [`Action::Stall`] did.
    Mend {
        /// One node.
        a: String,
        /// The other.
        b: String,
    },
    /// Ends a process at once (`kill -9`): its memory is gone, its connections are reset. The page cache stays.
    Kill {
        /// The node.
        node: String,
    },
    /// Takes the power from a node's machine: memory and page cache are gone, and nobody is told. [`Action::Start`]
    /// gives it back.
    PowerLoss {
        /// The node.
        node: String,
        /// What is left of the pages that were not flushed.
        #[serde(default)]
        survives: Survives,
    },
    /// Sets a trap: the next turn that does more than `write` operations on the disk crashes after the first `write` of
    /// them. It holds until it is met or set anew.
    CrashAt {
        /// The broker's node.
        node: String,
        /// Only turns of this service count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        service: Option<Service>,
        /// Operations that are still done.
        write: u32,
        /// Bytes of the next write that still reach the page cache.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u32>,
        /// The power fails, and this is left; without it the process is killed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        survives: Option<Survives>,
        /// A turn that does just `write` operations is met as well: all of them are done, and nothing that it meant to send
        /// leaves the node.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unsent: bool,
    },
    /// Sets a trap: a process is killed right before a turn of one of its services. It holds until it is met or set anew,
    /// and ends with the process.
    CrashWhen(Box<CrashWhen>),
    /// Starts the process of a node that is down.
    Start {
        /// The node.
        node: String,
    },
    /// Asks a process to end in good order.
    Stop {
        /// The node.
        node: String,
    },
    /// Starts a second broker process on the store of one that runs. It loads and recovers the store, with all that
    /// this does to the files, and then fails to get the lock.
    SecondProcess {
        /// The broker's node.
        broker: String,
    },
    /// Sets the size of a broker's disk, how full it is, or both. Without a percentage others keep what they have.
    SetDisk {
        /// The broker's node.
        broker: String,
        /// Bytes on the disk. Absent: as before, and 100 GB for a disk that had no limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capacity_bytes: Option<u64>,
        /// What others have on the disk grows or shrinks until the broker reads this use, 1 to 100.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        percent: Option<u32>,
    },
    /// Something goes wrong with a broker's disk, and stays so until [`Action::MendDisk`].
    DiskFault {
        /// The broker's node.
        broker: String,
        /// What.
        fault: Fault,
    },
    /// Mends everything that [`Action::DiskFault`] did. What is lost by then stays lost.
    MendDisk {
        /// The broker's node.
        broker: String,
    },
    /// One bit of a file turns round, on the disk and in the page cache.
    FlipBit {
        /// The broker's node.
        broker: String,
        /// The file, below the store's root.
        path: String,
        /// The byte, from the start of the file.
        offset: u64,
        /// The bit of it: 0, the lowest, to 7.
        bit: u8,
    },
    /// Somebody removes a file, or a directory with all below it, while the broker is down.
    DeleteFile {
        /// The broker's node.
        broker: String,
        /// File or directory, below the store's root.
        path: String,
    },
    /// Somebody cuts a file while the broker is down.
    TruncateFile {
        /// The broker's node.
        broker: String,
        /// The file, below the store's root.
        path: String,
        /// Its new length in bytes, less than before.
        len: u64,
    },
    /// A node's wall clock is set forward or back. Its timers are monotonic and stay.
    JumpClock {
        /// The node.
        node: String,
        /// How far forward, milliseconds; negative is back.
        ms: i64,
    },
    /// An administrator lets the next 20 clean-ups delete expired files at any hour (`DELETE_EXPIRED_COMMITLOG`).
    DeleteExpired {
        /// The broker's node.
        broker: String,
    },
}

/// What [`Action::Ask`] asks about a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Question {
    /// `GET_MAX_OFFSET`.
    MaxOffset,
    /// `GET_MIN_OFFSET`.
    MinOffset,
    /// `SEARCH_OFFSET_BY_TIMESTAMP`.
    OffsetAt {
        /// Milliseconds since the epoch.
        timestamp_ms: i64,
    },
    /// `QUERY_CONSUMER_OFFSET` for the asking consumer's group.
    ConsumerOffset,
}

const fn default_max() -> i32 {
    32
}

const fn default_perm() -> i32 {
    6
}

const fn default_end() -> i64 {
    i64::MAX
}

/// An action that cannot be done. The world is as it was.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ActionError {
    /// No node has this name.
    #[error("there is no node `{node}`")]
    NoSuchNode {
        /// The name.
        node: String,
    },
    /// The node is of another kind than the action needs.
    #[error("`{node}` is not a {wanted}")]
    WrongNode {
        /// The name.
        node: String,
        /// `broker`, `producer`, `consumer` or `client`.
        wanted: String,
    },
    /// The node has no such service.
    #[error("`{node}` has no service `{service}`")]
    NoSuchService {
        /// The node.
        node: String,
        /// The service.
        service: String,
    },
    /// It is paused already.
    #[error("{what} is paused already")]
    AlreadyPaused {
        /// Node, or node and service.
        what: String,
    },
    /// It is not paused.
    #[error("{what} is not paused")]
    NotPaused {
        /// Node, or node and service.
        what: String,
    },
    /// It stands still, so it can do nothing.
    #[error("{what} is paused")]
    Paused {
        /// Node, or node and service.
        what: String,
    },
    /// The link is in that state already.
    #[error("the link between `{a}` and `{b}` is {state} already")]
    LinkAlready {
        /// One node.
        a: String,
        /// The other.
        b: String,
        /// `cut`, `stalled` or `up`.
        state: String,
    },
    /// A record of this size cannot be made of this message.
    #[error("a record of {record_size} bytes is impossible: this message takes at least {least}, at most {most}")]
    RecordSize {
        /// The size asked for.
        record_size: i32,
        /// The smallest possible.
        least: i32,
        /// The largest possible.
        most: i32,
    },
    /// The node's process does not run.
    #[error("`{node}` is not running")]
    NotRunning {
        /// The node.
        node: String,
    },
    /// The node's process runs, or is about to.
    #[error("`{node}` is running")]
    Running {
        /// The node.
        node: String,
    },
    /// The process is being stopped already.
    #[error("`{node}` is stopping")]
    Stopping {
        /// The node.
        node: String,
    },
    /// The broker's disk has no such file.
    #[error("`{node}` has no file `{path}`")]
    NoSuchFile {
        /// The node.
        node: String,
        /// The path asked for.
        path: String,
    },
    /// The position is not one of the CommitLog.
    #[error("{offset} is outside the CommitLog, which goes from {min} to {max}")]
    OutsideLog {
        /// The position asked for.
        offset: i64,
        /// The log's begin.
        min: i64,
        /// The log's end.
        max: i64,
    },
    /// A value is outside its range, or two contradict each other.
    #[error("{field}: {cause}")]
    BadValue {
        /// The field of the action.
        field: String,
        /// What is wrong with it.
        cause: String,
    },
}

pub(super) fn bad_value(field: &str, cause: String) -> ActionError {
    ActionError::BadValue { field: field.to_owned(), cause }
}

pub(super) fn not_negative(field: &str, value: i64) -> Result<(), ActionError> {
    if value < 0 { Err(bad_value(field, "too small".to_owned())) } else { Ok(()) }
}
