//! What the op queue says (`fillOpRemoveMap`).

use super::{GROUP, Process, REMOVE_TAG, check::Check};
use crate::{
    message::{java, record, transaction::OP_TOPIC},
    node::{TransactionStep, Turn},
    store::{GetMessageResult, GetMessageStatus},
};

/// Op messages of one pull, at most.
const PULL_MAX: i32 = 32;

/// What the latest pull of op messages came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ops {
    /// Where the next one begins.
    pub(super) next_begin_offset: i64,
    /// When the last of the messages was made that it found, milliseconds since the epoch.
    pub(super) last_born_ms: Option<i64>,
}

impl Ops {
    /// Nothing, up to an offset.
    pub(super) const fn none(next_begin_offset: i64) -> Self {
        Self { next_begin_offset, last_born_ms: None }
    }
}

impl Process {
    /// Reads op messages from an offset on. Those that speak of half messages before the check's beginning are done with;
    /// the others are remembered. `false`, and nothing has changed: the store does not answer.
    pub(super) fn fill_ops(&mut self, check: &mut Check, offset: i64, turn: &mut Turn<'_>) -> bool {
        let queue_id = check.queue_id;
        let Some(pulled) = self.store.get_message(GROUP, OP_TOPIC, queue_id, offset, PULL_MAX, None) else {
            return false;
        };
        check.ops = Ops::none(pulled.next_begin_offset);
        match pulled.status {
            GetMessageStatus::Found => self.take_ops(check, &pulled, turn),
            GetMessageStatus::NoMessageInQueue | GetMessageStatus::OffsetOverflowOne => {}
            _ => {
                let to = pulled.next_begin_offset;
                turn.step(TransactionStep::OpOffsetMoved { from_offset: offset, to_offset: to });
                self.commit_offset(GROUP, OP_TOPIC, queue_id, to, turn);
            }
        }
        true
    }

    fn take_ops(&self, check: &mut Check, pulled: &GetMessageResult, turn: &mut Turn<'_>) {
        for place in &pulled.selected {
            let Some(bytes) = self.store.read(place.physical_offset, place.size) else { continue };
            let Ok(record) = record::decode_unchecked(&bytes) else { continue };
            check.ops.last_born_ms = Some(record.born_timestamp);
            let half_offset = half_offset(record.body);
            let op_offset = record.queue_offset;
            if record.tags() != Some(REMOVE_TAG) {
                turn.step(TransactionStep::OpUnknown { op_offset });
            } else if half_offset < check.half_from {
                turn.step(TransactionStep::OpBehind { op_offset, half_offset });
                check.done.push(op_offset);
            } else {
                turn.step(TransactionStep::OpTaken { op_offset, half_offset });
                check.remove_map.insert(half_offset, op_offset);
            }
        }
    }
}

/// The half message that an op message speaks of; -1 if its body is no number.
pub(super) fn half_offset(body: &[u8]) -> i64 {
    java::parse_long(&java::decode_utf8(body)).unwrap_or(-1)
}
