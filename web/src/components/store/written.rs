//! Which event and step wrote a byte.

use rocketscope_engine::view::{Answer, Query};
use yew::{Callback, Html, Properties, component, html, use_context};

use super::context::use_store_context;
use crate::backend::use_ask;
use crate::i18n::use_text;

/// How the workbench is told to go to an event; absent where nothing runs.
#[derive(Clone, PartialEq)]
pub struct SeekContext {
    /// Go to just after the event of this number.
    pub seek: Callback<u64>,
}

/// Properties of [`WrittenBy`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The file.
    pub file: String,
    /// The byte.
    pub at: u64,
}

/// A link to the event that last wrote a byte of a simulated disk.
#[component]
pub fn WrittenBy(props: &Props) -> Html {
    let text = use_text();
    let context = use_store_context();
    let seek = use_context::<SeekContext>();
    let query = context.node().map(|node| Query::WriterOf {
        node: node.to_owned(),
        path: props.file.clone(),
        offset: props.at,
    });
    let asked = use_ask(query, context.revision);
    match (asked.answer.as_deref(), seek) {
        (Some(Answer::Writer(Some(writer))), Some(SeekContext { seek })) => {
            let event = writer.seq + 1;
            let words = text.fill("fields.event-step", &[("event", &event), ("step", &(writer.step + 1))]);
            html! {
                <button type="button" class="link" onclick={seek.reform(move |_| event)}>{ words }</button>
            }
        }
        (Some(Answer::Writer(None)), _) => html! { <span class="dim">{ text.get("fields.before") }</span> },
        _ => html! { <span class="dim">{ "…" }</span> },
    }
}
