//! The tokens of an expression (`SelectorParserTokenManager`, `SimpleCharStream`).

use super::error::{ParseError, ParseErrorCause};

const TAB_SIZE: u32 = 8;

/// A place in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The offset in bytes.
    pub offset: usize,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in UTF-16 units, tabs going on to the next multiple of 8. An end of the text has the column
    /// of the last character.
    pub column: u32,
}

/// What a token is, in the order in which 4.9.8 lists what it expected (`SelectorParserConstants`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is said by its image")]
pub enum TokenKind {
    End,
    Not,
    And,
    Or,
    Between,
    In,
    True,
    False,
    Null,
    Is,
    Decimal,
    FloatingPoint,
    Text,
    Identifier,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Open,
    Comma,
    Close,
    Plus,
    Minus,
}

const KEYWORDS: [(&str, TokenKind); 9] = [
    ("NOT", TokenKind::Not),
    ("AND", TokenKind::And),
    ("OR", TokenKind::Or),
    ("BETWEEN", TokenKind::Between),
    ("IN", TokenKind::In),
    ("TRUE", TokenKind::True),
    ("FALSE", TokenKind::False),
    ("NULL", TokenKind::Null),
    ("IS", TokenKind::Is),
];

impl TokenKind {
    /// How 4.9.8 names it in a message (`SelectorParserConstants.TOKEN_IMAGE`).
    pub const fn image(self) -> &'static str {
        match self {
            Self::End => "<EOF>",
            Self::Not => "\"NOT\"",
            Self::And => "\"AND\"",
            Self::Or => "\"OR\"",
            Self::Between => "\"BETWEEN\"",
            Self::In => "\"IN\"",
            Self::True => "\"TRUE\"",
            Self::False => "\"FALSE\"",
            Self::Null => "\"NULL\"",
            Self::Is => "\"IS\"",
            Self::Decimal => "<DECIMAL_LITERAL>",
            Self::FloatingPoint => "<FLOATING_POINT_LITERAL>",
            Self::Text => "<STRING_LITERAL>",
            Self::Identifier => "<ID>",
            Self::Equal => "\"=\"",
            Self::NotEqual => "\"<>\"",
            Self::Greater => "\">\"",
            Self::GreaterOrEqual => "\">=\"",
            Self::Less => "\"<\"",
            Self::LessOrEqual => "\"<=\"",
            Self::Open => "\"(\"",
            Self::Comma => "\",\"",
            Self::Close => "\")\"",
            Self::Plus => "\"+\"",
            Self::Minus => "\"-\"",
        }
    }
}

/// A token; its text is `position.offset..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) position: Position,
    pub(super) end: usize,
}

/// Line and column of the character read last (`SimpleCharStream.UpdateLineColumn`).
#[derive(Clone, Copy, Debug)]
struct Place {
    line: u32,
    column: u32,
    after_return: bool,
    after_feed: bool,
}

impl Place {
    const fn read_unit(&mut self, unit: char) {
        self.column = self.column.saturating_add(1);
        let follows_return = std::mem::replace(&mut self.after_return, false);
        if std::mem::replace(&mut self.after_feed, false) || follows_return && unit != '\n' {
            self.line = self.line.saturating_add(1);
            self.column = 1;
        }
        match unit {
            '\r' => self.after_return = true,
            '\n' => self.after_feed = true,
            '\t' => self.column = (self.column - 1).saturating_add(TAB_SIZE - (self.column - 1) % TAB_SIZE),
            _ => {}
        }
    }

    fn read(&mut self, text: &str) {
        for c in text.chars() {
            for _ in 0..c.len_utf16() {
                self.read_unit(c);
            }
        }
    }
}

