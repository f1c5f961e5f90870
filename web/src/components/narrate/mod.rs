//! Sentences for what the engine tells: each kind of step, action, refusal and finding has its own in the catalogue,
//! filled in with the engine's own values.

mod values;

#[cfg(test)]
mod tests;

use std::fmt::Display;

use rocketscope_engine::sim::{Action, ActionError, EventKind};
use rocketscope_engine::view::recovery::{Finding, RecoveryFact};
use serde::Serialize;
use serde_json::Value;
use yew::{Html, html};

use crate::i18n::Text;

/// A value of the engine as its kind and its parts.
pub struct Parts {
    kind: String,
    parts: Vec<(String, Value)>,
}

impl Parts {
    /// Takes a value apart: `{"kind": …, …}`, perhaps inside an object with one member.
    pub fn of(value: &impl Serialize) -> Option<Self> {
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

    /// The kind, by its serialised name.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// A part beside those of the value, for words that need it.
    #[must_use]
    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.parts.push((name.to_owned(), value.into()));
        self
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.parts.iter().find(|(part, _)| part == name).map(|(_, value)| value)
    }

    /// Where the catalogue has the words: those for one of what is counted, where there are some.
    fn key(&self, prefix: &str, text: &Text) -> String {
        let key = format!("{prefix}.{}", self.kind);
        let counted = ["count", "records", "units", "files"].iter().find_map(|name| self.get(name)?.as_i64());
        let one = format!("{key}-one");
        if counted == Some(1) && text.has(&one) { one } else { key }
    }

    /// The sentence as page: places in the log, in queues and in files lead there.
    pub fn html(&self, prefix: &str, text: &Text) -> Html {
        let key = self.key(prefix, text);
        if !text.has(&key) {
            return html! { <code>{ self.kind.clone() }</code> };
        }
        let slots: Vec<(&str, Html)> =
            self.parts.iter().map(|(name, value)| (name.as_str(), values::html(self, name, value, text))).collect();
        text.rich(&key, &slots)
    }

    /// The sentence as text.
    pub fn plain(&self, prefix: &str, text: &Text) -> String {
        let key = self.key(prefix, text);
        if !text.has(&key) {
            return self.kind.clone();
        }
        let words: Vec<(&str, String)> =
            self.parts.iter().map(|(name, value)| (name.as_str(), values::plain(name, value, text))).collect();
        let slots: Vec<(&str, &dyn Display)> =
            words.iter().map(|(name, words)| (*name, words as &dyn Display)).collect();
        text.fill(&key, &slots)
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

/// An action as a line of text.
pub fn action_line(action: &Action, text: &Text) -> String {
    Parts::of(action).map(|parts| parts.plain("action", text)).unwrap_or_default()
}

/// What set an event off, as a line of text.
pub fn cause_line(what: &EventKind, text: &Text) -> String {
    match what {
        EventKind::Action { action } => action_line(action, text),
        what => Parts::of(what).map(|parts| parts.plain("event", text)).unwrap_or_default(),
    }
}

/// Why an action was refused, in a sentence; `None` where the catalogue has none for it.
pub fn refusal(refused: &ActionError, text: &Text) -> Option<String> {
    let parts = Parts::of(refused)?;
    text.has(&format!("refused.{}", parts.kind)).then(|| parts.plain("refused", text))
}

/// One item of a recovery, in a sentence.
pub fn fact(fact: &RecoveryFact, text: &Text) -> Html {
    match fact {
        RecoveryFact::Step { step } => self::step(step, text),
        fact => told(fact).map(|parts| parts.html("fact", text)).unwrap_or_default(),
    }
}

/// What a recovery means, in a sentence.
pub fn finding(finding: &Finding, text: &Text) -> Html {
    finding_parts(finding).map(|parts| parts.html("finding", text)).unwrap_or_default()
}

/// The parts of a finding, its kind told apart where the sentence is another one.
fn finding_parts(finding: &Finding) -> Option<Parts> {
    let mut parts = told(finding)?;
    let other = match finding {
        Finding::Kept { records: None, .. } => "-uncounted",
        Finding::IndexDropped { lost_before: None, .. } => "-whole",
        _ => "",
    };
    parts.kind.push_str(other);
    Some(parts)
}

/// The parts, with the last queue offset of a range beside its end.
fn told(value: &impl Serialize) -> Option<Parts> {
    let parts = Parts::of(value)?;
    let until = parts.get("to").and_then(Value::as_i64).map(|to| to.saturating_sub(1));
    Some(match until {
        Some(until) => parts.with("until", until),
        None => parts,
    })
}
