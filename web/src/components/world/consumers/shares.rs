//! Who has which queue, beside what each strategy would make of it.

use std::collections::BTreeMap;

use rocketscope_engine::view::consumers::{StrategyShares, TopicShares};
use yew::{Html, Properties, classes, component, html};

use super::owners::Owners;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`Shares`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// Topic by topic.
    pub shares: Vec<TopicShares>,
    /// The members' letters.
    pub owners: Owners,
}

/// The shares of every topic that the group subscribes.
#[component]
pub(super) fn Shares(props: &Props) -> Html {
    let text = use_text();
    if props.shares.is_empty() {
        return html! { <p class="small dim">{ text.get("consumers.no-route") }</p> };
    }
    html! {
        <>
            { for props.shares.iter().map(|shares| html! {
                <Topic key={shares.topic.clone()} shares={shares.clone()} owners={props.owners.clone()} />
            }) }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct TopicProps {
    shares: TopicShares,
    owners: Owners,
}

#[component]
fn Topic(props: &TopicProps) -> Html {
    let text = use_text();
    let TopicProps { shares, owners } = props;
    let many =
        shares.queues.iter().any(|queue| broker(queue) != shares.queues.first().map_or("", |first| broker(first)));
    let row = |key: String, head: Html, cells: &[Vec<String>], class: Option<&'static str>| {
        html! {
            <tr {key} {class}>
                <th scope="row" class="mono">{ head }</th>
                { for cells.iter().zip(&shares.queues).map(|(nodes, queue)| html! {
                    <td key={queue.clone()} data-queue={queue.clone()}>{ owners.cell(nodes, &text) }</td>
                }) }
            </tr>
        }
    };
    html! {
        <section class="card item" aria-label={shares.topic.clone()} data-testid={format!("shares:{}", shares.topic)}>
            <h4 class="mono">{ shares.topic.clone() }</h4>
            <div class="wide" tabindex="0" role="region" aria-label={text.fill("consumers.shares-of", &[("topic", &shares.topic)])}>
                <table class="table shares">
                    <thead>
                        <tr>
                            <th scope="col">{ text.get("consumers.queue") }</th>
                            { for shares.queues.iter().map(|queue| html! {
                                <th key={queue.clone()} scope="col" class="num">{ if many { queue.clone() } else { queue.rsplit('/').next().unwrap_or(queue).to_owned() } }</th>
                            }) }
                        </tr>
                    </thead>
                    <tbody>
                        { row("held".to_owned(), html! { <b>{ text.get("consumers.now") }</b> }, &shares.held, Some("is-held")) }
                        { for shares.strategies.iter().filter(|strategy| strategy.error.is_none()).map(|strategy| {
                            let used = (!strategy.used_by.is_empty()).then_some("is-used");
                            row(strategy.name.clone(), head(strategy, &text), &strategy.owners, used)
                        }) }
                    </tbody>
                </table>
            </div>
            <ul class="small in-words" data-testid="shares-in-words">
                <li>{ text.fill("consumers.have", &[("shares", &in_words(shares, &shares.held, &text))]) }</li>
                { for shares.strategies.iter().map(|strategy| html! {
                    <li key={strategy.name.clone()} class={classes!(strategy.used_by.is_empty().then_some("dim"))}>
                        { would(shares, strategy, &text) }
                    </li>
                }) }
            </ul>
        </section>
    }
}

fn head(strategy: &StrategyShares, text: &Text) -> Html {
    html! {
        <>
            { strategy.name.clone() }
            if !strategy.used_by.is_empty() {
                <span class="set" title={text.fill("consumers.set-by", &[("nodes", &strategy.used_by.join(", "))])}>
                    <Icon glyph={Glyph::Tick} /><span class="hidden">{ text.get("consumers.set") }</span>
                </span>
            }
        </>
    }
}

fn would(shares: &TopicShares, strategy: &StrategyShares, text: &Text) -> String {
    let says = if let Some(error) = &strategy.error {
        text.fill("consumers.throws", &[("strategy", &strategy.name), ("error", error)])
    } else {
        let words = in_words(shares, &strategy.owners, text);
        text.fill("consumers.would", &[("strategy", &strategy.name), ("shares", &words)])
    };
    match strategy.used_by.as_slice() {
        [] => says,
        nodes => format!("{says} {}", text.fill("consumers.set-by", &[("nodes", &nodes.join(", "))])),
    }
}

/// `c1: 0, 1; c2: 2, 3`.
fn in_words(shares: &TopicShares, owners: &[Vec<String>], text: &Text) -> String {
    let (mut of_node, mut free) = (BTreeMap::<&str, Vec<&str>>::new(), Vec::new());
    for (queue, nodes) in shares.queues.iter().zip(owners) {
        if nodes.is_empty() {
            free.push(queue.as_str());
        }
        for node in nodes {
            of_node.entry(node).or_default().push(queue);
        }
    }
    let mut parts: Vec<String> =
        of_node.into_iter().map(|(node, queues)| format!("{node}: {}", queues.join(", "))).collect();
    if !free.is_empty() {
        parts.push(format!("{}: {}", text.get("consumers.nobody-has"), free.join(", ")));
    }
    if parts.is_empty() { text.get("consumers.no-queue") } else { parts.join("; ") }
}

fn broker(queue: &str) -> &str {
    queue.rsplit_once('/').map_or(queue, |(broker, _)| broker)
}
