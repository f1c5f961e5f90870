//! A record down to the field.

use rocketscope_engine::view::store::{
    BodyText, Field, FieldPicture, Pointer, RecordPicture, StoreAnswer, StoreQuery, TransactionKind,
};
use yew::{Html, Properties, classes, component, html};

use super::context::{Num, Waiting, num, use_picture, use_store_context};
use super::format;
use super::hex::tint;
use super::written::WrittenBy;
use crate::components::{Glyph, Icon};
use crate::i18n::{name_of, use_text};
use crate::route::Place;

/// Properties of [`Record`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// A physical offset that the record holds.
    pub at: i64,
    /// The byte of the file that is looked at, whose field is marked.
    #[prop_or_default]
    pub byte: Option<u64>,
}

/// The record that holds a physical offset.
#[component]
pub fn Record(props: &Props) -> Html {
    let text = use_text();
    let asked = use_picture(Some(StoreQuery::Record { physical_offset: props.at }));
    match asked.store() {
        Some(StoreAnswer::Record(Some(record))) => html! { <Whole record={(**record).clone()} byte={props.byte} /> },
        Some(StoreAnswer::Record(None)) => html! {
            <div class="notice" role="status">
                <p>{ text.rich("record.none", &[("offset", num(props.at, None))]) }</p>
            </div>
        },
        _ => html! { <Waiting {asked} /> },
    }
}

#[derive(Clone, PartialEq, Properties)]
struct WholeProps {
    record: RecordPicture,
    byte: Option<u64>,
}

#[component]
fn Whole(props: &WholeProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let record = &props.record;
    let row = &record.row;
    let at = row.physical_offset;
    let unit = Place::Queues { queue: Some((row.topic.clone(), row.queue_id)), unit: Some(row.queue_offset) };
    let has_unit = matches!(record.transaction, TransactionKind::Not | TransactionKind::Commit);
    let neighbour = |to: Option<i64>, key: &str, glyph: Glyph| match to {
        Some(to) => html! {
            <a class="button tiny" href={context.link(Place::Record { at: to })}>
                <Icon {glyph} />{ text.get(key) }
            </a>
        },
        None => {
            html! { <span class="button tiny is-off" aria-disabled="true"><Icon {glyph} />{ text.get(key) }</span> }
        }
    };
    html! {
        <article class="detail" data-testid="record" aria-labelledby="record-title">
            <div class="detail-head">
                <h2 class="label" id="record-title">
                    { text.rich("record.title", &[("offset", html! { <Num value={context.position(at)} /> })]) }
                </h2>
                <span class="row-end">
                    { neighbour(record.previous, "record.previous", Glyph::Previous) }
                    { neighbour(record.next, "record.next", Glyph::Next) }
                </span>
            </div>
            <p class="narration">
                { text.rich("record.says", &[
                    ("size", num(row.size, None)),
                    ("topic", html! { <strong>{ row.topic.clone() }</strong> }),
                    ("queue", num(row.queue_id, None)),
                    ("unit", num(row.queue_offset, has_unit.then_some(unit))),
                    ("body", num(row.body_length, None)),
                    ("next", num(context.position(at + i64::from(row.size)), record.next.map(|at| Place::Record { at }))),
                ]) }
            </p>
            if record.transaction != TransactionKind::Not {
                <p class="narration">{ text.get(&format!("record.transaction-{}", name_of(&record.transaction))) }</p>
            }
            { damage(record, &text) }
            <Fields fields={record.fields.clone()} file={record.file.clone()} byte={props.byte} />
            <h3 class="label">{ text.get("record.pointers") }</h3>
            { pointers(record, &text) }
            <h3 class="label">{ text.get("record.body") }</h3>
            { body(record, &text) }
            <h3 class="label">{ text.get("record.ids") }</h3>
            <dl class="facts">
                <dt>{ "offsetMsgId" }</dt><dd class="mono wrap">{ row.msg_id.clone() }</dd>
                if let Some(uniq_key) = &record.uniq_key {
                    <dt>{ "UNIQ_KEY" }</dt><dd class="mono wrap">{ uniq_key.clone() }</dd>
                }
                <dt>{ text.get("record.born") }</dt><dd class="mono">{ format::time(row.born_timestamp) }</dd>
                <dt>{ text.get("record.stored") }</dt><dd class="mono">{ format::time(row.store_timestamp) }</dd>
                if !record.sys_flags.is_empty() {
                    <dt>{ "sysFlag" }</dt><dd class="mono wrap">{ record.sys_flags.join(" | ") }</dd>
                }
                { for record.properties.iter().map(|property| html! {
                    <>
                        <dt class="mono">{ property.name.clone() }</dt>
                        <dd class="mono wrap">{ property.value.clone() }</dd>
                    </>
                }) }
            </dl>
        </article>
    }
}

/// What the record says that is not so.
fn damage(record: &RecordPicture, text: &crate::i18n::Text) -> Html {
    let row = &record.row;
    let mut lines = Vec::new();
    if record.computed_crc != row.body_crc {
        let (stored, computed) = (format!("{:08X}", row.body_crc), format!("{:08X}", record.computed_crc));
        lines.push(text.rich("record.bad-crc", &[("stored", num(stored, None)), ("computed", num(computed, None))]));
    }
    if record.physical_offset_field != row.physical_offset {
        let field = num(record.physical_offset_field, None);
        lines.push(text.rich("record.bad-place", &[("field", field), ("place", num(row.physical_offset, None))]));
    }
    lines
        .into_iter()
        .map(|line| html! { <p class="warning"><Icon glyph={Glyph::Warn} /><span>{ line }</span></p> })
        .collect()
}

