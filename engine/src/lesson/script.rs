//! The script of a lesson: `lesson.toml`, read and checked.

use std::{collections::BTreeSet, fmt, ops::Range};

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{BacklogNumber, Language, LessonError, LessonText, Piece, Probe, Value};
use crate::{
    backlog::Plan,
    sim::{Action, Cluster},
};

/// A lesson, ready to be played.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The folder's name, e.g. `01-three-messages`.
    pub id: String,
    /// Its number in the curriculum.
    pub number: u32,
    /// The part of the curriculum, `A` to `H`.
    pub part: String,
    /// Seed of the world's generators.
    pub seed: u64,
    /// 4.9.8 classes and methods behind the steps.
    pub sources: Vec<String>,
    /// The world it begins with.
    pub cluster: Cluster,
    /// Its steps, in order; at least one.
    pub steps: Vec<Step>,
    /// Its questions, in order.
    pub questions: Vec<Question>,
    /// Its goals, in order.
    pub goals: Vec<Goal>,
    /// What leads from the start to all goals.
    pub solution: Vec<Move>,
    /// What it says in English.
    pub en: LessonText,
    /// What it says in Chinese.
    pub zh: LessonText,
}

/// A step: what is done to the world when it begins, what the learner may do, and what ends it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name in the lesson.
    pub id: String,
    /// Done when the step begins, before the learner sees it.
    pub begin: Vec<Action>,
    /// What the learner may take up, in order.
    pub offers: Vec<Offer>,
    /// The step is over as soon as this holds and every offer was taken up.
    pub until: Condition,
}

/// An action that a step offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its name in the lesson.
    pub id: String,
    /// What it does.
    pub action: Action,
}

/// A question to predict the answer of.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name in the lesson.
    pub id: String,
    /// Index of the step that asks it.
    pub step: usize,
    /// What can be answered; two at least.
    pub choices: Vec<Value>,
    /// What is asked about.
    pub about: About,
}

/// What a question is about.
#[derive(Clone, Debug)]
pub enum About {
    /// The world.
    World {
        /// What is read.
        probe: Probe,
        /// Played on a copy of the world at the step's begin, before the probe is read.
        after: Vec<Move>,
    },
    /// A backlog of more messages than a world could hold, counted.
    Backlog {
        /// The group and what comes in.
        plan: Box<Plan>,
        /// What is read of the outlook.
        number: BacklogNumber,
    },
}

/// A goal: once its condition has held, it stays met.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Its name in the lesson.
    pub id: String,
    /// When it is met.
    pub when: Condition,
}

/// Something true or false of a world.
#[derive(Clone, Debug)]
pub enum Condition {
    /// A probe compared with a value. A probe that has nothing to read makes it false.
    Is(Probe, Test),
    /// Every one holds.
    All(Vec<Condition>),
    /// One at least holds.
    Any(Vec<Condition>),
}

/// How a probe's value is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Test {
    /// Equal to it.
    Is(Value),
    /// Read, and not equal to it.
    Not(Value),
    /// A number of at least so much.
    AtLeast(i64),
    /// A number of at most so much.
    AtMost(i64),
}

impl Test {
    /// The one that a script names; `None` unless it names exactly one.
    pub(super) fn one_of(
        is: Option<Value>,
        not: Option<Value>,
        at_least: Option<i64>,
        at_most: Option<i64>,
    ) -> Option<Self> {
        match (is, not, at_least, at_most) {
            (Some(value), None, None, None) => Some(Self::Is(value)),
            (None, Some(value), None, None) => Some(Self::Not(value)),
            (None, None, Some(value), None) => Some(Self::AtLeast(value)),
            (None, None, None, Some(value)) => Some(Self::AtMost(value)),
            _ => None,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (several, word) = match self {
            Self::Is(probe, test) => return write!(f, "{probe} {test}"),
            Self::All(several) => (several, " and "),
            Self::Any(several) => (several, " or "),
        };
        for (index, condition) in several.iter().enumerate() {
            if index > 0 {
                f.write_str(word)?;
            }
            write!(f, "({condition})")?;
        }
        Ok(())
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(value) => write!(f, "is {value}"),
            Self::Not(value) => write!(f, "is not {value}"),
            Self::AtLeast(value) => write!(f, "is at least {value}"),
            Self::AtMost(value) => write!(f, "is at most {value}"),
        }
    }
}

/// One move of a solution, or of what precedes a question's probe.
#[derive(Clone, Debug)]
pub enum Move {
    /// Does something to the world.
    Act(Box<Action>),
    /// Takes up an offer of the present step.
    Take(String),
    /// So many events.
    Events(u32),
    /// Events until the condition holds.
    Until(Condition),
    /// Events until the world is at rest.
    Rest,
}

