//! Puts: what was given to the store, and what it answered.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// One put and its answer.
#[derive(Debug, Deserialize)]
pub struct Put {
    /// Its place in the case.
    pub seq: u64,
    /// `putMessage` or `putMessages`.
    pub kind: PutKind,
    /// What was given.
    #[serde(rename = "in")]
    pub input: PutInput,
    /// What was answered.
    #[serde(rename = "out")]
    pub output: PutOutput,
}

/// The call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PutKind {
    /// `putMessage` of one message.
    Single,
    /// `putMessages` of a client batch.
    Batch,
}

/// A message, or a batch (then `messages` and the `batch_` fields are set and `body` is not).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of MessageExtBrokerInner")]
pub struct PutInput {
    pub topic: String,
    pub queue_id: i32,
    #[serde(default)]
    pub properties: Pairs,
    #[serde(default, deserialize_with = "text")]
    pub properties_string: String,
    pub body: Option<Body>,
    #[serde(default)]
    pub batch_properties: Pairs,
    #[serde(default, deserialize_with = "text")]
    pub batch_properties_string: String,
    #[serde(default)]
    pub messages: Vec<Entry>,
    pub batch_body_base64: Option<String>,
    pub flag: i32,
    pub sys_flag: i32,
    pub born_timestamp: i64,
    pub born_host: String,
    pub born_port: i32,
    pub store_host: String,
    pub store_port: i32,
    pub reconsume_times: i32,
    #[serde(default)]
    pub prepared_transaction_offset: i64,
}

/// One message of a client batch.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of the batch encoding")]
pub struct Entry {
    pub flag: i32,
    #[serde(deserialize_with = "text")]
    pub properties_string: String,
    pub body: Body,
}

/// A body: its length, and its bytes in base64 or as one byte repeated.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Body {
    len: usize,
    base64: Option<String>,
    repeat_byte: Option<u8>,
}

impl Body {
    /// The bytes. The error is a sentence.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        let bytes = match (&self.base64, self.repeat_byte) {
            (Some(text), _) => BASE64_STANDARD.decode(text).map_err(|cause| format!("body: {cause}"))?,
            (None, Some(byte)) => vec![byte; self.len],
            (None, None) => Vec::new(),
        };
        if bytes.len() == self.len { Ok(bytes) } else { Err(format!("body: {} bytes, not {}", bytes.len(), self.len)) }
    }
}

/// The answer: `PutMessageResult`, and of its `AppendMessageResult` everything but times.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of AppendMessageResult")]
pub struct PutOutput {
    pub put_message_status: String,
    pub append_message_status: Option<String>,
    pub wrote_offset: Option<i64>,
    pub wrote_bytes: Option<i32>,
    pub msg_id: Option<String>,
    pub queue_offset: Option<i64>,
    pub store_timestamp: Option<i64>,
    pub msg_num: Option<i32>,
}

/// A map's entries in the order of the file, which is the order in which the recorded Java map gave them.
#[derive(Clone, Debug, Default)]
pub struct Pairs(pub Vec<(String, String)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, RecordedText>()? {
                    pairs.push((name, value.into()));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// A text, written out or, when long, as a prefix and one character repeated.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum RecordedText {
    /// Written out.
    Plain(String),
    /// `prefix`, then `repeat` times `repeat_char`.
    #[serde(rename_all = "camelCase")]
    Repeated { prefix: String, repeat_char: String, repeat: usize },
}

impl From<RecordedText> for String {
    fn from(text: RecordedText) -> Self {
        match text {
            RecordedText::Plain(text) => text,
            RecordedText::Repeated { prefix, repeat_char, repeat } => prefix + &repeat_char.repeat(repeat),
        }
    }
}

pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    RecordedText::deserialize(deserializer).map(String::from)
}
