//! When the processes of a node began and how they ended: facts of the run, which outlive them.

use serde::{Deserialize, Serialize};

use super::{NodeActor, World, life::HangUp, queue::NodeId};
use crate::{
    broker::Broker,
    disk::{MemoryDisk, ReadAt},
    message::record::BLANK_MAGIC,
    store::Store,
};

/// A process of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// When it began, microseconds.
    pub began_us: i64,
    /// What its start made of a broker's log; of a broker whose store could be loaded.
    pub log: Option<LogFound>,
    /// Its end; `None` while it runs.
    pub end: Option<LifeEnd>,
}

/// What a start makes of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogFound {
    /// Where it begins, bytes.
    pub begin: i64,
    /// Where recovery let it end, bytes.
    pub end: i64,
    /// Whether something stands there that recovery did not take for a record, and not the zeros of a file that is not full.
    pub damaged: bool,
}

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeEnd {
    /// When, microseconds.
    pub at_us: i64,
    /// How.
    pub how: Ending,
    /// How far a broker's log was, in the memory of the process.
    pub log: Option<LogState>,
}

/// How a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// In good order, or since it could not go on.
    Stopped,
    /// It was killed; the machine went on, and with it the page cache.
    Killed,
    /// The machine lost its power, at that time or later.
    PowerLost,
}

/// How far a log is, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogState {
    /// Where it begins.
    pub begin: i64,
    /// Where the next record would go.
    pub written: i64,
    /// What has left the buffers of the transient pool for the page cache (`committedWhere`); without a pool as
    /// `written`.
    pub committed: i64,
    /// What counts as flushed (`flushedWhere`).
    pub flushed: i64,
    /// How far it is dispatched.
    pub dispatched: i64,
}

impl LogFound {
    /// The log of a store that has just started.
    pub fn of(store: &Store<MemoryDisk>) -> Self {
        let end = store.max_phy_offset();
        Self { begin: store.min_phy_offset().max(0), end, damaged: head_at(store, end).is_some_and(is_damaged) }
    }
}

/// Size and magic of what stands at a place of the log, whether it counts as part of it or not.
fn head_at(store: &Store<MemoryDisk>, physical_offset: i64) -> Option<[i32; 2]> {
    let (from_offset, position) = store.commit_log_place(physical_offset)?;
    let disk = store.disk();
    let file = disk.find(&format!("commitlog/{from_offset:020}"))?;
    let int = |at: i32| {
        let mut bytes = [0; 4];
        disk.read_at(file, u64::try_from(at).ok()?, &mut bytes).ok()?;
        Some(i32::from_be_bytes(bytes))
    };
    Some([int(position)?, int(position.checked_add(4)?)?])
}

const fn is_damaged([size, magic]: [i32; 2]) -> bool {
    (size != 0 || magic != 0) && magic != BLANK_MAGIC
}

impl LogState {
    fn of(store: &Store<MemoryDisk>) -> Self {
        let written = store.max_wrote_offset();
        let pools = store.config().transient_store_pool();
        Self {
            begin: store.min_phy_offset().max(0),
            written,
            committed: if pools { store.committed_where() } else { written },
            flushed: store.flushed_where(),
            dispatched: store.reput_from_offset(),
        }
    }
}

impl World {
    /// The processes of a node so far, oldest first.
    pub fn lives(&self, node: &str) -> &[Life] {
        self.node_id(node).and_then(|id| self.nodes.get(id)).map_or(&[], |node| &node.lives)
    }

    /// A process has begun, unless it has ended in the same turn.
    pub(super) fn note_start(&mut self, id: NodeId) {
        let now_us = self.now_us;
        let Some(node) = self.nodes.get_mut(id).filter(|node| !node.down) else { return };
        let log = match &node.actor {
            NodeActor::Broker(broker) => broker.store().map(LogFound::of),
            _ => None,
        };
        node.lives.push(Life { began_us: now_us, log, end: None });
    }

    /// A process is about to end, or the machine of one that has ended loses its power.
    pub(super) fn note_end(&mut self, id: NodeId, hang_up: HangUp) {
        let now_us = self.now_us;
        let Some(node) = self.nodes.get_mut(id) else { return };
        let log = match &node.actor {
            NodeActor::Broker(broker) => log_state(broker),
            _ => None,
        };
        let Some(life) = node.lives.last_mut() else { return };
        let how = match hang_up {
            HangUp::Close => Ending::Stopped,
            HangUp::Reset => Ending::Killed,
            HangUp::Silence => Ending::PowerLost,
        };
        match &mut life.end {
            None => life.end = Some(LifeEnd { at_us: now_us, how, log }),
            Some(end) if how == Ending::PowerLost => end.how = how,
            Some(_) => {}
        }
    }

    /// The last process fell in the middle of a turn: its log was as far as before that turn.
    pub(super) fn note_fall(&mut self, id: NodeId, log: Option<LogState>) {
        let life = self.nodes.get_mut(id).and_then(|node| node.lives.last_mut());
        if let Some(end) = life.and_then(|life| life.end.as_mut()) {
            end.log = log;
        }
    }
}

/// How far the log of a broker is, while its store is loaded.
pub(super) fn log_state(broker: &Broker) -> Option<LogState> {
    broker.store().map(LogState::of)
}
