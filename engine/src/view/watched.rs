//! The watch over what runs, and what it has found.

use crate::{
    ledger::{Broken, Watch},
    sim::{History, TraceEvent, World},
};

/// The watch over a run, in all its branches.
#[derive(Default)]
pub(super) struct Watched {
    watch: Watch,
    found: Vec<Found>,
}

/// What was found, with the event that did it: another branch has another event there.
struct Found {
    broken: Broken,
    event: TraceEvent,
}

impl Watched {
    /// Looks at the events that a run has taken since position `from`.
    pub(super) fn look(&mut self, history: &History, from: u64) {
        for seq in from..history.position() {
            if let Some(event) = history.event(seq) {
                self.see(history.world(), event);
            }
        }
    }

    /// Looks at an event; `world` is the world right after it. Whether something is broken by it.
    pub(super) fn see(&mut self, world: &World, event: &TraceEvent) -> bool {
        let Some(broken) = self.watch.look(world, event) else { return false };
        if !self.found.iter().any(|found| found.broken == broken && found.event == *event) {
            self.found.push(Found { broken, event: event.clone() });
        }
        true
    }

    /// What is broken up to the present position of a run, oldest first.
    pub(super) fn broken(&self, history: &History) -> Vec<Broken> {
        let here = |found: &&Found| {
            found.broken.seq < history.position()
                && history.event(found.broken.seq).is_some_and(|event| **event == found.event)
        };
        let mut broken: Vec<Broken> = self.found.iter().filter(here).map(|found| found.broken.clone()).collect();
        broken.sort_by_key(|broken| broken.seq);
        broken
    }
}
