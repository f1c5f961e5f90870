//! Worlds along a branch, to go on from.

use std::{collections::BTreeMap, sync::Arc};

use crate::sim::World;

/// Snapshots of a branch at most. With more events they stand further apart: 256 events in a run of 100,000.
const SNAPSHOTS_MAX: usize = 512;

/// Events between two snapshots in a short run.
const FIRST_INTERVAL: u64 = 16;

/// Snapshots that a branch keeps of its own once it is left.
const LEFT_MAX: usize = 16;

/// Snapshots near the present position at most.
const NEAR_MAX: usize = 16;

/// Fewer events than so many need no snapshot between.
pub(super) const NEAR_STEP: u64 = 16;

/// Snapshots of one branch at equal distances. They are shared with the branches that it has its past in common with.
#[derive(Clone, Debug)]
pub(super) struct Snapshots {
    kept: BTreeMap<u64, Arc<World>>,
    interval: u64,
}

impl Snapshots {
    pub(super) fn new(world: &World) -> Self {
        Self { kept: BTreeMap::from([(0, Arc::new(world.clone()))]), interval: FIRST_INTERVAL }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<World>> {
        self.kept.values()
    }

    /// Keeps the world at every multiple of the interval, which doubles when there are too many.
    pub(super) fn keep(&mut self, world: &World) {
        let position = world.events();
        if !position.is_multiple_of(self.interval) {
            return;
        }
        self.kept.entry(position).or_insert_with(|| Arc::new(world.clone()));
        if self.kept.len() > SNAPSHOTS_MAX {
            self.interval *= 2;
            let interval = self.interval;
            self.kept.retain(|position, _| position.is_multiple_of(interval));
        }
    }

    /// The last one up to a position.
    pub(super) fn before(&self, position: u64) -> Option<(u64, &Arc<World>)> {
        self.kept.range(..=position).next_back().map(|(at, world)| (*at, world))
    }

    /// Forgets those behind a position.
    pub(super) fn truncate(&mut self, position: u64) {
        self.kept.retain(|at, _| *at <= position);
    }

    /// Keeps only a few of those behind a position, the last among them: nobody is there any more.
    pub(super) fn thin_behind(&mut self, position: u64) {
        let behind: Vec<u64> = self.kept.range(position.saturating_add(1)..).map(|(at, _)| *at).collect();
        let every = behind.len().div_ceil(LEFT_MAX).max(1);
        for (place, at) in behind.iter().rev().enumerate() {
            if !place.is_multiple_of(every) {
                self.kept.remove(at);
            }
        }
    }
}

/// Snapshots near the present position, left by the seek that led there.
#[derive(Clone, Debug, Default)]
pub(super) struct Near(BTreeMap<u64, Arc<World>>);

impl Near {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<World>> {
        self.0.values()
    }

    /// Keeps the world, and forgets those that are the furthest from the target of the seek.
    pub(super) fn keep(&mut self, world: &World, target: u64) {
        self.0.insert(world.events(), Arc::new(world.clone()));
        if self.0.len() > NEAR_MAX {
            let furthest = self.0.keys().copied().max_by_key(|at| at.abs_diff(target));
            furthest.map(|at| self.0.remove(&at));
        }
    }

    /// The last one up to a position.
    pub(super) fn before(&self, position: u64) -> Option<(u64, &Arc<World>)> {
        self.0.range(..=position).next_back().map(|(at, world)| (*at, world))
    }

    /// Forgets those behind a position.
    pub(super) fn truncate(&mut self, position: u64) {
        self.0.retain(|at, _| *at <= position);
    }
}
