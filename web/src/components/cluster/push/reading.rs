//! From the words of a form to what a push consumer is, or to what stands in the way.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::de::DeserializeOwned;

/// A field of a push consumer and the catalogue's words for what is wrong with it, below `cluster.problem`.
pub type Wrong = (String, &'static str);

/// The value of a serialised word.
pub fn word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}

/// A value as it would be typed; nothing where there is none.
pub fn text<T: ToString>(value: Option<&T>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

/// The words without space around them; `None` where there are none.
pub fn some(words: &str) -> Option<String> {
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

/// Reads fields and remembers those that cannot be used.
#[derive(Default)]
pub struct Reading {
    /// They, in the order in which they were read.
    pub wrong: Vec<Wrong>,
}

impl Reading {
    /// Words that must not be missing; `why` says what is missing.
    pub fn needed(&mut self, field: &str, words: &str, why: &'static str) -> String {
        some(words).unwrap_or_else(|| {
            self.wrong.push((field.to_owned(), why));
            String::new()
        })
    }

    /// A number that must not be missing.
    pub fn number<N: FromStr>(&mut self, field: &str, words: &str) -> Option<N> {
        let number = words.trim().parse().ok();
        if number.is_none() {
            self.wrong.push((field.to_owned(), "number"));
        }
        number
    }

    /// A number, where there is one.
    pub fn some_number<N: FromStr>(&mut self, field: &str, words: &str) -> Option<N> {
        some(words).and_then(|words| self.number(field, &words))
    }

    /// Lines `name=value`.
    pub fn pairs(&mut self, field: &str, words: &str) -> BTreeMap<String, String> {
        let lines = words.lines().filter(|line| !line.trim().is_empty());
        let pairs: Option<_> = lines
            .map(|line| line.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())))
            .collect();
        pairs.unwrap_or_else(|| {
            self.wrong.push((field.to_owned(), "pairs"));
            BTreeMap::new()
        })
    }
}
