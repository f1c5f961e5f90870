//! When and how the rate at which messages come in changes.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::{
    plan::{Arrival, Plan},
    rate::{PER_S, Rate, SECOND_US},
};

/// Draws of a random rate at most, whatever the horizon.
const DRAWS_MAX: u32 = 3600;

/// The rate from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) from_us: u64,
    pub(super) rate: Rate,
}

/// The rate at which messages come in over the horizon, piece by piece; the first begins at 0.
pub(super) fn pieces(plan: &Plan) -> Vec<Piece> {
    let horizon_us = u64::from(plan.horizon_s) * SECOND_US;
    let usual = u128::from(plan.in_per_s) * PER_S;
    match plan.arrival {
        Arrival::Steady => vec![Piece { from_us: 0, rate: usual }],
        Arrival::Bursts { peak_per_s, from_s, lasts_s, every_s } => {
            let mut pieces = vec![Piece { from_us: 0, rate: usual }];
            let mut begins_us = u64::from(from_s) * SECOND_US;
            while begins_us < horizon_us {
                let ends_us = begins_us + u64::from(lasts_s) * SECOND_US;
                // A burst that begins where another piece does takes its place.
                pieces.retain(|piece| piece.from_us < begins_us);
                pieces.push(Piece { from_us: begins_us, rate: u128::from(peak_per_s) * PER_S });
                pieces.push(Piece { from_us: ends_us, rate: usual });
                if every_s == 0 {
                    break;
                }
                begins_us += u64::from(every_s) * SECOND_US;
            }
            pieces.retain(|piece| piece.from_us < horizon_us);
            pieces
        }
        Arrival::Random { swing_percent, seed } => {
            let mut draws = ChaCha8Rng::seed_from_u64(seed);
            let lasts_us = u64::from(plan.horizon_s.div_ceil(DRAWS_MAX)) * SECOND_US;
            let reach = usual * u128::from(swing_percent) / 100;
            let count = horizon_us.div_ceil(lasts_us);
            let piece = |index: u64| {
                // The upper 64 bits of a product: equally likely all of them, but for a bias below 2^-64 of the range.
                let drawn = (u128::from(draws.next_u64()) * (2 * reach + 1)) >> 64;
                Piece { from_us: index * lasts_us, rate: usual - reach + drawn }
            };
            (0..count).map(piece).collect()
        }
    }
}

/// The rate in the long run: what a single burst adds is not part of it.
pub(super) fn mean(plan: &Plan) -> Rate {
    let usual = u128::from(plan.in_per_s) * PER_S;
    match plan.arrival {
        Arrival::Bursts { peak_per_s, lasts_s, every_s, .. } if every_s > 0 => {
            let (lasts, every) = (u128::from(lasts_s), u128::from(every_s));
            (usual * every.saturating_sub(lasts) + u128::from(peak_per_s) * PER_S * lasts) / every
        }
        _ => usual,
    }
}

/// The highest rate there can be.
pub(super) fn peak(plan: &Plan) -> Rate {
    let usual = u128::from(plan.in_per_s) * PER_S;
    match plan.arrival {
        Arrival::Steady => usual,
        Arrival::Bursts { peak_per_s, .. } => usual.max(u128::from(peak_per_s) * PER_S),
        Arrival::Random { swing_percent, .. } => usual + usual * u128::from(swing_percent) / 100,
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, mean, peak, pieces};
    use crate::backlog::{
        Arrival, Plan,
        rate::{PER_S, SECOND_US},
    };

    fn plan(arrival: Arrival, horizon_s: u32) -> Plan {
        Plan { in_per_s: 100, arrival, horizon_s, ..Plan::default() }
    }

    fn seen(plan: &Plan) -> Vec<(u64, u128)> {
        pieces(plan).into_iter().map(|Piece { from_us, rate }| (from_us / SECOND_US, rate / PER_S)).collect()
    }

    #[test]
    fn bursts_come_again_until_the_horizon() {
        let bursts = |every_s| Arrival::Bursts { peak_per_s: 900, from_s: 0, lasts_s: 20, every_s };
        assert_eq!(seen(&plan(bursts(60), 130)), [(0, 900), (20, 100), (60, 900), (80, 100), (120, 900)]);
        assert_eq!(seen(&plan(bursts(0), 130)), [(0, 900), (20, 100)]);
        let later = Arrival::Bursts { peak_per_s: 900, from_s: 30, lasts_s: 60, every_s: 60 };
        assert_eq!(seen(&plan(later, 100)), [(0, 100), (30, 900), (90, 900)]);
    }

    /// By hand: a third of the time 900, two thirds 100, is 366.67; a single burst leaves the usual rate.
    #[test]
    fn the_mean_counts_bursts_that_come_again() {
        let bursts = |every_s| Arrival::Bursts { peak_per_s: 900, from_s: 0, lasts_s: 20, every_s };
        assert_eq!(mean(&plan(bursts(60), 600)), 366_666_666_666);
        assert_eq!(mean(&plan(bursts(0), 600)), 100 * PER_S);
        assert_eq!(peak(&plan(bursts(60), 600)), 900 * PER_S);
        assert_eq!(peak(&plan(Arrival::Random { swing_percent: 50, seed: 1 }, 60)), 150 * PER_S);
    }

    #[test]
    fn a_random_rate_stays_in_its_range_around_the_mean_and_repeats_with_its_seed() {
        let drawn = |seed| pieces(&plan(Arrival::Random { swing_percent: 40, seed }, 3600));
        let first = drawn(1);
        assert_eq!(first.len(), 3600);
        assert!(first.iter().all(|piece| (60 * PER_S..=140 * PER_S).contains(&piece.rate)));
        // The mean of 3600 draws from a range of width 80 has a standard deviation of 80 / sqrt(12 * 3600) = 0.38.
        let mean = first.iter().map(|piece| piece.rate).sum::<u128>() / 3600;
        assert!((98 * PER_S..102 * PER_S).contains(&mean), "{mean}");
        assert_eq!(drawn(1), first);
        assert_ne!(drawn(2), first);
    }

    /// A week is 604800 s: each draw lasts 168 s.
    #[test]
    fn a_long_horizon_draws_no_more_often() {
        let week = plan(Arrival::Random { swing_percent: 10, seed: 1 }, 604_800);
        assert_eq!(pieces(&week).len(), 3600);
    }
}
