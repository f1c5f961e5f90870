//! The log: the present event step by step, and the events before it.

use rocketscope_engine::sim::{DiskOp, TraceEvent};
use rocketscope_engine::view::world::Timeline;
use yew::{Callback, Html, Properties, classes, component, html};

use super::lane;
use crate::components::narrate;
use crate::components::store::{Num, format};
use crate::i18n::{name_of, use_text};
use crate::route::Place;

/// Properties of [`Log`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The present event; nothing at the start.
    pub event: Option<TraceEvent>,
    /// Events around it.
    pub timeline: Timeline,
    /// Events taken.
    pub position: u64,
    /// The node whose store the inspector shows.
    pub node: Option<String>,
    /// Go to just after an event.
    pub on_seek: Callback<u64>,
}

/// The log.
#[component]
pub fn Log(props: &Props) -> Html {
    let text = use_text();
    html! {
        <div class="pane log" data-testid="log">
            if let Some(event) = &props.event {
                <Present event={event.clone()} node={props.node.clone()} on_seek={props.on_seek.clone()} />
            } else {
                <p class="dim">{ text.get("saying.start") }</p>
            }
            <h2 class="label">{ text.get("log.events") }</h2>
            <ol class="log-list">
                { for props.timeline.events.iter().rev().map(|event| {
                    let lane = props.timeline.lanes.get(event.lane as usize);
                    let to = event.seq + 1;
                    let class = classes!(
                        "log-row",
                        (to == props.position).then_some("is-here"),
                        (to > props.position).then_some("is-ahead"),
                    );
                    html! {
                        <li key={event.seq}>
                            <button type="button" {class} onclick={props.on_seek.reform(move |_| to)}>
                                <span class="num dim">{ to }</span>
                                <span class="num dim">{ format::clock(event.at_us) }</span>
                                <i class={classes!("dot", lane.and_then(|lane| lane::state(&lane.service)))} />
                                <span class="log-lane">{ lane.map_or_else(String::new, |lane| format!("{} · {}", lane.node, lane.service)) }</span>
                                <span class="log-what dim">{ narrate::cause_line(&event.what, &text) }</span>
                            </button>
                        </li>
                    }
                }) }
            </ol>
        </div>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct PresentProps {
    event: TraceEvent,
    node: Option<String>,
    on_seek: Callback<u64>,
}

/// One event with all its steps.
#[component]
fn Present(props: &PresentProps) -> Html {
    let text = use_text();
    let event = &props.event;
    let links = props.node.as_deref() == Some(event.node.as_str());
    html! {
        <article aria-labelledby="log-title" data-testid="present-event">
            <h2 class="label" id="log-title">{ text.fill("log.event", &[("event", &(event.seq + 1))]) }</h2>
            <p class="narration"><span class="saying-who">{ format!("{} · {}", event.node, event.service) }</span>{ narrate::cause(&event.what, &text) }</p>
            if let Some(cause) = event.cause {
                <p class="small dim">
                    { text.rich("log.because", &[("event", html! {
                        <button type="button" class="link" onclick={props.on_seek.reform(move |_| cause + 1)}>{ cause + 1 }</button>
                    })]) }
                </p>
            }
            <ol class="steps-list">
                { for event.steps.iter().map(|step| html! {
                    <li key={step.index}>
                        <p>{ narrate::step(&step.what, &text) }</p>
                        { for event.writes.iter().filter(|write| write.step == step.index).map(|write| {
                            let to = links.then(|| Place::Disk { file: Some(write.path.clone()), at: Some(write.offset) });
                            let op = text.get(&format!("disk-op.{}", name_of(&write.op)));
                            let place = match write.op {
                                DiskOp::Write | DiskOp::Flush => format!("{} @ {} + {}", write.path, write.offset, write.len),
                                _ => write.path.clone(),
                            };
                            html! { <p class="small dim">{ op }{ " " }<Num value={place} {to} /></p> }
                        }) }
                    </li>
                }) }
            </ol>
            { for event.sent.iter().map(|sent| html! {
                <p class="small dim" key={sent.id.to_string()}>
                    { text.fill("log.sent", &[
                        ("what", &sent.label),
                        ("to", &sent.to),
                        ("at", &format::clock(sent.arrives_us)),
                    ]) }
                </p>
            }) }
        </article>
    }
}
