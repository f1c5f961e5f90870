//! A crash between two writes of one turn, or in the middle of a write.

use rocketscope_engine::node::Service;
use rocketscope_engine::sim::{Action, DiskOp, DiskWrite, EventKind, Survives, TraceEvent};
use rocketscope_engine::view::Query;
use rocketscope_engine::view::world::NodePicture;
use yew::{Callback, Html, MouseEvent, Properties, component, html, use_callback, use_state_eq};

use super::survives::{NumberField, SurvivesChoice};
use crate::components::form::Choice;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`Panel`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The broker.
    pub node: NodePicture,
    /// The present event, where it was one of this broker's.
    pub event: Option<TraceEvent>,
    /// Events taken.
    pub position: u64,
    /// Do these, one after the other.
    pub on_do: Callback<Vec<Query>>,
}

/// Which turn is to crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// The one that was shown last, again.
    Present,
    /// The next one that writes.
    Next,
}

/// The present event, where it can be taken again with a crash in it: a turn of the broker's own that wrote.
fn again(event: Option<&TraceEvent>) -> Option<&TraceEvent> {
    event.filter(|event| !event.writes.is_empty() && !matches!(event.what, EventKind::Action { .. }))
}

/// Where the crash is, and what it is.
#[component]
pub fn Panel(props: &Props) -> Html {
    let text = use_text();
    let event = again(props.event.as_ref());
    let turn = use_state_eq(|| if event.is_some() { Turn::Present } else { Turn::Next });
    let at = use_state_eq(|| 0_u32);
    let entered = use_state_eq(|| "1".to_owned());
    let bytes = use_state_eq(String::new);
    let service = use_state_eq(String::new);
    let power = use_state_eq(|| false);
    let survives = use_state_eq(|| Some(Survives::default()));
    let on_survives = use_callback((), {
        let survives = survives.setter();
        move |entered, ()| survives.set(entered)
    });

    let turn_now = if event.is_some() { *turn } else { Turn::Next };
    let next = event.filter(|_| turn_now == Turn::Present).and_then(|event| event.writes.get(*at as usize));
    let write = match turn_now {
        Turn::Present => Some(*at),
        Turn::Next => entered.trim().parse().ok(),
    };
    let some_bytes = match bytes.trim() {
        "" => Ok(None),
        words => words.parse::<u32>().map(Some),
    };
    let torn = next.is_none_or(|next| next.op == DiskOp::Write && next.len > 1);
    let bad_bytes = torn
        && match (&some_bytes, next) {
            (Err(_), _) => true,
            (Ok(Some(bytes)), Some(next)) => u64::from(*bytes) >= next.len,
            _ => false,
        };
    let ready = write.is_some() && !bad_bytes && (!*power || survives.is_some());
    let queries = {
        let action = Action::CrashAt {
            node: props.node.name.clone(),
            service: match turn_now {
                Turn::Present => event.and_then(|event| named(&props.node, &event.service)),
                Turn::Next => named(&props.node, &service),
            },
            write: write.unwrap_or_default(),
            bytes: some_bytes.unwrap_or_default().filter(|_| torn),
            survives: if *power { *survives } else { None },
            unsent: false,
        };
        match turn_now {
            // The moment before, the trap, and the same turn once more.
            Turn::Present => {
                vec![Query::Seek { position: props.position.saturating_sub(1) }, Query::Act { action }, Query::Step]
            }
            Turn::Next => vec![Query::Act { action }],
        }
    };
    let on_click = props.on_do.reform(move |_: MouseEvent| queries.clone());
    html! {
        <>
            <p>{ text.rich("fault.write-means", &[]) }</p>
            <fieldset class="survives">
                <legend>{ text.get("fault.turn") }</legend>
                { for [Turn::Present, Turn::Next].into_iter().map(|which| {
                    let (key, off) = match which {
                        Turn::Present => ("present", event.is_none()),
                        Turn::Next => ("next", false),
                    };
                    let words = match event.filter(|_| which == Turn::Present) {
                        Some(event) => text.fill("fault.turn-present-is", &[
                            ("event", &(event.seq + 1)),
                            ("service", &event.service),
                            ("count", &event.writes.len()),
                        ]),
                        None => text.get(&format!("fault.turn-{key}-means")),
                    };
                    let turn = turn.clone();
                    html! {
                        <div {key} class="choice-row">
                            <label>
                                <input
                                    type="radio"
                                    name="turn"
                                    disabled={off}
                                    checked={turn_now == which}
                                    onchange={Callback::from(move |_: yew::Event| turn.set(which))}
                                    data-testid={format!("turn:{key}")}
                                />
                                <span>
                                    <b>{ text.get(&format!("fault.turn-{key}")) }</b>
                                    <span class="dim small">{ words }</span>
                                </span>
                            </label>
                        </div>
                    }
                }) }
            </fieldset>
            if let Some(event) = event.filter(|_| turn_now == Turn::Present) {
                <Cuts writes={event.writes.clone()} at={*at} on_at={Callback::from({ let at = at.clone(); move |to| at.set(to) })} />
            } else {
                <div class="choice-numbers">
                    <Choice
                        label={text.get("fault.service")}
                        options={services(&props.node, &text)}
                        value={if service.is_empty() { text.get("fault.any-service") } else { (*service).clone() }}
                        on_change={Callback::from({ let service = service.clone(); move |to| service.set(to) })}
                    />
                    <NumberField
                        id="write"
                        label={text.get("fault.after")}
                        value={(*entered).clone()}
                        bad={write.is_none()}
                        on_change={Callback::from({ let entered = entered.clone(); move |to| entered.set(to) })}
                    />
                </div>
            }
            if torn {
                <NumberField
                    id="bytes"
                    label={bytes_label(next, &text)}
                    value={(*bytes).clone()}
                    bad={bad_bytes}
                    on_change={Callback::from({ let bytes = bytes.clone(); move |to| bytes.set(to) })}
                />
            }
            <fieldset class="survives">
                <legend>{ text.get("fault.how") }</legend>
                { for [(false, "kill"), (true, "power")].into_iter().map(|(which, key)| {
                    let power = power.clone();
                    html! {
                        <div {key} class="choice-row">
                            <label>
                                <input
                                    type="radio"
                                    name="how"
                                    checked={*power == which}
                                    onchange={Callback::from({ let power = power.clone(); move |_: yew::Event| power.set(which) })}
                                    data-testid={format!("how:{key}")}
                                />
                                <span><b>{ text.get(&format!("fault.how-{key}")) }</b></span>
                            </label>
                        </div>
                    }
                }) }
            </fieldset>
            if *power {
                <SurvivesChoice on_change={on_survives} />
            }
            <button type="button" class="button danger" disabled={!ready} onclick={on_click} data-testid="fault-crash">
                <Icon glyph={Glyph::Cut} />
                { text.get(if turn_now == Turn::Present { "fault.crash-do" } else { "fault.trap-do" }) }
            </button>
        </>
    }
}

