//! What an application does around its client: work with a database, and the relay of its outbox.

use serde::{Deserialize, Serialize};

/// The trace vocabulary of an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ApplicationStep {
    /// A piece of business begins.
    AppBegan {
        /// Its number at this client, from 0.
        number: u64,
        /// `transact`, `commitThenSend`, `sendThenCommit` or `writeOutbox`.
        what: String,
    },
    /// It makes its changes in a new transaction.
    AppChanges {
        /// Its number.
        number: u64,
    },
    /// It commits.
    AppCommits {
        /// Its number.
        number: u64,
    },
    /// It sends its message.
    AppSends {
        /// Its number.
        number: u64,
    },
    /// It is over, and the business is told.
    AppEnded {
        /// Its number.
        number: u64,
        /// How, by the name of the state.
        state: String,
        /// Why, if it did not go well.
        cause: Option<String>,
    },
    /// A listener looks into its database whether it has done the message before.
    ListenerLooksUp {
        /// The number of the delivery.
        number: u64,
    },
    /// A listener notes the message in its database, in a transaction of its own.
    ListenerRecords {
        /// The number of the delivery.
        number: u64,
    },
    /// A listener makes its changes in a new transaction.
    ListenerChanges {
        /// The number of the delivery.
        number: u64,
        /// How many, a record among them.
        changes: u32,
    },
    /// A listener commits them.
    ListenerCommits {
        /// The number of the delivery.
        number: u64,
    },
    /// A listener notes the message in the memory of its process.
    ListenerCaches {
        /// The number of the delivery.
        number: u64,
        /// What the message is known by.
        key: String,
    },
    /// A listener takes the message for done before, and does nothing with it.
    ListenerSkips {
        /// The number of the delivery.
        number: u64,
        /// What tells it so: `cache`, `record`, `duplicate` or `noRow`.
        by: String,
    },
    /// A listener throws, since its database did not do what it was asked.
    ListenerThrows {
        /// The number of the delivery.
        number: u64,
        /// Why not.
        cause: String,
    },
    /// The relay of an outbox begins its rounds.
    RelayStarted {
        /// The database.
        database: String,
        /// From round to round, milliseconds.
        period_ms: i64,
    },
    /// The relay has read the rows that are not sent yet.
    RelayFound {
        /// How many, at most a batch.
        count: u32,
    },
    /// The relay sends a row's message.
    RelaySends {
        /// The row.
        id: i64,
    },
    /// The relay notes that a row's message is sent.
    RelayMarks {
        /// The row.
        id: i64,
    },
    /// The relay gives this round up. What is not marked is sent again.
    RelayGaveUp {
        /// Why.
        cause: String,
    },
}
