//! What is said of the end of a transaction: by its producer, by the broker that asks for it, by an administrator.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// `EndTransactionRequestHeader`: how a transaction ended, as its producer says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndTransaction {
    /// The producer group.
    pub producer_group: String,
    /// Queue offset of the half message.
    pub tran_state_table_offset: i64,
    /// Physical offset of the half message.
    pub commit_log_offset: i64,
    /// The transaction bits of a sysFlag: 8 commits, 12 rolls back, 0 leaves it undecided.
    pub commit_or_rollback: i32,
    /// It answers [`CheckTransactionState`].
    pub from_transaction_check: bool,
    /// `UNIQ_KEY` of the message.
    pub msg_id: String,
    /// The transaction's id: the same.
    pub transaction_id: Option<String>,
}

/// `CheckTransactionStateRequestHeader` and its body: a broker asks how a transaction ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckTransactionState {
    /// Queue offset of the half message.
    pub tran_state_table_offset: i64,
    /// Physical offset of the half message.
    pub commit_log_offset: i64,
    /// `UNIQ_KEY` of the message.
    pub msg_id: Option<String>,
    /// The transaction's id: the same.
    pub transaction_id: Option<String>,
    /// The broker's id of the half message.
    pub offset_msg_id: String,
    /// The message as a record, under its real topic and queue.
    #[serde(skip)]
    pub body: Bytes,
}

/// `ResumeCheckHalfMessageRequestHeader`: an administrator has a discarded half message checked anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResumeCheckHalfMessage {
    /// The broker's id of the record.
    pub msg_id: String,
}
