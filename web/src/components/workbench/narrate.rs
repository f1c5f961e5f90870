//! Sentences for what happened: each kind of step has its own in the catalogue, filled in with the step's own values.

use std::fmt::Display;

use rocketscope_engine::sim::{ActionError, EventKind, TraceEvent};
use serde::Serialize;
use serde_json::Value;
use yew::{Html, Properties, component, html};

use crate::components::store::num;
use crate::i18n::{Text, use_text};
use crate::route::Place;

/// Kinds of steps that say what an event was about, the more telling first. Others are details.
const TELLING: [&str; 45] = [
    "unitWritten",
    "unitSkipped",
    "unitNotWanted",
    "appended",
    "getAnswered",
    "flushed",
    "sendEnded",
    "pullEnded",
    "callEnded",
    "reputRead",
    "reputRolled",
    "reputSkipped",
    "reputPositionSet",
    "putRefused",
    "refused",
    "replicaAppended",
    "haTransferred",
    "haMismatch",
    "haSlaveAhead",
    "haExpired",
    "replicaWaitEnded",
    "haRequested",
    "haAcknowledged",
    "haReported",
    "haAccepted",
    "haConnected",
    "haConnectFailed",
    "haHeartbeat",
    "haHeartbeatRead",
    "slaveSynced",
    "pullHeld",
    "pullWoken",
    "offsetCommitted",
    "routeFound",
    "routeMissing",
    "routeApplied",
    "brokerRegistered",
    "checkpointWritten",
    "configWritten",
    "topicCreated",
    "requestTimedOut",
    "requestFailed",
    "paused",
    "resumed",
    "linkSet",
];

/// Parts that hold somebody's name, which is never a word of the catalogue.
const NAMES: [&str; 9] = ["topic", "from", "to", "peer", "node", "a", "b", "broker", "service"];

/// A value of the engine as its kind and its parts.
struct Parts {
    kind: String,
    parts: Vec<(String, Value)>,
}

impl Parts {
    /// Takes a value apart: `{"kind": …, …}`, perhaps inside an object with one member.
    fn of(value: &impl Serialize) -> Option<Self> {
        let mut value = serde_json::to_value(value).ok()?;
        loop {
            match value {
                Value::Object(mut parts) => {
                    if let Some(Value::String(kind)) = parts.remove("kind") {
                        return Some(Self { kind, parts: parts.into_iter().collect() });
                    }
                    value = parts.into_iter().next()?.1;
                }
                Value::String(kind) => return Some(Self { kind, parts: Vec::new() }),
                _ => return None,
            }
        }
    }

    /// The sentence as page: places in the log and in queues lead there.
    fn html(&self, prefix: &str, text: &Text) -> Html {
        let key = format!("{prefix}.{}", self.kind);
        if !text.has(&key) {
            return html! { <code>{ self.kind.clone() }</code> };
        }
        let slots: Vec<(&str, Html)> =
            self.parts.iter().map(|(name, value)| (name.as_str(), self.slot(name, value, text))).collect();
        text.rich(&key, &slots)
    }

    /// The sentence as text.
    fn plain(&self, prefix: &str, text: &Text) -> String {
        let key = format!("{prefix}.{}", self.kind);
        if !text.has(&key) {
            return self.kind.clone();
        }
        let words: Vec<(&str, String)> =
            self.parts.iter().map(|(name, value)| (name.as_str(), self::plain(name, value, text))).collect();
        let slots: Vec<(&str, &dyn Display)> =
            words.iter().map(|(name, words)| (*name, words as &dyn Display)).collect();
        text.fill(&key, &slots)
    }

    fn slot(&self, name: &str, value: &Value, text: &Text) -> Html {
        let string =
            |name: &str| self.parts.iter().find(|(part, _)| part == name).and_then(|(_, value)| value.as_str());
        let number =
            |name: &str| self.parts.iter().find(|(part, _)| part == name).and_then(|(_, value)| value.as_i64());
        let to = match (name, value.as_i64()) {
            ("physicalOffset", Some(at)) => Some(Place::Record { at }),
            ("queueOffset", Some(unit)) => string("topic")
                .zip(number("queueId"))
                .map(|(topic, id)| Place::Queues { queue: Some((topic.to_owned(), id as i32)), unit: Some(unit) }),
            ("position", Some(at)) => string("file")
                .zip(u64::try_from(at).ok())
                .map(|(file, at)| Place::Disk { file: Some(file.to_owned()), at: Some(at) }),
            _ => None,
        };
        match value {
            Value::Number(_) => num(words(value), to),
            Value::String(_) if matches!(name, "topic" | "from" | "to" | "peer") => html! { <b>{ words(value) }</b> },
            Value::String(_) if NAMES.contains(&name) => html! { <code>{ words(value) }</code> },
            Value::String(word) if text.has(&format!("value.{word}")) => Html::from(text.get(&format!("value.{word}"))),
            Value::Bool(yes) => Html::from(text.get(if *yes { "value.yes" } else { "value.no" })),
            Value::String(_) => html! { <code>{ words(value) }</code> },
            _ => Html::from(words(value)),
        }
    }
}

/// A value as text. Names stay as they are; the engine's own words have the catalogue's in their place.
fn plain(name: &str, value: &Value, text: &Text) -> String {
    match value {
        Value::String(word) if !NAMES.contains(&name) && text.has(&format!("value.{word}")) => {
            text.get(&format!("value.{word}"))
        }
        Value::Bool(yes) => text.get(if *yes { "value.yes" } else { "value.no" }),
        value => words(value),
    }
}

