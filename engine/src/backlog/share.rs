//! Sharing what does not suffice.

use super::rate::Rate;

/// Some that want the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Party {
    /// How many they are.
    pub(super) count: u32,
    /// What each of them wants.
    pub(super) wants: Rate,
}

/// What each of every party gets of `capacity`: as much as it wants, or else no less than any other, and nothing is
/// left over while somebody wants more.
pub(super) fn share(capacity: Rate, parties: &[Party]) -> Vec<Rate> {
    let mut modest_first: Vec<(usize, Party)> = parties.iter().copied().enumerate().collect();
    modest_first.sort_by_key(|(index, party)| (party.wants, *index));
    let mut left = capacity;
    let mut waiting: u128 = parties.iter().map(|party| u128::from(party.count)).sum();
    let mut gets = vec![0; parties.len()];
    for (index, party) in modest_first {
        let got = party.wants.min(left.checked_div(waiting).unwrap_or(0));
        if let Some(slot) = gets.get_mut(index) {
            *slot = got;
        }
        left -= got * u128::from(party.count);
        waiting -= u128::from(party.count);
    }
    gets
}

#[cfg(test)]
mod tests {
    use super::{Party, share};

    fn gets(capacity: u128, parties: &[(u32, u128)]) -> Vec<u128> {
        let parties: Vec<Party> = parties.iter().map(|&(count, wants)| Party { count, wants }).collect();
        share(capacity, &parties)
    }

    /// By hand: of 100, two that want 10 get it; the 80 left are 20 for each of four that want more.
    #[test]
    fn the_modest_get_all_and_the_others_the_same() {
        assert_eq!(gets(100, &[(4, 50), (2, 10)]), [20, 10]);
        assert_eq!(gets(300, &[(4, 50), (2, 10)]), [50, 10]);
        assert_eq!(gets(100, &[(1, 1000), (1, 0), (1, 40)]), [60, 0, 40]);
        assert_eq!(gets(0, &[(3, 5)]), [0]);
        assert_eq!(gets(5, &[]), Vec::<u128>::new());
    }
}
