//! Predict, then reveal.

use rocketscope_engine::view::lesson::{LessonTextPicture, QuestionPicture};
use yew::{Callback, Html, Properties, classes, component, html};

use super::offers::{prose_of, title_of};
use crate::components::markdown::Markdown;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`Question`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The question.
    pub question: QuestionPicture,
    /// The lesson's words.
    pub text: LessonTextPicture,
    /// The learner's choice, by its place in the list.
    pub on_choose: Callback<u32>,
}

/// A question: choices until one is made, then what the engine says.
#[component]
pub fn Question(props: &Props) -> Html {
    let text = use_text();
    let question = &props.question;
    // Buttons that were pressed stay in the order of focus, so that a keyboard is not thrown back to the start.
    let answered = question.chosen.is_some();
    let right = question.truth.is_some() && question.truth == question.chosen;
    let verdict = question.truth.map(|_| if right { "question.right" } else { "question.wrong" });
    html! {
        <fieldset
            class={classes!("question", "card", verdict.is_some().then_some("is-answered"))}
            data-testid={format!("question:{}", question.id)}
        >
            <legend>{ title_of(&props.text.questions, &question.id).to_owned() }</legend>
            <div class="choices">
                { for question.choices.iter().zip(0..).map(|(choice, index)| {
                    let is_truth = question.truth == Some(index);
                    let is_wrong = question.chosen == Some(index) && question.truth.is_some() && !is_truth;
                    html! {
                        <button
                            key={index}
                            type="button"
                            class={classes!("button", "choice", is_truth.then_some("is-right"), is_wrong.then_some("is-wrong"))}
                            aria-disabled={answered.to_string()}
                            aria-pressed={(question.chosen == Some(index)).to_string()}
                            onclick={(!answered).then(|| props.on_choose.reform(move |_| index))}
                        >
                            if is_truth {
                                <Icon glyph={Glyph::Tick} />
                            } else if is_wrong {
                                <Icon glyph={Glyph::Close} />
                            }
                            { choice.clone() }
                        </button>
                    }
                }) }
            </div>
            <div aria-live="polite">
                if let Some(verdict) = verdict {
                    <p class={classes!("verdict-line", right.then_some("is-right"))}>{ text.get(verdict) }</p>
                    <Markdown text={prose_of(&props.text.questions, &question.id)} />
                }
            </div>
        </fieldset>
    }
}
