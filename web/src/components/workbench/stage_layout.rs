//! Where the nodes stand: clients at the sides, NameServers above, brokers in the middle.

use rocketscope_engine::view::world::{NodeFacts, NodeKind, NodePicture};

/// Width of the whole stage, in its own units.
pub const WIDTH: f64 = 760.0;

const GAP: f64 = 18.0;

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
pub fn place(nodes: &[NodePicture]) -> (Vec<Card>, f64) {
    let of = |kind: NodeKind| nodes.iter().filter(move |node| node.kind == kind);
    let stack = |kind: NodeKind| of(kind).map(|node| size(node).1 + GAP).sum::<f64>() - GAP;
    let top = if of(NodeKind::NameServer).next().is_some() { 44.0 + 30.0 } else { 0.0 };
    let body = [NodeKind::Producer, NodeKind::Broker, NodeKind::Consumer].map(stack).into_iter().fold(60.0, f64::max);
    let height = 8.0 + top + body + 8.0;

    let names = of(NodeKind::NameServer).count() as f64;
    let mut next_name = WIDTH / 2.0 - (names * 150.0 + (names - 1.0) * GAP) / 2.0;
    let mut next = [NodeKind::Producer, NodeKind::Broker, NodeKind::Consumer]
        .map(|kind| (kind, 8.0 + top + (body - stack(kind)) / 2.0));
    let cards = nodes.iter().map(|node| {
        let (w, h) = size(node);
        if node.kind == NodeKind::NameServer {
            let card = Card { x: next_name, y: 8.0, w, h };
            next_name += w + GAP;
            return card;
        }
        let x = match node.kind {
            NodeKind::Producer => 6.0,
            NodeKind::Consumer => WIDTH - w - 6.0,
            _ => (WIDTH - w) / 2.0,
        };
        let mut card = Card { x, y: 8.0, w, h };
        if let Some((_, y)) = next.iter_mut().find(|(kind, _)| *kind == node.kind) {
            card.y = *y;
            *y += h + GAP;
        }
        card
    });
    (cards.collect(), height)
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::view::world::{NodeFacts, NodeKind, NodePicture};

    use super::{Card, WIDTH, place};

    fn node(kind: NodeKind) -> NodePicture {
        let facts = NodeFacts::NameServer { brokers: 0, topics: 0 };
        NodePicture { name: "n".to_owned(), kind, active: false, paused: Vec::new(), facts }
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
        let (cards, height) = place(&nodes);
        for (i, a) in cards.iter().enumerate() {
            assert!(a.x >= 0.0 && a.x + a.w <= WIDTH && a.y >= 0.0 && a.y + a.h <= height, "{a:?} in {height}");
            for b in &cards[i + 1..] {
                let apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
                assert!(apart, "{a:?} {b:?}");
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
