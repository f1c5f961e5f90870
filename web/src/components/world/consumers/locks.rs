//! The locks of orderly consumers: at the broker, and as each client counts on them.

use rocketscope_engine::view::consumers::{HolderPicture, MemberPicture, QueuePicture};
use yew::{Html, Properties, classes, component, html};

use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// Properties of [`Locks`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The queues.
    pub queues: Vec<QueuePicture>,
    /// The members.
    pub members: Vec<MemberPicture>,
}

/// A row for each queue that is locked, or that an orderly member has.
#[component]
pub(super) fn Locks(props: &Props) -> Html {
    let text = use_text();
    let queues = props
        .queues
        .iter()
        .filter(|queue| queue.lock.is_some() || queue.holders.iter().any(|holder| holder.lock.is_some()));
    html! {
        <>
            <p class="small dim">{ text.get("consumers.locks-say") }</p>
            <div class="wide" tabindex="0" role="region" aria-label={text.get("consumers.locks")}>
                <table class="table" data-testid="locks">
                    <thead>
                        <tr>
                            <th scope="col">{ text.get("consumers.queue") }</th>
                            <th scope="col">{ text.get("consumers.lock-broker") }</th>
                            <th scope="col">{ text.get("consumers.lock-client") }</th>
                        </tr>
                    </thead>
                    <tbody>
                        { for queues.map(|queue| html! {
                            <tr key={format!("{}/{}/{}", queue.queue.topic, queue.queue.broker_name, queue.queue.queue_id)} data-testid={format!("lock:{}/{}", queue.queue.topic, queue.queue.queue_id)}>
                                <th scope="row">
                                    <span class="mono">{ format!("{}/{}", queue.queue.topic, queue.queue.queue_id) }</span>
                                    <span class="dim small block">{ queue.queue.broker_name.clone() }</span>
                                </th>
                                <td>{ at_broker(queue, &props.members, &text) }</td>
                                <td>{ for queue.holders.iter().map(|holder| at_client(holder, &text)) }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </>
    }
}

fn at_broker(queue: &QueuePicture, members: &[MemberPicture], text: &Text) -> Html {
    let Some(lock) = &queue.lock else { return html! { <span class="dim">{ text.get("consumers.lock-free") }</span> } };
    let nodes: Vec<&str> =
        members.iter().filter(|member| member.client_id == lock.client_id).map(|member| member.node.as_str()).collect();
    let holder = if nodes.is_empty() { lock.client_id.clone() } else { nodes.join(", ") };
    note(lock.left_ms > 0, &holder, lock.left_ms, text)
}

fn at_client(holder: &HolderPicture, text: &Text) -> Html {
    match holder.lock {
        None => html! { <></> },
        Some(lock) if !lock.locked => html! {
            <span class="note is-bad block"><Icon glyph={Glyph::Warn} />{ text.fill("consumers.lock-none", &[("node", &holder.node)]) }</span>
        },
        Some(lock) => html! { <span class="block">{ note(lock.left_ms > 0, &holder.node, lock.left_ms, text) }</span> },
    }
}

/// Who counts on a lock, and for how much longer.
fn note(good: bool, holder: &str, left_ms: i64, text: &Text) -> Html {
    let left = format::span(left_ms);
    let key = if good { "consumers.lock-left" } else { "consumers.lock-expired" };
    html! {
        <span class={classes!("note", if good { "is-good" } else { "is-bad" })}>
            <Icon glyph={if good { Glyph::Tick } else { Glyph::Expire }} />
            { text.fill(key, &[("holder", &holder), ("left", &left)]) }
        </span>
    }
}
