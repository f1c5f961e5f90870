//! Delay levels: the waiting time of each, and when a delayed message is due (`ScheduleMessageService`).

use thiserror::Error;

use super::java;

/// The topic that delayed messages wait in: queue `level - 1` for each level.
pub const SCHEDULE_TOPIC: &str = "SCHEDULE_TOPIC_XXXX";

/// `messageDelayLevel` as 4.9.8 ships it: 18 levels.
pub const DEFAULT_LEVELS: &str = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h";

/// When a record of the schedule topic is due: the tags code of its ConsumeQueue unit.
pub trait DeliverTime {
    /// The time in milliseconds for the `DELAY` property's level, the level clamped to the highest; `None` if the
    /// clamped level is not positive, and the unit then keeps the code of its tags.
    fn deliver_time(&self, level: i32, store_timestamp: i64) -> Option<i64>;
}

/// The table of delay levels. The default value is the empty table, which the schedule service has until it is
/// loaded: dispatch during recovery comes before that, and sees no level at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DelayLevels {
    delays_ms: Vec<i64>,
}

impl DelayLevels {
    /// Parses the value of `messageDelayLevel` (`parseDelayLevel`): numbers with a unit `s`, `m`, `h` or `d`,
    /// separated by single spaces. Level 1 is the first.
    pub fn parse(text: &str) -> Result<Self, DelayLevelError> {
        let delay = |(index, entry): (usize, &str)| {
            delay_ms(entry).ok_or_else(|| DelayLevelError { level: index as i32 + 1, entry: entry.to_owned() })
        };
        let delays_ms = java::split(text, " ").into_iter().enumerate().map(delay).collect::<Result<_, _>>()?;
        Ok(Self { delays_ms })
    }

    /// The highest level; 0 in an empty table.
    pub fn max_level(&self) -> i32 {
        self.delays_ms.len() as i32
    }

    /// The delay of `level` in milliseconds; `None` if there is no such level.
    pub fn delay_ms(&self, level: i32) -> Option<i64> {
        let index = usize::try_from(level.checked_sub(1)?).ok()?;
        self.delays_ms.get(index).copied()
    }

    /// Every level with its delay in milliseconds, from level 1.
    pub fn iter(&self) -> impl Iterator<Item = (i32, i64)> + '_ {
        (1..).zip(self.delays_ms.iter().copied())
    }

    /// When a message stored at `store_timestamp` is due (`computeDeliverTimestamp`). An unknown level waits one
    /// second.
    pub fn deliver_timestamp(&self, level: i32, store_timestamp: i64) -> i64 {
        store_timestamp.wrapping_add(self.delay_ms(level).unwrap_or(1000))
    }
}

impl DeliverTime for DelayLevels {
    fn deliver_time(&self, level: i32, store_timestamp: i64) -> Option<i64> {
        let level = level.min(self.max_level());
        (level > 0).then(|| self.deliver_timestamp(level, store_timestamp))
    }
}

fn delay_ms(entry: &str) -> Option<i64> {
    let (number, unit) = entry.split_at_checked(entry.len().checked_sub(1)?)?;
    let unit_ms: i64 = match unit {
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    Some(unit_ms.wrapping_mul(java::parse_long(number)?))
}

/// An entry of `messageDelayLevel` that is no delay. 4.9.8 then refuses to load the store.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("messageDelayLevel: level {level} is {entry:?}, not a number followed by s, m, h or d")]
pub struct DelayLevelError {
    /// The level, from 1.
    pub level: i32,
    /// The entry as written.
    pub entry: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_levels() {
        let levels = DelayLevels::parse(DEFAULT_LEVELS).expect("the shipped value");
        assert_eq!(levels.max_level(), 18);
        assert_eq!(levels.delay_ms(1), Some(1000));
        assert_eq!(levels.delay_ms(5), Some(60_000));
        assert_eq!(levels.delay_ms(18), Some(7_200_000));
        assert_eq!(levels.delay_ms(0), None);
        assert_eq!(levels.delay_ms(19), None);
        assert_eq!(levels.delay_ms(i32::MIN), None);
        assert_eq!(levels.iter().last(), Some((18, 7_200_000)));
    }

    #[test]
    fn due_times() {
        let levels = DelayLevels::parse("1s 2m 3h 4d").expect("four levels");
        assert_eq!(levels.deliver_time(4, 10), Some(345_600_010));
        assert_eq!(levels.deliver_time(99, 10), Some(345_600_010), "clamped to the highest level");
        assert_eq!(levels.deliver_time(0, 10), None);
        assert_eq!(levels.deliver_time(-1, 10), None);
        assert_eq!(levels.deliver_timestamp(99, 10), 1010, "unknown: one second");
        assert_eq!(DelayLevels::default().deliver_time(3, 10), None, "no level before the service is loaded");
    }

    #[test]
    fn malformed_levels() {
        for (text, level, entry) in [
            ("1s  5s", 2, ""),
            ("", 1, ""),
            (" 1s", 1, ""),
            ("1s 5", 2, "5"),
            ("s", 1, "s"),
            ("1s 2\u{79D2}", 2, "2\u{79D2}"),
        ] {
            assert_eq!(DelayLevels::parse(text), Err(DelayLevelError { level, entry: entry.to_owned() }), "{text:?}");
        }
        assert_eq!(DelayLevels::parse("1s 5s ").map(|levels| levels.max_level()), Ok(2), "trailing space is dropped");
        assert_eq!(DelayLevels::parse("-5s").expect("Java takes a sign").delay_ms(1), Some(-5000));
    }
}
