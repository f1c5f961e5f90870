//! Pictures of a lesson: what it says, and how far the learner is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    lesson::{Language, Lesson, LessonRun, LessonText, Piece},
    sim::Action,
};

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
    /// Where tutorials err; empty where they do not.
    pub myth: String,
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

/// A lesson's row in the list.
pub(super) fn summary(lesson: &Lesson) -> LessonSummary {
    LessonSummary {
        id: lesson.id.clone(),
        number: lesson.number,
        part: lesson.part.clone(),
        title_en: lesson.en.title.clone(),
        title_zh: lesson.zh.title.clone(),
    }
}

/// What a lesson says, its pieces in the script's order.
pub(super) fn lesson_text(lesson: &Lesson, language: Language) -> LessonTextPicture {
    let LessonText { title, intro, steps, offers, questions, goals, hint, myth, break_it } = lesson.text(language);
    let items = |ids: &mut dyn Iterator<Item = &String>, pieces: &BTreeMap<String, Piece>| {
        ids.filter_map(|id| {
            let Piece { title, prose, .. } = pieces.get(id)?;
            Some(TextItem { id: id.clone(), title: title.clone(), prose: prose.clone() })
        })
        .collect()
    };
    LessonTextPicture {
        id: lesson.id.clone(),
        title: title.clone(),
        intro: intro.clone(),
        steps: items(&mut lesson.steps.iter().map(|step| &step.id), steps),
        offers: items(&mut lesson.steps.iter().flat_map(|step| &step.offers).map(|offer| &offer.id), offers),
        questions: items(&mut lesson.questions.iter().map(|question| &question.id), questions),
        goals: items(&mut lesson.goals.iter().map(|goal| &goal.id), goals),
        hint: hint.clone(),
        myth: myth.clone(),
        break_it: break_it.clone(),
        sources: lesson.sources.clone(),
    }
}

/// How far a learner is, at the present position of the run.
pub(super) fn lesson_picture(run: &LessonRun) -> LessonPicture {
    let lesson = run.lesson();
    let now = run.step_now();
    let steps = lesson.steps.iter().enumerate().map(|(index, step)| StepPicture {
        id: step.id.clone(),
        state: match index {
            _ if run.is_done(index) => StepState::Done,
            _ if index == now => StepState::Now,
            _ => StepState::Ahead,
        },
        began_at: run.began_at(index),
    });
    let offers = lesson.steps.get(now).map(|step| step.offers.as_slice()).unwrap_or_default();
    let offers = offers.iter().enumerate().map(|(index, offer)| OfferPicture {
        id: offer.id.clone(),
        action: offer.action.clone(),
        taken: run.is_taken(now, index),
    });
    let questions = lesson.questions.iter().enumerate().filter(|(_, question)| run.began_at(question.step).is_some());
    let questions = questions.map(|(index, question)| {
        let prediction = run.prediction(index);
        let place = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        QuestionPicture {
            id: question.id.clone(),
            step: lesson.steps.get(question.step).map(|step| step.id.clone()).unwrap_or_default(),
            choices: question.choices.iter().map(ToString::to_string).collect(),
            chosen: prediction.map(|prediction| place(prediction.choice)),
            truth: prediction.map(|prediction| place(prediction.truth)),
        }
    });
    let goals = lesson
        .goals
        .iter()
        .enumerate()
        .map(|(index, goal)| GoalPicture { id: goal.id.clone(), met: run.is_met(index) });
    LessonPicture {
        id: lesson.id.clone(),
        number: lesson.number,
        steps: steps.collect(),
        offers: offers.collect(),
        questions: questions.collect(),
        goals: goals.collect(),
        finished: run.is_finished(),
    }
}
