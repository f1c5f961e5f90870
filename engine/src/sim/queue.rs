//! The event queue: what is going to happen, ordered by (time, sequence).

use std::collections::BTreeMap;

use super::network::{Flight, Way};
use crate::node::{CallId, ConnId, Service};

/// The place of a node in its world.
pub(super) type NodeId = usize;

/// When something happens: virtual time in microseconds, then the order in which it was scheduled.
pub(super) type Key = (i64, u64);

/// Something that is going to happen.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    /// Bytes arrive.
    Arrive(Box<Flight>),
    /// A process starts.
    Start(NodeId),
    /// A service gets its turn.
    Lane(NodeId, Service),
    /// A call cannot be sent.
    Unsent(CallId),
    /// A connection for replication cannot be had.
    Unopened(NodeId, Service),
    /// A call is given up.
    Timeout(CallId),
    /// A connection may have been idle for too long.
    Idle(ConnId),
    /// Bytes that nobody acknowledges may have been sent again for too long.
    Unheard(ConnId, Way),
    /// The time that somebody wanted to let pass is over.
    Alarm,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) what: Pending,
    /// The event that caused it.
    pub(super) cause: Option<u64>,
    /// Periodic housekeeping: it does not keep the world from being at rest.
    pub(super) housekeeping: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    entries: BTreeMap<Key, Entry>,
    sequence: u64,
    /// Entries that are not housekeeping.
    work: usize,
}

impl Queue {
    pub(super) fn push(&mut self, at_us: i64, what: Pending, cause: Option<u64>, housekeeping: bool) -> Key {
        let key = (at_us, self.sequence);
        self.sequence += 1;
        self.work += usize::from(!housekeeping);
        self.entries.insert(key, Entry { what, cause, housekeeping });
        key
    }

    pub(super) fn remove(&mut self, key: Key) {
        if let Some(entry) = self.entries.remove(&key) {
            self.work -= usize::from(!entry.housekeeping);
        }
    }

    pub(super) fn pop(&mut self) -> Option<(Key, Entry)> {
        let (key, entry) = self.entries.pop_first()?;
        self.work -= usize::from(!entry.housekeeping);
        Some((key, entry))
    }

    /// When the next thing happens.
    pub(super) fn next_us(&self) -> Option<i64> {
        self.entries.first_key_value().map(|(key, _)| key.0)
    }

    /// Whether only housekeeping is left.
    pub(super) const fn at_rest(&self) -> bool {
        self.work == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &Entry)> {
        self.entries.iter()
    }
}
