//! Building the tree, with the checks that 4.9.8 makes meanwhile (the factories of `ComparisonExpression`,
//! `ConstantExpression` and `LogicExpression`).

use crate::message::java;

use super::{
    error::ParseErrorCause,
    evaluate::{Value, compare},
    node::{Comparison, Constant, Logic, Node, NodeId},
    show,
};

type Built = Result<NodeId, ParseErrorCause>;

/// The nodes so far.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

impl Tree {
    pub(super) fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    pub(super) fn constant(&mut self, constant: Constant) -> NodeId {
        self.push(Node::Constant(constant))
    }

    fn constant_at(&self, id: NodeId) -> Option<&Constant> {
        match self.nodes.get(id)? {
            Node::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    fn is_boolean(&self, id: NodeId) -> bool {
        self.nodes.get(id).is_some_and(Node::is_boolean)
    }

    fn show(&self, id: NodeId) -> String {
        show::node(&self.nodes, id)
    }

    /// `SelectorParser.asBooleanExpression`.
    pub(super) fn as_boolean(&mut self, id: NodeId) -> Built {
        match self.nodes.get(id) {
            Some(Node::Property(_)) => Ok(self.push(Node::BooleanCast(id))),
            _ if self.is_boolean(id) => Ok(id),
            _ => Err(ParseErrorCause::NotBoolean { operand: self.show(id) }),
        }
    }

    pub(super) fn not(&mut self, id: NodeId) -> Built {
        let operand = self.as_boolean(id)?;
        Ok(self.push(Node::Not(operand)))
    }

    pub(super) fn logic(&mut self, logic: Logic, left: NodeId, right: NodeId) -> Built {
        let (left, right) = (self.as_boolean(left)?, self.as_boolean(right)?);
        Ok(self.push(Node::Logic { logic, left, right }))
    }

    /// `createEqual`.
    pub(super) fn equal(&mut self, left: NodeId, right: NodeId) -> Built {
        let constants = (self.constant_at(left), self.constant_at(right));
        if matches!(constants, (Some(Constant::Null), _) | (_, Some(Constant::Null))) {
            return Err(ParseErrorCause::EqualToNull);
        }
        if let (Some(Constant::Boolean(_)), Some(other)) = constants
            && !matches!(other, Constant::Boolean(_))
        {
            return Err(ParseErrorCause::Incompatible { left: self.show(left), right: self.show(right) });
        }
        Ok(self.push(Node::Compare { comparison: Comparison::Equal, left, right }))
    }

    /// `createIsNull`.
    pub(super) fn is_null(&mut self, left: NodeId) -> NodeId {
        let right = self.constant(Constant::Null);
        self.push(Node::Compare { comparison: Comparison::Equal, left, right })
    }

    /// `createGreaterThan` and its like.
    pub(super) fn ordered(&mut self, comparison: Comparison, left: NodeId, right: NodeId) -> Built {
        for operand in [left, right] {
            let number = match self.constant_at(operand) {
                Some(constant) => matches!(constant, Constant::Integer(_) | Constant::Long(_) | Constant::Double(_)),
                None => !self.is_boolean(operand),
            };
            if !number {
                return Err(ParseErrorCause::NotOrdered { operand: self.show(operand) });
            }
        }
        Ok(self.push(Node::Compare { comparison, left, right }))
    }

    /// `createBetween`.
    pub(super) fn between(&mut self, value: NodeId, low: NodeId, high: NodeId) -> Built {
        if let (Some(least), Some(most)) = (self.constant_at(low), self.constant_at(high)) {
            if matches!(least, Constant::Null) || matches!(most, Constant::Null) {
                return Err(ParseErrorCause::BetweenNull);
            }
            let ordering = compare(Value::from(most), Value::from(least)).map_err(ParseErrorCause::BetweenBounds)?;
            if ordering.is_lt() {
                let (low, high) = (between_value(least), between_value(most));
                return Err(ParseErrorCause::BetweenReversed { low, high });
            }
        }
        let above = self.ordered(Comparison::GreaterOrEqual, value, low)?;
        let below = self.ordered(Comparison::LessOrEqual, value, high)?;
        self.logic(Logic::And, above, below)
    }

    /// `createNotBetween`, which does not look at its bounds.
    pub(super) fn not_between(&mut self, value: NodeId, low: NodeId, high: NodeId) -> Built {
        let below = self.ordered(Comparison::Less, value, low)?;
        let above = self.ordered(Comparison::Greater, value, high)?;
        self.logic(Logic::Or, below, above)
    }

    /// `createInFilter`, `createNotInFilter`.
    pub(super) fn among(&mut self, property: NodeId, elements: Vec<String>, not: bool) -> Built {
        match self.nodes.get(property) {
            Some(Node::Property(_)) => Ok(self.push(Node::In { property, elements, not })),
            _ => Err(ParseErrorCause::InWithoutProperty { operand: self.show(property) }),
        }
    }

    /// `createFromDecimal`.
    pub(super) fn decimal(&mut self, image: &str) -> Built {
        let digits = image.trim_end_matches(['l', 'L']);
        let too_large = || ParseErrorCause::IntegerTooLarge { digits: digits.to_owned() };
        let long = java::parse_long(digits).ok_or_else(too_large)?;
        Ok(self.constant(i32::try_from(long).map_or(Constant::Long(long), Constant::Integer)))
    }

    /// `createFloat`.
    pub(super) fn floating_point(&mut self, image: &str) -> Built {
        let number = java::parse_double(image).unwrap_or(f64::INFINITY);
        if number > f64::MAX {
            return Err(ParseErrorCause::NumberTooLarge { number: image.to_owned() });
        }
        if number <= 0.0 {
            return Err(ParseErrorCause::NumberTooSmall { number: image.to_owned() });
        }
        Ok(self.constant(Constant::Double(number)))
    }
}

/// As `String.format` writes a bound: Java's booleans are in lower case.
fn between_value(constant: &Constant) -> String {
    match constant {
        Constant::Boolean(boolean) => boolean.to_string(),
        _ => show::value(constant),
    }
}