fn bytes_label(next: Option<&DiskWrite>, text: &Text) -> String {
    match next {
        Some(next) => text.fill("fault.bytes-of", &[("len", &next.len)]),
        None => text.get("fault.bytes"),
    }
}

/// The services of a broker by name, any of them first.
fn services(node: &NodePicture, text: &Text) -> Vec<String> {
    std::iter::once(text.get("fault.any-service"))
        .chain(node.services.iter().map(|service| service.name().to_owned()))
        .collect()
}

fn named(node: &NodePicture, name: &str) -> Option<Service> {
    node.services.iter().copied().find(|service| service.name() == name)
}

#[derive(Clone, PartialEq, Properties)]
struct CutsProps {
    writes: Vec<DiskWrite>,
    at: u32,
    on_at: Callback<u32>,
}

/// The operations of a turn, and the places between them.
#[component]
fn Cuts(props: &CutsProps) -> Html {
    let text = use_text();
    let all = props.writes.len();
    html! {
        <fieldset class="survives">
            <legend>{ text.get("fault.where") }</legend>
            <ol class="cuts">
                { for props.writes.iter().zip(0_u32..).map(|(write, at)| {
                    let on_at = props.on_at.reform(move |_: yew::Event| at);
                    let place = match write.op {
                        DiskOp::Write | DiskOp::Flush => format!("{} @ {} + {}", write.path, write.offset, write.len),
                        _ => write.path.clone(),
                    };
                    html! {
                        <li key={at}>
                            <label class="cut">
                                <input
                                    type="radio"
                                    name="cut"
                                    checked={props.at == at}
                                    onchange={on_at}
                                    data-testid={format!("cut:{at}")}
                                />
                                <Icon glyph={Glyph::Cut} />
                                <span>{ text.fill("fault.cut", &[("done", &at), ("all", &all)]) }</span>
                            </label>
                            <p class="cut-op small mono">
                                { text.get(&format!("disk-op.{}", name_of(&write.op))) }{ " " }{ place }
                            </p>
                        </li>
                    }
                }) }
            </ol>
        </fieldset>
    }
}
