//! What a broker does with requests and messages on their way in, beyond the usual path of a send.

use serde::{Deserialize, Serialize};

use crate::wire::RequestCode;

/// The trace vocabulary of the broker's overload answers, and of messages that come back from consumers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum IntakeStep {
    /// A request that waited in the queue of its thread pool is answered in the processor's place (`BrokerFastFailure`).
    RequestCleared {
        /// What it asks for.
        code: RequestCode,
        /// The node that asks.
        from: String,
        /// How long it had waited, milliseconds.
        waited_ms: i64,
        /// How many are still in the queue.
        left: u64,
    },
    /// The append lock is taken, and the write waits for the page cache: nobody else appends meanwhile.
    AppendStalled {
        /// How long, milliseconds.
        ms: i64,
    },
    /// Somebody else has the append lock.
    AppendWaits {
        /// How much longer, milliseconds.
        ms: i64,
    },
    /// A message that a consumer gave back goes to the retry topic of its group, by way of a delay level.
    SentBack {
        /// The physical offset of the record that was given back.
        physical_offset: i64,
        /// How often it had been given back before.
        reconsume_times: i32,
        /// The delay level.
        delay_level: i32,
        /// The retry topic.
        topic: String,
    },
    /// A message has been consumed in vain too often, or its consumer gives it up: it goes to the dead-letter queue.
    DeadLettered {
        /// How often it had been given back before.
        reconsume_times: i32,
        /// How often it may be.
        max_reconsume_times: i32,
        /// The dead-letter topic.
        topic: String,
    },
    /// A message that was given back is dropped: its group has no retry queue.
    SentBackDropped {
        /// The group.
        group: String,
    },
}
