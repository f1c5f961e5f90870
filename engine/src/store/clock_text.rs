//! Times as 4.9.8 writes them into file names. The zone is UTC.

/// `yyyyMMddHHmmssSSS` (`UtilAll.timeMillisToHumanString`): the name of an index file made at this time.
pub fn timestamp_name(millis: i64) -> String {
    let days = millis.div_euclid(86_400_000);
    let in_day = millis.rem_euclid(86_400_000);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1000 % 60);
    format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}{:03}", in_day % 1000)
}

/// `yyyy-MM-dd HH:mm:ss,SSS` (`UtilAll.timeMillisToHumanString2`): times in remarks.
pub fn human_time(millis: i64) -> String {
    let (year, month, day) = date(millis.div_euclid(86_400_000));
    let in_day = millis.rem_euclid(86_400_000);
    let (hour, minute, second) = (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02},{:03}", in_day % 1000)
}

/// Hour of the day, 0 to 23.
pub(super) fn hour_of_day(millis: i64) -> i64 {
    millis.rem_euclid(86_400_000) / 3_600_000
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
fn date(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that the leap day is the last day of a year; 719468 days lie between 0000-03-01
    // and 1970-01-01, 146097 in 400 years.
    let days = days + 719_468;
    let (era, in_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * in_year + 2) / 153;
    let day = in_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_17_digits_of_utc() {
        assert_eq!(timestamp_name(0), "19700101000000000");
        assert_eq!(timestamp_name(1_700_000_000_123), "20231114221320123");
        // 2024-02-29 is a leap day; 951782400 is 2000-02-29.
        assert_eq!(timestamp_name(1_709_164_800_000), "20240229000000000");
        assert_eq!(timestamp_name(951_782_400_000), "20000229000000000");
        assert_eq!(timestamp_name(-1), "19691231235959999");
    }

    #[test]
    fn remarks_say_the_time_to_a_millisecond() {
        assert_eq!(human_time(1_700_000_000_123), "2023-11-14 22:13:20,123");
        assert_eq!(human_time(-1), "1969-12-31 23:59:59,999");
    }

    #[test]
    fn hours() {
        assert_eq!(hour_of_day(4 * 3_600_000), 4);
        assert_eq!(hour_of_day(-1), 23);
    }
}
