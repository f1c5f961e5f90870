//! Where sliders stop, and where axes have their ticks.

/// The values 0 and `least` to `most` that are easy to say: two digits, more of them where they are small.
pub(super) fn round_values(least: u64, most: u64) -> Vec<u64> {
    const DIGITS: [u64; 10] = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80];
    let powers = (0..18).map(|power| 10_u64.pow(power));
    let large = powers.flat_map(|power| DIGITS.map(|digits| digits * power));
    (0..10).chain(large).filter(|value| (least..=most).contains(value)).collect()
}

/// The place in `stops` that lies closest below `value`, or the first.
pub(super) fn place_of(value: u64, stops: &[u64]) -> usize {
    stops.partition_point(|stop| *stop <= value).saturating_sub(1)
}

/// The style of a slider at the stop `place` of so many: how much of its line is filled.
pub(super) fn filled(place: usize, stops: usize) -> String {
    let percent = place as f64 / stops.saturating_sub(1).max(1) as f64 * 100.0;
    format!("--at:{percent:.1}%")
}

/// A distance of ticks, from 0 on, of which at most `ticks` reach `most`: 1, 2 or 5 at its highest digit.
pub(super) fn tick(most: u64, ticks: u64) -> u64 {
    let powers = (0..18).map(|power| 10_u64.pow(power));
    let distances = powers.flat_map(|power| [1, 2, 5].map(|digit| digit * power));
    distances.into_iter().find(|distance| distance * ticks >= most).unwrap_or(u64::MAX)
}

/// The same of seconds: whole minutes, hours or days where it is more than one of them.
pub(super) fn tick_of_seconds(most: u64, ticks: u64) -> u64 {
    const SECONDS: [u64; 22] = [
        1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 14_400, 21_600, 28_800, 43_200,
        86_400, 172_800,
    ];
    SECONDS.into_iter().find(|distance| distance * ticks >= most).unwrap_or(604_800)
}

#[cfg(test)]
mod tests {
    use super::{filled, place_of, round_values, tick, tick_of_seconds};

    #[test]
    fn sliders_stop_at_round_values_and_never_twice() {
        assert_eq!(round_values(1, 30), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30]);
        assert_eq!(round_values(0, 2), [0, 1, 2]);
        let stops = round_values(0, 10_000_000_000);
        assert!(stops.is_sorted_by(|one, next| one < next));
        // 1 to 9, then 10 12 15 20 25 30 40 50 60 80, and 100 is the twentieth.
        assert_eq!(place_of(117, &round_values(1, 200)), 19);
        assert_eq!((place_of(0, &[1, 2]), place_of(9, &[1, 2])), (0, 1));
        assert_eq!((filled(1, 5), filled(0, 1)), ("--at:25.0%".to_owned(), "--at:0.0%".to_owned()));
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!((tick(6_000_000, 5), tick(7_800_000, 4), tick(1, 5)), (2_000_000, 2_000_000, 1));
        assert_eq!(
            (tick_of_seconds(3600, 6), tick_of_seconds(7200, 4), tick_of_seconds(604_800, 7)),
            (600, 1800, 86_400)
        );
        assert_eq!(tick_of_seconds(604_800, 4), 172_800);
    }
}
