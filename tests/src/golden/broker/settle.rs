//! What of the log no recording decides.

use rocketscope_engine::message::record::{self, FieldName};

use super::super::archive::Tree;
use super::super::diff::Report;
use super::LOG;
use super::timeline::Recorded;

/// How long the real broker took from making a message of its own to the lock of the append, milliseconds at most.
const MOST_MS: i64 = 10;

/// Takes over the times of birth of what the broker made of its own accord, after a look whether both can be: the real one
/// made the object a millisecond or two before it had the lock, and with ours both are one moment.
pub(super) fn births(report: &mut Report, expected: &Tree, actual: &mut Tree, records: &[Recorded]) {
    let (Some(expected), Some(actual)) = (expected.get(LOG), actual.get_mut(LOG)) else { return };
    for recorded in records.iter().filter(|recorded| recorded.own) {
        let range = recorded.offset as usize..recorded.end() as usize;
        let (Some(theirs), Some(ours)) = (expected.get(range.clone()), actual.get_mut(range)) else { continue };
        let place = format!("{LOG}, born of the record at {} ({})", recorded.offset, recorded.topic);
        let (Some(before), Some(now)) = (record::decode(theirs).ok(), record::decode(ours).ok()) else { continue };
        let waited_ms = before.store_timestamp - before.born_timestamp;
        if !(0..=MOST_MS).contains(&waited_ms) || now.born_timestamp != now.store_timestamp {
            report.add(format!("{place}: {waited_ms} ms before it was stored, ours {}", now.born_timestamp));
        }
        let fields = record::fields(theirs);
        let Some(born) = fields.iter().find(|field| field.name == FieldName::BornTimestamp) else { continue };
        let born = born.start as usize..(born.start + born.len) as usize;
        if let (Some(from), Some(to)) = (theirs.get(born.clone()), ours.get_mut(born)) {
            to.copy_from_slice(from);
        }
    }
}
