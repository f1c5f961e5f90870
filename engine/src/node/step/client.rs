//! Steps of a client: routes, sends and pulls.

use serde::{Deserialize, Serialize};

use crate::wire::RequestCode;

/// The trace vocabulary of what every client does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ClientStep {
    /// The route of a topic is in the client's table.
    RouteApplied {
        /// The topic.
        topic: String,
        /// The route differs from the one before.
        changed: bool,
        /// Queues that may be sent to.
        publish_queues: u32,
        /// The topic whose route was taken in its place (`TBW102`).
        default_topic: Option<String>,
    },
    /// The route could not be had; the old one, if any, stays.
    RouteKept {
        /// The topic.
        topic: String,
        /// Why.
        cause: String,
    },
    /// A message got its client id.
    UniqKeySet {
        /// `UNIQ_KEY`.
        uniq_key: String,
    },
    /// The body was compressed (zlib, level 5).
    BodyCompressed {
        /// Bytes before.
        from: u64,
        /// Bytes after.
        to: u64,
    },
    /// A queue was chosen.
    QueueSelected {
        /// The broker.
        broker_name: String,
        /// The queue.
        queue_id: i32,
        /// The attempt, from 1.
        attempt: u32,
    },
    /// An attempt failed and another follows.
    SendRetried {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// Why.
        cause: String,
    },
    /// The application has its answer.
    SendEnded {
        /// `SendStatus`, or the exception's short name.
        status: String,
        /// The client's message id.
        msg_id: Option<String>,
        /// The broker's message id.
        offset_msg_id: Option<String>,
        /// The queue.
        queue_id: Option<i32>,
        /// The queue offset.
        queue_offset: Option<i64>,
        /// The exception's message.
        error: Option<String>,
    },
    /// A pull ended at the client.
    PullEnded {
        /// `PullStatus`, or the exception's short name.
        status: String,
        /// Messages that arrived.
        arrived: u32,
        /// Messages that the client's own tag check dropped.
        dropped_by_tag: u32,
        /// Where to go on.
        next_begin_offset: i64,
        /// The exception's message.
        error: Option<String>,
    },
    /// Another call of the application ended.
    CallEnded {
        /// What was asked.
        code: RequestCode,
        /// The answer in words.
        answer: String,
    },
}
