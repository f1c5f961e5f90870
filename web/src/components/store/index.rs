//! The index files: header, slots, and the way of a search.

use rocketscope_engine::view::store::{IndexFileSummary, StoreAnswer, StoreQuery};
use yew::{Callback, Html, Properties, classes, component, html, use_effect_with, use_state_eq};

use super::chain::Chain;
use super::context::{Num, Waiting, num, use_picture, use_store_context};
use super::entries::Entries;
use super::format;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;
use crate::route::Place;

/// Slots of a page.
const PAGE: u32 = 60;

/// What is looked at in the index.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// A file's slots, from one on.
    Slots(Option<String>, Option<i32>),
    /// A key.
    Key(String, String),
}

/// Properties of [`Index`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What is looked at.
    pub look: Look,
}

/// The index files.
#[component]
pub fn Index(props: &Props) -> Html {
    let text = use_text();
    let asked = use_picture(Some(StoreQuery::IndexFiles));
    let Some(StoreAnswer::IndexFiles(files)) = asked.store() else { return html! { <Waiting {asked} /> } };
    if files.is_empty() {
        return html! { <div class="notice"><p>{ text.get("index.none") }</p></div> };
    }
    let (path, slot) = match &props.look {
        Look::Slots(path, slot) => (path.as_deref(), *slot),
        Look::Key(..) => (None, None),
    };
    let chosen = path.and_then(|path| files.iter().find(|file| file.path == path));
    let key = match &props.look {
        Look::Key(topic, key) => Some((topic.clone(), key.clone())),
        Look::Slots(..) => None,
    };
    html! {
        <div class="split">
            <section class="pane" aria-labelledby="index-title">
                <h2 class="label" id="index-title">{ text.get("index.title") }</h2>
                { for files.iter().map(|file| html! { <Header key={file.path.clone()} file={file.clone()} here={chosen == Some(file)} /> }) }
            </section>
            <section class="pane">
                <Search asked={key.clone()} />
                if let Some((topic, key)) = key {
                    { for files.iter().rev().map(|file| html! {
                        <Chain key={file.path.clone()} path={file.path.clone()} topic={topic.clone()} word={key.clone()} />
                    }) }
                } else if let Some(file) = chosen.or(files.last()) {
                    <Slots key={file.path.clone()} file={file.clone()} slot={slot} />
                }
            </section>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct HeaderProps {
    file: IndexFileSummary,
    here: bool,
}

#[component]
fn Header(props: &HeaderProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let file = &props.file;
    let log = |at: i64| num(context.position(at), (file.index_count > 1).then_some(Place::Record { at }));
    html! {
        <article class={classes!("card", "says", props.here.then_some("is-here"))}>
            <h3 class="mono"><Num value={file.name.clone()} to={Place::Index { file: Some(file.path.clone()), slot: None }} /></h3>
            <p class="small">
                { text.rich("index.says", &[
                    ("entries", num(file.index_count.saturating_sub(1).max(0), None)),
                    ("slots", num(file.hash_slot_count, None)),
                    ("all", num(file.slots, None)),
                    ("begin", log(file.begin_phy_offset)),
                    ("end", log(file.end_phy_offset)),
                ]) }
            </p>
            <dl class="facts">
                <dt>{ "beginTimestamp" }</dt><dd class="mono">{ format::time(file.begin_timestamp) }</dd>
                <dt>{ "endTimestamp" }</dt><dd class="mono">{ format::time(file.end_timestamp) }</dd>
                <dt>{ text.get("index.bytes") }</dt>
                <dd><Num value={format::size(file.len)} to={Place::Disk { file: Some(file.path.clone()), at: Some(0) }} /></dd>
            </dl>
        </article>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct SearchProps {
    asked: Option<(String, String)>,
}

/// The search for a key.
#[component]
fn Search(props: &SearchProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let asked = props.asked.clone().unwrap_or_default();
    let topic = use_state_eq(|| asked.0.clone());
    let key = use_state_eq(|| asked.1.clone());
    use_effect_with(props.asked.clone(), {
        let (topic, key) = (topic.clone(), key.clone());
        move |asked: &Option<(String, String)>| {
            if let Some((asked_topic, asked_key)) = asked {
                topic.set(asked_topic.clone());
                key.set(asked_key.clone());
            }
        }
    });
    let on_submit = {
        let (context, topic, key) = (context.clone(), topic.clone(), key.clone());
        Callback::from(move |event: yew::SubmitEvent| {
            event.prevent_default();
            let address = context.link(Place::Chain { topic: (*topic).clone(), key: (*key).clone() });
            // It cannot fail: the address is a fragment of this page.
            let _ = gloo::utils::window().location().set_hash(&address);
        })
    };
    let input = |state: &yew::UseStateHandle<String>| {
        let state = state.clone();
        Callback::from(move |event: yew::InputEvent| {
            state.set(yew::TargetCast::target_unchecked_into::<web_sys::HtmlInputElement>(&event).value());
        })
    };
    html! {
        <form class="search" role="search" onsubmit={on_submit}>
            <label><span class="label">{ text.get("index.topic") }</span>
                <input class="field mono" value={(*topic).clone()} oninput={input(&topic)} data-testid="index-topic" /></label>
            <label><span class="label">{ text.get("index.key") }</span>
                <input class="field mono" value={(*key).clone()} oninput={input(&key)} data-testid="index-key" /></label>
            <button type="submit" class="button" disabled={topic.is_empty() || key.is_empty()} data-testid="index-search">
                <Icon glyph={Glyph::Find} />{ text.get("index.walk") }
            </button>
        </form>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct SlotsProps {
    file: IndexFileSummary,
    slot: Option<i32>,
}

/// The slots in use, a page at a time.
#[component]
fn Slots(props: &SlotsProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let from = use_state_eq(|| 0);
    let start = props.slot.unwrap_or(*from);
    let asked = use_picture(Some(StoreQuery::IndexSlots { path: props.file.path.clone(), from: start, limit: PAGE }));
    let Some(StoreAnswer::IndexSlots(window)) = asked.store() else { return html! { <Waiting {asked} /> } };
    let go = |to: i32| {
        let from = from.clone();
        Callback::from(move |_: yew::MouseEvent| from.set(to))
    };
    let next = window.next.filter(|_| props.slot.is_none());
    html! {
        <>
            <div class="detail-head">
                <h2 class="label">{ text.get("index.slots") }</h2>
                <span class="row-end">
                    <button type="button" class="button tiny" disabled={start == 0 || props.slot.is_some()} onclick={go(0)}>
                        <Icon glyph={Glyph::Previous} />{ text.get("list.first") }
                    </button>
                    <button type="button" class="button tiny" disabled={next.is_none()} onclick={go(next.unwrap_or(0))}>
                        <Icon glyph={Glyph::Next} />{ text.get("list.next") }
                    </button>
                </span>
            </div>
            <p class="dim small">{ text.get("index.slots-say") }</p>
            <div class="slots">
                { for window.slots.iter().map(|slot| {
                    let link = context.link(Place::Disk { file: Some(props.file.path.clone()), at: Some(slot.position) });
                    let here = props.slot == Some(slot.slot);
                    html! {
                        <a key={slot.slot} class={classes!("slot", here.then_some("is-here"))} href={link}>
                            <span class="dim">{ slot.slot }</span><b>{ slot.index }</b>
                        </a>
                    }
                }) }
            </div>
            if window.slots.is_empty() {
                <p class="dim">{ text.get("index.no-slots") }</p>
            }
            <Entries path={props.file.path.clone()} count={props.file.index_count.saturating_sub(1).max(0)} />
        </>
    }
}
