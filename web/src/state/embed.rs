//! The page inside another: `?embed=1` before the `#` of its address.
//!
//! `lang=en|zh` and `theme=auto|light|dark` beside it say how it looks there; without them it looks as it does alone.

use super::{Settings, Theme};
use crate::i18n::Lang;

/// How the page is embedded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Embed {
    /// The language that the page around it wants.
    pub lang: Option<Lang>,
    /// The theme that it wants.
    pub theme: Option<Theme>,
}

impl Embed {
    /// Reads the part of an address from `?` on; `None`: the page is not embedded. What it does not know it leaves out.
    pub fn parse(search: &str) -> Option<Self> {
        let pairs = || search.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('='));
        let value = |name: &str| pairs().find(|(key, _)| *key == name).map(|(_, value)| value);
        value("embed").filter(|value| *value == "1")?;
        let theme = |name: &str| Theme::ALL.into_iter().find(|theme| theme.name() == name);
        Some(Self { lang: value("lang").and_then(Lang::from_tag), theme: value("theme").and_then(theme) })
    }

    /// The reader's choices with those of the page around it.
    #[must_use]
    pub fn settings(self, settings: Settings) -> Settings {
        Settings { lang: self.lang.unwrap_or(settings.lang), theme: self.theme.unwrap_or(settings.theme), ..settings }
    }
}

#[cfg(test)]
mod tests {
    use super::{Embed, Lang, Settings, Theme};

    #[test]
    fn only_embed_1_embeds() {
        assert_eq!(Embed::parse(""), None);
        assert_eq!(Embed::parse("?lang=zh&theme=dark"), None);
        assert_eq!(Embed::parse("?embed=0"), None);
        assert_eq!(Embed::parse("?embed=1"), Some(Embed::default()));
        let both = Embed { lang: Some(Lang::Zh), theme: Some(Theme::Dark) };
        assert_eq!(Embed::parse("?lang=zh-CN&embed=1&theme=dark"), Some(both));
        assert_eq!(Embed::parse("?embed=1&lang=tlh&theme=sepia"), Some(Embed::default()));
    }

    #[test]
    fn what_the_page_around_leaves_open_is_the_readers() {
        let own = Settings { lang: Lang::Zh, theme: Theme::Light, hexadecimal: true };
        assert_eq!(Embed::default().settings(own), own);
        let dark = Embed { lang: Some(Lang::En), theme: Some(Theme::Dark) };
        assert_eq!(dark.settings(own), Settings { lang: Lang::En, theme: Theme::Dark, hexadecimal: true });
    }
}
