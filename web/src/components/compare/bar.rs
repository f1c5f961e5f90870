//! The bar under two runs: back and on through both at once.

use rocketscope_engine::view::ComparePicture;
use std::rc::Rc;
use yew::{Callback, Html, Properties, component, html};

use crate::components::store::format;
use crate::components::workbench::Move;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`Bar`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Both runs.
    pub picture: Rc<ComparePicture>,
    /// To a moment.
    pub on_moment: Callback<u32>,
}

/// The moment that a move leads to; `None` for one that there is not here.
pub fn moment_of(to: Move, picture: &ComparePicture) -> Option<u32> {
    Some(match to {
        Move::First => 0,
        Move::Back => picture.moment.saturating_sub(1),
        Move::Step => picture.moment.saturating_add(1).min(picture.moments),
        Move::Last => picture.moments,
        Move::Run | Move::Breakpoint | Move::Undo | Move::Redo => return None,
    })
}

/// The bar.
#[component]
pub fn Bar(props: &Props) -> Html {
    let text = use_text();
    let picture = &props.picture;
    let button = |to: Move, key: &str, glyph: Glyph, class: &'static str, off: bool, words: bool| {
        let name = text.get(key);
        let moment = moment_of(to, picture).unwrap_or(picture.moment);
        html! {
            <button
                type="button"
                class={format!("button {class}")}
                aria-label={(!words).then(|| name.clone())}
                title={name.clone()}
                disabled={off}
                onclick={props.on_moment.reform(move |_| moment)}
                data-testid={key.to_owned()}
            >
                <Icon {glyph} />
                if words {
                    <span>{ name }</span>
                }
            </button>
        }
    };
    let (at_start, at_end) = (picture.moment == 0, picture.moment == picture.moments);
    html! {
        <footer class="transport" role="toolbar" aria-label={text.get("compare.bar.label")} data-testid="compare-bar">
            { button(Move::First, "transport.first", Glyph::First, "icon-only", at_start, false) }
            { button(Move::Back, "transport.back", Glyph::Back, "step-back", at_start, true) }
            { button(Move::Step, "transport.step", Glyph::Step, "primary", at_end, true) }
            { button(Move::Last, "transport.last", Glyph::Last, "icon-only", at_end, false) }
            if let Some(moment) = picture.difference_moment {
                <button
                    type="button"
                    class="button"
                    disabled={moment == picture.moment}
                    onclick={props.on_moment.reform(move |_| moment)}
                    data-testid="compare-jump"
                >
                    <Icon glyph={Glyph::Find} /><span>{ text.get("compare.bar.jump") }</span>
                </button>
            }
            <p class="clock mono">
                <span data-testid="compare-clock">{ format!("t = {}", format::clock(picture.now_us)) }</span>
                <span data-testid="compare-moment">
                    { text.fill("compare.bar.moment", &[("moment", &picture.moment), ("moments", &picture.moments)]) }
                </span>
            </p>
        </footer>
    }
}
