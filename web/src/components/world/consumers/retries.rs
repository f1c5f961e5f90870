//! The retry ladder of each message that was not consumed at once: its deliveries, where it is, and what would come next.

use rocketscope_engine::client::consumer::DeliveryFate;
use rocketscope_engine::view::consumers::{AttemptPicture, RetriedPicture, RetriesPicture, RetryPlace};
use yew::{Html, Properties, classes, component, html};

use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// The level of the first retry: 3 and how often the message was consumed in vain.
const FIRST_LEVEL: i32 = 3;
/// Topics of messages that a group has given back begin with it.
const RETRY_PREFIX: &str = "%RETRY%";

/// Properties of [`Retries`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The messages.
    pub retries: RetriesPicture,
    /// World time, microseconds.
    pub now_us: i64,
}

/// A ladder for each message.
#[component]
pub(super) fn Retries(props: &Props) -> Html {
    let text = use_text();
    let retries = &props.retries;
    html! {
        <>
            <p class="small dim">{ text.fill("consumers.retries-say", &[("max", &retries.max_reconsume_times)]) }</p>
            if retries.messages.is_empty() {
                <p class="small dim" data-testid="no-retry">{ text.get("consumers.no-retry") }</p>
            } else {
                <ul class="world-list">
                    { for retries.messages.iter().map(|message| html! {
                        <Retried
                            key={message.msg_id.clone()}
                            message={message.clone()}
                            levels={retries.levels.clone()}
                            max={retries.max_reconsume_times}
                            now_us={props.now_us}
                        />
                    }) }
                </ul>
            }
            if retries.earlier > 0 {
                <p class="small dim">{ text.fill("consumers.earlier", &[("count", &retries.earlier)]) }</p>
            }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct RetriedProps {
    message: RetriedPicture,
    levels: Vec<(i32, i64)>,
    max: i32,
    now_us: i64,
}

#[component]
fn Retried(props: &RetriedProps) -> Html {
    let text = use_text();
    let message = &props.message;
    let name = message.name.clone().unwrap_or_else(|| message.msg_id.clone());
    let (class, glyph) = match message.place {
        RetryPlace::Consumed => ("is-good", Glyph::Tick),
        RetryPlace::DeadLetter { .. } => ("is-bad", Glyph::Expire),
        RetryPlace::Unknown => ("is-bad", Glyph::Lost),
        RetryPlace::Delayed { .. } => ("is-pending", Glyph::Clock),
        _ => ("is-pending", Glyph::Step),
    };
    let rungs = rungs(props);
    html! {
        <li class="card item" data-testid={format!("retried:{name}")}>
            <div class="item-head">
                <h4><b>{ name }</b><span class="num dim">{ format!(" → {}", message.topic) }</span></h4>
                <span class={classes!("note", class)} data-testid="retry-place"><Icon {glyph} />{ place(&message.place, props.now_us, &text) }</span>
            </div>
            if !rungs.is_empty() {
                <ol class="ladder" aria-label={text.get("consumers.ladder")}>
                    { for rungs.iter().map(|rung| draw(rung, &text)) }
                    { dead_rung(&message.place, &text) }
                </ol>
            }
            if message.earlier > 0 {
                <p class="small dim">{ text.fill("consumers.earlier-attempts", &[("count", &message.earlier)]) }</p>
            }
            <ol class="past">
                { for message.attempts.iter().enumerate().map(|(key, attempt)| html! {
                    <li {key} class={classes!("past-entry", attempt_class(attempt))} data-testid={format!("attempt:{}", attempt.reconsume_times)}>
                        <span class="num dim">{ format::clock(attempt.began_us) }</span>
                        <span>{ says(attempt, &text) }</span>
                    </li>
                }) }
            </ol>
        </li>
    }
}

/// A delay level that a message passes between two deliveries.
struct Rung {
    level: i32,
    delay_ms: i64,
    state: RungState,
}

/// How far a message is with a rung, with a time in microseconds.
enum RungState {
    /// It came out of it, and was delivered then.
    Passed(i64),
    /// It waits there until then.
    Waits(i64),
    /// It could not come out of it before then, if it went on failing.
    Ahead(i64),
    /// It does not come to it.
    Unused,
}

/// The rungs of a message that goes back to its broker between deliveries; none of one that is tried again where it is.
fn rungs(props: &RetriedProps) -> Vec<Rung> {
    let RetriedProps { message, levels, max, now_us } = props;
    let in_place = message
        .attempts
        .iter()
        .any(|attempt| attempt.reconsume_times > 0 && !attempt.queue.topic.starts_with(RETRY_PREFIX));
    if in_place {
        return Vec::new();
    }
    let mut ahead_us = match message.place {
        RetryPlace::Consumed | RetryPlace::DeadLetter { .. } | RetryPlace::Unknown => None,
        RetryPlace::Delayed { due_us, .. } => Some(due_us),
        RetryPlace::Consuming | RetryPlace::InHand { .. } | RetryPlace::InRetryTopic { .. } => Some(*now_us),
    };
    let reached = message.attempts.iter().map(|attempt| attempt.reconsume_times).max().unwrap_or(0);
    let climbed = levels.iter().filter(|(level, _)| *level >= FIRST_LEVEL).zip(1..=*max);
    climbed
        .map(|(&(level, delay_ms), times)| {
            let delivered = message.attempts.iter().find(|attempt| attempt.reconsume_times == times);
            let state = match (&message.place, delivered) {
                (_, Some(attempt)) => RungState::Passed(attempt.began_us),
                (RetryPlace::Delayed { level: at, due_us, .. }, None) if *at == level => RungState::Waits(*due_us),
                _ if times <= reached => RungState::Unused,
                _ => match &mut ahead_us {
                    Some(at_us) => {
                        *at_us = at_us.saturating_add(delay_ms.saturating_mul(1000));
                        RungState::Ahead(*at_us)
                    }
                    None => RungState::Unused,
                },
            };
            Rung { level, delay_ms, state }
        })
        .collect()
}

fn draw(rung: &Rung, text: &Text) -> Html {
    let (class, key, at_us) = match rung.state {
        RungState::Passed(at_us) => ("is-passed", "consumers.rung-passed", Some(at_us)),
        RungState::Waits(at_us) => ("is-here", "consumers.rung-waits", Some(at_us)),
        RungState::Ahead(at_us) => ("is-ahead", "consumers.rung-ahead", Some(at_us)),
        RungState::Unused => ("is-unused", "consumers.rung-unused", None),
    };
    let at = at_us.map(format::clock).unwrap_or_default();
    let says = text.fill(key, &[("level", &rung.level), ("delay", &format::span(rung.delay_ms)), ("at", &at)]);
    html! {
        <li key={rung.level} class={classes!("rung", class)} title={says.clone()} data-testid={format!("rung:{}", rung.level)}>
            <span aria-hidden="true"><b>{ rung.level }</b>{ " " }{ format::span(rung.delay_ms) }</span>
            <span class="num" aria-hidden="true">{ at }</span>
            <span class="hidden">{ says }</span>
        </li>
    }
}

fn dead_rung(place: &RetryPlace, text: &Text) -> Html {
    let here = matches!(place, RetryPlace::DeadLetter { .. });
    html! {
        <li key="dead" class={classes!("rung", if here { "is-dead" } else { "is-ahead" })}>
            <span>{ "%DLQ%" }</span>
            <span class="small">{ if here { text.get("consumers.is-dead") } else { String::new() } }</span>
        </li>
    }
}

fn place(place: &RetryPlace, now_us: i64, text: &Text) -> String {
    match place {
        RetryPlace::Consuming => text.get("consumers.place-consuming"),
        RetryPlace::InHand { node } => text.fill("consumers.place-in-hand", &[("node", node)]),
        RetryPlace::Delayed { broker, level, due_us } => {
            let left = format::span(due_us.saturating_sub(now_us).max(0) / 1000);
            text.fill("consumers.place-delayed", &[("broker", broker), ("level", level), ("left", &left)])
        }
        RetryPlace::InRetryTopic { broker, queue_offset } => {
            text.fill("consumers.place-retry", &[("broker", broker), ("offset", queue_offset)])
        }
        RetryPlace::DeadLetter { broker, queue_offset } => {
            text.fill("consumers.place-dead", &[("broker", broker), ("offset", queue_offset)])
        }
        RetryPlace::Consumed => text.get("consumers.place-consumed"),
        RetryPlace::Unknown => text.get("consumers.place-unknown"),
    }
}

fn is_success(attempt: &AttemptPicture) -> bool {
    let result = attempt.result.as_deref();
    attempt.fate == DeliveryFate::Counted && matches!(result, Some("CONSUME_SUCCESS" | "SUCCESS" | "COMMIT"))
}

fn attempt_class(attempt: &AttemptPicture) -> &'static str {
    match attempt.fate {
        DeliveryFate::Running => "is-put-off",
        _ if is_success(attempt) => "is-asked",
        _ => "is-unheard",
    }
}

fn says(attempt: &AttemptPicture, text: &Text) -> String {
    let result = attempt.result.clone().unwrap_or_else(|| "–".to_owned());
    let took = attempt
        .ended_us
        .map_or_else(String::new, |ended_us| format::span(ended_us.saturating_sub(attempt.began_us) / 1000));
    let key = match attempt.fate {
        DeliveryFate::Running => "consumers.attempt-running",
        DeliveryFate::Counted => "consumers.attempt-counted",
        DeliveryFate::Unused => "consumers.attempt-unused",
        DeliveryFate::Crashed => "consumers.attempt-crashed",
    };
    let number = attempt.reconsume_times.saturating_add(1);
    text.fill(
        key,
        &[
            ("number", &number),
            ("node", &attempt.node),
            ("thread", &attempt.thread),
            ("result", &result),
            ("took", &took),
        ],
    )
}
