//! A producer from inside: the attempts of its sends, its transactions, what it knows of the brokers' speed, and where it
//! sends next.

mod questions;
mod sends;
mod transactions;

use rocketscope_engine::client::Keeps;
use rocketscope_engine::view::producer::{FaultRow, ProducerPicture, PublishPicture};
use rocketscope_engine::view::{Answer, Query};
use yew::{Html, Properties, classes, component, html};

use questions::Questions;
use sends::Sends;
use transactions::Transactions;

use crate::backend::use_ask;
use crate::components::store::{Waiting, format, use_store_context};
use crate::components::{Glyph, Icon, name};
use crate::i18n::use_text;
use crate::route::Place;

/// Properties of [`ProducerPane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The producers' nodes.
    pub nodes: Vec<String>,
    /// The one that is asked for.
    pub wanted: Option<String>,
}

/// A producer, and the choice between several.
#[component]
pub fn ProducerPane(props: &Props) -> Html {
    let text = use_text();
    let context = use_store_context();
    let wanted = props.wanted.as_ref().filter(|node| props.nodes.contains(node));
    let Some(node) = wanted.or(props.nodes.first()) else {
        return html! { <div class="pane"><p class="notice">{ text.get("producer.nobody") }</p></div> };
    };
    html! {
        <div class="pane world" data-testid="producer">
            if props.nodes.len() > 1 {
                <nav class="brokers is-inner" aria-label={text.get("producer.which")}>
                    { for props.nodes.iter().map(|name| html! {
                        <a
                            key={name.clone()}
                            class={classes!("button", "tiny", (name == node).then_some("is-here"))}
                            href={context.link(Place::Producer { node: Some(name.clone()) })}
                            aria-current={(name == node).then_some("true")}
                        >{ name.clone() }</a>
                    }) }
                </nav>
            }
            <Producer key={node.clone()} node={node.clone()} />
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct ProducerProps {
    node: String,
}

#[component]
fn Producer(props: &ProducerProps) -> Html {
    let text = use_text();
    let context = use_store_context();
    let asked = use_ask(Some(Query::Producer { node: props.node.clone() }), context.revision);
    let Some(Answer::Producer(picture)) = asked.answer.as_deref() else { return html! { <Waiting {asked} /> } };
    let picture: &ProducerPicture = picture;
    html! {
        <div class="world">
            <h2 class="label">{ text.rich("producer.title", &[("node", name(&picture.node))]) }</h2>
            <dl class="facts">
                <dt>{ text.get("producer.group") }</dt><dd class="mono">{ picture.group.clone() }</dd>
                <dt>{ "clientId" }</dt><dd class="mono">{ picture.client_id.clone() }</dd>
                <dt>{ "sendMsgTimeout" }</dt><dd class="num">{ format::span(picture.timeout_ms) }</dd>
                if let Some(keeps) = picture.listener {
                    <dt>{ "TransactionListener" }</dt>
                    <dd data-testid="listener">
                        { match keeps {
                            Keeps::Memory => text.count("producer.keeps-memory", i64::try_from(picture.kept_in_memory).unwrap_or(i64::MAX)),
                            Keeps::Database => text.get("producer.keeps-database"),
                        } }
                    </dd>
                }
            </dl>
            <h3 class="label">{ text.get("producer.queues") }</h3>
            <Publish publish={picture.publish.clone()} />
            <h3 class="label">{ text.get("producer.faults") }</h3>
            <Faults faults={picture.faults.clone()} avoids={picture.avoids_slow_brokers} />
            if picture.listener.is_some() || !picture.transactions.is_empty() {
                <h3 class="label">{ text.get("producer.transactions") }</h3>
                <Transactions transactions={picture.transactions.clone()} />
            }
            if picture.listener.is_some() || !picture.checks.is_empty() {
                <h3 class="label">{ text.get("producer.questions") }</h3>
                <Questions questions={picture.checks.clone()} />
            }
            <h3 class="label">{ text.get("producer.sends") }</h3>
            <Sends picture={picture.clone()} />
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct PublishProps {
    publish: Vec<PublishPicture>,
}

/// The queues of each topic, and the one that the round robin comes to next.
#[component]
fn Publish(props: &PublishProps) -> Html {
    let text = use_text();
    if props.publish.is_empty() {
        return html! { <p class="small dim">{ text.get("producer.no-queues") }</p> };
    }
    html! {
        <ul class="world-list">
            { for props.publish.iter().map(|publish| html! {
                <li key={publish.topic.clone()} class="card item" data-testid={format!("publish:{}", publish.topic)}>
                    <h4 class="mono">{ publish.topic.clone() }</h4>
                    <ol class="chips">
                        { for (0_u32..).zip(&publish.queues).map(|(place, queue)| {
                            let next = publish.next == Some(place);
                            html! {
                                <li
                                    key={place}
                                    class={classes!("chip", next.then_some("is-next"), (!queue.available).then_some("is-avoided"))}
                                    aria-current={next.then_some("true")}
                                >
                                    if next {
                                        <Icon glyph={Glyph::Next} />
                                    }
                                    { format!("{}/{}", queue.broker_name, queue.queue_id) }
                                    if !queue.available {
                                        <span class="hidden">{ text.get("producer.avoided") }</span>
                                    }
                                </li>
                            }
                        }) }
                    </ol>
                    <p class="small dim">
                        { match (publish.queues.is_empty(), publish.next) {
                            (true, _) => text.get("producer.nowhere"),
                            (false, None) => text.get("producer.undrawn"),
                            (false, Some(_)) => text.get("producer.next"),
                        } }
                    </p>
                </li>
            }) }
        </ul>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct FaultsProps {
    faults: Vec<FaultRow>,
    avoids: bool,
}

/// The latency fault table.
#[component]
fn Faults(props: &FaultsProps) -> Html {
    let text = use_text();
    if !props.avoids {
        return html! { <p class="small dim" data-testid="faults-off">{ text.rich("producer.faults-off", &[]) }</p> };
    }
    if props.faults.is_empty() {
        return html! { <p class="small dim">{ text.get("producer.no-faults") }</p> };
    }
    html! {
        <div class="wide">
            <table class="table" data-testid="faults">
                <thead>
                    <tr>
                        <th scope="col">{ text.get("routes.broker") }</th>
                        <th scope="col" class="right">{ text.get("producer.latency") }</th>
                        <th scope="col">{ text.get("producer.until") }</th>
                    </tr>
                </thead>
                <tbody>
                    { for props.faults.iter().map(|fault| html! {
                        <tr key={fault.broker_name.clone()}>
                            <th scope="row" class="mono">{ fault.broker_name.clone() }</th>
                            <td class="right num">{ format::span(fault.latency_ms) }</td>
                            <td>
                                if fault.available {
                                    <span class="note is-good"><Icon glyph={Glyph::Tick} />{ text.get("producer.available") }</span>
                                } else {
                                    <span class="note is-bad">
                                        <Icon glyph={Glyph::Clock} />
                                        { text.fill("producer.avoided-until", &[
                                            ("at", &format::time_of_day(fault.start_ms)),
                                            ("left", &format::span(fault.left_ms)),
                                        ]) }
                                    </span>
                                }
                            </td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
