//! Java's `.properties` text, in which `broker.conf` is written.

use std::iter::Peekable;
use std::str::Chars;

/// One pair of a properties file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The line that the pair begins on, counted from 1.
    pub line: u32,
    /// The key.
    pub key: String,
    /// The value; empty when nothing follows the key.
    pub value: String,
}

/// Reads the pairs in order (`Properties.load`): `=`, `:` or blanks part key from value, `#` and `!` begin comments, a
/// backslash at the end of a line continues it, and `\t`, `\n`, `\uXXXX` and the like are escapes. Any text is read;
/// what is no escape stands for itself.
pub fn parse(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut lines = (1u32..).zip(text.lines());
    while let Some((line, first)) = lines.next() {
        let first = first.trim_start();
        if first.is_empty() || first.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = first.to_owned();
        while continues(&logical) {
            logical.pop();
            match lines.next() {
                Some((_, next)) => logical.push_str(next.trim_start()),
                None => break,
            }
        }
        let (key, value) = split(&logical);
        entries.push(Entry { line, key: unescape(key), value: unescape(value) });
    }
    entries
}

/// Whether the line ends in a backslash that is not itself escaped.
fn continues(line: &str) -> bool {
    line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// Parts the key from the value at the first separator that is not escaped.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line
        .char_indices()
        .find(|&(_, c)| {
            let ends = !escaped && (c == '=' || c == ':' || c.is_ascii_whitespace());
            escaped = !escaped && c == '\\';
            ends
        })
        .map_or(line.len(), |(at, _)| at);
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, value.trim_start())
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('t') => out.push('\t'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('f') => out.push('\u{c}'),
            Some('u') => out.push(code_point(&mut chars)),
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// The character of the four hexadecimal digits that follow; a replacement character for anything else.
fn code_point(chars: &mut Peekable<Chars<'_>>) -> char {
    let mut code = 0;
    for _ in 0..4 {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) else {
            return char::REPLACEMENT_CHARACTER;
        };
        chars.next();
        code = code * 16 + digit;
    }
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(u32, String, String)> {
        parse(text).into_iter().map(|entry| (entry.line, entry.key, entry.value)).collect()
    }

    #[test]
    fn separators_comments_and_continuations_are_javas() {
        let text = "# a comment\n! another\n\n a = 1\nb:2\nc 3\nd\ne = x\\\n   y\nf = \\u0041\\t|\n";
        let expected = [(4, "a", "1"), (5, "b", "2"), (6, "c", "3"), (7, "d", ""), (8, "e", "xy"), (10, "f", "A\t|")];
        let expected: Vec<_> = expected.map(|(line, key, value)| (line, key.to_owned(), value.to_owned())).into();
        assert_eq!(pairs(text), expected);
    }

    #[test]
    fn an_escaped_separator_belongs_to_the_key() {
        assert_eq!(pairs("a\\=b=c"), [(1, "a=b".to_owned(), "c".to_owned())]);
        assert_eq!(pairs("a=b\\\\"), [(1, "a".to_owned(), "b\\".to_owned())]);
    }

    #[test]
    fn half_an_escape_is_no_error() {
        assert_eq!(pairs("a=\\u00"), [(1, "a".to_owned(), "\u{fffd}".to_owned())]);
        assert_eq!(pairs("a=x\\"), [(1, "a".to_owned(), "x".to_owned())]);
    }
}
