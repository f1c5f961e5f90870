//! Lessons: a scripted world, what the learner is to do and to guess in it, and how far they are.
//!
//! A lesson is a folder with a `lesson.toml` (the script) and one Markdown file per language (the text); the form is
//! described in `lessons/README.md`. A script never holds a result: goals and questions name a [`Probe`], and the
//! engine reads it from the world, so an answer cannot go stale.

mod backlog;
mod breakpoint;
mod catalog;
mod error;
mod play;
mod probe;
mod read;
mod run;
#[cfg(test)]
mod run_tests;
mod scenario;
mod script;
#[cfg(test)]
mod tests;
mod text;

pub use backlog::BacklogNumber;
pub use breakpoint::{Breakpoint, BreakpointError, EventName, LogMark, Watch};
pub use catalog::{LESSONS, LessonSource};
pub use error::{LessonError, RunError};
pub use probe::{
    AnswerField, ApplicationField, CheckField, CheckpointField, ConsumerPlace, DelayField, DeliveryField, FaultField,
    GroupField, HalfField, MessageField, NamesPlace, Place, Probe, ProbeError, ProcessQueueField, PullField,
    QueueField, QueueName, RecordField, RecoveryField, ResultField, RouteField, TopicField, TransactionField,
    TransactionPlace, UnitField, Value, Which,
};
pub use read::{holds, read};
pub use run::{Answered, LessonRun, LoggedMove, Made, Prediction, ResumeError};
pub use scenario::{Deed, Expectation, Scenario, ScenarioError, ScenarioMove, StoppedAt};
pub use script::{About, Condition, Goal, Lesson, Move, Offer, Question, Step, Test};
pub use text::{Language, LessonText, Piece};
