//! The timeline: a lane for each service, an event after the other, causes as arrows.

use rocketscope_engine::lesson::Breakpoint;
use rocketscope_engine::view::past::PastPicture;
use rocketscope_engine::view::world::{Lane, Timeline, TimelineEvent};
use web_sys::Element;
use yew::{Callback, Html, Properties, classes, component, html, use_effect_with, use_node_ref};

use super::lane;
use crate::components::narrate;
use crate::components::past::{Drawing, of_lane, toggled};
use crate::components::store::format;
use crate::i18n::{Text, use_text};

const STEP: f64 = 26.0;
const LANE: f64 = 26.0;
const TOP: f64 = 8.0;

/// Properties of [`TimelineView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Lanes and events.
    pub timeline: Timeline,
    /// Events taken: those before are past, the rest is known from before a step back.
    pub position: u64,
    /// An event to point at.
    #[prop_or_default]
    pub marked: Option<u64>,
    /// Branches and breakpoints.
    #[prop_or_default]
    pub past: PastPicture,
    /// Go to just after an event: the number of events to take.
    pub on_seek: Callback<u64>,
    /// Set these breakpoints in place of those before; absent: here is nothing to stop.
    #[prop_or_default]
    pub on_set: Option<Callback<Vec<Breakpoint>>>,
    /// Go back to a branch that was left.
    #[prop_or_default]
    pub on_switch: Callback<u32>,
}

/// The timeline.
#[component]
pub fn TimelineView(props: &Props) -> Html {
    let text = use_text();
    let scroll = use_node_ref();
    let timeline = &props.timeline;
    let first = timeline.events.first().map_or(0, |event| event.seq);
    let x = |seq: u64| 16.0 + seq.saturating_sub(first) as f64 * STEP;
    let y = |lane: u32| TOP + LANE * (f64::from(lane) + 0.5);
    // The place after so many events.
    let after = |events: u64| if events <= first { 4.0 } else { x(events - 1) + STEP / 2.0 };
    let now_x = after(props.position);
    use_effect_with((now_x as i32, timeline.lanes.len()), {
        let scroll = scroll.clone();
        move |(now_x, _)| {
            if let Some(element) = scroll.cast::<Element>() {
                let (left, width) = (element.scroll_left(), element.client_width());
                if *now_x < left + 30 || *now_x > left + width - 50 {
                    element.set_scroll_left(now_x - width * 2 / 3);
                }
            }
        }
    });
    if timeline.lanes.is_empty() {
        return html! { <p class="dim">{ text.get("timeline.empty") }</p> };
    }
    let last = first + timeline.events.len() as u64;
    let branches = Drawing::new(&props.past.branches, first, last, after, STEP);
    let width = (x(last) + 20.0).max(branches.right());
    let lanes_height = TOP * 2.0 + LANE * timeline.lanes.len() as f64;
    let height = lanes_height + branches.height();
    let find = |seq: u64| timeline.events.iter().find(|event| event.seq == seq);
    html! {
        <div class="timeline" data-testid="timeline">
            <div class="timeline-names" role="group" aria-label={text.get("past.lanes")}>
                { for timeline.lanes.iter().map(|lane| lane_name(lane, &props.past.breakpoints, props.on_set.as_ref(), &text)) }
            </div>
            <div class="timeline-scroll" ref={scroll} tabindex="0" role="region" aria-label={text.get("timeline.label")}>
                <svg style={format!("min-width:{width}px")} height={height.to_string()} role="list" aria-label={text.get("timeline.label")}>
                    <defs>
                        <marker id="cause-tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" orient="auto">
                            <path d="M0 0L6 3L0 6z" class="cause-tip" />
                        </marker>
                    </defs>
                    { for (0..timeline.lanes.len()).map(|index| {
                        let y = (TOP + LANE * (index as f64 + 0.5)).to_string();
                        html! { <line key={index} class="lane" x1="0" x2="100%" y1={y.clone()} y2={y} /> }
                    }) }
                    { for timeline.events.iter().filter_map(|event| {
                        let from = find(event.cause?)?;
                        Some(arrow((x(from.seq), y(from.lane)), (x(event.seq), y(event.lane)), event, props.position))
                    }) }
                    { branches.draw(lanes_height, &props.on_switch, &text) }
                    <line class="now" x1={now_x.to_string()} x2={now_x.to_string()} y1="0" y2={height.to_string()} />
                    { for timeline.events.iter().map(|event| {
                        let lane = timeline.lanes.get(event.lane as usize);
                        let service = lane.map_or("", |lane| lane.service.as_str());
                        let what = format!(
                            "{}. {}, {} {}: {}",
                            event.seq + 1,
                            format::clock(event.at_us),
                            lane.map_or("", |lane| lane.node.as_str()),
                            service,
                            narrate::cause_line(&event.what, &text)
                        );
                        let class = classes!(
                            "event",
                            lane::state(service),
                            (event.seq >= props.position).then_some("is-ahead"),
                            (event.seq + 1 == props.position).then_some("is-now"),
                            (Some(event.seq) == props.marked).then_some("is-marked"),
                            (event.seq + 1 == props.position && props.past.stopped_by.is_some()).then_some("is-stop"),
                        );
                        let to = event.seq + 1;
                        html! {
                            <g key={event.seq} {class} role="listitem" aria-label={what.clone()} onclick={props.on_seek.reform(move |_| to)} data-seq={event.seq.to_string()}>
                                <title>{ what }</title>
                                <circle class="event-hit" cx={x(event.seq).to_string()} cy={y(event.lane).to_string()} r="13" />
                                { shape(service, x(event.seq), y(event.lane)) }
                            </g>
                        }
                    }) }
                </svg>
            </div>
        </div>
    }
}

