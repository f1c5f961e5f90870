//! The databases of a world as pictures: what is committed, what is open, and the newest commits.

use std::collections::{BTreeMap, btree_map::Entry};

use serde::{Deserialize, Serialize};

use crate::{
    database::{Database, TableRef},
    sim::{NodeActor, NodeState, World},
    wire::{Cell, Values},
};

/// Rows of a table that are shown at most: the last by key.
const ROWS_MAX: usize = 100;

/// Every database of a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DatabasesPicture {
    /// One each, in the order of the set-up.
    pub nodes: Vec<DatabasePicture>,
}

/// A database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DatabasePicture {
    /// The node.
    pub node: String,
    /// Where its process is in its life. What is committed is on its disk and can be looked at all the same.
    pub state: NodeState,
    /// Its tables, in the order of the description.
    pub tables: Vec<TablePicture>,
    /// Transactions that are open, by number.
    pub open_transactions: Vec<TransactionPicture>,
    /// Commits so far.
    pub commits: u64,
    /// The newest of them, oldest first.
    pub log: Vec<CommitPicture>,
}

/// A table and its committed rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TablePicture {
    /// Its name.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<String>,
    /// The columns of its key.
    pub key: Vec<String>,
    /// Its unique constraints.
    pub unique: Vec<Vec<String>>,
    /// The column that counts up by itself.
    pub auto_increment: Option<String>,
    /// Whether a relay sends its new rows as messages.
    pub outbox: bool,
    /// The last rows by key, a hundred at most, with what open transactions make of them.
    pub rows: Vec<RowPicture>,
    /// Committed rows in all.
    pub total: u32,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RowPicture {
    /// The row as committed, a cell for each column; of a row that is not committed yet, as it is to be.
    pub cells: Vec<Cell>,
    /// What an open transaction makes of it.
    pub pending: Option<PendingRow>,
    /// The key of an earlier committed row that says the same, but for the number that counts up by itself.
    pub same_as: Option<String>,
}

/// What an open transaction makes of a row. Nobody else sees it before the transaction commits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingRow {
    /// The transaction's number.
    pub transaction: u64,
    /// What it does.
    pub change: PendingChange,
}

/// Kinds of [`PendingRow`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PendingChange {
    /// A new row.
    Inserted,
    /// Other values.
    Updated {
        /// The row as it is to be.
        after: Vec<Cell>,
    },
    /// The row is to go.
    Deleted,
}

/// A transaction that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionPicture {
    /// Its number.
    pub transaction: u64,
    /// The node that began it.
    pub by: String,
    /// Rows that it has written so far.
    pub rows: u32,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitPicture {
    /// Its number, from 1.
    pub number: u64,
    /// When, microseconds.
    pub at_us: i64,
    /// The node that asked for it.
    pub by: String,
    /// What it wrote.
    pub rows: Vec<CommittedRowPicture>,
}

/// A row that a commit wrote or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommittedRowPicture {
    /// The table.
    pub table: String,
    /// The key.
    pub key: String,
    /// The row's columns that have values; `None`: the row is gone.
    pub row: Option<Values>,
}

/// The databases of a world.
pub fn databases_picture(world: &World) -> DatabasesPicture {
    let databases = world.nodes().filter_map(|node| match node.actor {
        NodeActor::Database(database) => Some(database_picture(node.name, node.state, database)),
        _ => None,
    });
    DatabasesPicture { nodes: databases.collect() }
}

fn database_picture(node: &str, state: NodeState, database: &Database) -> DatabasePicture {
    DatabasePicture {
        node: node.to_owned(),
        state,
        tables: database.tables().enumerate().map(|(place, table)| table_picture(database, place, table)).collect(),
        open_transactions: database
            .open()
            .map(|open| TransactionPicture {
                transaction: open.transaction,
                by: open.by.to_owned(),
                rows: count(open.writes.len()),
            })
            .collect(),
        commits: database.commits(),
        log: database
            .log()
            .iter()
            .map(|commit| CommitPicture {
                number: commit.number,
                at_us: commit.at_us,
                by: commit.by.clone(),
                rows: commit
                    .rows
                    .iter()
                    .map(|row| CommittedRowPicture {
                        table: row.table.clone(),
                        key: row.key.clone(),
                        row: row.row.clone(),
                    })
                    .collect(),
            })
            .collect(),
    }
}

fn table_picture(database: &Database, place: usize, table: TableRef<'_>) -> TablePicture {
    let auto = table.auto_increment();
    TablePicture {
        name: table.name().to_owned(),
        columns: table.columns().to_vec(),
        key: table.key(),
        unique: table.unique(),
        auto_increment: auto.and_then(|column| table.columns().get(column).cloned()),
        outbox: database.is_outbox(table.name()),
        rows: rows(database, place, table),
        total: count(table.len()),
    }
}

