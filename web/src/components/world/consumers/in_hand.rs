//! What members have in hand of each queue: messages between pull and commit, and what the next pull waits for.

use rocketscope_engine::view::consumers::{HolderPicture, InHand, InHandState, PullingPicture, QueuePicture};
use yew::{Html, Properties, classes, component, html};

use super::owners::Owners;
use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`InHands`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The queues.
    pub queues: Vec<QueuePicture>,
    /// The members' letters.
    pub owners: Owners,
    /// World time, microseconds.
    pub now_us: i64,
}

/// A card for each queue that something is in hand of, or that does not get on.
#[component]
pub(super) fn InHands(props: &Props) -> Html {
    let text = use_text();
    let hands = props.queues.iter().flat_map(|queue| queue.holders.iter().map(move |holder| (queue, holder)));
    let (shown, idle): (Vec<_>, Vec<_>) = hands.partition(|(_, holder)| {
        holder.count > 0 || !holder.messages.is_empty() || holder.dropped || is_blocked(&holder.pulling)
    });
    html! {
        <>
            if shown.is_empty() {
                <p class="small dim" data-testid="nothing-in-hand">{ text.get("consumers.nothing-in-hand") }</p>
            } else {
                <ul class="world-list">
                    { for shown.into_iter().map(|(queue, holder)| html! {
                        <Hand
                            key={format!("{}/{}/{}/{}", queue.queue.topic, queue.queue.broker_name, queue.queue.queue_id, holder.node)}
                            queue={queue.clone()}
                            holder={holder.clone()}
                            owners={props.owners.clone()}
                            now_us={props.now_us}
                        />
                    }) }
                </ul>
            }
            if !idle.is_empty() {
                <details class="more">
                    <summary>{ text.count("consumers.idle", idle.len() as i64) }</summary>
                    <ul class="small in-words">
                        { for idle.into_iter().map(|(queue, holder)| html! {
                            <li key={format!("{}/{}/{}/{}", queue.queue.topic, queue.queue.broker_name, queue.queue.queue_id, holder.node)}>
                                <span class="mono">{ format!("{} {}/{}", holder.node, queue.queue.topic, queue.queue.queue_id) }</span>{ ": " }
                                { pulling(&holder.pulling, props.now_us, &text) }
                            </li>
                        }) }
                    </ul>
                </details>
            }
        </>
    }
}

/// Whether something in the client keeps a queue from being pulled.
fn is_blocked(pulling: &PullingPicture) -> bool {
    matches!(
        pulling,
        PullingPicture::Count { .. }
            | PullingPicture::Size { .. }
            | PullingPicture::Span { .. }
            | PullingPicture::Suspended
            | PullingPicture::NotLocked
            | PullingPicture::NotSubscribed
    )
}

#[derive(Clone, PartialEq, Properties)]
struct HandProps {
    queue: QueuePicture,
    holder: HolderPicture,
    owners: Owners,
    now_us: i64,
}

#[component]
fn Hand(props: &HandProps) -> Html {
    let text = use_text();
    let (queue, holder) = (&props.queue.queue, &props.holder);
    let blocked = is_blocked(&holder.pulling);
    html! {
        <li class="card item" data-testid={format!("hand:{}/{}/{}", holder.node, queue.topic, queue.queue_id)}>
            <div class="item-head">
                <h4>
                    { props.owners.badge(&holder.node) }
                    <span class="mono">{ format!("{}/{}", queue.topic, queue.queue_id) }</span>
                </h4>
                <span class="small num item-end">
                    { text.fill("consumers.sizes", &[("count", &holder.count), ("size", &format::size(u64::try_from(holder.size).unwrap_or(0))), ("span", &holder.span)]) }
                </span>
            </div>
            if !holder.messages.is_empty() {
                <ol class="hand" aria-label={text.get("consumers.hand")}>
                    { for holder.messages.iter().map(|message| cell(message, holder, &text)) }
                    if holder.more > 0 {
                        <li class="dim small">{ text.count("consumers.more", i64::from(holder.more)) }</li>
                    }
                </ol>
            }
            <p class="small" data-testid="hand-says">{ says(holder, &text) }</p>
            if holder.dropped {
                <p class="note is-bad"><Icon glyph={Glyph::Warn} />{ text.get("consumers.dropped") }</p>
            }
            <p class={classes!("note", if blocked { "is-bad" } else { "is-waiting" })} data-testid="pulling">
                <Icon glyph={if blocked { Glyph::Pause } else { Glyph::Clock }} />
                { pulling(&holder.pulling, props.now_us, &text) }
            </p>
        </li>
    }
}

