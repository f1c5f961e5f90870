//! The bar under two runs: back and on through both at once.

use std::rc::Rc;

use rocketscope_engine::view::ComparePicture;
use yew::{Callback, Html, Properties, component, html};

use crate::components::store::format;
use crate::components::workbench::{Move, MoveButton};
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
    let on_move = || {
        let picture = Rc::clone(picture);
        props.on_moment.reform(move |to| moment_of(to, &picture).unwrap_or(picture.moment))
    };
    let (at_start, at_end) = (picture.moment == 0, picture.moment == picture.moments);
    html! {
        <footer class="transport" role="toolbar" aria-label={text.get("compare.bar.label")} data-testid="compare-bar">
            <MoveButton to={Move::First} words="transport.first" glyph={Glyph::First} class="icon-only" off={at_start} on_move={on_move()} />
            <MoveButton to={Move::Back} words="transport.back" glyph={Glyph::Back} class="step-back" off={at_start} on_move={on_move()} />
            <MoveButton to={Move::Step} words="transport.step" glyph={Glyph::Step} class="primary" off={at_end} on_move={on_move()} />
            <MoveButton to={Move::Last} words="transport.last" glyph={Glyph::Last} class="icon-only" off={at_end} on_move={on_move()} />
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
