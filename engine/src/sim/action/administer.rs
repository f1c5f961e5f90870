//! What an administrator can be told to do, as scripts write it.

use serde::{Deserialize, Serialize};

/// A command for an administrator: [`super::Action::Administer`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Administer {
    /// The administrator's node.
    pub administrator: String,
    /// The command.
    pub command: Command,
}

/// A command of `mqadmin`. Where `cluster` and `broker` both may stand, one of them does: a cluster stands for all its
/// masters, as a NameServer knows them; `broker` is the node of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Command {
    /// `updateTopic`: creates a topic, or replaces what it is.
    UpdateTopic {
        /// The topic.
        topic: String,
        /// At the masters of this cluster.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cluster: Option<String>,
        /// At this broker.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        broker: Option<String>,
        /// Queues that may be read.
        #[serde(default = "default_queues")]
        read_queues: i32,
        /// Queues that may be written.
        #[serde(default = "default_queues")]
        write_queues: i32,
        /// Permission bits: 4 read, 2 write.
        #[serde(default = "default_perm")]
        perm: i32,
        /// An order configuration is made for it at the NameServers.
        #[serde(default)]
        order: bool,
    },
    /// `deleteTopic`: at the masters of a cluster, then at the NameServers; or at one broker alone.
    DeleteTopic {
        /// The topic.
        topic: String,
        /// At the masters of this cluster.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cluster: Option<String>,
        /// At this broker alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        broker: Option<String>,
    },
    /// `updateSubGroup`: creates a group, or replaces its settings. What is absent has the tool's own default, not the
    /// value that it had.
    UpdateGroup {
        /// The group.
        group: String,
        /// At the masters of this cluster.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cluster: Option<String>,
        /// At this broker.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        broker: Option<String>,
        /// The group may consume; the tool's default is `true`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        consume_enable: Option<bool>,
        /// Consume from the first offset; the tool's default is `false`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        consume_from_min_enable: Option<bool>,
        /// The group may consume as broadcast; the tool's default is `false`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        consume_broadcast_enable: Option<bool>,
        /// Queues of its retry topic; 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_queue_nums: Option<i32>,
        /// Retries before the dead-letter queue; 16.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_max_times: Option<i32>,
        /// Whom to pull from; 0, the master.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        broker_id: Option<i64>,
        /// Whom to pull from when the messages are no longer in memory; 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        which_broker_when_consume_slowly: Option<i64>,
        /// Tell the members when they change; `true`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notify_consumer_ids_changed_enable: Option<bool>,
    },
    /// `deleteSubGroup`: of a cluster the group's retry and dead-letter topics too.
    DeleteGroup {
        /// The group.
        group: String,
        /// At the masters of this cluster.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cluster: Option<String>,
        /// At this broker.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        broker: Option<String>,
        /// Its consumer offsets go with it.
        #[serde(default)]
        remove_offset: bool,
    },
    /// `wipeWritePerm`: every NameServer takes the permission to write from all topics of a broker.
    WipeWritePerm {
        /// The broker's node.
        broker: String,
    },
    /// `addWritePerm`: every NameServer gives all topics of a broker the permission to read and write.
    AddWritePerm {
        /// The broker's node.
        broker: String,
    },
    /// `resetOffsetByTime`: a group is to read again from a time on.
    ResetOffset {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// Milliseconds since the epoch; -1: to the end.
        timestamp_ms: i64,
        /// Forwards too, not only back.
        #[serde(default = "default_force")]
        force: bool,
    },
    /// Sends dead letters of a group to the topic that they came from.
    ResendDeadLetter {
        /// The group.
        group: String,
        /// Only the one at this offset of its queue; absent: all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        queue_offset: Option<i64>,
    },
    /// A half message that a broker has given up is checked anew (`DefaultMQAdminExt.resumeCheckHalfMessage`).
    ResumeCheck {
        /// The broker's node.
        broker: String,
        /// Its queue offset in `TRANS_CHECK_MAX_TIME_TOPIC`, queue 0.
        queue_offset: i64,
    },
    /// `topicRoute`: what the NameServer in use knows of a topic.
    TopicRoute {
        /// The topic.
        topic: String,
    },
}

const fn default_queues() -> i32 {
    8
}

const fn default_perm() -> i32 {
    6
}

const fn default_force() -> bool {
    true
}
