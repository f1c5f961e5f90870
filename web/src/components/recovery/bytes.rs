//! The bytes that a step of a recovery is about.

use rocketscope_engine::view::recovery::RecoveryItem;
use rocketscope_engine::view::store::{StoreAnswer, StoreQuery, TreeNode};
use yew::{Html, Properties, component, html};

use crate::components::store::{HexView, Num, use_picture, use_store_context};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;
use crate::route::Place;

/// Properties of [`Bytes`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The step.
    pub item: RecoveryItem,
}

/// The bytes, or why there are none to see.
#[component]
pub fn Bytes(props: &Props) -> Html {
    let text = use_text();
    let context = use_store_context();
    let asked = use_picture(Some(StoreQuery::Tree));
    let Some(place) = &props.item.place else {
        return html! { <p class="dim small walk-bytes">{ text.get("recovery.no-place") }</p> };
    };
    let len = match asked.store() {
        Some(StoreAnswer::Tree(tree)) => tree
            .rows
            .iter()
            .find(|row| row.path == place.path && matches!(row.node, TreeNode::File { .. }))
            .map(|row| row.len),
        _ => return html! { <div class="waiting" aria-busy="true" /> },
    };
    let end = place.start.saturating_add(place.len);
    let range = match place.len {
        0 => place.path.clone(),
        _ => format!("{} @ {}–{}", place.path, context.position(place.start), context.position(end)),
    };
    html! {
        <div class="walk-bytes" data-testid="recovery-bytes">
            <p class="small">
                <Num value={range} to={Place::Disk { file: Some(place.path.clone()), at: Some(place.start) }} />
            </p>
            if let Some(len) = len.filter(|len| *len > 0) {
                <HexView key={place.path.clone()} path={place.path.clone()} {len} selected={place.start.min(len - 1)} />
            } else if len.is_none() {
                <p class="dim small">
                    <Icon glyph={Glyph::Expire} />{ text.fill("recovery.gone", &[("file", &place.path)]) }
                </p>
            }
            if context.node().is_some() {
                <p class="dim small">{ text.get("recovery.now") }</p>
            }
        </div>
    }
}