impl Lesson {
    /// Reads a lesson's three files and checks them against each other.
    ///
    /// # Errors
    /// Anything that is not as `lessons/README.md` says, with its file and line.
    pub fn load(id: &str, script: &str, en: &str, zh: &str) -> Result<Self, LessonError> {
        let file = format!("{id}/lesson.toml");
        let place = Place { file: &file, text: script };
        let raw: RawLesson =
            toml::from_str(script).map_err(|error| place.fail(error.span(), error.message().to_owned()))?;
        let text =
            |language: Language, markdown: &str| LessonText::parse(&format!("{id}/{}", language.file()), markdown);
        let lesson = raw.check(id, &place, text(Language::En, en)?, text(Language::Zh, zh)?)?;
        for language in [Language::En, Language::Zh] {
            lesson.check_text(language)?;
        }
        Ok(lesson)
    }

    /// What it says in a language.
    pub fn text(&self, language: Language) -> &LessonText {
        match language {
            Language::En => &self.en,
            Language::Zh => &self.zh,
        }
    }

    /// The offer of this id, of whatever step.
    pub fn offer(&self, id: &str) -> Option<&Offer> {
        self.steps.iter().flat_map(|step| &step.offers).find(|offer| offer.id == id)
    }

    /// Holds the text's pieces against the script's ids, both ways.
    fn check_text(&self, language: Language) -> Result<(), LessonError> {
        let text = self.text(language);
        let file = format!("{}/{}", self.id, language.file());
        let ids = |of: &mut dyn Iterator<Item = &String>| of.cloned().collect::<BTreeSet<_>>();
        let kinds = [
            ("step", ids(&mut self.steps.iter().map(|step| &step.id)), &text.steps),
            ("offer", ids(&mut self.steps.iter().flat_map(|step| &step.offers).map(|offer| &offer.id)), &text.offers),
            ("question", ids(&mut self.questions.iter().map(|question| &question.id)), &text.questions),
            ("goal", ids(&mut self.goals.iter().map(|goal| &goal.id)), &text.goals),
        ];
        for (kind, wanted, pieces) in kinds {
            if let Some(id) = wanted.iter().find(|id| !pieces.contains_key(*id)) {
                return Err(LessonError {
                    file,
                    line: 1,
                    cause: format!("{kind} `{id}` has no `## {kind} {id}: ...`"),
                });
            }
            if let Some((id, Piece { line, .. })) = pieces.iter().find(|(id, _)| !wanted.contains(*id)) {
                return Err(LessonError { file, line: *line, cause: format!("lesson.toml has no {kind} `{id}`") });
            }
        }
        for (name, text) in [("hint", &text.hint), ("break", &text.break_it)] {
            if text.is_empty() {
                return Err(LessonError { file, line: 1, cause: format!("`## {name}` is missing") });
            }
        }
        Ok(())
    }
}

/// The script's file, for turning spans into lines.
struct Place<'a> {
    file: &'a str,
    text: &'a str,
}

