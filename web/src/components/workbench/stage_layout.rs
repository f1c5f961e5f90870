//! Where the nodes stand: clients at the sides, NameServers above, brokers in the middle, a slave beside its master.

use std::collections::BTreeMap;

use rocketscope_engine::view::world::{NodeFacts, NodeKind, NodePicture};

const GAP: f64 = 18.0;

/// How the stage is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Clients at the sides of the brokers.
    Wide,
    /// Clients below the brokers.
    Narrow,
}

impl Shape {
    /// Width of the whole stage, in its own units.
    pub fn width(self) -> f64 {
        match self {
            Self::Wide => 760.0,
            Self::Narrow => 392.0,
        }
    }
}

/// A node's card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Card {
    /// Its middle.
    pub fn middle(self) -> (f64, f64) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Where a line from its middle to `to` leaves it.
    pub fn edge_towards(self, to: (f64, f64)) -> (f64, f64) {
        let (mx, my) = self.middle();
        let (dx, dy) = (to.0 - mx, to.1 - my);
        let part = |half: f64, d: f64| if d.abs() < 1e-9 { f64::INFINITY } else { half / d.abs() };
        let k = part(self.w / 2.0, dx).min(part(self.h / 2.0, dy)).min(1.0);
        (mx + dx * k, my + dy * k)
    }
}

/// Queues drawn on a broker's card; the rest is a number.
pub const QUEUES: usize = 8;

/// Tables drawn on a database's card; the rest is a number.
pub const TABLES: usize = 5;

/// Half the height of the lid of the drum that a database is drawn as.
pub const LID: f64 = 7.0;

/// Width of a broker's card that stands alone in its row.
const BROKER: f64 = 256.0;

/// Width of a database's card: room for a table's name beside what its rows come to.
const DATABASE: f64 = 224.0;

/// Width of a client's card.
const CLIENT: f64 = 138.0;

/// Queue boxes beside each other on a broker's card of this width.
pub fn queue_columns(width: f64) -> usize {
    if width < 200.0 { 1 } else { 2 }
}

/// Height of a broker's card of this width.
fn broker_height(node: &NodePicture, width: f64) -> f64 {
    let queues = match &node.facts {
        NodeFacts::Broker { queues, .. } => queues.len().min(QUEUES),
        _ => 0,
    };
    // Where there is no queue yet, a line says so.
    let rows = queues.div_ceil(queue_columns(width));
    if rows == 0 { 126.0 } else { 112.0 + 44.0 * rows as f64 }
}

fn is_slave(node: &NodePicture) -> bool {
    matches!(node.facts, NodeFacts::Broker { broker_id, .. } if broker_id != 0)
}

/// The size of a card that is no broker's.
fn size(node: &NodePicture) -> (f64, f64) {
    match node.kind {
        NodeKind::NameServer => (150.0, 44.0),
        NodeKind::Database => {
            let tables = match &node.facts {
                NodeFacts::Database { tables, .. } => tables.len().min(TABLES),
                _ => 0,
            };
            (DATABASE, 2.0 * LID + 46.0 + LID + 15.0 * tables as f64)
        }
        _ => (CLIENT, 62.0),
    }
}

/// Brokers that stand beside each other: a master, and the slave that was described after it.
struct Row<'a> {
    brokers: Vec<&'a NodePicture>,
    width: f64,
    gap: f64,
}

impl<'a> Row<'a> {
    fn all(nodes: &'a [NodePicture], shape: Shape) -> Vec<Self> {
        let mut rows: Vec<Vec<&NodePicture>> = Vec::new();
        for node in nodes.iter().filter(|node| node.kind == NodeKind::Broker) {
            match rows.last_mut() {
                Some(row) if row.len() == 1 && is_slave(node) => row.push(node),
                _ => rows.push(vec![node]),
            }
        }
        // What two cards and the gap between them take: the room between the clients, or all of a narrow stage.
        let (pair, gap) = match shape {
            Shape::Wide => (222.0, 28.0),
            Shape::Narrow => (182.0, 16.0),
        };
        let width = |row: &Vec<&NodePicture>| if row.len() > 1 { pair } else { BROKER };
        rows.into_iter().map(|brokers| Self { width: width(&brokers), brokers, gap }).collect()
    }

    fn height(&self) -> f64 {
        self.brokers.iter().map(|node| broker_height(node, self.width)).fold(0.0, f64::max)
    }

    /// The cards of the row whose upper edge is at `y`.
    fn cards(&self, y: f64, stage: f64) -> impl Iterator<Item = (&'a str, Card)> {
        let count = self.brokers.len() as f64;
        let mut x = (stage - count * self.width - (count - 1.0) * self.gap) / 2.0;
        self.brokers.iter().map(move |node| {
            let card = Card { x, y, w: self.width, h: broker_height(node, self.width) };
            x += self.width + self.gap;
            (node.name.as_str(), card)
        })
    }
}

