//! The shell: header, the screen of the address, help.

use gloo::events::EventListener;
use yew::{Callback, ContextProvider, Html, component, html, use_callback, use_effect_with, use_memo, use_reducer_eq};

use crate::components::{Header, Help};
use crate::i18n::Text;
use crate::keys::use_keys;
use crate::route::Route;
use crate::state::{Action, State};

/// The whole page.
#[component]
pub fn App() -> Html {
    let state = use_reducer_eq(State::load);
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
    use_effect_with(state.settings, |settings| settings.apply());
    use_effect_with(text.get("page.title"), |title| gloo::utils::document().set_title(title));

    let on_key = use_callback(state.dispatcher(), |key: String, dispatcher| {
        let help = key == "?";
        if help {
            dispatcher.dispatch(Action::Help(true));
        }
        help
    });
    use_keys(on_key);

    let send = |action: fn(_) -> Action| {
        let dispatcher = state.dispatcher();
        Callback::from(move |value| dispatcher.dispatch(action(value)))
    };
    let on_theme = {
        let dispatcher = state.dispatcher();
        Callback::from(move |theme| dispatcher.dispatch(Action::Dress(theme)))
    };
    let on_help = {
        let dispatcher = state.dispatcher();
        Callback::from(move |()| dispatcher.dispatch(Action::Help(true)))
    };
    let on_close = {
        let dispatcher = state.dispatcher();
        Callback::from(move |()| dispatcher.dispatch(Action::Help(false)))
    };
    html! {
        <ContextProvider<Text> context={(*text).clone()}>
            <a class="skip" href="#main" onclick={skip}>{ text.get("page.skip") }</a>
            <Header
                screen={state.route.screen.clone()}
                settings={state.settings}
                on_lang={send(Action::Speak)}
                {on_theme}
                {on_help}
            />
            <main id="main" class="main" tabindex="-1"></main>
            <Help open={state.help} {on_close} />
        </ContextProvider<Text>>
    }
}

/// Moves the focus to the main part without touching the address, which is the route.
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
