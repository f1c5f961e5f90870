//! The past of each message that checks have dealt with, copy by copy.

use rocketscope_engine::view::transactions::{PastEntry, PastFate, PastPicture};
use yew::{Html, Properties, classes, component, html};

use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`Pasts`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The pasts.
    pub pasts: Vec<PastPicture>,
    /// How often a message is asked about.
    pub max: i32,
}

/// A timeline for each message.
#[component]
pub(super) fn Pasts(props: &Props) -> Html {
    let text = use_text();
    html! {
        <section class="world" aria-labelledby="pasts-title" data-testid="pasts">
            <h3 class="label" id="pasts-title">{ text.get("transactions.pasts") }</h3>
            if props.pasts.is_empty() {
                <p class="small dim">{ text.get("transactions.no-past") }</p>
            }
            { for props.pasts.iter().enumerate().map(|(key, past)| {
                let name = past.name.clone().or_else(|| past.uniq_key.clone()).unwrap_or_else(|| text.get("world.unnamed"));
                html! {
                    <article {key} class="card item" data-testid={format!("past:{name}")}>
                        <h4>{ name }</h4>
                        <ol class="past">
                            { for past.entries.iter().enumerate().map(|(key, entry)| html! {
                                <li {key} class={classes!("past-entry", class(&entry.fate))}>
                                    <span class="num dim">{ format::clock(entry.at_us) }</span>
                                    <span><Icon glyph={glyph(&entry.fate)} />{ says(entry, props.max, &text) }</span>
                                </li>
                            }) }
                        </ol>
                    </article>
                }
            }) }
        </section>
    }
}

fn class(fate: &PastFate) -> &'static str {
    match fate {
        PastFate::Asked { to: Some(_), .. } => "is-asked",
        PastFate::Asked { to: None, .. } => "is-unheard",
        PastFate::PutOff { .. } => "is-put-off",
        PastFate::Discarded { .. } => "is-given-up",
    }
}

fn glyph(fate: &PastFate) -> Glyph {
    match fate {
        PastFate::Asked { to: Some(_), .. } => Glyph::Help,
        PastFate::Asked { to: None, .. } => Glyph::Warn,
        PastFate::PutOff { .. } => Glyph::Pause,
        PastFate::Discarded { .. } => Glyph::Expire,
    }
}

fn says(entry: &PastEntry, max: i32, text: &Text) -> String {
    let half = &entry.half_offset;
    match &entry.fate {
        PastFate::Asked { new_offset, to: Some(to) } => text.fill(
            "transactions.was-asked",
            &[("half", half), ("new", new_offset), ("to", to), ("times", &entry.check_times), ("max", &max)],
        ),
        PastFate::Asked { new_offset, to: None } => text.fill(
            "transactions.was-unheard",
            &[("half", half), ("new", new_offset), ("times", &entry.check_times), ("max", &max)],
        ),
        PastFate::PutOff { new_offset } => {
            text.fill("transactions.was-put-off", &[("half", half), ("new", new_offset)])
        }
        PastFate::Discarded { kept: true } => text.fill("transactions.was-discarded", &[("half", half)]),
        PastFate::Discarded { kept: false } => text.fill("transactions.was-lost", &[("half", half)]),
    }
}
