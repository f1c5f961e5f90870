//! The backlog lab: a plan by sliders, and what it comes to.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use rocketscope_engine::backlog::{Outlook, Plan};
use rocketscope_engine::view::{Answer, Query};
use wasm_bindgen::JsValue;
use yew::{Callback, Html, Properties, component, html, use_effect_with, use_mut_ref, use_state};

use crate::backend::use_ask;
use crate::components::backlog::{Chart, Controls, CurveTable, Formulas, Presets, Resources, Verdict};
use crate::components::form::Segments;
use crate::components::{Glyph, Icon};
use crate::i18n::use_text;
use crate::route::{Route, Screen};

/// How long the address waits for a slider to come to rest: browsers refuse more than a few changes a second.
const REST_MS: u32 = 250;

/// Properties of [`Backlog`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What it looks into.
    pub plan: Plan,
    /// What the address says beyond that and cannot be read.
    pub unread: Vec<String>,
    /// Another plan.
    pub on_plan: Callback<Plan>,
}

/// The backlog lab.
#[component]
pub fn Backlog(props: &Props) -> Html {
    let text = use_text();
    let shows = use_state(|| "chart");
    let error = props.plan.check().err();
    let asked = use_ask(error.is_none().then(|| Query::Backlog { plan: props.plan.clone() }), 0);
    // The last answer and the plan that it belongs to: they stay while the next one is on its way, and while a number is out
    // of its range.
    let last = use_mut_ref(|| None::<(Rc<Answer>, Plan, Rc<Outlook>)>);
    if let Some(answer) = &asked.answer
        && let Answer::Backlog(outlook) = &**answer
    {
        let mut last = last.borrow_mut();
        if !last.as_ref().is_some_and(|(known, ..)| Rc::ptr_eq(known, answer)) {
            *last = Some((Rc::clone(answer), props.plan.clone(), Rc::new((**outlook).clone())));
        }
    }
    use_effect_with((props.plan.clone(), props.unread.is_empty()), |(plan, readable)| {
        // An address that says more than can be read stays as it is until something is changed.
        let address = readable.then(|| Route::screen(Screen::backlog(plan.clone())).to_string());
        let timer = address.map(|address| Timeout::new(REST_MS, move || replace_address(&address)));
        move || drop(timer)
    });
    let on_shows = {
        let shows = shows.clone();
        Callback::from(move |what| shows.set(what))
    };
    let views = ["chart", "table"].map(|view| (view, text.get(&format!("backlog.shows.{view}"))));
    html! {
        <div class="lab" data-testid="backlog">
            <header class="lab-head">
                <h1>{ text.get("backlog.title") }</h1>
                <p class="dim">{ text.rich("backlog.about", &[]) }</p>
                if !props.unread.is_empty() {
                    <p class="warning" role="alert" data-testid="backlog-unread">
                        <Icon glyph={Glyph::Warn} />
                        <span>{ text.fill("backlog.unread", &[("words", &props.unread.join(", "))]) }</span>
                    </p>
                }
                <Presets plan={props.plan.clone()} on_plan={props.on_plan.clone()} />
            </header>
            <div class="lab-body">
                <Controls plan={props.plan.clone()} error={error} on_plan={props.on_plan.clone()} />
                if let Some((_, plan, outlook)) = last.borrow().clone() {
                    <div class="lab-answer">
                        <Verdict plan={plan.clone()} outlook={Rc::clone(&outlook)} />
                        <section class="card lab-curve" aria-label={text.get("backlog.chart.label")}>
                            <Segments
                                label={text.get("backlog.shows.label")}
                                options={views.to_vec()}
                                value={*shows}
                                on_change={on_shows}
                            />
                            if *shows == "chart" {
                                <Chart outlook={Rc::clone(&outlook)} />
                            }
                            <CurveTable outlook={Rc::clone(&outlook)} hidden={*shows == "chart"} />
                        </section>
                        <div class="lab-parts">
                            <Resources outlook={Rc::clone(&outlook)} />
                            <Formulas {plan} {outlook} />
                        </div>
                        <p class="dim small">{ text.rich("backlog.left-out", &[]) }</p>
                    </div>
                }
            </div>
        </div>
    }
}

/// Puts the plan into the address, so that it can be shared; the browser's history gets no entry for it.
fn replace_address(address: &str) {
    if let Ok(history) = gloo::utils::window().history() {
        // A browser may refuse: the address then lags until the next change.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(address));
    }
}
