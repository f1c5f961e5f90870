//! The shell: header, the screen of the address, help.

use gloo::events::EventListener;
use rocketscope_engine::view::Query;
use yew::{
    Callback, ContextProvider, Html, UseReducerDispatcher, component, html, use_callback, use_effect_with, use_memo,
    use_reducer_eq, use_state,
};

use crate::backend::{Backend, Opened};
use crate::components::{EmbedBar, Glyph, Header, Help, Icon};
use crate::i18n::Text;
use crate::keys::use_keys;
use crate::route::{Route, Screen};
use crate::screens::{Backlog, Compare, CrashMatrixScreen, Explorer, Workbench, use_crash_matrix};
use crate::state::{Action, State};

/// The whole page.
#[component]
pub fn App() -> Html {
    let state = use_reducer_eq(State::load);
    let backend = use_memo((), |()| Backend::start());
    let text = use_memo(state.settings.lang, |lang| Text::new(*lang));

    use_effect_with((), {
        let dispatcher = state.dispatcher();
        move |()| {
            let listener = EventListener::new(&gloo::utils::window(), "hashchange", move |_| {
                let hash = gloo::utils::window().location().hash().unwrap_or_default();
                dispatcher.dispatch(Action::Arrive(Route::parse(&hash)));
            });
            move || drop(listener)
        }
    });
    use_effect_with((state.settings, state.embed.is_none()), |(settings, keeps)| {
        settings.apply();
        // An embedded page looks as the page around it wants, which says nothing about the next visit.
        if *keeps {
            settings.keep();
        }
    });
    use_effect_with(text.get("page.title"), |title| gloo::utils::document().set_title(title));

    let on_key = use_callback(state.dispatcher(), |key: String, dispatcher| {
        let help = key == "?";
        if help {
            dispatcher.dispatch(Action::Help(true));
        }
        help
    });
    use_keys(on_key);

    let dispatcher = state.dispatcher();
    let on_help = send(&dispatcher, |()| Action::Help(true));
    let on_close = send(&dispatcher, |()| Action::Help(false));
    let opened = use_state(|| None::<(u64, Opened)>);
    let on_opened = {
        let opened = opened.clone();
        Callback::from(move |new: Opened| {
            let revision = opened.as_ref().map_or(1, |(revision, _)| revision + 1);
            opened.set(Some((revision, new)));
        })
    };
    let matrix = use_crash_matrix();
    let opened_world = use_state(|| None::<Query>);
    let on_open = {
        let opened_world = opened_world.setter();
        Callback::from(move |query: Query| {
            opened_world.set(Some(query));
            // Only an address that is none is refused.
            let _ =
                gloo::utils::window().location().set_hash(&Route::screen(Screen::Matrix { world: true }).to_string());
        })
    };
    let screen = match (&state.route.screen, &*opened_world) {
        (Screen::Explorer, _) => html! {
            <Explorer
                route={state.route.clone()}
                hexadecimal={state.settings.hexadecimal}
                on_hexadecimal={send(&dispatcher, Action::Hexadecimal)}
                opened={(*opened).clone()}
                {on_opened}
            />
        },
        (Screen::Backlog { plan, unread }, _) => html! {
            <Backlog plan={(**plan).clone()} unread={unread.clone()} on_plan={send(&dispatcher, |plan| {
                Action::Arrive(Route::screen(Screen::backlog(plan)))
            })} />
        },
        (Screen::Matrix { world: true }, Some(start)) => html! {
            <div class="mx-opened">
                <a class="button tiny mx-back" href={Route::screen(Screen::Matrix { world: false }).to_string()} data-testid="matrix-back">
                    <Icon glyph={Glyph::Previous} />{ text.get("matrix.back") }
                </a>
                <Workbench
                    route={state.route.clone()}
                    hexadecimal={state.settings.hexadecimal}
                    on_hexadecimal={send(&dispatcher, Action::Hexadecimal)}
                    start={Some(start.clone())}
                />
            </div>
        },
        // A world that was opened is gone when the page is loaded anew: the matrix can be played again.
        (Screen::Matrix { .. }, _) => html! { <CrashMatrixScreen {matrix} {on_open} /> },
        (Screen::Compare { preset }, _) => html! { <Compare preset={preset.clone()} /> },
        (Screen::Lesson(_) | Screen::Sandbox, _) => html! {
            <Workbench
                route={state.route.clone()}
                hexadecimal={state.settings.hexadecimal}
                on_hexadecimal={send(&dispatcher, Action::Hexadecimal)}
            />
        },
    };
    html! {
        <ContextProvider<Text> context={(*text).clone()}>
        <ContextProvider<Backend> context={(*backend).clone()}>
            <a class="skip" href="#main" onclick={skip}>{ text.get("page.skip") }</a>
            if state.embed.is_some() {
                <EmbedBar route={state.route.clone()} />
            } else {
                <Header
                    screen={state.route.screen.clone()}
                    settings={state.settings}
                    on_lang={send(&dispatcher, Action::Speak)}
                    on_theme={send(&dispatcher, Action::Dress)}
                    {on_help}
                />
            }
            <main id="main" class="main" tabindex="-1">{ screen }</main>
            <Help open={state.help} {on_close} />
        </ContextProvider<Backend>>
        </ContextProvider<Text>>
    }
}

/// Moves the focus to the main part without touching the address, which is the route.
#[expect(clippy::needless_pass_by_value, reason = "the form of a listener")]
fn skip(event: yew::MouseEvent) {
    event.prevent_default();
    if let Some(main) = gloo::utils::document().get_element_by_id("main") {
        use wasm_bindgen::JsCast;
        if let Ok(main) = main.dyn_into::<web_sys::HtmlElement>() {
            // Focus fails only on an element that is gone.
            let _ = main.focus();
        }
    }
}

/// A callback that says what happened to the shell.
fn send<T: 'static>(dispatcher: &UseReducerDispatcher<State>, action: fn(T) -> Action) -> Callback<T> {
    let dispatcher = dispatcher.clone();
    Callback::from(move |value| dispatcher.dispatch(action(value)))
}
