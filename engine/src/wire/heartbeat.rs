//! What a client says about itself in a heartbeat (`HeartbeatData`), and as it goes.

use serde::{Deserialize, Serialize};

use crate::filter::Subscription;

/// A heartbeat's body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatData {
    /// `ip@instanceName`.
    #[serde(rename = "clientID")]
    pub client_id: String,
    /// The producer groups, sorted.
    pub producer_data_set: Vec<ProducerData>,
    /// The consumer groups, sorted.
    pub consumer_data_set: Vec<ConsumerData>,
}

/// A producer group in a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProducerData {
    /// The group.
    pub group_name: String,
}

/// A consumer group in a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsumerData {
    /// The group.
    pub group_name: String,
    /// `CONSUME_ACTIVELY` (pull) or `CONSUME_PASSIVELY` (push).
    pub consume_type: String,
    /// `CLUSTERING` or `BROADCASTING`.
    pub message_model: String,
    /// `CONSUME_FROM_LAST_OFFSET` ...
    pub consume_from_where: String,
    /// What the group subscribes.
    pub subscription_data_set: Vec<Subscription>,
    /// Unit mode.
    pub unit_mode: bool,
}

/// `UnregisterClientRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnregisterClient {
    /// `ip@instanceName`.
    #[serde(rename = "clientID")]
    pub client_id: String,
    /// The producer group that goes.
    pub producer_group: Option<String>,
    /// The consumer group that goes.
    pub consumer_group: Option<String>,
}
