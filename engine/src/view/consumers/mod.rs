//! A consumer group from inside: its members, who has which queue, how far each queue is consumed, and what is retried.

mod allocation;
mod gather;
mod in_hand;
mod queues;
mod retries;
mod subscriptions;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::{
    client::{
        PullQueue,
        consumer::{ConsumeFromWhere, DeliveryFate, ListenerKind, MessageModel},
    },
    sim::NodeState,
};

pub(super) use gather::consumers_picture;

/// The groups of the push consumers of a run, and one of them from inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsumersPicture {
    /// World time, microseconds.
    pub now_us: i64,
    /// The groups, by name.
    pub groups: Vec<String>,
    /// The one that was asked for, or the first; `None` if there is none.
    pub group: Option<Box<GroupPicture>>,
}

/// A consumer group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupPicture {
    /// The group.
    pub group: String,
    /// Its push consumers, in the order of the set-up.
    pub members: Vec<MemberPicture>,
    /// How each topic's queues are shared out.
    pub shares: Vec<TopicShares>,
    /// Every queue of a topic that a member subscribes.
    pub queues: Vec<QueuePicture>,
    /// What the brokers hold as the group's subscription, beside what each member believes.
    pub subscriptions: Vec<SubscriptionPicture>,
    /// Messages that were not consumed at once, the oldest trouble first.
    pub retries: RetriesPicture,
}

/// A push consumer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberPicture {
    /// The node.
    pub node: String,
    /// Where its process is in its life.
    pub state: NodeState,
    /// Whether the whole process stands still.
    pub stopped: bool,
    /// What it calls itself, `ip@instanceName`.
    pub client_id: String,
    /// Whether its consumer is started: routes are known and brokers are told.
    pub running: bool,
    /// Whether its application has suspended it.
    pub suspended: bool,
    /// Whether the group shares the messages, as this member sees it.
    pub message_model: MessageModel,
    /// Which of the two listeners it has.
    pub listener: ListenerKind,
    /// The strategy by which it works out its queues.
    pub strategy: String,
    /// Where it begins if the group has no offset of a queue.
    pub consume_from_where: ConsumeFromWhere,
    /// Threads that there are, and threads that there may be.
    pub threads: (u32, u32),
    /// Messages of one call at most (`consumeMessageBatchMaxSize`).
    pub batch: i32,
    /// Calls of the listener that are under way, by thread.
    pub calls: Vec<CallPicture>,
    /// Calls that wait for a thread.
    pub waiting_calls: u32,
    /// Calls of the listener that have ended with success, in this process and those before it.
    pub succeeded: u32,
    /// Those that ended otherwise, or came to nothing because the process or the queue was gone.
    pub failed: u32,
}

/// A call of a listener that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallPicture {
    /// Number of the thread, from 1.
    pub thread: u32,
    /// The queue that the messages are from.
    pub queue: PullQueue,
    /// The messages.
    pub messages: Vec<MessageName>,
    /// When the listener was called, microseconds.
    pub began_us: i64,
    /// How often the first of them was consumed in vain before.
    pub reconsume_times: i32,
    /// Whether the listener has returned, and what it did not consume goes back.
    pub sending_back: bool,
}

/// A message, as people know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageName {
    /// Its offset in the queue that it was pulled from.
    pub queue_offset: i64,
    /// The name that the scenario gave it.
    pub name: Option<String>,
}

/// How one topic's queues are shared out, and how other strategies would share them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicShares {
    /// The topic.
    pub topic: String,
    /// The queues as the first member with a route knows them, sorted as every member sorts them; `broker/queue`.
    pub queues: Vec<String>,
    /// For each queue the nodes that have it now: none where it is nobody's, several where members do not agree.
    pub held: Vec<Vec<String>>,
    /// What strategies make of the members that a broker knows of.
    pub strategies: Vec<StrategyShares>,
}

