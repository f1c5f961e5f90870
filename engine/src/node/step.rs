//! The numbered steps inside a turn, as the trace tells them.

mod application;
mod database;
mod delay;
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
pub use database::DatabaseStep;
pub use delay::DelayStep;
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
    /// A step of a node outside the store.
    Node(NodeStep),
    /// A step of a broker with a request or a message on its way in.
    Intake(IntakeStep),
    /// A step about routes, topics, groups and their administration.
    Names(NamesStep),
    /// A step of the store.
    Store(Step),
    /// A step of a producer.
    Producer(ProducerStep),
    /// A step of a database.
    Database(DatabaseStep),
    /// A step of an application around its client.
    Application(ApplicationStep),
    /// A step of the delivery of delayed messages.
    Delay(DelayStep),
    /// A step of a transaction at the broker.
    Transaction(TransactionStep),
}

impl From<NamesStep> for StepKind {
    fn from(step: NamesStep) -> Self {
        Self::Names(step)
    }
}

impl From<NodeStep> for StepKind {
    fn from(step: NodeStep) -> Self {
        Self::Node(step)
    }
}

impl From<TransactionStep> for StepKind {
    fn from(step: TransactionStep) -> Self {
        Self::Transaction(step)
    }
}

impl From<IntakeStep> for StepKind {
    fn from(step: IntakeStep) -> Self {
        Self::Intake(step)
    }
}

impl From<ApplicationStep> for StepKind {
    fn from(step: ApplicationStep) -> Self {
        Self::Application(step)
    }
}

impl From<DatabaseStep> for StepKind {
    fn from(step: DatabaseStep) -> Self {
        Self::Database(step)
    }
}

impl From<DelayStep> for StepKind {
    fn from(step: DelayStep) -> Self {
        Self::Delay(step)
    }
}

