//! All words of the page come from catalogues, one file per language, chosen by key.

mod catalogue;
mod rich;

use std::fmt::Display;
use std::rc::Rc;

pub use catalogue::{Catalogue, CatalogueError};
use yew::{Html, hook, use_context};

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// The tag for `lang` attributes and for storage.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// The language of a tag such as `zh-CN`; `None` for a language that the page does not speak.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next()?;
        Self::ALL.into_iter().find(|lang| lang.tag().eq_ignore_ascii_case(primary))
    }

    /// The other language.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::En => Self::Zh,
            Self::Zh => Self::En,
        }
    }

    /// The texts of its catalogue: one file for the page at large, one for each part with much to say.
    pub fn sources(self) -> &'static [&'static str] {
        match self {
            Self::En => &[
                include_str!("../../text/en.toml"),
                include_str!("../../text/backlog.en.toml"),
                include_str!("../../text/business.en.toml"),
                include_str!("../../text/cluster.en.toml"),
                include_str!("../../text/compare.en.toml"),
                include_str!("../../text/consumer-group.en.toml"),
                include_str!("../../text/consumer.en.toml"),
                include_str!("../../text/database.en.toml"),
                include_str!("../../text/delay.en.toml"),
                include_str!("../../text/embed.en.toml"),
                include_str!("../../text/faults.en.toml"),
                include_str!("../../text/group.en.toml"),
                include_str!("../../text/matrix.en.toml"),
                include_str!("../../text/ledger.en.toml"),
                include_str!("../../text/names.en.toml"),
                include_str!("../../text/past.en.toml"),
                include_str!("../../text/producer.en.toml"),
                include_str!("../../text/push.en.toml"),
                include_str!("../../text/recovery.en.toml"),
                include_str!("../../text/sandbox.en.toml"),
                include_str!("../../text/send.en.toml"),
                include_str!("../../text/share.en.toml"),
                include_str!("../../text/transaction.en.toml"),
                include_str!("../../text/world.en.toml"),
            ],
            Self::Zh => &[
                include_str!("../../text/zh.toml"),
                include_str!("../../text/backlog.zh.toml"),
                include_str!("../../text/business.zh.toml"),
                include_str!("../../text/cluster.zh.toml"),
                include_str!("../../text/compare.zh.toml"),
                include_str!("../../text/consumer-group.zh.toml"),
                include_str!("../../text/consumer.zh.toml"),
                include_str!("../../text/database.zh.toml"),
                include_str!("../../text/delay.zh.toml"),
                include_str!("../../text/embed.zh.toml"),
                include_str!("../../text/faults.zh.toml"),
                include_str!("../../text/group.zh.toml"),
                include_str!("../../text/matrix.zh.toml"),
                include_str!("../../text/ledger.zh.toml"),
                include_str!("../../text/names.zh.toml"),
                include_str!("../../text/past.zh.toml"),
                include_str!("../../text/producer.zh.toml"),
                include_str!("../../text/push.zh.toml"),
                include_str!("../../text/recovery.zh.toml"),
                include_str!("../../text/sandbox.zh.toml"),
                include_str!("../../text/send.zh.toml"),
                include_str!("../../text/share.zh.toml"),
                include_str!("../../text/transaction.zh.toml"),
                include_str!("../../text/world.zh.toml"),
            ],
        }
    }
}

/// The words of one language.
#[derive(Clone)]
pub struct Text {
    lang: Lang,
    catalogue: Rc<Catalogue>,
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.lang == other.lang
    }
}

impl Text {
    /// The catalogue of `lang`. The test of the catalogues parses all of them, so a bad one never reaches a reader.
    pub fn new(lang: Lang) -> Self {
        let catalogue = Catalogue::parse(lang.sources()).unwrap_or_default();
        Self { lang, catalogue: Rc::new(catalogue) }
    }

    /// Which language it is.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// The words for `key`, which has no slots.
    pub fn get(&self, key: &str) -> String {
        self.fill(key, &[])
    }

    /// Whether there are words for `key`.
    pub fn has(&self, key: &str) -> bool {
        self.catalogue.find(key).is_some()
    }

    /// The names of the keys right under a table of the catalogue, in order.
    pub fn under(&self, table: &str) -> Vec<String> {
        self.catalogue.under(table).map(str::to_owned).collect()
    }

    /// The words for `key` with its slots filled in.
    pub fn fill(&self, key: &str, slots: &[(&str, &dyn Display)]) -> String {
        match self.catalogue.find(key) {
            Some(parts) => rich::plain(parts, slots),
            None => missing(key),
        }
    }

    /// The words for so many: those of `key-one` for one of them. The slot is `{count}`.
    pub fn count(&self, key: &str, count: i64) -> String {
        let one = format!("{key}-one");
        let key = if count == 1 && self.has(&one) { &one } else { key };
        self.fill(key, &[("count", &count)])
    }

    /// The words for `key`, with its slots filled with pieces of page and its `` `code` `` and `**strong**` marked up.
    pub fn rich(&self, key: &str, slots: &[(&str, Html)]) -> Html {
        match self.catalogue.find(key) {
            Some(parts) => rich::html(parts, slots),
            None => Html::from(missing(key)),
        }
    }
}

fn missing(key: &str) -> String {
    format!("⟦{key}⟧")
}

/// The name under which a value of the engine is known outside it, and so in the catalogues: its serialised name, or its
/// kind where it has several parts.
pub fn name_of(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(serde_json::Value::Object(parts)) => {
            parts.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned()
        }
        _ => String::new(),
    }
}

/// The words of the language that the reader chose.
#[hook]
pub fn use_text() -> Text {
    use_context::<Text>().unwrap_or_else(|| Text::new(Lang::En))
}

#[cfg(test)]
mod tests;
