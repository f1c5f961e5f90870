//! The way of a search for a key through one index file.

use rocketscope_engine::view::store::{ChainEntry, ClientCheck, ClientVerdict, IndexChain, StoreAnswer, StoreQuery};
use yew::{Html, Properties, classes, component, html};

use super::context::{Num, Waiting, num, use_picture, use_store_context};
use super::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};
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
    let kept = |verdict: fn(&ClientCheck) -> ClientVerdict| {
        let checks = chain.entries.iter().filter_map(|entry| entry.check.as_ref());
        num(checks.filter(|check| verdict(check) == ClientVerdict::Kept).count(), None)
    };
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
            if answered > 0 {
                <p class="narration" data-testid="chain-kept">
                    { text.rich("chain.kept", &[
                        ("by-key", kept(|check| check.by_key)),
                        ("by-unique-key", kept(|check| check.by_unique_key)),
                    ]) }
                </p>
            }
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
        <li key={row.index} class={classes!("chain-link", sure.then_some("is-found"))} data-testid={format!("entry:{}", row.index)}>
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
            { client(entry, text) }
        </li>
    }
}

/// What the client makes of an entry that the store answers.
fn client(entry: &ChainEntry, text: &Text) -> Html {
    let same = |equal: bool| text.get(if equal { "chain.same" } else { "chain.different" });
    match entry.check {
        Some(check) if entry.answered => {
            let key_why =
                text.fill("chain.why-key", &[("topic", &same(check.topic_equal)), ("key", &same(check.key_equal))]);
            let unique_why = text.fill("chain.why-unique-key", &[("id", &same(check.id_equal))]);
            html! {
                <ul class="checks">
                    { checked("chain.by-key", check.by_key, &key_why, text) }
                    { checked("chain.by-unique-key", check.by_unique_key, &unique_why, text) }
                </ul>
            }
        }
        None if entry.answered => html! { <p class="checks small dim">{ text.get("chain.unreadable") }</p> },
        _ => html! { <></> },
    }
}

fn checked(query: &'static str, verdict: ClientVerdict, why: &str, text: &Text) -> Html {
    let kept = verdict == ClientVerdict::Kept;
    html! {
        <li key={query} class={classes!("check", kept.then_some("is-kept"))} data-verdict={name_of(&verdict)}>
            <Icon glyph={if kept { Glyph::Tick } else { Glyph::Close }} />
            <span>
                <b>{ text.get(query) }</b>{ ": " }{ text.get(&format!("client-check.{}", name_of(&verdict))) }
                <span class="dim">{ format!(" ({why})") }</span>
            </span>
        </li>
    }
}
