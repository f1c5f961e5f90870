//! The task of one delay level: where it stands, and which of its polls find something to do.

use std::collections::VecDeque;

use super::pending::Pending;
use crate::{
    disk::{
        MemoryDisk,
        memory::{Fault, Room},
    },
    node::{Grid, Turn},
    store::{DelayedUnit, Store},
};

/// A task looks again after this (`DELAY_FOR_A_WHILE`), milliseconds.
pub(super) const POLL_MS: i64 = 100;

const POLL_US: i64 = POLL_MS * 1000;

/// Units whose dispatch is remembered as the cause of their delivery, at most.
const CAUSES_MAX: usize = 4096;

/// Why a task does not get on, although a message of its level is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stuck {
    /// The put was refused under these circumstances. As long as they are the same, it would be refused again.
    Refused(Circumstances),
    /// Too many puts are pending, or the first of them was put again too often.
    Held,
    /// The message does not say where it belongs, which no poll changes.
    Broken,
}

/// What a put depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::broker) struct Circumstances {
    takes_messages: bool,
    log_end: i64,
    room: Room,
    faults: Vec<Fault>,
}

impl Circumstances {
    pub(in crate::broker) fn of(store: &Store<MemoryDisk>) -> Self {
        Self {
            takes_messages: store.takes_messages(),
            log_end: store.max_wrote_offset(),
            room: Room::of(store.disk()),
            faults: store.disk().faults().to_vec(),
        }
    }
}

/// A level's task (`DeliverDelayedMessageTimerTask`). Polls that would find nothing are left out.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) level: i32,
    /// What the level asks for, milliseconds.
    pub(super) delay_ms: i64,
    /// The next unit to look at.
    pub(super) queue_offset: i64,
    /// The polls to come.
    polls: Grid,
    /// Where the present run ends; `None` between two runs.
    pub(super) run_end: Option<i64>,
    /// Its next turn, microseconds.
    pub(super) due_us: Option<i64>,
    pub(super) stuck: Option<Stuck>,
    /// Units that were dispatched since the start, and the events of that.
    causes: VecDeque<(i64, u64)>,
    /// Puts whose results are taken in later.
    pub(super) pending: Pending,
}

impl Task {
    /// A task that goes on at `queue_offset`, its first poll at `first_us`.
    pub(super) fn new(level: i32, delay_ms: i64, queue_offset: i64, first_us: i64) -> Self {
        Self {
            level,
            delay_ms,
            queue_offset,
            polls: Grid::new(first_us, POLL_US),
            run_end: None,
            due_us: None,
            stuck: None,
            causes: VecDeque::new(),
            pending: Pending::new(first_us),
        }
    }

    /// The first poll that is not over.
    pub(super) fn next_poll_us(&self, now_us: i64) -> i64 {
        self.polls.at_or_after(now_us)
    }

    /// The latest time that a message put now could be due, milliseconds since the epoch.
    pub(super) const fn latest_ms(&self, now_ms: i64) -> i64 {
        now_ms.wrapping_add(self.delay_ms)
    }

    /// When a unit is due for a task that looks at `now_ms` (`correctDeliverTimestamp`).
    pub(super) const fn due_ms(&self, unit: &DelayedUnit, now_ms: i64) -> i64 {
        if unit.deliver_ms > self.latest_ms(now_ms) { now_ms } else { unit.deliver_ms }
    }

    /// A run is over: the next poll comes after a while.
    pub(super) fn end_run(&mut self, turn: &Turn<'_>) {
        self.run_end = None;
        self.polls = Grid::new(turn.now_us().saturating_add(POLL_US), POLL_US);
    }

    /// Sets the next turn to the first poll that will find something to do.
    pub(super) fn plan(&mut self, store: &Store<MemoryDisk>, turn: &Turn<'_>) {
        // Inside a run, and at a poll that is overdue, there is nothing to plan.
        if self.run_end.is_some() || self.due_us.is_some_and(|due_us| due_us <= turn.now_us()) {
            return;
        }
        let next_us = self.next_poll_us(turn.now_us());
        self.due_us = match (&self.stuck, store.delayed_unit(self.level, self.queue_offset)) {
            (Some(Stuck::Broken | Stuck::Held), _) => None,
            (Some(Stuck::Refused(before)), _) => {
                (store.takes_messages() && Circumstances::of(store) != *before).then_some(next_us)
            }
            (None, Some(unit)) => {
                let due_ms = self.due_ms(&unit, turn.wall_ms_at(next_us));
                Some(next_us.max(self.next_poll_us(turn.us_at_wall(due_ms))))
            }
            (None, None) => {
                let stands_outside = store.nearest_delay_offset(self.level, self.queue_offset) != self.queue_offset;
                stands_outside.then_some(next_us)
            }
        };
    }

    /// A unit of the level was dispatched by event `seq`.
    pub(super) fn dispatched(&mut self, queue_offset: i64, seq: u64) {
        if self.causes.len() == CAUSES_MAX {
            self.causes.pop_front();
        }
        self.causes.push_back((queue_offset, seq));
    }

    /// The event that dispatched the next unit, if it is remembered.
    pub(super) fn cause(&self) -> Option<u64> {
        self.causes.iter().find(|(queue_offset, _)| *queue_offset == self.queue_offset).map(|(_, seq)| *seq)
    }

    /// Goes on behind the present unit.
    pub(super) fn pass(&mut self) {
        self.queue_offset = self.queue_offset.saturating_add(1);
        while self.causes.front().is_some_and(|(queue_offset, _)| *queue_offset < self.queue_offset) {
            self.causes.pop_front();
        }
    }

    /// The run's events are numbered anew.
    pub(super) fn forget_causes(&mut self) {
        self.causes.clear();
    }
}
