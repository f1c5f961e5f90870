//! Probes of transactional messages.

use super::Which;

/// What a probe reads of transactional messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionPlace {
    /// `transactions`: transactional sends of a producer, those under way among them.
    Count,
    /// `transaction.N.FIELD`: a field of the N-th of them, from 0; `last` is the newest.
    Sent(Which, TransactionField),
    /// `listener.kept`: transactions that a producer's listener has in memory.
    Kept,
    /// `checks`: questions about half messages: that a broker's process has asked, or that a producer has been asked.
    Checks,
    /// `check.N.FIELD`: a field of the N-th of these questions, from 0; `last` is the newest.
    Check(Which, CheckField),
    /// `half.FIELD`: a number of a broker's half queue.
    Half(HalfField),
    /// `op.FIELD`: a number of its op queue.
    Op(HalfField),
    /// `discarded`: half messages that a broker has given up, in `TRANS_CHECK_MAX_TIME_TOPIC`.
    Discarded,
}

super::fields! {
    /// Fields of a transactional send.
    TransactionField {
        /// What became of it: `running`, `told`, `failed` or `crashed`.
        Progress = "progress",
        /// The phase that was begun last: `half`, `local`, `commit`, `rollback` or `end`.
        Phase = "phase",
        /// `SendStatus` of the half message, or the exception's name.
        Status = "status",
        /// What `executeLocalTransaction` came to: `COMMIT_MESSAGE`, `ROLLBACK_MESSAGE`, `UNKNOW`, `null` or `exception`.
        Local = "local",
        /// What `END_TRANSACTION` said: `COMMIT_MESSAGE`, `ROLLBACK_MESSAGE` or `UNKNOW`.
        State = "state",
        /// `UNIQ_KEY` of the message.
        TransactionId = "transactionId",
        /// Where the half's record begins.
        PhysicalOffset = "physicalOffset",
        /// The half's queue offset in the half queue.
        QueueOffset = "queueOffset",
        /// The exception's message.
        Error = "error",
        /// Why `END_TRANSACTION` could not be sent.
        EndError = "endError",
    }
}

super::fields! {
    /// Fields of a question about a half message.
    CheckField {
        /// The broker's node.
        Broker = "broker",
        /// The topic that the message is for.
        Topic = "topic",
        /// `UNIQ_KEY` of the message.
        TransactionId = "transactionId",
        /// Where the half's record begins.
        PhysicalOffset = "physicalOffset",
        /// The half's queue offset in the half queue.
        QueueOffset = "queueOffset",
        /// Which question about the message it is, from 1.
        Times = "times",
        /// What `checkLocalTransaction` came to: `COMMIT_MESSAGE`, `ROLLBACK_MESSAGE`, `UNKNOW`, `null` or `exception`.
        Result = "result",
        /// What was answered: `COMMIT_MESSAGE`, `ROLLBACK_MESSAGE` or `UNKNOW`.
        State = "state",
        /// The listener's exception.
        Cause = "cause",
    }
}

super::fields! {
    /// Numbers of the half queue, and of the op queue beside it.
    HalfField {
        /// Smallest queue offset that can be read.
        Min = "min",
        /// Queue offset of the next unit.
        Max = "max",
        /// How far the checks are: the progress of `CID_RMQ_SYS_TRANS`.
        Offset = "offset",
    }
}

/// The forms of these probes, for the message that lists them.
pub(super) const PLACES: &[&str] = &[
    "transactions",
    "transaction.N.FIELD",
    "listener.kept",
    "checks",
    "check.N.FIELD",
    "half.FIELD",
    "op.FIELD",
    "discarded",
];

impl TransactionPlace {
    /// Reads the segments of a probe; `None`: it is of another kind.
    pub(super) fn parse(segments: &[&str]) -> Option<Result<Self, String>> {
        let numbered = |which: &str| Which::parse(which);
        Some(match *segments {
            ["transactions"] => Ok(Self::Count),
            ["transaction", which, field] => {
                numbered(which).and_then(|which| Ok(Self::Sent(which, TransactionField::parse(field)?)))
            }
            ["listener", "kept"] => Ok(Self::Kept),
            ["checks"] => Ok(Self::Checks),
            ["check", which, field] => {
                numbered(which).and_then(|which| Ok(Self::Check(which, CheckField::parse(field)?)))
            }
            ["half", field] => HalfField::parse(field).map(Self::Half),
            ["op", field] => HalfField::parse(field).map(Self::Op),
            ["discarded"] => Ok(Self::Discarded),
            _ => return None,
        })
    }
}
