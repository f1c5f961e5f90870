//! Changes of rows that have been committed more than once for one message, by table.

use std::collections::BTreeMap;

use super::deliveries::origin_of;
use crate::{
    client::consumer::MessageModel,
    sim::{NodeActor, World},
};

/// For how many messages one group has committed changes of a table's rows more than once, by database and table; tables
/// where that has not happened are left out.
///
/// A message that was given back and comes again is the same message, one that was sent twice is two. Of a broadcasting
/// group each consumer is a group of its own. A row that is written as it was before is not changed, and the records by
/// which a listener knows its messages do not count.
pub fn redone(world: &World) -> BTreeMap<(&str, &str), u32> {
    let mut changes = Vec::new();
    for node in world.nodes() {
        let NodeActor::Client(client) = node.actor else { continue };
        let Some(push) = client.push() else { continue };
        let Some(business) = push.listener().business.as_deref() else { continue };
        let place = business.database.as_str();
        let Some(database) = world.database(place) else { continue };
        let records = business.record_place().filter(|(of, _)| *of == place).map(|(_, table)| table);
        let alone = push.settings().message_model == MessageModel::Broadcasting;
        let consumer = alone.then_some(node.name);
        for delivery in push.consumed() {
            for begun in &delivery.transactions {
                let Some(message) = delivery.messages.get(begun.place) else { continue };
                let rows = database.changed_by(begun.transaction).unwrap_or_default();
                let mut tables: Vec<&str> = rows.iter().map(|row| row.table.as_str()).collect();
                tables.sort_unstable();
                tables.dedup();
                let tables = tables.into_iter().filter(|table| records != Some(*table));
                changes.extend(tables.map(|table| (client.group(), consumer, origin_of(message), place, table)));
            }
        }
    }
    // Deliveries come in the order of their messages, almost.
    changes.sort();
    let mut tables: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for change in changes.chunk_by(|one, other| one == other) {
        if let [(_, _, _, database, table), _, ..] = change {
            let count = tables.entry((*database, *table)).or_default();
            *count = count.saturating_add(1);
        }
    }
    tables
}
