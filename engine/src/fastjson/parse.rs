//! Reading.

use std::{borrow::Cow, fmt};

use super::Value;

/// Objects and arrays in each other at most; the files of 4.9.8 need four.
pub const DEEPEST: u32 = 128;

/// Entries that an object, and items that an array, of a configuration file have as a rule.
const USUAL: usize = 8;

/// A text that is not JSON: where it stops being that, and what should have stood there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What should have stood there.
    pub expected: Expected,
}

/// What should have stood in a text that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A value.
    Value,
    /// A string, an integer or an object, and `:` behind it.
    Key,
    /// This character.
    Char(char),
    /// `,` or this character.
    CommaOr(char),
    /// A digit.
    Digit,
    /// A character allowed in a string, or `"`.
    StringEnd,
    /// One of the escapes of JSON.
    Escape,
    /// No more objects or arrays in each other.
    Shallower,
    /// The end of the text.
    End,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        match self.expected {
            Expected::Value => f.write_str("expected a value"),
            Expected::Key => f.write_str("expected a key: a string, an integer or an object"),
            Expected::Char(c) => write!(f, "expected '{c}'"),
            Expected::CommaOr(c) => write!(f, "expected ',' or '{c}'"),
            Expected::Digit => f.write_str("expected a digit"),
            Expected::StringEnd => f.write_str("expected the end of the string"),
            Expected::Escape => f.write_str("expected one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000"),
            Expected::Shallower => write!(f, "more than {DEEPEST} objects and arrays in each other"),
            Expected::End => f.write_str("expected the end of the text"),
        }
    }
}

impl std::error::Error for ParseError {}

/// Reads a text that holds one value. A lone surrogate escape becomes U+FFFD.
pub fn parse(text: &str) -> Result<Value<'_>, ParseError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.document().map_err(|expected| parser.error(expected))
}

struct Parser<'a> {
    text: &'a str,
    /// The next byte, always at the start of a character when an error is made.
    at: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn error(&self, expected: Expected) -> ParseError {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        ParseError { line, column: before[line_start..].chars().count() + 1, expected }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn document(&mut self) -> Result<Value<'a>, Expected> {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        self.space();
        let value = self.value()?;
        self.space();
        if self.peek().is_none() { Ok(value) } else { Err(Expected::End) }
    }

    fn value(&mut self) -> Result<Value<'a>, Expected> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => Ok(Value::Str(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Value<'a>, Expected> {
        let words = [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
        let rest = self.text.get(self.at..).unwrap_or_default();
        let (word, value) = words.into_iter().find(|(word, _)| rest.starts_with(word)).ok_or(Expected::Value)?;
        self.at += word.len();
        Ok(value)
    }

    /// Reads something that holds values, unless it lies too deep for the stack.
    fn nested(&mut self, read: fn(&mut Self) -> Result<Value<'a>, Expected>) -> Result<Value<'a>, Expected> {
        if self.depth == DEEPEST {
            return Err(Expected::Shallower);
        }
        self.depth += 1;
        self.at += 1;
        self.space();
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value<'a>, Expected> {
        if self.eat(b'}') {
            return Ok(Value::Object(Vec::new()));
        }
        let mut entries = Vec::with_capacity(USUAL);
        loop {
            let key = self.key()?;
            self.space();
            if !self.eat(b':') {
                return Err(Expected::Char(':'));
            }
            self.space();
            entries.push((key, self.value()?));
            self.space();
            if self.eat(b'}') {
                return Ok(Value::Object(entries));
            }
            if !self.eat(b',') {
                return Err(Expected::CommaOr('}'));
            }
            self.space();
        }
    }

    fn key(&mut self) -> Result<Value<'a>, Expected> {
        let start = self.at;
        let key = match self.peek() {
            Some(b'"' | b'{' | b'-' | b'0'..=b'9') => self.value()?,
            _ => return Err(Expected::Key),
        };
        if matches!(key, Value::Float(_)) {
            self.at = start;
            return Err(Expected::Key);
        }
        Ok(key)
    }

    fn array(&mut self) -> Result<Value<'a>, Expected> {
        if self.eat(b']') {
            return Ok(Value::Array(Vec::new()));
        }
        let mut items = Vec::with_capacity(USUAL);
        loop {
            items.push(self.value()?);
            self.space();
            if self.eat(b']') {
                return Ok(Value::Array(items));
            }
            if !self.eat(b',') {
                return Err(Expected::CommaOr(']'));
            }
            self.space();
        }
    }

    fn number(&mut self) -> Result<Value<'a>, Expected> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        let mut whole = true;
        if self.eat(b'.') {
            whole = false;
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            whole = false;
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        // An integer that no Java long holds stays the text it is.
        let int = text.parse().ok().filter(|_| whole);
        Ok(int.map_or_else(|| Value::Float(text.into()), Value::Int))
    }

    fn digits(&mut self) -> Result<(), Expected> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Expected::Digit) }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Expected> {
        self.at += 1;
        let mut out = Cow::Borrowed(self.plain());
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.to_mut().push(self.escape()?),
                _ => return Err(Expected::StringEnd),
            }
            out += self.plain();
        }
    }

    /// The characters of a string from here on that stand for themselves.
    fn plain(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        // What ends them is ASCII, which is no part of another character.
        let ends = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        let len = rest.bytes().position(ends).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    fn escape(&mut self) -> Result<char, Expected> {
        let bytes = self.text.as_bytes();
        let c = match bytes.get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit(self.at).ok_or(Expected::Escape)?;
                self.at += 6;
                let pair = self.unit(self.at).and_then(|second| {
                    let c = char::decode_utf16([first, second]).next()?.ok()?;
                    (u32::from(c) > 0xFFFF).then_some(c)
                });
                return Ok(match pair {
                    Some(c) => {
                        self.at += 6;
                        c
                    }
                    None => char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER),
                });
            }
            _ => return Err(Expected::Escape),
        };
        self.at += 2;
        Ok(c)
    }

    /// The UTF-16 unit of the escape `\uXXXX` at `at`.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        u16::from_str_radix(digits, 16).ok()
    }
}
