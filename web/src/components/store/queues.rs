//! The ConsumeQueues, and the units of one.

use rocketscope_engine::view::store::{QueueSummary, StoreAnswer, StoreQuery, UnitRow, UnitTarget};
use yew::{Callback, Html, Properties, classes, component, html, use_state_eq};

use super::context::{Num, Waiting, num, use_picture, use_store_context};
use super::scroll::{Scroller, Window};
use crate::components::{Glyph, Icon};
use crate::i18n::{name_of, use_text};
use crate::route::Place;

const ROW_PX: u32 = 30;

/// Units asked for at a time.
const CHUNK: i64 = 256;

/// Properties of [`Queues`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The queue whose units are shown.
    pub queue: Option<(String, i32)>,
    /// The unit that is looked at.
    pub unit: Option<i64>,
}

/// All queues, and the units of one.
#[component]
pub fn Queues(props: &Props) -> Html {
    let text = use_text();
    let asked = use_picture(Some(StoreQuery::Queues));
    let Some(StoreAnswer::Queues(queues)) = asked.store() else { return html! { <Waiting {asked} /> } };
    if queues.is_empty() {
        return html! { <div class="notice"><p>{ text.get("queues.none") }</p></div> };
    }
    let wanted = props.queue.as_ref();
    let chosen = wanted.and_then(|(topic, id)| queues.iter().find(|q| q.topic == *topic && q.queue_id == *id));
    html! {
        <div class="split">
            <section class="pane" aria-labelledby="queues-title">
                <h2 class="label" id="queues-title">{ text.get("queues.title") }</h2>
                { list(queues, chosen, &text) }
            </section>
            <section class="pane" aria-live="polite">
                if let Some(queue) = chosen {
                    <Units key={format!("{}/{}", queue.topic, queue.queue_id)} queue={queue.clone()} unit={props.unit} />
                } else if let Some((topic, id)) = wanted {
                    <div class="notice"><p>{ text.fill("queues.absent", &[("topic", topic), ("queue", id)]) }</p></div>
                } else {
                    <div class="notice"><p>{ text.get("queues.choose") }</p></div>
                }
            </section>
        </div>
    }
}

