//! What a producer can be told to send.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::client::{Selector, SendMode};

/// What [`super::Action::Send`] sends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Send {
    /// A name for the message, such as `M1`: pictures use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The producer.
    pub producer: String,
    /// The topic.
    pub topic: String,
    /// How it is sent: the application waits (`sync`, the usual way), is called back (`async`), or is told nothing
    /// (`oneway`).
    #[serde(skip_serializing_if = "is_default")]
    pub mode: SendMode,
    /// The queue; the producer chooses when absent. A bare sender needs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<i32>,
    /// The `brokerName` that holds `queue`. Absent: the first in the publish list with such a queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker: Option<String>,
    /// The application picks the queue with a `MessageQueueSelector`, in place of `queue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<Selector>,
    /// The tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The keys, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<String>,
    /// The delay level (`DELAY`): 1 is the first; the broker takes a higher one than it has for its highest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_level: Option<i32>,
    /// Further properties.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// The body's text. Absent: a body made from the message's number, or what the next three ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The body is so many bytes, all of them the letter z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_length: Option<u32>,
    /// The bytes of `body_length` are drawn from the producer's generator, so that nothing can compress them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub body_random: bool,
    /// The stored record is to be exactly this long, in bytes: the body is filled up to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_size: Option<i32>,
    /// The application's flag.
    pub flag: i32,
    /// `WAIT`: whether to wait for flush and replica. Absent is `true`, as in 4.9.8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_store: Option<bool>,
}

/// What [`super::Action::SendBatch`] sends: one batch (`SEND_BATCH_MESSAGE`), or several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SendBatch {
    /// The producer.
    pub producer: String,
    /// The topic of those entries that name none.
    pub topic: String,
    /// The queue; the producer chooses when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<i32>,
    /// The `brokerName` that holds `queue`. Absent: the first in the publish list with such a queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker: Option<String>,
    /// The entries, in order.
    pub messages: Vec<BatchMessage>,
    /// Cut the list into pieces of at most 1,000,000 bytes, as the distribution's example does, and send them one after
    /// the other, each as a batch of its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub split: bool,
}

/// One entry of a [`SendBatch`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BatchMessage {
    /// The topic, if it is another than the batch's; the client refuses such a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The keys, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<String>,
    /// The delay level, which the client refuses in a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_level: Option<i32>,
    /// `WAIT`; absent is `true`. The client refuses a batch whose entries differ in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_store: Option<bool>,
    /// Further properties.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// The body's text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// The body is so many bytes, all of them the letter z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_length: Option<u32>,
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
