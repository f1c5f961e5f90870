//! The application's own work with a message, as data: what a listener changes in its database, and how it knows that it
//! has done so before.
//!
//! None of this is RocketMQ's: it is what stands behind a listener, and where one event has two effects, or none.

mod template;
#[cfg(test)]
mod tests;
mod turns;
mod work;

use serde::{Deserialize, Serialize};

use super::{ListenerError, MessageCondition};
use crate::{
    client::Received,
    database::TableSpec,
    wire::{Cell, Change, Values},
};
use template::Filling;

pub(super) use work::{Work, WorkPhase};

/// What a listener does with its messages, one after the other, before it returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListenerBusiness {
    /// The node of the database.
    pub database: String,
    /// Changes for every message, in one transaction. In their texts `{name}` stands for a property of the message, and
    /// `{topic}`, `{tag}`, `{keys}`, `{body}`, `{msgId}`, `{queueId}`, `{queueOffset}` and `{times}`, the `reconsumeTimes`,
    /// for what their names say.
    pub changes: Vec<Change>,
    /// Changes for certain messages, in the same transaction after those: of the first case that fits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<BusinessCase>,
    /// The row by which it knows that it has done a message before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<BusinessRecord>,
    /// The same in the memory of its process, asked first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<BusinessCache>,
    /// What it makes of changes that break a unique constraint or a key.
    pub duplicate: Verdict,
    /// What it makes of an `update` that finds no row: there is none, or its `onlyIf` does not hold.
    pub no_row: Verdict,
}

/// Changes for certain messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BusinessCase {
    /// Which messages.
    pub when: MessageCondition,
    /// The changes.
    pub changes: Vec<Change>,
}

/// What an application makes of changes that cannot be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It throws.
    #[default]
    Failure,
    /// It takes them for done before, and goes on.
    Success,
}

/// The row by which a listener knows that it has done a message before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BusinessRecord {
    /// The node of its database, if it is not that of the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// The table. It is made when it is not described.
    pub table: String,
    /// What the message is known by: a text as in the changes.
    pub key: String,
    /// When it is written.
    pub at: RecordAt,
}

impl Default for BusinessRecord {
    fn default() -> Self {
        Self { database: None, table: "processed".to_owned(), key: "{msgId}".to_owned(), at: RecordAt::Together }
    }
}

/// When a record is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RecordAt {
    /// In the transaction of the changes: both are committed, or neither.
    #[default]
    Together,
    /// In a transaction of its own before them: after a crash in between the message counts as done, and is not.
    Before,
    /// It is looked up first, and written in a transaction of its own after them: after a crash in between the message is
    /// done, and done again.
    After,
}

/// What a listener knows in the memory of its process: it is lost with the process, and no other consumer has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BusinessCache {
    /// What the message is known by: a text as in the changes.
    pub key: String,
    /// When it is noted.
    pub set: CacheSet,
}

impl Default for BusinessCache {
    fn default() -> Self {
        Self { key: "{msgId}".to_owned(), set: CacheSet::After }
    }
}

/// When a cache is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CacheSet {
    /// Before the database is asked: a message that then fails counts as done when it comes again.
    Before,
    /// After the commit.
    #[default]
    After,
}

/// What a call of the listener came to at the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BusinessDone {
    /// Messages that it has done.
    pub done: u32,
    /// Messages that it took for done before.
    pub skipped: u32,
    /// Why it threw.
    pub cause: Option<String>,
}

/// The column of the records' keys.
const RECORD_KEY: &str = "id";

/// The most changes of a message.
const CHANGES_MAX: usize = 100;

/// The most cases.
const CASES_MAX: usize = 100;

/// The table that a listener's records are in.
pub fn record_table(name: &str) -> TableSpec {
    TableSpec {
        name: name.to_owned(),
        columns: vec![RECORD_KEY.to_owned()],
        key: vec![RECORD_KEY.to_owned()],
        ..TableSpec::default()
    }
}

impl ListenerBusiness {
    /// The nodes of the databases that it needs.
    pub fn databases(&self) -> impl Iterator<Item = &String> {
        let record = self.record.as_ref().and_then(|record| record.database.as_ref());
        std::iter::once(&self.database).chain(record)
    }

    /// The node and the table of its records.
    pub fn record_place(&self) -> Option<(&str, &str)> {
        let record = self.record.as_ref()?;
        Some((record.database.as_ref().unwrap_or(&self.database), &record.table))
    }

    /// What a message is known by, so that it is not done twice: by its record, else in memory.
    pub fn known_by(&self, message: &Received) -> Option<String> {
        match (&self.record, &self.cache) {
            (Some(record), _) => Some(Filling::of(message).cell(&record.key).to_string()),
            (None, Some(cache)) => cache.key_of(message),
            (None, None) => None,
        }
    }

    /// Whether a message is noted as done before it is done.
    pub fn notes_before(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.at == RecordAt::Before)
            || self.cache.as_ref().is_some_and(|cache| cache.set == CacheSet::Before)
    }

    /// Whether it can be done.
    pub fn check(&self) -> Result<(), ListenerError> {
        let fail = |place: &str, cause: String| Err(ListenerError { place: format!("business.{place}"), cause });
        let elsewhere = self.record.as_ref().filter(|record| record.at == RecordAt::Together);
        if elsewhere.and_then(|record| record.database.as_ref()).is_some_and(|database| *database != self.database) {
            return fail("record.at", "one transaction has one database: before or after".to_owned());
        }
        let most = self.cases.iter().map(|case| case.changes.len()).max().unwrap_or(0);
        if self.changes.len().saturating_add(most) > CHANGES_MAX {
            return fail("changes", format!("at most {CHANGES_MAX} for a message"));
        }
        if self.cases.len() > CASES_MAX {
            return fail("cases", format!("at most {CASES_MAX}"));
        }
        Ok(())
    }

    /// The changes for a message.
    fn changes_for(&self, message: &Received) -> Vec<Change> {
        let filling = Filling::of(message);
        let case = self.cases.iter().find(|case| case.when.fits(message));
        let changes = self.changes.iter().chain(case.map(|case| &case.changes).into_iter().flatten());
        changes.map(|change| filling.change(change)).collect()
    }
}

impl BusinessRecord {
    /// The columns that a message's row is found by, and all that it has.
    fn row(&self, message: &Received) -> Values {
        Values::from([(RECORD_KEY.to_owned(), Filling::of(message).cell(&self.key))])
    }
}

impl BusinessCache {
    /// What a message is known by; nothing where it has nothing of that name.
    fn key_of(&self, message: &Received) -> Option<String> {
        match Filling::of(message).cell(&self.key) {
            Cell::Null => None,
            cell => Some(cell.to_string()),
        }
    }
}
