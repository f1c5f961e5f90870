//! A lesson's run as what the learner did, and the run again from that.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{LessonRun, Prediction, Way};
use crate::{
    lesson::{Lesson, RunError},
    sim::{Action, LoggedAction},
};

/// Something that a learner did, and when. What a lesson does by itself when its steps begin is not among it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoggedMove {
    /// The number of events before it, which is the number of its own event.
    pub at: u64,
    /// What it was.
    pub made: Made,
}

impl From<LoggedAction> for LoggedMove {
    fn from(logged: LoggedAction) -> Self {
        Self { at: logged.at, made: Made::Act(Box::new(logged.action)) }
    }
}

/// What a learner did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Made {
    /// Something to the world.
    Act(Box<Action>),
    /// Took up an offer of the step that was open, by its id.
    Take(String),
}

/// A question that was answered: what the learner guessed, and what they were told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answered {
    /// The question's id.
    pub question: String,
    /// The learner's choice, from 0.
    pub choice: u32,
    /// The right one. The world that it was read from may lie on a way that the run left.
    pub truth: u32,
}

/// Why a lesson's run cannot be gone through again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResumeError {
    /// The lesson itself cannot be begun, or a step of it.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Something that was done cannot be done.
    #[error("move {number}, at event {at}: {error}")]
    Refused {
        /// Its place among the moves, from 1.
        number: usize,
        /// Its event.
        at: u64,
        /// Why not.
        error: RunError,
    },
    /// Nothing happens any more before the end.
    #[error("the run ends after {at} events, and is to go on to {length}")]
    Ended {
        /// Events that happened.
        at: u64,
        /// Events that were to happen.
        length: u64,
    },
    /// A move, or the end, stands at a place that is never come to.
    #[error("move {number}, at event {at}: out of order, or beyond the end")]
    Misplaced {
        /// Its place among the moves, from 1; one more than there are: the end.
        number: usize,
        /// Its event.
        at: u64,
    },
    /// The lesson has no such question, choice or goal.
    #[error("the lesson has no {0}")]
    Unknown(String),
}

impl LessonRun {
    /// What the learner did on this branch, in order.
    pub fn moves(&self) -> Vec<LoggedMove> {
        self.moves_on(&self.way, self.history.actions())
    }

    /// What the learner did on a branch that was left, from event `from` on, in order.
    pub fn moves_of(&self, branch: u32, from: u64) -> Option<Vec<LoggedMove>> {
        let (way, actions) = (self.left.get(&branch)?, self.history.actions_of(branch, from)?);
        Some(self.moves_on(way, &actions))
    }

    /// Those of a branch's actions that the learner did.
    fn moves_on(&self, way: &Way, actions: &[LoggedAction]) -> Vec<LoggedMove> {
        let steps = self.lesson.steps.iter().zip(&way.begun);
        let own = steps.clone().map(|(step, begun)| begun.at.saturating_sub(step.begin.len() as u64)..begun.at);
        let own: Vec<_> = own.collect();
        let taken = steps.flat_map(|(step, begun)| step.offers.iter().zip(&begun.taken));
        // The place that an offer was taken up at is the one after its event.
        let taken = taken.filter_map(|(offer, taken)| Some((taken.as_ref()?.checked_sub(1)?, offer.id.clone())));
        let taken: Vec<_> = taken.collect();
        let actions = actions.iter().filter(|logged| !own.iter().any(|own| own.contains(&logged.at)));
        actions
            .map(|logged| LoggedMove {
                at: logged.at,
                made: match taken.iter().find(|(at, _)| *at == logged.at) {
                    Some((_, id)) => Made::Take(id.clone()),
                    None => Made::Act(Box::new(logged.action.clone())),
                },
            })
            .collect()
    }

    /// The questions that were answered, in the order of the lesson.
    pub fn answered(&self) -> Vec<Answered> {
        let questions = self.lesson.questions.iter().zip(&self.predictions);
        let answered = questions.filter_map(|(question, prediction)| {
            let Prediction { choice, truth } = (*prediction)?;
            let (choice, truth) = (u32::try_from(choice).ok()?, u32::try_from(truth).ok()?);
            Some(Answered { question: question.id.clone(), choice, truth })
        });
        answered.collect()
    }