/// The trace vocabulary of NameServer, broker and client.
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

    // NameServer.
    /// A broker is in the tables (again).
    BrokerRegistered {
        /// Its name.
        broker_name: String,
        /// Its id; 0 is the master.
        broker_id: i64,
        /// Its address.
        broker_addr: String,
        /// It was not known before.
        first: bool,
        /// The topics whose queue data were created or changed.
        topics_changed: Vec<String>,
    },
    /// A broker is out of the tables.
    BrokerRemoved {
        /// Its address.
        broker_addr: String,
        /// `expired`, `channelClosed` or `unregistered`.
        reason: String,
        /// The topics that have lost their last broker.
        topics_removed: Vec<String>,
    },
    /// A route was looked up.
    RouteFound {
        /// The topic.
        topic: String,
        /// The brokers that hold it.
        brokers: Vec<String>,
    },
    /// No route is known.
    RouteMissing {
        /// The topic.
        topic: String,
    },

    // Broker.
    /// Everything is dispatched and every service runs: requests are taken from here on.
    BrokerStarted,
    /// The topic of a message passed (`msgCheck`).
    TopicChecked {
        /// The topic.
        topic: String,
        /// The queue that was asked for; below 0, any.
        queue_id: i32,
    },
    /// The checks refused a request.
    Refused {
        /// The code of the answer.
        code: ResponseCode,
        /// Its remark.
        remark: String,
    },
    /// A topic came into being.
    TopicCreated {
        /// The topic.
        topic: String,
        /// Queues that may be read.
        read_queue_nums: i32,
        /// Queues that may be written.
        write_queue_nums: i32,
        /// Permission bits.
        perm: i32,
        /// The topic whose configuration it takes after (`TBW102`); `null` when created by hand.
        from: Option<String>,
    },
    /// The broker chose the queue, since the request left it open.
    QueueDrawn {
        /// The queue.
        queue_id: i32,
    },
    /// The message as the store is asked to append it.
    MessageBuilt {
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The properties text that is stored.
        properties_text: String,
        /// Bytes of the body.
        body_len: u64,
    },
    /// The self check finds no file for these bytes between others. Nothing is done about it.
    FilesMissing {
        /// Where, below the store's root.
        directory: String,
        /// The first byte that no file holds.
        from: i64,
        /// The byte after the last.
        to: i64,
    },
    /// The disk takes so long for the flushes of this round; they are done when the service has its next turn.
    FlushStalled {
        /// Milliseconds.
        ms: i64,
    },
    /// The store's answer to a put.
    PutEnded {
        /// `PutMessageStatus`.
        status: String,
    },
    /// The store's answer to a read.
    GetEnded {
        /// `GetMessageStatus`.
        status: String,
        /// Messages found.
        count: u32,
        /// Bytes of them.
        bytes: u64,
        /// Where to go on.
        next_begin_offset: i64,
    },
    /// A pull found nothing and waits at the broker.
    PullHeld {
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The queue offset it waits for.
        offset: i64,
        /// How long at most, milliseconds.
        suspend_ms: i64,
    },
    /// A held pull is tried again.
    PullWoken {
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// `arrived` or `timeout`.
        reason: String,
    },
    /// A consumer offset was set.
    OffsetCommitted {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The next offset to read.
        offset: i64,
    },
    /// A client is known.
    ClientRegistered {
        /// Its id.
        client_id: String,
        /// Its groups.
        groups: Vec<String>,
        /// It was not known before.
        first: bool,
    },
    /// A client is forgotten.
    ClientRemoved {
        /// Its id.
        client_id: String,
        /// `expired`, `channelClosed` or `unregistered`.
        reason: String,
    },

    // Replication.
    /// The NameServer told a slave where its master is; `null`: it knows none.
    MasterTold {
        /// The master's address for replication.
        ha_server_addr: Option<String>,
        /// The master's address for requests.
        master_addr: Option<String>,
    },
    /// A slave tries to connect to its master.
    HaConnecting {
        /// The master.
        to: String,
    },
    /// A slave is connected. The end of its log is what it will report.
    HaConnected {
        /// The master.
        to: String,
        /// The end of its log.
        offset: i64,
    },
    /// A slave could not connect; it tries again after 5 s.
    HaConnectFailed {
        /// The master.
        to: String,
    },
    /// A master took a slave's connection in. It waits for the slave's first report.
    HaAccepted {
        /// The slave.
        from: String,
        /// Slaves connected now.
        slaves: u32,
    },
    /// A slave reports the end of its log: everything before is appended, if not flushed.
    HaReported {
        /// The end of its log.
        offset: i64,
    },
    /// The first report on a connection says where the slave wants to begin.
    HaRequested {
        /// The slave.
        from: String,
        /// What it asks for; 0: it has nothing.
        offset: i64,
    },
    /// A slave's report was read.
    HaAcknowledged {
        /// The slave.
        from: String,
        /// What it has.
        offset: i64,
        /// What the most advanced slave has (`push2SlaveMaxOffset`).
        replicated: i64,
    },
    /// A slave has more than its master: the master closes the connection.
    HaSlaveAhead {
        /// The slave.
        from: String,
        /// What it has.
        offset: i64,
        /// The end of the master's log.
        max: i64,
    },
    /// A piece of the log was handed to the network.
    HaTransferred {
        /// The slave.
        to: String,
        /// Its first byte in the log.
        physical_offset: i64,
        /// Its length in bytes.
        size: i32,
    },
    /// A master says that it is alive.
    HaHeartbeat {
        /// The slave.
        to: String,
        /// Where its next piece would begin.
        offset: i64,
    },
    /// A heartbeat of the master was read.
    HaHeartbeatRead {
        /// Where the master's next piece would begin.
        offset: i64,
    },
    /// The master's piece does not begin where the slave's log ends: the slave closes the connection.
    HaMismatch {
        /// Where the piece begins.
        master: i64,
        /// Where the slave's log ends.
        slave: i64,
    },
    /// The other end has been silent for too long: the connection is closed (`haHousekeepingInterval`).
    HaExpired {
        /// The other end.
        peer: String,
        /// For how long, milliseconds.
        silent_ms: i64,
    },
    /// The wait of a put for a slave is over.
    ReplicaWaitEnded {
        /// What it waited for.
        next_offset: i64,
        /// `PUT_OK` or `FLUSH_SLAVE_TIMEOUT`.
        status: String,
    },
    /// A slave copied one of its master's tables (`SlaveSynchronize`).
    SlaveSynced {
        /// The file that it is kept in.
        path: String,
        /// It was another one than the slave had.
        changed: bool,
    },

    // Client.
    /// The route of a topic is in the client's table.
    RouteApplied {
        /// The topic.
        topic: String,
        /// The route differs from the one before.
        changed: bool,
        /// Queues that may be sent to.
        publish_queues: u32,
        /// The topic whose route was taken in its place (`TBW102`).
        default_topic: Option<String>,
    },
    /// The route could not be had; the old one, if any, stays.
    RouteKept {
        /// The topic.
        topic: String,
        /// Why.
        cause: String,
    },
    /// A message got its client id.
    UniqKeySet {
        /// `UNIQ_KEY`.
        uniq_key: String,
    },
    /// The body was compressed (zlib, level 5).
    BodyCompressed {
        /// Bytes before.
        from: u64,
        /// Bytes after.
        to: u64,
    },
    /// A queue was chosen.
    QueueSelected {
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// The attempt, from 1.
        attempt: u32,
    },
    /// An attempt failed and another follows.
    SendRetried {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// Why.
        cause: String,
    },
    /// The application has its answer.
    SendEnded {
        /// `SendStatus`, or the exception's short name.
        status: String,
        /// The client's message id.
        msg_id: Option<String>,
        /// The broker's message id.
        offset_msg_id: Option<String>,
        /// The queue.
        queue_id: Option<i32>,
        /// The queue offset.
        queue_offset: Option<i64>,
        /// The exception's message.
        error: Option<String>,
    },
    /// A pull ended at the client.
    PullEnded {
        /// `PullStatus`, or the exception's short name.
        status: String,
        /// Messages that arrived.
        arrived: u32,
        /// Messages that the client's own tag check dropped.
        dropped_by_tag: u32,
        /// Where to go on.
        next_begin_offset: i64,
        /// The exception's message.
        error: Option<String>,
    },
    /// Another call of the application ended.
    CallEnded {
        /// What was asked.
        code: RequestCode,
        /// The answer in words.
        answer: String,
    },
}