fn pointers(record: &RecordPicture, text: &crate::i18n::Text) -> Html {
    if record.pointers.is_empty() {
        return html! { <p class="dim">{ text.get("record.no-pointers") }</p> };
    }
    html! {
        <table class="table">
            <tbody>
                { for record.pointers.iter().enumerate().map(|(key, pointer)| match pointer {
                    Pointer::Unit { topic, queue_id, queue_offset, file, position } => html! {
                        <tr {key}>
                            <td>{ "ConsumeQueue" }</td>
                            <td><Num
                                value={text.fill("record.unit", &[("topic", topic), ("queue", queue_id), ("unit", queue_offset)])}
                                to={Place::Queues { queue: Some((topic.clone(), *queue_id)), unit: Some(*queue_offset) }}
                            /></td>
                            <td><Num
                                value={text.fill("record.bytes-at", &[("position", position)])}
                                to={Place::Disk { file: Some(file.clone()), at: Some(*position) }}
                            /></td>
                        </tr>
                    },
                    Pointer::Index { file, index, position, key: word, slot } => html! {
                        <tr {key}>
                            <td>{ text.fill("record.index-key", &[("key", word)]) }</td>
                            <td><Num
                                value={text.fill("record.slot", &[("slot", slot), ("index", index)])}
                                to={Place::Chain { topic: record.row.topic.clone(), key: word.clone() }}
                            /></td>
                            <td><Num
                                value={text.fill("record.bytes-at", &[("position", position)])}
                                to={Place::Disk { file: Some(file.clone()), at: Some(*position) }}
                            /></td>
                        </tr>
                    },
                }) }
            </tbody>
        </table>
    }
}

fn body(record: &RecordPicture, text: &crate::i18n::Text) -> Html {
    let body = &record.body;
    let shown = match &body.preview {
        BodyText::Text(words) => html! { <pre class="well wrap">{ words.clone() }</pre> },
        BodyText::Hex(digits) => html! { <pre class="well wrap dim">{ digits.clone() }</pre> },
    };
    html! {
        <>
            if let Some(compression) = &body.compression {
                <p class="dim small">
                    { text.fill("record.compressed", &[
                        ("how", compression),
                        ("stored", &body.stored_len),
                        ("inflated", &body.inflated_len.map_or_else(|| "?".to_owned(), |len| len.to_string())),
                    ]) }
                </p>
            }
            if let Some(error) = &body.error {
                <p class="warning"><Icon glyph={Glyph::Warn} /><span>{ error.clone() }</span></p>
            }
            if body.stored_len == 0 {
                <p class="dim">{ text.get("record.no-body") }</p>
            } else {
                { shown }
            }
            if body.cut {
                <p class="dim small">{ text.get("record.cut") }</p>
            }
        </>
    }
}

/// Properties of [`Fields`].
#[derive(Clone, PartialEq, Properties)]
pub struct FieldsProps {
    /// The fields.
    pub fields: Vec<FieldPicture>,
    /// The file they lie in.
    pub file: String,
    /// The byte that is looked at.
    pub byte: Option<u64>,
}

/// Fields with their places and values, as a table.
#[component]
pub fn Fields(props: &FieldsProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let simulated = context.node().is_some();
    html! {
        <table class="table fields">
            <thead>
                <tr>
                    <th scope="col">{ text.get("fields.field") }</th>
                    <th scope="col" class="right">{ text.get("fields.at") }</th>
                    <th scope="col" class="right">{ text.get("fields.bytes") }</th>
                    <th scope="col" class="right">{ text.get("fields.value") }</th>
                    if simulated {
                        <th scope="col">{ text.get("fields.written-by") }</th>
                    }
                </tr>
            </thead>
            <tbody>
                { for props.fields.iter().map(|field| {
                    let here = props.byte.is_some_and(|at| (field.start..field.start + field.len).contains(&at));
                    let name = name_of(&field.field);
                    let place = Place::Disk { file: Some(props.file.clone()), at: Some(field.start) };
                    html! {
                        <tr
                            key={name.clone()}
                            class={classes!(here.then_some("is-here"))}
                            title={text.get(&format!("field.{name}"))}
                            data-testid={format!("field:{name}")}
                        >
                            <th scope="row"><i class={classes!("tint", tint(field.field))} />{ name }</th>
                            <td class="right"><Num value={context.position(field.start)} to={place} /></td>
                            <td class="right num">{ field.len }</td>
                            <td class="right value">{ value(field) }</td>
                            if simulated {
                                <td><WrittenBy file={props.file.clone()} at={field.start} /></td>
                            }
                        </tr>
                    }
                }) }
            </tbody>
        </table>
    }
}

/// A field's value, which leads on where it is a place in the log.
fn value(field: &FieldPicture) -> Html {
    let to = match field.field {
        Field::PhysicalOffset
        | Field::CommitLogOffset
        | Field::PhyOffset
        | Field::BeginPhyOffset
        | Field::EndPhyOffset => field.value.parse().ok().map(|at| Place::Record { at }),
        _ => None,
    };
    num(visible(&field.value), to)
}

/// A value with its control characters, such as those between properties, written as `^A`.
fn visible(value: &str) -> String {
    value.chars().fold(String::with_capacity(value.len()), |mut out, c| {
        match c {
            '\u{0}'..='\u{1f}' => out.extend(['^', (c as u8 + b'@') as char]),
            c => out.push(c),
        }
        out
    })
}
