//! The help: keys, colours, and what this is.

use yew::{Callback, Html, Properties, component, html};

use super::Dialog;
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

/// The help.
#[component]
pub fn Help(props: &Props) -> Html {
    let text = use_text();
    html! {
        <Dialog
            id="help-dialog"
            title={Html::from(text.get("help.title"))}
            close={text.get("help.close")}
            open={props.open}
            on_close={props.on_close.clone()}
        >
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
        </Dialog>
    }
}
