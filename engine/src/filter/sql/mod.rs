//! SQL92 expressions over the properties of messages (`SqlFilter`, `SelectorParser` and the package
//! `org.apache.rocketmq.filter.expression`).
//!
//! ```text
//! or         := and { OR and }
//! and        := equality { AND equality }
//! equality   := comparison { ("=" | "<>") comparison | IS [NOT] NULL }
//! comparison := unary { (">" | ">=" | "<" | "<=") unary | [NOT] BETWEEN unary AND unary
//!                     | [NOT] IN "(" string { "," string } ")" }
//! unary      := "+" unary | "-" unary | NOT unary | literal | property | "(" or ")"
//! ```
//!
//! `NOT` binds tighter than a comparison, what follows a whole expression is ignored, and every property is a string or
//! absent: literals decide how it is compared. Reading goes through a [`lexer`], a [`parser`] and the checks that 4.9.8
//! makes while it builds its tree ([`build`]); [`evaluate`] works the tree out for one message.

mod build;
mod error;
mod evaluate;
mod lexer;
mod node;
mod parser;
mod show;

pub use error::{EvaluationError, ParseError, ParseErrorCause};
pub use lexer::{Position, TokenKind};
pub use node::{Comparison, Constant, Logic, Node, NodeId};
pub use parser::MAX_DEPTH;

/// An expression that can be evaluated (`BooleanExpression`).
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    nodes: Vec<Node>,
}

impl Expression {
    /// Reads an expression (`SelectorParser.parse`).
    ///
    /// # Errors
    ///
    /// The first fault of the text: its place, and what 4.9.8 says of it. Nesting beyond [`MAX_DEPTH`] is one; there
    /// 4.9.8 goes on until its stack overflows, which is a fault of the expression to it as well.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self { text: text.to_owned(), nodes: parser::parse(text)? })
    }

    /// The expression as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The nodes of the tree: operands stand before what uses them, the root stands last.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What the expression says of a message whose properties `property` looks up (`Expression.evaluate`); `None` is
    /// Java's null: it cannot be said.
    ///
    /// # Errors
    ///
    /// Where 4.9.8 throws: a string that is to be a number and is none, a boolean that is to be a string.
    pub fn evaluate<'p>(&self, property: impl Fn(&str) -> Option<&'p str>) -> Result<Option<bool>, EvaluationError> {
        evaluate::evaluate(&self.nodes, |name| property(name))
    }

    /// Whether a message matches (`ExpressionMessageFilter.isMatchedByCommitLog`): only if the expression is true.
    /// Neither null nor an error is.
    pub fn matches<'p>(&self, property: impl Fn(&str) -> Option<&'p str>) -> bool {
        self.evaluate(property) == Ok(Some(true))
    }
}

/// As 4.9.8 writes its tree in messages (`Expression.toString`).
impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&show::root(&self.nodes))
    }
}

#[cfg(test)]
mod tests;
