//! A broker's own tables: how far NameServers have what it has, and the settings of its consumer groups.

use rocketscope_engine::sim::NodeState;
use rocketscope_engine::view::routes::{BrokerTables, NameServerRoutes, OwnGroup};
use rocketscope_engine::wire::GroupConfig;
use yew::{Html, Properties, component, html};

use super::matrix::queues;
use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`Own`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The broker.
    pub broker: BrokerTables,
    /// The NameServers.
    pub servers: Vec<NameServerRoutes>,
}

/// A broker's own tables.
#[component]
pub(super) fn Own(props: &Props) -> Html {
    let text = use_text();
    let broker = &props.broker;
    let version = broker.data_version;
    let (system, groups): (Vec<&OwnGroup>, Vec<&OwnGroup>) = broker.groups.iter().partition(|group| group.system);
    html! {
        <section class="card item" aria-label={broker.node.clone()} data-testid={format!("own:{}", broker.node)}>
            <div class="item-head">
                <h4 class="mono">{ broker.node.clone() }</h4>
                <span class="small item-end">
                    { text.fill("routes.version", &[("counter", &version.counter), ("at", &format::time(version.timestamp))]) }
                </span>
            </div>
            <ul class="chips" aria-label={text.get("routes.own-topics")}>
                { for broker.topics.iter().filter(|own| !own.system).map(|own| html! {
                    <li key={own.topic.clone()} class="chip">
                        <b>{ own.topic.clone() }</b>{ queues(&own.queues) }
                        if own.order {
                            { " · " }{ text.get("routes.order") }
                        }
                    </li>
                }) }
            </ul>
            <ul class="notes">
                { for props.servers.iter().filter(|server| server.state == NodeState::Up).map(|server| has(server, broker, &text)) }
            </ul>
            if groups.is_empty() {
                <p class="small dim">{ text.get("routes.no-group") }</p>
            } else {
                <Groups groups={groups.into_iter().cloned().collect::<Vec<_>>()} />
            }
            if !system.is_empty() {
                <details class="more">
                    <summary>{ text.get("routes.system-groups") }</summary>
                    <Groups groups={system.into_iter().cloned().collect::<Vec<_>>()} />
                </details>
            }
        </section>
    }
}

/// What a NameServer has of a broker's topic table.
fn has(server: &NameServerRoutes, broker: &BrokerTables, text: &Text) -> Html {
    let known = server.brokers.iter().filter(|known| known.broker_name == broker.broker_name);
    let addr = known.flat_map(|known| &known.addrs).find(|addr| addr.id == broker.broker_id);
    let (good, says) = match addr.and_then(|addr| addr.data_version) {
        None => (false, text.fill("routes.has-nothing", &[("server", &server.node)])),
        Some(version) if version == broker.data_version => {
            (true, text.fill("routes.has-same", &[("server", &server.node)]))
        }
        Some(version) => {
            (false, text.fill("routes.has-other", &[("server", &server.node), ("counter", &version.counter)]))
        }
    };
    html! {
        <li key={server.node.clone()} class={if good { "note is-good" } else { "note is-bad" }}>
            <Icon glyph={if good { Glyph::Tick } else { Glyph::Warn }} /><span>{ says }</span>
        </li>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct GroupsProps {
    groups: Vec<OwnGroup>,
}

/// The settings of consumer groups.
#[component]
fn Groups(props: &GroupsProps) -> Html {
    let text = use_text();
    html! {
        <div class="wide">
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">{ text.get("routes.group") }</th>
                        <th scope="col" class="right">{ "retryQueueNums" }</th>
                        <th scope="col" class="right">{ "retryMaxTimes" }</th>
                        <th scope="col">{ text.get("routes.may") }</th>
                    </tr>
                </thead>
                <tbody>
                    { for props.groups.iter().map(|OwnGroup { config, .. }| html! {
                        <tr key={config.group_name.clone()} data-testid={format!("group:{}", config.group_name)}>
                            <th scope="row" class="mono">{ config.group_name.clone() }</th>
                            <td class="right num">{ config.retry_queue_nums }</td>
                            <td class="right num">{ config.retry_max_times }</td>
                            <td class="small">{ may(config, &text) }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// What a group may and may not, as far as it is not what every group may.
fn may(config: &GroupConfig, text: &Text) -> String {
    let usual = GroupConfig::new(&config.group_name);
    let words = [
        (!config.consume_enable, text.get("routes.no-consuming")),
        (!config.consume_broadcast_enable, text.get("routes.no-broadcasting")),
        (!config.consume_from_min_enable, text.get("routes.not-from-min")),
        (!config.notify_consumer_ids_changed_enable, text.get("routes.not-notified")),
        (config.broker_id != usual.broker_id, text.fill("routes.pulls-from", &[("id", &config.broker_id)])),
        (
            config.which_broker_when_consume_slowly != usual.which_broker_when_consume_slowly,
            text.fill("routes.pulls-old-from", &[("id", &config.which_broker_when_consume_slowly)]),
        ),
    ];
    let words: Vec<String> = words.into_iter().filter(|(told, _)| *told).map(|(_, words)| words).collect();
    if words.is_empty() { text.get("routes.as-usual") } else { words.join(text.get("routes.and").as_str()) }
}
