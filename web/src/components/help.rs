//! The help: keys, colours, and what this is.

use web_sys::HtmlDialogElement;
use yew::{Callback, Html, Properties, component, html, use_effect_with, use_node_ref};

use super::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`Help`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Whether it is open.
    pub open: bool,
    /// The reader closed it.
    pub on_close: Callback<()>,
}

const KEYS: [(&str, &str); 11] = [
    ("→", "help.step"),
    ("←", "help.back"),
    ("Space", "help.run"),
    ("Home", "help.first"),
    ("End", "help.last"),
    ("B", "past.run-to-means"),
    ("Ctrl+Z", "past.undo-means"),
    ("Ctrl+Shift+Z", "past.redo-means"),
    ("C", "help.fault"),
    ("/", "help.find"),
    ("?", "help.help"),
];

const STATES: [&str; 6] = ["written", "committed", "flushed", "replicated", "dispatched", "consumed"];

/// The help. The browser's own dialog keeps the focus inside and closes on Escape.
#[component]
pub fn Help(props: &Props) -> Html {
    let text = use_text();
    let dialog = use_node_ref();
    use_effect_with(props.open, {
        let dialog = dialog.clone();
        move |open| {
            let Some(dialog) = dialog.cast::<HtmlDialogElement>() else { return };
            if *open && !dialog.open() {
                // It fails only on a dialog that is open already or has left the document.
                let _ = dialog.show_modal();
            } else if !*open && dialog.open() {
                dialog.close();
            }
        }
    });
    let on_close = props.on_close.reform(|_: yew::Event| ());
    let on_button = props.on_close.reform(|_| ());
    html! {
        <dialog ref={dialog} class="dialog" aria-labelledby="help-title" onclose={on_close} data-testid="help-dialog">
            <div class="dialog-head">
                <h2 id="help-title" class="dialog-title">{ text.get("help.title") }</h2>
                <button
                    type="button"
                    class="button quiet icon-only"
                    aria-label={text.get("help.close")}
                    onclick={on_button}
                >
                    <Icon glyph={Glyph::Close} />
                </button>
            </div>
            <p>{ text.rich("help.about", &[]) }</p>
            <div class="help-columns">
                <section aria-labelledby="help-keys">
                    <h3 id="help-keys" class="label">{ text.get("help.keys") }</h3>
                    <dl class="keys">
                        { for KEYS.iter().map(|(key, what)| html! {
                            <div key={*key}><dt><kbd>{ *key }</kbd></dt><dd>{ text.get(what) }</dd></div>
                        }) }
                    </dl>
                    <p class="dim small">{ text.get("help.typing") }</p>
                </section>
                <section aria-labelledby="help-colours">
                    <h3 id="help-colours" class="label">{ text.get("help.colours") }</h3>
                    <dl class="states">
                        { for STATES.iter().map(|state| html! {
                            <div key={*state}>
                                <dt>
                                    <i class={format!("swatch {state}")} />
                                    { text.get(&format!("state.{state}")) }
                                </dt>
                                <dd>{ text.get(&format!("state.{state}-means")) }</dd>
                            </div>
                        }) }
                    </dl>
                </section>
            </div>
            <p class="dim small">{ text.get("help.private") }</p>
            <p class="dim small">{ text.get("help.trademark") }</p>
        </dialog>
    }
}
