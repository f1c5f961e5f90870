//! How a verdict looks: a word, a picture and a pattern, never a colour alone.

use rocketscope_engine::ledger::Verdict;
use rocketscope_engine::matrix::{Cell, End, Fault, Judged};
use yew::{Html, html};

use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of};

/// The picture of a verdict.
pub(super) const fn glyph(verdict: Verdict) -> Glyph {
    match verdict {
        Verdict::ExactlyRight => Glyph::Tick,
        Verdict::Open => Glyph::Clock,
        Verdict::Duplicated => Glyph::Twice,
        Verdict::OutOfOrder => Glyph::Swap,
        Verdict::Lost => Glyph::Lost,
    }
}

/// The class that colours it.
pub(super) const fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::ExactlyRight => "is-right",
        Verdict::Open => "is-open",
        Verdict::Duplicated => "is-twice",
        Verdict::OutOfOrder => "is-disorder",
        Verdict::Lost => "is-lost",
    }
}

/// Its word.
pub(super) fn word(verdict: Verdict, text: &Text) -> String {
    text.get(&format!("matrix.verdict.{}", verdict.name()))
}

/// Picture and word.
pub(super) fn mark(verdict: Verdict, text: &Text) -> Html {
    html! {
        <span class={yew::classes!("mx-mark", class(verdict))}><Icon glyph={glyph(verdict)} />{ word(verdict, text) }</span>
    }
}

/// A fault in words.
pub(super) fn fault(fault: Fault, text: &Text) -> String {
    match fault {
        Fault::Kill | Fault::TornWrite => text.get(&format!("matrix.fault.{}", name_of(&fault))),
        Fault::PowerLoss { survives } => {
            let survives = text.get(&format!("survives.{}", name_of(&survives)));
            text.fill("matrix.fault.powerLoss", &[("survives", &survives)])
        }
    }
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
pub(super) fn message(message: &Judged, text: &Text) -> String {
    let why: Vec<String> = message
        .why
        .iter()
        .map(|rule| {
            let name = rule.name();
            let key = format!("rule.{name}");
            if text.has(&key) { text.get(&key) } else { name }
        })
        .collect();
    let slots: [(&str, &dyn std::fmt::Display); 3] =
        [("message", &message.label()), ("verdict", &word(message.verdict, text)), ("why", &why.join(" "))];
    text.fill("matrix.message", &slots)
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
