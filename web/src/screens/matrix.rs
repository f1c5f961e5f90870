//! The crash matrix: what crashes, how far it is, and what came of it.

use rocketscope_engine::matrix::Cell;
use rocketscope_engine::view::Query;
use web_sys::Element;
use yew::{Callback, Html, Properties, component, html, use_effect_with, use_node_ref, use_state_eq};

use super::matrix_run::{CrashMatrix, Phase, Results};
use crate::components::matrix::{Board, Setup};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`CrashMatrixScreen`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The matrix of the page.
    pub matrix: CrashMatrix,
    /// A world is to be opened: the question that opens it.
    pub on_open: Callback<Query>,
}

/// The screen.
#[component]
pub fn CrashMatrixScreen(props: &Props) -> Html {
    let text = use_text();
    let fault = use_state_eq(|| None::<String>);
    let target = use_state_eq(|| None::<String>);
    let results = props.matrix.results.clone();
    let going = results.as_ref().is_some_and(Results::is_going);
    let answer = use_node_ref();
    // On a narrow screen the answer is below the form: who begins wants to see it.
    use_effect_with(going, {
        let answer = answer.clone();
        move |going: &bool| {
            let height = gloo::utils::window().inner_height().ok().and_then(|height| height.as_f64());
            if let (true, Some(answer), Some(height)) = (*going, answer.cast::<Element>(), height)
                && answer.get_bounding_client_rect().top() > height
            {
                answer.scroll_into_view();
            }
        }
    });
    let on_begin = {
        let (fault, target, begin) = (fault.setter(), target.setter(), props.matrix.on_begin.clone());
        Callback::from(move |plan| {
            fault.set(None);
            target.set(None);
            begin.emit(plan);
        })
    };
    let on_fault = {
        let fault = fault.setter();
        Callback::from(move |to| fault.set(to))
    };
    let on_target = {
        let target = target.setter();
        Callback::from(move |to| target.set(to))
    };
    let on_open = {
        let (results, open) = (results.clone(), props.on_open.clone());
        Callback::from(move |cell: Cell| {
            if let Some(results) = &results {
                open.emit(opens(results, &cell));
            }
        })
    };
    html! {
        <div class="mx" data-testid="matrix">
            <header class="mx-head">
                <h1>{ text.get("matrix.title") }</h1>
                <p class="dim">{ text.rich("matrix.about", &[]) }</p>
            </header>
            <div class="mx-body">
                <Setup {going} {on_begin} on_stop={props.matrix.on_stop.clone()} />
                <div class="mx-answer" ref={answer}>
                    if let Some(results) = results {
                        <Progress results={results.clone()} />
                        if !results.moments.is_empty() {
                            <Board
                                {results}
                                {on_open}
                                fault={(*fault).clone()}
                                target={(*target).clone()}
                                {on_fault}
                                {on_target}
                            />
                        }
                    } else {
                        <p class="mx-none dim">{ text.get("matrix.none") }</p>
                    }
                </div>
            </div>
        </div>
    }
}

/// The question that opens the world of a cell.
fn opens(results: &Results, cell: &Cell) -> Query {
    let plan = &results.plan;
    Query::OpenRun {
        cluster: Box::new(plan.cluster.clone()),
        seed: plan.seed,
        actions: plan.actions_of(cell),
        length: cell.position,
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ProgressProps {
    results: Results,
}

/// How far it is.
#[component]
fn Progress(props: &ProgressProps) -> Html {
    let text = use_text();
    let results = &props.results;
    if let Phase::Failed(cause) = &results.phase {
        return html! {
            <p class="warning" role="alert" data-testid="matrix-failed">
                <Icon glyph={Glyph::Warn} /><span>{ text.fill("matrix.failed", &[("cause", cause)]) }</span>
            </p>
        };
    }
    html! {
        <div class="mx-progress">
            <progress
                max={results.total.max(1).to_string()}
                value={results.count().to_string()}
                aria-label={text.get("matrix.progress")}
            />
            <p class="small" role="status" data-testid="matrix-progress">{ says(results, &text) }</p>
        </div>
    }
}

fn says(results: &Results, text: &Text) -> String {
    let rate = format!("{:.0}", results.rate());
    let none = results.count() == 0;
    let slots: [(&str, &dyn std::fmt::Display); 3] =
        [("done", &results.count()), ("total", &results.total), ("rate", &rate)];
    match results.phase {
        Phase::Walking | Phase::Failed(_) => text.get("matrix.walking"),
        Phase::Playing => text.fill("matrix.playing", &slots),
        Phase::Stopped if none => text.get("matrix.stopped-first"),
        Phase::Stopped => text.fill("matrix.stopped", &slots),
        Phase::Done => text.fill("matrix.done", &slots),
    }
}
