//! The catalogue: keys, and words with slots.

use std::collections::BTreeMap;
use std::fmt;

/// A piece of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// As it stands.
    Plain(String),
    /// `{name}`: filled in by whoever asks.
    Slot(String),
    /// `` `name` ``: names of the machine, in the fixed-width face.
    Code(String),
    /// `**words**`: with weight.
    Strong(String),
}

/// The words of one language by key. Keys are the paths of the TOML file, joined with dots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    entries: BTreeMap<String, Vec<Part>>,
}

/// Why a text is no catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatalogueError {
    /// It is not TOML; the parser's words name the line.
    NotToml(String),
    /// The value of this key is neither text nor a table.
    NotText(String),
    /// The words of this key open a slot, code or strong part and do not close it.
    Unclosed(String),
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotToml(cause) => write!(f, "not TOML: {cause}"),
            Self::NotText(key) => write!(f, "{key}: neither text nor a table"),
            Self::Unclosed(key) => write!(f, "{key}: a slot, code or strong part is not closed"),
        }
    }
}

impl std::error::Error for CatalogueError {}

impl Catalogue {
    /// Reads a catalogue from texts of TOML, which add keys to one another's tables.
    pub fn parse(texts: &[&str]) -> Result<Self, CatalogueError> {
        let mut entries = BTreeMap::new();
        for text in texts {
            let table: toml::Table =
                text.parse().map_err(|e: toml::de::Error| CatalogueError::NotToml(e.to_string()))?;
            flatten("", &table, &mut entries)?;
        }
        Ok(Self { entries })
    }

    /// The words for `key`.
    pub fn find(&self, key: &str) -> Option<&[Part]> {
        self.entries.get(key).map(Vec::as_slice)
    }

    /// The last parts of the keys that consist of this table and one part more. Variants of a key, as in `key-one`, are
    /// left out.
    pub fn under<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a str> {
        let keys = self.entries.keys().filter_map(move |key| key.strip_prefix(table)?.strip_prefix('.'));
        keys.filter(|key| !key.contains(['.', '-']))
    }

    /// Every key with its words, by key.
    #[cfg(test)]
    pub fn entries(&self) -> impl Iterator<Item = (&str, &[Part])> {
        self.entries.iter().map(|(key, parts)| (key.as_str(), parts.as_slice()))
    }
}

fn flatten(path: &str, table: &toml::Table, entries: &mut BTreeMap<String, Vec<Part>>) -> Result<(), CatalogueError> {
    for (name, value) in table {
        let key = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match value {
            toml::Value::Table(inner) => flatten(&key, inner, entries)?,
            toml::Value::String(words) => {
                let parts = split(words).ok_or_else(|| CatalogueError::Unclosed(key.clone()))?;
                entries.insert(key, parts);
            }
            _ => return Err(CatalogueError::NotText(key)),
        }
    }
    Ok(())
}

/// Splits words into parts; `None` if a part is not closed.
fn split(words: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = words;
    while let Some(at) = rest.find(['{', '`']).into_iter().chain(rest.find("**")).min() {
        if at > 0 {
            parts.push(Part::Plain(rest[..at].to_owned()));
        }
        let (open, close, part): (usize, &str, fn(String) -> Part) = match rest.as_bytes().get(at) {
            Some(b'{') => (1, "}", Part::Slot),
            Some(b'`') => (1, "`", Part::Code),
            _ => (2, "**", Part::Strong),
        };
        let inner = &rest[at + open..];
        let end = inner.find(close)?;
        parts.push(part(inner[..end].to_owned()));
        rest = &inner[end + close.len()..];
    }
    if !rest.is_empty() {
        parts.push(Part::Plain(rest.to_owned()));
    }
    Some(parts)
}
