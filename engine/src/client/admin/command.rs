//! What an administrator can be told to do.

use crate::{
    message::OffsetMsgId,
    wire::{GroupConfig, TopicConfig},
};

/// Where a command does its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// At every master of a cluster (`-c`).
    Cluster(String),
    /// At one broker (`-b`): its `ip:port`.
    Broker(String),
}

/// A command of `mqadmin`. Each is what the tool's process does from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdminCommand {
    /// `updateTopic` (`UpdateTopicSubCommand`).
    UpdateTopic {
        /// Where.
        target: Target,
        /// The topic as it is to be.
        config: TopicConfig,
    },
    /// `deleteTopic` (`DeleteTopicSubCommand`): at the brokers and then at the NameServers. With a broker it is what the
    /// console does: there alone, and the NameServers keep what they know.
    DeleteTopic {
        /// Where.
        target: Target,
        /// The topic.
        topic: String,
    },
    /// `updateSubGroup` (`UpdateSubGroupSubCommand`).
    UpdateGroup {
        /// Where.
        target: Target,
        /// The group as it is to be.
        config: Box<GroupConfig>,
    },
    /// `deleteSubGroup` (`DeleteSubscriptionGroupCommand`): of a cluster the group's retry and dead-letter topics too.
    DeleteGroup {
        /// Where.
        target: Target,
        /// The group.
        group: String,
        /// Its consumer offsets go with it.
        remove_offset: bool,
    },
    /// `wipeWritePerm` at every NameServer.
    WipeWritePerm {
        /// The broker's name.
        broker_name: String,
    },
    /// `addWritePerm` at every NameServer.
    AddWritePerm {
        /// The broker's name.
        broker_name: String,
    },
    /// `resetOffsetByTime` (`ResetOffsetByTimeCommand`).
    ResetOffset {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// Milliseconds since the epoch; -1: to the end (`now`).
        timestamp_ms: i64,
        /// Forwards too, not only back.
        force: bool,
    },
    /// Dead letters of a group are sent once more to the topic that they came from. `mqadmin` has no such command; this is
    /// what an operator's program does with the tool's own requests: it pulls `%DLQ%group` and sends what it finds.
    ResendDeadLetter {
        /// The group.
        group: String,
        /// Only the one at this queue offset; absent: all of them.
        queue_offset: Option<i64>,
    },
    /// A half message that was given up is checked anew, under a new copy. `mqadmin` has no such command; this is what an
    /// operator's program does with `DefaultMQAdminExt.resumeCheckHalfMessage`.
    ResumeCheck {
        /// The broker's id of the record in `TRANS_CHECK_MAX_TIME_TOPIC`.
        id: OffsetMsgId,
    },
    /// `topicRoute` (`TopicRouteSubCommand`).
    TopicRoute {
        /// The topic.
        topic: String,
    },
}

impl AdminCommand {
    /// The name of the command, as `mqadmin` calls it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::UpdateTopic { .. } => "updateTopic",
            Self::DeleteTopic { .. } => "deleteTopic",
            Self::UpdateGroup { .. } => "updateSubGroup",
            Self::DeleteGroup { .. } => "deleteSubGroup",
            Self::WipeWritePerm { .. } => "wipeWritePerm",
            Self::AddWritePerm { .. } => "addWritePerm",
            Self::ResetOffset { .. } => "resetOffsetByTime",
            Self::ResendDeadLetter { .. } => "resendDeadLetter",
            Self::ResumeCheck { .. } => "resumeCheckHalfMessage",
            Self::TopicRoute { .. } => "topicRoute",
        }
    }

    /// The topic, group, broker or message that it is about.
    pub fn about(&self) -> String {
        let name = match self {
            Self::ResumeCheck { id } => return id.to_string(),
            Self::UpdateTopic { config, .. } => &config.topic_name,
            Self::UpdateGroup { config, .. } => &config.group_name,
            Self::DeleteTopic { topic, .. } | Self::ResetOffset { topic, .. } | Self::TopicRoute { topic } => topic,
            Self::DeleteGroup { group, .. } | Self::ResendDeadLetter { group, .. } => group,
            Self::WipeWritePerm { broker_name } | Self::AddWritePerm { broker_name } => broker_name,
        };
        name.clone()
    }
}
