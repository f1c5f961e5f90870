//! The first difference of two runs, and the first that an application could notice.

use std::rc::Rc;

use rocketscope_engine::compare::{Difference, Side, Told, ToldDifference};
use rocketscope_engine::view::ComparePicture;
use yew::{Callback, Html, Properties, classes, component, html};

use crate::components::narrate;
use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`Found`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Both runs.
    pub picture: Rc<ComparePicture>,
    /// To a moment.
    pub on_moment: Callback<u32>,
}

/// What was found.
#[component]
pub fn Found(props: &Props) -> Html {
    let text = use_text();
    let picture = &props.picture;
    let go = |moment: Option<u32>, id: &'static str| {
        let moment = moment?;
        let here = moment == picture.moment;
        Some(html! {
            <button type="button" class="button tiny" disabled={here} onclick={props.on_moment.reform(move |_| moment)} data-testid={id}>
                { text.get(if here { "compare.found.here" } else { "compare.found.go" }) }
            </button>
        })
    };
    html! {
        <section class="card compare-found" aria-labelledby="compare-found" data-testid="compare-found">
            <h2 class="label" id="compare-found">{ text.get("compare.found.title") }</h2>
            if let Some(difference) = &picture.difference {
                <p>
                    { text.rich("compare.found.at", &[
                        ("time", Html::from(format::clock(difference.at_us))),
                        ("lane", html! { <code>{ format!("{} · {}", difference.node, difference.service) }</code> }),
                    ]) }
                    { " " }
                    { go(picture.difference_moment, "compare-go").unwrap_or_default() }
                </p>
                <div class="compare-pair">
                    { side("first", difference.first.as_ref(), difference, &text) }
                    { side("second", difference.second.as_ref(), difference, &text) }
                </div>
            } else {
                <p data-testid="compare-same">{ text.get("compare.found.none") }</p>
            }
            if let Some(told) = &picture.told {
                <p data-testid="compare-told">
                    { told_sentence(told, &text) }
                    { " " }
                    { go(picture.told_moment, "compare-go-told").unwrap_or_default() }
                </p>
            } else if picture.difference.is_some() {
                <p class="dim">{ text.get("compare.found.told-none") }</p>
            }
            { for picture.refused.iter().map(|refused| {
                let why = narrate::refusal(&refused.error, &text).unwrap_or_else(|| refused.error.to_string());
                html! {
                    <p class="warning" key={refused.seq.to_string()} data-testid="compare-refused">
                        <Icon glyph={Glyph::Warn} />
                        <span>
                            { text.fill("compare.found.refused", &[("time", &format::clock(refused.at_us))]) }
                            { " " }
                            { narrate::action_line(&refused.action, &text) }
                            { " " }
                            { why }
                        </span>
                    </p>
                }
            }) }
        </section>
    }
}

/// One run's turn: the step in which it differs among those around it.
fn side(id: &'static str, side: Option<&Side>, difference: &Difference, text: &Text) -> Html {
    let name = text.get(&format!("compare.side.{id}"));
    let Some(Side { event, step }) = side else {
        let key = if difference.refused.is_some() { "compare.found.refused-here" } else { "compare.found.no-turn" };
        return html! {
            <div class="compare-turn"><h3 class="label">{ name }</h3><p class="dim">{ text.get(key) }</p></div>
        };
    };
    html! {
        <div class="compare-turn" data-testid={format!("compare-turn-{id}")}>
            <h3 class="label">{ name }</h3>
            <p class="dim small">
                { text.fill("compare.found.event", &[("event", &(event.seq + 1)), ("time", &format::clock(event.at_us))]) }
                { " " }
                { narrate::cause(&event.what, text) }
            </p>
            <ol class="steps-list">
                { for event.steps.iter().map(|one| {
                    let differs = Some(one.index) == *step;
                    html! {
                        <li key={one.index} class={classes!(differs.then_some("differs"))} aria-current={differs.then_some("true")}>
                            { narrate::step(&one.what, text) }
                        </li>
                    }
                }) }
                if step.is_none() {
                    <li class="differs">{ text.get("compare.found.no-step") }</li>
                }
            </ol>
        </div>
    }
}

fn told_sentence(told: &ToldDifference, text: &Text) -> Html {
    let key = if told.pull { "compare.found.told-pull" } else { "compare.found.told-send" };
    let name = told.name.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
    let says = |told: &Option<Told>| match told {
        Some(told) => html! {
            <>
                <code>{ told.status.clone() }</code>
                { " " }
                { text.fill("compare.found.told-at", &[("time", &format::clock(told.at_us))]) }
            </>
        },
        None => Html::from(text.get("compare.found.told-nothing")),
    };
    text.rich(
        key,
        &[
            ("client", html! { <code>{ told.client.clone() }</code> }),
            ("number", Html::from((told.number + 1).to_string())),
            ("name", Html::from(name)),
            ("first", says(&told.first)),
            ("second", says(&told.second)),
        ],
    )
}
