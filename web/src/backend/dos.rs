//! The times of files in zip archives: the calendar of DOS, in steps of two seconds from 1980 on. It names no time zone;
//! here it is UTC.

use zip::DateTime;

use crate::components::store::format::civil;

const DAY: i64 = 86_400;

/// A time in seconds since the epoch as an archive writes it; the first of 1980 where it cannot be written.
pub(super) fn time(seconds: i64) -> DateTime {
    let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    let narrow = |part: i64| u8::try_from(part).unwrap_or(0);
    let year = u16::try_from(year).unwrap_or(0);
    DateTime::from_date_and_time(
        year,
        narrow(month),
        narrow(day),
        narrow(second / 3600),
        narrow(second / 60 % 60),
        narrow(second % 60),
    )
    .unwrap_or_default()
}

/// The same backwards.
pub(super) fn seconds(time: DateTime) -> i64 {
    let clock = i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60 + i64::from(time.second());
    days(i64::from(time.year()), i64::from(time.month()), i64::from(time.day())) * DAY + clock
}

/// Days from 1 March of the year 0 to the epoch.
const EPOCH: i64 = 719_468;
/// Days of 400 years.
const ERA: i64 = 146_097;

/// The day since the epoch, in the Gregorian calendar. Years are counted from 1 March, so that the leap day is their last;
/// five months have 153 days, in the pattern 31 30 31 30 31.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    era * ERA + 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 + day - 1 - EPOCH
}

#[cfg(test)]
mod tests {
    use super::{civil, days, seconds, time};

    /// By the calendar: 2000 is a leap year, 1900 was none; 1,700,000,000 s is 2023-11-14 22:13:20 UTC.
    #[test]
    fn days_are_dates() {
        for (day, at) in [
            (0, (1970, 1, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (-25_509, (1900, 2, 28)),
            (-25_508, (1900, 3, 1)),
        ] {
            assert_eq!((civil(day), days(at.0, at.1, at.2)), (at, day));
        }
        let written = time(1_700_000_000);
        assert_eq!((written.year(), written.month(), written.day()), (2023, 11, 14));
        assert_eq!((written.hour(), written.minute(), written.second()), (22, 13, 20));
        assert_eq!(seconds(written), 1_700_000_000);
        // What archives cannot say is their first moment.
        assert_eq!(time(0).year(), 1980);
    }
}
