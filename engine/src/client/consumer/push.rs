//! What a push consumer is set to, and what its process has in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use imbl::{OrdMap, OrdSet, Vector};

use super::{
    AllocateStrategy, Calls, ConsumeFromWhere, ConsumerConfig, Delivery, ListenerBusiness, ListenerKind, LocalOffsets,
    MessageListener, MessageModel, OffsetTable, ProcessQueue, Stored, clean::Cleaning, consume_timestamp,
    lock::Locking, persist::Persisting, pool::Pool, pull_loop::PullLoop, rebalance::Rebalancing, reset::Resetting,
    start_offset::BegunAt, stop::Stopping,
};
use crate::{
    client::PullQueue,
    disk::{MemoryDisk, ReadAt},
    filter::Subscription,
    node::Grid,
};

/// What an application subscribes of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// Tags; none, or `*`: everything.
    Tags(Option<String>),
    /// An expression of SQL92 over the properties.
    Sql(String),
}

/// What an application sets a push consumer to before it starts it (`DefaultMQPushConsumer`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushSettings {
    /// What it subscribes, by topic.
    pub subscriptions: BTreeMap<String, Expression>,
    /// Whether the group shares the messages.
    pub message_model: MessageModel,
    /// Where it begins if the group has no offset of a queue.
    pub consume_from_where: ConsumeFromWhere,
    /// The time to begin at, `yyyyMMddHHmmss`; absent: half an hour before the consumer was made.
    pub consume_timestamp: Option<String>,
    /// How the group shares the queues out.
    pub allocate: AllocateStrategy,
    /// The client's id; absent: one of its own, as 4.9.8 makes it.
    pub client_id: Option<String>,
    /// Everything else.
    pub config: ConsumerConfig,
}

/// A queue that the rebalance has given to this consumer, with its pull request.
#[derive(Clone, Debug)]
pub struct OwnQueue {
    /// The number of this taking over: a queue that comes back has another.
    pub(super) id: u64,
    /// Its messages between pull and commit.
    pub(super) process_queue: ProcessQueue,
    /// The offset of the next pull (`PullRequest.nextOffset`).
    pub(super) next_offset: i64,
    /// What its pull request waits for.
    pub(super) pulling: PullState,
    /// A pull has gone out since the queue was locked (`PullRequest.previouslyLocked`).
    pub(super) previously_locked: bool,
}

/// What a queue's pull request waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    /// Its turn.
    Queued,
    /// An answer: it was sent then, microseconds.
    Asked(i64),
    /// Its turn after a while, at that time, microseconds.
    Later(i64),
    /// Something in the client, which it looks at again and again at these moments.
    Blocked(Block, Grid),
    /// Nothing any more: it was thrown away, or the queue is about to be removed.
    Gone,
}

/// What a pull waits for in its own client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Too many messages in hand (`pullThresholdForQueue`).
    Count,
    /// Too many MiB in hand (`pullThresholdSizeForQueue`).
    Size,
    /// Too far from the first message in hand to the last (`consumeConcurrentlyMaxSpan`).
    Span,
    /// The consumer is suspended.
    Suspended,
    /// No broker has said that the queue is locked for this consumer.
    NotLocked,
    /// The topic is not subscribed any more.
    NotSubscribed,
}

impl OwnQueue {
    /// Its messages between pull and commit.
    pub const fn process_queue(&self) -> &ProcessQueue {
        &self.process_queue
    }

    /// The offset of the next pull.
    pub const fn next_offset(&self) -> i64 {
        self.next_offset
    }

    /// What its pull request waits for.
    pub const fn pulling(&self) -> PullState {
        self.pulling
    }

    /// Whether its pull thread has had nothing to do with it for longer than `idle_ms` (`isPullExpired`). A request that is
    /// blocked comes by at each of its moments.
    pub(super) fn is_pull_expired(&self, idle_ms: i64, now_ms: i64) -> bool {
        !matches!(self.pulling, PullState::Blocked(..)) && self.process_queue.is_pull_expired(idle_ms, now_ms)
    }
}

