//! Steps of transactions at the broker (`EndTransactionProcessor`, `TransactionalMessageServiceImpl`).

use serde::{Deserialize, Serialize};

/// A step with a half message. Offsets that are not called physical are queue offsets: in `RMQ_SYS_TRANS_HALF_TOPIC`, or,
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
    /// A producer commits, and means this half message.
    CommitTaken {
        /// The half message.
        half_offset: i64,
        /// Where its record starts.
        physical_offset: i64,
        /// It answers a check.
        from_check: bool,
    },
    /// A producer rolls back, and means this half message.
    RollbackTaken {
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
    /// A check of the half queue begins.
    CheckBegins {
        /// The half queue's progress.
        half_from: i64,
        /// The op queue's progress.
        op_from: i64,
    },
    /// The queue is passed over: it cannot be checked from there.
    CheckOffsetIllegal {
        /// The half queue's progress.
        half_from: i64,
        /// The op queue's progress.
        op_from: i64,
    },
    /// The queue is passed over: the store does not answer.
    CheckUnanswered {
        /// The op queue's progress.
        op_from: i64,
    },
    /// The op queue has nothing there; its progress is committed where it goes on.
    OpOffsetMoved {
        /// Where it was read.
        from_offset: i64,
        /// Where it goes on.
        to_offset: i64,
    },
    /// An op message says that a half message is decided which the check is still to come to (`removeMap`).
    OpTaken {
        /// The op message.
        op_offset: i64,
        /// The half message.
        half_offset: i64,
    },
    /// An op message speaks of a half message that is passed already: it is done with (`doneOpOffset`).
    OpBehind {
        /// The op message.
        op_offset: i64,
        /// The half message.
        half_offset: i64,
    },
    /// An op message has a tag that nobody knows. It is never done with.
    OpUnknown {
        /// The op message.
        op_offset: i64,
    },
    /// Row 1: the check has taken too long and ends where it is.
    CheckTimeUp {
        /// The half message.
        half_offset: i64,
        /// How long it has taken, milliseconds.
        elapsed_ms: i64,
    },
    /// Row 2: the half message is decided.
    HalfDecided {
        /// The half message.
        half_offset: i64,
        /// The op message that says so.
        op_offset: i64,
    },
    /// Row 3: there is no half message here, for the second time: the check ends.
    HalfMissingAgain {
        /// Where one should be.
        half_offset: i64,
    },
    /// Row 4: the half queue ends here, and the check with it.
    HalfQueueEnds {
        /// The end.
        half_offset: i64,
    },
    /// Row 5: there is no half message here; the check goes on where the queue does.
    HalfMissing {
        /// Where one should be.
        half_offset: i64,
        /// Where the queue goes on.
        next_begin_offset: i64,
    },
    /// Row 6: the fate of the half message was asked for often enough: it is given up.
    HalfAskedTooOften {
        /// The half message.
        half_offset: i64,
        /// How often is enough (`transactionCheckMax`).
        check_max: i32,
    },
    /// Row 6: the half message is older than the store keeps messages: it is given up.
    HalfTooOld {
        /// The half message.
        half_offset: i64,
        /// Its age, milliseconds.
        age_ms: i64,
    },
    /// A half message that was given up could not be kept for anybody to look at. It is passed all the same.
    HalfLost {
        /// The half message.
        half_offset: i64,
    },
    /// Row 7: the half message was stored after the check began, which therefore ends.
    HalfFresh {
        /// The half message.
        half_offset: i64,
        /// When it was stored, milliseconds since the epoch.
        store_timestamp: i64,
        /// When the check began, milliseconds since the epoch.
        start_timestamp: i64,
    },
    /// Row 8: the half message says that it is not to be checked yet: a copy goes to the queue's end.
    HalfImmune {
        /// The half message.
        half_offset: i64,
        /// Its age, milliseconds.
        age_ms: i64,
        /// How long it is not checked, milliseconds.
        immunity_ms: i64,
        /// The copy.
        new_offset: i64,
    },
    /// Row 8: an op message speaks of the half message that this one is a copy of.
    ImmuneDecided {
        /// The half message.
        half_offset: i64,
        /// What it is a copy of.
        first_offset: i64,
        /// The op message.
        op_offset: i64,
    },
    /// Row 9: the half message is too young, and so is what follows it: the check ends.
    HalfYoung {
        /// The half message.
        half_offset: i64,
        /// Its age, milliseconds.
        age_ms: i64,
        /// What it has to reach (`transactionTimeOut`), milliseconds.
        immunity_ms: i64,
    },
    /// Row 10: nothing is said of the half message: a copy goes to the queue's end, and its producer is asked about that.
    HalfPutBack {
        /// The half message.
        half_offset: i64,
        /// The copy.
        new_offset: i64,
        /// How often its fate has been asked for, this time included.
        check_times: i32,
    },
    /// Row 10: the copy could not be put. Nobody is asked, and the check comes back to it.
    HalfNotPutBack {
        /// The half message.
        half_offset: i64,
    },
    /// Nobody can be asked: no producer of the group is connected. It counts as asked.
    ProducerMissing {
        /// The group.
        group: String,
    },
    /// Nobody can be asked: the half message does not say where it belongs. It counts as asked.
    HalfMalformed {
        /// The half message.
        half_offset: i64,
    },
    /// Row 11: more of the op queue is read before anything is decided.
    MoreOpsRead {
        /// The half message.
        half_offset: i64,
        /// Where it is read from.
        op_offset: i64,
    },
    /// The check is over; progress that has changed is committed.
    CheckEnds {
        /// The half queue's progress before it.
        half_from: i64,
        /// And after it.
        half_to: i64,
        /// The op queue's progress before it.
        op_from: i64,
        /// And after it.
        op_to: i64,
    },
    /// The store has stopped answering. What 4.9.8 throws then ends the check, and none of its progress is committed.
    CheckTornOff {
        /// The half message.
        half_offset: i64,
    },
    /// An administrator has a message go to the half queue, its checks counted anew.
    CheckResumed {
        /// Where the record starts that it is a copy of.
        physical_offset: i64,
        /// The copy.
        half_offset: i64,
    },
}

impl TransactionStep {
    /// The row of the table of [`check`](crate::broker::Check) that the step stands for, from 1 to 11.
    pub const fn row(&self) -> Option<u8> {
        Some(match self {
            Self::CheckTimeUp { .. } => 1,
            Self::HalfDecided { .. } => 2,
            Self::HalfMissingAgain { .. } => 3,
            Self::HalfQueueEnds { .. } => 4,
            Self::HalfMissing { .. } => 5,
            Self::HalfAskedTooOften { .. } | Self::HalfTooOld { .. } => 6,
            Self::HalfFresh { .. } => 7,
            Self::HalfImmune { .. } | Self::ImmuneDecided { .. } => 8,
            Self::HalfYoung { .. } => 9,
            Self::HalfPutBack { .. } | Self::HalfNotPutBack { .. } => 10,
            Self::MoreOpsRead { .. } => 11,
            _ => return None,
        })
    }
}
