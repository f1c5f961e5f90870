//! Time as the page shows it: the branches, where undo and redo lead, and the breakpoints with the one that stopped the
//! run.

use serde::{Deserialize, Serialize};

use super::{Failure, FailureKind, watched::Watched};
use crate::{
    lesson::{Breakpoint, LessonRun, RunError, Watch},
    sim::{Branch, History, World},
};

/// Breakpoints of a session at most.
const BREAKPOINTS_MAX: usize = 64;

/// What can be done with the past of a run, and what its future is to stop at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PastPicture {
    /// Number of the present branch.
    pub branch: u32,
    /// The branches that were left and can be gone back to, by number.
    pub branches: Vec<Branch>,
    /// Where an undo leads; `None`: there is no action to undo.
    pub undo_to: Option<u64>,
    /// Where a redo leads; `None`: there is no action to do again.
    pub redo_to: Option<u64>,
    /// The breakpoints.
    pub breakpoints: Vec<Breakpoint>,
    /// The breakpoint that the present event met, by its place, if a run has stopped for it.
    pub stopped_by: Option<u32>,
}

/// The breakpoints of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Breakpoints {
    set: Vec<Breakpoint>,
    /// The place of the one that stopped the run, and the position there.
    stopped: Option<(usize, u64)>,
}

impl Breakpoints {
    /// Sets them in place of those before. What cannot be met in this world is refused.
    pub(super) fn set(&mut self, breakpoints: Vec<Breakpoint>, world: &World) -> Result<(), Failure> {
        if breakpoints.len() > BREAKPOINTS_MAX {
            return Err(refused(format!("{} breakpoints, and {BREAKPOINTS_MAX} at most", breakpoints.len())));
        }
        breakpoints.iter().try_for_each(|one| one.check(world)).map_err(|error| refused(error.to_string()))?;
        *self = Self { set: breakpoints, stopped: None };
        Ok(())
    }

    /// Another world is begun. What cannot be met there is taken out.
    pub(super) fn begin(&mut self, world: &World) {
        self.set.retain(|breakpoint| breakpoint.check(world).is_ok());
        self.stopped = None;
    }

    /// Runs a lesson on, and stops at what meets a breakpoint or breaks what must hold.
    pub(super) fn run_lesson(
        &mut self,
        run: &mut LessonRun,
        events: u32,
        watched: &mut Watched,
    ) -> Result<(), RunError> {
        let mut watch = Watch::new(&self.set, run.history().world());
        let mut met = None;
        run.run_watched(events, |world, event| {
            met = met.or_else(|| watch.met(world, event));
            watched.see(world, event) || met.is_some()
        })?;
        self.stopped = met.map(|place| (place, run.history().position()));
        Ok(())
    }

    /// Runs a free run on until it rests, and stops at what meets a breakpoint or breaks what must hold.
    pub(super) fn run(&mut self, history: &mut History, events: u32, watched: &mut Watched) {
        let mut watch = Watch::new(&self.set, history.world());
        let mut met = None;
        if !history.world().at_rest() {
            history.run(u64::from(events), |world, event| {
                met = watch.met(world, event);
                watched.see(world, event) || met.is_some() || world.at_rest()
            });
        }
        self.stopped = met.map(|place| (place, history.position()));
    }

    /// The picture of a run's past.
    pub(super) fn picture(&self, history: &History, lesson: Option<&LessonRun>) -> PastPicture {
        let stopped = self.stopped.filter(|(_, position)| *position == history.position());
        PastPicture {
            branch: history.branch(),
            branches: history.branches(),
            undo_to: undo_to(history, lesson),
            redo_to: redo_to(history, lesson),
            breakpoints: self.set.clone(),
            stopped_by: stopped.and_then(|(place, _)| u32::try_from(place).ok()),
        }
    }
}

/// Where an undo leads: in a lesson, the script's own actions are none to undo.
pub(super) fn undo_to(history: &History, lesson: Option<&LessonRun>) -> Option<u64> {
    lesson.map_or_else(|| history.undo_to(|_| true), LessonRun::undo_to)
}

/// Where a redo leads.
pub(super) fn redo_to(history: &History, lesson: Option<&LessonRun>) -> Option<u64> {
    lesson.map_or_else(|| history.redo_to(|_| true), LessonRun::redo_to)
}

