//! What a listener does with a database, being described: its changes, and how it knows that it has made them before.

use rocketscope_engine::client::consumer::{BusinessCache, BusinessCase, BusinessRecord, ListenerBusiness};
use rocketscope_engine::wire::Change;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::reading::{Reading, some, word};
use crate::components::sandbox::changes::ChangesDraft;
use crate::components::sandbox::choices::{DatabaseChoice, TableChoice};
use crate::i18n::name_of;

/// The word for a record or a cache that there is not.
pub const NONE: &str = "none";

/// The work with a database being described. Without a database there is none, and the rest is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Business {
    /// The database; empty: none.
    pub database: String,
    /// Changes for every message.
    pub changes: ChangesDraft,
    /// Changes for certain messages.
    pub cases: Vec<Case>,
    /// The row by which a message is known.
    pub record: Record,
    /// The same in the memory of the process.
    pub cache: Cache,
    /// What a row that is there already means: `failure` or `success`.
    pub duplicate: String,
    /// What an update that finds no row means: `failure` or `success`.
    pub no_row: String,
}

/// Changes for certain messages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Which messages.
    pub when: Condition,
    /// The changes.
    pub changes: ChangesDraft,
}

/// The record of messages that are done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When it is written: `together`, `before` or `after`; [`NONE`]: never.
    pub at: String,
    /// Its database; empty: that of the changes.
    pub database: String,
    /// Its table.
    pub table: String,
    /// What a message is known by.
    pub key: String,
}

/// The cache of messages that are done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cache {
    /// When it is set: `before` or `after`; [`NONE`]: never.
    pub set: String,
    /// What a message is known by.
    pub key: String,
}

/// The tables of a database; none of one that there is not.
pub fn tables_of<'a>(databases: &'a [DatabaseChoice], name: &str) -> &'a [TableChoice] {
    databases.iter().find(|database| database.name == name).map_or(&[], |database| &database.tables)
}

impl Business {
    /// The work as it is described; a first change to fill in where there is none.
    pub fn of(business: Option<&ListenerBusiness>) -> Self {
        let changes = business.map_or_else(ChangesDraft::default, |business| ChangesDraft::of(&business.changes));
        let spec = business.cloned().unwrap_or_default();
        let (record, cache) = (spec.record.as_ref(), spec.cache.as_ref());
        let (usual_record, usual_cache) = (BusinessRecord::default(), BusinessCache::default());
        let when = |name: Option<String>| name.unwrap_or_else(|| NONE.to_owned());
        Self {
            changes,
            cases: spec
                .cases
                .iter()
                .map(|case| Case { when: Condition::of(&case.when), changes: ChangesDraft::of(&case.changes) })
                .collect(),
            record: Record {
                at: when(record.map(|record| name_of(&record.at))),
                database: record.and_then(|record| record.database.clone()).unwrap_or_default(),
                table: record.map_or(usual_record.table, |record| record.table.clone()),
                key: record.map_or(usual_record.key, |record| record.key.clone()),
            },
            cache: Cache {
                set: when(cache.map(|cache| name_of(&cache.set))),
                key: cache.map_or(usual_cache.key, |cache| cache.key.clone()),
            },
            duplicate: name_of(&spec.duplicate),
            no_row: name_of(&spec.no_row),
            database: spec.database,
        }
    }

    /// Another database, or none: changes are of tables that are there.
    pub fn choose(&mut self, database: String, databases: &[DatabaseChoice]) {
        if !database.is_empty() {
            let tables = tables_of(databases, &database);
            self.changes.fit(tables);
            self.cases.iter_mut().for_each(|case| case.changes.fit(tables));
        }
        self.database = database;
    }

    /// The database and the table of its records.
    pub fn record_place(&self) -> Option<(&str, &str)> {
        if self.database.is_empty() || self.record.at == NONE {
            return None;
        }
        let own = Some(self.record.database.as_str()).filter(|database| !database.is_empty());
        Some((own.unwrap_or(&self.database), self.record.table.trim()))
    }

    /// The description, if there is a database.
    pub fn read(&self, databases: &[DatabaseChoice], reading: &mut Reading) -> Option<Box<ListenerBusiness>> {
        if self.database.is_empty() {
            return None;
        }
        if !databases.iter().any(|database| database.name == self.database) {
            reading.wrong.push(("push.business".to_owned(), "no-database"));
            return None;
        }
        let tables = tables_of(databases, &self.database);
        let changes = read_changes(&self.changes, "push.business.changes", tables, reading);
        let cases = self.cases.iter().enumerate().map(|(at, case)| {
            let place = format!("push.business.cases.{at}");
            let when = case.when.read(&place, reading);
            BusinessCase { when, changes: read_changes(&case.changes, &format!("{place}.changes"), tables, reading) }
        });
        let cases = cases.collect();
        let Self { record, cache, .. } = self;
        let record = word(&record.at).map(|at| BusinessRecord {
            database: some(&record.database),
            table: reading.needed("push.business.record.table", &record.table, "no-name"),
            key: reading.needed("push.business.record.key", &record.key, "no-text"),
            at,
        });
        let cache = word(&cache.set)
            .map(|set| BusinessCache { key: reading.needed("push.business.cache.key", &cache.key, "no-text"), set });
        Some(Box::new(ListenerBusiness {
            database: self.database.clone(),
            changes,
            cases,
            record,
            cache,
            duplicate: word(&self.duplicate).unwrap_or_default(),
            no_row: word(&self.no_row).unwrap_or_default(),
        }))
    }
}

