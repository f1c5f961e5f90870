//! Semantics of the Java platform that show in the bytes: hash codes, lengths in UTF-16 units, `String.split`,
//! number parsing, the UTF-8 decoder.

use std::borrow::Cow;

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
}
