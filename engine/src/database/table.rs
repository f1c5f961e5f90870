//! A table: rows by key, and an index for each unique constraint. Persistent maps, so that copies share what is equal.

use std::sync::Arc;

use imbl::OrdMap;

use super::schema::{Schema, TableSpec};
use crate::wire::{Cell, Change, DatabaseError, Values};

/// Values of some columns, in order.
pub(super) type Cells = Arc<[Cell]>;

/// Columns of a key or a unique constraint, and values that another row has there already.
type Taken = (Vec<usize>, Cells);

/// A row that a statement wrote or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowWrite {
    /// The table's place.
    pub(super) table: usize,
    pub(super) key: Cells,
    pub(super) before: Option<Cells>,
    pub(super) after: Option<Cells>,
}

/// What a statement comes to.
pub(super) enum Effect {
    /// A row is to be written or removed.
    Write(RowWrite),
    /// The row is there already, so nothing is inserted.
    Present(Cells),
    /// No row has this key, or its values are others.
    Missing(Cells),
}

#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) schema: Arc<Schema>,
    pub(super) rows: OrdMap<Cells, Cells>,
    /// One per unique constraint: its values, and the key of the row that has them.
    unique: Vec<OrdMap<Cells, Cells>>,
    /// Where a column counts up by itself: what rows say but for it, and how many say that.
    said: OrdMap<Cells, u32>,
    next_auto: i64,
}

impl Table {
    pub(super) fn new(spec: &TableSpec) -> Result<Self, String> {
        let schema = Arc::new(Schema::new(spec)?);
        let unique = vec![OrdMap::new(); schema.unique.len()];
        let mut table = Self { schema, rows: OrdMap::new(), unique, said: OrdMap::new(), next_auto: 1 };
        for row in &spec.rows {
            let change = Change::Insert { table: spec.name.clone(), row: row.clone() };
            match table.plan(0, &change).map_err(|error| error.to_string())? {
                Effect::Write(write) => table.write(&write),
                Effect::Present(_) | Effect::Missing(_) => {}
            }
        }
        Ok(table)
    }

    /// The key as people read it.
    pub(super) fn text(cells: &[Cell]) -> String {
        let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
        cells.join(",")
    }

    /// A row as people read it.
    pub(super) fn told(&self, row: &[Cell]) -> String {
        let cells: Vec<String> = self.named(row).iter().map(|(column, cell)| format!("{column} = {cell}")).collect();
        cells.join(", ")
    }

    /// The columns of a row that have values.
    pub(super) fn named(&self, row: &[Cell]) -> Values {
        let cells = self.schema.columns.iter().cloned().zip(row.iter().cloned());
        cells.filter(|(_, cell)| *cell != Cell::Null).collect()
    }

    /// The number that a row without one would get next.
    pub(super) const fn next_auto(&self) -> i64 {
        self.next_auto
    }

    pub(super) fn keep_auto(&mut self, next: i64) {
        self.next_auto = self.next_auto.max(next);
    }

    /// What a change would write, this table being the one at `place`. Only the numbers that count up by themselves are
    /// taken at once.
    pub(super) fn plan(&mut self, place: usize, change: &Change) -> Result<Effect, DatabaseError> {
        match change {
            Change::Insert { row, .. } => match self.insertion(place, row)? {
                (write, None) => Ok(Effect::Write(write)),
                (_, Some((columns, value))) => {
                    let (table, constraint) = (self.schema.name.clone(), self.schema.names(&columns));
                    Err(DatabaseError::Duplicate { table, constraint, value: Self::text(&value) })
                }
            },
            Change::InsertIfAbsent { row, .. } => Ok(match self.insertion(place, row)? {
                (write, None) => Effect::Write(write),
                (_, Some((_, value))) => Effect::Present(value),
            }),
            Change::Update { key, only_if, set, add, .. } => {
                let key = self.key(key)?;
                let only_if = self.cells(only_if)?;
                let Some(before) = self.rows.get(&key).cloned() else { return Ok(Effect::Missing(key)) };
                if only_if.iter().any(|(column, cell)| before.get(*column) != Some(cell)) {
                    return Ok(Effect::Missing(key));
                }
                let after = self.changed(&before, set, add)?;
                let write = RowWrite { table: place, key, before: Some(before), after: Some(after.clone()) };
                match self.taken(&after, Some(&write.key)) {
                    None => Ok(Effect::Write(write)),
                    Some((columns, value)) => {
                        let (table, constraint) = (self.schema.name.clone(), self.schema.names(&columns));
                        Err(DatabaseError::Duplicate { table, constraint, value: Self::text(&value) })
                    }
                }
            }
            Change::Delete { key, .. } => {
                let key = self.key(key)?;
                Ok(match self.rows.get(&key).cloned() {
                    Some(before) => Effect::Write(RowWrite { table: place, key, before: Some(before), after: None }),
                    None => Effect::Missing(key),
                })
            }
        }
    }