impl Place<'_> {
    fn fail(&self, span: Option<Range<usize>>, cause: String) -> LessonError {
        let before = span.and_then(|span| self.text.get(..span.start)).unwrap_or_default();
        LessonError { file: self.file.to_owned(), line: before.matches('\n').count() + 1, cause }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawLesson {
    number: u32,
    part: Spanned<String>,
    seed: u64,
    sources: Vec<String>,
    cluster: Cluster,
    steps: Spanned<Vec<RawStep>>,
    #[serde(default)]
    questions: Vec<RawQuestion>,
    #[serde(default)]
    goals: Vec<RawGoal>,
    solution: Vec<RawMove>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawStep {
    id: Spanned<String>,
    #[serde(default)]
    begin: Vec<Action>,
    #[serde(default)]
    offers: Vec<RawOffer>,
    until: Spanned<RawCondition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOffer {
    id: Spanned<String>,
    action: Action,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQuestion {
    id: Spanned<String>,
    step: Spanned<String>,
    choices: Spanned<Vec<Value>>,
    probe: Option<Spanned<String>>,
    #[serde(default)]
    after: Vec<RawMove>,
    backlog: Option<Spanned<Plan>>,
    number: Option<BacklogNumber>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGoal {
    id: Spanned<String>,
    when: Spanned<RawCondition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawCondition {
    probe: Option<Spanned<String>>,
    is: Option<Value>,
    not: Option<Value>,
    at_least: Option<i64>,
    at_most: Option<i64>,
    all: Option<Vec<Spanned<RawCondition>>>,
    any: Option<Vec<Spanned<RawCondition>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum RawMove {
    Act(Box<Action>),
    Take(Spanned<String>),
    Events(u32),
    Until(Spanned<RawCondition>),
    Rest,
}

impl RawLesson {
    fn check(self, id: &str, place: &Place<'_>, en: LessonText, zh: LessonText) -> Result<Lesson, LessonError> {
        if !matches!(self.part.get_ref().as_str(), "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H") {
            return Err(place.fail(Some(self.part.span()), format!("part `{}` is none of A to H", self.part.get_ref())));
        }
        if self.steps.get_ref().is_empty() {
            return Err(place.fail(Some(self.steps.span()), "a lesson has one step at least".to_owned()));
        }
        let mut seen = BTreeSet::new();
        let mut once = |kind: &str, id: &Spanned<String>| {
            if seen.insert((kind.to_owned(), id.get_ref().clone())) {
                Ok(())
            } else {
                Err(place.fail(Some(id.span()), format!("{kind} `{}` comes twice", id.get_ref())))
            }
        };
        for step in self.steps.get_ref() {
            once("step", &step.id)?;
            for offer in &step.offers {
                once("offer", &offer.id)?;
            }
        }
        for question in &self.questions {
            once("question", &question.id)?;
        }
        for goal in &self.goals {
            once("goal", &goal.id)?;
        }
        let steps = self
            .steps
            .into_inner()
            .into_iter()
            .map(|step| {
                let offers = step
                    .offers
                    .into_iter()
                    .map(|offer| Offer { id: offer.id.into_inner(), action: offer.action })
                    .collect();
                Ok(Step { id: step.id.into_inner(), begin: step.begin, offers, until: condition(step.until, place)? })
            })
            .collect::<Result<Vec<_>, LessonError>>()?;
        let questions =
            self.questions.into_iter().map(|question| question.check(&steps, place)).collect::<Result<_, _>>()?;
        let goals = self
            .goals
            .into_iter()
            .map(|goal| Ok(Goal { id: goal.id.into_inner(), when: condition(goal.when, place)? }))
            .collect::<Result<_, LessonError>>()?;
        let solution = moves(self.solution, &steps, place)?;
        Ok(Lesson {
            id: id.to_owned(),
            number: self.number,
            part: self.part.into_inner(),
            seed: self.seed,
            sources: self.sources,
            cluster: self.cluster,
            steps,
            questions,
            goals,
            solution,
            en,
            zh,
        })
    }
}

impl RawQuestion {
    fn check(self, steps: &[Step], place: &Place<'_>) -> Result<Question, LessonError> {
        let step = steps
            .iter()
            .position(|step| step.id == *self.step.get_ref())
            .ok_or_else(|| place.fail(Some(self.step.span()), format!("there is no step `{}`", self.step.get_ref())))?;
        let choices = self.choices.get_ref();
        if choices.len() < 2 {
            return Err(place.fail(Some(self.choices.span()), "a question has two choices at least".to_owned()));
        }
        if (1..choices.len()).any(|index| choices[..index].contains(&choices[index])) {
            return Err(place.fail(Some(self.choices.span()), "a choice comes twice".to_owned()));
        }
        let about = match (self.probe, self.backlog, self.number) {
            (Some(text), None, None) => {
                About::World { probe: probe(&text, place)?, after: moves(self.after, steps, place)? }
            }
            (None, Some(plan), Some(number)) if self.after.is_empty() => {
                let span = plan.span();
                let plan = Box::new(plan.into_inner());
                plan.check().map_err(|error| place.fail(Some(span), error.to_string()))?;
                About::Backlog { plan, number }
            }
            _ => {
                let cause = "a question has a probe, or a backlog and the number that is asked about";
                return Err(place.fail(Some(self.id.span()), cause.to_owned()));
            }
        };
        Ok(Question { id: self.id.into_inner(), step, choices: self.choices.into_inner(), about })
    }
}

fn probe(text: &Spanned<String>, place: &Place<'_>) -> Result<Probe, LessonError> {
    Probe::parse(text.get_ref()).map_err(|error| place.fail(Some(text.span()), error.to_string()))
}

fn condition(raw: Spanned<RawCondition>, place: &Place<'_>) -> Result<Condition, LessonError> {
    let span = raw.span();
    let fail = |cause: &str| place.fail(Some(span.clone()), cause.to_owned());
    let raw = raw.into_inner();
    let several = |raw: Vec<Spanned<RawCondition>>| {
        raw.into_iter().map(|raw| condition(raw, place)).collect::<Result<Vec<_>, _>>()
    };
    match (raw.probe, raw.all, raw.any) {
        (Some(text), None, None) => {
            let test = Test::one_of(raw.is, raw.not, raw.at_least, raw.at_most);
            let test = test.ok_or_else(|| fail("a probe is compared by one of is, not, atLeast, atMost"))?;
            Ok(Condition::Is(probe(&text, place)?, test))
        }
        (None, Some(all), None) => Ok(Condition::All(several(all)?)),
        (None, None, Some(any)) => Ok(Condition::Any(several(any)?)),
        _ => Err(fail("a condition is one of probe, all, any")),
    }
}

fn moves(raw: Vec<RawMove>, steps: &[Step], place: &Place<'_>) -> Result<Vec<Move>, LessonError> {
    raw.into_iter()
        .map(|raw| {
            Ok(match raw {
                RawMove::Act(action) => Move::Act(action),
                RawMove::Take(id) => {
                    if !steps.iter().flat_map(|step| &step.offers).any(|offer| offer.id == *id.get_ref()) {
                        return Err(place.fail(Some(id.span()), format!("no step offers `{}`", id.get_ref())));
                    }
                    Move::Take(id.into_inner())
                }
                RawMove::Events(events) => Move::Events(events),
                RawMove::Until(until) => Move::Until(condition(until, place)?),
                RawMove::Rest => Move::Rest,
            })
        })
        .collect()
}
