//! A table of a database being described: lists are words with commas between them.

use rocketscope_engine::database::TableSpec;
use rocketscope_engine::wire::Cell;
use serde::{Deserialize, Serialize};

use crate::components::cells;

/// A table being described.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: String,
    /// The columns of its key.
    pub key: String,
    /// Unique constraints, one a line.
    pub unique: String,
    /// The column that counts up by itself.
    pub auto: String,
    /// The smallest number of a column, `column=number` a line.
    pub at_least: String,
    /// Rows at the start, one a line, their values in the order of the columns.
    pub rows: String,
}

/// The words of a list.
pub fn list(words: &str) -> Vec<String> {
    words.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn lines(words: &str) -> impl Iterator<Item = &str> {
    words.lines().map(str::trim).filter(|line| !line.is_empty())
}

impl Table {
    /// A table to begin from.
    pub fn orders() -> Self {
        let text = str::to_owned;
        Self { name: text("orders"), columns: text("id, item, state"), key: text("id"), ..Self::default() }
    }

    /// A table as it is described.
    pub fn of(spec: &TableSpec) -> Self {
        let column = |row: &rocketscope_engine::wire::Values, column: &String| {
            row.get(column).map_or(String::new(), cells::typed)
        };
        let row = |row| spec.columns.iter().map(|name| column(row, name)).collect::<Vec<_>>().join(", ");
        let join = |lines: Vec<String>| lines.join("\n");
        Self {
            name: spec.name.clone(),
            columns: spec.columns.join(", "),
            key: spec.key.join(", "),
            unique: join(spec.unique.iter().map(|columns| columns.join(", ")).collect()),
            auto: spec.auto_increment.clone().unwrap_or_default(),
            at_least: join(spec.at_least.iter().map(|(column, least)| format!("{column}={least}")).collect()),
            rows: join(spec.rows.iter().map(row).collect()),
        }
    }

    /// The description, or the first field that cannot be used and the catalogue's words for why, below
    /// `cluster.problem`.
    pub fn read(&self) -> Result<TableSpec, (&'static str, &'static str)> {
        let columns = list(&self.columns);
        if self.name.trim().is_empty() {
            return Err(("name", "no-name"));
        }
        let least = |line: &str| {
            let (column, number) = line.split_once('=')?;
            Some((column.trim().to_owned(), number.trim().parse().ok()?))
        };
        let at_least = lines(&self.at_least).map(least).collect::<Option<_>>().ok_or(("at-least", "at-least"))?;
        let mut rows = Vec::new();
        for line in lines(&self.rows) {
            let values = cells::row(line);
            if values.len() > columns.len() {
                return Err(("rows", "row-too-long"));
            }
            let named = columns.iter().cloned().zip(values);
            rows.push(
                named.filter_map(|(column, cell)| Some((column, cell.filter(|cell| *cell != Cell::Null)?))).collect(),
            );
        }
        let auto = self.auto.trim();
        Ok(TableSpec {
            name: self.name.trim().to_owned(),
            key: list(&self.key),
            unique: lines(&self.unique).map(list).collect(),
            auto_increment: (!auto.is_empty()).then(|| auto.to_owned()),
            at_least,
            rows,
            columns,
        })
    }
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::database::TableSpec;
    use rocketscope_engine::wire::{Cell, Values};

    use super::Table;

    #[test]
    fn a_table_is_read_from_what_was_typed_and_comes_back() {
        let text = str::to_owned;
        let typed = Table {
            name: text(" accounts "),
            columns: text("id, owner,balance"),
            key: text("id"),
            unique: text("owner\nowner, balance\n"),
            auto: text("id"),
            at_least: text("balance = 0"),
            rows: text("1, 'Li, Na', 100\n2, bob"),
        };
        let words = |words: &[&str]| words.iter().map(|word| text(word)).collect::<Vec<_>>();
        let row = |values: &[(&str, Cell)]| -> Values {
            values.iter().map(|(column, cell)| (text(column), cell.clone())).collect()
        };
        let spec = TableSpec {
            name: text("accounts"),
            columns: words(&["id", "owner", "balance"]),
            key: words(&["id"]),
            unique: vec![words(&["owner"]), words(&["owner", "balance"])],
            auto_increment: Some(text("id")),
            at_least: [(text("balance"), 0)].into(),
            rows: vec![
                row(&[("id", Cell::Int(1)), ("owner", Cell::from("Li, Na")), ("balance", Cell::Int(100))]),
                row(&[("id", Cell::Int(2)), ("owner", Cell::from("bob"))]),
            ],
        };
        assert_eq!(typed.read(), Ok(spec.clone()));
        assert_eq!(Table::of(&spec).read(), Ok(spec));
    }

    #[test]
    fn what_cannot_be_used_names_its_field() {
        let table = Table::orders();
        assert!(table.read().is_ok());
        let wrong = |change: fn(&mut Table)| {
            let mut table = Table::orders();
            change(&mut table);
            table.read().unwrap_err().0
        };
        assert_eq!(wrong(|table| table.name = " ".to_owned()), "name");
        assert_eq!(wrong(|table| table.at_least = "state".to_owned()), "at-least");
        assert_eq!(wrong(|table| table.rows = "1, 2, 3, 4".to_owned()), "rows");
    }
}
