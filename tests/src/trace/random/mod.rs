//! Random scenarios: small clusters and whatever may happen to them, each drawn from its number.

mod actions;
mod cluster;

use super::{Move, Script};
use crate::rng::Rng;

/// Events that follow one action at most.
const EVENTS: u32 = 300;

pub(super) fn script(number: u64) -> Script {
    let rng = &mut Rng::new(number);
    let cluster = cluster::random(rng);
    let seed = rng.next();
    let moves = (0..8 + rng.below(10)).map(|place| {
        let action = actions::random(rng, &cluster, place);
        // Now and then the next one comes in the middle of what this one causes.
        let events = if rng.chance(40) { 1 + u32::try_from(rng.below(12)).unwrap_or(0) } else { EVENTS };
        Move { action, events }
    });
    let moves = moves.collect();
    Script { cluster, seed, moves }
}
