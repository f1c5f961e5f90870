//! The last word: a panic, here or in the worker, shows a page that says so, keeps the link and offers a reload.
//!
//! It is drawn with the document's own calls, since after a panic nothing of the framework can be trusted.

use std::panic::PanicHookInfo;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::i18n::Text;
use crate::state::Settings;

/// From now on a panic is shown.
pub fn install() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        console_error_panic_hook::hook(info);
        show(&info.to_string());
    }));
}

/// Covers the page with what happened. Does nothing where there is no document, or when a first cause is shown.
pub fn show(cause: &str) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let Some(body) = document.body() else { return };
    if document.get_element_by_id("fatal").is_some() {
        return;
    }
    let text = Text::new(Settings::load().lang);
    let link = document.location().and_then(|location| location.href().ok()).unwrap_or_default();
    let element = |tag: &str, class: &str, words: &str| -> Option<Element> {
        let element = document.create_element(tag).ok()?;
        element.set_class_name(class);
        element.set_text_content(Some(words));
        Some(element)
    };
    let build = || -> Option<()> {
        let cover = element("div", "fatal", "")?;
        cover.set_id("fatal");
        cover.set_attribute("role", "alertdialog").ok()?;
        cover.set_attribute("aria-modal", "true").ok()?;
        cover.set_attribute("aria-label", &text.get("fatal.title")).ok()?;
        let card = element("div", "fatal-card", "")?;
        card.append_child(&element("h1", "", &text.get("fatal.title"))?.into()).ok()?;
        card.append_child(&element("p", "", &text.get("fatal.what"))?.into()).ok()?;
        card.append_child(&element("pre", "fatal-cause", cause)?.into()).ok()?;
        card.append_child(&element("p", "dim", &text.get("fatal.link"))?.into()).ok()?;
        let kept = element("a", "fatal-link", &link)?;
        kept.set_attribute("href", &link).ok()?;
        card.append_child(&kept).ok()?;
        let reload = element("button", "button primary", &text.get("fatal.reload"))?;
        reload.set_attribute("type", "button").ok()?;
        reload.set_attribute("onclick", "location.reload()").ok()?;
        card.append_child(&reload).ok()?;
        cover.append_child(&card).ok()?;
        body.append_child(&cover).ok()?;
        reload.dyn_ref::<HtmlElement>()?.focus().ok()
    };
    if build().is_none() {
        // Even the cover failed: the console has the cause already.
        web_sys::console::error_1(&text.get("fatal.title").into());
    }
}
