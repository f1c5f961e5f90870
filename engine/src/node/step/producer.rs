//! The trace vocabulary of a producer's inside, beside the steps that every client has.

use serde::{Deserialize, Serialize};

use super::StepKind;

/// A step of a producer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ProducerStep {
    /// The entries of a batch were encoded, one after the other.
    BatchMade {
        /// How many.
        count: u32,
        /// Bytes of all of them.
        bytes: u64,
    },
    /// The application splits a batch that would be too long, and sends the pieces one after the other.
    BatchSplit {
        /// Messages in all.
        messages: u32,
        /// Pieces.
        pieces: u32,
    },
    /// A broker's speed is noted (`updateFaultItem`).
    LatencyNoted {
        /// The broker.
        broker_name: String,
        /// How long the attempt took, milliseconds.
        latency_ms: i64,
        /// It failed, which counts as 30 s.
        isolation: bool,
        /// How long the broker is avoided from now on, milliseconds.
        not_available_ms: i64,
    },
    /// No address is known for the broker of the chosen queue: the route is asked for once more.
    AddressMissing {
        /// The broker.
        broker_name: String,
    },
    /// An asynchronous send goes on at another broker, or at the same: the request is sent again unchanged, so the queue
    /// stays the one that was chosen first.
    SentAgain {
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// The attempt, from 1.
        attempt: u32,
    },
    /// The client dropped a message that a broker found by the hash of its key (`MQAdminImpl.queryMessage`).
    CandidateDropped {
        /// The broker.
        broker_name: String,
        /// Where its record begins.
        physical_offset: i64,
        /// Its topic.
        topic: String,
        /// Its keys.
        keys: Option<String>,
    },
}

impl From<ProducerStep> for StepKind {
    fn from(step: ProducerStep) -> Self {
        Self::Producer(step)
    }
}
