//! What consumers of a group ask a broker about each other, and what it tells them.

use serde::{Deserialize, Serialize};

use crate::filter::Subscription;

/// `GetConsumerListByGroupRequestHeader` and `NotifyConsumerIdsChangedRequestHeader`: a consumer group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupRef {
    /// The consumer group.
    pub consumer_group: String,
}

/// A queue of a topic as its clients and brokers name it (`MessageQueue`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicQueue {
    /// The topic.
    pub topic: String,
    /// The name of the broker that holds it.
    pub broker_name: String,
    /// The queue.
    pub queue_id: i32,
}

/// `LockBatchRequestBody` and `UnlockBatchRequestBody`: queues that a consumer wants for itself, or gives back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LockBatch {
    /// The consumer group.
    pub consumer_group: String,
    /// The consumer: `ip@instanceName`.
    pub client_id: String,
    /// The queues, each once.
    pub mq_set: Vec<TopicQueue>,
}

/// `CheckClientRequestBody`: a consumer that starts has a subscription checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckClientConfig {
    /// `ip@instanceName`.
    pub client_id: String,
    /// The consumer group.
    pub group: String,
    /// The subscription.
    pub subscription_data: Subscription,
}
