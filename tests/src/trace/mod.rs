//! Hashes of whole runs, the same natively and in WebAssembly.
//!
//! Each scenario runs without clock and chance, and its hash covers everything that it did and left behind. The example
//! `trace_hashes` prints them natively; the test of the same name computes them in a browser and compares.

mod store;

/// The hash of every scenario's trace, by the scenario's name.
///
/// # Panics
///
/// When a scenario does not run to its end, which its own tests tell more about.
pub fn trace_hashes() -> Vec<(String, u64)> {
    vec![("store".to_owned(), store::trace_hash())]
}

/// [`trace_hashes`] as text: one line per scenario, its name and its hash.
pub fn report() -> String {
    let line = |(name, hash): (String, u64)| format!("{name} {hash:016x}\n");
    trace_hashes().into_iter().map(line).collect::<Vec<_>>().concat()
}

/// FNV-1a of 64 bits: the same everywhere, and each byte counts.
struct Hasher(u64);

impl Hasher {
    const fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Hasher, trace_hashes};

    /// The published test vectors of FNV-1a.
    #[test]
    fn the_hash_is_fnv_1a() {
        let hash = |text: &str| {
            let mut hasher = Hasher::new();
            hasher.write(text.as_bytes());
            hasher.0
        };
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_run_twice_is_the_same_run() {
        assert_eq!(trace_hashes(), trace_hashes());
    }
}
