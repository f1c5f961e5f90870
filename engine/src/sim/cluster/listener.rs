//! The `TransactionListener` of a producer's application.

use serde::{Deserialize, Serialize};

use crate::client::{Keeps, LocalTransactionState};

/// A `TransactionListener`: where its local transactions are, and what it answers when a broker asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListenerSpec {
    /// Where it keeps what became of its local transactions.
    pub keeps: Keeps,
    /// The database of its local transactions; absent, they change nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// The table in it that a local transaction is noted in, if the listener keeps them in the database. It is made when it
    /// is not described.
    pub table: String,
    /// What it answers about a transaction that it does not find.
    pub not_found: LocalTransactionState,
}

impl Default for ListenerSpec {
    fn default() -> Self {
        Self {
            keeps: Keeps::Memory,
            database: None,
            table: "transactions".to_owned(),
            not_found: LocalTransactionState::Unknown,
        }
    }
}
