//! The grid: a row for each event, a column for each write to the disk.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use rocketscope_engine::ledger::Verdict;
use rocketscope_engine::matrix::Moment;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{Callback, Html, KeyboardEvent, Properties, classes, component, html, use_node_ref};

use super::mark;
use super::pick::{Spot, Tally, is_of, tallies};
use crate::components::store::format;
use crate::components::{Icon, narrate, verdict};
use crate::i18n::{Text, use_text};
use crate::screens::Results;

/// Properties of [`Grid`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The matrix.
    pub results: Results,
    /// Only this fault.
    pub fault: Option<String>,
    /// Only this node.
    pub target: Option<String>,
    /// The place that is looked at.
    pub spot: Option<Spot>,
    /// Look at another one.
    pub on_spot: Callback<Spot>,
}

/// The grid. Arrow keys move in it; the place that has the focus is the one that is looked at.
#[component]
pub fn Grid(props: &Props) -> Html {
    let text = use_text();
    let root = use_node_ref();
    let (fault, target) = (props.fault.as_deref(), props.target.as_deref());
    let tallies = {
        let cells = props.results.cells();
        tallies(cells.iter().filter(|cell| is_of(cell, fault, target)))
    };
    let moments = &props.results.moments;
    // A torn first write stands where none is done yet.
    let writes = || tallies.keys().filter_map(|spot| spot.write);
    let columns = writes().min().unwrap_or(1)..=writes().max().unwrap_or(0);
    let entry = props.spot.filter(|spot| tallies.contains_key(spot)).or_else(|| tallies.keys().next().copied());
    let on_key = {
        let (root, on_spot) = (root.clone(), props.on_spot.clone());
        let spots: Vec<Spot> = tallies.keys().copied().collect();
        Callback::from(move |event: KeyboardEvent| {
            let Some(to) = entry.and_then(|at| neighbour(&spots, at, &event.key())) else { return };
            event.prevent_default();
            on_spot.emit(to);
            if let Some(root) = root.cast::<Element>() {
                focus(&root, to);
            }
        })
    };
    html! {
        <div class="mx-grid-scroll" ref={root}>
            <table class="mx-grid" role="grid" aria-label={text.get("matrix.grid")} onkeydown={on_key} data-testid="matrix-grid">
                <thead>
                    <tr>
                        <th scope="col">{ text.get("matrix.event") }</th>
                        <th scope="col">{ text.get("matrix.column.before") }</th>
                        { for columns.clone().map(|write| html! {
                            <th key={write} scope="col" class="num" title={text.get("matrix.column.after")}>{ write }</th>
                        }) }
                    </tr>
                </thead>
                <tbody>
                    { for moments.iter().filter(|moment| moment.cells > 0).map(|moment| row(moment, &tallies, &columns, entry, props, &text)) }
                </tbody>
            </table>
        </div>
    }
}

/// A row: what crashes before the event, and in it by column.
fn row(
    moment: &Moment,
    tallies: &BTreeMap<Spot, Tally>,
    columns: &RangeInclusive<u32>,
    entry: Option<Spot>,
    props: &Props,
    text: &Text,
) -> Html {
    let who = moment
        .turn
        .as_ref()
        .map_or_else(|| text.get("matrix.at-end"), |turn| format!("{} · {}", turn.node, turn.service));
    let what = moment.turn.as_ref().map(|turn| narrate::cause_line(&turn.what, text));
    let here = Spot { event: moment.event, write: None };
    let in_event = tallies.range(here..).map(|(spot, _)| *spot).take_while(|spot| spot.event == moment.event);
    let last = in_event.last().and_then(|spot| spot.write);
    let writes = columns.clone().filter(|write| Some(*write) <= last);
    let cell = |spot: Spot| {
        html! {
            <td role="gridcell" key={spot.write.map_or(0, |write| write + 1)}>
                if let Some(tally) = tallies.get(&spot) {
                    { button(spot, *tally, entry == Some(spot), props, moment.turn.is_none(), text) }
                }
            </td>
        }
    };
    html! {
        <tr key={moment.event.to_string()}>
            <th scope="row" title={what}>
                <span class="num dim">{ moment.event + 1 }</span>
                <span class="num dim mx-time">{ format::clock(moment.at_us) }</span>
                <span class="mx-who">{ who }</span>
            </th>
            { cell(here) }
            { for writes.map(|write| cell(Spot { event: moment.event, write: Some(write) })) }
        </tr>
    }
}

