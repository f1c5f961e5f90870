//! A lesson being played: the history of its world, and how far the learner is in the script.

mod resume;

use std::{collections::BTreeMap, mem, sync::Arc};

pub use resume::{Answered, LoggedMove, Made, ResumeError};

use super::{About, Lesson, Move, Question, RunError, Step, holds, play, play::EVENTS_MAX, read};
use crate::sim::{Action, History, TraceEvent, World};

/// A lesson being played.
///
/// Steps of the lesson are begun at the head of the history only. Going back shows them as they were; acting in the
/// past begins a branch on which what was begun and taken up later has not been yet. Each branch has its own steps. Goals
/// once met and questions once answered stay so on all of them.
#[derive(Clone, Debug)]
pub struct LessonRun {
    lesson: Arc<Lesson>,
    history: History,
    /// How far the script is on this branch.
    way: Way,
    /// The same of the branches that were left, by their numbers.
    left: BTreeMap<u32, Way>,
    met: Vec<bool>,
    predictions: Vec<Option<Prediction>>,
}

/// How far the script is on a branch.
#[derive(Clone, Debug, Default)]
struct Way {
    /// The steps begun, in order.
    begun: Vec<Begun>,
    /// Where the last step of the lesson was over.
    over_at: Option<u64>,
}

/// A step that has begun.
#[derive(Clone, Debug)]
struct Begun {
    /// The position after its own actions: where the learner comes in.
    at: u64,
    /// The world there, for questions.
    world: World,
    /// Where each of its offers was taken up.
    taken: Vec<Option<u64>>,
}

/// What the learner guessed, and what the engine said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// The learner's choice, from 0.
    pub choice: usize,
    /// The right one.
    pub truth: usize,
}

impl LessonRun {
    /// Begins a lesson, its first step included.
    pub fn new(lesson: Arc<Lesson>) -> Result<Self, RunError> {
        let history = History::new(&lesson.cluster, lesson.seed)?;
        let met = vec![false; lesson.goals.len()];
        let predictions = vec![None; lesson.questions.len()];
        let mut run = Self { lesson, history, way: Way::default(), left: BTreeMap::new(), met, predictions };
        run.settle()?;
        Ok(run)
    }

    /// The lesson.
    pub fn lesson(&self) -> &Arc<Lesson> {
        &self.lesson
    }

    /// The history of its world.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The history, for looking around in it. Moving it by hand does not begin steps.
    pub fn history_mut(&mut self) -> &mut History {
        &mut self.history
    }

    /// Index of the step at the present position.
    pub fn step_now(&self) -> usize {
        let position = self.history.position();
        self.way.begun.iter().rposition(|begun| begun.at <= position).unwrap_or(0)
    }

    /// Where the learner came into a step, if it has begun on this branch.
    pub fn began_at(&self, step: usize) -> Option<u64> {
        self.way.begun.get(step).map(|begun| begun.at)
    }

    /// Whether a step is behind at the present position.
    pub fn is_done(&self, step: usize) -> bool {
        let end = if step + 1 == self.lesson.steps.len() { self.way.over_at } else { self.began_at(step + 1) };
        end.is_some_and(|end| end <= self.history.position())
    }

    /// Whether an offer of a step has been taken up at the present position.
    pub fn is_taken(&self, step: usize, offer: usize) -> bool {
        let taken = self.way.begun.get(step).and_then(|begun| begun.taken.get(offer).copied()).flatten();
        taken.is_some_and(|at| at <= self.history.position())
    }

    /// Whether a goal has been met.
    pub fn is_met(&self, goal: usize) -> bool {
        self.met.get(goal).copied().unwrap_or(false)
    }

    /// The learner's answer to a question, if there is one.
    pub fn prediction(&self, question: usize) -> Option<Prediction> {
        self.predictions.get(question).copied().flatten()
    }

    /// Whether the lesson is through: every step done and every goal met.
    pub fn is_finished(&self) -> bool {
        self.is_done(self.lesson.steps.len().saturating_sub(1)) && self.met.iter().all(|met| *met)
    }

    /// Begins anew. Goals that were met stay met; questions can be answered again.
    pub fn reset(&mut self) -> Result<(), RunError> {
        let mut fresh = Self::new(Arc::clone(&self.lesson))?;
        for (fresh, met) in fresh.met.iter_mut().zip(&self.met) {
            *fresh |= *met;
        }
        *self = fresh;
        Ok(())
    }

    /// One event forwards, and the next step of the lesson where its time has come. `false`: nothing is going to
    /// happen any more.
    pub fn step(&mut self) -> Result<bool, RunError> {
        let moved = self.history.step().is_some();
        if moved {
            self.settle()?;
        }
        Ok(moved)
    }

    /// One event back. `false` at the start.
    pub fn step_back(&mut self) -> bool {
        self.history.step_back()
    }

    /// To a position; beyond the end of the branch, to its end.
    pub fn seek(&mut self, position: u64) {
        self.history.seek(position);
    }

