//! The numbers of a plan: each a slider, and a line to type the exact value into.

use rocketscope_engine::backlog::{Arrival, Plan, PlanError};
use web_sys::HtmlInputElement;
use yew::{Callback, Html, Properties, TargetCast, component, html, use_callback, use_memo, use_state};

use super::field::{self, Field};
use super::number::{decimal, span, typed};
use super::scale::{filled, place_of};
use crate::components::form::{Segments, Tick};
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`Controls`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The plan.
    pub plan: Plan,
    /// What is wrong with it.
    pub error: Option<PlanError>,
    /// Another plan.
    pub on_plan: Callback<Plan>,
}

/// All controls, in groups.
#[component]
pub fn Controls(props: &Props) -> Html {
    let text = use_text();
    let slider = |field: &'static Field| {
        html! {
            <Slider
                key={field.name}
                name={field.name}
                plan={props.plan.clone()}
                error={said(field, props.error.as_ref(), &text)}
                on_plan={props.on_plan.clone()}
            />
        }
    };
    let group = |key: &str, controls: Html| {
        let id = format!("backlog-{key}");
        html! {
            <fieldset class="lab-group" aria-labelledby={id.clone()}>
                <legend class="label" {id}>{ text.get(&format!("backlog.group.{key}")) }</legend>
                { controls }
            </fieldset>
        }
    };
    let change = |set: fn(&mut Plan, bool)| {
        let plan = props.plan.clone();
        props.on_plan.reform(move |on| {
            let mut plan = plan.clone();
            set(&mut plan, on);
            plan
        })
    };
    let has = (props.plan.connections.is_some(), props.plan.permits_per_s.is_some());
    let bounded = change(|plan, on| plan.connections = on.then_some(100));
    let throttled = change(|plan, on| plan.permits_per_s = on.then_some(3000));
    html! {
        <form class="lab-controls" onsubmit={|event: yew::SubmitEvent| event.prevent_default()}>
            { group("messages", html! {
                <>
                    { slider(&field::BEHIND) }
                    { slider(&field::IN_PER_S) }
                    <ArrivalChoice plan={props.plan.clone()} on_plan={props.on_plan.clone()} />
                    { match props.plan.arrival {
                        Arrival::Steady => html! {},
                        Arrival::Bursts { .. } => html! {
                            <>
                                { slider(&field::PEAK) }{ slider(&field::FROM) }
                                { slider(&field::LASTS) }{ slider(&field::EVERY) }
                            </>
                        },
                        Arrival::Random { .. } => html! { <>{ slider(&field::SWING) }{ slider(&field::SEED) }</> },
                    } }
                </>
            }) }
            { group("call", html! {
                <>{ slider(&field::CPU) }{ slider(&field::WAIT) }{ slider(&field::BATCH) }</>
            }) }
            { group("group", html! {
                <>
                    { slider(&field::INSTANCES) }
                    { slider(&field::THREADS) }
                    { slider(&field::CORES) }
                    <Tick
                        id="backlog-orderly"
                        label={text.get("backlog.orderly")}
                        value={props.plan.orderly}
                        on_change={change(|plan, on| plan.orderly = on)}
                    />
                </>
            }) }
            { group("topic", html! { <>{ slider(&field::QUEUES) }{ slider(&field::SKEW) }</> }) }
            { group("outside", html! {
                <>
                    <Tick id="backlog-bounded" label={text.get("backlog.bounded")} value={has.0} on_change={bounded} />
                    if has.0 {
                        { slider(&field::CONNECTIONS) }{ slider(&field::HELD) }
                    }
                    <Tick id="backlog-throttled" label={text.get("backlog.throttled")} value={has.1} on_change={throttled} />
                    if has.1 {
                        { slider(&field::PERMITS) }
                    }
                </>
            }) }
            { group("shown", slider(&field::HORIZON)) }
        </form>
    }
}

