//! Sending offsets to the brokers (`RemoteBrokerOffsetStore.persistAll`, `persist`), or saving them in a file of the
//! consumer's machine where it broadcasts (`LocalFileOffsetStore`).

use std::collections::BTreeMap;

use crate::{
    client::{Client, PullQueue},
    node::{ConsumerStep, Grid, Service, Turn},
    wire::{Request, UpdateConsumerOffset},
};

/// The rounds in which all offsets are sent.
#[derive(Clone, Debug)]
pub(super) struct Persisting {
    pub(super) grid: Grid,
    /// What the last round sent.
    sent: BTreeMap<PullQueue, i64>,
    /// Rounds would repeat the last one, and are not run.
    parked: bool,
}

impl Default for Persisting {
    fn default() -> Self {
        Self { grid: Grid::new(0, 1), sent: BTreeMap::new(), parked: false }
    }
}

impl Client {
    /// A round: whatever is in memory goes to the brokers, whether it has changed or not. A round that repeats the one
    /// before tells them nothing new.
    pub(in crate::client) fn persist_offsets(&mut self, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        push.persisting.parked = false;
        let (grid, before) = (push.persisting.grid, push.persisting.sent.clone());
        let next_us = grid.after(turn.now_us());
        turn.wake_at(Service::PersistConsumerOffset, next_us);
        let sent = self.persist_all_offsets(turn);
        let Some(push) = &mut self.push else { return };
        push.persisting.parked = sent == before;
        push.persisting.sent = sent;
        if push.persisting.parked {
            turn.park(Service::PersistConsumerOffset, next_us, grid.period_us);
        }
    }

    /// Sends the offsets of all queues of this consumer, and forgets those of others.
    pub(super) fn persist_all_offsets(&mut self, turn: &mut Turn<'_>) -> BTreeMap<PullQueue, i64> {
        let Some(push) = &mut self.push else { return BTreeMap::new() };
        let present = push.present();
        if let Some(local) = &push.local {
            let saved = local.persist_all(&mut push.disk, &present).unwrap_or(false);
            let offsets = local.table().iter().filter(|(queue, _)| present.contains(queue));
            let offsets: BTreeMap<PullQueue, i64> = offsets.map(|(queue, offset)| (queue.clone(), offset)).collect();
            let path = local.path().to_owned();
            if saved {
                let count = u32::try_from(offsets.len()).unwrap_or(u32::MAX);
                turn.step(ConsumerStep::OffsetsSaved { count, path });
            }
            return offsets;
        }
        let offsets = push.offsets.persist_all(&present);
        let mut count = 0;
        for (queue, offset) in &offsets {
            count += u32::from(self.send_offset(queue, *offset, turn));
        }
        if count > 0 {
            turn.step(ConsumerStep::OffsetsPersisted { count });
        }
        offsets.into_iter().collect()
    }

    /// Sends or saves the offset of one queue, if there is one.
    pub(super) fn persist_offset(&mut self, queue: &PullQueue, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        if let Some(local) = &push.local {
            if local.persist(&mut push.disk, queue).unwrap_or(false) {
                turn.step(ConsumerStep::OffsetsSaved { count: 1, path: local.path().to_owned() });
            }
            return;
        }
        let offset = push.offsets.get(queue);
        if let Some(offset) = offset
            && self.send_offset(queue, offset, turn)
        {
            turn.step(ConsumerStep::OffsetsPersisted { count: 1 });
        }
    }

    /// To the master, or else to whichever broker of its name is known.
    fn send_offset(&self, queue: &PullQueue, offset: i64, turn: &mut Turn<'_>) -> bool {
        let Some((_, addr)) = self.routes.reader_like(&queue.broker_name, 0) else { return false };
        let update = UpdateConsumerOffset {
            consumer_group: self.group().to_owned(),
            topic: queue.topic.clone(),
            queue_id: queue.queue_id,
            commit_offset: offset,
        };
        turn.oneway(Service::PersistConsumerOffset, addr, Request::UpdateConsumerOffset(update));
        true
    }

    /// Sets the offset of a queue in memory (`updateOffset`).
    pub(super) fn move_offset(&mut self, queue: &PullQueue, offset: i64, increase_only: bool, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let before = push.offsets().get(queue);
        push.update_offset(queue, offset, increase_only);
        let after = push.offsets().get(queue);
        if before == after {
            return;
        }
        if push.persisting.parked {
            push.persisting.parked = false;
            turn.disturb_only(Service::PersistConsumerOffset);
        }
        turn.step(ConsumerStep::OffsetMoved {
            topic: queue.topic.clone(),
            broker_name: queue.broker_name.clone(),
            queue_id: queue.queue_id,
            offset,
        });
    }
}
