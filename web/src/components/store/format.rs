//! Sizes and times as people read them.

/// Bytes in the largest unit that leaves a number of at least 1, exact where it is whole.
pub fn size(bytes: u64) -> String {
    let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) if bytes.is_multiple_of(unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} B"),
    }
}

/// Milliseconds since the epoch as date and time, UTC. What no calendar holds stays a number.
pub fn time(ms: i64) -> String {
    // Years 0 to 9999.
    if !(-62_167_219_200_000..253_402_300_800_000).contains(&ms) {
        return ms.to_string();
    }
    let (days, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02}.{:03}", rest % 1000)
}

/// The same without the date, for what lies close to what has one.
pub fn time_of_day(ms: i64) -> String {
    let time = time(ms);
    time.split_once(' ').map_or_else(|| time.clone(), |(_, of_day)| of_day.to_owned())
}

/// Year, month and day of a day since 1970-01-01, counted in 400-year eras that begin in March.
pub fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Microseconds of world time: as seconds, from an hour on with hours and minutes, and with days where there are some.
pub fn clock(us: i64) -> String {
    let (sign, us) = (if us < 0 { "-" } else { "" }, us.unsigned_abs());
    let (seconds, micros) = (us / 1_000_000, us % 1_000_000);
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let days_told = if days > 0 { format!("{days} d ") } else { String::new() };
    if seconds < 3600 {
        return format!("{sign}{seconds}.{micros:06} s");
    }
    format!("{sign}{days_told}{hours:02}:{:02}:{:02}.{micros:06}", seconds / 60 % 60, seconds % 60)
}

/// Milliseconds as hours, minutes and seconds, without those that are 0; below a second as milliseconds.
pub fn span(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    let ms = ms.unsigned_abs();
    if ms < 1000 {
        return format!("{sign}{ms} ms");
    }
    let (hours, minutes, seconds, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
    let seconds = match rest {
        0 => seconds.to_string(),
        _ => format!("{seconds}.{rest:03}").trim_end_matches('0').to_owned(),
    };
    let parts = [(hours.to_string(), "h"), (minutes.to_string(), "min"), (seconds, "s")];
    let parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| count != "0").map(|(count, unit)| format!("{count} {unit}")).collect();
    format!("{sign}{}", parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::{clock, size, span, time, time_of_day};

    #[test]
    fn sizes() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(1023), "1023 B");
        assert_eq!(size(65_536), "64 KiB");
        assert_eq!(size(1 << 30), "1 GiB");
        assert_eq!(size(1_500_000), "1.4 MiB");
    }

    #[test]
    fn times() {
        // Worked out with `date -u`.
        assert_eq!(time(0), "1970-01-01 00:00:00.000");
        assert_eq!(time(1_700_000_000_123), "2023-11-14 22:13:20.123");
        assert_eq!(time(951_782_400_000), "2000-02-29 00:00:00.000");
        assert_eq!(time(-1), "1969-12-31 23:59:59.999");
        assert_eq!(time(i64::MAX), i64::MAX.to_string());
        assert_eq!(time_of_day(1_700_000_000_123), "22:13:20.123");
        assert_eq!(time_of_day(i64::MAX), i64::MAX.to_string());
    }

    #[test]
    fn spans() {
        assert_eq!(span(0), "0 ms");
        assert_eq!(span(-5), "-5 ms");
        assert_eq!(span(1000), "1 s");
        assert_eq!(span(59_990), "59.99 s");
        assert_eq!(span(60_000), "1 min");
        assert_eq!(span(3_600_500), "1 h 0.5 s");
        assert_eq!(span(7_384_000), "2 h 3 min 4 s");
    }

    #[test]
    fn world_time() {
        assert_eq!(clock(31_250), "0.031250 s");
        assert_eq!(clock(-1), "-0.000001 s");
        assert_eq!(clock(3_599_999_999), "3599.999999 s");
        assert_eq!(clock(3_600_000_000), "01:00:00.000000");
        // 3 days are 259,200 s; 17 hours 61,200 s.
        assert_eq!(clock(320_444_004_150), "3 d 17:00:44.004150");
        assert_eq!(clock(-86_400_000_000), "-1 d 00:00:00.000000");
    }
}