/// A message: its offset, its name, and a sign for how it stands with it.
fn cell(message: &InHand, holder: &HolderPicture, text: &Text) -> Html {
    let first = holder.lowest_unfinished == Some(message.queue_offset);
    let (sign, thread) = match message.state {
        InHandState::Waiting => ("", None),
        InHandState::Consuming { thread } => ("▶", Some(thread)),
        InHandState::GoingBack { thread } => ("↩", Some(thread)),
        InHandState::Again => ("↻", None),
        InHandState::Uncommitted => ("◐", None),
        InHandState::Done => ("✓", None),
        InHandState::Passed => ("·", None),
    };
    let kind = name_of(&message.state);
    let thread_words = thread.map_or_else(String::new, |thread| thread.to_string());
    let state = text.fill(&format!("consumers.state-{kind}"), &[("thread", &thread_words)]);
    let name = message.name.clone().unwrap_or_default();
    let title = if first { format!("{state} {}", text.get("consumers.lowest")) } else { state };
    html! {
        <li
            key={message.queue_offset}
            class={classes!("in-hand", format!("is-{kind}"), first.then_some("is-lowest"))}
            title={title.clone()}
            data-testid={format!("in-hand:{}", message.queue_offset)}
            data-state={kind.clone()}
        >
            <span class="num">{ message.queue_offset }</span>
            <b>{ name }</b>
            <span class="sign" aria-hidden="true">{ sign }{ thread }</span>
            <span class="hidden">{ title }</span>
        </li>
    }
}

/// The cells in a sentence.
fn says(holder: &HolderPicture, text: &Text) -> String {
    let Some(lowest) = holder.lowest_unfinished else { return text.get("consumers.hand-empty") };
    let name = holder.messages.first().and_then(|message| message.name.clone()).unwrap_or_default();
    let mut parts = vec![text.fill("consumers.holds", &[("offset", &lowest), ("name", &name)])];
    let count = |wanted: fn(&InHandState) -> bool| {
        i64::try_from(holder.messages.iter().filter(|message| wanted(&message.state)).count()).unwrap_or(i64::MAX)
    };
    let counts = [
        ("consumers.count-done", count(|state| matches!(state, InHandState::Done))),
        ("consumers.count-consuming", count(|state| matches!(state, InHandState::Consuming { .. }))),
        ("consumers.count-back", count(|state| matches!(state, InHandState::GoingBack { .. }))),
        ("consumers.count-again", count(|state| matches!(state, InHandState::Again))),
        ("consumers.count-uncommitted", count(|state| matches!(state, InHandState::Uncommitted))),
        ("consumers.count-waiting", count(|state| matches!(state, InHandState::Waiting))),
    ];
    parts.extend(counts.into_iter().filter(|(_, count)| *count > 0).map(|(key, count)| text.count(key, count)));
    parts.join(" ")
}

/// What the next pull waits for.
fn pulling(pulling: &PullingPicture, now_us: i64, text: &Text) -> String {
    match pulling {
        PullingPicture::Queued => text.get("consumers.pull-queued"),
        PullingPicture::Asked { since_us } => {
            let span = format::span(now_us.saturating_sub(*since_us) / 1000);
            text.fill("consumers.pull-asked", &[("span", &span)])
        }
        PullingPicture::Later { at_us } => {
            let left = format::span(at_us.saturating_sub(now_us).max(0) / 1000);
            text.fill("consumers.pull-later", &[("left", &left)])
        }
        PullingPicture::Count { value, most } => text.fill("consumers.pull-count", &[("value", value), ("most", most)]),
        PullingPicture::Size { value, most } => text.fill("consumers.pull-size", &[("value", value), ("most", most)]),
        PullingPicture::Span { value, most } => text.fill("consumers.pull-span", &[("value", value), ("most", most)]),
        PullingPicture::Suspended => text.get("consumers.pull-suspended"),
        PullingPicture::NotLocked => text.get("consumers.pull-not-locked"),
        PullingPicture::NotSubscribed => text.get("consumers.pull-not-subscribed"),
        PullingPicture::Gone => text.get("consumers.pull-gone"),
    }
}
