//! A push consumer, as its application sets it up (`DefaultMQPushConsumer`).

use serde::{Deserialize, Serialize};

use crate::client::consumer::{AllocateStrategy, ConsumeFromWhere, MessageListener, MessageModel};

/// What an application sets a push consumer to, its listener included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PushSpec {
    /// What it subscribes.
    pub subscriptions: Vec<SubscriptionSpec>,
    /// Whether the members of the group share the messages, or each gets them all.
    pub message_model: MessageModel,
    /// Where it begins if the group has no offset of a queue.
    pub consume_from_where: ConsumeFromWhere,
    /// The time to begin at, `yyyyMMddHHmmss` in UTC; absent: half an hour before the process starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consume_timestamp: Option<String>,
    /// How the group shares the queues out.
    pub allocate: AllocateStrategy,
    /// The client's id; absent: `ip@pid#nanos`, and of one that broadcasts `ip@DEFAULT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The application's listener.
    pub listener: MessageListener,
}

/// A topic that is subscribed: everything, or what an expression lets through.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SubscriptionSpec {
    /// The topic.
    pub topic: String,
    /// Tags, `TagA || TagB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<String>,
    /// An expression of SQL92 over the properties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
}
