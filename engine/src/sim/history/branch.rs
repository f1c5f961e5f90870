//! Branches: leaving one, and going back to it.

use std::mem;

use serde::{Deserialize, Serialize};

use super::{History, LoggedAction, line::Line};

/// Branches kept at most, beside the present one.
pub const BRANCHES_MAX: usize = 16;

/// Events kept at most of all branches that were left, those not counted that the present one has too. The one that was
/// left last is kept whatever its length.
const LEFT_EVENTS_MAX: u64 = 100_000;

/// A way that a run went before somebody acted in its past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    /// Its number: the run begins on branch 0, and each one begun after that has the next number.
    pub id: u32,
    /// Where it and the present branch part: the number of events both share.
    pub forked_at: u64,
    /// Its events, from the start of the run.
    pub length: u64,
}

impl History {
    /// The number of the present branch.
    pub const fn branch(&self) -> u32 {
        self.line.id
    }

    /// The branches that were left and are kept, by number.
    pub fn branches(&self) -> Vec<Branch> {
        let branch = |line: &Line| Branch { id: line.id, forked_at: line.shared(&self.line), length: line.len() };
        let mut branches: Vec<Branch> = self.left.iter().map(branch).collect();
        branches.sort_by_key(|branch| branch.id);
        branches
    }

    /// The actions of a branch that was left from event `from` on, in order.
    pub fn actions_of(&self, branch: u32, from: u64) -> Option<Vec<LoggedAction>> {
        self.left.iter().find(|line| line.id == branch).map(|line| line.logged(from).collect())
    }

    /// Trace hash after the last event of the present branch.
    pub const fn end_hash(&self) -> u64 {
        self.line.hash
    }

    /// Goes back to a branch that was left, to its end. The present one is kept in turn. `false`: no such branch is kept.
    pub fn switch(&mut self, branch: u32) -> bool {
        let Some(place) = self.left.iter().position(|line| line.id == branch) else { return false };
        let mut line = self.left.remove(place);
        let shared = line.shared(&self.line);
        line.take_up();
        let mut before = mem::replace(&mut self.line, line);
        before.leave(shared);
        self.left.push(before);
        self.near.truncate(shared);
        self.restore(self.len());
        true
    }

    /// Begins a new branch at a position in the past, where the trace hash is this one, and keeps the present one.
    pub(super) fn fork(&mut self, at: u64, hash: u64) {
        self.part(self.begun, at, hash);
        self.begun += 1;
        self.forget();
    }

    /// Begins a branch of this number at a position, where the trace hash is this one, and keeps the present one.
    pub(super) fn part(&mut self, branch: u32, at: u64, hash: u64) {
        let mut left = self.line.clone();
        left.leave(at);
        self.left.push(left);
        self.line.truncate(at, hash);
        self.line.id = branch;
        self.near.truncate(at);
    }

    /// Forgets the branches that were left the longest ago, as far as they are too many or too long.
    pub(super) fn forget(&mut self) {
        let own = |line: &Line| line.len() - line.shared(&self.line);
        let mut lengths: Vec<u64> = self.left.iter().map(own).collect();
        while lengths.len() > 1 && (lengths.len() > BRANCHES_MAX || lengths.iter().sum::<u64>() > LEFT_EVENTS_MAX) {
            lengths.remove(0);
        }
        let forgotten = self.left.len() - lengths.len();
        self.left.drain(..forgotten);
    }
}
