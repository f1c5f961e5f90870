//! Sending offsets to the brokers (`RemoteBrokerOffsetStore.persistAll`, `persist`), or saving them in a file of the
//! consumer's machine where it broadcasts (`LocalFileOffsetStore`).

use std::collections::{BTreeMap, VecDeque};

use crate::{
    client::{After, Client, PullQueue, Waiting},
    node::{ConsumerStep, Grid, Service, Turn},
    wire::{Request, UpdateConsumerOffset},
};

/// The rounds in which all offsets are sent.
#[derive(Clone, Debug)]
pub(super) struct Persisting {
    grid: Grid,
    /// When the next round is due.
    next_us: i64,
    /// What the last round sent.
    sent: BTreeMap<PullQueue, i64>,
    /// Rounds would repeat the last one, and are not run.
    parked: bool,
    /// A round waits for a route.
    busy: bool,
    /// Another round has come due meanwhile.
    late: bool,
    /// The next round may find something that this one has not.
    unquiet: bool,
}

impl Default for Persisting {
    fn default() -> Self {
        Self {
            grid: Grid::new(0, 1),
            next_us: 0,
            sent: BTreeMap::new(),
            parked: false,
            busy: false,
            late: false,
            unquiet: false,
        }
    }
}

/// The offsets of all queues on their way (`persistAll`), one after the other.
#[derive(Clone, Debug)]
pub(in crate::client) struct PersistAll {
    left: VecDeque<PullQueue>,
    /// What was to be sent so far.
    offsets: BTreeMap<PullQueue, i64>,
    /// So many of them were.
    count: u32,
    /// The process ends with it; else it is a round.
    ends: bool,
}

/// Who waits while the route is asked for that an offset needs, and goes on then.
#[derive(Clone, Debug)]
pub(in crate::client) enum Persists {
    /// A round, or the end of the process.
    All(PersistAll),
    /// The rebalance, which gives the queue up.
    Rebalance,
    /// The queue's offset is set right; it is still in these hands.
    SetRight(u64),
    /// The queue's offset was set right, and the queue is taken out of the table, `true`: with messages in hand.
    Removed(bool),
    /// A reset, and the queues that it has still to do.
    Reset(VecDeque<(PullQueue, i64)>),
}

/// An offset that waits for a route.
#[derive(Clone, Debug)]
pub(in crate::client) struct WaitingOffset {
    queue: PullQueue,
    offset: i64,
    by: Persists,
}

impl Persists {
    const fn service(&self) -> Service {
        match self {
            Self::All(_) => Service::PersistConsumerOffset,
            Self::Rebalance => Service::Rebalance,
            Self::SetRight(_) | Self::Removed(_) => Service::PullMessage,
            Self::Reset(_) => Service::Remoting,
        }
    }
}

impl Persisting {
    /// Rounds begin at these moments.
    pub(super) fn start(&mut self, grid: Grid, turn: &mut Turn<'_>) {
        (self.grid, self.next_us) = (grid, grid.start_us);
        turn.wake_at(Service::PersistConsumerOffset, grid.start_us);
    }
}

