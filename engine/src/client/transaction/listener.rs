//! The application's `TransactionListener` as data: where it looks when it is asked what became of a transaction.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ListenerResult, LocalTransactionState};
use crate::{
    database::TableSpec,
    wire::{Change, Values},
};

/// The columns of the table in which a listener notes its local transactions.
mod column {
    pub(super) const TRANSACTION_ID: &str = "transactionId";
    pub(super) const TOPIC: &str = "topic";
    pub(super) const KEYS: &str = "keys";
}

/// The table in which a listener notes its local transactions.
pub fn transaction_table(name: &str) -> TableSpec {
    TableSpec {
        name: name.to_owned(),
        columns: [column::TRANSACTION_ID, column::TOPIC, column::KEYS].map(str::to_owned).to_vec(),
        key: vec![column::TRANSACTION_ID.to_owned()],
        ..TableSpec::default()
    }
}

/// Where a listener keeps what became of its local transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Keeps {
    /// In a map of the process, as 4.9.8's example does: it is lost with the process, and no other producer has it.
    #[default]
    Memory,
    /// As a row in a database, which commits together with the changes: who finds it knows that they are committed.
    Database,
}

/// A `TransactionListener`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Where it keeps what became of its local transactions.
    pub keeps: Keeps,
    /// The database of its local transactions, `ip:port`; without one they have no changes.
    pub database: Option<String>,
    /// The table, with [`Keeps::Database`].
    pub table: String,
    /// What it answers about a transaction that it does not find.
    pub not_found: LocalTransactionState,
}

impl Listener {
    /// The row that goes with the changes of a local transaction, if it keeps one.
    pub(super) fn note(&self, transaction_id: &str, topic: &str, keys: Option<&str>) -> Option<Change> {
        (self.keeps == Keeps::Database).then(|| {
            let mut row = Self::key(transaction_id);
            row.insert(column::TOPIC.to_owned(), topic.into());
            row.extend(keys.map(|keys| (column::KEYS.to_owned(), keys.into())));
            Change::Insert { table: self.table.clone(), row }
        })
    }

    /// The columns that a row is found by.
    pub(super) fn key(transaction_id: &str) -> Values {
        Values::from([(column::TRANSACTION_ID.to_owned(), transaction_id.into())])
    }
}

/// The map of a listener that keeps its transactions in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory(BTreeMap<String, Kept>);

/// One transaction of it.
#[derive(Clone, Debug)]
struct Kept {
    /// What questions are answered with, one after the other; the last of them for ever.
    answers: Vec<ListenerResult>,
    /// The script has said so, and the end of the local transaction changes nothing.
    scripted: bool,
    asked: usize,
}

impl Memory {
    /// A local transaction begins: until it ends nobody knows more of it, unless `checks` are what is to be answered.
    pub(super) fn began(&mut self, transaction_id: &str, checks: &[ListenerResult]) {
        let scripted = !checks.is_empty();
        let answers = if scripted { checks.to_vec() } else { vec![ListenerResult::Unknown] };
        self.0.insert(transaction_id.to_owned(), Kept { answers, scripted, asked: 0 });
    }

    /// It has ended.
    pub(super) fn ended(&mut self, transaction_id: &str, state: LocalTransactionState) {
        if let Some(kept) = self.0.get_mut(transaction_id).filter(|kept| !kept.scripted) {
            kept.answers = vec![state.into()];
        }
    }

    /// What the listener answers about it; `None`: it knows nothing of it.
    pub(super) fn answer(&mut self, transaction_id: &str) -> Option<ListenerResult> {
        let kept = self.0.get_mut(transaction_id)?;
        let answer = kept.answers.get(kept.asked).or_else(|| kept.answers.last()).copied();
        kept.asked = kept.asked.saturating_add(1);
        answer
    }

    /// The transactions in it.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
