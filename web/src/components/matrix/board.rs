//! What came of the crashes: sums, a grid or a table of them, and the place that is looked at.

use rocketscope_engine::matrix::{Cell, Fault};
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use super::detail::Detail;
use super::grid::Grid;
use super::mark;
use super::pick::{Spot, is_of};
use super::summary::Summary;
use super::table::CellTable;
use crate::components::form::{Choice, Segments};
use crate::i18n::use_text;
use crate::screens::Results;

/// Properties of [`Board`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The matrix.
    pub results: Results,
    /// Only this fault, by its text; `None`: all.
    pub fault: Option<String>,
    /// Only this node; `None`: all.
    pub target: Option<String>,
    /// Another fault.
    pub on_fault: Callback<Option<String>>,
    /// Another node.
    pub on_target: Callback<Option<String>>,
    /// A world is to be opened.
    pub on_open: Callback<Cell>,
}

/// The board.
#[component]
pub fn Board(props: &Props) -> Html {
    let text = use_text();
    let shows = use_state_eq(|| "grid");
    let spot = use_state_eq(|| None::<Spot>);
    let plan = &props.results.plan;
    let all = text.get("matrix.all");
    let faults: Vec<String> = plan.faults.iter().map(Fault::to_string).collect();
    let fault_names = plan.faults.iter().map(|fault| mark::fault(*fault, &text));
    let views = ["grid", "table"].map(|view| (view, text.get(&format!("matrix.shows.{view}"))));
    let wish = |on: &Callback<Option<String>>| on.reform(|value: String| Some(value).filter(|value| !value.is_empty()));
    let on_spot = {
        let spot = spot.setter();
        Callback::from(move |to| spot.set(Some(to)))
    };
    let on_shows = {
        let shows = shows.setter();
        Callback::from(move |to| shows.set(to))
    };
    let (fault, target) = (props.fault.as_deref(), props.target.as_deref());
    let cells: Vec<Cell> = {
        let here = |cell: &&Cell| Some(Spot::of(cell)) == *spot && is_of(cell, fault, target);
        props.results.cells().iter().filter(here).cloned().collect()
    };
    let turn = spot.and_then(|spot| props.results.moments.get(usize::try_from(spot.event).ok()?).cloned());
    html! {
        <>
            <Summary results={props.results.clone()} fault={props.fault.clone()} target={props.target.clone()} />
            <section class="card mx-board" aria-label={text.get("matrix.board")}>
                <div class="mx-bar">
                    <Segments label={text.get("matrix.shows.label")} options={views.to_vec()} value={*shows} on_change={on_shows} />
                    <Choice
                        id="matrix-by-fault"
                        label={text.get("matrix.by-fault")}
                        options={faults}
                        names={fault_names.collect::<Vec<_>>()}
                        none={all.clone()}
                        value={props.fault.clone().unwrap_or_default()}
                        on_change={wish(&props.on_fault)}
                    />
                    if plan.targets.len() > 1 {
                        <Choice
                            id="matrix-by-target"
                            label={text.get("matrix.by-target")}
                            options={plan.targets.clone()}
                            none={all}
                            value={props.target.clone().unwrap_or_default()}
                            on_change={wish(&props.on_target)}
                        />
                    }
                </div>
                if *shows == "grid" {
                    <div class="mx-look">
                        <Grid
                            results={props.results.clone()}
                            fault={props.fault.clone()}
                            target={props.target.clone()}
                            spot={*spot}
                            {on_spot}
                        />
                        <Detail moment={turn} {cells} spot={*spot} on_open={props.on_open.clone()} />
                    </div>
                } else {
                    <CellTable
                        results={props.results.clone()}
                        fault={props.fault.clone()}
                        target={props.target.clone()}
                        on_open={props.on_open.clone()}
                    />
                }
            </section>
        </>
    }
}
