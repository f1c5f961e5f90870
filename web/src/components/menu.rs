//! What menus have in common: they close when the reader goes elsewhere, and the arrows move the focus in them.

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};
use yew::{Callback, NodeRef, hook, use_effect_with};

/// While `open`, calls back when the reader presses or focuses something outside of `root`.
#[hook]
pub fn use_dismiss(root: NodeRef, open: bool, on_close: Callback<()>) {
    use_effect_with((root, open, on_close), |(root, open, on_close)| {
        let listen = |kind: &'static str| {
            let (root, on_close) = (root.clone(), on_close.clone());
            EventListener::new(&gloo::utils::document(), kind, move |event| {
                let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
                if root.cast::<Node>().is_some_and(|root| !root.contains(target.as_ref())) {
                    on_close.emit(());
                }
            })
        };
        let listeners = open.then(|| ["pointerdown", "focusin"].map(listen));
        move || drop(listeners)
    });
}

/// Focuses the first thing in `root` that one of the selectors finds, the first selector first.
pub fn focus_first(root: &NodeRef, selectors: &[&str]) {
    let Some(root) = root.cast::<Element>() else { return };
    let found = selectors.iter().find_map(|selector| root.query_selector(selector).ok().flatten());
    focus(found);
}

/// Gives an element the focus.
pub fn focus(element: Option<Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // Focus fails only on an element that is gone.
        let _ = element.focus();
    }
}

/// Moves the focus over what `selector` finds in `root`, as the key says: up and down by one and round, Home and End to
/// the ends, a letter or digit to the next whose words begin with it. Whether the key did anything.
pub fn rove(root: &NodeRef, selector: &str, key: &str) -> bool {
    let Some(found) = root.cast::<Element>().and_then(|root| root.query_selector_all(selector).ok()) else {
        return false;
    };
    let items: Vec<Element> =
        (0..found.length()).filter_map(|index| found.get(index)?.dyn_into::<Element>().ok()).collect();
    let active = gloo::utils::document().active_element();
    let here = items.iter().position(|item| Some(item) == active.as_ref());
    let words: Vec<String> = items.iter().map(|item| item.text_content().unwrap_or_default()).collect();
    match next(&words, here, key) {
        Some(to) => {
            focus(items.get(to).cloned());
            true
        }
        None => false,
    }
}

/// Where a key leads among items of these words, from the one that is focused.
fn next(words: &[String], here: Option<usize>, key: &str) -> Option<usize> {
    let last = words.len().checked_sub(1)?;
    match key {
        "ArrowDown" => Some(here.map_or(0, |here| if here == last { 0 } else { here + 1 })),
        "ArrowUp" => Some(here.map_or(last, |here| if here == 0 { last } else { here - 1 })),
        "Home" => Some(0),
        "End" => Some(last),
        key => {
            let mut letters = key.chars();
            let letter = letters.next().filter(|letter| letters.next().is_none() && letter.is_alphanumeric())?;
            let begins = |index: &usize| {
                let first = words.get(*index).and_then(|words| words.trim_start().chars().next());
                first.is_some_and(|first| first.to_lowercase().eq(letter.to_lowercase()))
            };
            let after = here.map_or(0, |here| here + 1);
            (after..words.len()).chain(0..after).find(begins)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn the_arrows_go_round_and_a_letter_finds_the_next() {
        let words = ["1 Alpha", "2 beta", "13 Gamma", "14 Delta"].map(str::to_owned);
        assert_eq!(next(&words, None, "ArrowDown"), Some(0));
        assert_eq!(next(&words, Some(3), "ArrowDown"), Some(0));
        assert_eq!(next(&words, Some(0), "ArrowUp"), Some(3));
        assert_eq!(next(&words, Some(1), "End"), Some(3));
        assert_eq!(next(&words, Some(0), "1"), Some(2));
        assert_eq!(next(&words, Some(3), "1"), Some(0));
        assert_eq!(next(&words, Some(1), "2"), Some(1));
        assert_eq!(next(&words, None, "Enter"), None);
        assert_eq!(next(&words, None, "x"), None);
        assert_eq!(next(&[], None, "ArrowDown"), None);
    }
}