fn button(spot: Spot, tally: Tally, is_entry: bool, props: &Props, behind: bool, text: &Text) -> Html {
    let here = props.spot == Some(spot);
    let label = said(spot, tally, behind, text);
    let on_spot = props.on_spot.reform(move |()| spot);
    let on_focus = {
        let on_spot = on_spot.clone();
        Callback::from(move |_: yew::FocusEvent| on_spot.emit(()))
    };
    html! {
        <button
            type="button"
            class={classes!("mx-cell", verdict::class(tally.worst), here.then_some("is-here"))}
            tabindex={if is_entry { "0" } else { "-1" }}
            aria-label={label.clone()}
            aria-current={here.then_some("true")}
            title={label}
            onclick={on_spot.reform(|_| ())}
            onfocus={on_focus}
            data-spot={name(spot)}
        >
            <Icon glyph={verdict::glyph(tally.worst)} />
        </button>
    }
}

/// What a place came to, in a line.
fn said(spot: Spot, tally: Tally, behind: bool, text: &Text) -> String {
    let place = mark::place(spot.write, None, behind, text);
    let word = verdict::word(tally.worst, text);
    let key = if tally.worst == Verdict::ExactlyRight { "matrix.spot.right" } else { "matrix.spot.worst" };
    text.fill(
        key,
        &[
            ("event", &(spot.event + 1)),
            ("place", &place),
            ("verdict", &word),
            ("count", &tally.of_worst),
            ("cells", &tally.cells),
        ],
    )
}

/// The name of a place in the page.
fn name(spot: Spot) -> String {
    match spot.write {
        None => format!("{}-before", spot.event),
        Some(write) => format!("{}-{write}", spot.event),
    }
}

fn focus(root: &Element, spot: Spot) {
    let found = root.query_selector(&format!("[data-spot='{}']", name(spot))).ok().flatten();
    if let Some(button) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
        // Focus fails only on an element that is gone.
        let _ = button.focus();
    }
}

/// The place that a key leads to from another one; rows are events, of which some have fewer columns.
fn neighbour(spots: &[Spot], at: Spot, key: &str) -> Option<Spot> {
    let row = |event: u64| spots.iter().filter(move |spot| spot.event == event);
    let in_row = |event: u64| row(event).take_while(|spot| spot.write <= at.write).last().or_else(|| row(event).next());
    let found = match key {
        "ArrowLeft" => row(at.event).take_while(|spot| **spot < at).last(),
        "ArrowRight" => row(at.event).find(|spot| **spot > at),
        "ArrowUp" => spots.iter().rev().find(|spot| spot.event < at.event).and_then(|spot| in_row(spot.event)),
        "ArrowDown" => spots.iter().find(|spot| spot.event > at.event).and_then(|spot| in_row(spot.event)),
        "Home" => row(at.event).next(),
        "End" => row(at.event).next_back(),
        _ => None,
    };
    found.copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(event: u64, write: Option<u32>) -> Spot {
        Spot { event, write }
    }

    /// Events 1, 2 and 4; the second has three writes, the others none.
    #[test]
    fn arrows_move_by_event_and_write() {
        let spots: Vec<Spot> = [(1, None), (2, None), (2, Some(1)), (2, Some(2)), (2, Some(3)), (4, None)]
            .map(|(event, write)| spot(event, write))
            .to_vec();
        let to = |event, write, key| neighbour(&spots, spot(event, write), key);
        assert_eq!(to(2, None, "ArrowRight"), Some(spot(2, Some(1))));
        assert_eq!(to(2, Some(3), "ArrowRight"), None);
        assert_eq!(to(2, Some(1), "ArrowLeft"), Some(spot(2, None)));
        assert_eq!(to(2, Some(2), "ArrowDown"), Some(spot(4, None)));
        assert_eq!(to(4, None, "ArrowUp"), Some(spot(2, None)));
        assert_eq!(to(2, Some(2), "ArrowUp"), Some(spot(1, None)));
        assert_eq!(to(1, None, "ArrowUp"), None);
        assert_eq!(to(2, Some(1), "End"), Some(spot(2, Some(3))));
        assert_eq!(to(2, Some(3), "Home"), Some(spot(2, None)));
        assert_eq!(to(2, Some(3), "x"), None);
    }
}
