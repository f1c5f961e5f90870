//! The stage: nodes, connections, and what is on the wire.

use rocketscope_engine::sim::SentKind;
use rocketscope_engine::view::world::{Edge, Flight, NodeKind, Stage};
use yew::{Html, Properties, classes, component, html, use_callback, use_mut_ref, use_node_ref, use_state_eq};

use super::stage_layout::{Card, Shape, place};
use super::stage_nodes::{draw_node, facts};
use crate::components::resize::use_resize;
use crate::i18n::{Text, use_text};
use crate::route::Route;

/// Properties of [`StageView`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What is on it.
    pub stage: Stage,
    /// World time, microseconds.
    pub now_us: i64,
    /// Events taken: tells a step on from a jump.
    pub position: u64,
    /// Where the page is, for links into the brokers' stores.
    pub route: Route,
}

/// Middle of the box of the log on a broker's card, from the card's upper edge.
const LOG_Y: f64 = 50.0;

/// What was on the wire at the last drawing, to let it land.
#[derive(Default)]
struct Before {
    position: u64,
    flights: Vec<Flight>,
    landed: Vec<Flight>,
}

/// The stage.
#[component]
pub fn StageView(props: &Props) -> Html {
    let text = use_text();
    let before = use_mut_ref(Before::default);
    let stage = &props.stage;
    let landed = {
        let mut before = before.borrow_mut();
        if before.position != props.position {
            let gone = |flight: &&Flight| !stage.flights.iter().any(|now| now.id == flight.id);
            let landed = if before.position + 1 == props.position {
                before.flights.iter().filter(gone).cloned().collect()
            } else {
                Vec::new()
            };
            *before = Before { position: props.position, flights: stage.flights.clone(), landed };
        }
        before.landed.clone()
    };
    let frame = use_node_ref();
    let shape = use_state_eq(|| Shape::Wide);
    let on_resize = use_callback((), {
        let shape = shape.setter();
        move |(width, _): (i32, i32), ()| shape.set(if width < 480 { Shape::Narrow } else { Shape::Wide })
    });
    use_resize(frame.clone(), on_resize);
    let (cards, height) = place(&stage.nodes, *shape);
    let card = |name: &str| stage.nodes.iter().position(|node| node.name == name).and_then(|at| cards.get(at)).copied();
    // Several on one way are drawn beside each other.
    let lane = |flight: &Flight| {
        let before = stage.flights.iter().take_while(|other| other.id != flight.id);
        let pair =
            |f: &Flight| if f.from < f.to { (f.from.clone(), f.to.clone()) } else { (f.to.clone(), f.from.clone()) };
        before.filter(|other| pair(other) == pair(flight)).count()
    };
    html! {
        <figure class="stage" ref={frame} data-testid="stage">
            <svg
                viewBox={format!("0 0 {} {height}", shape.width())}
                role="group"
                aria-label={text.get("stage.label")}
                preserveAspectRatio="xMidYMid meet"
            >
                <defs>
                    <marker id="reput-tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                        <path d="M0 0L8 4L0 8z" class="reput-tip" />
                    </marker>
                </defs>
                <g>
                    { for stage.edges.iter().filter_map(|edge| {
                        let brokers = is_broker(stage, &edge.from) && is_broker(stage, &edge.to);
                        Some(draw_edge(edge, card(&edge.from)?, card(&edge.to)?, brokers))
                    }) }
                </g>
                <g>
                    { for stage.nodes.iter().zip(&cards).map(|(node, card)| draw_node(node, *card, stage, &props.route, &text)) }
                </g>
                <g>
                    { for stage.flights.iter().filter_map(|flight| {
                        let (from, to) = (card(&flight.from)?, card(&flight.to)?);
                        Some(draw_flight(flight, from, to, Some(props.now_us), lane(flight)))
                    }) }
                    { for landed.iter().filter_map(|flight| {
                        Some(draw_flight(flight, card(&flight.from)?, card(&flight.to)?, None, 0))
                    }) }
                </g>
            </svg>
            <figcaption class="hidden">{ narrate(stage, &text) }</figcaption>
        </figure>
    }
}

/// The stage in sentences.
fn narrate(stage: &Stage, text: &Text) -> String {
    let mut said: Vec<String> =
        stage.nodes.iter().map(|node| format!("{}: {}.", node.name, facts(node, text).join(", "))).collect();
    said.extend(stage.flights.iter().map(|flight| {
        text.fill("stage.flight", &[("what", &flight.label), ("from", &flight.from), ("to", &flight.to)])
    }));
    said.join(" ")
}

fn is_broker(stage: &Stage, name: &str) -> bool {
    stage.nodes.iter().any(|node| node.name == name && node.kind == NodeKind::Broker)
}

/// Where a line between two cards begins and ends. Brokers beside each other are joined at their logs.
fn ends(from: Card, to: Card) -> ((f64, f64), (f64, f64)) {
    if (from.y - to.y).abs() < 1.0 && from.h.min(to.h) > 100.0 {
        let (left, right) = if from.x < to.x { (from.x + from.w, to.x) } else { (from.x, to.x + to.w) };
        return ((left, from.y + LOG_Y), (right, to.y + LOG_Y));
    }
    (from.edge_towards(to.middle()), to.edge_towards(from.middle()))
}

fn draw_edge(edge: &Edge, from: Card, to: Card, replica: bool) -> Html {
    let ((x1, y1), (x2, y2)) = ends(from, to);
    let class = classes!("edge", replica.then_some("is-replica"));
    html! {
        <path key={format!("{}>{}", edge.from, edge.to)} {class} d={format!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}")} />
    }
}

/// Something on the wire at `now`; without a time, at the end of its way.
fn draw_flight(flight: &Flight, from: Card, to: Card, now: Option<i64>, lane: usize) -> Html {
    let (start, end) = ends(from, to);
    let took = (flight.arrives_us - flight.sent_us).max(1) as f64;
    let part = now.map_or(1.0, |now| ((now - flight.sent_us) as f64 / took).clamp(0.25, 0.75));
    let at = |part: f64| (start.0 + (end.0 - start.0) * part, start.1 + (end.1 - start.1) * part);
    let (mut x, mut y) = at(part);
    let (x0, y0) = at(if now.is_some() { 0.0 } else { 0.5 });
    let half = flight.label.len() as f64 * 2.75 + 8.0;
    let aside = lane.div_ceil(2) as f64 * if lane.is_multiple_of(2) { 1.0 } else { -1.0 };
    if (end.0 - start.0).abs() > (end.1 - start.1).abs() {
        y += 21.0 * aside;
    } else {
        x += (half * 2.0 + 5.0) * aside;
    }
    let class = classes!(
        "flight",
        match flight.kind {
            SentKind::Response => "is-response",
            SentKind::Replica => "is-replica",
            SentKind::Request | SentKind::Oneway => "is-request",
        },
        now.is_none().then_some("is-landed"),
    );
    let style = format!("transform:translate({x:.1}px,{y:.1}px);--x0:{x0:.1}px;--y0:{y0:.1}px");
    let key = format!("{} {}", flight.id, now.is_some());
    html! {
        <g {key} {class} {style}>
            <rect x={(-half).to_string()} y="-9" width={(half * 2.0).to_string()} height="18" rx="9" />
            <text y="3.5">{ flight.label.clone() }</text>
        </g>
    }
}