    /// The row that an insertion would write, and the constraint that it would break with the values it shares.
    fn insertion(&mut self, place: usize, row: &Values) -> Result<(RowWrite, Option<Taken>), DatabaseError> {
        let schema = Arc::clone(&self.schema);
        let mut cells = vec![Cell::Null; schema.columns.len()];
        for (column, cell) in self.cells(row)? {
            if let Some(place) = cells.get_mut(column) {
                *place = cell;
            }
        }
        if let Some(cell) = schema.auto.and_then(|auto| cells.get_mut(auto)) {
            if *cell == Cell::Null {
                *cell = Cell::Int(self.next_auto);
            }
            if let Cell::Int(taken) = cell {
                self.keep_auto(taken.saturating_add(1));
            }
        }
        for column in &schema.key {
            if cells.get(*column).is_none_or(|cell| *cell == Cell::Null) {
                return Err(self.incomplete(*column));
            }
        }
        self.check_least(&cells)?;
        let after: Cells = cells.into();
        let key = pick(&after, &schema.key);
        let taken = if self.rows.contains_key(&key) {
            Some((schema.key.clone(), key.clone()))
        } else {
            self.taken(&after, None)
        };
        Ok((RowWrite { table: place, key, before: None, after: Some(after) }, taken))
    }

    /// The unique constraint that a row would break with another than that of the key `own`.
    fn taken(&self, row: &Cells, own: Option<&Cells>) -> Option<Taken> {
        self.schema.unique.iter().zip(&self.unique).find_map(|(columns, index)| {
            let value = unique_value(row, columns)?;
            let holder = index.get(&value)?;
            (Some(holder) != own).then(|| (columns.clone(), value))
        })
    }

    fn changed(
        &self,
        before: &Cells,
        set: &Values,
        add: &std::collections::BTreeMap<String, i64>,
    ) -> Result<Cells, DatabaseError> {
        let mut cells = before.to_vec();
        for (column, cell) in self.cells(set)? {
            if self.schema.key.contains(&column) && before.get(column) != Some(&cell) {
                return Err(self.fixed(column));
            }
            if let Some(place) = cells.get_mut(column) {
                *place = cell;
            }
        }
        for (name, more) in add {
            let column = self.column(name)?;
            if self.schema.key.contains(&column) {
                return Err(self.fixed(column));
            }
            let Some(place) = cells.get_mut(column) else { continue };
            let sum = match place {
                Cell::Int(value) => value.checked_add(*more),
                Cell::Null | Cell::Text(_) => None,
            };
            let Some(sum) = sum else {
                let (table, column, value) = (self.schema.name.clone(), name.clone(), place.to_string());
                return Err(DatabaseError::NoSum { table, column, value, add: *more });
            };
            *place = Cell::Int(sum);
        }
        self.check_least(&cells)?;
        Ok(cells.into())
    }

    fn check_least(&self, cells: &[Cell]) -> Result<(), DatabaseError> {
        for (column, least) in &self.schema.at_least {
            if let Some(Cell::Int(value)) = cells.get(*column)
                && value < least
            {
                let (table, column) = (self.schema.name.clone(), self.schema.names(&[*column]));
                return Err(DatabaseError::BelowLeast { table, column, value: *value, least: *least });
            }
        }
        Ok(())
    }

