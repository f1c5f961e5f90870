//! Keys that work anywhere on the page, and never while typing.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::{Callback, hook, use_effect_with};

/// Whether a key pressed on this element belongs to the element: it is being typed into, or (for Space and Enter)
/// would press it.
fn belongs_to_target(event: &KeyboardEvent) -> bool {
    let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return false };
    let tag = element.tag_name().to_ascii_lowercase();
    match tag.as_str() {
        "input" | "textarea" | "select" => true,
        "button" | "a" | "summary" => matches!(event.key().as_str(), " " | "Enter"),
        _ => element.closest("[contenteditable='true']").ok().flatten().is_some(),
    }
}

/// Whether a dialog is open: then the page's keys rest.
fn dialog_open() -> bool {
    gloo::utils::document().query_selector("dialog[open]").ok().flatten().is_some()
}

/// Calls back for keys pressed anywhere on the page that nobody nearer took: not while typing, not with Ctrl, Alt or
/// Meta, not under a dialog. The callback says whether it took the key.
#[hook]
pub fn use_keys(on_key: Callback<String, bool>) {
    use_effect_with(on_key, |on_key| {
        let on_key = on_key.clone();
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&gloo::utils::window(), "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            let modified = event.ctrl_key() || event.alt_key() || event.meta_key();
            if event.default_prevented() || modified || belongs_to_target(event) || dialog_open() {
                return;
            }
            if on_key.emit(event.key()) {
                event.prevent_default();
            }
        });
        move || drop(listener)
    });
}
