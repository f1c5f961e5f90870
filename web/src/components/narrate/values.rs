//! The values in the sentences.

use serde_json::Value;
use yew::{Html, html};

use super::Parts;
use crate::components::store::{Num, format, num};
use crate::i18n::Text;
use crate::route::Place;

/// Parts that hold somebody's name, which is never a word of the catalogue.
const NAMES: [&str; 11] = ["topic", "from", "to", "peer", "node", "a", "b", "broker", "service", "group", "path"];

/// Parts that are written as the format's documents write them.
const HEXADECIMAL: [&str; 3] = ["magic", "stored", "computed"];

/// A value as page.
pub(super) fn html(parts: &Parts, name: &str, value: &Value, text: &Text) -> Html {
    match value {
        Value::Number(_) => number(parts, name, value),
        Value::String(_) if matches!(name, "topic" | "from" | "to" | "peer" | "group") => {
            html! { <b>{ words(value) }</b> }
        }
        Value::String(file) if name == "file" => {
            let to = Place::Disk { file: Some(file.clone()), at: None };
            html! { <Num value={short(file)} to={to} title={file.clone()} /> }
        }
        Value::String(_) if NAMES.contains(&name) => html! { <code>{ words(value) }</code> },
        Value::String(word) if text.has(&format!("value.{word}")) => Html::from(text.get(&format!("value.{word}"))),
        Value::Bool(yes) => Html::from(text.get(if *yes { "value.yes" } else { "value.no" })),
        Value::String(_) => html! { <code>{ words(value) }</code> },
        Value::Array(items) if items.iter().all(Value::is_object) => {
            let last = items.len().saturating_sub(1);
            items
                .iter()
                .enumerate()
                .map(|(at, item)| html! { <>{ record(item) }{ if at < last { ", " } else { "" } }</> })
                .collect()
        }
        value => Html::from(plain(name, value, text)),
    }
}

/// A number, which leads to what it speaks of.
fn number(parts: &Parts, name: &str, value: &Value) -> Html {
    let string = |name: &str| parts.get(name).and_then(Value::as_str);
    let integer = |name: &str| parts.get(name).and_then(Value::as_i64);
    let Some(at) = value.as_i64() else { return num(words(value), None) };
    let queue = || string("topic").zip(integer("queueId")).map(|(topic, id)| (topic.to_owned(), id as i32));
    let to = match name {
        "physicalOffset" => Some(Place::Record { at }),
        // Of what is counted, these are physical offsets of records.
        "first" | "last" if integer("count").or(integer("records")).is_some() => Some(Place::Record { at }),
        "queueOffset" => queue().map(|queue| Place::Queues { queue: Some(queue), unit: Some(at) }),
        "from" | "until" => queue().map(|queue| Place::Queues { queue: Some(queue), unit: Some(at) }),
        "position" => string("file")
            .zip(u64::try_from(at).ok())
            .map(|(file, at)| Place::Disk { file: Some(file.to_owned()), at: Some(at) }),
        _ => None,
    };
    if HEXADECIMAL.contains(&name) {
        return num(format!("0x{:08X}", at as i32), to);
    }
    let title = (is_time(name) && at > 0).then(|| format::time(at));
    html! { <Num value={at.to_string()} {to} {title} /> }
}

fn is_time(name: &str) -> bool {
    name.ends_with("Timestamp") || name == "limit"
}

/// A record by its queue and queue offset, which leads to its bytes.
fn record(item: &Value) -> Html {
    let field = |name: &str| item.get(name);
    let words = |name: &str| field(name).map(self::words).unwrap_or_default();
    let name = format!("{}/{} @{}", words("topic"), words("queueId"), words("queueOffset"));
    let to = field("physicalOffset").and_then(Value::as_i64).map(|at| Place::Record { at });
    html! { <Num value={name} {to} /> }
}

/// The last names of a path: what tells the file.
fn short(path: &str) -> String {
    let told = if path.starts_with("consumequeue") { 3 } else { 2 };
    let mut names: Vec<&str> = path.rsplit('/').take(told).collect();
    names.reverse();
    names.join("/")
}

/// A value as text. Names stay as they are; the engine's own words have the catalogue's in their place, and values of
/// several parts a sentence of their own.
pub(super) fn plain(name: &str, value: &Value, text: &Text) -> String {
    match value {
        Value::String(word) if !NAMES.contains(&name) && text.has(&format!("value.{word}")) => {
            text.get(&format!("value.{word}"))
        }
        Value::Bool(yes) => text.get(if *yes { "value.yes" } else { "value.no" }),
        Value::Object(_) => match Parts::of(value).filter(|parts| text.has(&format!("cause.{}", parts.kind()))) {
            Some(parts) => parts.plain("cause", text),
            None => words(value),
        },
        Value::Number(_) if HEXADECIMAL.contains(&name) => {
            format!("0x{:08X}", value.as_i64().unwrap_or_default() as i32)
        }
        value => words(value),
    }
}

/// A value in the engine's own words.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::String(words) => words.clone(),
        Value::Null => "–".to_owned(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::Object(parts) => match (parts.get("kind"), parts.get("topic"), parts.get("queueId")) {
            (Some(kind), ..) => words(kind),
            (None, Some(topic), Some(queue)) => format!("{}/{}", words(topic), words(queue)),
            _ => value.to_string(),
        },
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
