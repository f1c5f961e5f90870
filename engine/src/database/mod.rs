//! A database for applications: tables with keys and unique constraints, transactions, durable commits.
//!
//! It is as much of a relational database as the lessons need, and simpler than any real one in three respects. A commit
//! is durable at once when it is done (its log is flushed within the turn), so a crash takes open transactions and
//! nothing else, and a killed process and a lost power are the same to it. A row that another open transaction has
//! changed is an error at once ([`crate::wire::DatabaseError::Locked`]) where a real one waits. And a reader sees what is committed at
//! the moment it reads, beside what its own transaction has changed (READ COMMITTED).

mod schema;
mod table;
#[cfg(test)]
mod tests;
mod transaction;

use std::{collections::BTreeMap, sync::Arc};

use imbl::{OrdMap, Vector};

use crate::{
    node::{Actor, Answer, Caller, ConnId, DatabaseStep, Service, Turn},
    wire::{Cell, DatabaseAnswer, DatabaseCommand, DatabaseError, Request, Response, ResponseBody, Values},
};

pub use schema::TableSpec;
use table::Table;
use transaction::Open;

/// Where a database listens: the port of `MySQL`.
pub const PORT: i32 = 3306;

/// Commits that the log keeps.
const LOG_MAX: usize = 64;

/// One commit, for looking at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its number, from 1.
    pub number: u64,
    /// When, microseconds.
    pub at_us: i64,
    /// The node that asked for it.
    pub by: String,
    /// What it wrote.
    pub rows: Vec<CommittedRow>,
}

/// A row that a commit wrote or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedRow {
    /// The table.
    pub table: String,
    /// The key.
    pub key: String,
    /// The row; `None`: it is gone.
    pub row: Option<Values>,
}

/// A row that a committed transaction has made, made another, or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowChanged {
    /// The table.
    pub table: String,
    /// The key.
    pub key: String,
}

/// A transaction that is open, for looking at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTransaction<'a> {
    /// Its number.
    pub transaction: u64,
    /// The node that began it.
    pub by: &'a str,
    /// The rows that it has written so far, in order.
    pub writes: Vec<OpenWrite<'a>>,
}

/// A row that an open transaction has written or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenWrite<'a> {
    /// The table's place among [`Database::tables`].
    pub table: usize,
    /// The key's values.
    pub key: &'a [Cell],
    /// The row as the transaction leaves it; `None`: it is gone.
    pub after: Option<&'a [Cell]>,
}

/// A table, for looking at: what is committed.
#[derive(Clone, Copy, Debug)]
pub struct TableRef<'a>(&'a Table);

/// A database.
#[derive(Clone, Debug)]
pub struct Database {
    tables: Vec<Table>,
    /// Names of tables whose new rows somebody polls for.
    polled: Vec<String>,
    open: BTreeMap<u64, Open>,
    next_transaction: u64,
    commits: u64,
    log: Vector<Commit>,
    /// What each committed transaction has changed, by its number.
    written: OrdMap<u64, Arc<[RowChanged]>>,
    /// Transactions that the end of the process took.
    lost: u32,
}

impl Database {
    /// A database with these tables; `polled` are those that relays look for new rows in. The cause if they cannot be.
    pub fn new(specs: &[TableSpec], polled: Vec<String>) -> Result<Self, String> {
        schema::check_count(specs.len())?;
        let mut tables: Vec<Table> = Vec::new();
        for spec in specs {
            if tables.iter().any(|table| table.schema.name == spec.name) {
                return Err(format!("two tables `{}`", spec.name));
            }
            tables.push(Table::new(spec)?);
        }
        Ok(Self {
            tables,
            polled,
            open: BTreeMap::new(),
            next_transaction: 1,
            commits: 0,
            log: Vector::new(),
            written: OrdMap::new(),
            lost: 0,
        })
    }

    /// Its tables, in the order of the description.
    pub fn tables(&self) -> impl Iterator<Item = TableRef<'_>> {
        self.tables.iter().map(TableRef)
    }

    /// A table.
    pub fn table(&self, name: &str) -> Option<TableRef<'_>> {
        self.tables.iter().find(|table| table.schema.name == name).map(TableRef)
    }

    /// Whether a relay looks for new rows in the table of this name.
    pub fn is_outbox(&self, table: &str) -> bool {
        self.polled.iter().any(|polled| polled == table)
    }

    /// How many commits it has seen.
    pub const fn commits(&self) -> u64 {
        self.commits
    }

    /// The newest commits, oldest first.
    pub const fn log(&self) -> &Vector<Commit> {
        &self.log
    }

    /// The rows that a transaction has changed; `None` if it is not committed. A row written as it was before is none.
    pub fn changed_by(&self, transaction: u64) -> Option<&[RowChanged]> {
        self.written.get(&transaction).map(AsRef::as_ref)
    }

    /// Transactions that are open.
    pub fn open(&self) -> impl Iterator<Item = OpenTransaction<'_>> {
        self.open.iter().map(|(number, open)| open.look(*number))
    }

    fn handle(
        &mut self,
        caller: &Caller,
        command: DatabaseCommand,
        turn: &mut Turn<'_>,
    ) -> Result<DatabaseAnswer, DatabaseError> {
        match command {
            DatabaseCommand::Begin { changes } => {
                let transaction = self.begin(caller, turn);
                let rows = self.execute(transaction, &changes, turn)?;
                Ok(DatabaseAnswer::Began { transaction, rows })
            }
            DatabaseCommand::Execute { transaction: Some(transaction), changes } => {
                let rows = self.execute(transaction, &changes, turn)?;
                Ok(DatabaseAnswer::Executed { rows })
            }
            DatabaseCommand::Execute { transaction: None, changes } => {
                let transaction = self.begin(caller, turn);
                let rows = self.execute(transaction, &changes, turn)?;
                self.commit(transaction, turn)?;
                Ok(DatabaseAnswer::Executed { rows })
            }
            DatabaseCommand::Select { transaction, table, only, limit } => {
                turn.spend_us(turn.costs().statement_us);
                let rows = self.select(transaction, &table, &only, limit as usize)?;
                let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
                turn.step(DatabaseStep::DbRead { table, count });
                Ok(DatabaseAnswer::Rows { rows })
            }
            DatabaseCommand::Commit { transaction } => {
                self.commit(transaction, turn)?;
                Ok(DatabaseAnswer::Committed)
            }
            DatabaseCommand::Rollback { transaction } => {
                self.open.get(&transaction).ok_or(DatabaseError::NoSuchTransaction { transaction })?;
                self.roll_back(transaction, "asked", turn);
                Ok(DatabaseAnswer::RolledBack)
            }
        }
    }
}

