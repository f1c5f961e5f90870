//! The shell: header, the screen of the address, help.

use std::rc::Rc;

use gloo::events::EventListener;
use rocketscope_engine::view::{Answer, Query};
use wasm_bindgen_futures::spawn_local;
use yew::{
    Callback, ContextProvider, Html, UseReducerDispatcher, component, html, use_callback, use_effect_with, use_memo,
    use_reducer_eq, use_state,
};

use crate::backend::{AskError, Backend, Opened};
use crate::components::share::{NotOpened, Opening, dropped_run, read_run};
use crate::components::{EmbedBar, Glyph, Header, Help, Icon};
use crate::i18n::Text;
use crate::keys::use_keys;
use crate::route::{Route, Screen, link_in};
use crate::screens::{Backlog, Compare, CrashMatrixScreen, Explorer, Workbench, use_crash_matrix};
use crate::state::{self, Action, Held, State, Way, runs, storage};

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
                if let Some(text) = link_in(&hash) {
                    dispatcher.dispatch(Action::Open(text.into(), Way::Address));
                }
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
    // Nor is what is done in an embedded page the reader's own work.
    let keeps = state.embed.is_none();
    use_effect_with(state.opening.clone(), {
        let (backend, dispatcher) = ((*backend).clone(), state.dispatcher());
        move |opening: &Option<state::Opening>| {
            if let Some(opening) = opening.clone() {
                spawn_local(async move { dispatcher.dispatch(open(&backend, &opening, keeps).await) });
            }
        }
    });
    use_effect_with(state.held.clone(), {
        let route = state.route.clone();
        move |held: &Option<Held>| {
            match held.as_ref().map(|held| &held.way) {
                // Back leads to the store again.
                Some(Way::Store) => write_address(&route, true),
                // The run is kept, so that a reload finds it as it is by then. Where nothing can be kept, an address
                // that asked for it still does.
                Some(Way::Address) if !storage::is_on() => {}
                Some(_) => write_address(&route, false),
                None => {}
            }
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
    let on_world = {
        let opened_world = opened_world.setter();
        Callback::from(move |query: Query| {
            opened_world.set(Some(query));
            // Only an address that is none is refused.
            let _ =
                gloo::utils::window().location().set_hash(&Route::screen(Screen::Matrix { world: true }).to_string());
        })
    };
    let on_open = {
        let dispatcher = dispatcher.clone();
        Callback::from(move |text: Rc<str>| dispatcher.dispatch(Action::Open(text, Way::File)))
    };
    let on_kept = {
        let dispatcher = dispatcher.clone();
        Callback::from(move |(name, text): (String, Rc<str>)| {
            dispatcher.dispatch(Action::Open(text, Way::Kept(name)));
        })
    };
    let on_go_on = {
        let (dispatcher, refused, route) = (dispatcher.clone(), state.refused.clone(), state.route.clone());
        Callback::from(move |()| {
            match refused.as_ref().map(|refused| &refused.opening.way) {
                Some(Way::Kept(name)) => runs::forget(name),
                Some(Way::Address) => write_address(&route, false),
                Some(Way::File | Way::Store) | None => {}
            }
            dispatcher.dispatch(Action::GoOn);
        })
    };
    let on_drop = {
        let on_open = on_open.clone();
        Callback::from(move |event: yew::DragEvent| {
            event.prevent_default();
            let file = dropped_run(event.data_transfer().and_then(|transfer| transfer.files()));
            let on_open = on_open.clone();
            if let Some(file) = file {
                spawn_local(async move { on_open.emit(read_run(file).await.into()) });
            }
        })
    };
    // Without this the browser would not let anything be dropped.
    let on_over = Callback::from(|event: yew::DragEvent| event.prevent_default());
    let (incoming, way) = match (&state.opening, &state.refused) {
        (Some(opening), _) => (html! { <Opening /> }, Some(&opening.way)),
        (None, Some(refused)) => {
            (html! { <NotOpened refused={refused.clone()} {on_go_on} /> }, Some(&refused.opening.way))
        }
        (None, None) => (Html::default(), None),
    };
    let screen = match (&state.route.screen, &*opened_world) {
        // What the address or the last visit asks for comes first; a file is opened from a screen that stays as it is.
        _ if way.is_some_and(|way| *way != Way::File) => Html::default(),
        (Screen::Explorer, _) => html! {
            <Explorer
                route={state.route.clone()}
                hexadecimal={state.settings.hexadecimal}
                on_hexadecimal={send(&dispatcher, Action::Hexadecimal)}
                opened={(*opened).clone()}
                {on_opened}
                on_begun={send(&dispatcher, |()| Action::Begun)}
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
                    keeps=false
                />
            </div>
        },
        // A world that was opened is gone when the page is loaded anew: the matrix can be played again.
        (Screen::Matrix { .. }, _) => html! { <CrashMatrixScreen {matrix} on_open={on_world} /> },
        (Screen::Compare { preset }, _) => html! { <Compare preset={preset.clone()} /> },
        (Screen::Lesson(_) | Screen::Sandbox, _) => html! {
            <Workbench
                route={state.route.clone()}
                hexadecimal={state.settings.hexadecimal}
                on_hexadecimal={send(&dispatcher, Action::Hexadecimal)}
                key={state.held.as_ref().map_or(0, |held| held.number)}
                {keeps}
                held={state.held.clone()}
                {on_kept}
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
                    {on_open}
                />
            }
            <main id="main" class="main" tabindex="-1" ondrop={on_drop} ondragover={on_over}>
                { incoming }
                <div class="screen" hidden={way.is_some()}>{ screen }</div>
            </main>
            <Help open={state.help} {on_close} />
        </ContextProvider<Backend>>
        </ContextProvider<Text>>
    }
}

/// Has the worker go through a run again, which is kept then if it is the reader's.
async fn open(backend: &Backend, opening: &state::Opening, keeps: bool) -> Action {
    match backend.ask(Query::OpenLink { text: opening.text.to_string() }).await {
        Ok(Answer::Workbench(bench)) => {
            let id = bench.lesson.as_ref().map(|lesson| lesson.id.as_str());
            if keeps {
                runs::keep(id.unwrap_or(runs::SANDBOX), &opening.text);
            }
            // A lesson's folder begins with its number.
            let number = |id: &str| id.split('-').next().unwrap_or_default().to_owned();
            Action::Opened(opening.number, id.map_or(Screen::Sandbox, |id| Screen::Lesson(number(id))))
        }
        Ok(_) => Action::Refuse(opening.number, AskError::Gone),
        Err(error) => Action::Refuse(opening.number, error),
    }
}

/// Writes where the reader is into the address, as a step in the browser's history or in place of the one that is.
fn write_address(route: &Route, step: bool) {
    let Ok(history) = gloo::utils::window().history() else { return };
    let (nothing, address) = (wasm_bindgen::JsValue::NULL, route.to_string());
    // It fails only for a page of another origin, and ours is not.
    let _ = if step {
        history.push_state_with_url(&nothing, "", Some(&address))
    } else {
        history.replace_state_with_url(&nothing, "", Some(&address))
    };
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
