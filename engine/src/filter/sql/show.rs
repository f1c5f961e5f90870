//! An expression as 4.9.8 writes its tree in messages (`Expression.toString`).

use crate::message::java;

use super::node::{Comparison, Constant, Logic, Node, NodeId};

/// Texts longer than this, in bytes, end in an ellipsis: both halves of a `BETWEEN` hold its value, so that nested ones
/// grow without bound.
const LONGEST: usize = 4_096;

enum Piece {
    Node(NodeId),
    Text(&'static str),
}

/// The text of the whole tree.
pub(super) fn root(nodes: &[Node]) -> String {
    nodes.len().checked_sub(1).map_or_else(String::new, |root| node(nodes, root))
}

/// The text of a node and what stands beneath it.
pub(super) fn node(nodes: &[Node], id: NodeId) -> String {
    let mut text = String::new();
    // What is still to be written, the next piece last: chains of operators may be longer than a stack is deep.
    let mut pieces = vec![Piece::Node(id)];
    while let Some(piece) = pieces.pop() {
        if text.len() > LONGEST {
            text.push('\u{2026}');
            break;
        }
        let id = match piece {
            Piece::Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Piece::Node(id) => id,
        };
        let around = |before, inner, after| [Piece::Text(after), Piece::Node(inner), Piece::Text(before)];
        match nodes.get(id) {
            Some(Node::Constant(Constant::Text(constant))) => text.push_str(&quoted(constant)),
            Some(Node::Constant(constant)) => text.push_str(&value(constant)),
            Some(Node::Property(name)) => text.push_str(name),
            Some(Node::Negate(inner)) => pieces.extend(around("(- ", *inner, ")")),
            Some(Node::Not(inner)) => pieces.extend(around("(NOT ", *inner, ")")),
            Some(Node::BooleanCast(inner)) => pieces.push(Piece::Node(*inner)),
            Some(Node::Logic { logic, left, right }) => {
                let symbol = match logic {
                    Logic::And => " && ",
                    Logic::Or => " || ",
                };
                pieces.extend([Piece::Text(")"), Piece::Node(*right), Piece::Text(symbol)]);
                pieces.extend([Piece::Node(*left), Piece::Text("(")]);
            }
            Some(Node::Compare { comparison, left, right }) => {
                let symbol = match comparison {
                    Comparison::Equal => " == ",
                    Comparison::Greater => " > ",
                    Comparison::GreaterOrEqual => " >= ",
                    Comparison::Less => " < ",
                    Comparison::LessOrEqual => " <= ",
                };
                pieces.extend([Piece::Text(")"), Piece::Node(*right), Piece::Text(symbol)]);
                pieces.extend([Piece::Node(*left), Piece::Text("(")]);
            }
            Some(Node::In { property, elements, not }) => {
                if let Some(Node::Property(name)) = nodes.get(*property) {
                    text.push_str(name);
                }
                text.push_str(if *not { " NOT IN ( " } else { " IN ( " });
                text.push_str(&elements.join(", "));
                text.push_str(" )");
            }
            None => {}
        }
    }
    text
}

/// A literal's value as Java writes it: strings without quotes.
pub(super) fn value(constant: &Constant) -> String {
    match constant {
        Constant::Null => "NULL".to_owned(),
        Constant::Boolean(true) => "TRUE".to_owned(),
        Constant::Boolean(false) => "FALSE".to_owned(),
        Constant::Integer(number) => number.to_string(),
        Constant::Long(number) => number.to_string(),
        Constant::Double(number) => java::double_to_string(*number),
        Constant::Text(text) => text.clone(),
    }
}

/// `ConstantExpression.encodeString`.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
