//! Hashes of whole runs, the same natively and in WebAssembly.
//!
//! Each scenario runs without clock and chance, and its hash covers everything that it did and left behind. The example
//! `trace_hashes` prints them natively; the test of the same name computes them in a browser and compares.

mod crash;
mod lessons;
mod store;
mod world;

/// The hash of every scenario's trace, by the scenario's name.
///
/// # Panics
///
/// When a scenario does not run to its end; the engine's own tests then tell more.
pub fn trace_hashes() -> Vec<(String, u64)> {
    let mut hashes = vec![
        ("store".to_owned(), store::trace_hash()),
        ("world".to_owned(), world::trace_hash()),
        ("crash".to_owned(), crash::trace_hash()),
    ];
    hashes.extend(lessons::trace_hashes());
    hashes
}

/// [`trace_hashes`] as text: one line per scenario, its name and its hash.
pub fn report() -> String {
    trace_hashes().iter().map(|(name, hash)| format!("{name} {hash:016x}\n")).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::trace_hashes;

    #[test]
    fn a_run_twice_is_the_same_run() {
        assert_eq!(trace_hashes(), trace_hashes());
    }
}
