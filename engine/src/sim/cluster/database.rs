//! Databases, and what producers do with them.

use serde::{Deserialize, Serialize};

use crate::database::TableSpec;

/// A database that applications use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DatabaseSpec {
    /// The node's name.
    pub name: String,
    /// Its tables. Those that a producer's outbox needs are made when they are not described.
    pub tables: Vec<TableSpec>,
    /// How far the node's wall clock is ahead of the world's, milliseconds.
    pub skew_ms: i64,
}

/// The outbox that a producer's relay sends from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OutboxSpec {
    /// The database.
    pub database: String,
    /// The table.
    pub table: String,
    /// From round to round, milliseconds.
    pub period_ms: i64,
    /// Rows of one round at most.
    pub batch: u32,
}

impl Default for OutboxSpec {
    fn default() -> Self {
        Self { database: String::new(), table: "outbox".to_owned(), period_ms: 1_000, batch: 100 }
    }
}
