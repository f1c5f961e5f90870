//! Time that runs both ways: an action log, snapshots, and replay; and the branches that a run has taken.

mod branch;
mod error;
mod line;
mod offshoot;
mod snapshots;
mod writes;

use std::{collections::BTreeSet, sync::Arc};

use serde::{Deserialize, Serialize};

pub use self::{
    branch::{BRANCHES_MAX, Branch},
    error::ReplayError,
    offshoot::Offshoot,
};
use self::{
    line::Line,
    snapshots::{NEAR_STEP, Near},
};
use super::{Action, ActionError, Cluster, ClusterError, Imports, TraceEvent, World};

/// An action and when it was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedAction {
    /// The number of events before it, which is the number of its own event.
    pub at: u64,
    /// The action.
    pub action: Action,
}

/// A run that can be gone through in both directions. The world is always the one after [`History::position`] events.
///
/// Somebody who acts in the past begins a new branch; the one that is left is kept, and [`History::switch`] goes back to
/// it. What is known of a branch are its events and some snapshots: so close together that a seek anywhere goes through
/// few events again, and of a number that no length of the run exceeds.
#[derive(Clone, Debug)]
pub struct History {
    world: World,
    line: Line,
    /// The branches left, the longest ago first.
    left: Vec<Line>,
    /// Branches begun so far: the number of the next one.
    begun: u32,
    near: Near,
}

impl History {
    /// A run at its beginning.
    pub fn new(cluster: &Cluster, seed: u64) -> Result<Self, ClusterError> {
        Self::with_imports(cluster, seed, &Imports::default())
    }

    /// The same with the stores that its brokers begin on, those that were brought along.
    pub fn with_imports(cluster: &Cluster, seed: u64, imports: &Imports) -> Result<Self, ClusterError> {
        let world = World::with_imports(cluster, seed, imports)?;
        Ok(Self { line: Line::new(0, &world), world, left: Vec::new(), begun: 1, near: Near::default() })
    }

    /// A run gone through up to the end of an action log: `length` events.
    pub fn replay(cluster: &Cluster, seed: u64, actions: &[LoggedAction], length: u64) -> Result<Self, ReplayError> {
        let mut history = Self::new(cluster, seed).map_err(ReplayError::Cluster)?;
        history.go_through(actions, length)?;
        Ok(history)
    }

    /// Forwards through an action log, up to `length` events.
    pub fn go_through(&mut self, actions: &[LoggedAction], length: u64) -> Result<(), ReplayError> {
        let mut actions = actions.iter().peekable();
        while self.position() < length {
            let at = self.position();
            if let Some(logged) = actions.next_if(|logged| logged.at == at) {
                self.act(logged.action.clone()).map_err(|error| ReplayError::Action { at, error })?;
            } else if self.step().is_none() {
                return Err(ReplayError::Ended { at, length });
            }
        }
        match actions.next() {
            Some(logged) => Err(ReplayError::Misplaced { at: logged.at }),
            None => Ok(()),
        }
    }

    /// The world as it is at the present position.
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// Events taken to get here.
    pub const fn position(&self) -> u64 {
        self.world.events()
    }

    /// Events known on this branch; more than [`History::position`] after a step back.
    pub fn len(&self) -> u64 {
        self.line.len()
    }

    /// Whether nothing has happened yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An event of this branch.
    pub fn event(&self, seq: u64) -> Option<&Arc<TraceEvent>> {
        self.line.event(seq)
    }

    /// Events of this branch from `from` on, `limit` at most.
    pub fn window(&self, from: u64, limit: usize) -> Vec<Arc<TraceEvent>> {
        self.line.window(from, limit)
    }

