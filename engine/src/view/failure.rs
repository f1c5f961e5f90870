//! Failures made from the engine's errors.

use super::{Failure, FailureKind, store::StoreViewError};
use crate::{
    backlog::PlanError,
    lesson::{LessonError, RunError},
    sim::ImportError,
};

pub(super) fn failure(kind: FailureKind, cause: &dyn std::fmt::Display) -> Failure {
    Failure::of(kind, cause)
}

pub(super) fn not_found(message: impl std::fmt::Display) -> Failure {
    Failure::of(FailureKind::NotFound, &message)
}

pub(super) fn nothing_runs() -> Failure {
    failure(FailureKind::NothingOpen, &"no lesson or sandbox is open")
}

pub(super) fn nothing_open() -> Failure {
    failure(FailureKind::NothingOpen, &"no directory is open")
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let kind = match error {
            RunError::Cluster(_) => FailureKind::Cluster,
            RunError::Action(_) => FailureKind::Action,
            RunError::NeverTrue { .. } | RunError::TruthIsNoChoice { .. } => FailureKind::Lesson,
            RunError::NoSuchOffer(_) | RunError::NoSuchQuestion(_) | RunError::NoSuchChoice { .. } => {
                FailureKind::NotFound
            }
        };
        let refused = match &error {
            RunError::Action(refused) => Some(Box::new(refused.clone())),
            _ => None,
        };
        let cluster = match &error {
            RunError::Cluster(wrong) => Some(Box::new(wrong.clone())),
            _ => None,
        };
        Failure { refused, cluster, ..failure(kind, &error) }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        let failure = failure(FailureKind::Plan, &error);
        Failure { plan: Some(Box::new(error)), ..failure }
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        failure(FailureKind::Store, &error)
    }
}

impl From<LessonError> for Failure {
    fn from(error: LessonError) -> Self {
        failure(FailureKind::Lesson, &error)
    }
}

impl From<StoreViewError> for Failure {
    fn from(error: StoreViewError) -> Self {
        let kind = match error {
            StoreViewError::Disk(_) => FailureKind::Store,
            StoreViewError::NoSuchFile { .. } | StoreViewError::NoSuchQueue { .. } => FailureKind::NotFound,
        };
        failure(kind, &error)
    }
}