/// A push consumer's process (`DefaultMQPushConsumerImpl`).
#[derive(Clone, Debug)]
pub struct PushConsumer {
    pub(super) settings: Arc<PushSettings>,
    pub(super) listener: Arc<MessageListener>,
    /// The settings as they are now: a rebalance changes the thresholds of a queue.
    pub(super) config: ConsumerConfig,
    pub(super) consume_timestamp: String,
    pub(super) subscriptions: BTreeMap<String, Subscription>,
    /// `serviceState` is `RUNNING`.
    pub(super) running: bool,
    /// `suspend` has been called.
    pub(super) suspended: bool,
    pub(super) queues: BTreeMap<PullQueue, OwnQueue>,
    pub(super) next_queue: u64,
    /// Its offsets in memory, of one that shares the messages.
    pub(super) offsets: OffsetTable,
    /// The offsets of one that broadcasts.
    pub(super) local: Option<LocalOffsets>,
    /// The disk of its machine, which such a one has its offsets on.
    pub(super) disk: MemoryDisk,
    pub(super) calls: Calls,
    pub(super) business: Option<Arc<ListenerBusiness>>,
    /// The messages that the listener's business knows in memory.
    pub(super) cache: OrdSet<String>,
    pub(super) rebalancing: Rebalancing,
    pub(super) pulls: PullLoop,
    pub(super) pool: Pool,
    pub(super) persisting: Persisting,
    pub(super) locking: Locking,
    pub(super) cleaning: Cleaning,
    pub(super) resetting: Resetting,
    /// A stop that waits for the listeners.
    pub(super) stopping: Option<Stopping>,
    /// The process ends, as soon as its offsets have gone to the brokers.
    pub(super) ending: bool,
    pub(super) consumed: Vector<Delivery>,
    pub(super) begun_at: OrdMap<PullQueue, BegunAt>,
}

impl PushConsumer {
    /// A consumer that is not started yet.
    pub fn new(settings: PushSettings, listener: MessageListener) -> Self {
        let config = settings.config.clone();
        Self {
            pool: Pool::new(config.consume_thread_min),
            settings: Arc::new(settings),
            business: listener.business.as_deref().cloned().map(Arc::new),
            cache: OrdSet::new(),
            listener: Arc::new(listener),
            config,
            consume_timestamp: String::new(),
            subscriptions: BTreeMap::new(),
            running: false,
            suspended: false,
            queues: BTreeMap::new(),
            next_queue: 0,
            offsets: OffsetTable::default(),
            local: None,
            disk: MemoryDisk::default(),
            calls: Calls::default(),
            rebalancing: Rebalancing::default(),
            pulls: PullLoop::default(),
            persisting: Persisting::default(),
            locking: Locking::default(),
            cleaning: Cleaning::default(),
            resetting: Resetting::default(),
            stopping: None,
            ending: false,
            consumed: Vector::new(),
            begun_at: OrdMap::new(),
        }
    }

    /// The same consumer in a new process: what the listener was handed stays, as a record of the run.
    pub(in crate::client) fn reborn(self) -> Self {
        let mut consumed = self.consumed;
        for call in self.pool.calls().values() {
            if let Some(delivery) = call.place().and_then(|place| consumed.get_mut(place)) {
                delivery.crash();
            }
        }
        let fresh = Self::new(Arc::unwrap_or_clone(self.settings), Arc::unwrap_or_clone(self.listener));
        let mut disk = self.disk;
        disk.process_kill();
        Self { disk, consumed, begun_at: self.begun_at, ..fresh }
    }

    /// What its application has set it to.
    pub fn settings(&self) -> &PushSettings {
        &self.settings
    }

    /// The application's listener.
    pub fn listener(&self) -> &MessageListener {
        &self.listener
    }

    /// Its settings as they are now.
    pub const fn config(&self) -> &ConsumerConfig {
        &self.config
    }

    /// What it subscribes, its retry topic among it.
    pub const fn subscriptions(&self) -> &BTreeMap<String, Subscription> {
        &self.subscriptions
    }

    /// Its queues (`RebalanceImpl.processQueueTable`).
    pub const fn queues(&self) -> &BTreeMap<PullQueue, OwnQueue> {
        &self.queues
    }

    /// Its offsets in memory.
    pub fn offsets(&self) -> &OffsetTable {
        self.local.as_ref().map_or(&self.offsets, LocalOffsets::table)
    }

