//! Steps of a broker about the members of consumer groups, what they subscribe and which queues they lock
//! (`ConsumerManager`, `RebalanceLockManager`).

use serde::{Deserialize, Serialize};

/// A step about a consumer group at a broker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum GroupStep {
    /// A channel was not known in the group before.
    MemberJoined {
        /// The group.
        group: String,
        /// The consumer.
        client_id: String,
        /// Channels of the group now.
        members: u32,
    },
    /// A channel is not of the group any more.
    MemberLeft {
        /// The group.
        group: String,
        /// The consumer.
        client_id: String,
        /// Channels of the group now; of 0 the group itself is forgotten.
        members: u32,
    },
    /// The group subscribes a topic that it did not.
    SubscriptionAdded {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The expression.
        expression: String,
    },
    /// A newer subscription took the place of the group's. Nobody is told of it.
    SubscriptionReplaced {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The expression.
        expression: String,
    },
    /// The latest heartbeat does not name a topic: the group does not subscribe it any more.
    SubscriptionRemoved {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The consumer whose heartbeat that was.
        client_id: String,
    },
    /// The members of a group are told that it has changed (`NOTIFY_CONSUMER_IDS_CHANGED`).
    MembersNotified {
        /// The group.
        group: String,
        /// Channels that are told.
        members: u32,
    },
    /// A consumer wanted to know who is in its group (`GET_CONSUMER_LIST_BY_GROUP`).
    MembersListed {
        /// The group.
        group: String,
        /// The client id of every channel.
        client_ids: Vec<String>,
    },
    /// The subscription of a consumer that starts can be read (`CHECK_CLIENT_CONFIG`).
    SubscriptionChecked {
        /// The topic.
        topic: String,
        /// The expression.
        expression: String,
    },
    /// The expression that a group filters a topic by is kept, or is in use again (`ConsumerFilterManager.register`).
    FilterKept {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The expression.
        expression: String,
    },
    /// The expression that a heartbeat brought cannot be read: the broker has none for the topic now, and pulls are refused.
    FilterUnread {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A consumer has a queue for itself that nobody had.
    QueueLocked {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The consumer.
        client_id: String,
    },
    /// A consumer has asked again for a queue that it has.
    LockRenewed {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The consumer.
        client_id: String,
    },
    /// A consumer takes a queue whose lock was not renewed for more than 60 s.
    LockTakenOver {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The consumer.
        client_id: String,
        /// Who had it.
        before: String,
        /// For how long it was not renewed, milliseconds.
        idle_ms: i64,
    },
    /// Another consumer has the queue.
    LockRefused {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The consumer that wants it.
        client_id: String,
        /// Who has it.
        owner: String,
        /// When it was last renewed: so long ago, milliseconds.
        idle_ms: i64,
    },
    /// A consumer has given a queue back.
    QueueUnlocked {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The consumer.
        client_id: String,
    },
    /// A consumer gives a queue back that it does not have.
    UnlockIgnored {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// The queue.
        queue_id: i32,
        /// The consumer.
        client_id: String,
        /// Who has it; `null`: nobody.
        owner: Option<String>,
    },
}
