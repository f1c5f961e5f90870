//! What listeners have changed in databases for a message, and why they have changed nothing.

use std::collections::BTreeMap;

use super::{
    Effect, Finding, Rule, Verdict,
    deliveries::{Group, Handed},
};
use crate::{
    client::{Received, consumer::ListenerBusiness},
    sim::World,
};

/// The calls whose transactions for the message were committed and changed rows, one for each such transaction; their
/// rows are added to `effects`.
pub(super) fn of<'h, 'w>(
    world: &'w World,
    group: &Group<'w>,
    handed: &'h [Handed<'w>],
    effects: &mut Vec<Effect>,
) -> Vec<&'h Handed<'w>> {
    let mut committed = Vec::new();
    let mut rows: BTreeMap<(&str, &str, &str), u32> = BTreeMap::new();
    for one in handed {
        let Some(node) = group.database(one) else { continue };
        let Some(database) = world.database(node) else { continue };
        let records = group.business(one).and_then(ListenerBusiness::record_place);
        let records = records.filter(|(place, _)| *place == node).map(|(_, table)| table);
        for changed in one.effects(database, records) {
            committed.push(one);
            for row in changed {
                let count = rows.entry((node, &row.table, &row.key)).or_default();
                *count = count.saturating_add(1);
            }
        }
    }
    effects.extend(rows.into_iter().map(|((database, table, key), count)| Effect {
        database: database.to_owned(),
        table: table.to_owned(),
        key: key.to_owned(),
        count,
    }));
    committed
}

/// Why listeners were done with a message and have changed nothing for it, where they took it for done before.
pub(super) fn why_none<'w>(world: &'w World, group: &Group<'w>, handed: &[Handed<'w>]) -> Option<Finding> {
    let skips = |handed: &&Handed<'_>| handed.is_consumed() && handed.skipped() > 0;
    let last = handed.iter().rfind(skips)?;
    let business = group.business(last)?;
    let key = business.known_by(last.message)?;
    let one = group.first_done(world, &key);
    Some(match one {
        Some(one) if is_same(one, last.message) => Finding::of(Verdict::ExactlyRight, Rule::RepeatRecognised),
        Some(_) => Finding::of(Verdict::Lost, Rule::TakenForAnother),
        None if business.notes_before() => Finding::of(Verdict::Lost, Rule::NotedBeforeDone),
        None => return None,
    })
}

/// Whether an application has sent the same twice.
fn is_same(one: &Received, other: &Received) -> bool {
    one.topic == other.topic && one.tags == other.tags && one.keys == other.keys && one.body == other.body
}

/// For each key that listeners know messages by, the first message that they have changed rows for.
pub(super) fn firsts<'w>(world: &'w World, group: &Group<'w>) -> BTreeMap<String, &'w Received> {
    let mut firsts: BTreeMap<String, (i64, &Received)> = BTreeMap::new();
    for handed in group.all_handed() {
        let Some(business) = group.business(handed) else { continue };
        let Some(key) = business.known_by(handed.message) else { continue };
        if of(world, group, std::slice::from_ref(handed), &mut Vec::new()).is_empty() {
            continue;
        }
        let began_us = handed.delivery.began_us;
        let first = firsts.entry(key).or_insert((began_us, handed.message));
        if began_us < first.0 {
            *first = (began_us, handed.message);
        }
    }
    firsts.into_iter().map(|(key, (_, message))| (key, message)).collect()
}
