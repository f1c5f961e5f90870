//! The payload of [`Action::SendBack`](super::Action::SendBack).

use serde::{Deserialize, Serialize};

/// A consumer gives a message back that it has received: the newest, unless `index` or `physical_offset` names another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SendBack {
    /// The consumer.
    pub consumer: String,
    /// Which of its received messages, in order of arrival, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The received message whose record begins here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_offset: Option<i64>,
    /// How long it waits: a delay level; 0 lets the broker choose by the number of retries so far, below 0 is the
    /// dead-letter queue at once.
    pub delay_level: i32,
    /// How often a message may be given back; absent is 16, which 4.9.8's pull consumer says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_reconsume_times: Option<i32>,
}