/// The last rows by key, committed or to be.
fn rows(database: &Database, place: usize, table: TableRef<'_>) -> Vec<RowPicture> {
    let key_of = |cells: &[Cell]| -> Vec<Cell> {
        table.key_places().iter().map(|column| cells.get(*column).cloned().unwrap_or_default()).collect()
    };
    let committed = |cells: &[Cell]| RowPicture { cells: cells.to_vec(), pending: None, same_as: None };
    let mut rows: BTreeMap<Vec<Cell>, RowPicture> =
        table.rows().rev().take(ROWS_MAX).map(|cells| (key_of(cells), committed(cells))).collect();
    mark_twins(&mut rows, table);
    for open in database.open() {
        for write in open.writes.iter().filter(|write| write.table == place) {
            let pending = |change| Some(PendingRow { transaction: open.transaction, change });
            let is_new = rows
                .get(write.key)
                .is_none_or(|row| row.pending.as_ref().is_some_and(|row| row.change == PendingChange::Inserted));
            match (write.after, is_new) {
                (Some(cells), true) => {
                    let row = RowPicture { pending: pending(PendingChange::Inserted), ..committed(cells) };
                    rows.insert(write.key.to_vec(), row);
                }
                (None, true) => drop(rows.remove(write.key)),
                (after, false) => {
                    let change =
                        after.map_or(PendingChange::Deleted, |cells| PendingChange::Updated { after: cells.to_vec() });
                    if let Some(row) = rows.get_mut(write.key) {
                        row.pending = pending(change);
                    }
                }
            }
        }
    }
    let left_out = rows.len().saturating_sub(ROWS_MAX);
    rows.into_values().skip(left_out).collect()
}

/// Finds the rows that say what an earlier one says. Where the application gives the keys itself, two rows with two keys
/// are two things.
fn mark_twins(rows: &mut BTreeMap<Vec<Cell>, RowPicture>, table: TableRef<'_>) {
    let Some(auto) = table.auto_increment() else { return };
    let mut first: BTreeMap<Vec<Cell>, String> = BTreeMap::new();
    for (key, row) in rows {
        let said = row.cells.iter().enumerate().filter(|(column, _)| *column != auto).map(|(_, cell)| cell.clone());
        match first.entry(said.collect()) {
            Entry::Vacant(entry) => drop(entry.insert(key_text(key))),
            Entry::Occupied(entry) => row.same_as = Some(entry.get().clone()),
        }
    }
}

