//! Who knows which topic to be where: the brokers' own tables, the NameServers' and the clients' caches beside each other.

mod differences;
mod live;
mod matrix;
mod own;

use rocketscope_engine::view::routes::{ClientRoutes, RoutesPicture};
use rocketscope_engine::view::{Answer, Query};
use yew::{Html, Properties, component, html};

use differences::Differences;
use live::Live;
use matrix::Matrix;
use own::Own;

use crate::backend::use_ask;
use crate::components::store::{Waiting, format, use_store_context};
use crate::i18n::use_text;

/// The route tables of the world.
#[component]
pub fn RoutesPane() -> Html {
    let context = use_store_context();
    let asked = use_ask(Some(Query::Routes), context.revision);
    match asked.answer.as_deref() {
        Some(Answer::Routes(picture)) => html! { <Tables picture={(**picture).clone()} /> },
        _ => html! { <Waiting {asked} /> },
    }
}

#[derive(Clone, PartialEq, Properties)]
struct TablesProps {
    picture: RoutesPicture,
}

#[component]
fn Tables(props: &TablesProps) -> Html {
    let text = use_text();
    let picture = &props.picture;
    html! {
        <div class="pane world" data-testid="routes">
            <h2 class="label">{ text.get("routes.title") }</h2>
            <p class="narration">{ text.get("routes.says") }</p>
            <Differences picture={picture.clone()} />
            <Matrix picture={picture.clone()} system={false} />
            <details class="more" data-testid="system-topics">
                <summary>{ text.get("routes.system") }</summary>
                <Matrix picture={picture.clone()} system={true} />
            </details>
            <h3 class="label">{ text.get("routes.own") }</h3>
            { for picture.brokers.iter().map(|broker| html! {
                <Own key={broker.node.clone()} broker={broker.clone()} servers={picture.name_servers.clone()} />
            }) }
            if picture.brokers.is_empty() {
                <p class="small dim">{ text.get("routes.no-process") }</p>
            }
            <h3 class="label">{ text.get("routes.live") }</h3>
            { for picture.name_servers.iter().map(|server| html! {
                <Live key={server.node.clone()} server={server.clone()} />
            }) }
            <h3 class="label">{ text.get("routes.caches") }</h3>
            { for picture.clients.iter().map(|client| html! {
                <Cache key={client.node.clone()} client={client.clone()} now_us={picture.now_us} />
            }) }
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct CacheProps {
    client: ClientRoutes,
    now_us: i64,
}

/// How old the routes of a client are.
#[component]
fn Cache(props: &CacheProps) -> Html {
    let text = use_text();
    let client = &props.client;
    let ago = |at_us: Option<i64>| match at_us {
        Some(at_us) => text.fill("routes.ago", &[("age", &format::span(props.now_us.saturating_sub(at_us) / 1000))]),
        None => "–".to_owned(),
    };
    html! {
        <section class="card item" aria-label={client.node.clone()} data-testid={format!("cache:{}", client.node)}>
            <div class="item-head">
                <h4 class="mono">{ client.node.clone() }</h4>
                <span class="small item-end">
                    { match &client.name_server {
                        Some(server) => text.fill("routes.polls", &[("server", server), ("period", &format::span(client.poll_ms))]),
                        None => text.get("routes.asks-nobody"),
                    } }
                </span>
            </div>
            if client.topics.is_empty() {
                <p class="small dim">{ text.get("routes.no-cache") }</p>
            } else {
                <div class="wide">
                    <table class="table">
                        <thead>
                            <tr>
                                <th scope="col">{ text.get("routes.topic") }</th>
                                <th scope="col" class="right">{ text.get("routes.changed") }</th>
                                <th scope="col" class="right">{ text.get("routes.asked") }</th>
                            </tr>
                        </thead>
                        <tbody>
                            { for client.topics.iter().map(|route| html! {
                                <tr key={route.topic.clone()}>
                                    <th scope="row" class="mono">{ route.topic.clone() }</th>
                                    <td class="right">{ ago(route.changed_us) }</td>
                                    <td class="right">{ ago(route.asked_us) }</td>
                                </tr>
                            }) }
                        </tbody>
                    </table>
                </div>
            }
        </section>
    }
}