fn list(queues: &[QueueSummary], chosen: Option<&QueueSummary>, text: &crate::i18n::Text) -> Html {
    html! {
        <table class="table" data-testid="queues">
            <thead>
                <tr>
                    <th scope="col">{ text.get("queues.queue") }</th>
                    <th scope="col" class="right">{ text.get("queues.min") }</th>
                    <th scope="col" class="right">{ text.get("queues.max") }</th>
                    <th scope="col" class="right">{ text.get("queues.files") }</th>
                </tr>
            </thead>
            <tbody>
                { for queues.iter().map(|queue| {
                    let name = format!("{}/{}", queue.topic, queue.queue_id);
                    let place = Place::Queues { queue: Some((queue.topic.clone(), queue.queue_id)), unit: None };
                    html! {
                        <tr key={name.clone()} class={classes!((chosen == Some(queue)).then_some("is-here"))}>
                            <th scope="row"><Num value={name} to={place} /></th>
                            <td class="right num">{ queue.min_offset }</td>
                            <td class="right num">{ queue.max_offset }</td>
                            <td class="right num">{ queue.file_count }</td>
                        </tr>
                    }
                }) }
            </tbody>
        </table>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct UnitsProps {
    queue: QueueSummary,
    unit: Option<i64>,
}

#[component]
fn Units(props: &UnitsProps) -> Html {
    let text = use_text();
    let queue = &props.queue;
    let seen = use_state_eq(Window::default);
    let count = queue.max_offset.saturating_sub(queue.first_offset).max(0) as u64;
    let middle = queue.first_offset.saturating_add(i64::try_from(seen.first).unwrap_or(i64::MAX));
    let from = (middle - middle.rem_euclid(CHUNK / 2) - CHUNK / 2).max(queue.first_offset);
    let asked = use_picture(Some(StoreQuery::Units {
        topic: queue.topic.clone(),
        queue_id: queue.queue_id,
        from,
        limit: 2 * CHUNK as u32,
    }));
    let units = match asked.store() {
        Some(StoreAnswer::Units(window)) if window.topic == queue.topic && window.queue_id == queue.queue_id => {
            window.units.as_slice()
        }
        _ => &[],
    };
    let at = |row: u64| queue.first_offset.saturating_add(i64::try_from(row).unwrap_or(i64::MAX));
    let on_window = {
        let seen = seen.clone();
        Callback::from(move |window| seen.set(window))
    };
    let chosen = props.unit.and_then(|unit| units.iter().find(|row| row.queue_offset == unit));
    let outside = props.unit.filter(|unit| !(queue.first_offset..queue.max_offset).contains(unit));
    html! {
        <div class="units" data-testid="units">
            <h2 class="name">{ format!("{}/{}", queue.topic, queue.queue_id) }</h2>
            <p class="narration">
                { text.rich("units.says", &[
                    ("count", num(count, None)),
                    ("min", num(queue.min_offset, None)),
                    ("max", num(queue.max_offset, None)),
                ]) }
            </p>
            if let Some(unit) = chosen {
                <UnitSays unit={unit.clone()} />
            } else if let Some(unit) = outside {
                <p class="warning"><Icon glyph={Glyph::Warn} /><span>{ text.fill("units.outside", &[("unit", &unit)]) }</span></p>
            }
            <div class="units-head" aria-hidden="true">
                <span class="right">{ text.get("units.offset") }</span>
                <span class="right">{ text.get("units.physical") }</span>
                <span class="right">{ text.get("units.size") }</span>
                <span class="right">{ text.get("units.tags") }</span>
                <span>{ text.get("units.target") }</span>
            </div>
            if count > 0 {
                <Scroller
                    rows={count}
                    row_px={ROW_PX}
                    window={*seen}
                    {on_window}
                    reveal={props.unit.map(|unit| unit.saturating_sub(queue.first_offset).max(0) as u64)}
                    label={text.fill("units.label", &[("topic", &queue.topic), ("queue", &queue.queue_id)])}
                >
                    { for (seen.first..count.min(seen.first + seen.count)).map(|row| {
                        let unit = units.iter().find(|unit| unit.queue_offset == at(row));
                        html! { <UnitLine key={row} at={at(row)} unit={unit.cloned()} here={props.unit == Some(at(row))} queue={(queue.topic.clone(), queue.queue_id)} /> }
                    }) }
                </Scroller>
            } else {
                <p class="dim">{ text.get("units.none") }</p>
            }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct UnitLineProps {
    at: i64,
    unit: Option<UnitRow>,
    here: bool,
    queue: (String, i32),
}

#[component]
fn UnitLine(props: &UnitLineProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let own = Place::Queues { queue: Some(props.queue.clone()), unit: Some(props.at) };
    let sound = props.unit.as_ref().is_some_and(|unit| unit.target == UnitTarget::Ok);
    html! {
        <div class={classes!("unit", props.here.then_some("is-here"))}>
            <span class="right"><Num value={props.at.to_string()} to={own} /></span>
            if let Some(unit) = &props.unit {
                <span class="right">
                    <Num
                        value={context.position(unit.physical_offset)}
                        to={sound.then_some(Place::Record { at: unit.physical_offset })}
                    />
                </span>
                <span class="right num">{ unit.size }</span>
                <span class="right num">{ unit.tags_code }</span>
                <span class={classes!((!sound).then_some("is-bad"))}>
                    { text.get(&format!("target.{}", name_of(&unit.target))) }
                </span>
            } else {
                <span class="right dim">{ "…" }</span>
            }
        </div>
    }
}

/// Properties of [`UnitSays`].
#[derive(Clone, PartialEq, Properties)]
pub struct UnitSaysProps {
    /// The unit.
    pub unit: UnitRow,
}

/// A unit in sentences.
#[component]
pub fn UnitSays(props: &UnitSaysProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let unit = &props.unit;
    let sound = unit.target == UnitTarget::Ok;
    html! {
        <div class="card says" data-testid="unit">
            <p>
                { text.rich("unit.says", &[
                    ("unit", num(unit.queue_offset, None)),
                    ("byte", num(i128::from(unit.queue_offset) * 20, None)),
                    ("position", num(context.position(unit.position), Some(Place::Disk {
                        file: Some(unit.file.clone()),
                        at: Some(unit.position),
                    }))),
                    ("offset", num(
                        context.position(unit.physical_offset),
                        sound.then_some(Place::Record { at: unit.physical_offset }),
                    )),
                    ("size", num(unit.size, None)),
                    ("tags", num(unit.tags_code, None)),
                ]) }
            </p>
            if !sound {
                <p class="warning">
                    <Icon glyph={Glyph::Warn} />
                    <span>{ text.get(&format!("target.{}-means", name_of(&unit.target))) }</span>
                </p>
            }
        </div>
    }
}