/// What a strategy makes of a topic's queues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StrategyShares {
    /// Its name.
    pub name: String,
    /// Nodes that are set to it.
    pub used_by: Vec<String>,
    /// For each queue the nodes that would have it.
    pub owners: Vec<Vec<String>>,
    /// What it throws instead.
    pub error: Option<String>,
}

/// How far a queue is consumed, wherever that is noted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuePicture {
    /// The queue.
    pub queue: PullQueue,
    /// Its first unit at the broker; `None` while no master of that name runs.
    pub min: Option<i64>,
    /// Where the next unit goes.
    pub max: Option<i64>,
    /// The group's offset in the broker's memory.
    pub committed: Option<i64>,
    /// The group's offset in the broker's `config/consumerOffset.json`.
    pub persisted: Option<i64>,
    /// The lock for consuming in order, at the broker.
    pub lock: Option<LockPicture>,
    /// The members that have it.
    pub holders: Vec<HolderPicture>,
}

/// A queue's lock at a broker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LockPicture {
    /// Who has it.
    pub client_id: String,
    /// How long it is good for without being renewed, milliseconds; 0: anybody may take it.
    pub left_ms: i64,
}

/// A queue in a member's hands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HolderPicture {
    /// The node.
    pub node: String,
    /// The offset in its memory: the next to consume.
    pub offset: Option<i64>,
    /// The offset in its own file, of a member that broadcasts.
    pub file: Option<i64>,
    /// The offset of the next pull.
    pub next_offset: i64,
    /// What its pull request waits for.
    pub pulling: PullingPicture,
    /// Whether the queue is taken away from it: its results are not used.
    pub dropped: bool,
    /// The lock as it knows it, of an orderly listener.
    pub lock: Option<OwnLockPicture>,
    /// Messages in hand that are not done with.
    pub count: i64,
    /// Bytes of their bodies.
    pub size: i64,
    /// From the first offset in hand to the last.
    pub span: i64,
    /// The first offset that is not done with: what holds the committed offset.
    pub lowest_unfinished: Option<i64>,
    /// From that one to the last that was pulled.
    pub messages: Vec<InHand>,
    /// Messages behind those of `messages`, which are left out.
    pub more: u32,
}

/// What a queue's pull request waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PullingPicture {
    /// Its turn.
    Queued,
    /// An answer.
    Asked {
        /// Since when, microseconds.
        since_us: i64,
    },
    /// Its turn after a while.
    Later {
        /// When, microseconds.
        at_us: i64,
    },
    /// The messages in hand to become fewer: flow control.
    Count {
        /// How many there are.
        value: i64,
        /// How many there may be (`pullThresholdForQueue`).
        most: i64,
    },
    /// The messages in hand to become smaller: flow control.
    Size {
        /// Their MiB.
        value: i64,
        /// How many it may be (`pullThresholdSizeForQueue`).
        most: i64,
    },
    /// The first message in hand to be done with: flow control.
    Span {
        /// From the first offset in hand to the last.
        value: i64,
        /// How far it may be (`consumeConcurrentlyMaxSpan`).
        most: i64,
    },
    /// The application, which has suspended the consumer.
    Suspended,
    /// A broker to say that the queue is locked for it.
    NotLocked,
    /// Its topic to be subscribed again.
    NotSubscribed,
    /// Nothing any more.
    Gone,
}

/// A queue's lock, as an orderly listener's client knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnLockPicture {
    /// Whether a broker has said that it has it.
    pub locked: bool,
    /// How long it counts on that, milliseconds; 0: it does not any more.
    pub left_ms: i64,
}

/// A message between pull and commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InHand {
    /// Its offset in the queue.
    pub queue_offset: i64,
    /// The name that the scenario gave it; `None`, too, where it was not handed over.
    pub name: Option<String>,
    /// How it stands with it.
    pub state: InHandState,
}

