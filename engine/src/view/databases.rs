//! The databases of a world as pictures: what is committed, what is open, and the newest commits.

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
    /// The last rows by key, a hundred at most, with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Rows in all.
    pub total: u32,
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
        tables: database.tables().map(table_picture).collect(),
        open_transactions: database
            .open()
            .map(|open| TransactionPicture {
                transaction: open.transaction,
                by: open.by.to_owned(),
                rows: count(open.rows),
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

fn table_picture(table: TableRef<'_>) -> TablePicture {
    let mut rows: Vec<Vec<Cell>> = table.rows().rev().take(ROWS_MAX).map(<[Cell]>::to_vec).collect();
    rows.reverse();
    TablePicture {
        name: table.name().to_owned(),
        columns: table.columns().to_vec(),
        key: table.key(),
        unique: table.unique(),
        rows,
        total: count(table.len()),
    }
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{super::*, *};
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
        ask(&mut session, Query::Run { events: 1000 });
        let closed = pictured(&mut session);
        let orders = &closed.tables[0];
        // The hundred last of 119, each with a cell for the column that has no value.
        assert_eq!((orders.total, orders.rows.len()), (119, 100));
        assert_eq!(
            (&orders.rows[0], &orders.rows[99]),
            (&vec![Cell::Int(20), Cell::Null], &vec![Cell::Int(119), Cell::Null])
        );
        let gone = CommittedRowPicture { table: "orders".to_owned(), key: "120".to_owned(), row: None };
        assert_eq!((closed.commits, closed.log[0].number, &closed.log[0].rows), (1, 1, &vec![gone]));
        assert_eq!((closed.state, closed.open_transactions.len()), (NodeState::Up, 0));
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
