//! Numbers as people read and type them.

use crate::components::store::format;
use crate::i18n::Lang;

/// A whole number, its digits in groups of three.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// So many parts of 10^-`decimals`, without zeros at the end.
pub(super) fn decimal(parts: u64, decimals: u32) -> String {
    let unit = 10_u64.pow(decimals);
    let (whole, rest) = (grouped(parts / unit), parts % unit);
    if rest == 0 {
        return whole;
    }
    let rest = format!("{rest:0width$}", width = decimals as usize);
    format!("{whole}.{}", rest.trim_end_matches('0'))
}

/// Thousandths.
pub(super) fn milli(parts: u64) -> String {
    // From a hundred on, thousandths are not worth their place.
    let parts = if parts >= 100_000 { (parts + 500) / 1000 * 1000 } else { parts };
    decimal(parts, 3)
}

/// The parts of 10^-`decimals` that are meant by what was typed: digits, grouped or not, and a point.
pub(super) fn typed(words: &str, decimals: u32) -> Option<u64> {
    let words: String = words.chars().filter(|letter| !matches!(letter, ',' | ' ' | '_' | '\u{a0}')).collect();
    let (whole, rest) = words.split_once('.').unwrap_or((&words, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(rest) || rest.len() > decimals as usize {
        return None;
    }
    format!("{whole}{rest:0<width$}", width = decimals as usize).parse().ok()
}

/// A number of messages at an axis: `2 M`, `200 万`.
pub(super) fn compact(number: u64, lang: Lang) -> String {
    let units: &[(u64, &str)] = match lang {
        Lang::En => &[(1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")],
        Lang::Zh => &[(100_000_000, "亿"), (10_000, "万")],
    };
    match units.iter().find(|(unit, _)| number >= *unit) {
        // Ticks are multiples of 1, 2 or 5 at their highest digit: three places after the point are enough.
        Some((unit, name)) => format!("{} {name}", decimal((number * 1000).div_euclid(*unit), 3)),
        None => number.to_string(),
    }
}

/// A length of time: seconds, and what that is in hours and minutes where it is more than two minutes.
pub(super) fn seconds(ms: u64) -> String {
    // Milliseconds are not worth their place beside minutes.
    let ms = if ms >= 120_000 { (ms + 500) / 1000 * 1000 } else { ms };
    let seconds = format!("{} s", decimal(ms, 3));
    if ms < 120_000 { seconds } else { format!("{seconds} ({})", span(ms)) }
}

/// A length of time in hours, minutes and seconds; 0 is `0 s`.
pub(super) fn span(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    if ms == 0 { "0 s".to_owned() } else { format::span(ms) }
}

#[cfg(test)]
mod tests {
    use super::{compact, decimal, grouped, milli, seconds, typed};
    use crate::i18n::Lang;

    #[test]
    fn digits_stand_in_groups_of_three() {
        for (number, wanted) in [(0, "0"), (999, "999"), (1000, "1,000"), (6_000_000, "6,000,000")] {
            assert_eq!(grouped(number), wanted);
            assert_eq!(typed(wanted, 0), Some(number));
        }
    }

    #[test]
    fn parts_are_typed_as_they_are_read() {
        for (parts, wanted) in [(78_000, "78"), (500, "0.5"), (2001, "2.001"), (1_234_500, "1,234.5"), (0, "0")] {
            assert_eq!(decimal(parts, 3), wanted);
            assert_eq!(typed(wanted, 3), Some(parts));
        }
        for nonsense in ["", "-1", "1e3", "0.0001", ".5", "1.5.2", "abc"] {
            assert_eq!(typed(nonsense, 3), None, "{nonsense}");
        }
        assert_eq!((milli(10_989), milli(375_000), milli(1_234_567)), ("10.989".into(), "375".into(), "1,235".into()));
    }

    #[test]
    fn axes_and_times_are_short() {
        assert_eq!((compact(2_000_000, Lang::En), compact(2_000_000, Lang::Zh)), ("2 M".into(), "200 万".into()));
        assert_eq!((compact(2500, Lang::En), compact(2500, Lang::Zh)), ("2.5 k".into(), "2500".into()));
        assert_eq!(compact(150_000_000, Lang::Zh), "1.5 亿");
        assert_eq!(seconds(2_000_000), "2,000 s (33 min 20 s)");
        assert_eq!(seconds(22_500), "22.5 s");
        assert_eq!(seconds(0), "0 s");
    }
}
