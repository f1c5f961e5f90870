//! The transactional sends of a producer, newest first: the half message, the local transaction, and what was said of it.

use rocketscope_engine::client::{TransactionOutcome, TransactionPhase, TransactionProgress};
use yew::{Html, Properties, classes, component, html};

use super::sends::SEND_OK;
use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, name_of, use_text};

/// Properties of [`Transactions`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The sends, newest last.
    pub transactions: Vec<TransactionOutcome>,
}

/// Transactional sends, those under way among them.
#[component]
pub(super) fn Transactions(props: &Props) -> Html {
    let text = use_text();
    if props.transactions.is_empty() {
        return html! { <p class="small dim">{ text.get("producer.no-transaction") }</p> };
    }
    html! {
        <ol class="world-list" reversed={true} data-testid="transactional-sends">
            { for props.transactions.iter().enumerate().rev().map(|(place, sent)| html! {
                <Transaction key={place} {place} sent={sent.clone()} />
            }) }
        </ol>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct TransactionProps {
    place: usize,
    sent: TransactionOutcome,
}

#[component]
fn Transaction(props: &TransactionProps) -> Html {
    let text = use_text();
    let sent = &props.sent;
    let (class, glyph) = match sent.progress {
        TransactionProgress::Running => ("is-pending", Glyph::Clock),
        TransactionProgress::Told => ("is-good", Glyph::Tick),
        TransactionProgress::Failed => ("is-bad", Glyph::Warn),
        TransactionProgress::Crashed => ("is-bad", Glyph::Kill),
    };
    let running = sent.progress == TransactionProgress::Running;
    html! {
        <li class={classes!("card", "item", running.then_some("is-pending"))} data-testid={format!("transaction:{}", props.place)}>
            <div class="item-head">
                <h4>
                    <b>{ sent.name.clone().unwrap_or_else(|| text.get("world.unnamed")) }</b>
                    <span class="num dim">{ format!(" → {}", sent.topic) }</span>
                </h4>
                <span class={classes!("note", class)}>
                    <Icon {glyph} />{ text.get(&format!("producer.{}", name_of(&sent.progress))) }
                </span>
                if let Some(ended_us) = sent.ended_us {
                    <span class="small num item-end">{ format::span(ended_us.saturating_sub(sent.began_us) / 1000) }</span>
                }
            </div>
            <ol class="phases">
                { for phases(sent, &text).into_iter().map(|phase| html! {
                    <li key={phase.name} class={classes!("phase", phase.class)}>
                        <span>{ text.get(phase.name) }</span>
                        <span class="mono">{ phase.says }</span>
                        if let Some(note) = phase.note {
                            <span class="phase-note small dim wrap">{ note }</span>
                        }
                    </li>
                }) }
            </ol>
            if let Some(error) = &sent.error {
                <p class="small mono wrap">{ error.clone() }</p>
            }
        </li>
    }
}

/// One of the three parts of a transactional send.
struct Phase {
    name: &'static str,
    class: &'static str,
    says: String,
    note: Option<String>,
}

fn phases(sent: &TransactionOutcome, text: &Text) -> [Phase; 3] {
    let now =
        |phases: &[TransactionPhase]| sent.progress == TransactionProgress::Running && phases.contains(&sent.phase);
    let class = |done: bool, good: bool, now: bool| match (done, good) {
        (true, true) => "is-good",
        (true, false) => "is-bad",
        (false, _) if now => "is-now",
        (false, _) => "is-open",
    };
    let open = |now: bool| text.get(if now { "producer.under-way" } else { "producer.not-come-to" });

    let known = !sent.status.is_empty();
    let half_now = now(&[TransactionPhase::Half]);
    let half = Phase {
        name: "producer.half",
        class: class(known, sent.status == SEND_OK, half_now),
        says: if known { sent.status.clone() } else { open(half_now) },
        note: sent
            .half
            .as_ref()
            .map(|half| text.fill("producer.half-at", &[("broker", &half.broker_name), ("unit", &half.queue_offset)])),
    };
    let local_now = now(&[TransactionPhase::Local, TransactionPhase::Commit, TransactionPhase::Rollback]);
    let local = Phase {
        name: "producer.local",
        class: class(sent.local.is_some(), true, local_now),
        says: sent.local.map_or_else(|| open(local_now), |result| result.name().to_owned()),
        note: sent.local_cause.clone(),
    };
    let end_now = now(&[TransactionPhase::End]);
    let end = Phase {
        name: "producer.end",
        class: class(sent.state.is_some(), sent.end_error.is_none(), end_now),
        says: sent.state.map_or_else(|| open(end_now), |state| state.name().to_owned()),
        note: sent.end_error.as_ref().map(|error| text.fill("producer.end-unsent", &[("error", error)])),
    };
    [half, local, end]
}
