//! The branches that were left as what they follow from, and grown again from that.

use super::{History, line::Line};

/// The highest number of a branch that [`History::grow`] takes. Far more can be begun after it than anybody does.
const NUMBER_MAX: u32 = u32::MAX / 2;

/// A branch that was left, as the way on from where it parts from one that is known without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offshoot {
    /// Its number.
    pub id: u32,
    /// The number of the branch that it parts from: the present one, or one that was left longer ago.
    pub of: u32,
    /// Where it parts: the number of events both share.
    pub at: u64,
    /// Its events, from the start of the run.
    pub length: u64,
    /// Trace hash after the last of them.
    pub hash: u64,
}

impl History {
    /// The branches that were left and are kept, the longest ago first: each as the way on from the branch before it, or
    /// the present one, that it has the most in common with. [`History::grow`] grows them again.
    pub fn offshoots(&self) -> Vec<Offshoot> {
        let offshoot = |(place, line): (usize, &Line)| {
            let known = std::iter::once(&self.line).chain(self.left.iter().take(place));
            let (mut of, mut at) = (self.line.id, 0);
            for one in known {
                let shared = line.shared(one);
                if shared > at {
                    (of, at) = (one.id, shared);
                }
            }
            Offshoot { id: line.id, of, at, length: line.len(), hash: line.hash }
        };
        self.left.iter().enumerate().map(offshoot).collect()
    }

    /// Gives the present branch of a run without others its number. `false`: no branch can have that.
    pub fn renumber(&mut self, branch: u32) -> bool {
        let fits = self.left.is_empty() && branch <= NUMBER_MAX;
        if fits {
            self.line.id = branch;
            self.begun = branch + 1;
        }
        fits
    }

    /// Begins a branch of this number at a place of the branch `of`, and stands there; what is done next happens on it.
    /// Nothing is forgotten for it before [`History::come_back`]. `false`, and nothing has changed: there is no branch
    /// `of`, it ends before such a place, or the number is taken or too high.
    pub fn grow(&mut self, branch: u32, of: u32, at: u64) -> bool {
        let lines = || std::iter::once(&self.line).chain(&self.left);
        let fits = lines().any(|line| line.id == of && at < line.len());
        if !fits || branch > NUMBER_MAX || lines().any(|line| line.id == branch) {
            return false;
        }
        self.switch(of);
        self.seek(at);
        self.part(branch, at, self.world.trace_hash());
        self.begun = self.begun.max(branch + 1);
        true
    }

    /// Goes back to the end of a branch after the others have grown, which are taken as left in the order of `left`, the
    /// longest ago first. `false`: no such branch is kept.
    pub fn come_back(&mut self, branch: u32, left: &[u32]) -> bool {
        let is_here = self.branch() == branch || self.switch(branch);
        self.left.sort_by_key(|line| left.iter().position(|id| *id == line.id));
        self.forget();
        is_here
    }
}
