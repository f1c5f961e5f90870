//! How far each queue is consumed, wherever that is noted.

use rocketscope_engine::client::PullQueue;
use rocketscope_engine::view::consumers::{HolderPicture, QueuePicture};
use yew::{Html, Properties, classes, component, html};

use super::owners::Owners;
use crate::components::store::num;
use crate::i18n::{Text, use_text};
use crate::route::Place;

/// Properties of [`Progress`].
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    /// The queues.
    pub queues: Vec<QueuePicture>,
    /// The members' letters.
    pub owners: Owners,
    /// Whether each member keeps its own offsets.
    pub broadcasts: bool,
}

/// A row for each queue, and for each member that has it.
#[component]
pub(super) fn Progress(props: &Props) -> Html {
    let text = use_text();
    if props.queues.is_empty() {
        return html! { <p class="small dim">{ text.get("consumers.no-queues") }</p> };
    }
    let head = |key: &str| html! { <th scope="col" class="right">{ text.get(key) }</th> };
    html! {
        <>
            <p class="small dim">{ text.get("consumers.progress-says") }</p>
            <div class="wide" tabindex="0" role="region" aria-label={text.get("consumers.progress")}>
                <table class="table offsets" data-testid="offsets">
                    <thead>
                        <tr>
                            <th scope="col">{ text.get("consumers.queue") }</th>
                            { head("consumers.min") }
                            { head("consumers.file") }
                            { head("consumers.committed") }
                            { head("consumers.memory") }
                            { head("consumers.pull") }
                            { head("consumers.max") }
                            { head("consumers.behind") }
                        </tr>
                    </thead>
                    <tbody>
                        { for props.queues.iter().flat_map(|queue| rows(props, queue, &text)) }
                    </tbody>
                </table>
            </div>
        </>
    }
}

fn rows(props: &Props, queue: &QueuePicture, text: &Text) -> Vec<Html> {
    if queue.holders.is_empty() {
        return vec![row(props, queue, None, text)];
    }
    queue.holders.iter().map(|holder| row(props, queue, Some(holder), text)).collect()
}

fn row(props: &Props, queue: &QueuePicture, holder: Option<&HolderPicture>, text: &Text) -> Html {
    let PullQueue { topic, broker_name, queue_id } = &queue.queue;
    let to = Place::Queues { queue: Some((topic.clone(), *queue_id)), unit: None };
    let done = holder.and_then(|holder| holder.offset).or(queue.committed);
    let behind = queue.max.zip(done).map(|(max, done)| max.saturating_sub(done));
    let cell = |offset: Option<i64>, class: Option<&'static str>| {
        html! {
            <td class={classes!("right", "num", class)}>{ offset.map_or_else(|| "–".to_owned(), |offset| offset.to_string()) }</td>
        }
    };
    let unsaved = queue.committed.is_some() && queue.committed != queue.persisted && !props.broadcasts;
    let untold = holder.and_then(|holder| holder.offset).is_some_and(|offset| Some(offset) != queue.committed);
    let (file, committed) = if props.broadcasts {
        (holder.and_then(|holder| holder.file), None)
    } else {
        (queue.persisted, queue.committed)
    };
    let key = format!("{topic}/{broker_name}/{queue_id}/{}", holder.map_or("", |holder| &holder.node));
    html! {
        <tr {key} data-testid={format!("offsets:{topic}/{queue_id}")}>
            <th scope="row">
                if let Some(holder) = holder {
                    { props.owners.badge(&holder.node) }<span class="hidden">{ holder.node.clone() }{ ": " }</span>
                } else {
                    <span class="owner" title={text.get("consumers.nobody-has")}>{ "–" }</span>
                }
                <span class="mono">{ format!("{topic}/{queue_id}") }</span>
                <span class="dim small block">
                    { broker_name.clone() }
                    { track(queue, holder, text) }
                </span>
            </th>
            { cell(queue.min, None) }
            { cell(file, unsaved.then_some("is-behind")) }
            { cell(committed, (untold && !props.broadcasts).then_some("is-behind")) }
            { cell(holder.and_then(|holder| holder.offset), None) }
            { cell(holder.map(|holder| holder.next_offset), None) }
            <td class="right">{ queue.max.map_or_else(|| html! { "–" }, |max| num(max, Some(to))) }</td>
            { cell(behind, behind.is_some_and(|behind| behind > 0).then_some("is-lag")) }
        </tr>
    }
}

/// The queue as a line: consumed, in hand, not pulled yet.
fn track(queue: &QueuePicture, holder: Option<&HolderPicture>, text: &Text) -> Html {
    let (Some(min), Some(max)) = (queue.min, queue.max) else { return html! { <></> } };
    let done = holder.and_then(|holder| holder.offset).or(queue.committed).unwrap_or(min).clamp(min, max.max(min));
    let pulled = holder.map_or(done, |holder| holder.next_offset).clamp(done, max.max(done));
    let parts = [("saved", done - min), ("memory", pulled - done), ("waits", max.saturating_sub(pulled))];
    let says = text.fill(
        "consumers.track",
        &[("done", &(done - min)), ("hand", &(pulled - done)), ("left", &max.saturating_sub(pulled))],
    );
    html! {
        <span class="parts is-thin" role="img" aria-label={says.clone()} title={says}>
            { for parts.into_iter().filter(|(_, units)| *units > 0).map(|(class, units)| html! {
                <span key={class} class={classes!("part", class)} style={format!("flex-grow: {units}")} />
            }) }
        </span>
    }
}
