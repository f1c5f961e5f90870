//! Topics by broker: what the broker itself has, and a column for each NameServer and each client.

use std::collections::{BTreeMap, BTreeSet};

use rocketscope_engine::view::routes::{RoutesPicture, Stale, Unlike};
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
    /// It is not what the broker has, of a NameServer; not what the NameServer that it asks knows, of a client.
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
    let first = |place: usize| match place {
        0 => Some("is-first-server"),
        _ => (place == servers).then_some("is-first-client"),
    };
    html! {
        <div class="wide" tabindex="0" role="region" aria-label={text.get("routes.matrix")}>
            <table class="table matrix">
                <thead>
                    <tr>
                        <th scope="col">{ text.get("routes.at") }</th>
                        <th scope="col">{ text.get("routes.itself") }</th>
                        { for nodes.iter().enumerate().map(|(place, node)| html! {
                            <th key={node.to_string()} scope="col" class={classes!("mono", first(place))}>{ *node }</th>
                        }) }
                    </tr>
                </thead>
                { for topics.into_iter().map(|(topic, brokers)| html! {
                    <tbody key={topic.to_owned()} data-topic={topic.to_owned()}>
                        <tr class="matrix-topic"><th scope="rowgroup" colspan={(nodes.len() + 2).to_string()} class="mono">{ topic }</th></tr>
                        { for brokers.into_iter().map(|broker| html! {
                            <tr key={broker.to_owned()} data-broker={broker.to_owned()}>
                                <th scope="row" class="mono dim">{ broker }</th>
                                <td class="num" data-node="itself">{ cell(&own(picture, topic, broker), &text) }</td>
                                { for known(picture, topic, broker).into_iter().zip(&nodes).enumerate().map(|(place, (known, node))| html! {
                                    <td
                                        key={node.to_string()}
                                        class={classes!("num", known.differs.then_some("is-bad"), first(place))}
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
    let servers = || picture.name_servers.iter().flat_map(|server| &server.topics);
    let brokers = || picture.brokers.iter().flat_map(|broker| &broker.topics);
    let clients = picture.clients.iter().flat_map(|client| &client.topics);
    let of_system: BTreeSet<&str> = servers()
        .filter(|topic| topic.system)
        .map(|topic| topic.topic.as_str())
        .chain(brokers().filter(|own| own.system).map(|own| own.topic.as_str()))
        .collect();
    let known = servers()
        .map(|topic| (&topic.topic, topic.queue_datas.as_slice()))
        .chain(clients.map(|topic| (&topic.topic, topic.queue_datas.as_slice())))
        .chain(brokers().map(|own| (&own.topic, std::slice::from_ref(&own.queues))));
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (topic, queues) in known.filter(|(topic, _)| of_system.contains(topic.as_str()) == system) {
        found.entry(topic).or_default().extend(queues.iter().map(|queues| queues.broker_name.as_str()));
    }
    found
}

/// What the master of a broker's name has in its own table.
fn own<'a>(picture: &'a RoutesPicture, topic: &str, broker: &str) -> Known<'a> {
    let mut masters = picture.brokers.iter().filter(|tables| tables.broker_id == 0 && tables.broker_name == broker);
    let own = masters.find_map(|tables| tables.topics.iter().find(|own| own.topic == topic));
    Known { queues: own.map(|own| &own.queues), differs: false }
}

fn known<'a>(picture: &'a RoutesPicture, topic: &str, broker: &str) -> Vec<Known<'a>> {
    let at = |queues: &'a [QueueData]| queues.iter().find(|queues| queues.broker_name == broker);
    let servers = picture.name_servers.iter().map(|server| Known {
        queues: server.topics.iter().find(|known| known.topic == topic).and_then(|known| at(&known.queue_datas)),
        differs: server.unlike.iter().any(|unlike| is_of(unlike, topic, broker)),
    });
    let clients = picture.clients.iter().map(|client| match client.topics.iter().find(|known| known.topic == topic) {
        Some(route) => {
            Known { queues: at(&route.queue_datas), differs: route.stale.iter().any(|stale| concerns(stale, broker)) }
        }
        None => Known::default(),
    });
    servers.chain(clients).collect()
}

fn is_of(unlike: &Unlike, of: &str, broker: &str) -> bool {
    match unlike {
        Unlike::NoBroker { broker_name } => broker_name == broker,
        Unlike::Unregistered { broker_name, topic } | Unlike::Kept { broker_name, topic } => {
            broker_name == broker && topic == of
        }
        Unlike::Queues { topic, own, .. } => own.broker_name == broker && topic == of,
    }
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
