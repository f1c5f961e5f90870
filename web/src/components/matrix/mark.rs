//! The words of a cell: its fault, its place, what its messages came to.

use rocketscope_engine::matrix::{Cell, End, Fault, Judged};
use yew::{Html, html};

use crate::components::verdict;
use crate::i18n::{Text, name_of};

/// A fault in words.
pub(super) fn fault(fault: Fault, text: &Text) -> String {
    let name = fault.survives().map_or_else(|| name_of(&fault), |survives| name_of(&survives));
    text.get(&format!("matrix.fault.{name}"))
}

/// Where in its event a crash comes: `None` is before it.
pub(super) fn place(write: Option<u32>, bytes: Option<u32>, behind: bool, text: &Text) -> String {
    match (write, bytes) {
        (None, _) if behind => text.get("matrix.place.behind"),
        (None, _) => text.get("matrix.place.before"),
        (Some(write), None) => text.fill("matrix.place.after", &[("write", &write)]),
        (Some(write), Some(bytes)) => text.fill("matrix.place.within", &[("write", &(write + 1)), ("bytes", &bytes)]),
    }
}

/// What a message came to, and why.
pub(super) fn message(message: &Judged, text: &Text) -> Html {
    let why = message.why.iter().map(|rule| html! { <>{ verdict::rule(*rule, text) }{ " " }</> });
    text.rich(
        "matrix.message",
        &[
            ("message", html! { <strong>{ message.label() }</strong> }),
            ("verdict", Html::from(verdict::word(message.verdict, text))),
            ("why", why.collect()),
        ],
    )
}

/// What is to be said of a world beside its messages.
pub(super) fn end(cell: &Cell, text: &Text) -> Option<String> {
    match cell.end {
        End::Rest if cell.up => None,
        End::Rest => Some(text.fill("matrix.end.down", &[("node", &cell.target)])),
        End::Restless => Some(text.get("matrix.end.restless")),
        End::NoCrash => Some(text.get("matrix.end.noCrash")),
    }
}