impl<'a> TableRef<'a> {
    /// Its name.
    pub fn name(self) -> &'a str {
        &self.0.schema.name
    }

    /// Its columns, in order.
    pub fn columns(self) -> &'a [String] {
        &self.0.schema.columns
    }

    /// The columns of its key.
    pub fn key(self) -> Vec<String> {
        self.columns_at(&self.0.schema.key)
    }

    /// The column that counts up by itself.
    pub fn auto_increment(self) -> Option<usize> {
        self.0.schema.auto
    }

    /// The places of the columns of its key.
    pub fn key_places(self) -> &'a [usize] {
        &self.0.schema.key
    }

    /// Its unique constraints.
    pub fn unique(self) -> Vec<Vec<String>> {
        self.0.schema.unique.iter().map(|places| self.columns_at(places)).collect()
    }

    fn columns_at(self, places: &[usize]) -> Vec<String> {
        places.iter().filter_map(|place| self.columns().get(*place).cloned()).collect()
    }

    /// How many rows it has.
    pub fn len(self) -> usize {
        self.0.rows.len()
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.0.rows.is_empty()
    }

    /// How many of its rows say in every column what an earlier one says, but for the column that counts up by itself: of
    /// three such rows, two. 0 for a table without such a column, where the application gives the keys, and two rows with
    /// two keys are two things.
    pub fn twins(self) -> usize {
        self.0.twins()
    }

    /// Its rows by key, every column in order.
    pub fn rows(self) -> impl DoubleEndedIterator<Item = &'a [Cell]> {
        self.0.rows.values().map(AsRef::as_ref)
    }

    /// A cell of the row whose key reads `key`, its values joined by commas.
    pub fn cell(self, key: &str, column: &str) -> Option<&'a Cell> {
        let place = self.0.schema.place(column)?;
        let (_, row) = self.0.rows.iter().find(|(cells, _)| Table::text(cells) == key)?;
        row.get(place)
    }
}

impl Actor for Database {
    fn services(&self) -> Vec<Service> {
        vec![Service::Sql]
    }

    /// A session reads its requests and then the end of its connection, in this order: what was asked before is done by
    /// then, and taken back.
    fn reader(&self) -> Service {
        Service::Sql
    }

    fn lane(&self, _request: &Request) -> Service {
        Service::Sql
    }

    fn start(&mut self, turn: &mut Turn<'_>) {
        turn.step(DatabaseStep::DbOpened { commits: self.commits, lost: std::mem::take(&mut self.lost) });
    }

    /// Open transactions go with the process; tables and log are on the disk.
    fn die(&mut self) {
        self.lost = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        self.open.clear();
    }

    fn request(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) {
        let Request::Database(command) = request else {
            turn.reply(caller, Response::not_supported(request.code()));
            return;
        };
        let result = self.handle(caller, *command, turn);
        if let Err(error) = &result {
            turn.step(DatabaseStep::DbRefused { error: error.clone(), cause: error.to_string() });
        }
        turn.reply(caller, Response::database(result));
    }

    fn answer(&mut self, _service: Service, _answer: Answer, _turn: &mut Turn<'_>) {}

    fn wake(&mut self, _service: Service, _turn: &mut Turn<'_>) {}

    fn closed(&mut self, _service: Service, conn: ConnId, turn: &mut Turn<'_>) {
        for transaction in self.opened_over(conn) {
            self.roll_back(transaction, "disconnected", turn);
        }
    }
}

impl Response {
    /// What a database answers.
    fn database(result: Result<DatabaseAnswer, DatabaseError>) -> Self {
        let refused = result.as_ref().err().map(ToString::to_string);
        let body = ResponseBody::Database(Box::new(result));
        match refused {
            None => Self::success(body),
            Some(remark) => Self { code: crate::wire::ResponseCode::SqlRefused, remark: Some(remark), body },
        }
    }
}
