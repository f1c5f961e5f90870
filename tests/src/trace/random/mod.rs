//! Random scenarios: small clusters and whatever may happen to them, each drawn from its number.

mod actions;
mod cluster;

use rocketscope_engine::node::Fnv;
use rocketscope_engine::sim::World;

use crate::rng::Rng;

/// How many there are.
pub(super) const COUNT: u64 = 1000;

/// Events that follow one action at most, and virtual time, microseconds.
const EVENTS: u64 = 300;
const HORIZON_US: i64 = 90_000_000;

/// The name and the trace hash of the first scenarios.
pub(super) fn trace_hashes(count: u64) -> impl Iterator<Item = (String, u64)> {
    (0..count).map(|number| (format!("random {number}"), trace_hash(number)))
}

/// Hash of every event of the run, of what was refused, and of the state that is left.
fn trace_hash(number: u64) -> u64 {
    let rng = &mut Rng::new(number);
    let cluster = cluster::random(rng);
    let mut world = World::new(&cluster, rng.next()).expect("a world that can be built");
    let mut hash = Fnv::default();
    for place in 0..8 + rng.below(10) {
        let action = actions::random(rng, &cluster, place);
        match world.act(action) {
            Ok(event) => hash.write_u64(event.seq),
            Err(error) => hash.write(error.to_string().as_bytes()),
        }
        // Now and then the next one comes in the middle of what this one causes.
        let most = if rng.chance(40) { 1 + rng.below(12) } else { EVENTS };
        go_on(&mut world, most);
    }
    hash.write_u64(world.trace_hash());
    hash.write_u64(world.state_hash());
    hash.value()
}

fn go_on(world: &mut World, most: u64) {
    let until_us = world.now_us() + HORIZON_US;
    for _ in 0..most {
        if world.at_rest() || world.next_us().is_none_or(|next_us| next_us > until_us) || world.step().is_none() {
            return;
        }
    }
}
