//! What an expression says of one message.

use std::cmp::Ordering;

use crate::message::java;

use super::{
    error::EvaluationError,
    node::{Comparison, Constant, Logic, Node, NodeId},
};

/// What a part of an expression comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    /// Java's null: an absent property, and what follows from one.
    Null,
    /// `Boolean`.
    Boolean(bool),
    /// `Integer`.
    Integer(i32),
    /// `Long`.
    Long(i64),
    /// `Double`.
    Double(f64),
    /// `String`; every property is one.
    Text(&'a str),
}

impl<'a> From<&'a Constant> for Value<'a> {
    fn from(constant: &'a Constant) -> Self {
        match constant {
            Constant::Null => Self::Null,
            Constant::Boolean(value) => Self::Boolean(*value),
            Constant::Integer(value) => Self::Integer(*value),
            Constant::Long(value) => Self::Long(*value),
            Constant::Double(value) => Self::Double(*value),
            Constant::Text(value) => Self::Text(value),
        }
    }
}

enum Step {
    /// Find a node's value.
    Visit(NodeId),
    /// The left operand is there: the right one may not be needed.
    Left(NodeId),
    /// The operands are there.
    Apply(NodeId),
}

/// The values of nodes, each found once, however often it is used.
struct Values<'a>(Vec<Option<Value<'a>>>);

impl<'a> Values<'a> {
    fn get(&self, id: NodeId) -> Value<'a> {
        self.0.get(id).copied().flatten().unwrap_or(Value::Null)
    }

    fn is_known(&self, id: NodeId) -> bool {
        self.0.get(id).is_some_and(Option::is_some)
    }

    fn set(&mut self, id: NodeId, value: Value<'a>) {
        if let Some(place) = self.0.get_mut(id) {
            *place = Some(value);
        }
    }
}

/// The value of the last node. Operands are evaluated from the left, and only as far as they are needed, since one that
/// fails makes everything above it fail.
pub(super) fn evaluate<'a>(
    nodes: &'a [Node],
    property: impl Fn(&str) -> Option<&'a str>,
) -> Result<Option<bool>, EvaluationError> {
    let Some(root) = nodes.len().checked_sub(1) else { return Ok(None) };
    let mut values = Values(vec![None; nodes.len()]);
    // Not the machine's stack: a chain of operators is as deep as it is long.
    let mut steps = vec![Step::Visit(root)];
    while let Some(step) = steps.pop() {
        let (Step::Visit(id) | Step::Left(id) | Step::Apply(id)) = step;
        let Some(node) = nodes.get(id) else { continue };
        match step {
            Step::Visit(_) if values.is_known(id) => {}
            Step::Visit(_) => match node {
                Node::Constant(constant) => values.set(id, constant.into()),
                Node::Property(name) => values.set(id, property(name).map_or(Value::Null, Value::Text)),
                Node::Negate(operand) | Node::Not(operand) | Node::BooleanCast(operand) => {
                    steps.extend([Step::Apply(id), Step::Visit(*operand)]);
                }
                Node::In { property, .. } => steps.extend([Step::Apply(id), Step::Visit(*property)]),
                Node::Logic { left, .. } | Node::Compare { left, .. } => {
                    steps.extend([Step::Left(id), Step::Visit(*left)]);
                }
            },
            Step::Left(_) => match decided(node, &values) {
                Some(value) => values.set(id, value),
                None => {
                    if let Node::Logic { right, .. } | Node::Compare { right, .. } = node {
                        steps.extend([Step::Apply(id), Step::Visit(*right)]);
                    }
                }
            },
            Step::Apply(_) => {
                let value = apply(node, &values)?;
                values.set(id, value);
            }
        }
    }
    Ok(match values.get(root) {
        Value::Boolean(value) => Some(value),
        _ => None,
    })
}

/// The value of a node whose left operand decides it.
fn decided<'a>(node: &Node, values: &Values<'a>) -> Option<Value<'a>> {
    match node {
        Node::Logic { logic, left, .. } => {
            let deciding = Value::Boolean(matches!(logic, Logic::Or));
            (values.get(*left) == deciding).then_some(deciding)
        }
        Node::Compare { comparison: Comparison::Equal, .. } => None,
        Node::Compare { left, .. } => (values.get(*left) == Value::Null).then_some(Value::Null),
        _ => None,
    }
}

