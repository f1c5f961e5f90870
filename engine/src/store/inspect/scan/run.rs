//! Neighbours with the same trouble make one problem.

use super::super::problem::{Problem, ProblemKind};

/// Numbers that follow each other (queue offsets, entry numbers) and share a kind of problem.
#[derive(Clone, Debug)]
pub(super) struct Run {
    problem: Problem,
    first: i64,
    last: i64,
    count: u64,
}

impl Run {
    /// The problem with its `first`, `last` and `count`.
    fn finish(self) -> Problem {
        self.problem.with("first", self.first).with("last", self.last).with("count", self.count)
    }
}

/// One open run for each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    open: Vec<Run>,
}

impl Runs {
    /// Adds number `at` to the run of its kind, or begins one with `problem`; a run that ends thereby is given back.
    pub(super) fn add(&mut self, kind: ProblemKind, at: i64, problem: impl FnOnce() -> Problem) -> Option<Problem> {
        let open = self.open.iter_mut().position(|run| run.problem.kind == kind);
        if let Some(run) = open.and_then(|open| self.open.get_mut(open))
            && (at == run.last || Some(at) == run.last.checked_add(1))
        {
            run.last = at;
            run.count += 1;
            return None;
        }
        let ended = open.map(|open| self.open.swap_remove(open).finish());
        self.open.push(Run { problem: problem(), first: at, last: at, count: 1 });
        ended
    }

    /// Ends all runs.
    pub(super) fn finish(&mut self) -> impl Iterator<Item = Problem> {
        std::mem::take(&mut self.open).into_iter().map(Run::finish)
    }
}
