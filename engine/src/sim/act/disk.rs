//! Actions on a broker's machine: its disk and its clock.

use super::{bad_value, broker_process};
use crate::{
    broker::Broker,
    disk::{
        Disk, DiskError, MemoryDisk, ReadAt,
        memory::{Fault, Room},
    },
    node::{NodeStep, Turn},
    sim::{Action, ActionError, NodeActor, TraceEvent, World, limits, queue::NodeId},
};

/// The largest disk, 1 PiB.
const CAPACITY_MAX: u64 = 1 << 50;

/// The size that a disk without limit is given when its use is set, bytes.
const USUAL_CAPACITY: u64 = 100_000_000_000;

/// The longest time that one flush or write may take, an hour in milliseconds.
const SLOW_MAX_MS: i64 = 3_600_000;

/// What keeps a disk from having this size and others' bytes on it.
pub(in crate::sim) fn check_capacity(disk: &MemoryDisk, capacity: Option<u64>, other: u64) -> Result<(), String> {
    if other > CAPACITY_MAX {
        return Err(format!("others have at most {CAPACITY_MAX} bytes"));
    }
    let Some(capacity) = capacity else { return Ok(()) };
    let used = disk.used().saturating_add(other);
    if capacity > CAPACITY_MAX || capacity == 0 || used > capacity {
        return Err(format!("from the {used} bytes that are on the disk to {CAPACITY_MAX}"));
    }
    Ok(())
}

/// How many bytes others have when the use reads as `percent`: up to the middle of that per cent, so that the store can
/// grow a little without reading the next one. None if the store alone reaches the middle. Only an empty disk reads as 0.
fn other_for(disk: &MemoryDisk, capacity: u64, percent: u32) -> Result<u64, String> {
    let wanted = u128::from(capacity) * (u128::from(percent) * 2).saturating_sub(1) / 200;
    let used = disk.used();
    let reads = |other: u64| Room { used: used.saturating_add(other), capacity: Some(capacity) }.used_percent();
    let other = u64::try_from(wanted).unwrap_or(u64::MAX).saturating_sub(used);
    if reads(other) == percent {
        return Ok(other);
    }
    let least = reads(0);
    Err(format!("from {least} to 100: the store alone has {used} of {capacity} bytes"))
}

/// The size and others' bytes that [`Action::SetDisk`] gives a disk.
pub(super) fn room_for(
    disk: &MemoryDisk,
    capacity: Option<u64>,
    percent: Option<u32>,
) -> Result<(u64, u64), ActionError> {
    if capacity.is_none() && percent.is_none() {
        return Err(bad_value("percent", "neither a size nor a use is given".to_owned()));
    }
    let capacity = capacity.or_else(|| disk.capacity()).unwrap_or(USUAL_CAPACITY);
    let other = match percent {
        None => disk.other(),
        Some(percent @ 0..=100) => other_for(disk, capacity, percent).map_err(|cause| bad_value("percent", cause))?,
        Some(_) => return Err(bad_value("percent", "from 0 to 100".to_owned())),
    };
    check_capacity(disk, Some(capacity), other).map_err(|cause| bad_value("capacityBytes", cause))?;
    Ok((capacity, other))
}

