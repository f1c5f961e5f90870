//! The crashes at one place, each with what came of it.

use rocketscope_engine::ledger::Verdict;
use rocketscope_engine::matrix::{Cell, Moment};
use yew::{Callback, Html, Properties, component, html};

use super::mark;
use super::pick::{Spot, verdict_of};
use crate::components::{narrate, verdict};
use crate::i18n::{name_of, use_text};

/// Properties of [`Detail`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The moment of the run.
    pub moment: Option<Moment>,
    /// The place; nothing is looked at without one.
    pub spot: Option<Spot>,
    /// The crashes there.
    pub cells: Vec<Cell>,
    /// A world is to be opened.
    pub on_open: Callback<Cell>,
}

/// The crashes.
#[component]
pub fn Detail(props: &Props) -> Html {
    let text = use_text();
    let (Some(moment), Some(spot)) = (&props.moment, props.spot) else {
        return html! { <p class="dim mx-hint">{ text.get("matrix.hint") }</p> };
    };
    let behind = moment.turn.is_none();
    let write = moment.turn.as_ref().zip(spot.write.and_then(|write| write.checked_sub(1)));
    let write = write.and_then(|(turn, write)| turn.writes.get(usize::try_from(write).ok()?));
    html! {
        <section class="mx-detail" aria-live="polite" data-testid="matrix-detail">
            <h2>
                { text.fill("matrix.detail", &[
                    ("event", &(moment.event + 1)),
                    ("place", &mark::place(spot.write, None, behind, &text)),
                ]) }
            </h2>
            if let Some(turn) = &moment.turn {
                <p><span class="saying-who">{ format!("{} · {}", turn.node, turn.service) }</span>{ " " }{ narrate::cause(&turn.what, &text) }</p>
            }
            if let Some(write) = write {
                <p class="small dim">
                    { text.fill("matrix.last-write", &[
                        ("op", &text.get(&format!("disk-op.{}", name_of(&write.op)))),
                        ("path", &write.path),
                        ("offset", &write.offset),
                        ("len", &write.len),
                    ]) }
                </p>
            }
            <ul class="mx-worlds">
                { for props.cells.iter().map(|cell| world(cell, behind, &props.on_open, &text)) }
            </ul>
        </section>
    }
}

fn world(cell: &Cell, behind: bool, on_open: &Callback<Cell>, text: &crate::i18n::Text) -> Html {
    let wrong = cell.messages.iter().filter(|message| message.verdict != Verdict::ExactlyRight);
    let open = {
        let cell = cell.clone();
        on_open.reform(move |_: yew::MouseEvent| cell.clone())
    };
    html! {
        <li key={cell.number.to_string()} class="mx-world">
            <p class="mx-world-head">
                { verdict::mark(verdict_of(cell), text) }
                <span class="mx-fault">{ format!("{} · {}", cell.target, mark::fault(cell.fault, text)) }</span>
                <button type="button" class="button tiny" onclick={open} data-testid={format!("open:{}", cell.number)}>
                    { text.get("matrix.open") }
                </button>
            </p>
            if cell.bytes.is_some() {
                <p class="small dim">{ mark::place(cell.write, cell.bytes, behind, text) }</p>
            }
            { for wrong.map(|message| html! { <p class="small">{ mark::message(message, text) }</p> }) }
            if let Some(end) = mark::end(cell, text) {
                <p class="small">{ end }</p>
            }
            if cell.skipped > 0 {
                <p class="small dim">{ text.count("matrix.skipped", cell.skipped.into()) }</p>
            }
        </li>
    }
}
