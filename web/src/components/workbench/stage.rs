//! The stage: nodes, connections, and what is on the wire.

use rocketscope_engine::node::Service;
use rocketscope_engine::sim::{NodeState, SentKind};
use rocketscope_engine::view::world::{Edge, Flight, NodeFacts, NodeKind, NodePicture, QueueFact, Stage};
use yew::{Html, Properties, classes, component, html, use_callback, use_mut_ref, use_node_ref, use_state_eq};

use super::stage_layout::{Card, QUEUES, Shape, place, queue_columns};
use crate::components::faults::state_words;
use crate::components::resize::use_resize;
use crate::i18n::{Text, name_of, use_text};
use crate::route::{Place, Route};

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
/// How wide a letter of a card's small text is, pixels: most of them are capitals.
const FACT_LETTER: f64 = 6.3;

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

/// What a card says, line by line.
fn facts(node: &NodePicture, text: &Text) -> Vec<String> {
    if node.state != NodeState::Up {
        let mut lines = vec![state_words(node, text)];
        if node.state == NodeState::Down {
            return lines;
        }
        lines.extend(facts(&NodePicture { state: NodeState::Up, ..node.clone() }, text));
        return lines;
    }
    match &node.facts {
        NodeFacts::NameServer { brokers, topics } => {
            vec![text.fill("stage.routes", &[("brokers", brokers), ("topics", topics)])]
        }
        NodeFacts::Broker { max_phy_offset, reput_from_offset, queues, .. } => {
            let mut lines = vec![text.fill("stage.log", &[("end", max_phy_offset), ("reput", reput_from_offset)])];
            lines.extend(queues.iter().map(|queue| {
                text.fill(
                    "stage.queue",
                    &[("topic", &queue.topic), ("queue", &queue.queue_id), ("units", &queue.max_offset)],
                )
            }));
            lines
        }
        NodeFacts::Producer { pending, results } => {
            let mut lines: Vec<String> = results.iter().map(|(status, count)| format!("{status} × {count}")).collect();
            if *pending > 0 {
                lines.push(text.fill("stage.pending", &[("count", pending)]));
            }
            if lines.is_empty() {
                lines.push(text.get("stage.nothing-sent"));
            }
            lines
        }
        NodeFacts::Consumer { received, last_status, .. } => {
            let got = text.fill("stage.received", &[("count", received)]);
            last_status.iter().cloned().chain([got]).collect()
        }
        NodeFacts::Administrator { commands, busy, .. } => {
            let mut lines = vec![text.fill("stage.commands", &[("count", commands)])];
            if *busy {
                lines.push(text.get("stage.command-runs"));
            }
            lines
        }
        NodeFacts::Database { tables, commits } => {
            let mut lines: Vec<String> = tables.iter().map(|(name, rows)| format!("{name} × {rows}")).collect();
            lines.push(text.fill("stage.commits", &[("count", commits)]));
            lines
        }
    }
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

fn draw_node(node: &NodePicture, card: Card, stage: &Stage, route: &Route, text: &Text) -> Html {
    let (cx, _) = card.middle();
    let title_y = card.y + if node.kind == NodeKind::NameServer { 19.0 } else { 23.0 };
    let class = classes!(
        "node",
        name_of(&node.kind),
        format!("is-{}", name_of(&node.state)),
        node.active.then_some("is-active"),
        node.stopped.then_some("is-stopped"),
    );
    let inside =
        if node.state == NodeState::Down {
            draw_down(node, card, route, text)
        } else if let NodeFacts::Broker { max_phy_offset, reput_from_offset, queues, .. } = &node.facts {
            draw_broker(node, card, (*max_phy_offset, *reput_from_offset), queues, route, text)
        } else {
            facts(node, text)
            .into_iter()
            .zip(0..2)
            .map(|(line, row)| html! {
                <text class="node-fact" x={cx.to_string()} y={(title_y + 17.0 + 13.0 * f64::from(row)).to_string()}>
                    <title>{ line.clone() }</title>
                    { fitted(&line, card.w) }
                </text>
            })
            .collect()
        };
    html! {
        <g key={node.name.clone()} {class} data-testid={format!("node:{}", node.name)}>
            <rect
                class="node-card"
                x={card.x.to_string()}
                y={card.y.to_string()}
                width={card.w.to_string()}
                height={card.h.to_string()}
                rx="10"
            />
            <text class="node-name" x={cx.to_string()} y={title_y.to_string()}>
                { node.name.clone() }
                { role(node, stage, text) }
                if !matches!(node.state, NodeState::Up | NodeState::Down) {
                    <tspan class="node-life">{ format!(" · {}", state_words(node, text)) }</tspan>
                }
            </text>
            { inside }
        </g>
    }
}

/// A line that fits into a card so many pixels wide: a long name is cut, the count behind it stays.
fn fitted(line: &str, width: f64) -> String {
    let most = ((width - 10.0) / FACT_LETTER) as usize;
    if line.chars().count() <= most {
        return line.to_owned();
    }
    let (name, count) = line.rfind(" × ").map_or((line, ""), |at| line.split_at(at));
    let head: String = name.chars().take(most.saturating_sub(count.chars().count() + 1)).collect();
    format!("{head}…{count}")
}

/// Whether a broker is a master or a slave, where that is a question: with a slave about.
fn role(node: &NodePicture, stage: &Stage, text: &Text) -> Html {
    let is_slave = |node: &NodePicture| matches!(node.facts, NodeFacts::Broker { broker_id, .. } if broker_id != 0);
    if node.kind != NodeKind::Broker || !stage.nodes.iter().any(is_slave) {
        return html! {};
    }
    let key = if is_slave(node) { "stage.slave" } else { "stage.master" };
    html! { <tspan class="node-role">{ format!(" · {}", text.get(key)) }</tspan> }
}

/// A node without a process: what is left of it is on its disk.
fn draw_down(node: &NodePicture, card: Card, route: &Route, text: &Text) -> Html {
    let (cx, cy) = card.middle();
    let broker = node.kind == NodeKind::Broker;
    let line = |y: f64, class: &'static str, words: String| {
        html! { <text {class} x={cx.to_string()} y={y.to_string()}>{ words }</text> }
    };
    html! {
        <>
            if broker {
                { line(cy - 2.0, "node-down", state_words(node, text)) }
                { line(cy + 16.0, "node-fact", text.get("stage.down-broker")) }
                <a href={route.to(Place::default()).to_string()}>
                    <text class="node-fact node-link" x={cx.to_string()} y={(cy + 33.0).to_string()}>
                        { text.get("stage.to-disk") }
                    </text>
                </a>
            } else {
                { line(card.y + card.h - 15.0, "node-down", state_words(node, text)) }
            }
        </>
    }
}