/// What is wrong with the value of a field.
fn said(field: &Field, error: Option<&PlanError>, text: &Text) -> Option<String> {
    match error? {
        PlanError::OutOfRange { field: name, min, max, .. } if name == field.name => Some(text.fill(
            "backlog.out-of-range",
            &[("min", &decimal(*min, field.decimals)), ("max", &decimal(*max, field.decimals))],
        )),
        PlanError::NoTime if ["cpuUs", "waitUs"].contains(&field.name) => Some(text.get("backlog.no-time")),
        _ => None,
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ArrivalProps {
    plan: Plan,
    on_plan: Callback<Plan>,
}

/// How messages come in.
#[component]
fn ArrivalChoice(props: &ArrivalProps) -> Html {
    let text = use_text();
    let options = ["steady", "bursts", "random"].map(|kind| (kind, text.get(&format!("backlog.arrival.{kind}"))));
    let now = name_of(&props.plan.arrival);
    let plan = props.plan.clone();
    let on_change = props.on_plan.reform(move |kind| {
        let arrival = match kind {
            "bursts" => Arrival::Bursts {
                peak_per_s: plan.in_per_s.saturating_mul(4).clamp(10, 10_000_000),
                from_s: 600,
                lasts_s: 600,
                every_s: 0,
            },
            "random" => Arrival::Random { swing_percent: 50, seed: 1 },
            _ => Arrival::Steady,
        };
        Plan { arrival, ..plan.clone() }
    });
    html! {
        <Segments
            label={text.get("backlog.arrival.label")}
            value={options.iter().map(|(kind, _)| *kind).find(|kind| *kind == now).unwrap_or("steady")}
            options={options.to_vec()}
            {on_change}
        />
    }
}

#[derive(Clone, PartialEq, Properties)]
struct SliderProps {
    name: &'static str,
    plan: Plan,
    error: Option<String>,
    on_plan: Callback<Plan>,
}

/// A slider over round values, and a line that takes every value.
#[component]
fn Slider(props: &SliderProps) -> Html {
    let text = use_text();
    let draft = use_state(|| None::<String>);
    let stops = use_memo(props.name, |name| field::named(name).map(|field| (field.stops)()).unwrap_or_default());
    let set =
        use_callback((props.name, props.plan.clone(), props.on_plan.clone()), |value: u64, (name, plan, on_plan)| {
            let Some(field) = field::named(name) else { return };
            if (field.get)(plan) != value {
                let mut plan = plan.clone();
                (field.set)(&mut plan, value);
                on_plan.emit(plan);
            }
        });
    let Some(field) = field::named(props.name) else { return html! {} };
    let value = (field.get)(&props.plan);
    let shown = decimal(value, field.decimals);
    let unit = text.get(&format!("backlog.unit.{}", field.unit));
    let told = if field.unit == "seconds" { span(value.saturating_mul(1000)) } else { format!("{shown} {unit}") };
    let error = match &*draft {
        Some(words) if typed(words, field.decimals).is_none() => Some(text.get("backlog.not-a-number")),
        _ => props.error.clone(),
    };
    let on_slide = {
        let (set, draft, stops) = (set.clone(), draft.clone(), stops.clone());
        move |event: yew::InputEvent| {
            let place: usize = event.target_unchecked_into::<HtmlInputElement>().value().parse().unwrap_or(0);
            draft.set(None);
            if let Some(stop) = stops.get(place) {
                set.emit(*stop);
            }
        }
    };
    let on_type = {
        let (draft, decimals) = (draft.clone(), field.decimals);
        move |event: yew::InputEvent| {
            let words = event.target_unchecked_into::<HtmlInputElement>().value();
            if let Some(value) = typed(&words, decimals) {
                set.emit(value);
            }
            draft.set(Some(words));
        }
    };
    let on_leave = {
        let draft = draft.clone();
        move |_: yew::FocusEvent| draft.set(None)
    };
    let label = text.get(&format!("backlog.field.{}", field.name));
    let (id, wrong) = (format!("backlog-{}", field.name), format!("backlog-{}-error", field.name));
    html! {
        <div class="lab-field">
            <label for={id.clone()}>{ label.clone() }</label>
            <span class="lab-value">
                <input
                    class="field mono"
                    id={id.clone()}
                    inputmode="decimal"
                    autocomplete="off"
                    value={(*draft).clone().unwrap_or(shown)}
                    aria-invalid={error.is_some().to_string()}
                    aria-describedby={error.as_ref().map(|_| wrong.clone())}
                    oninput={on_type}
                    onblur={on_leave}
                    data-testid={id.clone()}
                />
                <span class="lab-unit">{ field.says_unit().then_some(unit) }</span>
            </span>
            <input
                type="range"
                min="0"
                max={stops.len().saturating_sub(1).to_string()}
                step="1"
                value={place_of(value, &stops).to_string()}
                style={filled(place_of(value, &stops), stops.len())}
                aria-label={label}
                aria-valuetext={told}
                oninput={on_slide}
                data-testid={format!("{id}-slider")}
            />
            if let Some(error) = error {
                <span class="field-error" id={wrong} role="alert">{ error }</span>
            }
        </div>
    }
}
