//! What two runs came to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::accounts::{AccountPair, accounts};
use crate::{
    database::{Database, TableRef},
    sim::{NodeActor, NodeState, World},
};

/// What two runs came to, thing by thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ends {
    /// The messages, as the ledger has them.
    pub accounts: Vec<AccountPair>,
    /// The logs of the brokers of either world.
    pub logs: Vec<LogPair>,
    /// The tables of the databases of either world.
    pub tables: Vec<TablePair>,
}

/// A broker's log in both worlds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogPair {
    /// The broker's node.
    pub broker: String,
    /// In the first world; absent: it has no such broker.
    pub first: Option<LogEnd>,
    /// In the second.
    pub second: Option<LogEnd>,
}

/// Where a broker's log stands. Offsets are bytes of the CommitLog, and absent while no process has the store loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogEnd {
    /// Where the process is in its life.
    pub state: NodeState,
    /// The end of what can be read.
    pub max: Option<i64>,
    /// The end of what is flushed.
    pub flushed: Option<i64>,
    /// Where reput reads next.
    pub dispatched: Option<i64>,
}

/// A table in both worlds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TablePair {
    /// The database's node.
    pub database: String,
    /// The table.
    pub table: String,
    /// Rows in the first world; absent: it has no such table.
    pub first: Option<u64>,
    /// Rows in the second.
    pub second: Option<u64>,
    /// Whether the rows are the same, cell by cell.
    pub same: bool,
}

impl Ends {
    pub(super) fn of(first: &World, second: &World) -> Self {
        let logs = both(names(first, is_broker), names(second, is_broker));
        let logs =
            logs.map(|broker| LogPair { first: log_end(first, &broker), second: log_end(second, &broker), broker });
        let tables = both(tables(first), tables(second)).map(|(database, table)| {
            let (one, other) = (table_of(first, &database, &table), table_of(second, &database, &table));
            let same = one.zip(other).is_some_and(|(one, other)| one.rows().eq(other.rows()));
            TablePair { first: one.map(count), second: other.map(count), same, database, table }
        });
        Self { accounts: accounts(first, second), logs: logs.collect(), tables: tables.collect() }
    }
}

fn count(table: TableRef<'_>) -> u64 {
    table.len() as u64
}

fn table_of<'w>(world: &'w World, database: &str, table: &str) -> Option<TableRef<'w>> {
    world.database(database)?.table(table)
}

/// What either has: the first's in its order, then what the second has beside it.
fn both<T: Ord + Clone>(first: Vec<T>, second: Vec<T>) -> impl Iterator<Item = T> {
    let known: BTreeSet<T> = first.iter().cloned().collect();
    first.into_iter().chain(second.into_iter().filter(move |name| !known.contains(name)))
}

const fn is_broker(actor: &NodeActor) -> bool {
    matches!(actor, NodeActor::Broker(_))
}

fn names(world: &World, wanted: fn(&NodeActor) -> bool) -> Vec<String> {
    world.nodes().filter(|node| wanted(node.actor)).map(|node| node.name.to_owned()).collect()
}

fn tables(world: &World) -> Vec<(String, String)> {
    let databases = world.nodes().filter_map(|node| match node.actor {
        NodeActor::Database(database) => Some((node.name, database.as_ref())),
        _ => None,
    });
    let named = |(node, database): (&str, &Database)| {
        let tables = database.tables().map(|table| (node.to_owned(), table.name().to_owned()));
        tables.collect::<Vec<_>>()
    };
    databases.flat_map(named).collect()
}

fn log_end(world: &World, broker: &str) -> Option<LogEnd> {
    let state = world.node_state(broker)?;
    let store = world.broker(broker)?.store();
    Some(LogEnd {
        state,
        max: store.map(crate::store::Store::max_phy_offset),
        flushed: store.map(crate::store::Store::flushed_where),
        dispatched: store.map(crate::store::Store::reput_from_offset),
    })
}
