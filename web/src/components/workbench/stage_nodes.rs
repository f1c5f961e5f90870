//! The cards of the nodes on the stage.

use rocketscope_engine::node::Service;
use rocketscope_engine::sim::NodeState;
use rocketscope_engine::view::world::{NodeFacts, NodeKind, NodePicture, QueueFact, Stage};
use yew::{Html, classes, html};

use super::stage_database::{draw_database, in_words};
use super::stage_layout::{Card, LID, QUEUES, queue_columns};
use crate::components::faults::state_words;
use crate::i18n::{Text, name_of};
use crate::route::{Place, Route};

/// How wide a letter of a card's small text is, pixels: most of them are capitals.
const FACT_LETTER: f64 = 6.3;

/// What a card says, line by line.
pub fn facts(node: &NodePicture, text: &Text) -> Vec<String> {
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
        NodeFacts::PushConsumer { queues, consuming, in_hand, suspended, .. } => {
            let first = match consuming.as_slice() {
                _ if *suspended => text.get("stage.suspended"),
                [] => text.get("stage.listener-idle"),
                names => text.fill("stage.consuming", &[("names", &names.join(", "))]),
            };
            vec![first, text.fill("stage.push", &[("queues", queues), ("hand", in_hand)])]
        }
        NodeFacts::Administrator { commands, busy, last } => {
            let first =
                if *busy { text.get("stage.command-runs") } else { text.count("stage.commands", i64::from(*commands)) };
            std::iter::once(first).chain(last.iter().filter(|_| !busy).cloned()).collect()
        }
        NodeFacts::Database { tables, commits } => {
            let commits = text.count("stage.commits", i64::try_from(*commits).unwrap_or(i64::MAX));
            tables.iter().map(|table| in_words(table, text)).chain(std::iter::once(commits)).collect()
        }
    }
}

/// A node: its card, its name, and what it says.
pub fn draw_node(node: &NodePicture, card: Card, stage: &Stage, route: &Route, text: &Text) -> Html {
    let (cx, _) = card.middle();
    let title_y = card.y
        + match node.kind {
            NodeKind::NameServer => 19.0,
            NodeKind::Database => 2.0 * LID + 16.0,
            _ => 23.0,
        };
    let class = classes!(
        "node",
        name_of(&node.kind),
        format!("is-{}", name_of(&node.state)),
        node.active.then_some("is-active"),
        node.stopped.then_some("is-stopped"),
    );
    let inside = match &node.facts {
        _ if node.state == NodeState::Down => draw_down(node, card, route, text),
        NodeFacts::Broker { max_phy_offset, reput_from_offset, queues, .. } => {
            draw_broker(node, card, (*max_phy_offset, *reput_from_offset), queues, route, text)
        }
        NodeFacts::Database { tables, commits } => draw_database(card, tables, *commits, text),
        _ => facts(node, text)
            .into_iter()
            .zip(0..2)
            .map(|(line, row)| {
                html! {
                    <text class="node-fact" x={cx.to_string()} y={(title_y + 17.0 + 13.0 * f64::from(row)).to_string()}>
                        <title>{ line.clone() }</title>
                        { fitted(&line, card.w) }
                    </text>
                }
            })
            .collect(),
    };
    html! {
        <g key={node.name.clone()} {class} data-testid={format!("node:{}", node.name)}>
            { outline(node, card) }
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

/// A card's edge: a database is a drum, everything else a sheet.
fn outline(node: &NodePicture, card: Card) -> Html {
    let Card { x, y, w, h } = card;
    if node.kind != NodeKind::Database {
        return html! {
            <rect class="node-card" x={x.to_string()} y={y.to_string()} width={w.to_string()} height={h.to_string()} rx="10" />
        };
    }
    let (half, top, bottom) = (w / 2.0, y + LID, y + h - LID);
    let drum = format!("M{x} {top}a{half} {LID} 0 0 1 {w} 0V{bottom}a{half} {LID} 0 0 1 -{w} 0z");
    let lid = format!("M{x} {top}a{half} {LID} 0 0 0 {w} 0");
    html! {
        <>
            <path class="node-card" d={drum} />
            <path class="node-lid" d={lid} />
        </>
    }
}

/// A line that fits into a card so many pixels wide: a long name is cut, the count behind it stays.
fn fitted(line: &str, width: f64) -> String {
    cut(line, ((width - 10.0) / FACT_LETTER) as usize)
}

/// A line of so many letters at most.
pub(super) fn cut(line: &str, most: usize) -> String {
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
        return html! { <></> };
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
                { line(if node.kind == NodeKind::Database { cy + LID + 6.0 } else { card.y + card.h - 15.0 }, "node-down", state_words(node, text)) }
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

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_long_name_is_cut_and_the_count_behind_it_stays() {
        assert_eq!(cut("policies_cached", 15), "policies_cached");
        assert_eq!(cut("policies_by_order", 15), "policies_by_or…");
        assert_eq!(cut("SEND_OK_AND_MORE × 12", 12), "SEND_O… × 12");
    }
}