    /// The goals that have been met, by id.
    pub fn goals_met(&self) -> Vec<String> {
        let goals = self.lesson.goals.iter().zip(&self.met);
        goals.filter(|(_, met)| **met).map(|(goal, _)| goal.id.clone()).collect()
    }

    /// The run of these moves, at its end: `length` events.
    pub fn resume(lesson: Arc<Lesson>, moves: &[LoggedMove], length: u64) -> Result<Self, ResumeError> {
        let mut run = Self::new(lesson)?;
        run.go_through(moves, length)?;
        Ok(run)
    }

    /// Forwards through these moves, up to `length` events.
    pub fn go_through(&mut self, moves: &[LoggedMove], length: u64) -> Result<(), ResumeError> {
        for (number, one) in (1..).zip(moves) {
            self.go_on(one.at, number)?;
            let made = match &one.made {
                Made::Act(action) => self.act(action.as_ref().clone()),
                Made::Take(id) => {
                    let offers = self.lesson.steps.get(self.step_now()).map(|step| step.offers.as_slice());
                    let offer = offers.and_then(|offers| offers.iter().position(|offer| offer.id == *id));
                    offer.ok_or_else(|| RunError::NoSuchOffer(id.clone())).and_then(|offer| self.take(offer))
                }
            };
            made.map_err(|error| ResumeError::Refused { number, at: one.at, error })?;
        }
        self.go_on(length, moves.len() + 1)
    }

    /// Gives the present branch of a run without others its number; see [`crate::sim::History::renumber`].
    pub fn renumber(&mut self, branch: u32) -> bool {
        self.history.renumber(branch)
    }

    /// Begins a branch of this number on another one, the script as far as it is there; see [`crate::sim::History::grow`].
    pub fn grow(&mut self, branch: u32, of: u32, at: u64) -> Result<bool, RunError> {
        self.switch(of);
        let grown = self.history.grow(branch, of, at);
        if grown {
            self.left.insert(of, self.way.clone());
            self.cut()?;
        }
        Ok(grown)
    }

    /// Goes back to the end of a branch after the others have grown; see [`crate::sim::History::come_back`].
    pub fn come_back(&mut self, branch: u32, left: &[u32]) -> bool {
        let is_here = self.history.branch() == branch || self.switch(branch);
        is_here && self.history.come_back(branch, left)
    }

    /// Forwards to a position.
    fn go_on(&mut self, at: u64, number: usize) -> Result<(), ResumeError> {
        while self.history.position() < at {
            if !self.step()? {
                return Err(ResumeError::Ended { at: self.history.position(), length: at });
            }
        }
        if self.history.position() == at { Ok(()) } else { Err(ResumeError::Misplaced { number, at }) }
    }

    /// Takes in what was answered and met, ways that the run left included.
    pub fn recall(&mut self, answered: &[Answered], goals: &[String]) -> Result<(), ResumeError> {
        let lesson = Arc::clone(&self.lesson);
        for one in answered {
            let unknown = || ResumeError::Unknown(format!("question `{}` with such choices", one.question));
            let place = lesson.questions.iter().position(|question| question.id == one.question);
            let choices = place.and_then(|place| lesson.questions.get(place)).map_or(0, |one| one.choices.len());
            let prediction = Prediction { choice: one.choice as usize, truth: one.truth as usize };
            let fits = prediction.choice < choices && prediction.truth < choices;
            let place = place.filter(|_| fits).and_then(|place| self.predictions.get_mut(place));
            *place.ok_or_else(unknown)? = Some(prediction);
        }
        for id in goals {
            let place = lesson.goals.iter().position(|goal| goal.id == *id);
            let met = place.and_then(|place| self.met.get_mut(place));
            *met.ok_or_else(|| ResumeError::Unknown(format!("goal `{id}`")))? = true;
        }
        Ok(())
    }
}
