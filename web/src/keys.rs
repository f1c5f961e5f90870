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

/// A key as the page names it: as it is, or with Ctrl, for which Meta does as well, as in `Ctrl+z` and `Ctrl+Shift+z`.
/// `None` with Alt, and of every other key that belongs to the browser when it is pressed with Ctrl.
fn name(key: &str, ctrl: bool, shift: bool, alt: bool) -> Option<String> {
    match (ctrl, alt) {
        (false, false) => Some(key.to_owned()),
        (true, false) if key.eq_ignore_ascii_case("z") => {
            Some(if shift { "Ctrl+Shift+z" } else { "Ctrl+z" }.to_owned())
        }
        _ => None,
    }
}

/// Calls back for keys pressed anywhere on the page that nobody nearer took: not while typing, not with Alt, of those
/// with Ctrl only Ctrl+Z and Ctrl+Shift+Z, not under a dialog. The callback says whether it took the key.
#[hook]
pub fn use_keys(on_key: Callback<String, bool>) {
    use_effect_with(on_key, |on_key| {
        let on_key = on_key.clone();
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&gloo::utils::window(), "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            let ctrl = event.ctrl_key() || event.meta_key();
            let Some(key) = name(&event.key(), ctrl, event.shift_key(), event.alt_key()) else { return };
            if event.default_prevented() || belongs_to_target(event) || dialog_open() {
                return;
            }
            if on_key.emit(key) {
                event.prevent_default();
            }
        });
        move || drop(listener)
    });
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn keys_with_ctrl_belong_to_the_browser_but_for_undo_and_redo() {
        let named = |key, ctrl, shift, alt| name(key, ctrl, shift, alt);
        assert_eq!(named("ArrowLeft", false, false, false).as_deref(), Some("ArrowLeft"));
        assert_eq!(named("?", false, true, false).as_deref(), Some("?"));
        assert_eq!(named("z", true, false, false).as_deref(), Some("Ctrl+z"));
        assert_eq!(named("Z", true, true, false).as_deref(), Some("Ctrl+Shift+z"));
        assert_eq!(named("c", true, false, false), None);
        assert_eq!(named("z", true, false, true), None);
        assert_eq!(named("z", false, false, true), None);
    }
}
