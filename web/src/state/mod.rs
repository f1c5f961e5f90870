//! What the page remembers: where the reader is, and how they like it.

mod embed;
pub mod progress;
pub mod sandbox;
mod settings;
pub mod storage;

use std::rc::Rc;

use yew::Reducible;

pub use embed::Embed;
pub use settings::{Settings, Theme};

use crate::i18n::Lang;
use crate::route::Route;

/// The state of the shell.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Language, theme and the like, kept between visits.
    pub settings: Settings,
    /// Screen and place.
    pub route: Route,
    /// Whether the help is open.
    pub help: bool,
    /// How it is embedded in another page; absent: it is not.
    pub embed: Option<Embed>,
}

/// What can happen to the shell.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The address changed.
    Arrive(Route),
    /// Another language.
    Speak(Lang),
    /// Another theme.
    Dress(Theme),
    /// Whether positions are written in hexadecimal.
    Hexadecimal(bool),
    /// Open or close the help.
    Help(bool),
}

impl State {
    /// The state at the start of a visit.
    pub fn load() -> Self {
        let hash = gloo::utils::window().location().hash().unwrap_or_default();
        let search = gloo::utils::window().location().search().unwrap_or_default();
        let embed = Embed::parse(&search);
        let settings = embed.map_or_else(Settings::load, |embed| embed.settings(Settings::load()));
        Self { settings, route: Route::parse(&hash), help: false, embed }
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            Action::Arrive(route) => next.route = route,
            Action::Speak(lang) => next.settings.lang = lang,
            Action::Dress(theme) => next.settings.theme = theme,
            Action::Hexadecimal(yes) => next.settings.hexadecimal = yes,
            Action::Help(open) => next.help = open,
        }
        next.into()
    }
}
