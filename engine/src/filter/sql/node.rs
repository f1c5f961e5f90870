//! The tree of an expression.

/// The place of a node among an expression's nodes.
pub type NodeId = usize;

/// A literal (`ConstantExpression`, `BooleanConstantExpression`).
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `NULL`.
    Null,
    /// `TRUE` or `FALSE`.
    Boolean(bool),
    /// An integer within 32 bits.
    Integer(i32),
    /// A larger one.
    Long(i64),
    /// A number with a point or an exponent.
    Double(f64),
    /// A string, without its quotes.
    Text(String),
}

/// `AND` and `OR` (`LogicExpression`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// False as soon as one side is.
    And,
    /// True as soon as one side is.
    Or,
}

/// How two operands are compared (`ComparisonExpression`). `<>` is [`Node::Not`] over [`Comparison::Equal`], and
/// `BETWEEN` is two of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`, and `IS NULL` as `= NULL`.
    Equal,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A literal.
    Constant(Constant),
    /// The value of a property, by its exact name (`PropertyExpression`).
    Property(String),
    /// `-` (`UnaryExpression.createNegate`).
    Negate(NodeId),
    /// `NOT` (`UnaryExpression.createNOT`).
    Not(NodeId),
    /// A property where a boolean is wanted (`UnaryExpression.createBooleanCast`).
    BooleanCast(NodeId),
    /// `AND` or `OR`.
    Logic {
        /// Which.
        logic: Logic,
        /// Evaluated first.
        left: NodeId,
        /// Evaluated only if the left side does not decide.
        right: NodeId,
    },
    /// A comparison.
    Compare {
        /// Which.
        comparison: Comparison,
        /// The left operand.
        left: NodeId,
        /// The right operand.
        right: NodeId,
    },
    /// `IN` or `NOT IN` (`UnaryInExpression`).
    In {
        /// The property that is looked for.
        property: NodeId,
        /// The strings it is looked for among, as they stand in the text.
        elements: Vec<String>,
        /// `NOT IN`.
        not: bool,
    },
}

impl Node {
    /// Whether the node is a `BooleanExpression`; the literals `TRUE`, `FALSE` and `NULL` are.
    pub const fn is_boolean(&self) -> bool {
        match self {
            Self::Constant(constant) => matches!(constant, Constant::Null | Constant::Boolean(_)),
            Self::Property(_) | Self::Negate(_) => false,
            Self::Not(_) | Self::BooleanCast(_) | Self::Logic { .. } | Self::Compare { .. } | Self::In { .. } => true,
        }
    }
}
