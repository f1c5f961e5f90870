//! The entries of an index file.

use rocketscope_engine::view::store::{StoreAnswer, StoreQuery};
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use super::context::{Num, num, use_picture, use_store_context};
use super::scroll::{Scroller, Window};
use crate::i18n::use_text;
use crate::route::Place;

const ROW_PX: u32 = 30;

/// Entries asked for at a time.
const CHUNK: u64 = 256;

/// Properties of [`Entries`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The index file.
    pub path: String,
    /// How many there are.
    pub count: i32,
}

/// The entries of an index file, in the order in which they were put.
#[component]
pub fn Entries(props: &Props) -> Html {
    let text = use_text();
    let context = use_store_context();
    let seen = use_state_eq(Window::default);
    let first = (seen.first / (CHUNK / 2) * (CHUNK / 2)).saturating_sub(CHUNK / 2);
    let from = i32::try_from(first).unwrap_or(i32::MAX).saturating_add(1);
    let query = StoreQuery::IndexEntries { path: props.path.clone(), from, limit: 2 * CHUNK as u32 };
    let asked = use_picture((props.count > 0).then_some(query));
    let entries = match asked.store() {
        Some(StoreAnswer::IndexEntries(window)) if window.path == props.path => window.entries.as_slice(),
        _ => &[],
    };
    let on_window = {
        let seen = seen.clone();
        Callback::from(move |window| seen.set(window))
    };
    let count = u64::try_from(props.count).unwrap_or(0);
    html! {
        <section class="entries" aria-labelledby="entries-title" data-testid="entries">
            <h2 class="label" id="entries-title">{ text.get("entries.title") }</h2>
            <div class="entry entries-head" aria-hidden="true">
                <span class="right">{ text.get("entries.number") }</span>
                <span class="right">{ "keyHash" }</span>
                <span class="right">{ "phyOffset" }</span>
                <span class="right">{ "timeDiff" }</span>
                <span class="right">{ "prevIndex" }</span>
            </div>
            <Scroller
                rows={count}
                row_px={ROW_PX}
                window={*seen}
                {on_window}
                label={text.get("entries.title")}
            >
                { for (seen.first..count.min(seen.first + seen.count)).map(|row| {
                    let entry = entries.iter().find(|entry| u64::try_from(entry.index).is_ok_and(|index| index == row + 1));
                    html! {
                        <div class="entry" key={row}>
                            if let Some(entry) = entry {
                                <span class="right"><Num
                                    value={entry.index.to_string()}
                                    to={Place::Disk { file: Some(props.path.clone()), at: Some(entry.position) }}
                                /></span>
                                <span class="right num">{ entry.key_hash }</span>
                                <span class="right"><Num
                                    value={context.position(entry.phy_offset)}
                                    to={Place::Record { at: entry.phy_offset }}
                                /></span>
                                <span class="right num">{ format!("{} s", entry.time_diff) }</span>
                                <span class="right">{ num(entry.prev_index, None) }</span>
                            } else {
                                <span class="right dim">{ "…" }</span>
                            }
                        </div>
                    }
                }) }
            </Scroller>
        </section>
    }
}
