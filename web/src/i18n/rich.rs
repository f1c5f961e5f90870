//! Words to text, and words to page.

use std::fmt::{Display, Write};

use yew::{Html, html};

use super::catalogue::Part;

/// The parts as one line of text.
pub(super) fn plain(parts: &[Part], slots: &[(&str, &dyn Display)]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Plain(words) | Part::Code(words) | Part::Strong(words) => out.push_str(words),
            Part::Slot(name) => match slots.iter().find(|(slot, _)| slot == name) {
                Some((_, value)) => {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "{value}");
                }
                None => {
                    let _ = write!(out, "{{{name}}}");
                }
            },
        }
    }
    out
}

/// The parts as a piece of page.
pub(super) fn html(parts: &[Part], slots: &[(&str, Html)]) -> Html {
    parts
        .iter()
        .map(|part| match part {
            Part::Plain(words) => Html::from(words.clone()),
            Part::Code(words) => html! { <code>{ words.clone() }</code> },
            Part::Strong(words) => html! { <strong>{ words.clone() }</strong> },
            Part::Slot(name) => slots
                .iter()
                .find(|(slot, _)| slot == name)
                .map_or_else(|| Html::from(format!("{{{name}}}")), |(_, value)| value.clone()),
        })
        .collect()
}
