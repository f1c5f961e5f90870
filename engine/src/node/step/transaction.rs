//! Steps of transactions at the broker (`SendMessageProcessor`, `EndTransactionProcessor`).

use serde::{Deserialize, Serialize};

/// A step with a half message. Offsets that are not called physical are queue offsets in `RMQ_SYS_TRANS_HALF_TOPIC`, or,
/// called op, in `RMQ_SYS_TRANS_OP_HALF_TOPIC`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TransactionStep {
    /// A message becomes a half message.
    HalfPrepared {
        /// The topic that it is for.
        real_topic: String,
        /// The queue that it is for.
        real_queue_id: i32,
    },
    /// A producer does not say how a transaction ended: nothing is done, and nothing answered.
    EndIgnored {
        /// What it says: 0 is undecided; only 8 and 12 are an end.
        commit_or_rollback: i32,
        /// It answers a check.
        from_check: bool,
    },
    /// A producer says how a transaction ended, and means this half message.
    EndTaken {
        /// Committed, or rolled back.
        commit: bool,
        /// The half message.
        half_offset: i64,
        /// Where its record starts.
        physical_offset: i64,
        /// It answers a check.
        from_check: bool,
    },
    /// The op queue says that a half message is decided.
    OpWritten {
        /// The half message.
        half_offset: i64,
        /// Where the op queue says so.
        op_offset: i64,
    },
    /// That could not be put. Nobody is told; the half message stays undecided.
    OpLost {
        /// The half message.
        half_offset: i64,
    },
}
