//! The trace vocabulary of a producer's inside, beside the steps that every client has.

use serde::{Deserialize, Serialize};

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
    /// A transactional send begins (`sendMessageInTransaction`).
    TransactionBegan {
        /// Its number at this producer, from 0.
        number: u64,
    },
    /// The delay level was taken from the message: a half message has none.
    DelayDropped {
        /// The level.
        level: i32,
    },
    /// The message was made a half message: `TRAN_MSG` and `PGROUP` are among its properties.
    HalfMarked {
        /// The producer group, which the broker asks.
        group: String,
    },
    /// The listener is called: the local transaction begins (`executeLocalTransaction`).
    LocalTransactionBegan {
        /// The transactional send.
        number: u64,
        /// `UNIQ_KEY` of the message.
        transaction_id: String,
    },
    /// It commits in its database.
    LocalTransactionCommits {
        /// The transactional send.
        number: u64,
    },
    /// It takes its changes back.
    LocalTransactionRollsBack {
        /// The transactional send.
        number: u64,
    },
    /// It is over.
    LocalTransactionEnded {
        /// The transactional send.
        number: u64,
        /// `LocalTransactionState`, `null` or `exception`.
        result: String,
        /// Why, where the script does not say so.
        cause: Option<String>,
    },
    /// The half message is stored less safely than asked: it is rolled back, and the listener is not called.
    LocalTransactionSkipped {
        /// The transactional send.
        number: u64,
        /// `SendStatus`.
        status: String,
    },
    /// The broker is told what became of a half message (`END_TRANSACTION`, one-way).
    TransactionEndSent {
        /// `LocalTransactionState`.
        state: String,
        /// Where the half's record begins.
        physical_offset: i64,
        /// Its queue offset in the half queue.
        queue_offset: i64,
    },
    /// That could not be sent. The client logs it and goes on.
    TransactionEndFailed {
        /// Why.
        cause: String,
    },
    /// The application has its `TransactionSendResult`.
    TransactionTold {
        /// The transactional send.
        number: u64,
        /// `SendStatus` of the half message.
        status: String,
        /// `LocalTransactionState`.
        state: String,
    },
    /// The application gets an exception.
    TransactionFailed {
        /// The transactional send.
        number: u64,
        /// Its message.
        error: String,
    },
    /// A broker asks what became of a half message (`CHECK_TRANSACTION_STATE`).
    CheckAsked {
        /// The topic that it is for.
        topic: String,
        /// `UNIQ_KEY` of the message.
        transaction_id: String,
        /// Its queue offset in the half queue.
        queue_offset: i64,
        /// Which question about it this is, from 1.
        times: Option<i32>,
    },
    /// The listener is still busy with another question.
    CheckWaits {
        /// Questions that wait.
        waiting: u32,
    },
    /// The listener has come to something (`checkLocalTransaction`).
    CheckEnded {
        /// `UNIQ_KEY` of the message.
        transaction_id: String,
        /// `LocalTransactionState`, `null` or `exception`.
        result: String,
        /// The listener found the transaction.
        found: bool,
        /// The exception, if it throws.
        cause: Option<String>,
    },
    /// Nobody answers the question.
    CheckIgnored {
        /// `noListener`, `otherGroup`, `rejected` (too many wait), or `undecodable`.
        reason: String,
    },
    /// A message could not be given back: the client's inner producer sends a new one to the retry topic
    /// (`sendMessageBack`).
    SentInstead {
        /// The retry topic.
        topic: String,
        /// The exception's message.
        cause: String,
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
