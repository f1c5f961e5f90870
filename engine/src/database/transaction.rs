//! Transactions: what each has written, applied to the tables when it commits.

use super::{
    Commit, CommittedRow, Database, LOG_MAX, OpenTransaction, OpenWrite, RowChanged,
    table::{Effect, RowWrite, Table},
};
use crate::{
    node::{Caller, ConnId, DatabaseStep, Service, Turn},
    wire::{Cell, Change, DatabaseError, Values},
};

/// A transaction that is open.
#[derive(Clone, Debug)]
pub(super) struct Open {
    conn: ConnId,
    by: String,
    writes: Vec<RowWrite>,
}

impl Open {
    pub(super) fn look(&self, transaction: u64) -> OpenTransaction<'_> {
        let writes = self.writes.iter().map(|write| OpenWrite {
            table: write.table,
            key: &write.key,
            after: write.after.as_deref(),
        });
        OpenTransaction { transaction, by: &self.by, writes: writes.collect() }
    }
}

impl Change {
    /// The table that it is about.
    fn table(&self) -> &str {
        match self {
            Self::Insert { table, .. }
            | Self::InsertIfAbsent { table, .. }
            | Self::Update { table, .. }
            | Self::Delete { table, .. } => table,
        }
    }
}

impl Database {
    pub(super) fn begin(&mut self, caller: &Caller, turn: &mut Turn<'_>) -> u64 {
        let transaction = self.next_transaction;
        self.next_transaction += 1;
        turn.step(DatabaseStep::DbBegan { transaction });
        self.open.insert(transaction, Open { conn: caller.conn, by: caller.name.clone(), writes: Vec::new() });
        transaction
    }

    /// The transactions that were begun over a connection.
    pub(super) fn opened_over(&self, conn: ConnId) -> Vec<u64> {
        self.open.iter().filter(|(_, open)| open.conn == conn).map(|(transaction, _)| *transaction).collect()
    }

    /// Makes changes in a transaction; how many rows each touched. The first that is refused ends the transaction.
    pub(super) fn execute(
        &mut self,
        transaction: u64,
        changes: &[Change],
        turn: &mut Turn<'_>,
    ) -> Result<Vec<u32>, DatabaseError> {
        if !self.open.contains_key(&transaction) {
            return Err(DatabaseError::NoSuchTransaction { transaction });
        }
        let mut rows = Vec::new();
        for change in changes {
            turn.spend_us(turn.costs().statement_us);
            match self.change(transaction, change, turn) {
                Ok(touched) => rows.push(touched),
                Err(error) => {
                    self.roll_back(transaction, "refused", turn);
                    return Err(error);
                }
            }
        }
        Ok(rows)
    }

    fn change(&mut self, transaction: u64, change: &Change, turn: &mut Turn<'_>) -> Result<u32, DatabaseError> {
        let place = self.place(change.table())?;
        let mut view = self.seen_by(Some(transaction), place)?;
        let effect = view.plan(place, change)?;
        let Some(table) = self.tables.get_mut(place) else { return Ok(0) };
        // Numbers that count up by themselves are taken for good.
        table.keep_auto(view.next_auto());
        let name = table.schema.name.clone();
        let write = match effect {
            Effect::Write(write) => write,
            Effect::Present(value) => {
                turn.step(DatabaseStep::DbPresent { table: name, key: Table::text(&value) });
                return Ok(0);
            }
            Effect::Missing(key) => {
                turn.step(DatabaseStep::DbMissed { table: name, key: Table::text(&key) });
                return Ok(0);
            }
        };
        let others = self.open.iter().filter(|(number, _)| **number != transaction);
        let mut theirs = others.flat_map(|(number, open)| open.writes.iter().map(move |write| (*number, write)));
        if let Some((by, _)) = theirs.find(|(_, other)| other.table == place && view.collide(&write, other)) {
            return Err(DatabaseError::Locked { table: name, value: Table::text(&write.key), by });
        }
        let key = Table::text(&write.key);
        turn.step(match (&write.before, &write.after) {
            (None, Some(row)) => DatabaseStep::DbInserted { table: name, row: view.told(row) },
            (Some(_), Some(row)) => DatabaseStep::DbUpdated { table: name, key, row: view.told(row) },
            (_, None) => DatabaseStep::DbDeleted { table: name, key },
        });
        if let Some(open) = self.open.get_mut(&transaction) {
            open.writes.push(write);
        }
        Ok(1)
    }

    fn place(&self, table: &str) -> Result<usize, DatabaseError> {
        let place = self.tables.iter().position(|known| known.schema.name == table);
        place.ok_or_else(|| DatabaseError::NoSuchTable { table: table.to_owned() })
    }

    /// A table as a transaction sees it: what is committed, and its own writes over it.
    fn seen_by(&self, transaction: Option<u64>, place: usize) -> Result<Table, DatabaseError> {
        let unknown = || DatabaseError::NoSuchTable { table: place.to_string() };
        let mut view = self.tables.get(place).cloned().ok_or_else(unknown)?;
        if let Some(transaction) = transaction {
            let open = self.open.get(&transaction).ok_or(DatabaseError::NoSuchTransaction { transaction })?;
            for write in open.writes.iter().filter(|write| write.table == place) {
                view.write(write);
            }
        }
        Ok(view)
    }

    pub(super) fn select(
        &self,
        transaction: Option<u64>,
        table: &str,
        only: &Values,
        limit: usize,
    ) -> Result<Vec<Values>, DatabaseError> {
        let view = self.seen_by(transaction, self.place(table)?)?;
        let only = view.cells(only)?;
        let fits = |row: &&[Cell]| only.iter().all(|(column, cell)| row.get(*column) == Some(cell));
        Ok(view.rows.values().map(AsRef::as_ref).filter(fits).take(limit).map(|row| view.named(row)).collect())
    }

    /// Writes a transaction's changes, all of them at once.
    pub(super) fn commit(&mut self, transaction: u64, turn: &mut Turn<'_>) -> Result<(), DatabaseError> {
        let Open { by, writes, .. } =
            self.open.remove(&transaction).ok_or(DatabaseError::NoSuchTransaction { transaction })?;
        turn.spend_us(turn.costs().flush_us);
        self.commits += 1;
        let mut rows = Vec::new();
        let mut news = false;
        let mut changed = Vec::new();
        for write in &writes {
            let Some(table) = self.tables.get_mut(write.table) else { continue };
            table.write(write);
            if write.before != write.after {
                changed.push(RowChanged { table: table.schema.name.clone(), key: Table::text(&write.key) });
            }
            news |= write.before.is_none() && self.polled.contains(&table.schema.name);
            rows.push(CommittedRow {
                table: table.schema.name.clone(),
                key: Table::text(&write.key),
                row: write.after.as_ref().map(|row| table.named(row)),
            });
        }
        self.written.insert(transaction, changed.into());
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        turn.step(DatabaseStep::DbCommitted { commit: self.commits, count });
        if self.log.len() >= LOG_MAX {
            self.log.pop_front();
        }
        self.log.push_back(Commit { number: self.commits, at_us: turn.now_us(), by, rows });
        if news {
            turn.rouse(Service::OutboxRelay);
        }
        Ok(())
    }

    pub(super) fn roll_back(&mut self, transaction: u64, reason: &str, turn: &mut Turn<'_>) {
        if self.open.remove(&transaction).is_some() {
            turn.step(DatabaseStep::DbRolledBack { transaction, reason: reason.to_owned() });
        }
    }
}