impl World {
    /// Actions on a broker's disk.
    pub(super) fn act_on_disk(&mut self, action: Action) -> Result<TraceEvent, ActionError> {
        match &action {
            Action::SetDisk { broker, capacity_bytes, percent } => {
                let (node, disk) = self.broker_disk(broker)?;
                let (capacity, other) = room_for(disk, *capacity_bytes, *percent)?;
                Ok(self.on_disk(node, action, |disk, turn| {
                    disk.set_capacity(Some(capacity));
                    disk.set_other(other);
                    let used_percent = Room::of(disk).used_percent();
                    turn.step(NodeStep::DiskSet { capacity_bytes: capacity, other_bytes: other, used_percent });
                }))
            }
            Action::DiskFault { broker, fault } => {
                let (node, _) = self.broker_disk(broker)?;
                if let Fault::SlowFlush { ms, .. } | Fault::SlowWrite { ms, .. } = fault
                    && !(1..=SLOW_MAX_MS).contains(ms)
                {
                    return Err(bad_value("fault.ms", format!("from 1 to {SLOW_MAX_MS}")));
                }
                let fault = fault.clone();
                Ok(self.on_disk(node, action, |disk, turn| {
                    turn.step(NodeStep::DiskFaultSet { fault: fault.to_string() });
                    disk.set_fault(fault);
                }))
            }
            Action::MendDisk { broker } => {
                let (node, disk) = self.broker_disk(broker)?;
                if disk.faults().is_empty() {
                    return Err(bad_value("broker", "nothing is wrong with its disk".to_owned()));
                }
                Ok(self.on_disk(node, action, |disk, turn| {
                    disk.mend();
                    turn.step(NodeStep::DiskMended);
                }))
            }
            Action::FlipBit { broker, path, offset, bit } => {
                let (node, disk) = self.broker_disk(broker)?;
                let file = disk.find(path).ok_or_else(|| no_such_file(broker, path))?;
                let len = disk.meta(file).map_or(0, |meta| meta.len);
                if *offset >= len {
                    return Err(bad_value("offset", format!("the file is {len} bytes long")));
                }
                if *bit > 7 {
                    return Err(bad_value("bit", "from 0 to 7".to_owned()));
                }
                let (path, offset, bit) = (path.clone(), *offset, *bit);
                Ok(self.on_disk(node, action, |disk, turn| {
                    let flipped = disk.flip_bit(file, offset, bit);
                    turn.step(done(flipped, |(from, to)| NodeStep::BitFlipped { path, offset, bit, from, to }));
                }))
            }
            Action::DeleteFile { broker, path } => {
                let (node, disk) = self.stopped_disk(broker)?;
                let path = path.trim_end_matches('/');
                let below = format!("{path}/");
                let files = disk.files().into_iter().filter(|(file, _)| file == path || file.starts_with(&below));
                let files: Vec<_> = files.collect();
                if files.is_empty() {
                    return Err(no_such_file(broker, path));
                }
                Ok(self.on_disk(node, action, |disk, turn| {
                    for (path, file) in files {
                        let deleted = disk.delete(file);
                        turn.step(done(deleted, |()| NodeStep::FileTaken { path }));
                    }
                }))
            }
            Action::TruncateFile { broker, path, len } => {
                let (node, disk) = self.stopped_disk(broker)?;
                let file = disk.find(path).ok_or_else(|| no_such_file(broker, path))?;
                let from = disk.meta(file).map_or(0, |meta| meta.len);
                let to = *len;
                if to >= from {
                    return Err(bad_value("len", format!("the file is {from} bytes long")));
                }
                let path = path.clone();
                Ok(self.on_disk(node, action, |disk, turn| {
                    let cut = disk.set_len(file, to);
                    turn.step(done(cut, |()| NodeStep::FileCut { path, from, to }));
                }))
            }
            _ => Err(bad_value("kind", "not an action of the learner".to_owned())),
        }
    }

    /// A node's wall clock is set to another time.
    pub(super) fn jump_clock(&mut self, id: NodeId, ms: i64, action: Action) -> Result<TraceEvent, ActionError> {
        let Some(node) = self.nodes.get(id) else { return Err(ActionError::NoSuchNode { node: self.name(id) }) };
        let zero_ms = node.wall_at_zero_ms.checked_add(ms).filter(|zero_ms| ms != 0 && limits::is_wall_clock(*zero_ms));
        let zero_ms = zero_ms.ok_or_else(|| bad_value("ms", "not 0, and within the years 1970 to 9999".to_owned()))?;
        // Rounds that passed unseen passed by the old clock.
        self.unpark_all();
        let event = self.learner(id, action, |actor, turn| {
            if let Some(process) = broker_process(actor) {
                process.settle_rounds(turn);
            }
            turn.step(NodeStep::ClockJumped { ms });
        });
        if let Some(node) = self.nodes.get_mut(id) {
            node.wall_at_zero_ms = zero_ms;
        }
        self.quiet_turn(id, |actor, turn| actor.disturbed(turn));
        self.plan_clearings(id);
        Ok(event)
    }

    /// A broker and the disk of its machine, whether or not a process runs.
    fn broker_disk(&self, name: &str) -> Result<(NodeId, &MemoryDisk), ActionError> {
        let (id, broker) = self.broker_of(name)?;
        Ok((id, broker.disk()))
    }

    /// The same while no process runs.
    fn stopped_disk(&self, name: &str) -> Result<(NodeId, &MemoryDisk), ActionError> {
        let (id, broker) = self.broker_of(name)?;
        if broker.process().is_some() {
            return Err(ActionError::Running { node: name.to_owned() });
        }
        Ok((id, broker.disk()))
    }

    fn broker_of(&self, name: &str) -> Result<(NodeId, &Broker), ActionError> {
        let id = self.node(name)?;
        match self.nodes.get(id).map(|node| &node.actor) {
            Some(NodeActor::Broker(broker)) => Ok((id, broker)),
            _ => Err(ActionError::WrongNode { node: name.to_owned(), wanted: "broker".to_owned() }),
        }
    }

    /// The learner does something to a broker's disk.
    fn on_disk(
        &mut self,
        node: NodeId,
        action: Action,
        run: impl FnOnce(&mut MemoryDisk, &mut Turn<'_>),
    ) -> TraceEvent {
        self.learner(node, action, |actor, turn| {
            if let Some(broker) = actor.broker_mut() {
                let disk = broker.disk_mut();
                disk.set_time(turn.wall_ms());
                run(disk, turn);
                broker.disk_changed(turn);
            }
        })
    }
}

/// What was done, or why the disk refused.
fn done<T>(result: Result<T, DiskError>, step: impl FnOnce(T) -> NodeStep) -> NodeStep {
    match result {
        Ok(value) => step(value),
        Err(error) => NodeStep::ConfigFailed { path: error.file.clone(), cause: error.to_string() },
    }
}

fn no_such_file(node: &str, path: &str) -> ActionError {
    ActionError::NoSuchFile { node: node.to_owned(), path: path.to_owned() }
}
