//! Semantics of the Java platform that show in the bytes: hash codes, lengths in UTF-16 units, `String.split`,
//! number parsing, the UTF-8 decoder.

use std::{borrow::Cow, cmp::Ordering};

/// `String.hashCode()`: `h = 31 * h + unit` over the UTF-16 units, wrapping, from 0.
pub fn string_hash(text: &str) -> i32 {
    hash_on(0, text)
}

/// Goes on hashing where another hash ended, so that `a + b` is hashed without being built:
/// `hash_on(string_hash(a), b) == string_hash(a + b)`.
pub fn hash_on(hash: i32, text: &str) -> i32 {
    let step = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    if text.is_ascii() {
        text.bytes().fold(hash, |hash, byte| step(hash, u16::from(byte)))
    } else {
        text.encode_utf16().fold(hash, step)
    }
}

/// `String.length()`: the number of UTF-16 units.
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// `String.split(regex)` for a regular expression that matches exactly the non-empty `separator`: empty pieces at
/// the end are dropped, empty pieces before them are kept, and a text without any separator is its own only piece,
/// even if it is empty.
pub fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    if !text.contains(separator) {
        return vec![text];
    }
    let mut pieces: Vec<&str> = text.split(separator).collect();
    while pieces.last().is_some_and(|piece| piece.is_empty()) {
        pieces.pop();
    }
    pieces
}

/// `Integer.parseInt`: an optional sign and decimal digits, no spaces, within 32 bits; `None` where Java throws
/// `NumberFormatException`. Digits of other scripts, which Java takes too, are not taken here.
pub fn parse_int(text: &str) -> Option<i32> {
    text.parse().ok()
}

/// `Long.parseLong`, with the remark of [`parse_int`].
pub fn parse_long(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// `Double.parseDouble`: trimmed, an optional sign, then decimal digits with a point and an exponent, `NaN` or `Infinity`,
/// and perhaps a suffix of `f` or `d`; `None` where Java throws `NumberFormatException`. Hexadecimal numbers, which Java
/// takes too, are not taken here.
pub fn parse_double(text: &str) -> Option<f64> {
    let text = trim(text);
    let (negative, number) = match text.strip_prefix('-') {
        Some(number) => (true, number),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = match number {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        // What Rust takes beyond Java begins with a letter or a second sign.
        _ if number.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            number.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(number).parse().ok()?
        }
        _ => return None,
    };
    Some(if negative { -value } else { value })
}

/// `Double.compare`: -0.0 is below 0.0, and NaN equals itself and is above everything.
pub fn compare_doubles(left: f64, right: f64) -> Ordering {
    match (left.is_nan(), right.is_nan()) {
        (false, false) => left.total_cmp(&right),
        (left, right) => left.cmp(&right),
    }
}

/// `Double.toString`: plain from 0.001 up to 10 000 000, else with an exponent, and always with a digit behind the point.
pub fn double_to_string(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    // One digit would do for the smallest double, but Java writes two: 4.9E-324.
    let text = if text.contains('.') { text } else { format!("{value:.1e}") };
    text.replace('e', "E")
}

/// `String.trim()`.
pub fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

/// `String.trim().isEmpty()`: nothing but characters up to U+0020.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c <= ' ')
}

/// `new String(bytes, UTF_8)`: what cannot be decoded becomes U+FFFD. It differs from [`String::from_utf8_lossy`] in
/// one place: an encoded surrogate (`ED A0..BF ..`) is one malformed sequence for Java, three for Rust.
pub fn decode_utf8(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(decode_malformed(bytes)),
    }
}

