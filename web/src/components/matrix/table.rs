//! The crashes as a table: the grid's equal for those who do not see it, and for finding the bad ones.

use rocketscope_engine::ledger::Verdict;
use rocketscope_engine::matrix::{Cell, End};
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use super::mark;
use super::pick::{is_of, verdict_of};
use crate::components::form::Tick;
use crate::components::verdict;
use crate::i18n::use_text;
use crate::screens::Results;

/// Rows shown at once; the rest is asked for.
const ROWS: usize = 200;

/// Properties of [`CellTable`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The matrix.
    pub results: Results,
    /// Only this fault.
    pub fault: Option<String>,
    /// Only this node.
    pub target: Option<String>,
    /// A world is to be opened.
    pub on_open: Callback<Cell>,
}

/// The table.
#[component]
pub fn CellTable(props: &Props) -> Html {
    let text = use_text();
    let all = use_state_eq(|| false);
    let rows = use_state_eq(|| ROWS);
    let (fault, target) = (props.fault.as_deref(), props.target.as_deref());
    let is_bad = |cell: &Cell| *all || verdict_of(cell) > Verdict::ExactlyRight || cell.end != End::Rest || !cell.up;
    let found: Vec<Cell> = {
        let cells = props.results.cells();
        cells.iter().filter(|cell| is_of(cell, fault, target) && is_bad(cell)).cloned().collect()
    };
    let left = found.len().saturating_sub(*rows);
    let on_all = {
        let all = all.setter();
        Callback::from(move |to| all.set(to))
    };
    let on_more = {
        let rows = rows.clone();
        Callback::from(move |_: yew::MouseEvent| rows.set(*rows + ROWS))
    };
    html! {
        <div class="mx-table" data-testid="matrix-table">
            <Tick id="matrix-all" label={text.get("matrix.show-right")} value={*all} on_change={on_all} />
            if found.is_empty() {
                <p class="dim">{ text.get("matrix.nothing-bad") }</p>
            } else {
                <div class="mx-grid-scroll">
                    <table>
                        <caption class="hidden">{ text.get("matrix.board") }</caption>
                        <thead>
                            <tr>
                                { for ["event", "where", "target", "fault", "worst", "messages", "world"].map(|column| html! {
                                    <th scope="col">{ text.get(&format!("matrix.column.{column}")) }</th>
                                }) }
                            </tr>
                        </thead>
                        <tbody>
                            { for found.iter().take(*rows).map(|cell| row(cell, props, &text)) }
                        </tbody>
                    </table>
                </div>
            }
            if left > 0 {
                <button type="button" class="button" onclick={on_more}>{ text.count("matrix.more", i64::try_from(left).unwrap_or(i64::MAX)) }</button>
            }
        </div>
    }
}

fn row(cell: &Cell, props: &Props, text: &crate::i18n::Text) -> Html {
    let turn = usize::try_from(cell.event).ok().and_then(|event| props.results.moments.get(event)?.turn.as_ref());
    let wrong = cell.messages.iter().filter(|message| message.verdict != Verdict::ExactlyRight);
    let said = wrong.map(|message| mark::message(message, text)).chain(mark::end(cell, text).map(Html::from));
    let open = {
        let cell = cell.clone();
        props.on_open.reform(move |_: yew::MouseEvent| cell.clone())
    };
    html! {
        <tr key={cell.number.to_string()}>
            <td class="num">{ cell.event + 1 }</td>
            <td>{ mark::place(cell.write, cell.bytes, turn.is_none(), text) }</td>
            <td>{ cell.target.clone() }</td>
            <td class="mx-fault">{ mark::fault(cell.fault, text) }</td>
            <td>{ verdict::mark(verdict_of(cell), text) }</td>
            <td class="mx-said">{ for said.map(|said| html! { <p>{ said }</p> }) }</td>
            <td>
                <button type="button" class="button tiny" onclick={open}>{ text.get("matrix.open") }</button>
            </td>
        </tr>
    }
}