    /// The key that these values are.
    pub(super) fn key(&self, values: &Values) -> Result<Cells, DatabaseError> {
        let cells = self.cells(values)?;
        if let Some((other, _)) = cells.iter().find(|(column, _)| !self.schema.key.contains(column)) {
            return Err(self.fixed(*other));
        }
        let cell = |column: &usize| {
            let found = cells.iter().find(|(place, cell)| place == column && *cell != Cell::Null);
            found.map(|(_, cell)| cell.clone()).ok_or_else(|| self.incomplete(*column))
        };
        self.schema.key.iter().map(cell).collect()
    }

    /// Values by the places of their columns.
    pub(super) fn cells(&self, values: &Values) -> Result<Vec<(usize, Cell)>, DatabaseError> {
        values.iter().map(|(name, cell)| Ok((self.column(name)?, cell.clone()))).collect()
    }

    fn column(&self, name: &str) -> Result<usize, DatabaseError> {
        let unknown = || DatabaseError::NoSuchColumn { table: self.schema.name.clone(), column: name.to_owned() };
        self.schema.place(name).ok_or_else(unknown)
    }

    fn incomplete(&self, column: usize) -> DatabaseError {
        DatabaseError::KeyIncomplete { table: self.schema.name.clone(), column: self.schema.names(&[column]) }
    }

    fn fixed(&self, column: usize) -> DatabaseError {
        let (table, column) = (self.schema.name.clone(), self.schema.names(&[column]));
        if self.schema.place(&column).is_some_and(|place| self.schema.key.contains(&place)) {
            DatabaseError::KeyFixed { table, column }
        } else {
            DatabaseError::NotInKey { table, column }
        }
    }

    /// Writes or removes a row.
    pub(super) fn write(&mut self, write: &RowWrite) {
        for (columns, index) in self.schema.unique.iter().zip(&mut self.unique) {
            if let Some(value) = write.before.as_ref().and_then(|row| unique_value(row, columns)) {
                index.remove(&value);
            }
            if let Some(value) = write.after.as_ref().and_then(|row| unique_value(row, columns)) {
                index.insert(value, write.key.clone());
            }
        }
        if let Some(auto) = self.schema.auto {
            self.count_said(auto, write);
        }
        match &write.after {
            Some(row) => self.rows.insert(write.key.clone(), row.clone()),
            None => self.rows.remove(&write.key),
        };
    }

    fn count_said(&mut self, auto: usize, write: &RowWrite) {
        if let Some(said) = write.before.as_ref().map(|row| but(row, auto)) {
            match self.said.get(&said).copied() {
                Some(rows) if rows > 1 => drop(self.said.insert(said, rows - 1)),
                _ => drop(self.said.remove(&said)),
            }
        }
        if let Some(said) = write.after.as_ref().map(|row| but(row, auto)) {
            let rows = self.said.entry(said).or_insert(0);
            *rows = rows.saturating_add(1);
        }
    }

    /// How many rows say what an earlier one says, but for the column that counts up by itself; 0 where there is none.
    pub(super) fn twins(&self) -> usize {
        if self.schema.auto.is_some() { self.rows.len().saturating_sub(self.said.len()) } else { 0 }
    }

    /// Whether two writes of different transactions are at odds: over a row, or over unique values.
    pub(super) fn collide(&self, ours: &RowWrite, theirs: &RowWrite) -> bool {
        if ours.key == theirs.key {
            return true;
        }
        let values = |row: &Option<Cells>, columns: &[usize]| row.as_ref().and_then(|row| unique_value(row, columns));
        self.schema.unique.iter().any(|columns| {
            let wanted = values(&ours.after, columns);
            wanted.is_some() && [&theirs.before, &theirs.after].iter().any(|row| values(row, columns) == wanted)
        })
    }
}

fn pick(row: &[Cell], columns: &[usize]) -> Cells {
    columns.iter().map(|column| row.get(*column).cloned().unwrap_or_default()).collect()
}

/// A row without one of its columns.
fn but(row: &[Cell], column: usize) -> Cells {
    row.iter().enumerate().filter(|(place, _)| *place != column).map(|(_, cell)| cell.clone()).collect()
}

/// The values of a row under a unique constraint; `None` where one of them is missing.
fn unique_value(row: &[Cell], columns: &[usize]) -> Option<Cells> {
    let value = pick(row, columns);
    (!value.contains(&Cell::Null)).then_some(value)
}
