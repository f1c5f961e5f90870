//! What must hold at a broker.

use super::{Broken, Invariant, Marks};
use crate::{
    broker::{Broker, RETRY_PREFIX, is_system_topic},
    disk::MemoryDisk,
    message::{TransactionType, property, record},
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
    let slave = store.config().broker_role == BrokerRole::Slave;
    let misplaced = steps.clone().any(|step| matches!(step, Step::UnitMisplaced { .. }));
    for step in steps {
        if let Step::UnitWritten { topic, queue_id, queue_offset, physical_offset, size, .. } = step {
            queue_grows(event, store, marks, (topic, *queue_id, *queue_offset), found);
            if !misplaced && !slave {
                found.extend(points_at_record(
                    event,
                    store,
                    (topic, *queue_id, *queue_offset),
                    *physical_offset,
                    *size,
                ));
            }
            found.extend(is_hidden(event, store, (topic, *queue_id), *physical_offset));
        }
    }
}

fn queue_grows(
    event: &TraceEvent,
    store: &Store<MemoryDisk>,
    marks: &mut Marks,
    (topic, queue_id, queue_offset): (&str, i32, i64),
    found: &mut Vec<Broken>,
) {
    let end = store.queue(topic, queue_id).map_or(0, ConsumeQueue::max_offset_in_queue);
    let before = marks.queues.insert((topic.to_owned(), queue_id), end);
    if let Some(before) = before.filter(|before| *before > end && queue_offset > 0) {
        found.push(Broken::new(Invariant::QueueGrows, event, end, before).in_queue(topic, queue_id));
    }
}

fn points_at_record(
    event: &TraceEvent,
    store: &Store<MemoryDisk>,
    (topic, queue_id, queue_offset): (&str, i32, i64),
    physical_offset: i64,
    size: i32,
) -> Option<Broken> {
    if physical_offset < store.min_phy_offset() {
        return None;
    }
    let bytes = store.select_one_message(physical_offset);
    let record = bytes.as_deref().and_then(|bytes| record::decode_unchecked(bytes).ok());
    let right = record.as_ref().is_some_and(|record| {
        record.topic == topic
            && record.queue_id == queue_id
            && record.queue_offset == queue_offset
            && record.total_size == size
    });
    let offset = record.map_or(-1, |record| record.queue_offset);
    let broken = Broken::new(Invariant::UnitPointsAtRecord, event, offset, queue_offset);
    (!right).then(|| broken.in_queue(topic, queue_id))
}

/// Messages that groups have given back were seen before.
fn is_hidden(
    event: &TraceEvent,
    store: &Store<MemoryDisk>,
    (topic, queue_id): (&str, i32),
    physical_offset: i64,
) -> Option<Broken> {
    if is_system_topic(topic) || topic.starts_with(RETRY_PREFIX) || topic.starts_with(crate::broker::DLQ_PREFIX) {
        return None;
    }
    let bytes = store.select_one_message(physical_offset)?;
    let record = record::decode_unchecked(&bytes).ok()?;
    let half = record.property(property::TRAN_MSG).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let committed = record.transaction_type() == TransactionType::Commit;
    let broken = Broken::new(Invariant::HalfMessageHidden, event, physical_offset, record.prepared_transaction_offset);
    (half && !committed).then(|| broken.in_queue(topic, queue_id))
}
