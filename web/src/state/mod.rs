//! What the page remembers: where the reader is, and how they like it.

mod embed;
mod opening;
pub mod progress;
pub mod runs;
pub mod sandbox;
mod settings;
pub mod storage;

use std::rc::Rc;

use yew::Reducible;

pub use embed::Embed;
pub use opening::{Held, Opening, Refused, Way};
pub use settings::{Settings, Theme};

use crate::backend::AskError;
use crate::i18n::Lang;
use crate::route::{Route, Screen, link_in};

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
    /// The run that is being opened.
    pub opening: Option<Opening>,
    /// The run that could not be opened.
    pub refused: Option<Refused>,
    /// The run that was opened last, as long as the reader stays with it.
    pub held: Option<Held>,
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
    /// Open a run: the text of a link.
    Open(Rc<str>, Way),
    /// The run of this number is open, and belongs to this screen.
    Opened(u64, Screen),
    /// The sandbox was begun on the store that is open.
    Begun,
    /// The run of this number cannot be opened.
    Refuse(u64, AskError),
    /// The reader goes on without it.
    GoOn,
}

impl State {
    /// The state at the start of a visit.
    pub fn load() -> Self {
        let hash = gloo::utils::window().location().hash().unwrap_or_default();
        let search = gloo::utils::window().location().search().unwrap_or_default();
        let embed = Embed::parse(&search);
        Self {
            settings: embed.map_or_else(Settings::load, |embed| embed.settings(Settings::load())),
            route: Route::parse(&hash),
            help: false,
            embed,
            opening: link_in(&hash).map(|text| Opening { number: 1, text: text.into(), way: Way::Address }),
            refused: None,
            held: None,
        }
    }

    /// The number of the last run that was to be opened.
    fn last_number(&self) -> u64 {
        let opening = self.opening.as_ref().or(self.refused.as_ref().map(|refused| &refused.opening));
        let held = self.held.as_ref().map(|held| held.number);
        opening.map(|opening| opening.number).max(held).unwrap_or(0)
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            Action::Arrive(route) => {
                if route.screen != next.route.screen {
                    (next.held, next.refused) = (None, None);
                }
                next.route = route;
            }
            Action::Speak(lang) => next.settings.lang = lang,
            Action::Dress(theme) => next.settings.theme = theme,
            Action::Hexadecimal(yes) => next.settings.hexadecimal = yes,
            Action::Help(open) => next.help = open,
            Action::Open(text, way) => {
                let number = self.last_number() + 1;
                next.refused = None;
                next.opening = Some(Opening { number, text, way });
            }
            Action::Opened(number, screen) => {
                let Some(opening) = next.opening.take_if(|opening| opening.number == number) else { return self };
                next.held = Some(Held { number, screen: screen.clone(), way: opening.way });
                next.route.screen = screen;
            }
            Action::Begun => {
                let number = self.last_number() + 1;
                next.held = Some(Held { number, screen: Screen::Sandbox, way: Way::Store });
                next.route = Route::screen(Screen::Sandbox);
            }
            Action::Refuse(number, error) => {
                let Some(opening) = next.opening.take_if(|opening| opening.number == number) else { return self };
                next.refused = Some(Refused { opening, error });
            }
            Action::GoOn => next.refused = None,
        }
        next.into()
    }
}
