//! How the reader likes the page, kept in the browser's storage.

use serde::{Deserialize, Serialize};

use super::storage;
use crate::i18n::Lang;

const KEY: &str = "rocketscope.settings";

/// Light, dark, or as the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// As the system says.
    #[default]
    Auto,
    /// Paper.
    Light,
    /// Night.
    Dark,
}

impl Theme {
    /// Every theme.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// The next one round the circle.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }

    /// Its name, for the document's attribute and the catalogue.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// The reader's choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Language.
    pub lang: Lang,
    /// Theme.
    pub theme: Theme,
    /// Positions in hexadecimal instead of decimal.
    pub hexadecimal: bool,
}

/// The choices as stored: each absent until made.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Stored {
    lang: Option<String>,
    theme: Theme,
    hexadecimal: bool,
}

impl Settings {
    /// The choices of the last visit; without one the browser's language and the system's theme.
    pub fn load() -> Self {
        let stored: Stored = storage::load(KEY).unwrap_or_default();
        let lang = stored.lang.as_deref().and_then(Lang::from_tag).or_else(browser_language).unwrap_or(Lang::En);
        Self { lang, theme: stored.theme, hexadecimal: stored.hexadecimal }
    }

    /// Keeps the choices for the next visit.
    pub fn keep(self) {
        let stored =
            Stored { lang: Some(self.lang.tag().to_owned()), theme: self.theme, hexadecimal: self.hexadecimal };
        storage::save(KEY, stored);
    }

    /// Puts language and theme on the document.
    pub fn apply(self) {
        if let Some(root) = gloo::utils::document().document_element() {
            let lang = if self.lang == Lang::Zh { "zh-CN" } else { "en" };
            let _ = root.set_attribute("lang", lang);
            let _ = root.set_attribute("data-theme", self.theme.name());
        }
    }
}

fn browser_language() -> Option<Lang> {
    let languages = gloo::utils::window().navigator().languages();
    languages.iter().filter_map(|tag| tag.as_string()).find_map(|tag| Lang::from_tag(&tag))
}