/// Cuts an expression into tokens, one at a time: what stands behind the last one asked for may be anything.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    place: Place,
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, offset: 0, place: Place { line: 1, column: 0, after_return: false, after_feed: false } }
    }

    /// The next token; at the end, the end again and again.
    pub(super) fn next(&mut self) -> Result<Token, ParseError> {
        loop {
            let rest = self.text.get(self.offset..).unwrap_or_default();
            let Some(first) = rest.chars().next() else {
                let position = Position { offset: self.offset, line: self.place.line, column: self.place.column };
                return Ok(Token { kind: TokenKind::End, position, end: self.offset });
            };
            if let Some(skipped) = skipped(rest) {
                self.advance(skipped);
                continue;
            }
            let (kind, length) = match first {
                '\'' => (TokenKind::Text, string_length(rest).ok_or_else(|| self.lexical(rest, None))?),
                '0'..='9' => number(rest),
                '.' => {
                    let digits = digits(rest, 1);
                    if digits == 0 {
                        return Err(self.lexical(".", rest.chars().nth(1)));
                    }
                    (TokenKind::FloatingPoint, 1 + digits + exponent(rest, 1 + digits))
                }
                '/' if rest.starts_with("/*") => return Err(self.lexical(rest, None)),
                '/' => return Err(self.lexical("/", rest.chars().nth(1))),
                'a'..='z' | 'A'..='Z' | '_' | '$' => word(rest),
                _ => symbol(rest).ok_or_else(|| self.lexical("", Some(first)))?,
            };
            let mut begin = self.place;
            begin.read_unit(first);
            let position = Position { offset: self.offset, line: begin.line, column: begin.column };
            self.advance(length);
            return Ok(Token { kind, position, end: self.offset });
        }
    }

    fn advance(&mut self, length: usize) {
        let end = self.offset + length;
        self.place.read(self.text.get(self.offset..end).unwrap_or_default());
        self.offset = end;
    }

    /// No token begins here (`TokenMgrError`): `fitting` could have been the beginning of one, `offending` fits no more.
    /// A fault at the last character passes for one of the end, as `JavaCC` looks one character further.
    fn lexical(&self, fitting: &str, offending: Option<char>) -> ParseError {
        let mut place = self.place;
        place.read(fitting);
        let begun = self.offset + fitting.len();
        let offset = offending.map_or(self.text.len(), |_| begun);
        let mut read = fitting.to_owned();
        let encountered = match offending {
            Some(c) if c.len_utf16() == 2 || begun + c.len_utf8() < self.text.len() => {
                place.read_unit(c);
                c.encode_utf16(&mut [0; 2]).first().copied()
            }
            last => {
                if let Some(c) = last {
                    place.read_unit(c);
                    read.push(c);
                }
                if place.after_return || place.after_feed {
                    (place.line, place.column) = (place.line.saturating_add(1), 0);
                } else {
                    place.column = place.column.saturating_add(1);
                }
                if read.encode_utf16().nth(1).is_none() {
                    read.clear();
                }
                None
            }
        };
        ParseError {
            position: Position { offset, line: place.line, column: place.column },
            cause: ParseErrorCause::Lexical { encountered, after: read },
        }
    }
}

/// The length of the blank or the comment at the beginning. A comment of one line must have a line end.
fn skipped(rest: &str) -> Option<usize> {
    if rest.starts_with([' ', '\t', '\n', '\r', '\u{c}']) {
        return Some(1);
    }
    if rest.starts_with("--") {
        let end = rest.find(['\n', '\r'])?;
        return Some(end + if rest.get(end..)?.starts_with("\r\n") { 2 } else { 1 });
    }
    let inside = rest.strip_prefix("/*")?;
    Some(inside.find("*/")? + 4)
}

/// The length of the string at the beginning, `None` if it does not end. A doubled quote belongs to the string if the
/// string ends after it; otherwise the first of the two ends it.
fn string_length(rest: &str) -> Option<usize> {
    let mut ended = None;
    let mut from = 1;
    while let Some(quote) = rest.get(from..)?.find('\'') {
        let end = from + quote + 1;
        ended = Some(end);
        if !rest.get(end..)?.starts_with('\'') {
            break;
        }
        from = end + 1;
    }
    ended
}

fn digits(rest: &str, from: usize) -> usize {
    rest.bytes().skip(from).take_while(u8::is_ascii_digit).count()
}

/// The length of the exponent that begins at `from`, 0 if none does.
fn exponent(rest: &str, from: usize) -> usize {
    let Some(power) = rest.get(from..).and_then(|rest| rest.strip_prefix(['e', 'E'])) else { return 0 };
    let sign = usize::from(power.starts_with(['+', '-']));
    match digits(power, sign) {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

/// The longest number. An integer that begins with 0 is only that 0.
fn number(rest: &str) -> (TokenKind, usize) {
    let whole = digits(rest, 0);
    if rest.get(whole..).is_some_and(|rest| rest.starts_with('.')) {
        let point = whole + 1 + digits(rest, whole + 1);
        return (TokenKind::FloatingPoint, point + exponent(rest, point));
    }
    match exponent(rest, whole) {
        0 if rest.starts_with('0') => (TokenKind::Decimal, 1),
        0 => {
            let suffix = rest.get(whole..).is_some_and(|rest| rest.starts_with(['l', 'L']));
            (TokenKind::Decimal, whole + usize::from(suffix))
        }
        exponent => (TokenKind::FloatingPoint, whole + exponent),
    }
}

fn word(rest: &str) -> (TokenKind, usize) {
    let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count();
    let word = rest.get(..length).unwrap_or_default();
    let keyword = KEYWORDS.iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(word));
    (keyword.map_or(TokenKind::Identifier, |(_, kind)| *kind), length)
}

fn symbol(rest: &str) -> Option<(TokenKind, usize)> {
    let longest_first = [
        ("<>", TokenKind::NotEqual),
        (">=", TokenKind::GreaterOrEqual),
        ("<=", TokenKind::LessOrEqual),
        ("=", TokenKind::Equal),
        (">", TokenKind::Greater),
        ("<", TokenKind::Less),
        ("(", TokenKind::Open),
        (",", TokenKind::Comma),
        (")", TokenKind::Close),
        ("+", TokenKind::Plus),
        ("-", TokenKind::Minus),
    ];
    longest_first.into_iter().find(|(text, _)| rest.starts_with(text)).map(|(text, kind)| (kind, text.len()))
}
