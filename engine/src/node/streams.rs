//! Random numbers: one generator stream per node and purpose, the same on every platform.

use std::collections::BTreeMap;

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::hash::Fnv;

/// The streams of one node. A stream is made when it is first asked for, so that what one purpose draws never changes
/// what another gets.
#[derive(Clone, Debug)]
pub struct Streams {
    seed: u64,
    node: u64,
    by_purpose: BTreeMap<&'static str, ChaCha8Rng>,
}

impl Streams {
    /// The streams of the node `name` in the world of `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        Self { seed, node: Fnv::of(name.as_bytes()), by_purpose: BTreeMap::new() }
    }

    /// The next 32 bits for `purpose`.
    pub fn next_u32(&mut self, purpose: &'static str) -> u32 {
        let (seed, node) = (self.seed, self.node);
        self.by_purpose.entry(purpose).or_insert_with(|| generator(seed, node, purpose)).next_u32()
    }

    /// A Java int for `purpose` (`Random.nextInt()`, from our own generator).
    pub fn next_i32(&mut self, purpose: &'static str) -> i32 {
        self.next_u32(purpose).cast_signed()
    }

    /// A number below `bound` for `purpose`, equally likely all of them but for a bias below 2^-32 * `bound`.
    pub fn below(&mut self, purpose: &'static str, bound: u32) -> u32 {
        ((u64::from(self.next_u32(purpose)) * u64::from(bound)) >> 32) as u32
    }
}

fn generator(seed: u64, node: u64, purpose: &str) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (part, word) in key.chunks_exact_mut(8).zip([seed, node, Fnv::of(purpose.as_bytes()), 0]) {
        part.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_does_not_disturb_another() {
        let mut quiet = Streams::new(7, "a");
        let mut busy = Streams::new(7, "a");
        for _ in 0..10 {
            busy.next_u32("other");
        }
        assert_eq!(quiet.next_u32("queue"), busy.next_u32("queue"));
        assert_ne!(Streams::new(7, "a").next_u32("queue"), Streams::new(7, "b").next_u32("queue"));
        assert_ne!(Streams::new(7, "a").next_u32("queue"), Streams::new(8, "a").next_u32("queue"));
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut streams = Streams::new(1, "a");
        let drawn: Vec<u32> = (0..100).map(|_| streams.below("x", 4)).collect();
        assert!(drawn.iter().all(|number| *number < 4));
        assert!((0..4).all(|number| drawn.contains(&number)));
    }
}
