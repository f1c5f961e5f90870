//! The branches that a run left, in its link: written as ways on from each other, and grown again on opening it.

use serde::{Deserialize, Serialize};

use super::{Link, LinkError, Opened, check_hash, go_through};
use crate::{
    lesson::{LessonRun, LoggedMove},
    sim::{Cluster, History, LoggedAction, Offshoot},
};

/// A branch that a run left, as the way on from where it parts from one that is known without it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeftBranch {
    /// Its number.
    pub id: u32,
    /// The number of the branch that it parts from: the link's own, or one that comes before it.
    pub of: u32,
    /// Where it parts: the number of events both share.
    pub at: u64,
    /// What was done on it from there on, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<LoggedMove>,
    /// Its events, from the start of the run.
    pub length: u64,
    /// Trace hash after the last of them.
    pub hash: u64,
}

impl Link {
    /// The link to a lesson's run with all its branches.
    pub fn with_branches_of_lesson(run: &LessonRun) -> Self {
        Self::of_lesson(run).with_branches(run.history(), |branch, from| run.moves_of(branch, from))
    }

    /// The link to the run of a cluster with all its branches.
    pub fn with_branches_of_cluster(cluster: &Cluster, seed: u64, history: &History) -> Self {
        let moves_of = |branch, from| {
            let actions: Vec<LoggedAction> = history.actions_of(branch, from)?;
            Some(actions.into_iter().map(LoggedMove::from).collect())
        };
        Self::of_cluster(cluster, seed, history).with_branches(history, moves_of)
    }

    fn with_branches(self, history: &History, moves_of: impl Fn(u32, u64) -> Option<Vec<LoggedMove>>) -> Self {
        let left = history.offshoots().into_iter().map(|Offshoot { id, of, at, length, hash }| LeftBranch {
            id,
            of,
            at,
            moves: moves_of(id, at).unwrap_or_default(),
            length,
            hash,
        });
        Self { branch: history.branch(), branches: left.collect(), ..self }
    }

    /// Grows the branches on the link's own, which has been gone through.
    pub(super) fn grow(&self, opened: &mut Opened) -> Result<(), LinkError> {
        if !opened.renumber(self.branch) {
            return Err(LinkError::NotARun { cause: format!("no branch is number {}", self.branch) });
        }
        for one in &self.branches {
            let grown = one.grow(opened).and_then(|()| check_hash(opened.history(), one.hash));
            grown.map_err(|error| LinkError::Branch { branch: one.id, error: Box::new(error) })?;
        }
        let order: Vec<u32> = self.branches.iter().map(|one| one.id).collect();
        opened.come_back(self.branch, &order);
        Ok(())
    }
}

impl LeftBranch {
    fn grow(&self, opened: &mut Opened) -> Result<(), LinkError> {
        let Self { id, of, at, moves, length, .. } = self;
        let grown = match opened {
            Opened::Lesson(run) => run.grow(*id, *of, *at).map_err(super::ResumeError::from)?,
            Opened::Cluster { history, .. } => history.grow(*id, *of, *at),
        };
        if !grown {
            return Err(LinkError::NotARun { cause: format!("it cannot part from branch {of} at event {at}") });
        }
        match opened {
            Opened::Lesson(run) => Ok(run.go_through(moves, *length)?),
            Opened::Cluster { history, .. } => go_through(history, moves, *length),
        }
    }
}

impl Opened {
    fn renumber(&mut self, branch: u32) -> bool {
        match self {
            Self::Lesson(run) => run.renumber(branch),
            Self::Cluster { history, .. } => history.renumber(branch),
        }
    }

    fn come_back(&mut self, branch: u32, left: &[u32]) {
        match self {
            Self::Lesson(run) => run.come_back(branch, left),
            Self::Cluster { history, .. } => history.come_back(branch, left),
        };
    }

    pub(super) fn seek(&mut self, position: u64) {
        match self {
            Self::Lesson(run) => run.seek(position),
            Self::Cluster { history, .. } => {
                history.seek(position);
            }
        }
    }
}
