//! What is known of one branch, from the start of the run to the branch's end.

use std::{collections::BTreeSet, sync::Arc};

use imbl::Vector;

use super::{LoggedAction, snapshots::Snapshots, writes::Writes};
use crate::sim::{EventKind, TraceEvent, World};

/// One branch. A copy shares its events and snapshots with the original.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The branch's number.
    pub(super) id: u32,
    events: Vector<Arc<TraceEvent>>,
    /// Empty while the branch is left: the events tell them again.
    actions: Vec<LoggedAction>,
    /// Numbers of the actions that changed nothing.
    idle: BTreeSet<u64>,
    /// First events of each lane, by number.
    lanes: Vec<(u64, Arc<TraceEvent>)>,
    pub(super) snapshots: Snapshots,
    pub(super) writes: Writes,
    /// Nothing is going to happen after the last event.
    pub(super) ended: bool,
    /// Trace hash after the last event.
    pub(super) hash: u64,
}

impl Line {
    pub(super) fn new(id: u32, world: &World) -> Self {
        Self {
            id,
            events: Vector::new(),
            actions: Vec::new(),
            idle: BTreeSet::new(),
            lanes: Vec::new(),
            snapshots: Snapshots::new(world),
            writes: Writes::default(),
            ended: false,
            hash: world.trace_hash(),
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.events.len() as u64
    }

    pub(super) fn event(&self, seq: u64) -> Option<&Arc<TraceEvent>> {
        self.events.get(usize::try_from(seq).ok()?)
    }

    pub(super) fn window(&self, from: u64, limit: usize) -> Vec<Arc<TraceEvent>> {
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(self.events.len());
        let to = from.saturating_add(limit).min(self.events.len());
        self.events.focus().narrow(from..to).into_iter().cloned().collect()
    }

    pub(super) fn lanes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lanes.iter().map(|(_, event)| (event.node.as_str(), event.service.as_str()))
    }

    pub(super) fn actions(&self) -> &[LoggedAction] {
        &self.actions
    }

    /// The actions before a position, and those from there on.
    pub(super) fn actions_around(&self, position: u64) -> (&[LoggedAction], &[LoggedAction]) {
        let place = self.actions.partition_point(|logged| logged.at < position);
        self.actions.split_at_checked(place).unwrap_or_default()
    }

    /// Those of some actions that changed something.
    pub(super) fn changing<'a>(
        &'a self,
        actions: impl Iterator<Item = &'a LoggedAction>,
    ) -> impl Iterator<Item = &'a LoggedAction> {
        actions.filter(|logged| !self.idle.contains(&logged.at))
    }

    /// Goes on with an event, after which the world is this one.
    pub(super) fn push(&mut self, event: Arc<TraceEvent>, world: &World) {
        self.ended = false;
        self.hash = world.trace_hash();
        self.writes.add(&event);
        if !self.lanes().any(|lane| lane == (event.node.as_str(), event.service.as_str())) {
            self.lanes.push((event.seq, Arc::clone(&event)));
        }
        self.events.push_back(event);
        self.snapshots.keep(world);
    }

    /// Goes on with the event of an action, which may have changed nothing.
    pub(super) fn push_action(&mut self, event: Arc<TraceEvent>, idle: bool, world: &World) {
        self.actions.extend(logged(&event));
        if idle {
            self.idle.insert(event.seq);
        }
        self.push(event, world);
    }

    /// Forgets events from `at` on, before which the trace hash is this one.
    pub(super) fn truncate(&mut self, at: u64, hash: u64) {
        self.events.truncate(usize::try_from(at).unwrap_or(usize::MAX).min(self.events.len()));
        self.actions.truncate(self.actions.partition_point(|logged| logged.at < at));
        self.idle.retain(|seq| *seq < at);
        self.lanes.retain(|(seq, _)| *seq < at);
        self.snapshots.truncate(at);
        self.writes.truncate(at);
        self.ended = false;
        self.hash = hash;
    }

    /// The branch is left, and what replaces it shares its first `shared` events.
    pub(super) fn leave(&mut self, shared: u64) {
        self.actions = Vec::new();
        self.snapshots.thin_behind(shared);
    }

    /// The branch is the present one again.
    pub(super) fn take_up(&mut self) {
        self.actions = self.logged(0).collect();
    }

    /// Its actions from event `from` on, as the events tell them.
    pub(super) fn logged(&self, from: u64) -> impl Iterator<Item = LoggedAction> {
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(self.events.len());
        self.events.focus().narrow(from..).into_iter().filter_map(|event| logged(event))
    }

    /// How many events it begins with that another branch begins with too.
    pub(super) fn shared(&self, other: &Self) -> u64 {
        let (mut shared, mut end) = (0, self.events.len().min(other.events.len()));
        while shared < end {
            let middle = shared + (end - shared) / 2;
            let same = match (self.events.get(middle), other.events.get(middle)) {
                (Some(one), Some(two)) => Arc::ptr_eq(one, two),
                _ => false,
            };
            if same {
                shared = middle + 1;
            } else {
                end = middle;
            }
        }
        shared as u64
    }
}

fn logged(event: &TraceEvent) -> Option<LoggedAction> {
    match &event.what {
        EventKind::Action { action } => Some(LoggedAction { at: event.seq, action: action.clone() }),
        _ => None,
    }
}
