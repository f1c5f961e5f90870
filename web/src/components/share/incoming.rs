//! A run that comes in: on its way, here, or refused.

use rocketscope_engine::link::LinkError;
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use super::{file, why};
use crate::backend::AskError;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;
use crate::state::{Refused, Way};

/// While the engine goes through a run again.
#[component]
pub fn Opening() -> Html {
    let text = use_text();
    html! {
        <section class="welcome" aria-busy="true" data-testid="run-opening">
            <p class="dim">{ text.get("share.opening") }</p>
            <div class="waiting" />
        </section>
    }
}

/// Properties of [`NotOpened`].
#[derive(Clone, PartialEq, Properties)]
pub struct NotOpenedProps {
    /// The run, and why not.
    pub refused: Refused,
    /// The reader goes on without it.
    pub on_go_on: Callback<()>,
}

/// A run that cannot be opened: why, and its text, so that it is not lost.
#[component]
pub fn NotOpened(props: &NotOpenedProps) -> Html {
    let text = use_text();
    let Refused { opening, error } = &props.refused;
    let (title, go_on) = match opening.way {
        Way::Address => ("share.refused.address", "share.refused.go-on"),
        Way::File | Way::Store => ("share.refused.file", "share.refused.go-on"),
        Way::Kept(_) => ("share.refused.kept", "share.refused.anew"),
    };
    let needs_store = matches!(error, AskError::Failed(failure)
        if matches!(failure.link.as_deref(), Some(LinkError::NeedsStore { .. })));
    let on_save = {
        let content = format!("{}\n", opening.text);
        Callback::from(move |_: yew::MouseEvent| {
            file::save(&file::name(Some("run")), &content);
        })
    };
    html! {
        <section class="welcome" aria-labelledby="refused-title" data-testid="run-refused">
            <h1 id="refused-title">{ text.get(title) }</h1>
            <p class="warning" role="alert"><Icon glyph={Glyph::Warn} /><span>{ why(error, &text) }</span></p>
            <label class="refused-text">
                <span class="dim small">{ text.get("share.refused.text") }</span>
                <textarea class="field" readonly=true rows="4" value={opening.text.to_string()} data-testid="refused-text" />
            </label>
            <div class="openers">
                <button
                    type="button"
                    class="button primary"
                    onclick={props.on_go_on.reform(|_| ())}
                    data-testid="refused-go-on"
                >{ text.get(go_on) }</button>
                if needs_store {
                    <a class="button" href="#/explorer">{ text.get("share.refused.explorer") }</a>
                }
                <button type="button" class="button" onclick={on_save}>
                    <Icon glyph={Glyph::File} />{ text.get("share.save") }
                </button>
            </div>
            if matches!(opening.way, Way::Kept(_)) {
                <p class="dim small">{ text.get("share.refused.anew-means") }</p>
            }
        </section>
    }
}

/// Properties of [`Arrived`].
#[derive(Clone, PartialEq, Properties)]
pub struct ArrivedProps {
    /// Where the run came from; `None` for one that was begun here.
    pub way: Option<Way>,
    /// The browser has a storage and could not keep the run as it is now: why it matters is said.
    pub unkept: bool,
    /// The reader begins anew.
    pub on_anew: Callback<()>,
}

/// Says that a run came in and from where, until the reader has seen it.
#[component]
pub fn Arrived(props: &ArrivedProps) -> Html {
    let text = use_text();
    let seen = use_state_eq(|| false);
    let on_seen = {
        let seen = seen.clone();
        Callback::from(move |_: yew::MouseEvent| seen.set(true))
    };
    let on_anew = {
        let (seen, on_anew) = (seen.clone(), props.on_anew.clone());
        Callback::from(move |_: yew::MouseEvent| {
            seen.set(true);
            on_anew.emit(());
        })
    };
    let words = props.way.as_ref().map(|way| match way {
        Way::Address => "share.arrived.address",
        Way::File => "share.arrived.file",
        Way::Kept(_) => "share.arrived.kept",
        Way::Store => "share.arrived.store",
    });
    html! {
        <>
            if let Some(words) = words.filter(|_| !*seen) {
                <div class="arrived" role="status" data-testid="run-arrived">
                    <span>{ text.get(words) }</span>
                    <button type="button" class="button tiny" onclick={on_anew} data-testid="run-anew">
                        <Icon glyph={Glyph::Reset} />{ text.get("share.arrived.anew") }
                    </button>
                    <button
                        type="button"
                        class="button quiet icon-only"
                        aria-label={text.get("share.arrived.seen")}
                        onclick={on_seen}
                    >
                        <Icon glyph={Glyph::Close} />
                    </button>
                </div>
            }
            if props.unkept {
                <p class="warning" role="alert"><Icon glyph={Glyph::Warn} /><span>{ text.get("share.unkept") }</span></p>
            }
        </>
    }
}
