//! Puts that wait for a slave (`HAService.GroupTransferService`).

use std::collections::VecDeque;

use super::Process;
use crate::{
    node::{HaStep, Service, Turn},
    store::PutMessageStatus,
};

/// The service waits so long for an acknowledgement before it looks at the time again, microseconds.
const SLICE_US: i64 = 1_000_000;

/// The end of the service is waited for so long, at most (`ServiceThread.JOIN_TIME`), microseconds.
const JOIN_US: i64 = 90_000_000;

/// A put that waits (`GroupCommitRequest`).
#[derive(Clone, Copy, Debug)]
pub(in crate::broker) struct ReplicaWait {
    /// The number of the put.
    pub(in crate::broker) put: u64,
    /// The wait ends well once a slave has everything before this offset.
    pub(in crate::broker) next_offset: i64,
    /// When the wait ends badly, at the service's next look.
    pub(in crate::broker) deadline_us: i64,
}

/// The waits, strictly in order. New ones stand aside until those under way are over; and each is waited for in slices,
/// so that a wait behind another can end up to a second, or longer, after its deadline.
#[derive(Clone, Debug, Default)]
pub(in crate::broker) struct GroupTransfer {
    new: VecDeque<ReplicaWait>,
    under_way: VecDeque<ReplicaWait>,
    /// The end of the slice that is being waited for.
    slice_ends_us: Option<i64>,
    /// A slave has acknowledged more since the last look.
    notified: bool,
}

impl Process {
    /// A put waits for a slave from now on: the service and every transfer are woken.
    pub(in crate::broker) fn wait_for_slave(&mut self, wait: ReplicaWait, turn: &mut Turn<'_>) {
        self.ha.group.new.push_back(wait);
        turn.wake_for_work(Service::GroupTransfer, turn.now_us());
        self.wake_transfer(true, turn);
    }

    /// Some slave has more than any had before.
    pub(super) fn slave_acknowledged(&mut self, turn: &mut Turn<'_>) {
        self.ha.group.notified = true;
        if !self.ha.group.under_way.is_empty() {
            turn.wake_for_work(Service::GroupTransfer, turn.now_us());
        }
    }

    /// One turn of the service.
    pub(super) fn group_transfer(&mut self, turn: &mut Turn<'_>) {
        if let Some(at_us) = self.end_waits(turn) {
            turn.wake_at(Service::GroupTransfer, at_us);
        }
    }

    /// The service stops. It is waited for while it goes on with the waits under way; new ones are never looked at.
    pub(super) fn stop_group_transfer(&mut self, turn: &mut Turn<'_>) {
        let until_us = turn.now_us().saturating_add(JOIN_US);
        if self.ha.group.under_way.is_empty() {
            // Waiting for work, it is woken and takes what there is.
            self.ha.group.under_way = std::mem::take(&mut self.ha.group.new);
        }
        self.ha.group.new.clear();
        while let Some(at_us) = self.end_waits(turn) {
            turn.spend_us(at_us.min(until_us).saturating_sub(turn.now_us()));
            if at_us > until_us {
                self.ha.group.under_way.clear();
            }
        }
    }

    /// Ends the waits that are over, up to the first that is not (`doWaitTransfer`). When to look at that one again,
    /// microseconds.
    fn end_waits(&mut self, turn: &mut Turn<'_>) -> Option<i64> {
        loop {
            let group = &mut self.ha.group;
            if let Some(ends_us) = group.slice_ends_us {
                if !group.notified && ends_us > turn.now_us() {
                    return Some(ends_us);
                }
                group.slice_ends_us = None;
                group.notified = false;
            }
            if group.under_way.is_empty() {
                group.under_way = std::mem::take(&mut group.new);
            }
            let wait = group.under_way.front().copied()?;
            let status = if self.store.push_to_slave_max_offset() >= wait.next_offset {
                PutMessageStatus::PutOk
            } else if wait.deadline_us <= turn.now_us() {
                PutMessageStatus::FlushSlaveTimeout
            } else {
                // A notice that came before the wait ends it at once.
                if !std::mem::take(&mut group.notified) {
                    group.slice_ends_us = Some(turn.now_us().saturating_add(SLICE_US));
                }
                continue;
            };
            group.under_way.pop_front();
            let next_offset = wait.next_offset;
            turn.step(HaStep::ReplicaWaitEnded { next_offset, status: status.name().to_owned() });
            self.replica_ended(wait.put, status, turn);
        }
    }
}
