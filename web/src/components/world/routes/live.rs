//! The brokers that a NameServer takes to be alive.

use rocketscope_engine::sim::NodeState;
use rocketscope_engine::view::routes::{BrokerAddr, NameServerRoutes};
use yew::{Html, Properties, component, html};

use crate::components::store::format;
use crate::i18n::{name_of, use_text};

/// Properties of [`Live`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The NameServer.
    pub server: NameServerRoutes,
}

/// Its brokers, when each was last heard of, and when it is removed if it is not heard of again.
#[component]
pub(super) fn Live(props: &Props) -> Html {
    let text = use_text();
    let server = &props.server;
    let addrs: Vec<(&str, &BrokerAddr)> = server
        .brokers
        .iter()
        .flat_map(|broker| broker.addrs.iter().map(|addr| (broker.broker_name.as_str(), addr)))
        .collect();
    html! {
        <section class="card item" aria-label={server.node.clone()} data-testid={format!("live:{}", server.node)}>
            <div class="item-head">
                <h4 class="mono">{ server.node.clone() }</h4>
                if server.state != NodeState::Up {
                    <span class="small item-end">{ text.get(&format!("life.{}", name_of(&server.state))) }</span>
                }
            </div>
            if addrs.is_empty() {
                <p class="small dim">{ text.get("routes.no-broker") }</p>
            } else {
                <div class="wide">
                    <table class="table">
                        <thead>
                            <tr>
                                <th scope="col">{ text.get("routes.broker") }</th>
                                <th scope="col" class="right">{ text.get("routes.heard") }</th>
                                <th scope="col" class="right">{ text.get("routes.expires") }</th>
                            </tr>
                        </thead>
                        <tbody>
                            { for addrs.into_iter().map(|(name, addr)| html! {
                                <tr key={format!("{name}/{}", addr.id)} data-testid={format!("live:{}/{name}/{}", server.node, addr.id)}>
                                    <th scope="row">
                                        <span class="mono">{ format!("{name}/{}", addr.id) }</span>
                                        <span class="dim small block">{ addr.node.clone().unwrap_or_default() }{ " " }<span class="num">{ addr.addr.clone() }</span></span>
                                    </th>
                                    <td class="right">
                                        { addr.age_ms.map(|age| text.fill("routes.ago", &[("age", &format::span(age))])) }
                                        <span class="dim small block num">{ addr.last_update_ms.map(format::time_of_day) }</span>
                                    </td>
                                    <td class="right">
                                        { addr.expires_in_ms.map(|left| text.fill("routes.in", &[("left", &format::span(left))])) }
                                    </td>
                                </tr>
                            }) }
                        </tbody>
                    </table>
                </div>
                <p class="small dim">{ text.get("routes.expiry") }</p>
            }
        </section>
    }
}
