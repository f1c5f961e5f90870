//! The header: where to go, and how the page looks and speaks.

use std::rc::Rc;

use rocketscope_engine::backlog::Plan;
use yew::{Callback, Html, Properties, classes, component, html};

use super::lessons::LessonsMenu;
use super::share::Share;
use super::{Glyph, Icon};
use crate::i18n::{Lang, use_text};
use crate::route::{Route, Screen};
use crate::state::{Settings, Theme};

/// Properties of [`Header`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The screen shown.
    pub screen: Screen,
    /// The reader's choices.
    pub settings: Settings,
    /// Another language is wanted.
    pub on_lang: Callback<Lang>,
    /// Another theme is wanted.
    pub on_theme: Callback<Theme>,
    /// The help is wanted.
    pub on_help: Callback<()>,
    /// A run is to be opened: the text of its link.
    pub on_open: Callback<Rc<str>>,
}

/// The header.
#[component]
pub fn Header(props: &Props) -> Html {
    let text = use_text();
    let tab = |screen: Screen, key: &str, id: &'static str| {
        let here = std::mem::discriminant(&props.screen) == std::mem::discriminant(&screen);
        html! {
            <a
                class={classes!("nav-link", here.then_some("is-here"))}
                href={Route::screen(screen).to_string()}
                aria-current={here.then_some("page")}
                data-testid={id}
            >
                { text.get(key) }
            </a>
        }
    };
    let glyph = match props.settings.theme {
        Theme::Auto => Glyph::Auto,
        Theme::Light => Glyph::Light,
        Theme::Dark => Glyph::Dark,
    };
    let theme_now = text.get(&format!("theme.{}", props.settings.theme.name()));
    let theme_name = text.fill("header.theme", &[("now", &theme_now)]);
    let other = props.settings.lang.other();
    let next = props.settings.theme.next();
    html! {
        <header class="header">
            <a class="brand" href="#/lesson/01" aria-label={text.get("header.home")}>
                <Mark />
                <span>{ "Rocket" }<b>{ "Scope" }</b></span>
            </a>
            <span class="pill">{ "RocketMQ 4.9.8" }</span>
            <nav class="nav" aria-label={text.get("header.nav")}>
                <LessonsMenu screen={props.screen.clone()} />
                { tab(Screen::Sandbox, "header.sandbox", "nav-sandbox") }
                { tab(Screen::Explorer, "header.explorer", "nav-explorer") }
                { tab(Screen::backlog(Plan::default()), "header.backlog", "nav-backlog") }
                { tab(Screen::Matrix { world: false }, "header.matrix", "nav-matrix") }
            </nav>
            <div class="header-end">
                <button
                    type="button"
                    class="button quiet"
                    lang={if other == Lang::Zh { "zh-CN" } else { "en" }}
                    onclick={props.on_lang.reform(move |_| other)}
                    data-testid="lang"
                >
                    { if other == Lang::Zh { "中文" } else { "English" } }
                </button>
                <button
                    type="button"
                    class="button quiet icon-only"
                    aria-label={theme_name.clone()}
                    title={theme_name}
                    onclick={props.on_theme.reform(move |_| next)}
                    data-testid="theme"
                >
                    <Icon {glyph} />
                </button>
                <Share screen={props.screen.clone()} on_open={props.on_open.clone()} />
                <button
                    type="button"
                    class="button quiet icon-only"
                    aria-label={text.get("header.help")}
                    title={text.get("header.help")}
                    onclick={props.on_help.reform(|_| ())}
                    data-testid="help"
                >
                    <Icon glyph={Glyph::Help} />
                </button>
            </div>
        </header>
    }
}

/// The mark: a log under a lens.
#[component]
fn Mark() -> Html {
    html! {
        <svg class="brand-mark" viewBox="0 0 28 24" aria-hidden="true" focusable="false">
            <path d="M2 8.5h9.5v7H2zM1 8.5" class="brand-log" />
            <path d="M5.2 8.5v7M8.4 8.5v7" class="brand-cut" />
            <circle cx="16.5" cy="12" r="6.5" class="brand-lens" />
            <path d="M14 9.5v5M17 9.5v5M20 9.8v4.4" class="brand-cut" />
            <path d="M21.3 16.8l4.4 4.4" class="brand-handle" />
        </svg>
    }
}