    /// Goes back to a branch that was left, to its end: with its steps, and what was taken up there. `false`: no such
    /// branch is kept.
    pub fn switch(&mut self, branch: u32) -> bool {
        let here = self.history.branch();
        if !self.history.switch(branch) {
            return false;
        }
        let way = self.left.remove(&branch).unwrap_or_default();
        self.left.insert(here, mem::replace(&mut self.way, way));
        true
    }

    /// Where an undo leads: before the learner's newest action that changed something.
    pub fn undo_to(&self) -> Option<u64> {
        self.history.undo_to(|logged| !self.is_scripted(logged.at))
    }

    /// Where a redo leads, which is where the undo before it came from.
    pub fn redo_to(&self) -> Option<u64> {
        self.history.redo_to(|logged| !self.is_scripted(logged.at))
    }

    /// Whether the script did the action of this number, when a step began.
    fn is_scripted(&self, at: u64) -> bool {
        let own = |step: usize| self.lesson.steps.get(step).map_or(0, |step| step.begin.len() as u64);
        let mut begun = self.way.begun.iter().enumerate();
        begun.any(|(step, begun)| (begun.at.saturating_sub(own(step))..begun.at).contains(&at))
    }

    /// Forwards until a step of the lesson begins, everything that was asked for is done (the world is at rest), or
    /// `events` were taken.
    pub fn run(&mut self, events: u32) -> Result<(), RunError> {
        self.run_watched(events, |_, _| false)
    }

    /// Like [`LessonRun::run`], and until `stop` says so of the world after an event.
    pub fn run_watched(
        &mut self,
        events: u32,
        mut stop: impl FnMut(&World, &TraceEvent) -> bool,
    ) -> Result<(), RunError> {
        for _ in 0..events {
            let (step, position) = (self.step_now(), self.history.position());
            if !self.step()? {
                break;
            }
            // The actions of a step that begins come on top.
            let taken = usize::try_from(self.history.position() - position).unwrap_or(usize::MAX);
            let taken = self.history.window(position, taken);
            let stopped = taken.iter().filter(|event| stop(self.history.world(), event)).count() > 0;
            if stopped || self.step_now() != step || self.rests() {
                break;
            }
        }
        Ok(())
    }

    /// Does something to the world. In the past, this begins a new branch.
    pub fn act(&mut self, action: Action) -> Result<(), RunError> {
        let mut next = self.clone();
        next.fork()?;
        next.history.act(action)?;
        next.settle()?;
        *self = next;
        Ok(())
    }

    /// Takes up an offer of the present step, by its index.
    pub fn take(&mut self, offer: usize) -> Result<(), RunError> {
        let step = self.step_now();
        let none = || RunError::NoSuchOffer((offer + 1).to_string());
        let offered = self.lesson.steps.get(step).and_then(|step| step.offers.get(offer)).ok_or_else(none)?;
        if self.is_taken(step, offer) {
            return Err(RunError::NoSuchOffer(offered.id.clone()));
        }
        let mut next = self.clone();
        next.fork()?;
        next.history.act(offered.action.clone())?;
        let position = next.history.position();
        if let Some(taken) = next.way.begun.get_mut(step).and_then(|begun| begun.taken.get_mut(offer)) {
            *taken = Some(position);
        }
        next.settle()?;
        *self = next;
        Ok(())
    }

    /// Answers a question; the engine then works out the truth. A question is answered once.
    pub fn predict(&mut self, question: &str, choice: usize) -> Result<Prediction, RunError> {
        let unknown = || RunError::NoSuchQuestion(question.to_owned());
        let index = self.lesson.questions.iter().position(|one| one.id == question).ok_or_else(unknown)?;
        let asked = self.lesson.questions.get(index).ok_or_else(unknown)?;
        if choice >= asked.choices.len() {
            return Err(RunError::NoSuchChoice { question: question.to_owned(), choice });
        }
        if let Some(Some(prediction)) = self.predictions.get(index) {
            return Ok(*prediction);
        }
        let world = self.way.begun.get(asked.step).map(|begun| begun.world.clone()).ok_or_else(unknown)?;
        let prediction = Prediction { choice, truth: truth(&self.lesson, asked, world)? };
        if let Some(place) = self.predictions.get_mut(index) {
            *place = Some(prediction);
        }
        Ok(prediction)
    }

    /// Plays the recorded solution from the start.
    pub fn solve(&mut self) -> Result<(), RunError> {
        let mut next = self.clone();
        next.reset()?;
        for one in &Arc::clone(&self.lesson).solution {
            next.play(one)?;
        }
        *self = next;
        Ok(())
    }