fn refused(message: impl std::fmt::Display) -> Failure {
    Failure::of(FailureKind::Breakpoint, &message)
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Query, Session, Workbench};
    use super::*;
    use crate::{
        node::Service,
        sim::{Action, Send},
    };

    fn ask(session: &mut Session, query: Query) -> Workbench {
        match session.ask(query) {
            Answer::Workbench(bench) => *bench,
            other => panic!("{other:?}"),
        }
    }

    fn send(name: &str) -> Query {
        let (producer, topic) = ("producer".to_owned(), "OrderTopic".to_owned());
        let name = Some(name.to_owned());
        Query::Act { action: Action::Send(Box::new(Send { producer, topic, queue: Some(0), name, ..Send::default() })) }
    }

    fn at_reput() -> Breakpoint {
        Breakpoint::Service { node: Some("broker-a".to_owned()), service: Service::Reput }
    }

    #[test]
    fn the_picture_says_which_breakpoint_stopped_the_run() {
        let mut session = Session::new();
        ask(&mut session, Query::StartSandbox { cluster: None, seed: 1 });
        let never = Breakpoint::Message { message: "M9".to_owned() };
        let breakpoints = vec![never, at_reput()];
        ask(&mut session, Query::SetBreakpoints { breakpoints: breakpoints.clone() });
        ask(&mut session, send("M1"));
        let stopped = ask(&mut session, Query::Run { events: 1000 });
        assert_eq!((stopped.past.stopped_by, &stopped.past.breakpoints), (Some(1), &breakpoints));
        assert_eq!(stopped.run.event.unwrap().service, "reput");
        assert_eq!(ask(&mut session, Query::Look).past.stopped_by, Some(1));
        assert_eq!(ask(&mut session, Query::StepBack).past.stopped_by, None);
        // One event at a time, as the page runs, it stops all the same.
        let again = ask(&mut session, Query::Run { events: 1 });
        assert_eq!((again.past.stopped_by, again.run.position), (Some(1), stopped.run.position));
        let rest = ask(&mut session, Query::Run { events: 1000 });
        assert_eq!((rest.past.stopped_by, rest.run.at_rest), (None, true));
        // The same cluster anew keeps them.
        assert_eq!(ask(&mut session, Query::Reset).past.breakpoints, breakpoints);
    }

    #[test]
    fn a_breakpoint_that_nothing_can_meet_is_refused() {
        let mut session = Session::new();
        ask(&mut session, Query::StartSandbox { cluster: None, seed: 1 });
        ask(&mut session, Query::SetBreakpoints { breakpoints: vec![at_reput()] });
        let wrong = Breakpoint::Service { node: Some("producer".to_owned()), service: Service::Reput };
        let Answer::Failed(failure) = session.ask(Query::SetBreakpoints { breakpoints: vec![wrong] }) else {
            panic!("it was set")
        };
        assert_eq!(failure.kind, FailureKind::Breakpoint);
        assert_eq!(failure.message, "no such node has the service `reput`");
        assert_eq!(ask(&mut session, Query::Look).past.breakpoints, [at_reput()], "those before stay");
        let Answer::Failed(failure) = session.ask(Query::SetBreakpoints { breakpoints: vec![at_reput(); 65] }) else {
            panic!("they were set")
        };
        assert_eq!(failure.message, "65 breakpoints, and 64 at most");
    }

    #[test]
    fn undo_leaves_what_was_done_on_a_branch_once_something_else_is_done() {
        let mut session = Session::new();
        ask(&mut session, Query::StartSandbox { cluster: None, seed: 1 });
        ask(&mut session, send("M1"));
        let first = ask(&mut session, Query::Run { events: 1000 });
        ask(&mut session, send("M2"));
        let both = ask(&mut session, Query::Run { events: 1000 });
        let back = ask(&mut session, Query::Undo);
        assert_eq!((back.run.position, back.run.trace_hash), (first.run.position, first.run.trace_hash));
        assert_eq!((back.past.undo_to, back.past.redo_to), (Some(0), Some(both.run.position)));
        let forth = ask(&mut session, Query::Redo);
        assert_eq!((forth.run.position, forth.run.trace_hash), (both.run.position, both.run.trace_hash));
        assert_eq!(forth.past.branches, []);
        ask(&mut session, Query::Undo);
        let other = ask(&mut session, send("M3"));
        let left = Branch { id: 0, forked_at: first.run.position, length: both.run.length };
        assert_eq!((other.past.branch, &other.past.branches), (1, &vec![left]));
        let switched = ask(&mut session, Query::Switch { branch: 0 });
        assert_eq!((switched.past.branch, switched.run.trace_hash), (0, both.run.trace_hash));
        let Answer::Failed(failure) = session.ask(Query::Switch { branch: 0 }) else { panic!("it was left") };
        assert_eq!(failure.kind, FailureKind::NotFound);
    }

    /// The script of lesson 01 stops reput when its first step begins: the learner undoes what they did, not that.
    #[test]
    fn a_lesson_undoes_what_the_learner_did() {
        let mut session = Session::new();
        let begun = ask(&mut session, Query::StartLesson { id: "01-three-messages".to_owned() });
        assert_eq!(begun.past.undo_to, None, "what the script did is none to undo");
        let before = begun.run.position;
        let taken = ask(&mut session, Query::TakeOffer { index: 0 });
        assert_eq!(taken.past.undo_to, Some(before));
        let done = ask(&mut session, Query::Run { events: 5 });
        let back = ask(&mut session, Query::Undo);
        assert_eq!((back.run.position, back.past.redo_to), (before, Some(done.run.length)));
        assert_eq!(ask(&mut session, Query::Redo).run.trace_hash, done.run.trace_hash);
    }
}