/// A card for each node, in the same order, and the height of the stage.
pub fn place(nodes: &[NodePicture], shape: Shape) -> (Vec<Card>, f64) {
    let of = |kind: NodeKind| nodes.iter().filter(move |node| node.kind == kind);
    let stack = |kind: NodeKind| (of(kind).map(|node| size(node).1 + GAP).sum::<f64>() - GAP).max(0.0);
    let rows = Row::all(nodes, shape);
    let brokers = (rows.iter().map(|row| row.height() + GAP).sum::<f64>() - GAP).max(0.0);
    let top = 8.0 + if of(NodeKind::NameServer).next().is_some() { 44.0 + 30.0 } else { 0.0 };
    let clients = stack(NodeKind::Producer).max(stack(NodeKind::Consumer));
    let (databases, administrators) = (stack(NodeKind::Database), stack(NodeKind::Administrator));
    // Upper edge and height of the band that brokers and clients are centred in.
    let (broker_band, client_band, height) = match shape {
        Shape::Wide => {
            let body = brokers.max(clients).max(60.0);
            ((top, body), (top, body), top + body + 8.0)
        }
        Shape::Narrow => {
            let below = top + brokers + 46.0;
            ((top, brokers), (below, clients), below + clients + 8.0)
        }
    };
    let width = shape.width();
    let mut next_database = height + GAP - 8.0;
    let mut next_administrator = next_database;
    let below = databases.max(administrators);
    let beside = if administrators > 0.0 { 6.0 + CLIENT + GAP } else { 0.0 };
    let height = if below > 0.0 { next_database + below + 8.0 } else { height };
    let mut placed: BTreeMap<&str, Card> = BTreeMap::new();
    let mut y = broker_band.0 + (broker_band.1 - brokers) / 2.0;
    for row in &rows {
        placed.extend(row.cards(y, width));
        y += row.height() + GAP;
    }
    let first = |kind: NodeKind| client_band.0 + (client_band.1 - stack(kind)) / 2.0;
    let mut next_producer = first(NodeKind::Producer);
    let mut next_consumer = first(NodeKind::Consumer);
    let names = of(NodeKind::NameServer).count() as f64;
    let mut next_name = (width - names * 150.0 - (names - 1.0) * GAP) / 2.0;
    let cards = nodes.iter().map(|node| {
        let (w, h) = size(node);
        let (x, next) = match node.kind {
            NodeKind::NameServer => {
                let card = Card { x: next_name, y: 8.0, w, h };
                next_name += w + GAP;
                return card;
            }
            NodeKind::Broker => {
                return placed.get(node.name.as_str()).copied().unwrap_or(Card { x: 0.0, y: 0.0, w, h });
            }
            NodeKind::Producer => (6.0, &mut next_producer),
            NodeKind::Consumer => (width - w - 6.0, &mut next_consumer),
            // Below everything else, at the edge: it calls NameServers and brokers alike.
            NodeKind::Administrator => (6.0, &mut next_administrator),
            // In the middle, or where an administrator leaves room for it.
            NodeKind::Database => (((width - w) / 2.0).max(beside), &mut next_database),
        };
        let card = Card { x, y: *next, w, h };
        *next += h + GAP;
        card
    });
    (cards.collect(), height)
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::store::BrokerRole;
    use rocketscope_engine::view::world::{DiskPicture, NodeFacts, NodeKind, NodePicture};

    use super::{Card, Shape, place};

    fn node(kind: NodeKind) -> NodePicture {
        let facts = NodeFacts::NameServer { brokers: 0, topics: 0 };
        NodePicture {
            name: "n".to_owned(),
            kind,
            active: false,
            state: rocketscope_engine::sim::NodeState::Up,
            stopped: false,
            services: Vec::new(),
            paused: Vec::new(),
            facts,
        }
    }

    #[test]
    fn no_two_cards_overlap_and_all_are_inside() {
        let nodes: Vec<_> = [
            NodeKind::NameServer,
            NodeKind::NameServer,
            NodeKind::Producer,
            NodeKind::Producer,
            NodeKind::Broker,
            NodeKind::Broker,
            NodeKind::Consumer,
            NodeKind::Administrator,
            NodeKind::Database,
            NodeKind::Database,
        ]
        .into_iter()
        .enumerate()
        .map(|(index, kind)| NodePicture { name: format!("n{index}"), ..node(kind) })
        .chain([broker("master", 0), broker("slave", 1)])
        .collect();
        for shape in [Shape::Wide, Shape::Narrow] {
            let (cards, height) = place(&nodes, shape);
            for (i, a) in cards.iter().enumerate() {
                let inside = a.x >= 0.0 && a.x + a.w <= shape.width() && a.y >= 0.0 && a.y + a.h <= height;
                assert!(inside, "{a:?} in {height}");
                for b in &cards[i + 1..] {
                    let apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
                    assert!(apart, "{shape:?}: {a:?} {b:?}");
                }
            }
        }
    }

    fn broker(name: &str, broker_id: i64) -> NodePicture {
        let disk = DiskPicture { used_percent: 0, capacity_bytes: None, faults: Vec::new(), full: false };
        let facts = NodeFacts::Broker {
            broker_id,
            role: if broker_id == 0 { BrokerRole::AsyncMaster } else { BrokerRole::Slave },
            ha_connections: 1,
            max_phy_offset: 0,
            reput_from_offset: 0,
            queues: Vec::new(),
            disk,
        };
        NodePicture { name: name.to_owned(), facts, ..node(NodeKind::Broker) }
    }

    #[test]
    fn a_slave_stands_beside_its_master() {
        for shape in [Shape::Wide, Shape::Narrow] {
            let (cards, _) = place(&[broker("a", 0), broker("a-slave", 1), broker("b", 0)], shape);
            let [master, slave, other] = cards[..] else { panic!("{cards:?}") };
            assert!((master.y - slave.y).abs() < f64::EPSILON && master.x + master.w < slave.x, "{cards:?}");
            assert!(other.y > master.y + master.h, "{cards:?}");
        }
    }

    #[test]
    fn a_line_leaves_a_card_at_its_edge() {
        let card = Card { x: 0.0, y: 0.0, w: 100.0, h: 40.0 };
        assert_eq!(card.edge_towards((250.0, 20.0)), (100.0, 20.0));
        assert_eq!(card.edge_towards((50.0, 220.0)), (50.0, 40.0));
    }
}
