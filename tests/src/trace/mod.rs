//! Hashes of whole runs, the same natively and in WebAssembly.
//!
//! Each scenario runs without clock and chance, and its hash covers everything that it did and left behind. The example
//! `trace_hashes` prints them natively; the test of the same name computes them in a browser and compares.

mod crash;
mod lessons;
mod random;
mod store;
mod world;

/// The hash of every scenario's trace, by the scenario's name: some that are written down, every lesson's solution, and
/// random ones.
///
/// # Panics
///
/// When a scenario does not run to its end; the engine's own tests then tell more.
pub fn trace_hashes() -> Vec<(String, u64)> {
    trace_hashes_with(random::COUNT)
}

fn trace_hashes_with(random: u64) -> Vec<(String, u64)> {
    let mut hashes = vec![
        ("store".to_owned(), store::trace_hash()),
        ("world".to_owned(), world::trace_hash()),
        ("crash".to_owned(), crash::trace_hash()),
    ];
    hashes.extend(lessons::trace_hashes());
    hashes.extend(random::trace_hashes(random));
    hashes
}

/// [`trace_hashes`] as text: one line per scenario, its name and its hash.
pub fn report() -> String {
    trace_hashes().iter().map(|(name, hash)| format!("{name} {hash:016x}\n")).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{random, trace_hashes_with};

    #[test]
    fn a_run_twice_is_the_same_run() {
        assert_eq!(trace_hashes_with(30), trace_hashes_with(30));
    }

    #[test]
    fn random_scenarios_are_all_different() {
        let hashes: BTreeSet<u64> = random::trace_hashes(30).map(|(_, hash)| hash).collect();
        assert_eq!(hashes.len(), 30);
    }
}
