//! What [`super::Action`]s say about databases and the applications that use them.

use serde::{Deserialize, Serialize};

use super::Send;
use crate::{node::Service, wire::Change};

/// What [`super::Action::Transact`] does: changes, and their commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Transact {
    /// The client whose application it is.
    pub client: String,
    /// The database.
    pub database: String,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

/// What [`super::Action::CommitThenSend`] and its kin do: changes of a database, and a message about them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ChangeAndSend {
    /// The database.
    pub database: String,
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The message, and whose application it is.
    pub send: Send,
}

/// What [`super::Action::CrashWhen`] waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CrashWhen {
    /// The node.
    pub node: String,
    /// The service whose turns are counted.
    pub service: Service,
    /// The process is killed right before so many turns of it, from 1: the turn is not taken any more.
    #[serde(default = "first")]
    pub turn: u32,
}

const fn first() -> u32 {
    1
}