    /// Node and service of every event of this branch, in the order in which they first come.
    pub fn lanes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.line.lanes()
    }

    /// The actions of this branch, in order.
    pub fn actions(&self) -> &[LoggedAction] {
        self.line.actions()
    }

    /// One event forwards: the known one after a step back, else a new one. `None`: nothing is going to happen.
    pub fn step(&mut self) -> Option<Arc<TraceEvent>> {
        if self.position() < self.len() {
            let known = self.event(self.position())?.clone();
            self.replay_one();
            return Some(known);
        }
        if self.line.ended {
            return None;
        }
        let Some(event) = self.world.step() else {
            // Time has passed without an event: that is nothing the position could tell, so it has not passed.
            self.line.ended = true;
            let position = self.position();
            self.restore(position);
            return None;
        };
        let event = Arc::new(event);
        self.line.push(Arc::clone(&event), &self.world);
        Some(event)
    }

    /// Does something to the world at its present moment. In the past this begins a new branch, and the old one is
    /// kept. The number of the action's event.
    pub fn act(&mut self, action: Action) -> Result<u64, ActionError> {
        let (at, hash) = (self.position(), self.world.trace_hash());
        let idle = self.world.is_set(&action);
        let event = self.world.act(action)?;
        if at < self.len() {
            self.fork(at, hash);
        }
        self.line.push_action(Arc::new(event), idle, &self.world);
        Ok(at)
    }

    /// One event back. `false` at the start.
    pub fn step_back(&mut self) -> bool {
        match self.position().checked_sub(1) {
            Some(before) => {
                self.seek(before);
                true
            }
            None => false,
        }
    }

    /// To a position on this branch, at most its end; the position reached.
    pub fn seek(&mut self, position: u64) -> u64 {
        let target = position.min(self.len());
        if self.nearest(target).is_some_and(|nearest| self.position() > target || self.position() < nearest) {
            self.restore(target);
        } else {
            self.go_to(target);
        }
        self.position()
    }

    /// Events that a seek to a position goes through again: those from the nearest snapshot before it, or from here.
    pub fn distance_to(&self, position: u64) -> u64 {
        let target = position.min(self.len());
        let here = Some(self.position()).filter(|here| *here <= target);
        target - self.nearest(target).max(here).unwrap_or(0)
    }

    /// Snapshots of this branch and of those that were left. One that several branches share is one.
    pub fn snapshots(&self) -> usize {
        let lines = std::iter::once(&self.line).chain(&self.left);
        let kept = lines.flat_map(|line| line.snapshots.iter()).chain(self.near.iter());
        kept.map(Arc::as_ptr).collect::<BTreeSet<_>>().len()
    }

    /// Where an undo leads: before the newest action up to here that changed something, of those that are `wanted`. One
    /// that set what was set so already changed nothing.
    pub fn undo_to(&self, wanted: impl Fn(&LoggedAction) -> bool) -> Option<u64> {
        let (before, _) = self.line.actions_around(self.position());
        self.line.changing(before.iter().rev()).find(|logged| wanted(logged)).map(|logged| logged.at)
    }

    /// Where a redo leads, which is where the undo before it came from: behind the next action that changes something,
    /// of those that are `wanted`, and what followed it up to another one or to the end.
    pub fn redo_to(&self, wanted: impl Fn(&LoggedAction) -> bool) -> Option<u64> {
        let (_, ahead) = self.line.actions_around(self.position());
        let mut ahead = self.line.changing(ahead.iter()).filter(|logged| wanted(logged));
        ahead.next()?;
        Some(ahead.next().map_or(self.len(), |logged| logged.at))
    }

    /// The nearest snapshot up to a position.
    fn nearest(&self, target: u64) -> Option<u64> {
        let far = self.line.snapshots.before(target).map(|(at, _)| at);
        far.max(self.near.before(target).map(|(at, _)| at))
    }

    /// Goes to a known position from the nearest snapshot before it.
    fn restore(&mut self, target: u64) {
        let (far, near) = (self.line.snapshots.before(target), self.near.before(target));
        let nearest = far.into_iter().chain(near).max_by_key(|(at, _)| *at);
        if let Some((_, snapshot)) = nearest {
            self.world = World::clone(snapshot);
        }
        self.go_to(target);
    }

    /// Goes on to a known position. On a long way snapshots are left closer and closer to it, for the steps back that
    /// often follow.
    fn go_to(&mut self, target: u64) {
        let mut half = target.saturating_sub(self.position()) / 2;
        while self.position() < target {
            let before = self.position();
            self.replay_one();
            if self.position() == before {
                break;
            }
            if half >= NEAR_STEP && target - self.position() == half {
                half /= 2;
                self.near.keep(&self.world, target);
            }
        }
    }

    /// Forwards until `until` says so of the world after an event, nothing is going to happen any more, or `most`
    /// events were taken. The number of events taken.
    pub fn run(&mut self, most: u64, mut until: impl FnMut(&World, &TraceEvent) -> bool) -> u64 {
        let mut taken = 0;
        while taken < most {
            let Some(event) = self.step() else { break };
            taken += 1;
            if until(&self.world, &event) {
                break;
            }
        }
        taken
    }

    /// Forwards until the world is at rest, or `most` events were taken.
    pub fn run_to_rest(&mut self, most: u64) -> u64 {
        if self.world.at_rest() { 0 } else { self.run(most, |world, _| world.at_rest()) }
    }

    /// Forwards through all events up to `until_us`, `most` at most.
    pub fn run_until_us(&mut self, until_us: i64, most: u64) -> u64 {
        let mut taken = 0;
        while taken < most && self.next_event_us().is_some_and(|at_us| at_us <= until_us) {
            self.step();
            taken += 1;
        }
        taken
    }

    /// Whether the world is at rest at the head of the branch.
    pub fn at_rest(&self) -> bool {
        self.position() == self.len() && self.world.at_rest()
    }

    /// When the next event happens if it is known, else when the next thing in the queue does, microseconds: that need
    /// not become an event, so the next event can come later. Cheap, other than [`History::next_event_us`].
    pub fn next_us(&self) -> Option<i64> {
        self.event(self.position()).map_or_else(|| self.world.next_us(), |known| Some(known.at_us))
    }

    /// When the next event happens, microseconds. What is not known yet is tried out on a copy of the world.
    pub fn next_event_us(&self) -> Option<i64> {
        if let Some(known) = self.event(self.position()) {
            return Some(known.at_us);
        }
        self.world.next_us()?;
        self.world.clone().step().map(|event| event.at_us)
    }

    /// The event and step that last wrote a byte of a node's disk, up to the present position.
    pub fn writer_of(&self, node: &str, path: &str, offset: u64) -> Option<(u64, u32)> {
        self.line.writes.last(node, path, offset, self.position())
    }

    /// Goes through one event that is known.
    fn replay_one(&mut self) {
        let at = self.position();
        let actions = self.actions();
        let place = actions.binary_search_by_key(&at, |logged| logged.at);
        let event = match place.ok().and_then(|place| actions.get(place)).map(|logged| logged.action.clone()) {
            Some(action) => self.world.act(action).ok(),
            None => self.world.step(),
        };
        debug_assert_eq!(event.as_ref(), self.event(at).map(AsRef::as_ref), "a replay goes the same way");
        self.line.snapshots.keep(&self.world);
    }
}
