//! A sandbox on a store that the reader opened.

use rocketscope_engine::view::Query;
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, Html, Properties, component, html, use_state, use_state_eq};

use crate::backend::{AskError, use_backend};
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;

/// Properties of [`StartOnStore`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What the store goes by in the run.
    pub name: String,
    /// The sandbox was begun.
    pub on_begun: Callback<()>,
}

/// The button, and why it cannot be if it cannot.
#[component]
pub fn StartOnStore(props: &Props) -> Html {
    let text = use_text();
    let backend = use_backend();
    let busy = use_state_eq(|| false);
    let trouble = use_state(|| None::<String>);
    let on_start = {
        let (busy, trouble) = (busy.clone(), trouble.clone());
        let (name, on_begun) = (props.name.clone(), props.on_begun.clone());
        Callback::from(move |_: yew::MouseEvent| {
            let (busy, trouble, name, on_begun) = (busy.clone(), trouble.clone(), name.clone(), on_begun.clone());
            let Some(backend) = backend.clone() else { return };
            busy.set(true);
            spawn_local(async move {
                let begun = backend.ask(Query::StartOnStore { name, seed: 1 }).await;
                busy.set(false);
                match begun {
                    Ok(_) => on_begun.emit(()),
                    Err(AskError::Failed(failure)) => trouble.set(Some(failure.message)),
                    Err(AskError::Gone) => {}
                }
            });
        })
    };
    html! {
        <>
            <button
                type="button"
                class="button tiny"
                disabled={*busy}
                aria-busy={busy.to_string()}
                title={text.get("share.import.means")}
                onclick={on_start}
                data-testid="start-on-store"
            >
                <Icon glyph={Glyph::Cluster} />{ text.get("share.import.button") }
            </button>
            if let Some(cause) = &*trouble {
                <span class="small" role="alert">{ text.fill("share.import.failed", &[("cause", cause)]) }</span>
            }
        </>
    }
}
