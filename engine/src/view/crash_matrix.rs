//! What a crash matrix begins with, and what it leads to.

use std::sync::Arc;

use super::{Failure, FailureKind};
use crate::{
    lesson::{Lesson, RunError},
    matrix::Plan,
    sim::{Cluster, History, LoggedAction, ReplayError},
};

/// The plan for the run that is open, its present branch whole; or for a lesson's solution.
pub(super) fn plan(open: Option<&History>, lesson: Option<Lesson>) -> Result<Plan, Failure> {
    match lesson {
        Some(lesson) => Ok(Plan::of_lesson(&Arc::new(lesson))?),
        None => open.map(Plan::of).ok_or_else(|| Failure::of(FailureKind::NothingOpen, &"nothing runs")),
    }
}

/// A run at the end of a log: `length` events.
pub(super) fn replay(cluster: &Cluster, seed: u64, actions: &[LoggedAction], length: u64) -> Result<History, Failure> {
    History::replay(cluster, seed, actions, length).map_err(|error| match error {
        ReplayError::Cluster(error) => RunError::from(error).into(),
        ReplayError::Action { error, .. } => RunError::from(error).into(),
        error => Failure::of(FailureKind::Action, &error),
    })
}

#[cfg(test)]
mod tests {
    use crate::{
        matrix::Matrix,
        view::{Answer, FailureKind, Query, Session},
    };

    /// The last crash of lesson 1 is opened: its world is there at its end, and can be gone back in to its start.
    #[test]
    fn a_cell_opens_its_world() {
        let mut session = Session::new();
        let Answer::Failed(failure) = session.ask(Query::MatrixPlan { lesson: None }) else { panic!("a plan") };
        assert_eq!(failure.kind, FailureKind::NothingOpen);
        let lesson = Some("01-three-messages".to_owned());
        let Answer::MatrixPlan(plan) = session.ask(Query::MatrixPlan { lesson }) else { panic!("no plan") };
        assert_eq!(plan.targets, ["broker-a"]);
        let matrix = Matrix::new(*plan).unwrap();
        let cell = matrix.clone().flatten().last().unwrap();
        let plan = matrix.plan();
        let actions = plan.actions_of(&cell);
        let open =
            Query::OpenRun { cluster: Box::new(plan.cluster.clone()), seed: plan.seed, actions, length: cell.position };
        let Answer::Workbench(bench) = session.ask(open) else { panic!("not opened") };
        assert_eq!((bench.run.position, bench.run.length), (cell.position, cell.position));
        assert!(bench.lesson.is_none());
        let Answer::Workbench(bench) = session.ask(Query::Seek { position: 0 }) else { panic!("no past") };
        assert_eq!((bench.run.position, bench.run.length), (0, cell.position));
        // What is open now is the run that a matrix of it would be made of.
        let Answer::MatrixPlan(again) = session.ask(Query::MatrixPlan { lesson: None }) else { panic!("no plan") };
        assert_eq!(again.length, cell.position);
    }

    #[test]
    fn a_log_that_does_not_fit_opens_nothing() {
        let mut session = Session::new();
        session.ask(Query::StartSandbox { cluster: None, seed: 1 });
        let Answer::Workbench(before) = session.ask(Query::Step) else { panic!("no workbench") };
        let Answer::Cluster(cluster) = session.ask(Query::Cluster) else { panic!("no cluster") };
        let actions =
            vec![crate::sim::LoggedAction { at: 0, action: crate::sim::Action::Kill { node: "nobody".to_owned() } }];
        let open = Query::OpenRun { cluster, seed: 1, actions, length: 1 };
        let Answer::Failed(failure) = session.ask(open) else { panic!("opened") };
        assert_eq!(failure.kind, FailureKind::Action);
        assert_eq!(session.ask(Query::Look), Answer::Workbench(before));
    }
}
