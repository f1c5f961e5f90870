//! What the byte that is looked at is part of; without one, what the file is.

use rocketscope_engine::view::store::{FieldPicture, FileKind, HexOwner, HexSpan, HexWindow, StoreAnswer, StoreQuery};
use yew::{Html, Properties, component, html};

use super::config::{Checkpoint, Config};
use super::context::{Num, Waiting, num, use_picture, use_store_context};
use super::hex::span_at;
use super::queues::UnitSays;
use super::record::{Fields, Record};
use super::records::Records;
use crate::components::{Glyph, Icon};
use crate::i18n::{name_of, use_text};
use crate::route::Place;

/// Properties of [`Detail`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The file.
    pub file: String,
    /// What kind of file it is.
    pub kind: FileKind,
    /// The byte that is looked at.
    pub at: Option<u64>,
}

/// Bytes around the one that is looked at: every thing that is made of several fields, but for records, which have a
/// question of their own, fits.
const AROUND: u64 = 64;

/// What the byte that is looked at is part of.
#[component]
pub fn Detail(props: &Props) -> Html {
    let start = props.at.map_or(0, |at| at.saturating_sub(AROUND));
    let asked = use_picture(Some(StoreQuery::Hex { path: props.file.clone(), start, len: 2 * AROUND }));
    let window = match asked.store() {
        Some(StoreAnswer::Hex(window)) if window.path == props.file => window,
        _ => return html! { <Waiting {asked} /> },
    };
    let Some(at) = props.at else { return html! { <WholeFile window={window.clone()} kind={props.kind} /> } };
    let Some(span) = span_at(window, at) else { return html! { <Nothing at={at} /> } };
    match &span.owner {
        HexOwner::Record { physical_offset, .. } => html! { <Record at={*physical_offset} byte={Some(at)} /> },
        HexOwner::Unit { queue_offset, .. } => {
            html! { <Unit window={window.clone()} at={at} queue_offset={*queue_offset} /> }
        }
        HexOwner::Checkpoint => html! { <><Checkpoint /><Parts window={window.clone()} {at} /></> },
        HexOwner::Text => html! { <Config path={props.file.clone()} /> },
        owner => html! { <><Says owner={owner.clone()} /><Parts window={window.clone()} {at} /></> },
    }
}

#[derive(Clone, PartialEq, Properties)]
struct WholeFileProps {
    window: HexWindow,
    kind: FileKind,
}

/// What a file is, and what to do with it.
#[component]
fn WholeFile(props: &WholeFileProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let kind = name_of(&props.kind);
    let path = &props.window.path;
    let more = match props.kind {
        FileKind::CommitLog => html! { <Records from={props.window.file_from.unwrap_or(0)} /> },
        FileKind::Checkpoint => html! { <Checkpoint /> },
        FileKind::Config => html! { <Config path={path.clone()} /> },
        FileKind::ConsumeQueue => match queue_of(path) {
            Some(queue) => html! {
                <a class="button" href={context.link(Place::Queues { queue: Some(queue), unit: None })}>
                    <Icon glyph={Glyph::Next} />{ text.get("file.to-units") }
                </a>
            },
            None => html! {},
        },
        FileKind::Index => html! {
            <a class="button" href={context.link(Place::Index { file: Some(path.clone()), slot: None })}>
                <Icon glyph={Glyph::Next} />{ text.get("file.to-slots") }
            </a>
        },
        _ => html! {},
    };
    html! {
        <div class="detail" data-testid="whole-file">
            <h2 class="label">{ text.get(&format!("file.{kind}")) }</h2>
            <p class="narration">{ text.rich(&format!("file.{kind}-means"), &[]) }</p>
            { more }
        </div>
    }
}

/// Topic and queue id of a ConsumeQueue file's path.
fn queue_of(path: &str) -> Option<(String, i32)> {
    let mut names = path.split('/').rev();
    let (_file, id, topic) = (names.next()?, names.next()?, names.next()?);
    Some((topic.to_owned(), id.parse().ok()?))
}

#[derive(Clone, PartialEq, Properties)]
struct NothingProps {
    at: u64,
}

#[component]
fn Nothing(props: &NothingProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    html! {
        <div class="notice"><p>{ text.fill("hex.nothing", &[("at", &context.position(props.at))]) }</p></div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct UnitProps {
    window: HexWindow,
    at: u64,
    queue_offset: i64,
}

/// A unit of a ConsumeQueue: in sentences, then its fields.
#[component]
fn Unit(props: &UnitProps) -> Html {
    let text = use_text();
    let queue = queue_of(&props.window.path);
    let query = queue.clone().map(|(topic, queue_id)| StoreQuery::Units {
        topic,
        queue_id,
        from: props.queue_offset,
        limit: 1,
    });
    let asked = use_picture(query);
    let unit = match asked.store() {
        Some(StoreAnswer::Units(window)) => window.units.iter().find(|unit| unit.queue_offset == props.queue_offset),
        _ => None,
    };
    html! {
        <div class="detail">
            <h2 class="label">{ text.fill("unit.title", &[("unit", &props.queue_offset)]) }</h2>
            if let Some(unit) = unit {
                <UnitSays unit={unit.clone()} />
            }
            <Parts window={props.window.clone()} at={props.at} />
            if let Some(queue) = queue {
                <p><Num
                    value={text.get("file.to-units")}
                    to={Place::Queues { queue: Some(queue), unit: Some(props.queue_offset) }}
                /></p>
            }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct PartsProps {
    window: HexWindow,
    at: u64,
}

/// The fields of the thing that holds the byte.
#[component]
fn Parts(props: &PartsProps) -> Html {
    let owner = span_at(&props.window, props.at).map(|span| &span.owner);
    let own = |span: &&HexSpan| Some(&span.owner) == owner;
    let picture = |span: &HexSpan| FieldPicture {
        field: span.field,
        start: span.start,
        len: span.len,
        value: span.value.clone(),
    };
    let fields: Vec<FieldPicture> = props.window.spans.iter().filter(own).map(picture).collect();
    html! { <Fields {fields} file={props.window.path.clone()} byte={Some(props.at)} /> }
}

#[derive(Clone, PartialEq, Properties)]
struct SaysProps {
    owner: HexOwner,
}

/// The rest in a sentence each.
#[component]
fn Says(props: &SaysProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let words = match &props.owner {
        HexOwner::Blank { physical_offset, remaining } => text.rich(
            "owner.blank",
            &[("offset", num(context.position(*physical_offset), None)), ("bytes", num(remaining, None))],
        ),
        HexOwner::Damaged { physical_offset } => {
            text.rich("owner.damaged", &[("offset", num(context.position(*physical_offset), None))])
        }
        HexOwner::IndexHeader => text.rich("owner.index-header", &[]),
        HexOwner::IndexSlot { slot } => text.rich("owner.index-slot", &[("slot", num(slot, None))]),
        HexOwner::IndexEntry { index } => text.rich("owner.index-entry", &[("index", num(index, None))]),
        HexOwner::ExtUnit { address } => text.rich("owner.ext-unit", &[("address", num(address, None))]),
        _ => Html::default(),
    };
    html! { <p class="narration">{ words }</p> }
}
