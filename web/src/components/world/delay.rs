//! The delay levels of a broker: what waits on each, which message decides, and how far the progress is saved.

use rocketscope_engine::view::delay::{DelayPicture, LevelPicture, WaitingPicture};
use rocketscope_engine::view::{Answer, Query};
use yew::{Html, Properties, classes, component, html};

use super::SCHEDULE_TOPIC;
use crate::backend::use_ask;
use crate::components::store::{Num, Waiting, format, num, use_store_context};
use crate::components::{Glyph, Icon, name};
use crate::i18n::{Text, use_text};
use crate::route::Place;

/// Properties of [`DelayPane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The broker's node.
    pub node: String,
}

/// The delay levels of a broker.
#[component]
pub fn DelayPane(props: &Props) -> Html {
    let context = use_store_context();
    let asked = use_ask(Some(Query::Delay { node: props.node.clone() }), context.revision);
    match asked.answer.as_deref() {
        Some(Answer::Delay(picture)) => html! { <Levels picture={(**picture).clone()} /> },
        _ => html! { <Waiting {asked} /> },
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LevelsProps {
    picture: DelayPicture,
}

#[component]
fn Levels(props: &LevelsProps) -> Html {
    let text = use_text();
    let picture = &props.picture;
    let (used, idle): (Vec<&LevelPicture>, Vec<&LevelPicture>) =
        picture.levels.iter().partition(|level| level.max > 0 || !level.waiting.is_empty());
    html! {
        <div class="pane world" data-testid="delay">
            <h2 class="label">{ text.rich("delay.title", &[("node", name(&picture.node))]) }</h2>
            <p class="narration">{ text.rich("delay.says", &[("topic", html! { <code>{ SCHEDULE_TOPIC }</code> })]) }</p>
            if picture.levels.is_empty() {
                <p class="notice">{ text.get("delay.down") }</p>
            } else {
                <p class="small dim">{ text.rich("delay.clock", &[("now", num(format::time(picture.now_ms), None))]) }</p>
                if !picture.delivers {
                    <p class="warning"><Icon glyph={Glyph::Warn} /><span>{ text.get("delay.idle-node") }</span></p>
                }
                <ul class="world-list">
                    { for used.into_iter().map(|level| html! {
                        <Level key={level.level} level={level.clone()} now_ms={picture.now_ms} />
                    }) }
                </ul>
                <h3 class="label">{ text.get("delay.idle") }</h3>
                <ul class="chips">
                    { for idle.into_iter().map(|level| html! {
                        <li key={level.level} class="chip">
                            <b>{ level.level }</b>{ format::span(level.delay_ms) }
                        </li>
                    }) }
                </ul>
            }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct LevelProps {
    level: LevelPicture,
    now_ms: i64,
}

#[component]
fn Level(props: &LevelProps) -> Html {
    let text = use_text();
    let level = &props.level;
    let due = level.next_due_ms.map(|due_ms| match due_ms.saturating_sub(props.now_ms) {
        left if left > 0 => text.fill("delay.next", &[("left", &format::span(left))]),
        _ => text.get("delay.next-now"),
    });
    let queue = Place::Queues { queue: Some((SCHEDULE_TOPIC.to_owned(), level.queue_id)), unit: None };
    let hidden = level.max.saturating_sub(level.next).saturating_sub(level.waiting.len() as i64);
    html! {
        <li class="card item" data-testid={format!("level:{}", level.level)}>
            <div class="item-head">
                <h3>
                    { text.fill("delay.level", &[("level", &level.level)]) }{ " · " }
                    <span class="num">{ format::span(level.delay_ms) }</span>
                </h3>
                if let Some(due) = due {
                    <span class="small item-end">{ due }</span>
                }
            </div>
            <Progress level={level.clone()} />
            <dl class="facts">
                <dt>{ text.get("delay.saved") }</dt>
                <dd>{ num(level.persisted, Some(Place::Disk { file: Some("config/delayOffset.json".to_owned()), at: None })) }</dd>
                <dt>{ text.get("delay.memory") }</dt><dd class="num">{ level.offset }</dd>
                if level.next != level.offset {
                    <dt>{ text.get("delay.looks-at") }</dt><dd class="num">{ level.next }</dd>
                }
                <dt>{ text.get("delay.end") }</dt><dd>{ num(level.max, Some(queue)) }</dd>
            </dl>
            if level.offset > level.persisted {
                <p class="small">{ text.count("delay.again", level.offset.saturating_sub(level.persisted)) }</p>
            }
            if level.pending > 0 {
                <p class="small">{ text.count("delay.pending", i64::from(level.pending)) }</p>
            }
            if level.stuck {
                <p class="warning"><Icon glyph={Glyph::Warn} /><span>{ text.get("delay.stuck") }</span></p>
            }
            if level.waiting.is_empty() {
                <p class="small dim">{ text.get("delay.none") }</p>
            } else {
                <ol class="queue-list" aria-label={text.fill("delay.waiting", &[("level", &level.level)])}>
                    { for level.waiting.iter().map(|message| {
                        let head = level.waiting.first();
                        html! { <Message key={message.queue_offset} level={level.clone()} message={message.clone()} head_ms={head.map_or(0, |head| head.due_ms)} now_ms={props.now_ms} /> }
                    }) }
                </ol>
            }
            if hidden > 0 {
                <p class="small dim">{ text.count("delay.more", hidden) }</p>
            }
        </li>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ProgressProps {
    level: LevelPicture,
}

/// The queue from its first unit to its end: delivered and saved, delivered and not saved, waiting.
#[component]
fn Progress(props: &ProgressProps) -> Html {
    let text = use_text();
    let level = &props.level;
    let start = level.min.min(level.persisted);
    let saved = level.persisted.saturating_sub(start).max(0);
    let memory = level.offset.saturating_sub(level.persisted).max(0);
    let waiting = level.max.saturating_sub(level.offset).max(0);
    let parts = [("saved", saved), ("memory", memory), ("waits", waiting)];
    let says = text.fill("delay.progress", &[("saved", &saved), ("memory", &memory), ("waiting", &waiting)]);
    html! {
        <div>
            <div class="parts" role="img" aria-label={says.clone()}>
                { for parts.into_iter().filter(|(_, units)| *units > 0).map(|(class, units)| html! {
                    <span key={class} class={classes!("part", class)} style={format!("flex-grow: {units}")} />
                }) }
            </div>
            <p class="small dim" aria-hidden="true">{ says }</p>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct MessageProps {
    level: LevelPicture,
    message: WaitingPicture,
    head_ms: i64,
    now_ms: i64,
}

/// A message that waits.
#[component]
fn Message(props: &MessageProps) -> Html {
    let text = use_text();
    let message = &props.message;
    let queue = (SCHEDULE_TOPIC.to_owned(), props.level.queue_id);
    let is_head = props.level.waiting.first() == Some(message);
    let note = if is_head {
        Some("delay.head")
    } else if message.due_ms < props.head_ms {
        Some("delay.behind")
    } else {
        None
    };
    html! {
        <li class={classes!(is_head.then_some("is-here"))} data-testid={format!("waiting:{}", message.queue_offset)}>
            <Num
                value={message.queue_offset.to_string()}
                to={Place::Queues { queue: Some(queue), unit: Some(message.queue_offset) }}
            />
            <div>
                <p>
                    <b>{ message.name.clone().unwrap_or_else(|| text.get("world.unnamed")) }</b>{ " " }
                    { for_topic(message, &text) }
                </p>
                <p class="small dim">
                    { due(message.due_ms, props.now_ms, &text) }
                    { " · " }
                    <Num
                        value={text.fill("world.record-at", &[("offset", &message.physical_offset)])}
                        to={Place::Record { at: message.physical_offset }}
                    />
                </p>
                if let Some(note) = note {
                    <p class="small"><Icon glyph={if is_head { Glyph::Next } else { Glyph::Pause }} />{ text.get(note) }</p>
                }
            </div>
        </li>
    }
}

fn for_topic(message: &WaitingPicture, text: &Text) -> Html {
    match (&message.real_topic, message.real_queue) {
        (Some(topic), Some(queue)) => html! { <span class="num">{ format!("→ {topic}/{queue}") }</span> },
        (Some(topic), None) => html! { <span class="num">{ format!("→ {topic}") }</span> },
        (None, _) => html! { <span class="is-bad">{ text.get("delay.nowhere") }</span> },
    }
}

fn due(due_ms: i64, now_ms: i64, text: &Text) -> String {
    let at = format::time(due_ms);
    match due_ms.saturating_sub(now_ms) {
        left if left > 0 => text.fill("delay.due-in", &[("at", &at), ("left", &format::span(left))]),
        late => text.fill("delay.due-since", &[("at", &at), ("late", &format::span(late.saturating_neg()))]),
    }
}
