//! The databases of a draft, with the tables that they will have.

use rocketscope_engine::client::consumer::record_table;
use rocketscope_engine::client::{outbox_table, transaction_table};
use rocketscope_engine::database::TableSpec;

use super::draft::Draft;
use super::node::{Kind, Node, What};
use super::tables::{Table, list};
use crate::components::sandbox::choices::{DatabaseChoice, TableChoice};

impl Draft {
    /// Its databases with the tables that they will have: those that are described, and those that are made because
    /// somebody needs them there.
    pub fn databases(&self) -> Vec<DatabaseChoice> {
        let choice = |node: &Node| {
            let name = node.name.trim().to_owned();
            let described = match &node.what {
                What::Database(tables) => tables.as_slice(),
                _ => &[],
            };
            let mut tables: Vec<TableChoice> = described.iter().map(Table::choice).collect();
            for TableSpec { name, columns, key, .. } in self.needed_in(&name) {
                if !tables.iter().any(|table| table.name == name) {
                    tables.push(TableChoice { name, columns, key });
                }
            }
            DatabaseChoice { name, tables }
        };
        self.of_kind(Kind::Database).map(choice).collect()
    }

    /// The tables that clients need in a database: outboxes, transactions and records.
    fn needed_in(&self, database: &str) -> Vec<TableSpec> {
        let mut needed = Vec::new();
        for node in &self.nodes {
            match &node.what {
                What::Producer { outbox, listener, .. } => {
                    if outbox.database == database {
                        needed.push(outbox_table(outbox.table.trim()));
                    }
                    if listener.keeps == "database" && listener.database == database {
                        needed.push(transaction_table(listener.table.trim()));
                    }
                }
                What::Consumer { push: Some(push), .. } => {
                    let place = push.business.record_place().filter(|(of, _)| *of == database);
                    needed.extend(place.map(|(_, table)| record_table(table)));
                }
                _ => {}
            }
        }
        needed
    }
}

impl Table {
    /// What can be named of it.
    fn choice(&self) -> TableChoice {
        TableChoice { name: self.name.trim().to_owned(), columns: list(&self.columns), key: list(&self.key) }
    }
}

#[cfg(test)]
mod tests {
    use crate::components::cluster::draft::Draft;
    use crate::components::cluster::templates::Template;

    #[test]
    fn a_database_has_the_tables_that_others_need_in_it_too() {
        let tables = |template: Template| {
            let databases = Draft::of(&template.cluster(), 1).databases();
            databases[0].tables.iter().map(|table| table.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(tables(Template::Shop), ["orders", "accounts", "outbox"]);
        assert_eq!(tables(Template::ShopConsumers), ["parcels_naive", "parcels_safe", "processed"]);
        assert!(Draft::of(&Template::OneMaster.cluster(), 1).databases().is_empty());
    }
}