fn key_text(key: &[Cell]) -> String {
    key.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            world::{NodeFacts, TableFact},
            *,
        },
        *,
    };
    use crate::{
        database::TableSpec,
        sim::{Action, DatabaseSpec, Transact},
        wire::Change,
    };

    fn ask(session: &mut Session, query: Query) -> Answer {
        let answer = session.ask(query);
        assert!(!matches!(answer, Answer::Failed(_)), "{answer:?}");
        answer
    }

    fn pictured(session: &mut Session) -> DatabasePicture {
        match ask(session, Query::Databases) {
            Answer::Databases(picture) => picture.nodes[0].clone(),
            answer => panic!("{answer:?}"),
        }
    }

    #[test]
    fn a_database_shows_its_last_rows_its_commits_and_what_is_open() {
        let row = |id: i64| Values::from([("id".to_owned(), Cell::Int(id))]);
        let table = TableSpec {
            name: "orders".to_owned(),
            columns: vec!["id".to_owned(), "state".to_owned()],
            key: vec!["id".to_owned()],
            rows: (1..=120).map(row).collect(),
            ..TableSpec::default()
        };
        let mut cluster = sandbox_cluster();
        cluster.databases = vec![DatabaseSpec { name: "db".to_owned(), tables: vec![table], skew_ms: 0 }];
        let mut session = Session::new();
        assert!(matches!(session.ask(Query::Databases), Answer::Failed(_)), "nothing runs yet");
        ask(&mut session, Query::StartSandbox { cluster: Some(Box::new(cluster)), seed: 1 });
        let changes = vec![Change::Delete { table: "orders".to_owned(), key: row(120) }];
        let (client, database) = ("producer".to_owned(), "db".to_owned());
        let action = Action::Transact(Box::new(Transact { client, database, changes }));
        ask(&mut session, Query::Act { action });
        while pictured(&mut session).open_transactions.is_empty() {
            ask(&mut session, Query::Step);
        }
        let open = pictured(&mut session);
        let first = TransactionPicture { transaction: 1, by: "producer".to_owned(), rows: 1 };
        assert_eq!((open.open_transactions, open.tables[0].total), (vec![first], 120));
        let going = open.tables[0].rows[99].pending.clone().unwrap();
        assert_eq!((going.transaction, going.change), (1, PendingChange::Deleted));
        ask(&mut session, Query::Run { events: 1000 });
        let closed = pictured(&mut session);
        let orders = &closed.tables[0];
        // The hundred last of 119, each with a cell for the column that has no value.
        assert_eq!((orders.total, orders.rows.len()), (119, 100));
        assert_eq!(
            (&orders.rows[0].cells, &orders.rows[99].cells),
            (&vec![Cell::Int(20), Cell::Null], &vec![Cell::Int(119), Cell::Null])
        );
        let gone = CommittedRowPicture { table: "orders".to_owned(), key: "120".to_owned(), row: None };
        assert_eq!((closed.commits, closed.log[0].number, &closed.log[0].rows), (1, 1, &vec![gone]));
        assert_eq!((closed.state, closed.open_transactions.len()), (NodeState::Up, 0));
    }

    #[test]
    fn rows_that_are_not_committed_and_rows_that_say_a_thing_twice_are_told_apart() {
        let parcel = |order: i64| Values::from([("order_id".to_owned(), Cell::Int(order))]);
        let table = TableSpec {
            name: "parcels".to_owned(),
            columns: vec!["parcel".to_owned(), "order_id".to_owned()],
            key: vec!["parcel".to_owned()],
            auto_increment: Some("parcel".to_owned()),
            rows: vec![parcel(7), parcel(8), parcel(7)],
            ..TableSpec::default()
        };
        let mut cluster = sandbox_cluster();
        cluster.databases = vec![DatabaseSpec { name: "db".to_owned(), tables: vec![table], skew_ms: 0 }];
        let mut session = Session::new();
        ask(&mut session, Query::StartSandbox { cluster: Some(Box::new(cluster)), seed: 1 });
        let key = Values::from([("parcel".to_owned(), Cell::Int(1))]);
        let changes = vec![
            Change::Insert { table: "parcels".to_owned(), row: parcel(9) },
            Change::Update {
                table: "parcels".to_owned(),
                key,
                only_if: Values::new(),
                set: parcel(10),
                add: BTreeMap::new(),
            },
        ];
        let (client, database) = ("producer".to_owned(), "db".to_owned());
        ask(&mut session, Query::Act { action: Action::Transact(Box::new(Transact { client, database, changes })) });
        while pictured(&mut session).open_transactions.is_empty() {
            ask(&mut session, Query::Step);
        }
        let open = pictured(&mut session).tables.remove(0);
        let told: Vec<(i64, Option<PendingChange>, Option<&str>)> = open
            .rows
            .iter()
            .map(|row| {
                let Cell::Int(order) = row.cells[1] else { panic!("no order: {row:?}") };
                (order, row.pending.clone().map(|pending| pending.change), row.same_as.as_deref())
            })
            .collect();
        let after = vec![Cell::Int(1), Cell::Int(10)];
        let expected = [
            (7, Some(PendingChange::Updated { after }), None),
            (8, None, None),
            (7, None, Some("1")),
            (9, Some(PendingChange::Inserted), None),
        ];
        assert_eq!((told.as_slice(), open.total), (expected.as_slice(), 3));
        let Answer::Workbench(bench) = ask(&mut session, Query::Look) else { panic!("no workbench") };
        let stage = &bench.run.stage.nodes;
        let card = stage.iter().find(|node| node.name == "db").map(|node| node.facts.clone());
        let tables = vec![TableFact { name: "parcels".to_owned(), rows: 3, twins: 1, redone: 0 }];
        assert_eq!(card, Some(NodeFacts::Database { tables, commits: 0 }));
        assert_eq!((open.auto_increment.as_deref(), open.outbox), (Some("parcel"), false));
    }

    #[test]
    fn a_description_of_a_database_reads_as_scripts_write_it() {
        let text = r#"
            name = "db"
            tables = [{ name = "t", columns = ["a", "b"], key = ["a"], unique = [["b"]], autoIncrement = "a", atLeast = { b = 0 }, rows = [{ a = 1, b = 2 }] }]
        "#;
        let spec: DatabaseSpec = toml::from_str(text).unwrap();
        assert_eq!(spec.tables[0].rows[0]["b"], Cell::Int(2));
        assert!(toml::from_str::<DatabaseSpec>("name = \"db\"\nsize = 1").is_err());
    }
}
