//! What a table may hold.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::wire::Values;

/// The most tables, columns of a table, and unique constraints of a table.
const PARTS_MAX: usize = 64;

/// The most rows that a table may begin with.
const ROWS_MAX: usize = 10_000;

/// A table as a cluster describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TableSpec {
    /// Its name.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<String>,
    /// The columns of its primary key.
    pub key: Vec<String>,
    /// Unique constraints: each the columns whose values no two rows may share. A row in which one of them has no value
    /// is free.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unique: Vec<Vec<String>>,
    /// A column of whole numbers that counts up by itself where a new row leaves it out. A number that a transaction has
    /// taken is not given again, even if the transaction is taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_increment: Option<String>,
    /// The smallest number that a column may hold, such as a balance.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub at_least: BTreeMap<String, i64>,
    /// What it holds at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Values>,
}

/// A table's description with columns by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schema {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) key: Vec<usize>,
    pub(super) unique: Vec<Vec<usize>>,
    pub(super) auto: Option<usize>,
    pub(super) at_least: Vec<(usize, i64)>,
}

impl Schema {
    /// Checks a description. The cause if it makes no table.
    pub(super) fn new(spec: &TableSpec) -> Result<Self, String> {
        let name = &spec.name;
        let fail = |cause: String| Err(format!("table `{name}`: {cause}"));
        if !is_name(name) {
            return Err(format!("`{name}` is no name for a table: letters, digits, - and _"));
        }
        let distinct: BTreeSet<&String> = spec.columns.iter().collect();
        if distinct.len() != spec.columns.len() || !spec.columns.iter().all(|column| is_name(column)) {
            return fail("columns need names of letters, digits, - and _, no two alike".to_owned());
        }
        if spec.columns.len() > PARTS_MAX || spec.unique.len() > PARTS_MAX || spec.rows.len() > ROWS_MAX {
            return fail(format!("at most {PARTS_MAX} columns, {PARTS_MAX} constraints and {ROWS_MAX} rows"));
        }
        let place = |column: &String| {
            let place = spec.columns.iter().position(|known| known == column);
            place.ok_or_else(|| format!("table `{name}`: there is no column `{column}`"))
        };
        let places = |columns: &Vec<String>| {
            if columns.is_empty() {
                return Err(format!("table `{name}`: a key or a constraint needs a column"));
            }
            columns.iter().map(place).collect::<Result<Vec<usize>, String>>()
        };
        Ok(Self {
            key: places(&spec.key)?,
            unique: spec.unique.iter().map(places).collect::<Result<_, _>>()?,
            auto: spec.auto_increment.as_ref().map(place).transpose()?,
            at_least: spec
                .at_least
                .iter()
                .map(|(column, least)| Ok((place(column)?, *least)))
                .collect::<Result<_, String>>()?,
            name: name.clone(),
            columns: spec.columns.clone(),
        })
    }

    /// The column's place.
    pub(super) fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known == column)
    }

    /// The names of columns, joined by commas.
    pub(super) fn names(&self, places: &[usize]) -> String {
        let names: Vec<&str> = places.iter().filter_map(|place| self.columns.get(*place)).map(String::as_str).collect();
        names.join(",")
    }
}

/// Checks how many tables there are.
pub(super) fn check_count(tables: usize) -> Result<(), String> {
    if tables > PARTS_MAX { Err(format!("at most {PARTS_MAX} tables")) } else { Ok(()) }
}

/// Probes and pictures name tables and columns, so their names hold no dots and no blanks.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_'))
}