/// A lane's name: a button that has the run stop at every turn of its service, or not any more.
fn lane_name(lane: &Lane, breakpoints: &[Breakpoint], on_set: Option<&Callback<Vec<Breakpoint>>>, text: &Text) -> Html {
    let name = format!("{} · {}", lane.node, lane.service);
    let dot = html! { <i class={classes!("dot", lane::state(&lane.service))} /> };
    let (Some(breakpoint), Some(on_set)) = (of_lane(lane), on_set) else {
        return html! { <span key={name.clone()}>{ dot }{ name }</span> };
    };
    let (set, next) = (breakpoints.contains(&breakpoint), toggled(breakpoints, &breakpoint));
    html! {
        <button
            key={name.clone()}
            type="button"
            class={classes!("lane-name", set.then_some("is-set"))}
            aria-pressed={set.to_string()}
            aria-label={text.fill("past.lane", &[("lane", &name)])}
            title={text.fill("past.lane", &[("lane", &name)])}
            onclick={on_set.reform(move |_| next.clone())}
            data-testid={format!("lane:{}/{}", lane.node, lane.service)}
        >{ dot }{ name }</button>
    }
}

/// Each storage state has a shape of its own, so that colour is not alone.
fn shape(service: &str, x: f64, y: f64) -> Html {
    match lane::state(service) {
        Some("written") => {
            html! { <rect x={(x - 5.0).to_string()} y={(y - 5.0).to_string()} width="10" height="10" rx="2" /> }
        }
        Some("dispatched") => html! { <path d={format!("M{} {}l6.5 6.5l-6.5 6.5l-6.5 -6.5z", x, y - 6.5)} /> },
        Some("flushed") => html! { <path d={format!("M{} {}l6.5 11.5h-13z", x, y - 6.5)} /> },
        Some("committed") => html! { <path d={format!("M{} {}h4v4h4v4h-4v4h-4v-4h-4v-4h4z", x - 2.0, y - 6.0)} /> },
        Some("replicated") => html! { <path d={format!("M{} {}h13l-6.5 11.5z", x - 6.5, y - 5.0)} /> },
        _ => html! { <circle cx={x.to_string()} cy={y.to_string()} r="5" /> },
    }
}

fn arrow(from: (f64, f64), to: (f64, f64), event: &TimelineEvent, position: u64) -> Html {
    let class = classes!(
        "cause",
        (event.seq >= position).then_some("is-ahead"),
        (event.seq + 1 == position).then_some("is-now"),
    );
    let (x1, x2) = (from.0 + 6.0, to.0 - 7.0);
    let bend = ((x2 - x1) / 2.0).clamp(6.0, 40.0);
    let d = format!("M{x1} {}C{} {} {} {} {x2} {}", from.1, x1 + bend, from.1, x2 - bend, to.1, to.1);
    html! { <path key={format!("cause {}", event.seq)} {class} {d} marker-end="url(#cause-tip)" /> }
}
