//! What can be wrong with a lesson, with its place.

use std::fmt;

use thiserror::Error;

use crate::sim::{ActionError, ClusterError};

/// A lesson's file that cannot be used: file, line, cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonError {
    /// The file, e.g. `01-three-messages/lesson.toml`.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub cause: String,
}

impl fmt::Display for LessonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.cause)
    }
}

impl std::error::Error for LessonError {}

/// A lesson's script that cannot be played as it says. The run is as it was.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// The cluster cannot be built.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// An action cannot be done.
    #[error(transparent)]
    Action(#[from] ActionError),
    /// A condition did not come true before the world was at rest, or within the bound on events.
    #[error("`{condition}` did not come true within {events} events")]
    NeverTrue {
        /// The condition in words.
        condition: String,
        /// Events tried.
        events: u64,
    },
    /// The present step offers no such action, or it was taken up.
    #[error("the present step has no open offer {0}")]
    NoSuchOffer(String),
    /// No question of the steps reached has this id.
    #[error("no question `{0}` is open")]
    NoSuchQuestion(String),
    /// The question has no such choice.
    #[error("question `{question}` has no choice {choice}")]
    NoSuchChoice {
        /// The question.
        question: String,
        /// The choice asked for, from 0.
        choice: usize,
    },
    /// The engine's answer is none of the question's choices: the script is wrong.
    #[error("question `{question}`: the engine says {truth}, which is no choice")]
    TruthIsNoChoice {
        /// The question.
        question: String,
        /// What the probe read.
        truth: String,
    },
}