fn apply<'a>(node: &'a Node, values: &Values<'a>) -> Result<Value<'a>, EvaluationError> {
    Ok(match node {
        Node::Constant(constant) => constant.into(),
        Node::Property(_) => Value::Null,
        Node::Negate(operand) => match values.get(*operand) {
            Value::Integer(number) => Value::Integer(number.wrapping_neg()),
            Value::Long(number) => Value::Long(number.wrapping_neg()),
            Value::Double(number) => Value::Double(-number),
            Value::Null | Value::Boolean(_) | Value::Text(_) => Value::Null,
        },
        Node::Not(operand) => match values.get(*operand) {
            Value::Boolean(value) => Value::Boolean(!value),
            _ => Value::Null,
        },
        Node::BooleanCast(operand) => match values.get(*operand) {
            Value::Null => Value::Null,
            value => Value::Boolean(value == Value::Boolean(true)),
        },
        Node::Logic { logic, left, right } => {
            let deciding = matches!(logic, Logic::Or);
            match (values.get(*left), values.get(*right)) {
                (_, Value::Boolean(right)) if right == deciding => Value::Boolean(deciding),
                (Value::Boolean(_), Value::Boolean(_)) => Value::Boolean(!deciding),
                _ => Value::Null,
            }
        }
        Node::Compare { comparison: Comparison::Equal, left, right } => match (values.get(*left), values.get(*right)) {
            (Value::Null, Value::Null) => Value::Boolean(true),
            (Value::Null, _) => Value::Null,
            (_, Value::Null) => Value::Boolean(false),
            (left, right) => Value::Boolean(compare(left, right)?.is_eq()),
        },
        Node::Compare { comparison, left, right } => {
            let ordering = match (values.get(*left), values.get(*right)) {
                (Value::Null, _) | (_, Value::Null) => return Ok(Value::Null),
                (Value::Text(left), Value::Text(right)) => {
                    let numbers = java::parse_double(left).zip(java::parse_double(right));
                    let not_numbers = || EvaluationError::NotNumbers { left: left.to_owned(), right: right.to_owned() };
                    let (left, right) = numbers.ok_or_else(not_numbers)?;
                    java::compare_doubles(left, right)
                }
                (left, right) => compare(left, right)?,
            };
            Value::Boolean(match comparison {
                Comparison::Greater => ordering.is_gt(),
                Comparison::GreaterOrEqual => ordering.is_ge(),
                Comparison::Less => ordering.is_lt(),
                Comparison::LessOrEqual => ordering.is_le(),
                Comparison::Equal => ordering.is_eq(),
            })
        }
        Node::In { property, elements, not } => match values.get(*property) {
            Value::Text(text) => Value::Boolean(elements.iter().any(|element| element == text) != *not),
            _ => Value::Null,
        },
    })
}

/// Two values that are not null (`ComparisonExpression.__compare`). Of unlike ones the string becomes what the other side
/// is, the narrower number as wide as the other; where nothing fits, the left side is the smaller one.
pub(super) fn compare(left: Value<'_>, right: Value<'_>) -> Result<Ordering, EvaluationError> {
    Ok(match (left, right) {
        (Value::Boolean(left), Value::Boolean(right)) => left.cmp(&right),
        (Value::Boolean(_), Value::Text(_)) => return Err(EvaluationError::BooleanWithText),
        (Value::Text(left), Value::Boolean(right)) => left.eq_ignore_ascii_case("true").cmp(&right),

        (Value::Integer(left), Value::Integer(right)) => left.cmp(&right),
        (Value::Integer(left), Value::Long(right)) => i64::from(left).cmp(&right),
        (Value::Long(left), Value::Integer(right)) => left.cmp(&i64::from(right)),
        (Value::Long(left), Value::Long(right)) => left.cmp(&right),

        (Value::Double(left), Value::Double(right)) => java::compare_doubles(left, right),
        (Value::Integer(left), Value::Double(right)) => java::compare_doubles(f64::from(left), right),
        (Value::Double(left), Value::Integer(right)) => java::compare_doubles(left, f64::from(right)),
        (Value::Long(left), Value::Double(right)) => java::compare_doubles(left as f64, right),
        (Value::Double(left), Value::Long(right)) => java::compare_doubles(left, right as f64),

        (Value::Text(left), Value::Text(right)) => left.encode_utf16().cmp(right.encode_utf16()),
        (Value::Text(left), Value::Integer(right)) => integer(left)?.cmp(&right),
        (Value::Integer(left), Value::Text(right)) => left.cmp(&integer(right)?),
        (Value::Text(left), Value::Long(right)) => long(left)?.cmp(&right),
        (Value::Long(left), Value::Text(right)) => left.cmp(&long(right)?),
        (Value::Text(left), Value::Double(right)) => java::compare_doubles(double(left)?, right),
        (Value::Double(left), Value::Text(right)) => java::compare_doubles(left, double(right)?),

        _ => Ordering::Less,
    })
}

fn not_a_number(text: &str) -> EvaluationError {
    EvaluationError::NotANumber { text: text.to_owned() }
}

fn integer(text: &str) -> Result<i32, EvaluationError> {
    java::parse_int(text).ok_or_else(|| not_a_number(text))
}

fn long(text: &str) -> Result<i64, EvaluationError> {
    java::parse_long(text).ok_or_else(|| not_a_number(text))
}

fn double(text: &str) -> Result<f64, EvaluationError> {
    java::parse_double(text).ok_or_else(|| match java::trim(text) {
        "" => EvaluationError::EmptyNumber,
        text => not_a_number(text),
    })
}
