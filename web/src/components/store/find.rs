//! Going to an offset.

use web_sys::HtmlInputElement;
use yew::{Callback, Html, component, html, use_node_ref, use_state_eq};

use super::context::use_store_context;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;
use crate::keys::use_keys;
use crate::route::Place;

/// What was typed: a physical offset, decimal or `0x…`, or a message id, whose last 16 digits are one.
fn parse(words: &str) -> Option<i64> {
    let words = words.trim();
    if let Some(digits) = words.strip_prefix("0x").or_else(|| words.strip_prefix("0X")) {
        return i64::from_str_radix(digits, 16).ok().filter(|at| *at >= 0);
    }
    // offsetMsgId: IPv4 or IPv6 address and port, then the physical offset, all in hexadecimal.
    if matches!(words.len(), 32 | 56) && words.is_ascii() {
        return words.get(words.len() - 16..).and_then(|digits| i64::from_str_radix(digits, 16).ok());
    }
    words.parse().ok().filter(|at| *at >= 0)
}

/// The box to type an offset into. `/` leads to it from anywhere.
#[component]
pub fn Find() -> Html {
    let text = use_text();
    let context = use_store_context();
    let input = use_node_ref();
    let words = use_state_eq(String::new);
    let bad = !words.trim().is_empty() && parse(&words).is_none();
    let focus = {
        let input = input.clone();
        Callback::from(move |key: String| {
            let Some(input) = input.cast::<HtmlInputElement>().filter(|_| key == "/") else { return false };
            input.select();
            // Focus fails only on an element that is gone.
            let _ = input.focus();
            true
        })
    };
    use_keys(focus);
    let on_input = {
        let (input, words) = (input.clone(), words.clone());
        Callback::from(move |_: yew::InputEvent| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                words.set(input.value());
            }
        })
    };
    let on_submit = {
        let words = words.clone();
        Callback::from(move |event: yew::SubmitEvent| {
            event.prevent_default();
            if let Some(at) = parse(&words) {
                // It cannot fail: the address is a fragment of this page.
                let _ = gloo::utils::window().location().set_hash(&context.link(Place::Record { at }));
            }
        })
    };
    html! {
        <form class="find" role="search" onsubmit={on_submit}>
            <Icon glyph={Glyph::Find} />
            <input
                ref={input}
                class="field mono"
                type="text"
                inputmode="text"
                autocomplete="off"
                spellcheck="false"
                placeholder={text.get("find.placeholder")}
                aria-label={text.get("find.label")}
                aria-invalid={bad.to_string()}
                value={(*words).clone()}
                oninput={on_input}
                data-testid="find"
            />
            <kbd aria-hidden="true">{ "/" }</kbd>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn offsets_in_every_form() {
        assert_eq!(parse(" 1200 "), Some(1200));
        assert_eq!(parse("0x4B0"), Some(1200));
        assert_eq!(parse("7F00000100002A9F00000000000004B0"), Some(1200));
        assert_eq!(parse("-1"), None);
        assert_eq!(parse("12a"), None);
        assert_eq!(parse(""), None);
    }
}
