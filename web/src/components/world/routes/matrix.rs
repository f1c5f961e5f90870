//! Topics by broker, a column for each NameServer and each client.

use std::collections::{BTreeMap, BTreeSet};

use rocketscope_engine::view::routes::{RoutesPicture, Stale};
use rocketscope_engine::wire::QueueData;
use yew::{Html, Properties, classes, component, html};

use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`Matrix`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The tables.
    pub picture: RoutesPicture,
    /// The topics that brokers make for themselves, or all others.
    pub system: bool,
}

/// What one node knows of one topic at one broker.
#[derive(Clone, Default)]
struct Known<'a> {
    queues: Option<&'a QueueData>,
    /// It is not what the NameServer that the client asks knows.
    differs: bool,
}

/// Topics by broker, and who knows what.
#[component]
pub(super) fn Matrix(props: &Props) -> Html {
    let text = use_text();
    let picture = &props.picture;
    let topics = topics(picture, props.system);
    if topics.is_empty() {
        return html! { <p class="small dim">{ text.get("routes.no-topic") }</p> };
    }
    let nodes: Vec<&str> = picture
        .name_servers
        .iter()
        .map(|server| server.node.as_str())
        .chain(picture.clients.iter().map(|client| client.node.as_str()))
        .collect();
    let servers = picture.name_servers.len();
    html! {
        <div class="wide" tabindex="0" role="region" aria-label={text.get("routes.matrix")}>
            <table class="table matrix">
                <thead>
                    <tr>
                        <th scope="col">{ text.get("routes.at") }</th>
                        { for nodes.iter().enumerate().map(|(place, node)| html! {
                            <th key={node.to_string()} scope="col" class={classes!("mono", (place == servers).then_some("is-first-client"))}>{ *node }</th>
                        }) }
                    </tr>
                </thead>
                { for topics.into_iter().map(|(topic, brokers)| html! {
                    <tbody key={topic.to_owned()} data-topic={topic.to_owned()}>
                        <tr class="matrix-topic"><th scope="rowgroup" colspan={(nodes.len() + 1).to_string()} class="mono">{ topic }</th></tr>
                        { for brokers.into_iter().map(|broker| html! {
                            <tr key={broker.to_owned()} data-broker={broker.to_owned()}>
                                <th scope="row" class="mono dim">{ broker }</th>
                                { for known(picture, topic, broker).into_iter().zip(&nodes).enumerate().map(|(place, (known, node))| html! {
                                    <td
                                        key={node.to_string()}
                                        class={classes!("num", known.differs.then_some("is-bad"), (place == servers).then_some("is-first-client"))}
                                        data-node={node.to_string()}
                                    >{ cell(&known, &text) }</td>
                                }) }
                            </tr>
                        }) }
                    </tbody>
                }) }
            </table>
            <p class="small dim">{ text.get("routes.legend") }</p>
        </div>
    }
}

/// The topics that anybody knows, each with the brokers that anybody knows it at.
fn topics(picture: &RoutesPicture, system: bool) -> BTreeMap<&str, BTreeSet<&str>> {
    let of_system: BTreeSet<&str> = picture
        .name_servers
        .iter()
        .flat_map(|server| server.topics.iter().filter(|topic| topic.system).map(|topic| topic.topic.as_str()))
        .collect();
    let by_servers = picture
        .name_servers
        .iter()
        .flat_map(|server| server.topics.iter().map(|topic| (topic.topic.as_str(), topic.queue_datas.as_slice())));
    let by_clients = picture
        .clients
        .iter()
        .flat_map(|client| client.topics.iter().map(|topic| (topic.topic.as_str(), topic.queue_datas.as_slice())));
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (topic, queues) in by_servers.chain(by_clients).filter(|(topic, _)| of_system.contains(topic) == system) {
        found.entry(topic).or_default().extend(queues.iter().map(|queues| queues.broker_name.as_str()));
    }
    found
}

fn known<'a>(picture: &'a RoutesPicture, topic: &str, broker: &str) -> Vec<Known<'a>> {
    let at = |queues: &'a [QueueData]| queues.iter().find(|queues| queues.broker_name == broker);
    let servers = picture.name_servers.iter().map(|server| Known {
        queues: server.topics.iter().find(|known| known.topic == topic).and_then(|known| at(&known.queue_datas)),
        differs: false,
    });
    let clients = picture.clients.iter().map(|client| match client.topics.iter().find(|known| known.topic == topic) {
        Some(route) => {
            Known { queues: at(&route.queue_datas), differs: route.stale.iter().any(|stale| concerns(stale, broker)) }
        }
        None => Known::default(),
    });
    servers.chain(clients).collect()
}

fn concerns(stale: &Stale, broker: &str) -> bool {
    match stale {
        Stale::NoRoute => true,
        Stale::Missing { broker_name }
        | Stale::Gone { broker_name }
        | Stale::Queues { broker_name, .. }
        | Stale::Addresses { broker_name } => broker_name == broker,
    }
}

fn cell(known: &Known<'_>, text: &Text) -> Html {
    let says = known.queues.map_or_else(|| "–".to_owned(), queues);
    html! {
        <span>
            if known.differs {
                <Icon glyph={Glyph::Warn} /><span class="hidden">{ text.get("routes.differs") }</span>
            }
            { says }
        </span>
    }
}

/// Queues to read and to write, and the permission where it is not both.
pub(super) fn queues(data: &QueueData) -> String {
    let counts = format!("{}/{}", data.read_queue_nums, data.write_queue_nums);
    match data.perm {
        6 | 7 => counts,
        perm => {
            let bit = |bit: i32, letter: char| if perm & bit == 0 { '-' } else { letter };
            format!("{counts} {}{}", bit(4, 'R'), bit(2, 'W'))
        }
    }
}
