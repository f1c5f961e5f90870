//! What brokers asked a producer about half messages, newest first, and what it answered.

use rocketscope_engine::view::producer::Question;
use yew::{Html, Properties, classes, component, html};

use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`Questions`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The questions, newest last.
    pub questions: Vec<Question>,
}

/// Questions, those that are not answered yet among them.
#[component]
pub(super) fn Questions(props: &Props) -> Html {
    let text = use_text();
    if props.questions.is_empty() {
        return html! { <p class="small dim">{ text.get("producer.no-question") }</p> };
    }
    html! {
        <ol class="past" reversed={true} data-testid="questions">
            { for props.questions.iter().enumerate().rev().map(|(place, question)| {
                let asked = &question.outcome;
                let (class, glyph) = match (asked.state, asked.ended_us) {
                    (Some(_), _) => ("is-asked", Glyph::Tick),
                    (None, Some(_)) => ("is-unheard", Glyph::Warn),
                    (None, None) => ("is-put-off", Glyph::Clock),
                };
                html! {
                    <li key={place} class={classes!("past-entry", class)} data-testid={format!("question:{place}")}>
                        <span class="num dim">{ format::clock(asked.asked_us) }</span>
                        <span><Icon {glyph} />{ says(question, &text) }</span>
                    </li>
                }
            }) }
        </ol>
    }
}

fn says(question: &Question, text: &Text) -> String {
    let asked = &question.outcome;
    let message = question.name.as_ref().unwrap_or(&asked.transaction_id);
    let times = asked.times.map_or_else(|| "–".to_owned(), |times| times.to_string());
    let asks = text.fill(
        "producer.asks",
        &[("broker", &asked.broker), ("message", message), ("half", &asked.queue_offset), ("times", &times)],
    );
    let answer = match (asked.result, asked.state) {
        (Some(result), Some(state)) => {
            text.fill("producer.answered", &[("result", &result.name()), ("state", &state.name())])
        }
        _ if asked.ended_us.is_none() => text.get("producer.not-answered-yet"),
        _ => text.get("producer.not-answered"),
    };
    match &asked.cause {
        Some(cause) => format!("{asks} {answer} {cause}"),
        None => format!("{asks} {answer}"),
    }
}
