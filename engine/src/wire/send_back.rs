//! A message that a consumer gives back.

use serde::{Deserialize, Serialize};

/// `ConsumerSendMsgBackRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsumerSendMsgBack {
    /// The physical offset of the record.
    pub offset: i64,
    /// The consumer group.
    pub group: String,
    /// How long it waits: a delay level, 0 lets the broker choose, below 0 is the dead-letter queue at once.
    pub delay_level: i32,
    /// The message's id as the consumer shows it.
    pub origin_msg_id: Option<String>,
    /// The topic that the consumer read it from.
    pub origin_topic: Option<String>,
    /// Unit mode.
    pub unit_mode: bool,
    /// How often a message may be given back; absent: as the group's settings say.
    pub max_reconsume_times: Option<i32>,
}