fn draw_broker(
    node: &NodePicture,
    card: Card,
    (end, reput): (i64, i64),
    queues: &[QueueFact],
    route: &Route,
    text: &Text,
) -> Html {
    let (cx, _) = card.middle();
    let (left, width) = (card.x + 14.0, card.w - 28.0);
    let log_y = card.y + 36.0;
    let shown = queues.get(..queues.len().min(QUEUES)).unwrap_or(queues);
    let columns = queue_columns(card.w);
    let queue = |index: usize, queue: &QueueFact| {
        let part = if columns == 1 { width } else { (width - 8.0) / 2.0 };
        let w = if shown.len() == 1 { width } else { part };
        let x = left + (part + 8.0) * (index % columns) as f64;
        let y = log_y + 66.0 + 44.0 * (index / columns) as f64;
        let link = route.to(Place::Queues { queue: Some((queue.topic.clone(), queue.queue_id)), unit: None });
        let mut name = format!("{}/{}", queue.topic, queue.queue_id);
        if name.chars().count() > 15 && shown.len() > 1 {
            let head: String = queue.topic.chars().take(11).collect();
            name = format!("{head}…/{}", queue.queue_id);
        }
        html! {
            <a key={format!("{}/{}", queue.topic, queue.queue_id)} href={link.to_string()}>
                <g class={classes!("queue-box", queue.just_written.then_some("is-new"))}>
                    <rect x={x.to_string()} y={y.to_string()} width={w.to_string()} height="38" rx="6" />
                    <text class="queue-name" x={(x + w / 2.0).to_string()} y={(y + 16.0).to_string()}>{ name }</text>
                    <text class="node-fact" x={(x + w / 2.0).to_string()} y={(y + 30.0).to_string()}>
                        { text.count("stage.units", queue.max_offset) }
                    </text>
                </g>
            </a>
        }
    };
    let behind = end - reput;
    let reput_paused = node.paused.contains(&Service::Reput);
    html! {
        <>
            <a href={route.to(Place::default()).to_string()}>
                <g class="log-box">
                    <rect x={left.to_string()} y={log_y.to_string()} width={width.to_string()} height="28" rx="6" />
                    <text x={cx.to_string()} y={(log_y + 18.0).to_string()}>
                        { "CommitLog · " }<tspan class="svg-num">{ end }</tspan>
                    </text>
                </g>
            </a>
            <path
                class={classes!("reput-arrow", reput_paused.then_some("is-paused"), (behind > 0).then_some("is-behind"))}
                d={format!("M{cx} {}V{}", log_y + 30.0, log_y + 60.0)}
                marker-end="url(#reput-tip)"
            />
            <text class="reput-text" x={(cx + 9.0).to_string()} y={(log_y + 49.0).to_string()}>
                { if reput_paused { text.get("stage.reput-paused") } else { text.get("stage.reput") } }
                { " " }<tspan class="svg-num">{ reput }</tspan>
            </text>
            { for shown.iter().enumerate().map(|(index, fact)| queue(index, fact)) }
            if queues.is_empty() {
                <text class="node-fact" x={cx.to_string()} y={(log_y + 74.0).to_string()}>{ text.get("stage.no-queues") }</text>
            }
            if queues.len() > shown.len() {
                <text class="node-fact" x={cx.to_string()} y={(card.y + card.h - 5.0).to_string()}>
                    { text.fill("stage.more-queues", &[("count", &(queues.len() - shown.len()))]) }
                </text>
            }
        </>
    }
}
