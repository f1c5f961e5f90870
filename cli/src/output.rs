//! Where output goes, and how it looks.

use std::io::{BufWriter, StdoutLock};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use rocketscope_engine::store::timestamp_name;

/// Standard output: colours on a terminal only, and none where `NO_COLOR` says so.
pub(crate) type Out = BufWriter<AutoStream<StdoutLock<'static>>>;

/// A section's title.
pub(crate) const TITLE: Style = Style::new().bold();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What deserves a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// What is right.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// A name.
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();

/// Standard output with a buffer.
pub(crate) fn stdout() -> Out {
    BufWriter::with_capacity(64 * 1024, AutoStream::auto(std::io::stdout().lock()))
}

/// A time in UTC with milliseconds; what is not after 1970 as the number that it is.
pub(crate) fn time(millis: i64) -> String {
    if millis <= 0 {
        return millis.to_string();
    }
    // yyyyMMddHHmmssSSS; the year alone can be longer.
    let digits = timestamp_name(millis);
    let part = |from: usize, to: usize| {
        let end = digits.len();
        digits.get(end.saturating_sub(from)..end.saturating_sub(to)).unwrap_or_default()
    };
    let year = digits.get(..digits.len().saturating_sub(13)).unwrap_or_default();
    format!("{year}-{}-{} {}:{}:{}.{}", part(13, 11), part(11, 9), part(9, 7), part(7, 5), part(5, 3), part(3, 0))
}

/// A size in bytes, with its multiple of 1024 where it is one.
pub(crate) fn bytes(size: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = units.iter().find(|(unit, _)| size >= *unit && size.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{size} B"), |(unit, name)| format!("{} {name}", size / unit))
}

/// A text on one line: separators of properties shown, control characters not.
pub(crate) fn one_line(text: &str) -> String {
    let shown = |char: char| match char {
        '\u{1}' => '=',
        '\u{2}' => ' ',
        char if char.is_control() => '·',
        char => char,
    };
    text.chars().map(shown).collect()
}

/// Columns of running text.
const TEXT_WIDTH: usize = 100;

/// Running text in lines of a bearable width, each behind `indent`.
pub(crate) fn wrap(text: &str, indent: &str) -> String {
    let room = TEXT_WIDTH.saturating_sub(indent.len());
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().flat_map(|line| [indent, line, "\n"]).collect()
}

/// A count with its noun.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc() {
        // 1700000000123 is 2023-11-14T22:13:20.123Z.
        assert_eq!(time(1_700_000_000_123), "2023-11-14 22:13:20.123");
        assert_eq!(time(0), "0");
        assert_eq!(time(-5), "-5");
        // 2^52 ms: the year 144683.
        assert_eq!(time(1 << 52), "144683-05-23 16:29:30.496");
        assert!(!time(i64::MAX).is_empty());
    }

    #[test]
    fn long_sentences_are_wrapped() {
        let text = "word ".repeat(30);
        let wrapped = wrap(text.trim_end(), "    ");
        // 96 columns hold 19 words of four letters and the blanks between them.
        assert_eq!(wrapped.lines().map(|line| line.split_whitespace().count()).collect::<Vec<_>>(), [19, 11]);
        assert!(wrapped.lines().all(|line| line.starts_with("    word") && line.len() <= 100));
    }

    #[test]
    fn sizes_name_their_multiple() {
        assert_eq!(bytes(1 << 30), "1 GiB");
        assert_eq!(bytes(16384), "16 KiB");
        assert_eq!(bytes(400), "400 B");
        assert_eq!(bytes(6_000_000), "6000000 B");
        assert_eq!(bytes(0), "0 B");
    }
}
