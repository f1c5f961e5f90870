//! The way of a search for a key through one index file.

use rocketscope_engine::view::store::{ChainEntry, IndexChain, StoreAnswer, StoreQuery};
use yew::{Html, Properties, classes, component, html};

use super::context::{Num, Waiting, num, use_picture, use_store_context};
use super::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};
use crate::route::Place;

/// Properties of [`Chain`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The index file.
    pub path: String,
    /// The topic.
    pub topic: String,
    /// The key.
    pub word: String,
}

/// The way of a search for a key through one index file.
#[component]
pub fn Chain(props: &Props) -> Html {
    let asked = use_picture(Some(StoreQuery::IndexChain {
        path: props.path.clone(),
        topic: props.topic.clone(),
        key: props.word.clone(),
        begin: 0,
        end: i64::MAX,
    }));
    match asked.store() {
        Some(StoreAnswer::IndexChain(chain)) => html! { <Walk chain={chain.clone()} /> },
        _ => html! { <Waiting {asked} /> },
    }
}

#[derive(Clone, PartialEq, Properties)]
struct WalkProps {
    chain: IndexChain,
}

#[component]
fn Walk(props: &WalkProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let chain = &props.chain;
    let answered = chain.entries.iter().filter(|entry| entry.answered).count();
    html! {
        <article class="chain" data-testid="chain">
            <p class="narration">
                { text.rich("chain.says", &[
                    ("hashed", html! { <code>{ chain.hashed.clone() }</code> }),
                    ("hash", num(chain.key_hash, None)),
                    ("slot", num(chain.slot, Some(Place::Disk {
                        file: Some(chain.path.clone()),
                        at: Some(chain.slot_position),
                    }))),
                    ("newest", num(chain.slot_value, None)),
                    ("file", html! { <code>{ chain.path.clone() }</code> }),
                ]) }
            </p>
            <p class="narration">
                { text.rich("chain.walked", &[("met", num(chain.entries.len(), None)), ("answered", num(answered, None))]) }
            </p>
            <ol class="links">
                { for chain.entries.iter().map(|entry| link(entry, &chain.path, &context, &text)) }
            </ol>
            if chain.cut {
                <p class="dim small">{ text.get("chain.cut") }</p>
            }
        </article>
    }
}

fn link(entry: &ChainEntry, path: &str, context: &super::context::StoreContext, text: &Text) -> Html {
    let row = &entry.entry;
    let verdict = match (entry.answered, entry.really_matches) {
        (true, true) => "chain.found",
        (true, false) => "chain.collides",
        (false, _) if !entry.hash_matches => "chain.other-hash",
        (false, _) => "chain.out-of-window",
    };
    let sure = entry.answered && entry.really_matches;
    html! {
        <li key={row.index} class={classes!("chain-link", sure.then_some("is-found"))}>
            <div class="chain-top">
                <Num
                    value={text.fill("chain.entry", &[("index", &row.index)])}
                    to={Place::Disk { file: Some(path.to_owned()), at: Some(row.position) }}
                />
                <span class="verdict">
                    <Icon glyph={if sure { Glyph::Tick } else { Glyph::Right }} />{ text.get(verdict) }
                </span>
            </div>
            <dl class="facts">
                <dt>{ "keyHash" }</dt><dd class="num">{ row.key_hash }</dd>
                <dt>{ "phyOffset" }</dt>
                <dd><Num
                    value={context.position(row.phy_offset)}
                    to={entry.record.as_ref().map(|_| Place::Record { at: row.phy_offset })}
                /></dd>
                <dt>{ "timeDiff" }</dt><dd class="num">{ format!("{} s → {}", row.time_diff, format::time(entry.time)) }</dd>
                <dt>{ "prevIndex" }</dt><dd class="num">{ row.prev_index }</dd>
            </dl>
        </li>
    }
}
