//! Time that runs both ways: an action log, sparse snapshots, and replay.

mod writes;

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use self::writes::Writes;
use super::{Action, ActionError, Cluster, ClusterError, Imports, TraceEvent, World};

/// Snapshots kept at most. With more events they stand further apart.
const SNAPSHOTS_MAX: usize = 64;

/// Events between two snapshots in a short run.
const FIRST_INTERVAL: u64 = 16;

/// An action and when it was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedAction {
    /// The number of events before it, which is the number of its own event.
    pub at: u64,
    /// The action.
    pub action: Action,
}

/// A way that a run went before somebody acted in its past.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    /// Where the run left it: the number of events both share.
    pub forked_at: u64,
    /// Its events.
    pub length: u64,
    /// All of its actions.
    pub actions: Vec<LoggedAction>,
}

/// A run that can be gone through in both directions. The world is always the one after [`History::position`] events.
#[derive(Clone, Debug)]
pub struct History {
    world: World,
    events: Vec<Arc<TraceEvent>>,
    actions: Vec<LoggedAction>,
    snapshots: BTreeMap<u64, World>,
    interval: u64,
    branches: Vec<Branch>,
    writes: Writes,
    /// Nothing is going to happen after the last event.
    ended: bool,
}

impl History {
    /// A run at its beginning.
    pub fn new(cluster: &Cluster, seed: u64) -> Result<Self, ClusterError> {
        Self::with_imports(cluster, seed, &Imports::default())
    }

    /// The same with the stores that its brokers begin on, those that were brought along.
    pub fn with_imports(cluster: &Cluster, seed: u64, imports: &Imports) -> Result<Self, ClusterError> {
        let world = World::with_imports(cluster, seed, imports)?;
        Ok(Self {
            snapshots: BTreeMap::from([(0, world.clone())]),
            world,
            events: Vec::new(),
            actions: Vec::new(),
            interval: FIRST_INTERVAL,
            branches: Vec::new(),
            writes: Writes::default(),
            ended: false,
        })
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
        self.events.len() as u64
    }

    /// Whether nothing has happened yet.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// An event of this branch.
    pub fn event(&self, seq: u64) -> Option<&Arc<TraceEvent>> {
        self.events.get(usize::try_from(seq).ok()?)
    }

    /// Events of this branch from `from` on, `limit` at most.
    pub fn window(&self, from: u64, limit: usize) -> &[Arc<TraceEvent>] {
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(self.events.len());
        let to = from.saturating_add(limit).min(self.events.len());
        self.events.get(from..to).unwrap_or_default()
    }

    /// The actions of this branch, in order.
    pub fn actions(&self) -> &[LoggedAction] {
        &self.actions
    }

    /// The ways that the run went before, oldest first.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// One event forwards: the known one after a step back, else a new one. `None`: nothing is going to happen.
    pub fn step(&mut self) -> Option<Arc<TraceEvent>> {
        if self.position() < self.len() {
            let known = self.event(self.position())?.clone();
            self.replay_one();
            return Some(known);
        }
        if self.ended {
            return None;
        }
        let Some(event) = self.world.step() else {
            // Time has passed without an event: that is nothing the position could tell, so it has not passed.
            self.ended = true;
            let position = self.position();
            self.restore(position);
            return None;
        };
        let event = Arc::new(event);
        self.push(Arc::clone(&event));
        Some(event)
    }

    /// Does something to the world at its present moment. In the past this begins a new branch, and the old one is
    /// kept. The number of the action's event.
    pub fn act(&mut self, action: Action) -> Result<u64, ActionError> {
        let at = self.position();
        let event = self.world.act(action.clone())?;
        if at < self.len() {
            self.branches.push(Branch { forked_at: at, length: self.len(), actions: self.actions.clone() });
            self.events.truncate(usize::try_from(at).unwrap_or(usize::MAX));
            self.actions.retain(|logged| logged.at < at);
            self.snapshots.retain(|position, _| *position <= at);
            self.writes.truncate(at);
        }
        self.actions.push(LoggedAction { at, action });
        self.push(Arc::new(event));
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
        let nearest = self.snapshots.range(..=target).next_back().map(|(at, _)| *at);
        if self.position() > target || nearest.is_some_and(|at| self.position() < at) {
            self.restore(target);
        }
        self.go_to(target);
        self.position()
    }

    /// Goes to a known position from the nearest snapshot before it.
    fn restore(&mut self, target: u64) {
        if let Some((_, snapshot)) = self.snapshots.range(..=target).next_back() {
            self.world = snapshot.clone();
        }
        self.go_to(target);
    }

    fn go_to(&mut self, target: u64) {
        while self.position() < target {
            let before = self.position();
            self.replay_one();
            if self.position() == before {
                break;
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
        self.writes.last(node, path, offset, self.position())
    }

    fn push(&mut self, event: Arc<TraceEvent>) {
        self.ended = false;
        self.writes.add(&event);
        self.events.push(event);
        self.snap();
    }

    /// Goes through one event that is known.
    fn replay_one(&mut self) {
        let at = self.position();
        let place = self.actions.binary_search_by_key(&at, |logged| logged.at);
        let event = match place.ok().and_then(|place| self.actions.get(place)) {
            Some(logged) => self.world.act(logged.action.clone()).ok(),
            None => self.world.step(),
        };
        debug_assert_eq!(event.as_ref(), self.event(at).map(AsRef::as_ref), "a replay goes the same way");
        self.snap();
    }

    /// Keeps a snapshot at every multiple of the interval, which doubles when there are too many.
    fn snap(&mut self) {
        let position = self.position();
        if !position.is_multiple_of(self.interval) {
            return;
        }
        self.snapshots.entry(position).or_insert_with(|| self.world.clone());
        if self.snapshots.len() > SNAPSHOTS_MAX {
            self.interval *= 2;
            let interval = self.interval;
            self.snapshots.retain(|position, _| position.is_multiple_of(interval));
        }
    }
}

/// An action log that does not fit its cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The cluster cannot be built.
    #[error("{0}")]
    Cluster(ClusterError),
    /// An action cannot be done.
    #[error("action at event {at}: {error}")]
    Action {
        /// Its event.
        at: u64,
        /// Why not.
        error: ActionError,
    },
    /// Nothing happens any more before the log's end.
    #[error("the run ends after {at} events, and the log asks for {length}")]
    Ended {
        /// Events that happened.
        at: u64,
        /// Events that the log asks for.
        length: u64,
    },
    /// An action stands at a place that is never reached in order.
    #[error("action at event {at}: out of order, or beyond the end")]
    Misplaced {
        /// Its event.
        at: u64,
    },
}
