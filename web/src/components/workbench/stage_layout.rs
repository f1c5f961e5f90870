//! Where the nodes stand: clients at the sides, NameServers above, brokers in the middle.

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

/// Rows of queue boxes on a broker's card.
pub fn queue_rows(node: &NodePicture) -> usize {
    match &node.facts {
        NodeFacts::Broker { queues, .. } => queues.len().min(QUEUES).div_ceil(2),
        _ => 0,
    }
}

fn size(node: &NodePicture) -> (f64, f64) {
    match node.kind {
        NodeKind::NameServer => (150.0, 44.0),
        NodeKind::Producer | NodeKind::Consumer => (138.0, 62.0),
        NodeKind::Broker => (256.0, 112.0 + 44.0 * queue_rows(node) as f64),
    }
}

/// A card for each node, in the same order, and the height of the stage.
pub fn place(nodes: &[NodePicture], shape: Shape) -> (Vec<Card>, f64) {
    let of = |kind: NodeKind| nodes.iter().filter(move |node| node.kind == kind);
    let stack = |kind: NodeKind| (of(kind).map(|node| size(node).1 + GAP).sum::<f64>() - GAP).max(0.0);
    let top = 8.0 + if of(NodeKind::NameServer).next().is_some() { 44.0 + 30.0 } else { 0.0 };
    let (brokers, clients) = (stack(NodeKind::Broker), stack(NodeKind::Producer).max(stack(NodeKind::Consumer)));
    // Upper edge and height of the band that each kind is centred in.
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
    let first = |kind: NodeKind, band: (f64, f64)| band.0 + (band.1 - stack(kind)) / 2.0;
    let mut next_broker = first(NodeKind::Broker, broker_band);
    let mut next_producer = first(NodeKind::Producer, client_band);
    let mut next_consumer = first(NodeKind::Consumer, client_band);

    let width = shape.width();
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
            NodeKind::Producer => (6.0, &mut next_producer),
            NodeKind::Consumer => (width - w - 6.0, &mut next_consumer),
            NodeKind::Broker => ((width - w) / 2.0, &mut next_broker),
        };
        let card = Card { x, y: *next, w, h };
        *next += h + GAP;
        card
    });
    (cards.collect(), height)
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::view::world::{NodeFacts, NodeKind, NodePicture};

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
        ]
        .map(node)
        .into();
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

    #[test]
    fn a_line_leaves_a_card_at_its_edge() {
        let card = Card { x: 0.0, y: 0.0, w: 100.0, h: 40.0 };
        assert_eq!(card.edge_towards((250.0, 20.0)), (100.0, 20.0));
        assert_eq!(card.edge_towards((50.0, 220.0)), (50.0, 40.0));
    }
}
