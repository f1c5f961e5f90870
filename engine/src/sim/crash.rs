//! What a power loss leaves of a disk, and crashes in the middle of a turn.

use std::sync::Arc;

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use serde::{Deserialize, Serialize};

use super::{
    EventKind, NodeActor, TraceEvent, World,
    life::HangUp,
    lives::{LogState, log_state},
    queue::NodeId,
};
use crate::{
    disk::{
        MemoryDisk,
        memory::{self, DirtyPage, DiskOp},
    },
    node::{NodeStep, Outcome, Service, StepKind, TraceStep},
};

/// Bytes that a disk writes in one piece.
pub(super) const SECTOR: u16 = 512;

/// Sectors of one OS page.
pub(super) const SECTORS_OF_PAGE: u16 = memory::OS_PAGE_SIZE as u16 / SECTOR;

/// Which of the OS pages (4096 bytes) that were written since they were last flushed a power loss leaves. What was
/// flushed always stays, and so do files made, removed, renamed and sized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Survives {
    /// None of them.
    #[default]
    Flushed,
    /// All: the system had written everything back by itself.
    Everything,
    /// The first so many, by path of the file and offset.
    Prefix {
        /// Pages.
        pages: u32,
    },
    /// The first so many, and the head of the next one.
    Torn {
        /// Whole pages.
        pages: u32,
        /// Sectors of 512 bytes of the next page, 1 to 7.
        sectors: u16,
    },
    /// Each with the same chance as not, whatever its place: pages are not written back in order.
    Random {
        /// Seed of the choice.
        seed: u64,
    },
}

impl Survives {
    /// What becomes of each dirty page, by path of the file and offset.
    fn fates(self, disk: &MemoryDisk) -> Vec<(Arc<str>, DirtyPage, memory::Survives)> {
        let mut pages = disk.dirty_pages_named();
        pages.sort();
        let mut draws = ChaCha8Rng::seed_from_u64(if let Self::Random { seed } = self { seed } else { 0 });
        let (whole, torn) = match self {
            Self::Prefix { pages } => (pages as usize, None),
            Self::Torn { pages, sectors } => {
                (pages as usize, Some(sectors.min(SECTORS_OF_PAGE).saturating_mul(SECTOR)))
            }
            _ => (0, None),
        };
        let mut fate = |place: usize| match (self, torn) {
            (Self::Everything, _) => memory::Survives::All,
            (Self::Random { .. }, _) if draws.next_u32() & 1 == 1 => memory::Survives::All,
            _ if place < whole => memory::Survives::All,
            (_, Some(head)) if place == whole => memory::Survives::Head(head),
            _ => memory::Survives::Nothing,
        };
        let fates: Vec<memory::Survives> = (0..pages.len()).map(&mut fate).collect();
        pages.into_iter().zip(fates).map(|((path, page), fate)| (path, page, fate)).collect()
    }

    /// Takes the power from a disk; what became of each file that had something to lose, by path.
    pub(super) fn take_power(self, disk: &mut MemoryDisk) -> Vec<NodeStep> {
        // Files without a name go with the process: none of their pages survives, whatever the choice.
        disk.process_kill();
        let fates = self.fates(disk);
        let mut by_page: Vec<_> = fates.iter().map(|(_, page, fate)| (*page, *fate)).collect();
        by_page.sort_by_key(|(page, _)| *page);
        disk.power_loss_where(|page| {
            let place = by_page.binary_search_by_key(&page, |(page, _)| *page);
            place.ok().and_then(|place| by_page.get(place)).map_or(memory::Survives::All, |(_, fate)| *fate)
        });
        let files = fates.chunk_by(|(one, ..), (other, ..)| one == other);
        let told = files.filter_map(|pages| {
            let (mut survived, mut torn, mut lost) = (0, 0, 0);
            for (_, _, fate) in pages {
                match fate {
                    memory::Survives::All => survived += 1,
                    memory::Survives::Head(_) => torn += 1,
                    memory::Survives::Nothing => lost += 1,
                }
            }
            Some(NodeStep::PagesLost { file: pages.first()?.0.to_string(), survived, torn, lost })
        });
        told.collect()
    }
}

/// A crash that waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trap {
    /// Only turns of this service count.
    pub(super) service: Option<Service>,
    /// Operations on the disk that are still done.
    pub(super) write: u32,
    /// Bytes of the next one that are still written, if it is a write.
    pub(super) bytes: Option<u32>,
    /// The power fails; otherwise only the process ends.
    pub(super) survives: Option<Survives>,
    /// A turn that does just so many operations is met as well, before anything leaves.
    pub(super) unsent: bool,
}