fn read_changes(changes: &ChangesDraft, field: &str, tables: &[TableChoice], reading: &mut Reading) -> Vec<Change> {
    changes.read(tables).unwrap_or_else(|_| {
        reading.wrong.push((field.to_owned(), "changes"));
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::client::consumer::ListenerBusiness;

    use super::{Business, DatabaseChoice, NONE, Reading, TableChoice};

    /// Everything that a listener can do with a database, as a script says it.
    const SCRIPT: &str = r#"
        database = "shop-db"
        duplicate = "success"
        noRow = "success"
        record = { database = "other-db", table = "done", key = "{eventId}-{times}", at = "before" }
        cache = { key = "{keys}", set = "before" }
        [[changes]]
        kind = "insert"
        table = "parcels"
        row = { order = "{keys}", what = "{body}", weight = 7, digits = "42" }
        [[changes]]
        kind = "update"
        table = "orders"
        key = { id = "{keys}" }
        onlyIf = { state = "new" }
        set = { state = "{body}" }
        add = { parcels = 1 }
        [[cases]]
        when = { tag = "Cancelled", reconsumeTimes = { atLeast = 1 } }
        changes = [{ kind = "delete", table = "orders", key = { id = "{keys}" } }]
        [[cases]]
        when = { body = "x" }
        changes = [{ kind = "insertIfAbsent", table = "orders", row = { id = "x", state = "" } }]
    "#;

    fn databases() -> Vec<DatabaseChoice> {
        let table = |name: &str, columns: &[&str]| TableChoice {
            name: name.to_owned(),
            columns: columns.iter().map(|column| (*column).to_owned()).collect(),
            key: vec![columns[0].to_owned()],
        };
        let tables = vec![
            table("parcels", &["id", "order", "what", "weight", "digits"]),
            table("orders", &["id", "state", "parcels"]),
        ];
        vec![DatabaseChoice { name: "shop-db".to_owned(), tables }]
    }

    fn read(business: &Business) -> Result<Option<ListenerBusiness>, Vec<(String, &'static str)>> {
        let mut reading = Reading::default();
        let read = business.read(&databases(), &mut reading).map(|business| *business);
        if reading.wrong.is_empty() { Ok(read) } else { Err(reading.wrong) }
    }

    fn script() -> ListenerBusiness {
        toml::from_str(SCRIPT).unwrap()
    }

    #[test]
    fn what_a_script_says_comes_back() {
        assert_eq!(read(&Business::of(Some(&script()))), Ok(Some(script())));
        assert_eq!(read(&Business::of(None)), Ok(None));
        let bare: ListenerBusiness = toml::from_str(r#"database = "shop-db""#).unwrap();
        assert_eq!(read(&Business::of(Some(&bare))), Ok(Some(bare)));
    }

    #[test]
    fn what_cannot_be_read_is_told_where_it_stands() {
        let wrong = |spoil: fn(&mut Business)| {
            let mut business = Business::of(Some(&script()));
            spoil(&mut business);
            read(&business).unwrap_err()
        };
        let at = |field: &str, why| vec![(format!("push.business{field}"), why)];
        assert_eq!(wrong(|business| business.database = "gone".to_owned()), at("", "no-database"));
        assert_eq!(wrong(|business| business.changes.add(&[])), at(".changes", "changes"));
        assert_eq!(wrong(|business| business.cases[1].changes.add(&[])), at(".cases.1.changes", "changes"));
        assert_eq!(wrong(|business| business.cases[0].when.at_most = "x".to_owned()), at(".cases.0.at-most", "number"));
        assert_eq!(wrong(|business| business.record.table = " ".to_owned()), at(".record.table", "no-name"));
        assert_eq!(wrong(|business| business.record.key.clear()), at(".record.key", "no-text"));
        assert_eq!(wrong(|business| business.cache.key.clear()), at(".cache.key", "no-text"));
    }

    #[test]
    fn what_is_not_chosen_is_kept_and_does_not_count() {
        let mut business = Business::of(Some(&script()));
        assert_eq!(business.record_place(), Some(("other-db", "done")));
        business.record.database.clear();
        assert_eq!(business.record_place(), Some(("shop-db", "done")));
        business.record.at = NONE.to_owned();
        business.record.key.clear();
        assert_eq!(business.record_place(), None);
        let without = ListenerBusiness { record: None, ..script() };
        assert_eq!(read(&business), Ok(Some(without.clone())));
        business.choose(String::new(), &databases());
        assert_eq!(read(&business), Ok(None));
        business.choose("shop-db".to_owned(), &databases());
        assert_eq!(read(&business), Ok(Some(without)));
    }
}