/// How it stands with a message in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum InHandState {
    /// It waits for a thread, or for its queue's turn.
    Waiting,
    /// A listener has it.
    Consuming {
        /// Number of the thread, from 1.
        thread: u32,
    },
    /// A listener has returned without consuming it, and it goes back to its broker.
    GoingBack {
        /// Number of the thread, from 1.
        thread: u32,
    },
    /// It was consumed in vain and could not be given back, so the client tries again by itself; of an orderly listener,
    /// it is tried again where it is.
    Again,
    /// An orderly listener has returned without having it committed, and may commit it later.
    Uncommitted,
    /// It is done with, and only a message before it holds the offset back.
    Done,
    /// It was pulled past: it is none of those that the member subscribes.
    Passed,
}

/// What the brokers hold as the group's subscription of a topic, beside what each member believes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionPicture {
    /// The topic.
    pub topic: String,
    /// By broker node, as far as it knows the group: what it holds; `None`: nothing.
    pub held: Vec<(String, Option<SubscribedPicture>)>,
    /// By member that runs: what it believes; `None`: it does not subscribe the topic.
    pub believed: Vec<(String, Option<SubscribedPicture>)>,
    /// Members that do not believe what a broker holds.
    pub differing: Vec<String>,
}

/// What is subscribed of a topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscribedPicture {
    /// The expression; `*`: everything.
    pub expression: String,
    /// `TAG` or `SQL92`.
    pub expression_type: String,
    /// `subVersion`, milliseconds since the epoch: a broker keeps the newer one.
    pub version: i64,
}

/// Messages that were not consumed at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetriesPicture {
    /// The delay levels of the first broker that runs, as level and milliseconds.
    pub levels: Vec<(i32, i64)>,
    /// How often a message may be consumed in vain.
    pub max_reconsume_times: i32,
    /// The messages.
    pub messages: Vec<RetriedPicture>,
    /// Older ones, which are left out.
    pub earlier: u32,
}

/// A message that was not consumed at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetriedPicture {
    /// The name that the scenario gave it.
    pub name: Option<String>,
    /// The client's message id, which its copies share.
    pub msg_id: String,
    /// The topic that it was sent to.
    pub topic: String,
    /// Its deliveries, in order; the older ones are left out where there are many.
    pub attempts: Vec<AttemptPicture>,
    /// Deliveries before those of `attempts`.
    pub earlier: u32,
    /// Where it is now.
    pub place: RetryPlace,
}

/// One delivery of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptPicture {
    /// The node.
    pub node: String,
    /// Number of the thread, from 1.
    pub thread: u32,
    /// How often it had been consumed in vain before.
    pub reconsume_times: i32,
    /// The queue that it was pulled from.
    pub queue: PullQueue,
    /// When the listener was called, microseconds.
    pub began_us: i64,
    /// When it returned, microseconds.
    pub ended_us: Option<i64>,
    /// What it came to, as 4.9.8 names it.
    pub result: Option<String>,
    /// What became of that.
    pub fate: DeliveryFate,
}

/// Where a message is that was not consumed at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum RetryPlace {
    /// A listener has it.
    Consuming,
    /// A member has it in hand.
    InHand {
        /// The node.
        node: String,
    },
    /// It waits on a delay level.
    Delayed {
        /// The broker's node.
        broker: String,
        /// The level.
        level: i32,
        /// When it is due, microseconds.
        due_us: i64,
    },
    /// It is in the group's retry topic, and nobody has pulled it yet.
    InRetryTopic {
        /// The broker's node.
        broker: String,
        /// Its offset there.
        queue_offset: i64,
    },
    /// It is in the group's dead-letter queue, which nobody subscribes by itself.
    DeadLetter {
        /// The broker's node.
        broker: String,
        /// Its offset there.
        queue_offset: i64,
    },
    /// It was consumed in the end.
    Consumed,
    /// None of these: on its way, lost, or given up without a trace.
    Unknown,
}
