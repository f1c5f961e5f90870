//! What databases do, and the applications that use them.

use serde::{Deserialize, Serialize};

use crate::wire::DatabaseError;

/// The trace vocabulary of a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DatabaseStep {
    /// The database takes statements: what was committed is there.
    DbOpened {
        /// Commits that it has seen in its life.
        commits: u64,
        /// Transactions that were open when its process ended. Nothing of them is left.
        lost: u32,
    },
    /// A transaction is open.
    DbBegan {
        /// Its number.
        transaction: u64,
    },
    /// A row came into being.
    DbInserted {
        /// The table.
        table: String,
        /// Its columns that have values, as in `id = 1, state = PAID`.
        row: String,
    },
    /// The row that was to be inserted is there already, and so nothing is done.
    DbPresent {
        /// The table.
        table: String,
        /// The values that are there already.
        key: String,
    },
    /// A row changed.
    DbUpdated {
        /// The table.
        table: String,
        /// Its key.
        key: String,
        /// Its columns now.
        row: String,
    },
    /// A row is gone.
    DbDeleted {
        /// The table.
        table: String,
        /// Its key.
        key: String,
    },
    /// No row has this key, or its values are not those that were asked for: nothing is changed.
    DbMissed {
        /// The table.
        table: String,
        /// The key.
        key: String,
    },
    /// A statement is refused.
    DbRefused {
        /// Why, as the application hears it.
        error: DatabaseError,
        /// The same in words.
        cause: String,
    },
    /// Rows were read.
    DbRead {
        /// The table.
        table: String,
        /// How many.
        count: u32,
    },
    /// Changes are durable: a crash does not take them any more.
    DbCommitted {
        /// The commit's number, from 1.
        commit: u64,
        /// Rows that it wrote.
        count: u32,
    },
    /// A transaction is gone, and nothing of it is left.
    DbRolledBack {
        /// Its number.
        transaction: u64,
        /// `asked`, `refused` or `disconnected`.
        reason: String,
    },
}
