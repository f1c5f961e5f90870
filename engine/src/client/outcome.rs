//! What the application is told.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{Cause, SendMode};
use crate::{
    message::{body, property, record, sys_flag},
    wire::RequestCode,
};

/// The end of a send (`SendResult`, or the exception).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendOutcome {
    /// The name that the scenario gave the message.
    pub name: Option<String>,
    /// The topic.
    pub topic: String,
    /// `SendStatus`, or the exception's short name.
    pub status: String,
    /// The client's message id: `UNIQ_KEY`, or the broker's id if there is none.
    pub msg_id: Option<String>,
    /// The broker's message id.
    pub offset_msg_id: Option<String>,
    /// Where the record begins, taken from the broker's id.
    pub physical_offset: Option<i64>,
    /// The broker.
    pub broker_name: Option<String>,
    /// The queue.
    pub queue_id: Option<i32>,
    /// The queue offset.
    pub queue_offset: Option<i64>,
    /// How it was sent.
    pub mode: SendMode,
    /// Whether it asked the broker to wait for flush and replica before it answers (`waitStoreMsgOK`).
    pub waits: bool,
    /// Attempts made.
    pub attempts: u32,
    /// The attempts, in order: of more than [`TRIES_TOLD`], the last.
    pub tries: Vec<Try>,
    /// The exception's message.
    pub error: Option<String>,
    /// Code of the exception, if it has one; -1: an `MQClientException` that nobody gave a code.
    pub response_code: Option<i32>,
    /// The cause inside the exception.
    pub cause: Option<Cause>,
    /// When the application called, microseconds.
    pub began_us: i64,
    /// When it was told, microseconds.
    pub ended_us: i64,
}

/// Attempts that an outcome tells of at most.
pub const TRIES_TOLD: usize = 16;

/// One attempt of a send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Try {
    /// The broker's name; of a bare sender its node.
    pub broker_name: String,
    /// The queue.
    pub queue_id: i32,
    /// When it began, microseconds.
    pub began_us: i64,
    /// When it ended, microseconds; absent while it is under way, and of a one-way send.
    pub ended_us: Option<i64>,
    /// `SendStatus`, or the exception's short name; absent as long as `ended_us` is.
    pub status: Option<String>,
    /// The exception's message.
    pub error: Option<String>,
}

/// The end of a pull (`PullResult`, or the exception).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullOutcome {
    /// The topic.
    pub topic: String,
    /// The queue.
    pub queue_id: i32,
    /// The queue offset that was asked for.
    pub offset: i64,
    /// `PullStatus`, or the exception's short name.
    pub status: String,
    /// Messages that passed the client's own tag check.
    pub received: u32,
    /// Messages that it dropped.
    pub dropped_by_tag: u32,
    /// Where to go on.
    pub next_begin_offset: i64,
    /// The queue's first offset.
    pub min_offset: i64,
    /// The queue's end.
    pub max_offset: i64,
    /// The node that answered.
    pub node: Option<String>,
    /// The answer's remark: the store's `GetMessageStatus`.
    pub remark: Option<String>,
    /// The broker id that the answer tells to pull from next: 0, the master, or a slave's.
    pub suggest_which_broker_id: i64,
    /// The exception's message.
    pub error: Option<String>,
    /// When it ended, microseconds.
    pub ended_us: i64,
}

/// A message as a consumer has it (`MessageExt`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The topic.
    pub topic: String,
    /// The queue.
    pub queue_id: i32,
    /// The queue offset.
    pub queue_offset: i64,
    /// The physical offset.
    pub physical_offset: i64,
    /// Length of the record, bytes.
    pub size: i32,
    /// `getMsgId()`: `UNIQ_KEY`, or the broker's id if there is none.
    pub msg_id: String,
    /// The broker's message id.
    pub offset_msg_id: String,
    /// The tag.
    pub tags: Option<String>,
    /// The keys.
    pub keys: Option<String>,
    /// The application's flag.
    pub flag: i32,
    /// The properties text.
    pub properties_text: String,
    /// The body, decompressed.
    pub body: Bytes,
    /// The client's clock when the message was made, milliseconds since the epoch.
    pub born_timestamp: i64,
    /// The broker's clock when it was stored, milliseconds since the epoch.
    pub store_timestamp: i64,
    /// How often it has been consumed in vain.
    pub reconsume_times: i32,
    /// The first offset and the end of its queue when it was pulled, as the client puts them into the properties
    /// (`MIN_OFFSET`, `MAX_OFFSET`); absent where it came otherwise.
    pub queue_range: Option<(i64, i64)>,
}

impl Received {
    /// Reads the records of an answer, one after the other; stops at the first that is none.
    pub(crate) fn read_all(bytes: &Bytes) -> Vec<Self> {
        let mut messages = Vec::new();
        let mut rest: &[u8] = bytes;
        while let Ok(record) = record::decode(rest) {
            messages.push(Self::of(&record));
            let size = usize::try_from(record.total_size).unwrap_or(0);
            match rest.get(size.max(1)..) {
                Some(next) if size > 0 => rest = next,
                _ => break,
            }
        }
        messages
    }

    fn of(record: &record::Record<'_>) -> Self {
        let offset_msg_id = record.offset_msg_id().to_string();
        // A body that cannot be inflated is handed over as it is, as 4.9.8's decoder does not look inside either.
        let body = if sys_flag::is_compressed(record.sys_flag) {
            body::inflate(record.sys_flag, record.body)
                .map_or_else(|_| Bytes::copy_from_slice(record.body), Bytes::from)
        } else {
            Bytes::copy_from_slice(record.body)
        };
        Self {
            topic: record.topic.to_string(),
            queue_id: record.queue_id,
            queue_offset: record.queue_offset,
            physical_offset: record.physical_offset,
            size: record.total_size,
            msg_id: record.uniq_key().map_or_else(|| offset_msg_id.clone(), str::to_owned),
            offset_msg_id,
            tags: record.tags().map(str::to_owned),
            keys: record.keys().map(str::to_owned),
            flag: record.flag,
            properties_text: record.properties_text.to_string(),
            body,
            born_timestamp: record.born_timestamp,
            store_timestamp: record.store_timestamp,
            reconsume_times: record.reconsume_times,
            queue_range: None,
        }
    }

    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<String> {
        crate::message::Properties::parse(&self.properties_text).get(name).map(str::to_owned)
    }

    /// Whether one of its keys is `key`.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.keys.as_deref().is_some_and(|keys| keys.split(property::KEY_SEPARATOR).any(|one| one == key))
    }
}

/// The end of another question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskOutcome {
    /// What was asked.
    pub code: RequestCode,
    /// The topic, or the id that was asked for.
    pub about: String,
    /// The node that was asked; absent where it is several, or nobody could be.
    pub node: Option<String>,
    /// The number that was asked for: an offset.
    pub value: Option<i64>,
    /// The messages that were asked for.
    pub messages: Vec<Received>,
    /// What an administrator's tool printed, line by line.
    pub lines: Vec<String>,
    /// How many messages the brokers sent back, before the client looked at their keys.
    pub candidates: usize,
    /// The exception's message.
    pub error: Option<String>,
    /// When it ended, microseconds.
    pub ended_us: i64,
}
