//! What must hold at a broker.

use super::{Broken, Invariant, Marks};
use crate::{
    broker::{Broker, RETRY_PREFIX, is_system_topic},
    disk::MemoryDisk,
    message::{
        TransactionType, property,
        record::{self, Record},
    },
    node::StepKind,
    sim::{TraceEvent, World},
    store::{BrokerRole, ConsumeQueue, FlushDiskType, Step, Store},
};

/// Looks at an event of a broker.
pub(super) fn look(world: &World, event: &TraceEvent, broker: &Broker, marks: &mut Marks, found: &mut Vec<Broken>) {
    let Some(process) = broker.process() else { return };
    let store = process.store();
    let lives = world.lives(&event.node).len();
    let (end, dispatched) = (store.max_phy_offset(), store.reput_from_offset());
    if marks.lives != lives {
        *marks = Marks { lives, end, ahead: dispatched > end, ..Marks::default() };
    }
    let mut at_most = |invariant, value: i64, bound: i64| {
        if value > bound {
            found.push(Broken::new(invariant, event, value, bound));
        }
    };
    let promised = process.promised();
    if store.config().flush_disk_type == FlushDiskType::SyncFlush {
        at_most(Invariant::FlushedBeforeAnswer, promised.flushed, store.flushed_where());
    }
    if store.config().broker_role == BrokerRole::SyncMaster {
        at_most(Invariant::ReplicatedBeforeAnswer, promised.replicated, store.push_to_slave_max_offset());
    }
    at_most(Invariant::FlushedWithinLog, store.flushed_where(), store.max_wrote_offset());
    if marks.ahead {
        marks.ahead = dispatched > end;
    } else {
        at_most(Invariant::DispatchedWithinLog, dispatched, end);
    }
    at_most(Invariant::LogGrows, marks.end, end);
    marks.end = end;
    let steps = event.steps.iter().filter_map(|step| match &step.what {
        StepKind::Store(step) => Some(step),
        _ => None,
    });
    let misplaced = steps.clone().any(|step| matches!(step, Step::UnitMisplaced { .. }));
    for step in steps {
        if let Step::UnitWritten { topic, queue_id, queue_offset, physical_offset, size, .. } = step {
            let unit = Unit { topic, queue_id: *queue_id, queue_offset: *queue_offset, size: *size };
            queue_grows(event, store, marks, unit, found);
            let place = physical_offset.wrapping_sub(displacement(store));
            let bytes = store.select_one_message(place);
            let record = bytes.as_deref().and_then(|bytes| record::decode_unchecked(bytes).ok());
            if !misplaced && place >= store.min_phy_offset() {
                found.extend(points_at_record(event, unit, record.as_ref()));
            }
            found.extend(record.and_then(|record| is_hidden(event, unit, *physical_offset, &record)));
        }
    }
}

/// A unit that was written, but for where it points.
#[derive(Clone, Copy)]
struct Unit<'s> {
    topic: &'s str,
    queue_id: i32,
    queue_offset: i64,
    size: i32,
}

fn queue_grows(
    event: &TraceEvent,
    store: &Store<MemoryDisk>,
    marks: &mut Marks,
    unit: Unit<'_>,
    found: &mut Vec<Broken>,
) {
    let Unit { topic, queue_id, queue_offset, .. } = unit;
    let end = store.queue(topic, queue_id).map_or(0, ConsumeQueue::max_offset_in_queue);
    let before = marks.queues.insert((topic.to_owned(), queue_id), end);
    if let Some(before) = before.filter(|before| *before > end && queue_offset > 0) {
        found.push(Broken::new(Invariant::QueueGrows, event, end, before).in_queue(topic, queue_id));
    }
}

/// How much farther on in the log its records say that they lie than they do: 0, unless a slave took its master's bytes
/// in at the head of an empty file. All records of the log are as far off as its first.
fn displacement(store: &Store<MemoryDisk>) -> i64 {
    let min = store.min_phy_offset();
    let bytes = store.select_one_message(min);
    let first = bytes.as_deref().and_then(|bytes| record::decode_unchecked(bytes).ok());
    first.map_or(0, |record| record.physical_offset.wrapping_sub(min))
}

fn points_at_record(event: &TraceEvent, unit: Unit<'_>, record: Option<&Record<'_>>) -> Option<Broken> {
    let right = record.is_some_and(|record| {
        // The record of queue offset 0 is put at the end of its queue, wherever that is.
        let in_place = record.queue_offset == unit.queue_offset || record.queue_offset == 0;
        record.topic == unit.topic && record.queue_id == unit.queue_id && in_place && record.total_size == unit.size
    });
    let offset = record.map_or(-1, |record| record.queue_offset);
    let broken = Broken::new(Invariant::UnitPointsAtRecord, event, offset, unit.queue_offset);
    (!right).then(|| broken.in_queue(unit.topic, unit.queue_id))
}

/// Messages that groups have given back were seen before.
fn is_hidden(event: &TraceEvent, unit: Unit<'_>, physical_offset: i64, record: &Record<'_>) -> Option<Broken> {
    let Unit { topic, queue_id, .. } = unit;
    if is_system_topic(topic) || topic.starts_with(RETRY_PREFIX) || topic.starts_with(crate::broker::DLQ_PREFIX) {
        return None;
    }
    let half = record.property(property::TRAN_MSG).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let committed = record.transaction_type() == TransactionType::Commit;
    let broken = Broken::new(Invariant::HalfMessageHidden, event, physical_offset, record.prepared_transaction_offset);
    (half && !committed).then(|| broken.in_queue(topic, queue_id))
}
