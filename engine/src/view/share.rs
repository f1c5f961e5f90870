//! A run as a link or a file, and back.

use serde::{Deserialize, Serialize};

use super::{Failure, FailureKind, running::Run};
use crate::{
    link::{ADDRESS_MAX, Link, LinkError, Opened, text_of},
    sim::Imports,
};

/// A run to be handed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shared {
    /// The lesson's id; `None` for a run of the sandbox.
    pub lesson: Option<String>,
    /// What stands behind `r=` in an address, and in a run file.
    pub text: String,
    /// Whether it is short enough for an address; what is not is handed on as a file.
    pub fits: bool,
    /// Characters that it has at most in an address.
    pub limit: u32,
    /// Other branches of the run, which are not in it.
    pub branches: u32,
}

/// What is handed on of a run: the branch that it is on, and the others if they are wanted. With others that make it larger
/// than any link, it is the one branch all the same.
pub(super) fn share(run: &Run, branches: bool) -> Result<Shared, Failure> {
    let left = run.history().branches().len();
    let whole = if branches && left > 0 { run.link_with_branches().encode().ok() } else { None };
    let without = if whole.is_some() { 0 } else { left };
    let text = whole.map_or_else(|| run.link().encode(), Ok)?;
    Ok(Shared {
        lesson: run.lesson_id().map(str::to_owned),
        fits: text.len() <= ADDRESS_MAX,
        text,
        limit: ADDRESS_MAX as u32,
        branches: u32::try_from(without).unwrap_or(u32::MAX),
    })
}

/// The run of a link, gone through again. Where it begins on a store that is not among those brought along, `bring` may
/// bring it.
pub(super) fn open(
    pasted: &str,
    imports: &mut Imports,
    bring: impl FnOnce(&mut Imports) -> Result<(), Failure>,
) -> Result<Opened, Failure> {
    let link = Link::decode(text_of(pasted))?;
    if link.stores().any(|(_, store)| imports.get(&store.fingerprint).is_none()) {
        bring(imports)?;
    }
    Ok(link.open(imports)?)
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Self {
        Self {
            kind: FailureKind::Link,
            message: error.to_string(),
            refused: None,
            cluster: None,
            plan: None,
            link: Some(Box::new(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;
    use crate::{
        link::LinkError,
        sim::Action,
        view::{Answer, FailureKind, Query, Session, Workbench},
    };

    fn workbench(answer: Answer) -> Box<Workbench> {
        match answer {
            Answer::Workbench(workbench) => workbench,
            other => panic!("no workbench: {other:?}"),
        }
    }

    fn shared(session: &mut Session) -> Shared {
        match session.ask(Query::Share { branches: false }) {
            Answer::Shared(shared) => *shared,
            other => panic!("nothing to share: {other:?}"),
        }
    }

    #[test]
    fn a_lesson_is_opened_as_it_stood_steps_goals_and_answers_included() {
        let mut session = Session::new();
        session.ask(Query::StartLesson { id: "01-three-messages".to_owned() });
        workbench(session.ask(Query::Solve));
        let before = workbench(session.ask(Query::Seek { position: 9 }));
        let shared = shared(&mut session);
        assert_eq!((shared.lesson.as_deref(), shared.fits), (Some("01-three-messages"), true));
        let text = format!("https://example.org/#/lesson/01?tab=log&r={}", shared.text);
        let after = workbench(Session::new().ask(Query::OpenLink { text }));
        assert_eq!(after, before);
    }

    #[test]
    fn the_sandbox_is_opened_with_its_cluster() {
        let mut session = Session::new();
        assert!(
            matches!(session.ask(Query::Share { branches: false }), Answer::Failed(failure) if failure.kind == FailureKind::NothingOpen)
        );
        session.ask(Query::StartSandbox { cluster: None, seed: 3 });
        session.ask(Query::Act { action: Action::Kill { node: "consumer".to_owned() } });
        session.ask(Query::Seek { position: 0 });
        let before = workbench(session.ask(Query::Act { action: Action::Kill { node: "producer".to_owned() } }));
        let cluster = session.ask(Query::Cluster);
        let shared = shared(&mut session);
        // The way on which the consumer was killed is not in it, and that is said.
        assert_eq!((shared.lesson, shared.branches), (None, 1));
        let mut other = Session::new();
        let after = workbench(other.ask(Query::OpenLink { text: shared.text }));
        assert_eq!((&after.run, after.past.branch, after.past.branches.len()), (&before.run, 0, 0));
        assert_eq!(other.ask(Query::Cluster), cluster);
    }

    /// What is kept for the next visit: everything is there again, the way that was left included.
    #[test]
    fn with_its_branches_a_run_is_opened_as_it_was() {
        let mut session = Session::new();
        session.ask(Query::StartLesson { id: "01-three-messages".to_owned() });
        let solved = workbench(session.ask(Query::Solve));
        session.ask(Query::Seek { position: 9 });
        session.ask(Query::Act { action: Action::Kill { node: "broker-a".to_owned() } });
        let before = workbench(session.ask(Query::StepBack));
        assert_eq!((before.past.branch, before.past.branches.len()), (1, 1));
        let Answer::Shared(shared) = session.ask(Query::Share { branches: true }) else { panic!("nothing to share") };
        assert_eq!(shared.branches, 0);
        let mut other = Session::new();
        assert_eq!(workbench(other.ask(Query::OpenLink { text: shared.text })), before);
        let back = workbench(other.ask(Query::Switch { branch: 0 }));
        assert_eq!((back.run, back.lesson), (solved.run, solved.lesson));
    }

    #[test]
    fn a_link_that_cannot_be_honoured_leaves_what_runs_alone() {
        let mut session = Session::new();
        let before = workbench(session.ask(Query::StartLesson { id: "03-rollover".to_owned() }));
        let text = shared(&mut session).text;
        let cut = text[..text.len() - 8].to_owned();
        let Answer::Failed(failure) = session.ask(Query::OpenLink { text: cut }) else { panic!("it was opened") };
        assert_eq!(failure.kind, FailureKind::Link);
        let whole = (text.len() * 3 / 4) as u64;
        assert_eq!(failure.link.as_deref(), Some(&LinkError::CutOff { got: whole - 6, expected: whole }));
        assert_eq!(workbench(session.ask(Query::Look)), before);
    }
}
