//! What is broken and must never be: an alert that names the event and leads to it.

use rocketscope_engine::ledger::Broken;
use rocketscope_engine::planted::PlantedFault;
use yew::{Callback, Html, Properties, component, html};

use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`BrokenAlert`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What is broken up to the present position, oldest first.
    pub broken: Vec<Broken>,
    /// Go to a position.
    pub on_seek: Callback<u64>,
}

/// The newest of what is broken.
#[component]
pub fn BrokenAlert(props: &Props) -> Html {
    let text = use_text();
    let Some(newest) = props.broken.last() else { return html! {} };
    let before = props.broken.len().saturating_sub(1);
    let seq = newest.seq;
    let onclick = props.on_seek.reform(move |_: yew::MouseEvent| seq + 1);
    html! {
        <div class="broken-alert" role="alert" data-testid="broken" data-invariant={name_of(&newest.invariant)}>
            <Icon glyph={Glyph::Warn} />
            <div>
                <b>{ text.get("broken.title") }</b>
                <span class="small">{ " " }{ text.fill("broken.at", &[("seq", &seq), ("node", &newest.node)]) }</span>
                <p>{ words(newest, &text) }</p>
                if before > 0 {
                    <p class="small">{ text.fill("broken.more", &[("count", &before)]) }</p>
                }
            </div>
            <button type="button" class="button tiny" {onclick} data-testid="broken-go">
                { text.fill("broken.go", &[("seq", &seq)]) }
            </button>
        </div>
    }
}

fn words(broken: &Broken, text: &Text) -> Html {
    let queue = broken.queue.clone().unwrap_or_default();
    let other = broken.other.clone().unwrap_or_default();
    text.rich(
        &format!("invariant.{}", name_of(&broken.invariant)),
        &[
            ("queue", html! { <span class="mono">{ queue }</span> }),
            ("found", html! { <b class="num">{ broken.found }</b> }),
            ("bound", html! { <b class="num">{ broken.bound }</b> }),
            ("other", html! { <b class="mono">{ other }</b> }),
        ],
    )
}

/// Properties of [`PlantedNote`].
#[derive(Clone, PartialEq, Properties)]
pub struct PlantedProps {
    /// What is planted in the cluster that runs.
    pub planted: Vec<PlantedFault>,
    /// Whether the learner is to find out which.
    pub hidden: bool,
}

/// Says that what runs is not RocketMQ in every respect.
#[component]
pub fn PlantedNote(props: &PlantedProps) -> Html {
    let text = use_text();
    if props.planted.is_empty() {
        return html! {};
    }
    let names = props.planted.iter().map(|fault| text.get(&format!("planted.{}", fault.name())));
    let names = names.collect::<Vec<_>>().join(" · ");
    html! {
        <p class="planted-note" role="note" data-testid="planted-note">
            <Icon glyph={Glyph::Fault} />
            if props.hidden {
                { text.get("planted.drawn") }
            } else {
                { text.fill("planted.on", &[("faults", &names)]) }
            }
        </p>
    }
}
