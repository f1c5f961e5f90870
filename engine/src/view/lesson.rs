//! Pictures of a lesson: what it says, and how far the learner is.

use serde::{Deserialize, Serialize};

use crate::sim::Action;

/// A lesson in the list of lessons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonSummary {
    /// Its folder's name, e.g. `01-three-messages`.
    pub id: String,
    /// Its number in the curriculum.
    pub number: u32,
    /// The part of the curriculum, `A` to `H`.
    pub part: String,
    /// Title in English.
    pub title_en: String,
    /// Title in Chinese.
    pub title_zh: String,
}

/// What a lesson says, in one language. Prose is Markdown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonTextPicture {
    /// The lesson.
    pub id: String,
    /// Title.
    pub title: String,
    /// What the lesson is about, before its first step.
    pub intro: String,
    /// Steps, in order.
    pub steps: Vec<TextItem>,
    /// What an offered action's button says, by the offer's id.
    pub offers: Vec<TextItem>,
    /// Questions: title asks, prose explains once it is answered.
    pub questions: Vec<TextItem>,
    /// Goals.
    pub goals: Vec<TextItem>,
    /// The hint.
    pub hint: String,
    /// Where the tutorials err, if they do.
    pub myths: String,
    /// "Now break it": what to try in the sandbox.
    pub break_it: String,
    /// 4.9.8 classes and methods behind the steps.
    pub sources: Vec<String>,
}

/// A piece of text by its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextItem {
    /// The id in `lesson.toml`.
    pub id: String,
    /// One line.
    pub title: String,
    /// Markdown; may be empty.
    pub prose: String,
}

/// How far the learner is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LessonPicture {
    /// The lesson.
    pub id: String,
    /// Its number in the curriculum.
    pub number: u32,
    /// Its steps, in order.
    pub steps: Vec<StepPicture>,
    /// What the present step offers to do, in order.
    pub offers: Vec<OfferPicture>,
    /// Questions of the steps reached, in order.
    pub questions: Vec<QuestionPicture>,
    /// Goals, in order.
    pub goals: Vec<GoalPicture>,
    /// Whether all goals are met and all steps done.
    pub finished: bool,
}

/// A step of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepPicture {
    /// Its id.
    pub id: String,
    /// Where the learner is with it.
    pub state: StepState,
    /// The position of the run at which it began, for jumping there.
    pub began_at: Option<u64>,
}

/// Where the learner is with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepState {
    /// It is behind.
    Done,
    /// It is the present one.
    Now,
    /// It is to come.
    Ahead,
}

/// An action that the present step offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferPicture {
    /// Its id, for its text.
    pub id: String,
    /// What it does.
    pub action: Action,
    /// Whether it was taken up.
    pub taken: bool,
}

/// A question to predict the answer of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionPicture {
    /// Its id, for its text.
    pub id: String,
    /// The step that asks it.
    pub step: String,
    /// The choices, in order, as the probe would print them.
    pub choices: Vec<String>,
    /// The learner's choice.
    pub chosen: Option<u32>,
    /// What the engine says: the place of the right choice. Absent until the learner has chosen.
    pub truth: Option<u32>,
}

/// A goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GoalPicture {
    /// Its id, for its text.
    pub id: String,
    /// Whether it has been met; it stays so.
    pub met: bool,
}