impl Client {
    /// A turn of the service: the lock that it waits for, a round, or both. In a round whatever is in memory goes to the
    /// brokers, whether it has changed or not.
    pub(in crate::client) fn persist_offsets(&mut self, turn: &mut Turn<'_>) {
        self.wait_for_lock(Service::PersistConsumerOffset, turn);
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return };
        let persisting = &mut push.persisting;
        let due = now_us >= persisting.next_us;
        if due {
            persisting.next_us = persisting.grid.after(now_us);
        }
        turn.wake_at(Service::PersistConsumerOffset, persisting.next_us);
        if due && persisting.busy {
            persisting.late = true;
        } else if due {
            self.begin_persisting(turn);
        }
    }

    fn begin_persisting(&mut self, turn: &mut Turn<'_>) {
        if let Some(push) = &mut self.push {
            let persisting = &mut push.persisting;
            (persisting.parked, persisting.busy, persisting.unquiet) = (false, true, false);
            self.persist_all(false, turn);
        }
    }

    /// A round is over. One that repeats the one before tells the brokers nothing new.
    fn end_persisting(&mut self, offsets: BTreeMap<PullQueue, i64>, turn: &mut Turn<'_>) {
        let Some(push) = &mut self.push else { return };
        let persisting = &mut push.persisting;
        persisting.busy = false;
        let repeats = offsets == persisting.sent;
        persisting.sent = offsets;
        if std::mem::take(&mut persisting.late) {
            self.begin_persisting(turn);
        } else if repeats && !persisting.unquiet {
            persisting.parked = true;
            turn.park(Service::PersistConsumerOffset, persisting.next_us, persisting.grid.period_us);
        }
    }

    /// Sends or saves the offsets of all queues of this consumer, and forgets those of others; whether a route is waited for.
    pub(super) fn persist_all(&mut self, ends: bool, turn: &mut Turn<'_>) -> bool {
        let Some(push) = &mut self.push else { return false };
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
            if !ends {
                self.end_persisting(offsets, turn);
            }
            return false;
        }
        let left = push.offsets.persist_all(&present).into_iter().map(|(queue, _)| queue).collect();
        self.persist_next(PersistAll { left, offsets: BTreeMap::new(), count: 0, ends }, turn)
    }

    /// Sends one offset after the other, until one needs a route; whether that is so.
    fn persist_next(&mut self, mut all: PersistAll, turn: &mut Turn<'_>) -> bool {
        while let Some(queue) = all.left.pop_front() {
            let Some(offset) = self.push.as_ref().and_then(|push| push.offsets.get(&queue)) else { continue };
            all.offsets.insert(queue.clone(), offset);
            if self.routes.master(&queue.broker_name).is_some() {
                all.count += u32::from(self.send_offset(&queue, offset, turn));
            } else if self.ask_route_for_offset(&queue, offset, Persists::All(all.clone()), turn) {
                return true;
            }
        }
        if all.count > 0 {
            turn.step(ConsumerStep::OffsetsPersisted { count: all.count });
        }
        if !all.ends {
            self.end_persisting(all.offsets, turn);
        }
        false
    }

    /// Sends or saves the offset of one queue, if there is one; whether a route is waited for. Then `by` goes on by itself.
    pub(super) fn persist_offset(&mut self, queue: &PullQueue, by: Persists, turn: &mut Turn<'_>) -> bool {
        let Some(push) = &mut self.push else { return false };
        if let Some(local) = &push.local {
            if local.persist(&mut push.disk, queue).unwrap_or(false) {
                turn.step(ConsumerStep::OffsetsSaved { count: 1, path: local.path().to_owned() });
            }
            return false;
        }
        let Some(offset) = push.offsets.get(queue) else { return false };
        if self.routes.master(&queue.broker_name).is_none() {
            return self.ask_route_for_offset(queue, offset, by, turn);
        }
        if self.send_offset(queue, offset, turn) {
            turn.step(ConsumerStep::OffsetsPersisted { count: 1 });
        }
        false
    }

    /// The master is not known, so the topic's route is asked for first (`updateConsumeOffsetToBroker`). `false`: there is no
    /// NameServer to ask, and the offset stays here.
    fn ask_route_for_offset(&mut self, queue: &PullQueue, offset: i64, by: Persists, turn: &mut Turn<'_>) -> bool {
        let held = self.route_lock.is_held();
        if let (Persists::All(_), Some(push)) = (&by, &mut self.push) {
            push.persisting.unquiet |= held;
        }
        let service = by.service();
        let then = Box::new(After::Offset(WaitingOffset { queue: queue.clone(), offset, by }));
        self.ask_route_for(service, &queue.topic, Waiting::Route { topic: queue.topic.clone(), then }, turn)
    }

    /// The route that an offset waited for is there, or not. Where no NameServer could be reached, the exception that tells of
    /// it keeps the offset here.
    pub(in crate::client) fn persist_with_route(
        &mut self,
        waiting: WaitingOffset,
        unreachable: bool,
        turn: &mut Turn<'_>,
    ) {
        let WaitingOffset { queue, offset, by } = waiting;
        let sent = !unreachable && self.send_offset(&queue, offset, turn);
        if sent && !matches!(by, Persists::All(_)) {
            turn.step(ConsumerStep::OffsetsPersisted { count: 1 });
        }
        match by {
            Persists::All(mut all) => {
                all.count += u32::from(sent);
                if let Some(push) = &mut self.push {
                    push.persisting.unquiet |= unreachable;
                }
                let ends = all.ends;
                if !self.persist_next(all, turn) && ends {
                    self.leave_cluster(turn);
                }
            }
            Persists::Rebalance => self.given_up_persisted(turn),
            Persists::SetRight(id) => self.offset_set_right(&queue, id, turn),
            Persists::Removed(in_hand) => self.removed_persisted(&queue, in_hand, turn),
            Persists::Reset(left) => {
                self.forget_reset(&queue, turn);
                self.reset_next(left, turn);
            }
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