/// A trap laid for a turn: the disk as it was before.
#[derive(Debug)]
pub(super) struct Laid {
    trap: Trap,
    before: MemoryDisk,
    log: Option<LogState>,
}

impl Laid {
    /// Whether the turn did more to the disk than the trap lets through, or as much and has not sent anything yet.
    pub(super) fn is_met_by(&self, ops: &[DiskOp]) -> bool {
        let lets_through = self.trap.write as usize;
        ops.len() > lets_through || (self.trap.unsent && lets_through > 0 && ops.len() == lets_through)
    }
}

/// A crash that waits for a turn of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TurnTrap {
    pub(super) service: Service,
    /// Turns until then: the process dies before the last of them.
    pub(super) turns: u32,
}

impl World {
    /// Counts a turn that `service` is about to take. If it is the one that a trap waits for, the process is killed in
    /// its place.
    pub(super) fn falls(&mut self, id: NodeId, service: Service, cause: Option<u64>) -> Option<TraceEvent> {
        let trap = self.nodes.get_mut(id)?.turn_trap.as_mut().filter(|trap| trap.service == service)?;
        trap.turns = trap.turns.saturating_sub(1);
        if trap.turns > 0 {
            return None;
        }
        let event = self.turn(id, Some(service), cause, EventKind::Turn, false, |_, turn| {
            turn.step(NodeStep::ProcessKilled);
        })?;
        self.end_process(id, HangUp::Reset, Some(event.seq));
        Some(event)
    }

    /// The trap that a turn of `service` at `node` runs into, if it writes enough.
    pub(super) fn lay_trap(&self, id: NodeId, service: Option<Service>) -> Option<Laid> {
        let node = self.nodes.get(id)?;
        let trap = node.trap.filter(|trap| trap.service.is_none() || trap.service == service)?;
        match &node.actor {
            NodeActor::Broker(broker) => Some(Laid { trap, before: broker.disk().clone(), log: log_state(broker) }),
            _ => None,
        }
    }

    /// Ends a turn that ran into its trap: the disk is the one before it and the first of its operations, the memory is
    /// gone, and nothing of what it meant to send leaves the node.
    #[expect(clippy::too_many_arguments, reason = "a turn and everything that is known of it")]
    pub(super) fn crash(
        &mut self,
        id: NodeId,
        laid: Laid,
        mut ops: Vec<DiskOp>,
        outcome: Outcome,
        service: Option<Service>,
        cause: Option<u64>,
        what: EventKind,
    ) -> TraceEvent {
        let Laid { trap, before: mut disk, log } = laid;
        let next = ops.get(trap.write as usize).cloned();
        ops.truncate(trap.write as usize);
        let mut steps = outcome.steps;
        steps.truncate(next.as_ref().map_or(usize::MAX, |next| next.count as usize));
        let head = trap.bytes.and_then(|bytes| next?.head(bytes as usize));
        let bytes = trap.bytes.filter(|_| head.is_some());
        ops.extend(head);
        let mut failed = None;
        for op in &ops {
            if let Err(error) = disk.apply(op) {
                // It went well the first time, on the same disk.
                failed.get_or_insert(error);
            }
        }
        debug_assert_eq!(failed, None, "an operation can be done again");
        let ended_us = steps.last().map_or(self.now_us, |step| step.at_us);
        let mut tell = |what| {
            let index = u32::try_from(steps.len()).unwrap_or(u32::MAX);
            steps.push(TraceStep { index, at_us: ended_us, what: StepKind::Node(what) });
        };
        if let Some(survives) = trap.survives {
            tell(NodeStep::PowerLost);
            survives.take_power(&mut disk).into_iter().for_each(&mut tell);
        }
        tell(NodeStep::Crashed { write: trap.write, bytes });
        if let Some(node) = self.nodes.get_mut(id) {
            node.trap = None;
            if let Some(broker) = node.actor.broker_mut() {
                *broker.disk_mut() = disk;
            }
        }
        let writes = super::journal::told(ops, u32::try_from(steps.len()).unwrap_or(u32::MAX));
        let event = self.tell(TraceEvent {
            seq: self.events,
            at_us: self.now_us,
            took_us: ended_us - self.now_us,
            node: self.name(id),
            service: service.map_or(super::LEARNER, Service::name).to_owned(),
            cause,
            what,
            steps,
            writes,
            sent: Vec::new(),
        });
        let hang_up = if trap.survives.is_some() { HangUp::Silence } else { HangUp::Reset };
        self.end_process(id, hang_up, Some(event.seq));
        self.note_fall(id, log);
        event
    }
}