    fn play(&mut self, one: &Move) -> Result<(), RunError> {
        match one {
            Move::Act(action) => self.act(action.as_ref().clone()),
            Move::Take(id) => {
                let offers = self.lesson.steps.get(self.step_now()).map(|step| step.offers.as_slice());
                let offer = offers.and_then(|offers| offers.iter().position(|offer| offer.id == *id));
                self.take(offer.ok_or_else(|| RunError::NoSuchOffer(id.clone()))?)
            }
            Move::Events(events) => {
                let mut left = 0..*events;
                while left.next().is_some() && self.step()? {}
                Ok(())
            }
            Move::Until(condition) => self.run_until(|world| holds(world, condition), &condition.to_string()),
            Move::Rest => self.run_until(World::at_rest, "the world at rest"),
        }
    }

    fn run_until(&mut self, is_there: impl Fn(&World) -> bool, words: &str) -> Result<(), RunError> {
        for events in 0..EVENTS_MAX {
            if is_there(self.history.world()) {
                return Ok(());
            }
            // The last of what was pending may pass without an event.
            if !self.step()? && !is_there(self.history.world()) {
                return Err(RunError::NeverTrue { condition: words.to_owned(), events });
            }
        }
        Err(RunError::NeverTrue { condition: words.to_owned(), events: EVENTS_MAX })
    }

    fn rests(&self) -> bool {
        self.history.position() == self.history.len() && self.history.world().at_rest()
    }

    /// Notes goals, and begins the next steps of the lesson as long as the last one begun is over. Only at the head:
    /// a replayed past has had its steps begun.
    fn settle(&mut self) -> Result<(), RunError> {
        if self.history.position() == self.history.len() { self.advance() } else { Ok(()) }
    }

    fn advance(&mut self) -> Result<(), RunError> {
        self.note_goals();
        let lesson = Arc::clone(&self.lesson);
        while self.way.over_at.is_none() && self.last_is_over(&lesson) {
            let Some(step) = lesson.steps.get(self.way.begun.len()) else {
                self.way.over_at = Some(self.history.position());
                break;
            };
            self.begin(step, 0)?;
        }
        Ok(())
    }

    /// Begins a step of which so many own actions are done.
    fn begin(&mut self, step: &Step, done: usize) -> Result<(), RunError> {
        for action in step.begin.iter().skip(done) {
            self.history.act(action.clone())?;
            self.note_goals();
        }
        self.way.begun.push(Begun {
            at: self.history.position(),
            world: self.history.world().clone(),
            taken: vec![None; step.offers.len()],
        });
        Ok(())
    }

    /// Whether the last step begun is over; true before the first.
    fn last_is_over(&self, lesson: &Lesson) -> bool {
        let Some(begun) = self.way.begun.last() else { return true };
        let until = lesson.steps.get(self.way.begun.len() - 1).map(|step| &step.until);
        begun.taken.iter().all(Option::is_some) && until.is_some_and(|until| holds(self.history.world(), until))
    }

    /// Forgets what lies behind the present position, since something else is about to happen there. A step whose own
    /// actions all lie behind it begins again; one that stands in the middle of them does what is left of them first.
    fn fork(&mut self) -> Result<(), RunError> {
        let position = self.history.position();
        if position == self.history.len() {
            return Ok(());
        }
        let kept = self.history.branches();
        self.left.retain(|branch, _| kept.iter().any(|kept| kept.id == *branch));
        self.left.insert(self.history.branch(), self.way.clone());
        self.cut()
    }

    /// Takes the script back to the present position, and goes on from there.
    fn cut(&mut self) -> Result<(), RunError> {
        let position = self.history.position();
        let lesson = Arc::clone(&self.lesson);
        let kept = self.way.begun.partition_point(|begun| begun.at <= position);
        let amid = self.way.begun.get(kept).zip(lesson.steps.get(kept)).and_then(|(next, step)| {
            let left = usize::try_from(next.at.saturating_sub(position)).ok()?;
            Some((step, step.begin.len().checked_sub(left)?)).filter(|(_, done)| *done > 0)
        });
        self.way.begun.truncate(kept);
        for taken in self.way.begun.iter_mut().flat_map(|begun| &mut begun.taken) {
            *taken = taken.filter(|at| *at <= position);
        }
        self.way.over_at = self.way.over_at.filter(|at| *at <= position);
        if let Some((step, done)) = amid {
            self.begin(step, done)?;
        }
        self.advance()
    }

    fn note_goals(&mut self) {
        for (met, goal) in self.met.iter_mut().zip(&self.lesson.goals) {
            *met = *met || holds(self.history.world(), &goal.when);
        }
    }
}

/// The engine's answer: the place of what the probe reads once the question's moves are played, or of what is counted.
fn truth(lesson: &Lesson, question: &Question, mut world: World) -> Result<usize, RunError> {
    let truth = match &question.about {
        About::World { probe, after } => {
            play::play(&mut world, lesson, after)?;
            read(&world, probe)
        }
        About::Backlog { plan, number } => number.of(plan),
    };
    question.choices.iter().position(|choice| Some(choice) == truth.as_ref()).ok_or_else(|| RunError::TruthIsNoChoice {
        question: question.id.clone(),
        truth: truth.map_or_else(|| "nothing".to_owned(), |truth| truth.to_string()),
    })
}
