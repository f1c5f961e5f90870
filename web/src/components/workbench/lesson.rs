//! The lesson beside the world: prose, steps, questions, goals.

use std::rc::Rc;

use rocketscope_engine::view::lesson::{LessonPicture, LessonSummary, LessonTextPicture, StepState};
use yew::{Callback, Html, Properties, classes, component, html, use_state_eq};

use super::offers::{Offers, prose_of, title_of};
use super::questions::Question;
use crate::components::lessons::{part_name, title};
use crate::components::markdown::Markdown;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};
use crate::route::{Route, Screen};

/// What the learner asks of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Take up an offer.
    Take(u32),
    /// Answer a question.
    Choose(String, u32),
    /// Go to where a step began.
    Seek(u64),
    /// Play the solution.
    Solve,
    /// Begin anew.
    Reset,
}

/// Properties of [`LessonPane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// How far the learner is.
    pub lesson: LessonPicture,
    /// What the lesson says.
    pub text: LessonTextPicture,
    /// Goals met in earlier visits, by id.
    pub met_before: Vec<String>,
    /// All lessons, in order.
    pub lessons: Rc<[LessonSummary]>,
    /// The learner wants something.
    pub on_wish: Callback<Wish>,
}

/// The lesson.
#[component]
pub fn LessonPane(props: &Props) -> Html {
    let text = use_text();
    let (lesson, words) = (&props.lesson, &props.text);
    let hint = use_state_eq(|| false);
    let on_hint = {
        let hint = hint.clone();
        Callback::from(move |_: yew::MouseEvent| hint.set(!*hint))
    };
    let wish = |wish: Wish| props.on_wish.reform(move |_: yew::MouseEvent| wish.clone());
    let now = lesson.steps.iter().find(|step| step.state == StepState::Now);
    let here = now.or(lesson.steps.last()).map(|step| step.id.clone()).unwrap_or_default();
    // A question left open is asked again whenever the learner comes back to its step.
    let open: Vec<_> = lesson.questions.iter().filter(|question| question.step == here).collect();
    html! {
        <article class="lesson" aria-labelledby="lesson-title" data-testid="lesson" data-lesson={lesson.id.clone()}>
            <p class="dim small">{ where_in(&props.lessons, lesson, &text) }</p>
            <h1 id="lesson-title">{ words.title.clone() }</h1>
            <Markdown text={words.intro.clone()} />
            <ol class="lesson-steps" aria-label={text.get("lesson.steps")}>
                { for lesson.steps.iter().zip(1..).map(|(step, number): (_, u32)| {
                    let (class, glyph) = match step.state {
                        StepState::Done => ("is-done", Some(Glyph::Tick)),
                        StepState::Now => ("is-now", None),
                        StepState::Ahead => ("is-ahead", None),
                    };
                    let title = title_of(&words.steps, &step.id).to_owned();
                    let inside = html! {
                        <>
                            <span class="step-number">
                                if let Some(glyph) = glyph {
                                    <Icon {glyph} />
                                } else {
                                    { number }
                                }
                            </span>
                            <span>{ title }</span>
                        </>
                    };
                    let current = (step.state == StepState::Now).then_some("step");
                    html! {
                        <li key={step.id.clone()} {class} aria-current={current} data-testid={format!("step:{}", step.id)}>
                            if let Some(position) = step.began_at.filter(|_| step.state != StepState::Ahead) {
                                <button type="button" class="step-row" onclick={wish(Wish::Seek(position))}>{ inside }</button>
                            } else {
                                <span class="step-row">{ inside }</span>
                            }
                        </li>
                    }
                }) }
            </ol>
            <section class="lesson-now" aria-live="polite">
                <h2>{ title_of(&words.steps, &here).to_owned() }</h2>
                <Markdown text={prose_of(&words.steps, &here)} />
                if !open.is_empty() {
                    <h3 class="label">{ text.get("lesson.predict") }</h3>
                    { for open.into_iter().map(|question| {
                        let (id, key) = (question.id.clone(), question.id.clone());
                        html! {
                            <Question
                                {key}
                                question={question.clone()}
                                text={words.clone()}
                                on_choose={props.on_wish.reform(move |index| Wish::Choose(id.clone(), index))}
                            />
                        }
                    }) }
                }
                if !lesson.offers.is_empty() {
                    <h3 class="label">{ text.get("lesson.do") }</h3>
                    <Offers offers={lesson.offers.clone()} text={words.clone()} on_take={props.on_wish.reform(Wish::Take)} />
                }
            </section>
            <h2 class="label">{ text.get("lesson.goals") }</h2>
            <ul class="goals">
                { for lesson.goals.iter().map(|goal| {
                    let met = goal.met || props.met_before.contains(&goal.id);
                    html! {
                        <li key={goal.id.clone()} class={classes!(met.then_some("is-met"))} data-testid={format!("goal:{}", goal.id)}>
                            <Icon glyph={if met { Glyph::Tick } else { Glyph::Todo }} />
                            <span class="hidden">{ text.get(if met { "lesson.met" } else { "lesson.open" }) }</span>
                            <Markdown text={title_of(&words.goals, &goal.id).to_owned()} />
                        </li>
                    }
                }) }
            </ul>
            if lesson.finished {
                <section class="finished card" role="status" data-testid="finished">
                    <h2><Icon glyph={Glyph::Tick} />{ text.get("lesson.finished") }</h2>
                    if !words.break_it.is_empty() {
                        <Markdown text={words.break_it.clone()} />
                    }
                    if !words.myth.is_empty() {
                        <h3 class="label">{ text.get("lesson.myths") }</h3>
                        <Markdown text={words.myth.clone()} />
                    }
                    { next(&props.lessons, lesson, &text) }
                </section>
            }
            <div class="lesson-buttons">
                <button type="button" class="button" aria-expanded={hint.to_string()} onclick={on_hint} data-testid="hint">
                    <Icon glyph={Glyph::Hint} />{ text.get("lesson.hint") }
                </button>
                <button type="button" class="button" onclick={wish(Wish::Solve)} data-testid="solution">
                    <Icon glyph={Glyph::Run} />{ text.get("lesson.solution") }
                </button>
                <button type="button" class="button" onclick={wish(Wish::Reset)} data-testid="reset">
                    <Icon glyph={Glyph::Reset} />{ text.get("lesson.reset") }
                </button>
            </div>
            if *hint {
                <div class="hint card" role="note"><Markdown text={words.hint.clone()} /></div>
            }
            <p class="small dim sources">
                { text.get("lesson.sources") }
                { for words.sources.iter().map(|source| html! { <code key={source.clone()}>{ source.clone() }</code> }) }
            </p>
        </article>
    }
}

/// The lesson's number, and the part of the curriculum that it belongs to.
fn where_in(lessons: &[LessonSummary], lesson: &LessonPicture, text: &Text) -> String {
    let number = text.fill("lesson.number", &[("number", &lesson.number)]);
    match lessons.iter().find(|summary| summary.id == lesson.id) {
        Some(summary) => format!("{number} · {}", part_name(&summary.part, text)),
        None => number,
    }
}

/// The way to the lesson after this one, where there is one.
fn next(lessons: &[LessonSummary], lesson: &LessonPicture, text: &Text) -> Html {
    let Some(next) = lessons.iter().skip_while(|summary| summary.id != lesson.id).nth(1) else { return html! {} };
    let to = Route::screen(Screen::Lesson(format!("{:02}", next.number)));
    html! {
        <a class="button next-lesson" href={to.to_string()} data-testid="next-lesson">
            <Icon glyph={Glyph::Next} />
            <span>{ text.fill("lesson.next", &[("number", &next.number), ("title", &title(next, text.lang()))]) }</span>
        </a>
    }
}
