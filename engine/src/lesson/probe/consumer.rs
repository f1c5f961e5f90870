//! Probes of push consumers.

use super::{QueueName, Which};

/// What a probe reads of a push consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsumerPlace {
    /// `consumed`: calls of its listener, those under way and those of earlier processes among them.
    Consumed,
    /// `delivery.N.FIELD`: a field of the N-th of them, from 0; `last` is the newest.
    Delivery(Which, DeliveryField),
    /// `queues`: queues that it has.
    Queues,
    /// `queues.TOPIC`: those of one topic.
    QueuesOf(String),
    /// `owns.TOPIC/ID`: whether it has a queue of this name.
    Owns(QueueName),
    /// `processQueue.TOPIC/ID.FIELD`: a number of one of them.
    ProcessQueue(QueueName, ProcessQueueField),
    /// `offset.TOPIC/ID`: the next offset to consume, as its memory says.
    Offset(QueueName),
}

super::fields! {
    /// Fields of a call of a listener. Those of a message are the first message's.
    DeliveryField {
        /// How many messages it was called with.
        Messages = "messages",
        /// The topic as the listener sees it: of a retry, the topic of origin.
        Topic = "topic",
        /// The topic of the queue that it was pulled from.
        QueueTopic = "queueTopic",
        /// The queue that it was pulled from.
        QueueId = "queueId",
        /// The offset in that queue.
        QueueOffset = "queueOffset",
        /// The body, if it is text.
        Body = "body",
        /// The keys.
        Keys = "keys",
        /// The tag.
        Tags = "tags",
        /// How often it has been consumed in vain.
        ReconsumeTimes = "reconsumeTimes",
        /// What the listener came to: a status, `null` or `exception`.
        Result = "result",
        /// What became of that: `running`, `counted`, `unused` or `crashed`.
        Fate = "fate",
        /// The thread, from 1.
        Thread = "thread",
        /// When it was called, milliseconds of virtual time.
        BeganMs = "beganMs",
        /// When it returned, milliseconds of virtual time.
        EndedMs = "endedMs",
    }
}

super::fields! {
    /// Numbers of a queue that a push consumer has.
    ProcessQueueField {
        /// Messages in hand that are not done with.
        Count = "count",
        /// Bytes of their bodies.
        Size = "size",
        /// From the offset of the first of them to that of the last.
        Span = "span",
        /// Offset of the first of them.
        First = "first",
        /// The offset of the next pull.
        NextOffset = "nextOffset",
        /// Whether the consumer holds the lock of the queue, as far as it knows.
        Locked = "locked",
    }
}

/// The forms of these probes, for the message that lists them.
pub(super) const PLACES: &[&str] = &[
    "consumed",
    "delivery.N.FIELD",
    "queues",
    "queues.TOPIC",
    "owns.TOPIC/ID",
    "processQueue.TOPIC/ID.FIELD",
    "offset.TOPIC/ID",
];

impl ConsumerPlace {
    /// Reads the segments of a probe; `None`: it is of another kind.
    pub(super) fn parse(segments: &[&str]) -> Option<Result<Self, String>> {
        Some(match *segments {
            ["consumed"] => Ok(Self::Consumed),
            ["delivery", which, field] => {
                Which::parse(which).and_then(|which| Ok(Self::Delivery(which, DeliveryField::parse(field)?)))
            }
            ["queues"] => Ok(Self::Queues),
            ["queues", topic] => Ok(Self::QueuesOf(topic.to_owned())),
            ["owns", queue] => QueueName::parse(queue).map(Self::Owns),
            ["processQueue", queue, field] => QueueName::parse(queue)
                .and_then(|queue| Ok(Self::ProcessQueue(queue, ProcessQueueField::parse(field)?))),
            ["offset", queue] => QueueName::parse(queue).map(Self::Offset),
            _ => return None,
        })
    }
}
