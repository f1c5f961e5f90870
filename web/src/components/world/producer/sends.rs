//! The sends of a producer, newest first, each with its attempts.

use rocketscope_engine::client::{SendMode, SendOutcome, Try};
use rocketscope_engine::view::producer::{PendingSend, ProducerPicture};
use yew::{Html, Properties, classes, component, html};

use crate::components::store::{format, num};
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};
use crate::route::Place;

/// The status of a message that was stored and flushed as it should be.
pub(super) const SEND_OK: &str = "SEND_OK";

/// Properties of [`Sends`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The producer.
    pub picture: ProducerPicture,
}

/// What is under way, then what has ended.
#[component]
pub(super) fn Sends(props: &Props) -> Html {
    let text = use_text();
    let picture = &props.picture;
    if picture.sends.is_empty() && picture.pending.is_empty() {
        return html! { <p class="small dim">{ text.get("producer.nothing-sent") }</p> };
    }
    let numbers = picture.first..picture.first.saturating_add(picture.sends.len() as u64);
    let ended = numbers.rev().zip(picture.sends.iter().rev());
    html! {
        <>
            <ol class="world-list" reversed={true}>
                { for picture.pending.iter().enumerate().rev().map(|(place, send)| html! {
                    <Pending key={format!("pending-{place}")} send={send.clone()} timeout_ms={picture.timeout_ms} />
                }) }
                { for ended.map(|(number, send)| html! {
                    <Ended key={format!("ended-{number}")} {number} send={send.clone()} timeout_ms={picture.timeout_ms} />
                }) }
            </ol>
            if picture.first > 0 {
                <p class="small dim">{ text.fill("producer.older", &[("count", &picture.first)]) }</p>
            }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct PendingProps {
    send: PendingSend,
    timeout_ms: i64,
}

#[component]
fn Pending(props: &PendingProps) -> Html {
    let text = use_text();
    let send = &props.send;
    html! {
        <li class="card item is-pending" data-testid="pending-send">
            <div class="item-head">
                <h4>{ title(send.name.as_ref(), &send.topic, send.mode, &text) }</h4>
                <span class="note is-pending"><Icon glyph={Glyph::Clock} />{ text.fill("producer.left", &[("left", &format::span(send.left_ms))]) }</span>
            </div>
            if send.tries.is_empty() {
                <p class="small dim">{ text.get("producer.no-route-yet") }</p>
            }
            <Tries tries={send.tries.clone()} attempts={send.attempts} began_us={send.began_us} timeout_ms={props.timeout_ms} />
        </li>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct EndedProps {
    number: u64,
    send: SendOutcome,
    timeout_ms: i64,
}

#[component]
fn Ended(props: &EndedProps) -> Html {
    let text = use_text();
    let send = &props.send;
    let good = send.status == SEND_OK;
    let took_ms = send.ended_us.saturating_sub(send.began_us) / 1000;
    html! {
        <li class="card item" data-testid={format!("send:{}", props.number)}>
            <div class="item-head">
                <h4>{ title(send.name.as_ref(), &send.topic, send.mode, &text) }</h4>
                <span class={classes!("note", if good { "is-good" } else { "is-bad" })}>
                    <Icon glyph={if good { Glyph::Tick } else { Glyph::Warn }} /><span class="mono">{ send.status.clone() }</span>
                </span>
                <span class="small num item-end">{ format::span(took_ms) }</span>
            </div>
            <Tries tries={send.tries.clone()} attempts={send.attempts} began_us={send.began_us} timeout_ms={props.timeout_ms} />
            if let (Some(queue_id), Some(offset)) = (send.queue_id, send.queue_offset) {
                <p class="small dim">
                    { text.rich("producer.stored", &[
                        ("queue", html! { <span class="num">{ format!("{}/{queue_id}", send.topic) }</span> }),
                        ("unit", num(offset, None)),
                        ("offset", num(
                            send.physical_offset.map_or_else(|| "–".to_owned(), |at| at.to_string()),
                            send.physical_offset.map(|at| Place::Record { at }),
                        )),
                    ]) }
                </p>
            }
            if let Some(error) = &send.error {
                <p class="small mono wrap">{ error.clone() }</p>
            }
        </li>
    }
}

fn title(name: Option<&String>, topic: &str, mode: SendMode, text: &Text) -> Html {
    html! {
        <>
            <b>{ name.cloned().unwrap_or_else(|| text.get("world.unnamed")) }</b>
            <span class="num dim">{ format!(" → {topic}") }</span>
            if mode != SendMode::Sync {
                <span class="small dim">{ " · " }{ text.get(&format!("producer.{}", name_of(&mode))) }</span>
            }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct TriesProps {
    tries: Vec<Try>,
    attempts: u32,
    began_us: i64,
    timeout_ms: i64,
}

/// The attempts on the time that the send may take.
#[component]
fn Tries(props: &TriesProps) -> Html {
    let text = use_text();
    let first = u64::from(props.attempts).saturating_sub(props.tries.len() as u64);
    let last_us = props.tries.iter().map(|tried| tried.ended_us.unwrap_or(tried.began_us)).max().unwrap_or(0);
    let whole_us = props.timeout_ms.saturating_mul(1000).max(last_us.saturating_sub(props.began_us)).max(1);
    let share = |us: i64| 100.0 * us.max(0) as f64 / whole_us as f64;
    html! {
        <ol class="tries">
            { for (first + 1..).zip(&props.tries).map(|(number, tried)| {
                let took_us = tried.ended_us.map(|ended_us| ended_us.saturating_sub(tried.began_us));
                let good = tried.status.as_deref() == Some(SEND_OK);
                let kind = match &tried.status {
                    None => Some("is-under-way"),
                    Some(_) if good => None,
                    Some(_) => Some("is-failed"),
                };
                let style = format!(
                    "left: {:.2}%; width: {:.2}%",
                    share(tried.began_us.saturating_sub(props.began_us)),
                    share(took_us.unwrap_or(0)),
                );
                html! {
                    <li key={number} class="try" data-testid="try">
                        <span class="num dim">{ number }</span>
                        <span class="num">{ format!("{}/{}", tried.broker_name, tried.queue_id) }</span>
                        <span class={classes!("mono", "small", tried.status.is_some().then_some(if good { "is-good" } else { "is-bad" }))}>
                            { tried.status.clone().unwrap_or_else(|| text.get("producer.under-way")) }
                        </span>
                        <span class="num right">{ took_us.map(|us| format::span(us / 1000)) }</span>
                        <span class="try-track" aria-hidden="true"><i class={classes!(kind)} {style} /></span>
                        if let Some(error) = &tried.error {
                            <span class="try-error small dim mono">{ error.clone() }</span>
                        }
                    </li>
                }
            }) }
        </ol>
    }
}
