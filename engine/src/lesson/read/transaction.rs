//! Reading probes of transactional messages.

use super::{
    super::probe::{CheckField, HalfField, TransactionField, TransactionPlace, Value, Which},
    client, count, int, store, text,
};
use crate::{
    client::{CheckOutcome, TransactionOutcome},
    message::transaction::{DISCARD_TOPIC, GROUP, HALF_TOPIC, OP_TOPIC},
    sim::World,
    store::ConsumeQueue,
};

/// The value that a probe names at a node.
pub(super) fn read(world: &World, node: &str, place: &TransactionPlace) -> Option<Value> {
    match place {
        TransactionPlace::Count => Some(count(client(world, node)?.transactions().len())),
        TransactionPlace::Sent(which, field) => {
            let sent = client(world, node)?.transactions();
            read_sent(of(sent, *which)?, *field)
        }
        TransactionPlace::Kept => Some(count(client(world, node)?.kept_in_memory())),
        TransactionPlace::Checks => Some(count(client(world, node)?.checks().len())),
        TransactionPlace::Check(which, field) => {
            let checks = client(world, node)?.checks();
            read_check(of(checks, *which)?, *field)
        }
        TransactionPlace::Half(field) => read_queue(world, node, HALF_TOPIC, *field),
        TransactionPlace::Op(field) => read_queue(world, node, OP_TOPIC, *field),
        TransactionPlace::Discarded => {
            let queue = store(world, node)?.queue(DISCARD_TOPIC, 0);
            Some(int(queue.map_or(0, ConsumeQueue::max_offset_in_queue)))
        }
    }
}

fn of<T: Clone>(list: &imbl::Vector<T>, which: Which) -> Option<&T> {
    match which {
        Which::At(at) => list.get(at),
        Which::Last => list.last(),
    }
}

fn read_sent(sent: &TransactionOutcome, field: TransactionField) -> Option<Value> {
    let half = sent.half.as_ref();
    Some(match field {
        TransactionField::Progress => text(sent.progress.name()),
        TransactionField::Phase => text(sent.phase.name()),
        TransactionField::Status => text(&sent.status),
        TransactionField::Local => text(sent.local?.name()),
        TransactionField::State => text(sent.state?.name()),
        TransactionField::TransactionId => text(&half?.msg_id),
        TransactionField::PhysicalOffset => int(half?.commit_log_offset),
        TransactionField::QueueOffset => int(half?.queue_offset),
        TransactionField::Error => text(sent.error.as_deref()?),
        TransactionField::EndError => text(sent.end_error.as_deref()?),
    })
}

fn read_check(check: &CheckOutcome, field: CheckField) -> Option<Value> {
    Some(match field {
        CheckField::Broker => text(&check.broker),
        CheckField::Topic => text(&check.topic),
        CheckField::TransactionId => text(&check.transaction_id),
        CheckField::PhysicalOffset => int(check.commit_log_offset),
        CheckField::QueueOffset => int(check.queue_offset),
        CheckField::Times => int(i64::from(check.times?)),
        CheckField::Result => text(check.result?.name()),
        CheckField::State => text(check.state?.name()),
        CheckField::Cause => text(check.cause.as_deref()?),
    })
}

/// A number of queue 0 of the half topic or the op topic; 0 as long as there is none.
fn read_queue(world: &World, node: &str, topic: &str, field: HalfField) -> Option<Value> {
    let queue = store(world, node)?.queue(topic, 0);
    Some(int(match field {
        HalfField::Min => queue.map_or(0, ConsumeQueue::min_offset_in_queue),
        HalfField::Max => queue.map_or(0, ConsumeQueue::max_offset_in_queue),
        HalfField::Offset => world.broker(node)?.process()?.offsets().query(GROUP, topic, 0).unwrap_or(0),
    }))
}
