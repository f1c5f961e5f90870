//! What a session runs: a lesson, or a free run.

use super::{
    Failure, FailureKind,
    failure::{failure, not_found},
};
use crate::{
    lesson::{LessonRun, RunError},
    link::{Link, Opened},
    sim::{Cluster, History, Imports},
};

/// What runs.
pub(super) enum Run {
    Lesson(Box<LessonRun>),
    Sandbox { cluster: Box<Cluster>, seed: u64, history: Box<History> },
}

impl From<Opened> for Run {
    fn from(opened: Opened) -> Self {
        match opened {
            Opened::Lesson(run) => Self::Lesson(run),
            Opened::Cluster { cluster, seed, history } => Self::Sandbox { cluster, seed, history },
        }
    }
}

impl Run {
    pub(super) fn history(&self) -> &History {
        match self {
            Self::Lesson(run) => run.history(),
            Self::Sandbox { history, .. } => history,
        }
    }

    /// The link to the branch that it is on.
    pub(super) fn link(&self) -> Link {
        match self {
            Self::Lesson(run) => Link::of_lesson(run),
            Self::Sandbox { cluster, seed, history } => Link::of_cluster(cluster, *seed, history),
        }
    }

    /// The link to it with the branches that it left.
    pub(super) fn link_with_branches(&self) -> Link {
        match self {
            Self::Lesson(run) => Link::with_branches_of_lesson(run),
            Self::Sandbox { cluster, seed, history } => Link::with_branches_of_cluster(cluster, *seed, history),
        }
    }

    pub(super) fn lesson_id(&self) -> Option<&str> {
        match self {
            Self::Lesson(run) => Some(&run.lesson().id),
            Self::Sandbox { .. } => None,
        }
    }

    pub(super) fn lesson(&mut self) -> Result<&mut LessonRun, Failure> {
        match self {
            Self::Lesson(run) => Ok(run),
            Self::Sandbox { .. } => Err(failure(FailureKind::NothingOpen, &"no lesson is open")),
        }
    }

    pub(super) fn reset(&mut self, imports: &Imports) -> Result<(), RunError> {
        match self {
            Self::Lesson(run) => run.reset(),
            Self::Sandbox { cluster, seed, history } => {
                **history = History::with_imports(cluster, *seed, imports)?;
                Ok(())
            }
        }
    }

    pub(super) fn step(&mut self) -> Result<(), RunError> {
        match self {
            Self::Lesson(run) => run.step().map(drop),
            Self::Sandbox { history, .. } => {
                history.step();
                Ok(())
            }
        }
    }

    pub(super) fn step_back(&mut self) {
        match self {
            Self::Lesson(run) => run.step_back(),
            Self::Sandbox { history, .. } => history.step_back(),
        };
    }

    pub(super) fn seek(&mut self, position: u64) {
        match self {
            Self::Lesson(run) => run.seek(position),
            Self::Sandbox { history, .. } => {
                history.seek(position);
            }
        }
    }

    /// The lesson that is played, if it is one.
    pub(super) fn played(&self) -> Option<&LessonRun> {
        match self {
            Self::Lesson(run) => Some(run),
            Self::Sandbox { .. } => None,
        }
    }

    pub(super) fn switch(&mut self, branch: u32) -> Result<(), Failure> {
        let kept = match self {
            Self::Lesson(run) => run.switch(branch),
            Self::Sandbox { history, .. } => history.switch(branch),
        };
        if kept { Ok(()) } else { Err(not_found(format!("no branch {branch}"))) }
    }
}
