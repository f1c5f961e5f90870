//! Two runs side by side: the same action log on two clusters that differ in one setting.
//!
//! The first run is one that was made; the second plays its actions again on the cluster that a [`Change`] makes of the
//! first one's. Both are gone on with until both are at rest, so that they can be held against each other to the end; where
//! one never is, both end at the same virtual time.
//!
//! **When an action is done.** The positions of an action log count events, and another cluster has others. So an action
//! is placed by what it waited for: the second run does it at the same virtual time, to the millisecond, but not before
//! everything has come about there that could be seen when it was done in the first: every client has been told as many
//! results of sends and pulls and as many answers, every consumer's listener has returned as often, and every process is
//! where it was (up, down, starting, stopping). What comes late pushes what follows: the distance to the action before
//! stays. Where that never comes about, the action is done once the world is at rest, or a minute late. Time in which
//! nothing happens passes by a wait, which is an event of the second run alone and counts for nothing here. An action
//! that is refused there is left out, and is a difference.
//!
//! **When two events are equal.** Every lane, a service of a node, is a sequence of turns; the two runs' sequences are
//! held against each other turn by turn, whatever lies between them in time. Two turns are equal if the same thing set
//! them off and their steps are of the same kinds with the same values. Not looked at are
//!
//! - moments, durations and ages, ids that are made from clocks and processes, what depends on those (slots and names of
//!   index files), the texts of exceptions, and the contents of rows, which are compared at the end: a turn that only
//!   comes later is the same turn;
//! - turns that keep a cluster alive: heartbeats, routes, registration, polls that are held, offsets and config files
//!   being saved, flushes of ConsumeQueues. What comes of them is looked at where it comes: in sends, listeners, logs;
//! - what the change says by itself: a node that only one run has, and whatever others do for it and with it.
//!
//! The first difference is the earliest of all lanes' first ones. What happens later follows from it or could.

mod accounts;
mod change;
mod ends;
mod first;
mod play;
mod preset;
mod reading;
#[cfg(test)]
mod tests;
mod told;

use std::sync::Arc;

use thiserror::Error;

pub use accounts::{AccountEnd, AccountPair};
pub use change::{Change, ChangeError};
pub use ends::{Ends, LogEnd, LogPair, TablePair};
pub use first::{Difference, Side};
pub use play::Refused;
pub use preset::{Preset, presets};
pub use told::{Told, ToldDifference};

use crate::sim::{ClusterError, History, TraceEvent};

/// Events that either run takes at most to come to rest after its last action.
const REST_MAX: u64 = 5_000;

/// A comparison that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompareError {
    /// The change does not fit the cluster.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The changed cluster cannot be built.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
}

/// Two runs of one action log, and where they stand: always at the same virtual time.
#[derive(Clone, Debug)]
pub struct Comparison {
    change: Change,
    first: History,
    second: History,
    refused: Vec<Refused>,
    difference: Option<Difference>,
    told: Option<ToldDifference>,
    ends: Ends,
    /// The times of all events of both runs, each once, in order.
    moments: Vec<i64>,
    /// How many of the moments are behind.
    moment: usize,
}

impl Comparison {
    /// Plays a run, the whole of its branch, again with one change, and finds the first difference. Both runs then stand
    /// at their beginning.
    ///
    /// # Errors
    /// If the change does not fit the run's cluster, or the changed one cannot be built.
    pub fn new(run: &History, change: Change) -> Result<Self, CompareError> {
        let mut first = run.clone();
        first.seek(first.len());
        let cluster = first.world().cluster().clone();
        let (changed, seed) = change.applied(&cluster, first.world().seed())?;
        let play::Played { history: mut second, refused } = play::play(&first, &changed, seed)?;
        go_on(&mut first, &mut second);
        let difference = first::difference(&first, &second, &refused);
        let told = told::difference(first.world(), second.world());
        let ends = Ends::of(first.world(), second.world());
        let mut moments: Vec<i64> = times(&first).chain(times(&second)).collect();
        moments.sort_unstable();
        moments.dedup();
        first.seek(0);
        second.seek(0);
        Ok(Self { change, first, second, refused, difference, told, ends, moments, moment: 0 })
    }

    /// What the second run has otherwise.
    pub const fn change(&self) -> &Change {
        &self.change
    }

    /// The run as it was made.
    pub const fn first(&self) -> &History {
        &self.first
    }

    /// The run with the change.
    pub const fn second(&self) -> &History {
        &self.second
    }

    /// The actions that the second run could not do.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The first difference; none if the change makes none.
    pub const fn difference(&self) -> Option<&Difference> {
        self.difference.as_ref()
    }

    /// The first thing that an application was told otherwise.
    pub const fn told(&self) -> Option<&ToldDifference> {
        self.told.as_ref()
    }

    /// How many moments there are: times at which either run has an event.
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Whether nothing happens in either run.
    pub fn is_empty(&self) -> bool {
        self.moments.is_empty()
    }

    /// How many moments are behind; 0 is the start.
    pub const fn moment(&self) -> usize {
        self.moment
    }

    /// The virtual time at which both stand, microseconds.
    pub fn now_us(&self) -> i64 {
        self.moment.checked_sub(1).and_then(|last| self.moments.get(last)).copied().unwrap_or(0)
    }

    /// The number of moments that are behind right after everything that happens at a time, microseconds.
    pub fn moment_at(&self, at_us: i64) -> usize {
        self.moments.partition_point(|moment| *moment <= at_us)
    }

    /// Takes both runs to a moment, at most the last.
    pub fn seek(&mut self, moment: usize) {
        self.moment = moment.min(self.moments.len());
        let upto = self.moment.checked_sub(1).and_then(|last| self.moments.get(last).copied());
        for history in [&mut self.first, &mut self.second] {
            history.seek(upto.map_or(0, |upto_us| position_at(history, upto_us)));
        }
    }

    /// What both runs came to.
    pub const fn ends(&self) -> &Ends {
        &self.ends
    }
}

/// Goes on with both until they are at rest and at the same virtual time. Where one never is, both end when that one's
/// events are used up, and what the other knows beyond is left out.
fn go_on(first: &mut History, second: &mut History) {
    let acted_us = first.world().now_us().max(second.world().now_us());
    let mut ends_us = [acted_us; 2];
    let mut endless_us = i64::MAX;
    for (history, end_us) in [&mut *first, &mut *second].into_iter().zip(&mut ends_us) {
        history.run_to_rest(REST_MAX);
        *end_us = history.world().now_us().max(acted_us);
        if !history.at_rest() {
            endless_us = endless_us.min(*end_us);
        }
    }
    let mut end_us = ends_us.into_iter().max().unwrap_or(acted_us).min(endless_us);
    for history in [&mut *first, &mut *second] {
        history.run_until_us(end_us, REST_MAX);
        if history.next_event_us().is_some_and(|next_us| next_us <= end_us) {
            end_us = history.world().now_us();
        }
    }
    for history in [first, second] {
        history.seek(position_at(history, end_us));
    }
}

/// How many events of a run are over at a time, microseconds.
fn position_at(history: &History, at_us: i64) -> u64 {
    history.window(0, usize::MAX).partition_point(|event| event.at_us <= at_us) as u64
}

/// The events up to the present one.
fn past(history: &History) -> Vec<Arc<TraceEvent>> {
    history.window(0, usize::try_from(history.position()).unwrap_or(usize::MAX))
}

fn times(history: &History) -> impl Iterator<Item = i64> {
    past(history).into_iter().map(|event| event.at_us)
}
