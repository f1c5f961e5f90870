//! In what the tables and caches differ, in words.

use rocketscope_engine::sim::NodeState;
use rocketscope_engine::view::routes::{RoutesPicture, Stale, Unlike};
use yew::{Html, Properties, component, html};

use super::matrix::queues;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`Differences`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The tables.
    pub picture: RoutesPicture,
}

/// The differences; that there are none, too, is worth a line.
#[component]
pub(super) fn Differences(props: &Props) -> Html {
    let text = use_text();
    let mut said = from_brokers(&props.picture, &text);
    said.extend(between_servers(&props.picture, &text));
    said.extend(between_clients(&props.picture, &text));
    html! {
        <ul class="notes" data-testid="differences">
            if said.is_empty() {
                <li key="none" class="note is-good"><Icon glyph={Glyph::Tick} /><span>{ text.get("routes.agree") }</span></li>
            }
            { for said.into_iter().enumerate().map(|(key, said)| html! {
                <li key={format!("difference-{key}")} class="note is-bad"><Icon glyph={Glyph::Warn} /><span>{ said }</span></li>
            }) }
        </ul>
    }
}

/// NameServers that know brokers otherwise than these know themselves.
fn from_brokers(picture: &RoutesPicture, text: &Text) -> Vec<String> {
    let mut said = Vec::new();
    for server in &picture.name_servers {
        said.extend(server.unlike.iter().map(|unlike| match unlike {
            Unlike::NoBroker { broker_name } => {
                text.fill("routes.no-such-broker", &[("server", &server.node), ("broker", broker_name)])
            }
            Unlike::Unregistered { broker_name, topic } => {
                text.fill("routes.unregistered", &[("server", &server.node), ("broker", broker_name), ("topic", topic)])
            }
            Unlike::Queues { topic, own, registered } => text.fill(
                "routes.registered-otherwise",
                &[
                    ("server", &server.node),
                    ("broker", &own.broker_name),
                    ("topic", topic),
                    ("own", &queues(own)),
                    ("registered", &queues(registered)),
                ],
            ),
            Unlike::Kept { broker_name, topic } => {
                text.fill("routes.kept", &[("server", &server.node), ("broker", broker_name), ("topic", topic)])
            }
        }));
    }
    said
}

/// NameServers that run and know different topics or brokers.
fn between_servers(picture: &RoutesPicture, text: &Text) -> Vec<String> {
    let mut running = picture.name_servers.iter().filter(|server| server.state == NodeState::Up);
    let Some(first) = running.next() else { return Vec::new() };
    let mut said = Vec::new();
    for other in running {
        let theirs = |topic: &str| other.topics.iter().find(|known| known.topic == topic);
        let ours = |topic: &str| first.topics.iter().find(|known| known.topic == topic);
        let names = first.topics.iter().chain(other.topics.iter().filter(|known| ours(&known.topic).is_none()));
        let differ: Vec<&str> = names
            .map(|known| known.topic.as_str())
            .filter(|topic| {
                ours(topic).map(|known| &known.queue_datas) != theirs(topic).map(|known| &known.queue_datas)
            })
            .collect();
        if !differ.is_empty() {
            let (one, two, topics) = (&first.node, &other.node, differ.join(", "));
            said.push(text.fill("routes.servers-differ", &[("one", one), ("two", two), ("topics", &topics)]));
        }
    }
    said
}

fn between_clients(picture: &RoutesPicture, text: &Text) -> Vec<String> {
    let mut said = Vec::new();
    for client in &picture.clients {
        let server = client.name_server.as_deref().unwrap_or("–");
        for route in &client.topics {
            said.extend(route.stale.iter().map(|stale| {
                let known = |key: &str, broker: &str| {
                    let slots: [(&str, &dyn std::fmt::Display); 4] =
                        [("client", &client.node), ("topic", &route.topic), ("server", &server), ("broker", &broker)];
                    text.fill(key, &slots)
                };
                match stale {
                    Stale::NoRoute => known("routes.stale-no-route", ""),
                    Stale::Missing { broker_name } => known("routes.stale-missing", broker_name),
                    Stale::Gone { broker_name } => known("routes.stale-gone", broker_name),
                    Stale::Addresses { broker_name } => known("routes.stale-addresses", broker_name),
                    Stale::Queues { broker_name, cached, now } => text.fill(
                        "routes.stale-queues",
                        &[
                            ("client", &client.node),
                            ("topic", &route.topic),
                            ("server", &server),
                            ("broker", broker_name),
                            ("cached", &queues(cached)),
                            ("now", &queues(now)),
                        ],
                    ),
                }
            }));
        }
    }
    said
}
