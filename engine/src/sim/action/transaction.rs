//! What [`super::Action`]s say about transactional messages.

use serde::{Deserialize, Serialize};

use super::{Send, send::is_default};
use crate::{
    client::{ListenerResult, LocalTransactionState},
    wire::Change,
};

/// What [`super::Action::SendInTransaction`] does: a half message, and the local transaction behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SendInTransaction {
    /// The message, and the producer. The client sends it in sync and chooses the queue itself.
    pub send: Send,
    /// What the local transaction changes in the listener's database, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What `executeLocalTransaction` comes to once its work is done. `rollback` takes the changes back; everything else
    /// commits them, and then returns it or throws.
    pub local: ListenerResult,
    /// How long the local transaction takes beside its statements, milliseconds.
    #[serde(skip_serializing_if = "is_default")]
    pub local_ms: i64,
    /// What a listener that keeps its transactions in memory answers to one question after the other; the last of them
    /// for ever. Absent: what became of the local transaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<ListenerResult>,
}

/// What [`super::Action::EndTransaction`] says, and of which half message. With neither `message` nor `half` it is that of
/// the producer's newest transactional send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct EndTransaction {
    /// The producer.
    pub producer: String,
    /// The name of the message, which this producer has sent in a transaction; of several the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Or a half message by its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half: Option<HalfAt>,
    /// What is said.
    pub state: LocalTransactionState,
}

/// A message in a broker's half queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HalfAt {
    /// The broker's node.
    pub broker: String,
    /// Its queue offset in the half queue.
    pub queue_offset: i64,
}