/// Why an action was refused, in a sentence; `None` where the catalogue has none for it.
pub fn refusal(refused: &ActionError, text: &Text) -> Option<String> {
    let parts = Parts::of(refused)?;
    text.has(&format!("refused.{}", parts.kind)).then(|| parts.plain("refused", text))
}

fn words(value: &Value) -> String {
    match value {
        Value::String(words) => words.clone(),
        Value::Null => "–".to_owned(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::Object(parts) => parts.get("kind").map_or_else(|| value.to_string(), words),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// One step in a sentence.
pub fn step(step: &impl Serialize, text: &Text) -> Html {
    Parts::of(step).map(|parts| parts.html("step", text)).unwrap_or_default()
}

/// What set an event off, in a sentence.
pub fn cause(what: &EventKind, text: &Text) -> Html {
    match what {
        EventKind::Action { action } => Parts::of(action).map(|parts| parts.html("action", text)).unwrap_or_default(),
        what => Parts::of(what).map(|parts| parts.html("event", text)).unwrap_or_default(),
    }
}

/// The same as a line of text.
pub fn cause_line(what: &EventKind, text: &Text) -> String {
    let parts = match what {
        EventKind::Action { action } => Parts::of(action).map(|parts| parts.plain("action", text)),
        what => Parts::of(what).map(|parts| parts.plain("event", text)),
    };
    parts.unwrap_or_default()
}

/// The steps that say what an event was about: the most telling one, after the one that it follows from.
fn telling(event: &TraceEvent) -> Vec<Parts> {
    let rank = |parts: &Parts| TELLING.iter().position(|kind| *kind == parts.kind);
    let parts: Vec<Parts> = event.steps.iter().filter_map(|step| Parts::of(&step.what)).collect();
    let Some(best) = parts.iter().filter_map(&rank).min() else { return Vec::new() };
    let read_first = matches!(TELLING.get(best), Some(&("unitWritten" | "unitSkipped" | "unitNotWanted")));
    let mut seen = Vec::new();
    parts
        .into_iter()
        .filter(|parts| {
            let wanted = rank(parts) == Some(best) || read_first && parts.kind == "reputRead";
            // One of a kind is enough: a batch appends once, a flush of twenty queues need not be told twenty times.
            wanted && !seen.contains(&parts.kind) && {
                seen.push(parts.kind.clone());
                true
            }
        })
        .collect()
}

/// Properties of [`Saying`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The event; nothing at the start.
    pub event: Option<TraceEvent>,
}

/// What just happened.
#[component]
pub fn Saying(props: &Props) -> Html {
    let text = use_text();
    let said = match &props.event {
        None => Html::from(text.get("saying.start")),
        Some(event) => {
            let told = telling(event);
            let sentences: Html = if told.is_empty() {
                cause(&event.what, &text)
            } else {
                told.iter().map(|parts| html! { <>{ parts.html("step", &text) }{ " " }</> }).collect()
            };
            html! { <><span class="saying-who">{ format!("{} · {}", event.node, event.service) }</span>{ sentences }</> }
        }
    };
    html! { <p class="saying" aria-live="polite" data-testid="saying">{ said }</p> }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use rocketscope_engine::sim::ActionError;

    use super::{Parts, TELLING, refusal};
    use crate::i18n::{Lang, Text};

    #[test]
    fn a_step_is_found_inside_its_wrapping() {
        let parts = Parts::of(&json!({"store": {"kind": "appended", "physicalOffset": 1200}})).unwrap();
        assert_eq!(parts.kind, "appended");
        assert_eq!(parts.parts, [("physicalOffset".to_owned(), json!(1200))]);
        assert_eq!(Parts::of(&json!("turn")).unwrap().kind, "turn");
        assert!(Parts::of(&json!(3)).is_none());
    }

    #[test]
    fn every_telling_step_has_words() {
        let text = Text::new(Lang::En);
        let without: Vec<_> = TELLING.iter().filter(|kind| !text.has(&format!("step.{kind}"))).collect();
        assert!(without.is_empty(), "{without:?}");
    }

    /// One of each kind, each part with words of its own.
    fn refusals() -> Vec<ActionError> {
        let name = |name: &str| format!("<{name}>");
        vec![
            ActionError::NoSuchNode { node: name("node") },
            ActionError::WrongNode { node: name("node"), wanted: name("wanted") },
            ActionError::NoSuchService { node: name("node"), service: name("service") },
            ActionError::AlreadyPaused { what: name("what") },
            ActionError::NotPaused { what: name("what") },
            ActionError::Paused { what: name("what") },
            ActionError::LinkAlready { a: name("a"), b: name("b"), state: name("state") },
            ActionError::RecordSize { record_size: 17, least: 178, most: 4096 },
            ActionError::NotRunning { node: name("node") },
            ActionError::OutsideLog { offset: 17, min: 1000, max: 1650 },
            ActionError::BadValue { field: name("field"), cause: name("cause") },
        ]
    }

    #[test]
    fn every_refusal_has_a_sentence_with_all_its_parts_in_every_language() {
        for lang in Lang::ALL {
            let text = Text::new(lang);
            for refused in refusals() {
                let said = refusal(&refused, &text).unwrap_or_else(|| panic!("{refused:?} has no words"));
                assert!(!said.contains('{'), "{said}");
                for (part, value) in Parts::of(&refused).unwrap().parts {
                    assert!(said.contains(&super::words(&value)), "{said:?} says nothing of {part}");
                }
            }
        }
    }

    #[test]
    fn the_words_of_a_refusal_are_the_readers_and_names_stay() {
        let refused = ActionError::WrongNode { node: "cut".to_owned(), wanted: "broker".to_owned() };
        let said = refusal(&refused, &Text::new(Lang::Zh)).unwrap();
        assert_eq!(said, "cut 不是 Broker。");
    }
}
