//! What can be wrong with an expression, and with its evaluation. Shown, an error is what 4.9.8 writes: the exception's
//! class and message.

use std::fmt::{self, Display, Formatter, Write as _};

use thiserror::Error;

use super::lexer::{Position, TokenKind};

/// A fault of an expression (`MQFilterException`, whose message is its cause).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where: the token or character that does not fit, or the token whose operands cannot be.
    pub position: Position,
    /// What.
    pub cause: ParseErrorCause,
}

/// What is wrong with an expression. Operands are written as 4.9.8 writes its tree (`Expression.toString`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseErrorCause {
    /// No token can be read (`TokenMgrError`).
    Lexical {
        /// The UTF-16 unit that fits nothing, `None` for the end.
        encountered: Option<u16>,
        /// What was read of the token before.
        after: String,
    },
    /// Another token stands there than one that can go on (`ParseException`).
    Unexpected {
        /// What stands there.
        found: TokenKind,
        /// Its text.
        image: String,
        /// What could have gone on, in ascending order.
        expected: Vec<TokenKind>,
    },
    /// A number or a string stands where a boolean is wanted.
    NotBoolean {
        /// It.
        operand: String,
    },
    /// `<`, `<=`, `>`, `>=` or `BETWEEN` with a literal that is no number, or with a boolean.
    NotOrdered {
        /// It.
        operand: String,
    },
    /// `=` or `<>` with `NULL`.
    EqualToNull,
    /// `=` or `<>` with `TRUE` or `FALSE` on the left and a literal of another type on the right.
    Incompatible {
        /// The boolean.
        left: String,
        /// The other literal.
        right: String,
    },
    /// `BETWEEN` two literals of which one is `NULL`.
    BetweenNull,
    /// `BETWEEN` two literals of which the first is larger.
    BetweenReversed {
        /// The first.
        low: String,
        /// The second.
        high: String,
    },
    /// `BETWEEN` two literals that cannot be compared.
    BetweenBounds(EvaluationError),
    /// `IN` behind something that is not a property.
    InWithoutProperty {
        /// It.
        operand: String,
    },
    /// An integer that does not fit into 64 bits.
    IntegerTooLarge {
        /// Its digits.
        digits: String,
    },
    /// A number above the largest double.
    NumberTooLarge {
        /// It.
        number: String,
    },
    /// A number below the smallest positive double; so is 0.
    NumberTooSmall {
        /// It.
        number: String,
    },
    /// Deeper nesting than is read.
    TooDeep,
}

impl std::error::Error for ParseError {}

impl Display for ParseError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Position { line, column, .. } = self.position;
        match &self.cause {
            ParseErrorCause::Lexical { encountered, after } => {
                write!(f, "org.apache.rocketmq.filter.parser.TokenMgrError: Lexical error at line {line}, ")?;
                write!(f, "column {column}.  Encountered: ")?;
                match encountered {
                    None => f.write_str("<EOF> ")?,
                    Some(unit) => write!(f, "\"{}\" ({unit}), ", escaped([*unit]))?,
                }
                write!(f, "after : \"{}\"", escaped(after.encode_utf16()))
            }
            ParseErrorCause::Unexpected { found, image, expected } => {
                f.write_str("org.apache.rocketmq.filter.parser.ParseException: Encountered \"")?;
                match found {
                    TokenKind::End => f.write_str(found.image())?,
                    _ => write!(f, " {} \"{} \"", found.image(), escaped(image.encode_utf16()))?,
                }
                let one_of = if expected.len() == 1 { "" } else { " one of" };
                write!(f, "\" at line {line}, column {column}.\nWas expecting{one_of}:\n    ")?;
                expected.iter().try_for_each(|kind| write!(f, "{} ...\n    ", kind.image()))
            }
            ParseErrorCause::NotBoolean { operand } => {
                f.write_str("org.apache.rocketmq.filter.parser.ParseException: ")?;
                write!(f, "Expression will not result in a boolean value: {operand}")
            }
            ParseErrorCause::NotOrdered { operand } => {
                write!(f, "java.lang.RuntimeException: Value '{operand}' cannot be compared.")
            }
            ParseErrorCause::EqualToNull => f.write_str("java.lang.RuntimeException: 'NULL' cannot be compared."),
            ParseErrorCause::Incompatible { left, right } => {
                write!(f, "java.lang.RuntimeException: '{left}' cannot be compared with '{right}'")
            }
            ParseErrorCause::BetweenNull => {
                f.write_str("java.lang.RuntimeException: Illegal values of between, values can not be null!")
            }
            ParseErrorCause::BetweenReversed { low, high } => {
                write!(f, "java.lang.RuntimeException: Illegal values of between, left value({low}) must less than ")?;
                write!(f, "or equal to right value({high})")
            }
            ParseErrorCause::BetweenBounds(error) => error.fmt(f),
            ParseErrorCause::InWithoutProperty { operand } => {
                write!(f, "java.lang.RuntimeException: Expected a property for In expression, got: {operand}")
            }
            ParseErrorCause::IntegerTooLarge { digits } => {
                write!(f, "java.lang.NumberFormatException: For input string: \"{digits}\"")
            }
            ParseErrorCause::NumberTooLarge { number } => {
                write!(f, "java.lang.RuntimeException: {number} is greater than 1.7976931348623157E308")
            }
            ParseErrorCause::NumberTooSmall { number } => {
                write!(f, "java.lang.RuntimeException: {number} is less than 4.9E-324")
            }
            ParseErrorCause::TooDeep => f.write_str("java.lang.StackOverflowError"),
        }
    }
}

/// The names of the characters that a message should not hold (`ParseException.add_escapes`).
fn escaped(units: impl IntoIterator<Item = u16>) -> String {
    let mut text = String::new();
    for unit in units {
        let written = match unit {
            0 => Ok(()),
            0x08 => text.write_str("\\b"),
            0x09 => text.write_str("\\t"),
            0x0A => text.write_str("\\n"),
            0x0C => text.write_str("\\f"),
            0x0D => text.write_str("\\r"),
            0x22 | 0x27 | 0x5C => write!(text, "\\{}", char::from(unit as u8)),
            0x20..=0x7E => text.write_char(char::from(unit as u8)),
            _ => write!(text, "\\u{unit:04x}"),
        };
        debug_assert!(written.is_ok(), "a string takes everything");
    }
    text
}

/// Why an expression says nothing of a message: 4.9.8 throws, writes it to its log, and the message does not match.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EvaluationError {
    /// A string is compared with a number and is not a number of that type: `5.0` is no integer.
    #[error("java.lang.RuntimeException: java.lang.NumberFormatException: For input string: \"{text}\"")]
    NotANumber {
        /// The string.
        text: String,
    },
    /// A string without a visible character is compared with a double.
    #[error("java.lang.RuntimeException: java.lang.NumberFormatException: empty String")]
    EmptyNumber,
    /// Two strings are ordered and one is not a number.
    #[error(
        "java.lang.RuntimeException: It's illegal to compare string by '>=', '>', '<', '<='. lv={left}, rv={right}"
    )]
    NotNumbers {
        /// The left string.
        left: String,
        /// The right string.
        right: String,
    },
    /// A boolean stands left of a string.
    #[error(
        "java.lang.ClassCastException: class java.lang.Boolean cannot be cast to class java.lang.String \
         (java.lang.Boolean and java.lang.String are in module java.base of loader 'bootstrap')"
    )]
    BooleanWithText,
}