    /// The file that a broadcasting one keeps its offsets in: its path and its text, if it has been written.
    pub fn offsets_file(&self) -> Option<(&str, String)> {
        let path = self.local.as_ref()?.path();
        let file = self.disk.find(path)?;
        let len = usize::try_from(self.disk.meta(file).ok()?.len).ok()?;
        let mut bytes = vec![0; len];
        self.disk.read_at(file, 0, &mut bytes).ok()?;
        Some((path, String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The disk of its machine, which a broadcasting one has its offsets on.
    pub const fn disk(&self) -> &MemoryDisk {
        &self.disk
    }

    /// The offset of a queue in the file of a broadcasting one.
    pub fn saved_offset(&self, queue: &PullQueue) -> Option<i64> {
        self.local.as_ref()?.saved(&self.disk, queue)
    }

    /// Sets an offset in memory.
    pub(super) fn update_offset(&mut self, queue: &PullQueue, offset: i64, increase_only: bool) {
        let table = self.local.as_mut().map_or(&mut self.offsets, LocalOffsets::table_mut);
        table.update(queue, offset, increase_only);
    }

    /// Forgets an offset in memory.
    pub(super) fn remove_offset(&mut self, queue: &PullQueue) {
        self.local.as_mut().map_or(&mut self.offsets, LocalOffsets::table_mut).remove(queue);
    }

    /// What the file of a broadcasting one says of a queue; `None`: it does not broadcast.
    pub(super) fn stored_locally(&mut self, queue: &PullQueue) -> Option<Stored> {
        let stored = self.local.as_mut()?.stored(&self.disk, queue);
        Some(stored.map_or(Stored::Nothing, Stored::At))
    }

    /// What its listener was handed, in order: in this process and in those before it.
    pub const fn consumed(&self) -> &Vector<Delivery> {
        &self.consumed
    }

    /// Where it began with each queue the first time that it took it over, whichever process that was.
    pub const fn begun_at(&self) -> &OrdMap<PullQueue, BegunAt> {
        &self.begun_at
    }

    /// The threads that call the listener.
    pub const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Whether it is started, and not stopped.
    pub const fn is_running(&self) -> bool {
        self.running
    }

    /// Whether it is suspended: it neither pulls nor shares queues out.
    pub const fn is_suspended(&self) -> bool {
        self.suspended
    }

    /// Whether the group shares the messages.
    pub(super) fn is_clustering(&self) -> bool {
        self.settings.message_model == MessageModel::Clustering
    }

    /// Whether its listener is an orderly one.
    pub(super) fn is_orderly(&self) -> bool {
        self.listener.kind == ListenerKind::Orderly
    }

    /// Whether queues are locked at their brokers.
    pub(super) fn has_locks(&self) -> bool {
        self.is_orderly() && self.is_clustering()
    }

    /// The queue, if it is still in the hands that it was in when somebody noted `id`.
    pub(super) fn own(&mut self, queue: &PullQueue, id: u64) -> Option<&mut OwnQueue> {
        self.queues.get_mut(queue).filter(|own| own.id == id && !own.process_queue.is_dropped())
    }

    /// The queues that it has now.
    pub(super) fn present(&self) -> BTreeSet<PullQueue> {
        self.queues.keys().cloned().collect()
    }

    /// The process begins: what the application subscribes, where it would begin by time, and what it has on its disk.
    pub(super) fn begin(&mut self, group: &str, client_id: &str, now_ms: i64) -> Result<(), String> {
        let own_time = || consume_timestamp(now_ms);
        self.consume_timestamp = self.settings.consume_timestamp.clone().unwrap_or_else(own_time);
        let topics = self.settings.subscriptions.iter();
        self.subscriptions =
            topics.map(|(topic, expression)| (topic.clone(), subscription(topic, expression, now_ms))).collect();
        if self.is_clustering() {
            let retry = format!("{RETRY_PREFIX}{group}");
            self.subscriptions.insert(retry.clone(), Subscription::tags(&retry, None, now_ms));
            return Ok(());
        }
        let mut local = LocalOffsets::new(client_id, group);
        local.load(&self.disk).map_err(|error| error.to_string())?;
        self.local = Some(local);
        Ok(())
    }
}

/// Topics of messages that a group has given back.
pub(super) const RETRY_PREFIX: &str = "%RETRY%";

/// `FilterAPI.build`.
pub(super) fn subscription(topic: &str, expression: &Expression, now_ms: i64) -> Subscription {
    match expression {
        Expression::Tags(tags) => Subscription::tags(topic, tags.as_deref(), now_ms),
        Expression::Sql(sql) => Subscription::sql(topic, sql, now_ms),
    }
}
