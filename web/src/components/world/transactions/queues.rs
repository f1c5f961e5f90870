//! The half queue and the op queue, slot by slot.

use rocketscope_engine::view::transactions::{HalfSlot, HalfState, OpSlot, QueueEnds};
use yew::{Html, Properties, classes, component, html};

use super::super::HALF_TOPIC;
use super::OP_TOPIC;
use crate::components::store::{Num, format, num};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};
use crate::route::Place;

/// Properties of [`Halves`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct HalvesProps {
    /// The queue.
    pub queue: QueueEnds,
    /// Its last slots.
    pub slots: Vec<HalfSlot>,
    /// How often a message is asked about.
    pub max: i32,
}

/// The half queue.
#[component]
pub(super) fn Halves(props: &HalvesProps) -> Html {
    let text = use_text();
    html! {
        <section class="card item" aria-labelledby="half-title" data-testid="half-queue">
            <Head id="half-title" name="transactions.half" topic={HALF_TOPIC} queue={props.queue} />
            if props.slots.is_empty() {
                <p class="small dim">{ text.get("transactions.no-half") }</p>
            } else {
                <ol class="queue-list">
                    { for props.slots.iter().map(|slot| html! {
                        <Half key={slot.queue_offset} slot={slot.clone()} next={slot.queue_offset == props.queue.offset} max={props.max} />
                    }) }
                </ol>
            }
            if props.queue.offset == props.queue.max && !props.slots.is_empty() {
                <p class="small dim">{ text.get("transactions.all-passed") }</p>
            }
        </section>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct HeadProps {
    id: &'static str,
    name: &'static str,
    topic: &'static str,
    queue: QueueEnds,
}

#[component]
fn Head(props: &HeadProps) -> Html {
    let text = use_text();
    let to = Place::Queues { queue: Some((props.topic.to_owned(), 0)), unit: None };
    html! {
        <div class="item-head">
            <h3 id={props.id}>{ text.get(props.name) }</h3>
            <span class="small item-end">
                { text.rich("transactions.ends", &[
                    ("offset", num(props.queue.offset, None)),
                    ("max", num(props.queue.max, Some(to))),
                ]) }
            </span>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct HalfProps {
    slot: HalfSlot,
    next: bool,
    max: i32,
}

#[component]
fn Half(props: &HalfProps) -> Html {
    let text = use_text();
    let slot = &props.slot;
    let topic = match (&slot.real_topic, slot.real_queue) {
        (Some(topic), Some(queue)) => format!("→ {topic}/{queue}"),
        _ => text.get("transactions.nowhere"),
    };
    html! {
        <li class={classes!(props.next.then_some("is-here"))} data-testid={format!("half:{}", slot.queue_offset)} data-state={name_of(&slot.state)}>
            <Num
                value={slot.queue_offset.to_string()}
                to={Place::Queues { queue: Some((HALF_TOPIC.to_owned(), 0)), unit: Some(slot.queue_offset) }}
            />
            <div>
                <p>
                    <b>{ slot.name.clone().unwrap_or_else(|| text.get("world.unnamed")) }</b>{ " " }<span class="num">{ topic }</span>
                </p>
                <p>{ state(slot.state, &text) }</p>
                if slot.committed_to.len() > 1 {
                    <p class="note is-bad" data-testid="committed-again">
                        <Icon glyph={Glyph::Twice} />{ text.fill("transactions.committed-again", &[("units", &listed(&slot.committed_to))]) }
                    </p>
                } else if !slot.committed_to.is_empty() {
                    <p class="note is-good">
                        <Icon glyph={Glyph::Tick} />{ text.fill("transactions.committed", &[("unit", &listed(&slot.committed_to))]) }
                    </p>
                }
                <p class="small dim">
                    { text.fill("transactions.times", &[("times", &slot.check_times), ("max", &props.max)]) }
                    { " · " }{ text.fill("transactions.age", &[("age", &format::span(slot.age_ms))]) }
                    { " · " }
                    <Num
                        value={text.fill("world.record-at", &[("offset", &slot.physical_offset)])}
                        to={Place::Record { at: slot.physical_offset }}
                    />
                </p>
                if props.next {
                    <p class="small"><Icon glyph={Glyph::Next} />{ text.get("transactions.begins-here") }</p>
                }
            </div>
        </li>
    }
}

fn listed(units: &[i64]) -> String {
    units.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn state(state: HalfState, text: &Text) -> Html {
    let (class, glyph, says) = match state {
        HalfState::Open => ("is-pending", Glyph::Clock, text.get("transactions.open")),
        HalfState::Decided { op_offset } => {
            ("is-good", Glyph::Tick, text.fill("transactions.decided", &[("op", &op_offset)]))
        }
        HalfState::PutBack { to } => ("is-waiting", Glyph::Next, text.fill("transactions.put-back", &[("to", &to)])),
        HalfState::Discarded { kept } => {
            let key = if kept { "transactions.discarded-kept" } else { "transactions.discarded-lost" };
            ("is-bad", Glyph::Expire, text.get(key))
        }
        HalfState::Passed => ("is-waiting", Glyph::Right, text.get("transactions.passed")),
    };
    html! { <span class={classes!("note", class)}><Icon {glyph} />{ says }</span> }
}

/// Properties of [`Ops`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct OpsProps {
    /// The queue.
    pub queue: QueueEnds,
    /// Its last slots.
    pub slots: Vec<OpSlot>,
}

/// The op queue.
#[component]
pub(super) fn Ops(props: &OpsProps) -> Html {
    let text = use_text();
    html! {
        <section class="card item" aria-labelledby="op-title" data-testid="op-queue">
            <Head id="op-title" name="transactions.op" topic={OP_TOPIC} queue={props.queue} />
            if props.slots.is_empty() {
                <p class="small dim">{ text.get("transactions.no-op") }</p>
            } else {
                <ol class="queue-list">
                    { for props.slots.iter().map(|slot| html! {
                        <li key={slot.queue_offset} class={classes!((slot.queue_offset == props.queue.offset).then_some("is-here"))} data-testid={format!("op:{}", slot.queue_offset)}>
                            <Num
                                value={slot.queue_offset.to_string()}
                                to={Place::Queues { queue: Some((OP_TOPIC.to_owned(), 0)), unit: Some(slot.queue_offset) }}
                            />
                            <p class="small">
                                { match slot.half_offset {
                                    Some(half) => text.fill("transactions.op-says", &[("half", &half)]),
                                    None => text.get("transactions.op-unknown"),
                                } }
                                if let Some(name) = &slot.name {
                                    { " " }<b>{ name.clone() }</b>
                                }
                                { " · " }
                                <Num
                                    value={text.fill("world.record-at", &[("offset", &slot.physical_offset)])}
                                    to={Place::Record { at: slot.physical_offset }}
                                />
                            </p>
                        </li>
                    }) }
                </ol>
            }
        </section>
    }
}
