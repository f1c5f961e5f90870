//! Which messages are meant, being described.

use rocketscope_engine::client::consumer::{MessageCondition, Range};
use serde::{Deserialize, Serialize};

use super::reading::{Reading, some, text};

/// Messages that are all of this; what is left empty may be anything.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The topic.
    pub topic: String,
    /// The tag.
    pub tag: String,
    /// One of the keys.
    pub keys: String,
    /// The body.
    pub body: String,
    /// The queue.
    pub queue_id: String,
    /// The offset in it.
    pub queue_offset: String,
    /// Consumed in vain so often at least.
    pub at_least: String,
    /// And so often at most.
    pub at_most: String,
}

impl Condition {
    /// A condition as it is described.
    pub fn of(when: &MessageCondition) -> Self {
        let times = when.reconsume_times.unwrap_or_default();
        Self {
            topic: text(when.topic.as_ref()),
            tag: text(when.tag.as_ref()),
            keys: text(when.keys.as_ref()),
            body: text(when.body.as_ref()),
            queue_id: text(when.queue_id.as_ref()),
            queue_offset: text(when.queue_offset.as_ref()),
            at_least: text(times.at_least.as_ref()),
            at_most: text(times.at_most.as_ref()),
        }
    }

    /// The description; what cannot be read is told at the fields below `place`.
    pub fn read(&self, place: &str, reading: &mut Reading) -> MessageCondition {
        let field = |name: &str| format!("{place}.{name}");
        let times = Range {
            at_least: reading.some_number(&field("at-least"), &self.at_least),
            at_most: reading.some_number(&field("at-most"), &self.at_most),
        };
        MessageCondition {
            topic: some(&self.topic),
            tag: some(&self.tag),
            keys: some(&self.keys),
            body: some(&self.body),
            queue_id: reading.some_number(&field("queue"), &self.queue_id),
            queue_offset: reading.some_number(&field("offset"), &self.queue_offset),
            reconsume_times: (times != Range::default()).then_some(times),
        }
    }
}
