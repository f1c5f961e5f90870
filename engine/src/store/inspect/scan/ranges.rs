//! A set of numbers that mostly come in order.

/// Intervals kept at most; numbers that would need more are left out.
const LIMIT: usize = 65_536;

/// Half-open intervals, ascending, none touching another.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges(Vec<(i64, i64)>);

impl Ranges {
    /// Adds a number, unless that would take too many intervals.
    pub(super) fn add(&mut self, number: i64) {
        let at = self.0.partition_point(|(_, end)| *end < number);
        let full = self.0.len() >= LIMIT;
        let Some(end) = number.checked_add(1) else { return };
        match self.0.get_mut(at) {
            Some(range) if range.1 == number => {
                range.1 = end;
                if let Some((start, end)) = self.0.get(at + 1).copied()
                    && start == number + 1
                {
                    self.0.remove(at + 1);
                    if let Some(range) = self.0.get_mut(at) {
                        range.1 = end;
                    }
                }
            }
            Some(range) if range.0 <= number => {}
            Some(range) if range.0 == end => range.0 = number,
            _ if full => {}
            _ => self.0.insert(at, (number, end)),
        }
    }

    /// Whether the number is in the set.
    pub(super) fn contains(&self, number: i64) -> bool {
        let at = self.0.partition_point(|(_, end)| *end <= number);
        self.0.get(at).is_some_and(|(start, _)| *start <= number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_any_order_merge_into_intervals() {
        let mut ranges = Ranges::default();
        for number in [0, 1, 2, 7, 5, 6, 4, 1, -3, i64::MAX] {
            ranges.add(number);
        }
        // i64::MAX has no end to write down, so it is left out.
        assert_eq!(ranges.0, [(-3, -2), (0, 3), (4, 8)]);
        assert!(ranges.contains(0) && ranges.contains(7) && ranges.contains(-3));
        assert!(!ranges.contains(3) && !ranges.contains(8) && !ranges.contains(-2));
        ranges.add(3);
        assert_eq!(ranges.0, [(-3, -2), (0, 8)]);
    }
}