fn decode_malformed(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Err(error) = std::str::from_utf8(rest) {
        let (valid, bad) = rest.split_at(error.valid_up_to());
        text.push_str(std::str::from_utf8(valid).unwrap_or_default());
        text.push(char::REPLACEMENT_CHARACTER);
        let skip = match bad {
            [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => 3,
            [0xED, 0xA0..=0xBF, ..] => 2,
            _ => error.error_len().unwrap_or(bad.len()),
        };
        rest = bad.get(skip..).unwrap_or_default();
    }
    text.push_str(std::str::from_utf8(rest).unwrap_or_default());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of the format's section on Java semantics.
    #[test]
    fn hash_vectors() {
        assert_eq!(string_hash(""), 0);
        assert_eq!(string_hash("TagA"), 2_598_919);
        assert_eq!(string_hash("TopicTest#k1"), 2_746_024);
        assert_eq!(string_hash("polygenelubricants"), i32::MIN);
        assert_eq!(string_hash("polygenelubricants").wrapping_abs(), i32::MIN);
    }

    /// U+1F680 is the units D83D DE80: 55357 * 31 + 56960 = 1773027. U+4E2D is one unit, 20013.
    #[test]
    fn hash_counts_utf16_units() {
        assert_eq!(string_hash("\u{1F680}"), 1_773_027);
        assert_eq!(string_hash("\u{4E2D}"), 20_013);
        assert_eq!(utf16_len("\u{1F680}"), 2);
        assert_eq!(utf16_len("\u{4E2D}a"), 2);
        assert_eq!(utf16_len("abc"), 3);
    }

    #[test]
    fn hash_goes_on() {
        let topic = string_hash("TopicTest");
        assert_eq!(hash_on(hash_on(topic, "#"), "k1"), string_hash("TopicTest#k1"));
        assert_eq!(hash_on(string_hash("\u{4E2D}"), "a"), string_hash("\u{4E2D}a"));
    }

    #[test]
    fn split_vectors() {
        assert_eq!(split("a||b|| ||c", "||"), ["a", "b", " ", "c"]);
        assert_eq!(split("||", "||"), Vec::<&str>::new());
        assert_eq!(split(" k1  k2 ", " "), ["", "k1", "", "k2"]);
        assert_eq!(split("", " "), [""]);
        assert_eq!(split("k1", " "), ["k1"]);
        assert_eq!(split("   ", " "), Vec::<&str>::new());
    }

    /// Java's division truncates toward zero, and so does Rust's.
    #[test]
    #[expect(clippy::integer_division_remainder_used, reason = "division is what is looked at")]
    fn division_truncates() {
        assert_eq!(-7 / 2, -3);
        assert_eq!(-7 % 2, -1);
    }

    #[test]
    fn numbers() {
        assert_eq!(parse_int("3"), Some(3));
        assert_eq!(parse_int("+3"), Some(3));
        assert_eq!(parse_int("-2147483648"), Some(i32::MIN));
        for bad in ["", "+", "-", " 3", "3 ", "2147483648", "0x1", "1_0"] {
            assert_eq!(parse_int(bad), None, "{bad:?}");
        }
        assert_eq!(parse_long("9223372036854775807"), Some(i64::MAX));
        assert_eq!(parse_long("9223372036854775808"), None);
    }

    #[test]
    fn blank_means_up_to_space() {
        assert!(is_blank(""));
        assert!(is_blank(" \t\u{1}"));
        assert!(!is_blank("\u{A0}"), "a no-break space is not trimmed by Java");
    }

    /// Where the JDK's decoder puts one U+FFFD: a maximal prefix of a sequence, or a whole encoded surrogate.
    #[test]
    fn malformed_utf8() {
        assert_eq!(decode_utf8(b"ok"), Cow::Borrowed("ok"));
        for (bytes, text) in [
            (&b"a\xFFb"[..], "a\u{FFFD}b"),
            (b"\xC0\x80", "\u{FFFD}\u{FFFD}"),
            (b"\xE4\xB8", "\u{FFFD}"),
            (b"\xE4\xB8x", "\u{FFFD}x"),
            (b"\xF0\x9F\x9A", "\u{FFFD}"),
            (b"\xED\xA0\x80", "\u{FFFD}"),
            (b"\xED\xA0\x80\xED\xB0\x80z", "\u{FFFD}\u{FFFD}z"),
            (b"\xED\xA0x", "\u{FFFD}x"),
            (b"\xED\xA0", "\u{FFFD}"),
            (b"\xED", "\u{FFFD}"),
            (b"\x01\xFF\x02", "\u{1}\u{FFFD}\u{2}"),
        ] {
            assert_eq!(decode_utf8(bytes), text, "{bytes:X?}");
        }
    }

    /// Java's documentation of `Double.valueOf`.
    #[test]
    fn doubles_are_read_as_java_reads_them() {
        let read =
            [(" 7 ", 7.0), ("5.", 5.0), (".5", 0.5), ("+1e3", 1000.0), ("-1.5E-1", -0.15), ("2d", 2.0), ("2.5F", 2.5)];
        for (text, value) in read {
            assert_eq!(parse_double(text), Some(value), "{text}");
        }
        assert_eq!(parse_double("-Infinity"), Some(f64::NEG_INFINITY));
        assert!(parse_double("NaN").is_some_and(f64::is_nan));
        for text in ["", " ", "abc", ".", "1e", "inf", "nan", "infinity", "--1", "+-1", "1ff", "1_0", "e5"] {
            assert_eq!(parse_double(text), None, "{text}");
        }
    }

    #[test]
    fn doubles_are_ordered_as_java_orders_them() {
        assert_eq!(compare_doubles(-0.0, 0.0), Ordering::Less);
        assert_eq!(compare_doubles(f64::NAN, -f64::NAN), Ordering::Equal);
        assert_eq!(compare_doubles(f64::INFINITY, -f64::NAN), Ordering::Less);
        assert_eq!(compare_doubles(2.0, 1.5), Ordering::Greater);
    }

    /// Java's documentation of `Double.toString`, `MIN_VALUE` and `MAX_VALUE`.
    #[test]
    fn doubles_are_written_as_java_writes_them() {
        let written = [
            (1.5, "1.5"),
            (-3.0, "-3.0"),
            (0.0, "0.0"),
            (0.001, "0.001"),
            (0.000_25, "2.5E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (f64::MAX, "1.7976931348623157E308"),
            (5e-324, "4.9E-324"),
        ];
        for (value, text) in written {
            assert_eq!(double_to_string(value), text);
        }
    }
}
