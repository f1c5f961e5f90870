//! What is known of a transactional send, and of the questions about one.

use serde::{Deserialize, Serialize};

use super::super::Cause;
use crate::message::sys_flag;

/// What a producer says of a half message (`LocalTransactionState`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LocalTransactionState {
    /// `COMMIT_MESSAGE`: consumers may have it.
    Commit,
    /// `ROLLBACK_MESSAGE`: nobody ever gets it.
    Rollback,
    /// `UNKNOW`: the broker may ask again.
    #[default]
    Unknown,
}

impl LocalTransactionState {
    /// 4.9.8's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Commit => "COMMIT_MESSAGE",
            Self::Rollback => "ROLLBACK_MESSAGE",
            Self::Unknown => "UNKNOW",
        }
    }

    /// The bits that `END_TRANSACTION` carries for it (`commitOrRollback`).
    pub const fn commit_or_rollback(self) -> i32 {
        match self {
            Self::Commit => sys_flag::TRANSACTION_COMMIT,
            Self::Rollback => sys_flag::TRANSACTION_ROLLBACK,
            Self::Unknown => sys_flag::TRANSACTION_NOT,
        }
    }
}

/// What a method of the application's `TransactionListener` comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ListenerResult {
    /// It returns `COMMIT_MESSAGE`.
    #[default]
    Commit,
    /// It returns `ROLLBACK_MESSAGE`.
    Rollback,
    /// It returns `UNKNOW`.
    Unknown,
    /// It returns null.
    Null,
    /// It throws.
    Throw,
}

impl ListenerResult {
    /// The name used in traces: that of the state, `null`, or `exception`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Commit | Self::Rollback | Self::Unknown => self.state().name(),
            Self::Null => "null",
            Self::Throw => "exception",
        }
    }

    /// What the client makes of it (`DefaultMQProducerImpl.sendMessageInTransaction`): null and an exception are
    /// `UNKNOW`.
    pub const fn state(self) -> LocalTransactionState {
        match self {
            Self::Commit => LocalTransactionState::Commit,
            Self::Rollback => LocalTransactionState::Rollback,
            Self::Unknown | Self::Null | Self::Throw => LocalTransactionState::Unknown,
        }
    }
}

impl From<LocalTransactionState> for ListenerResult {
    fn from(state: LocalTransactionState) -> Self {
        match state {
            LocalTransactionState::Commit => Self::Commit,
            LocalTransactionState::Rollback => Self::Rollback,
            LocalTransactionState::Unknown => Self::Unknown,
        }
    }
}

/// How far a transactional send is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TransactionPhase {
    /// The half message is sent.
    Half,
    /// The local transaction runs (`executeLocalTransaction`).
    Local,
    /// It commits in the database.
    Commit,
    /// It is taken back in the database.
    Rollback,
    /// `END_TRANSACTION` is sent.
    End,
}

impl TransactionPhase {
    /// The name used in scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Local => "local",
            Self::Commit => "commit",
            Self::Rollback => "rollback",
            Self::End => "end",
        }
    }
}

/// What became of a transactional send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TransactionProgress {
    /// It is under way.
    Running,
    /// The application has its `TransactionSendResult`.
    Told,
    /// The application got an exception: there was no half message, or nobody knows of it.
    Failed,
    /// The process ended before anybody was told.
    Crashed,
}

impl TransactionProgress {
    /// The name used in scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Told => "told",
            Self::Failed => "failed",
            Self::Crashed => "crashed",
        }
    }
}

/// A half message, as `END_TRANSACTION` names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HalfMessage {
    /// The broker of the queue that the message is for.
    pub broker_name: String,
    /// Where the half's record begins.
    pub commit_log_offset: i64,
    /// Its queue offset in the half queue (`tranStateTableOffset`).
    pub queue_offset: i64,
    /// The client's message id.
    pub msg_id: String,
}

/// A transactional send, and what the application was told of it (`TransactionSendResult`, or the exception).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionOutcome {
    /// The name that the scenario gave the message.
    pub name: Option<String>,
    /// The topic.
    pub topic: String,
    /// What became of it.
    pub progress: TransactionProgress,
    /// The phase that was begun last.
    pub phase: TransactionPhase,
    /// `SendStatus` of the half message, or the exception's short name; empty as long as neither is known.
    pub status: String,
    /// Place of the half message's send among the client's answers; none before its end.
    pub send: Option<u64>,
    /// The half message, once it is stored.
    pub half: Option<HalfMessage>,
    /// What `executeLocalTransaction` came to; none as long as it runs, and where it was not called.
    pub local: Option<ListenerResult>,
    /// Why it came to that, where the script did not say so.
    pub local_cause: Option<String>,
    /// What `END_TRANSACTION` said; none before it is sent.
    pub state: Option<LocalTransactionState>,
    /// Why `END_TRANSACTION` could not be sent. 4.9.8 writes it into the log, and tells nobody.
    pub end_error: Option<String>,
    /// The exception's message.
    pub error: Option<String>,
    /// Code of the exception, if it has one.
    pub response_code: Option<i32>,
    /// The cause inside the exception.
    pub cause: Option<Cause>,
    /// When the application called, microseconds.
    pub began_us: i64,
    /// When it was told, microseconds.
    pub ended_us: Option<i64>,
}

/// A question about a half message (`CHECK_TRANSACTION_STATE`), and the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckOutcome {
    /// The broker's node.
    pub broker: String,
    /// The topic that the message is for.
    pub topic: String,
    /// `UNIQ_KEY` of the message: what the listener knows its local transaction by.
    pub transaction_id: String,
    /// Where the half's record begins: since the question is asked about the copy, it is another one each time.
    pub commit_log_offset: i64,
    /// Its queue offset in the half queue.
    pub queue_offset: i64,
    /// `TRANSACTION_CHECK_TIMES` of the message: which question it is, from 1.
    pub times: Option<i32>,
    /// What `checkLocalTransaction` came to; none as long as it runs, and where it was not called.
    pub result: Option<ListenerResult>,
    /// Why it came to that: the exception.
    pub cause: Option<String>,
    /// What was answered with `END_TRANSACTION`; none: nothing was.
    pub state: Option<LocalTransactionState>,
    /// When the question came, microseconds.
    pub asked_us: i64,
    /// When it was answered, or given up, microseconds.
    pub ended_us: Option<i64>,
}
