//! What applications say to a database. Nothing of it is RocketMQ's: it stands here so that statements go over the same
//! simulated connections, and into the same trace, as everything else.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::RequestCode;

/// A value of a column.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged, expecting = "a whole number or text")]
pub enum Cell {
    /// No value.
    #[default]
    Null,
    /// A whole number.
    Int(i64),
    /// Text.
    Text(String),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// Values by column; a column that is not named has none.
pub type Values = BTreeMap<String, Cell>;

/// One statement that changes rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Change {
    /// A new row. A row with the same key, or the same values under a unique constraint, is an error.
    Insert {
        /// The table.
        table: String,
        /// The row. A column that counts up by itself may be left out.
        row: Values,
    },
    /// A new row, or nothing at all where the key or a unique constraint knows one already: what an idempotence record
    /// is written with.
    InsertIfAbsent {
        /// The table.
        table: String,
        /// The row.
        row: Values,
    },
    /// Changes the row of a key. Where there is none it changes no row, which is no error.
    Update {
        /// The table.
        table: String,
        /// The key: all of its columns.
        key: Values,
        /// Only if these columns hold these values, such as a version.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        only_if: Values,
        /// New values by column.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        set: Values,
        /// Numbers to add by column; below 0 to take away.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        add: BTreeMap<String, i64>,
    },
    /// Removes the row of a key, if there is one.
    Delete {
        /// The table.
        table: String,
        /// The key: all of its columns.
        key: Values,
    },
}

/// A request to a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DatabaseCommand {
    /// Begins a transaction with these changes. It ends with `Commit` or `Rollback`, or with its connection. A change
    /// that fails takes the whole transaction back.
    Begin {
        /// The changes, in order.
        changes: Vec<Change>,
    },
    /// Makes changes inside a transaction that is open, or as a transaction of their own.
    Execute {
        /// The transaction; absent, one that ends with this request.
        transaction: Option<u64>,
        /// The changes, in order.
        changes: Vec<Change>,
    },
    /// Reads rows in the order of their keys: what is committed, and what the transaction itself has changed.
    Select {
        /// The transaction; absent, none.
        transaction: Option<u64>,
        /// The table.
        table: String,
        /// Only rows with these values.
        only: Values,
        /// Rows at most.
        limit: u32,
    },
    /// Makes a transaction's changes durable, all of them at once.
    Commit {
        /// The transaction.
        transaction: u64,
    },
    /// Takes a transaction back.
    Rollback {
        /// The transaction.
        transaction: u64,
    },
}

impl DatabaseCommand {
    /// The code under which traces show it.
    pub const fn code(&self) -> RequestCode {
        match self {
            Self::Begin { .. } => RequestCode::SqlBegin,
            Self::Execute { .. } => RequestCode::SqlExecute,
            Self::Select { .. } => RequestCode::SqlSelect,
            Self::Commit { .. } => RequestCode::SqlCommit,
            Self::Rollback { .. } => RequestCode::SqlRollback,
        }
    }
}

/// What a database answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DatabaseAnswer {
    /// A transaction is open.
    Began {
        /// Its number.
        transaction: u64,
        /// Rows that each change touched.
        rows: Vec<u32>,
    },
    /// The changes are made; durable if they were a transaction of their own.
    Executed {
        /// Rows that each change touched.
        rows: Vec<u32>,
    },
    /// Rows that were asked for, each with every column that has a value.
    Rows {
        /// The rows, by key.
        rows: Vec<Values>,
    },
    /// The transaction's changes are durable.
    Committed,
    /// The transaction is gone, and nothing of it is left.
    RolledBack,
}

/// What a database refuses. Nothing has changed then, and the transaction that asked is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DatabaseError {
    /// No table has this name.
    #[error("table `{table}` doesn't exist")]
    NoSuchTable {
        /// The name.
        table: String,
    },
    /// The table has no such column.
    #[error("unknown column `{column}` in table `{table}`")]
    NoSuchColumn {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// A column of the key has no value.
    #[error("column `{column}` belongs to the key of `{table}` and needs a value")]
    KeyIncomplete {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// A key names a column that does not belong to it.
    #[error("column `{column}` does not belong to the key of `{table}`")]
    NotInKey {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// A row's key stays what it is: another key is another row.
    #[error("column `{column}` belongs to the key of `{table}` and cannot change")]
    KeyFixed {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// A row with these values is there already.
    #[error("duplicate entry `{value}` for `{table}.{constraint}`")]
    Duplicate {
        /// The table.
        table: String,
        /// The columns of the key or of the unique constraint.
        constraint: String,
        /// Their values.
        value: String,
    },
    /// A number is below what its column allows.
    #[error("`{table}.{column}` would be {value}: at least {least}")]
    BelowLeast {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The value that it would have.
        value: i64,
        /// The smallest allowed.
        least: i64,
    },
    /// A sum is asked for of something that is no number, or leaves the range of 64 bits.
    #[error("`{table}.{column}` holds `{value}`: {add} cannot be added")]
    NoSum {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// What it holds.
        value: String,
        /// What was to be added.
        add: i64,
    },
    /// Another open transaction has changed the same row, or claims the same unique values. A real database would wait
    /// here for a while before it gives up.
    #[error("row `{value}` of `{table}` is locked by transaction {by}")]
    Locked {
        /// The table.
        table: String,
        /// The key.
        value: String,
        /// The other transaction.
        by: u64,
    },
    /// No transaction with this number is open.
    #[error("transaction {transaction} is not open")]
    NoSuchTransaction {
        /// The number.
        transaction: u64,
    },
}
