//! The trace vocabulary of a push consumer's inside, beside the steps that every client has.

use serde::{Deserialize, Serialize};

/// A step of a push consumer (`DefaultMQPushConsumerImpl`). A queue is `topic`, `broker_name` and `queue_id`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ConsumerStep {
    /// The consumer has subscribed its topics, and asks for their routes.
    ConsumerStarts {
        /// The consumer group.
        group: String,
        /// The client's id.
        client_id: String,
        /// The topics, its retry topic among them.
        topics: Vec<String>,
    },
    /// The start ended with an exception. What was started by then goes on.
    ConsumerStartFailed {
        /// The exception's message.
        cause: String,
    },
    /// A broker tells that the members of the group have changed: the queues are shared out anew at once.
    MembersChanged {
        /// The consumer group.
        group: String,
    },
    /// A round of the rebalance begins (`RebalanceImpl.doRebalance`).
    RebalanceBegan {
        /// The topics.
        topics: Vec<String>,
    },
    /// The consumer is suspended: nothing is shared out.
    RebalanceSkipped,
    /// A topic's queues stay as they are in this round.
    RebalanceLeft {
        /// The topic.
        topic: String,
        /// `noRoute`, `noMembers`, or `allocationFailed`.
        reason: String,
        /// The exception's message, if there is one.
        cause: Option<String>,
    },
    /// The strategy has shared the topic's queues out.
    QueuesAllocated {
        /// The topic.
        topic: String,
        /// The strategy's name.
        strategy: String,
        /// Members of the group.
        members: u32,
        /// Queues of the topic.
        queues: u32,
        /// Those that are this consumer's, as `broker/queue`.
        own: Vec<String>,
    },
    /// A queue is given away: what its listeners still come to is not used.
    QueueDropped {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// `allocatedElsewhere`, `pullExpired`, `notSubscribed`, `offsetIllegal` or `offsetReset`.
        reason: String,
        /// Messages in the cache that are not done with.
        cached: u32,
    },
    /// A queue is taken over: its first pull is on its way.
    QueueTaken {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// The queue offset to begin at.
        next_offset: i64,
        /// Where that is from: `storedOffset` (the broker keeps it for the group), `maxOffset`, `noStoredOffset` (the
        /// number 0), or `consumeTimestamp`.
        from: String,
    },
    /// A queue could not be taken over; the next round tries again.
    QueueNotTaken {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// Why.
        cause: String,
    },
    /// The consumer's queues have changed: its subscription is newer from here on, and every broker is told
    /// (`messageQueueChanged`).
    SubscriptionRenewed {
        /// The topic.
        topic: String,
        /// `subVersion`, milliseconds since the epoch.
        sub_version: i64,
    },
    /// A pull was put off.
    PullPostponed {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// For so long, milliseconds.
        after_ms: i64,
        /// `consumerSuspended`, `notSubscribed`, `notLocked`, `pullInterval`, or `exception`.
        reason: String,
        /// The exception's message, if there is one.
        cause: Option<String>,
    },
    /// Too much of the queue is cached: its pulls wait, looking again every 50 ms (flow control). Looks that would find the
    /// same are not shown.
    FlowControlled {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// What is too much: `cachedCount` (messages), `cachedSize` (MiB) or `cachedSpan` (from the first
        /// offset to the last).
        by: String,
        /// How much it is.
        value: i64,
        /// How much it may be.
        threshold: i64,
    },
    /// A pull request of a queue that is given away was thrown away.
    PullDiscarded {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
    },
    /// Pulled messages went into the cache of their queue, and to the consume threads (`ProcessQueue.putMessage`).
    MessagesCached {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// How many.
        count: u32,
        /// Queue offset of the first.
        first: i64,
        /// Queue offset of the last.
        last: i64,
        /// Messages in the cache now.
        cached: i64,
    },
    /// The offset to go on at was wrong, and is set right in 10 s. Until then the queue is given away.
    OffsetIllegal {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// The offset to go on at, as the broker says.
        next_offset: i64,
    },
    /// The queue's offset in memory moved.
    OffsetMoved {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// The next offset to consume.
        offset: i64,
    },
    /// Offsets were sent to the brokers (`persistAll`), one-way.
    OffsetsPersisted {
        /// How many.
        count: u32,
    },
    /// The listener is called.
    ConsumeBegan {
        /// The call's number at this consumer, from 0.
        number: u64,
        /// The thread's name.
        thread: String,
        /// The topic that the message was sent to.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue it was pulled from.
        queue_id: i32,
        /// Queue offset of the first message.
        queue_offset: i64,
        /// How many messages.
        count: u32,
        /// How often the first has been consumed in vain.
        reconsume_times: i32,
    },
    /// The listener came to something.
    ConsumeEnded {
        /// The call.
        number: u64,
        /// The status that it returned, `null`, or `exception`.
        result: String,
    },
    /// What the listener came to was not used, since the queue was given away meanwhile: whoever has it gets the messages
    /// again.
    ConsumeResultUnused {
        /// The call.
        number: u64,
    },
    /// Messages were not consumed, since their queue has been given away.
    ConsumeIgnored {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// How many.
        count: u32,
    },
    /// A message that was not consumed goes back to its broker (`sendMessageBack`).
    MessageSentBack {
        /// The call.
        number: u64,
        /// Queue offset of the message.
        queue_offset: i64,
        /// The delay level; 0 lets the broker choose, -1 is the dead-letter queue.
        delay_level: i32,
    },
    /// Messages that nobody took back are tried again here.
    ConsumedAgainLater {
        /// How many.
        count: u32,
        /// In so many milliseconds.
        after_ms: i64,
    },
    /// An orderly listener is not called: the queue's lock is missing, and is asked for after a while.
    ConsumeWaitsForLock {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// `notLocked`, or `lockExpired` (no broker has confirmed it for 30 s).
        reason: String,
        /// In so many milliseconds.
        after_ms: i64,
    },
    /// An orderly queue rests: nothing of it is consumed before.
    QueueRests {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// For so long, milliseconds.
        after_ms: i64,
    },
    /// A message has been consumed in vain as often as it may be by an orderly listener: it is sent to the retry topic, whose
    /// broker puts it into the dead-letter queue.
    MessageGivenUp {
        /// The call.
        number: u64,
        /// Queue offset of the message.
        queue_offset: i64,
        /// How often that was.
        reconsume_times: i32,
    },
    /// A broker says that the queue is another consumer's.
    LockLost {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
    },
    /// A queue was given up with messages in hand: its lock is given back later.
    UnlockDelayed {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// In so many milliseconds.
        after_ms: i64,
    },
    /// A queue cannot be given up, since the listener has been running with it for a second: it stays, dropped, until the next
    /// rebalance.
    ConsumeLockHeld {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// How often that has been so.
        tries: u64,
    },
    /// The listener has had a message for too long: it is given back to the broker, with delay level 3.
    MessageExpired {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// Queue offset of the message.
        queue_offset: i64,
        /// How long it may have it, milliseconds.
        timeout_ms: i64,
    },
    /// A broker tells new offsets of a topic: its queues are given up, and the consumer is suspended for 10 s.
    ResetBegan {
        /// The topic.
        topic: String,
    },
    /// The application has suspended the consumer: it neither pulls nor shares queues out.
    ConsumerSuspended,
    /// The application has subscribed a topic.
    Subscribed {
        /// The topic.
        topic: String,
        /// The expression.
        expression: String,
    },
    /// The application does not subscribe a topic any more.
    Unsubscribed {
        /// The topic.
        topic: String,
    },
    /// The consumer goes on: it pulls, and shares the queues out.
    ConsumerResumed,
    /// The application has set how many threads call the listener.
    CorePoolSizeUpdated {
        /// So many.
        size: u32,
        /// So many before.
        before: u32,
    },
    /// It wanted a number that is not less than `consumeThreadMax`, or none at all: nothing has changed.
    CorePoolSizeKept {
        /// What it wanted.
        asked: i32,
        /// `consumeThreadMax`.
        max: i32,
        /// So many it stays.
        size: u32,
    },
    /// The consumer stops, and waits for its listeners.
    ListenersAwaited {
        /// Calls under way.
        calls: u32,
        /// Calls that wait for a thread.
        waiting: u32,
        /// How long at most, milliseconds.
        most_ms: i64,
    },
    /// The time is over: the threads are interrupted, and the wait begins once more.
    ListenersInterrupted {
        /// Calls under way.
        calls: u32,
        /// Calls that had no thread yet, and never get one.
        thrown_away: u32,
    },
    /// The time is over for the second time: the consumer ends without its listeners.
    ListenersGivenUp {
        /// Calls under way.
        calls: u32,
    },
    /// The threads take no tasks any more, since the consumer stops.
    ConsumeRejected {
        /// The topic.
        topic: String,
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// How many messages stay in hand.
        count: u32,
    },
    /// Offsets of a broadcasting consumer were written to a file of its machine.
    OffsetsSaved {
        /// How many.
        count: u32,
        /// The file.
        path: String,
    },
    /// Messages of a broadcasting consumer that were not consumed are lost.
    MessagesLost {
        /// The call.
        number: u64,
        /// How many.
        count: u32,
    },
}
