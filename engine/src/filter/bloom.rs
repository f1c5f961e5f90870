//! The Bloom filter that marks in a ConsumeQueueExt which consumers a message is for (`BloomFilter`, `BitsArray`).

/// A Bloom filter for an expected number of consumers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BloomFilter {
    /// Bits of a consumer.
    k: u32,
    /// Bits of the filter, a multiple of 8.
    m: i32,
}

/// The bits of one consumer (`BloomFilterData`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BloomFilterData {
    /// Their places; two may be the same.
    pub bit_pos: Vec<i32>,
    /// Bits of the filter that they are for.
    pub bit_num: i32,
}

impl Default for BloomFilter {
    /// The filter of a broker with the usual settings: 20 in a hundred, 32 consumers.
    fn default() -> Self {
        Self { k: 3, m: 112 }
    }
}

impl BloomFilter {
    /// The filter for `n` consumers of which a message that is not for one of them seems to be in at most `f` of a hundred
    /// cases (`createByFn`). `None`: `f` is not within 1..99, or `n` is below 1.
    pub fn by_fn(f: i32, n: i32) -> Option<Self> {
        if !(1..100).contains(&f) || n < 1 {
            return None;
        }
        // The least k with 0.5^k at most f / 100.
        let k = (1..=7).find(|k| f << k >= 100)?;
        let log = |base: f64, of: f64| of.ln() / base.ln();
        let bits = (f64::from(n) * log(2.0, 100.0 / f64::from(f)) * log(2.0, std::f64::consts::E)).ceil();
        // Java's cast of a double to int takes what is too large for the largest.
        let m = 8.0 * (f64::from(bits as i32) / 8.0).ceil();
        Some(Self { k, m: m as i32 })
    }

    /// Bits of a consumer.
    pub const fn k(&self) -> u32 {
        self.k
    }

    /// Bits of the filter, a multiple of 8.
    pub const fn m(&self) -> i32 {
        self.m
    }

    /// The bits of a text (`calcBitPositions`): 4.9.8 hashes `group#topic`.
    pub fn generate(&self, text: &str) -> BloomFilterData {
        let hash = murmur3_128(text.as_bytes());
        let (low, high) = (hash as i32, (hash >> 32) as i32);
        let place = |i: u32| {
            let combined = low.wrapping_add((i as i32).wrapping_mul(high));
            (if combined < 0 { !combined } else { combined }) % self.m
        };
        BloomFilterData { bit_pos: (1..=self.k).map(place).collect(), bit_num: self.m }
    }

    /// Whether bits are for this filter (`isValid`).
    pub fn is_valid(&self, data: &BloomFilterData) -> bool {
        data.bit_num == self.m && data.bit_pos.len() == self.k as usize
    }

    /// A bit map without a bit.
    pub fn empty_bit_map(&self) -> Vec<u8> {
        vec![0; usize::try_from(self.m / 8).unwrap_or(0)]
    }
}

impl BloomFilterData {
    /// Sets them in a bit map (`hashTo`). Those outside are passed over.
    pub fn set_in(&self, bit_map: &mut [u8]) {
        for place in &self.bit_pos {
            if let Some(byte) = usize::try_from(place / 8).ok().and_then(|at| bit_map.get_mut(at)) {
                *byte |= 1 << (place % 8);
            }
        }
    }

    /// Whether all of them are set in a bit map (`isHit`).
    pub fn are_set_in(&self, bit_map: &[u8]) -> bool {
        let is_set = |place: &i32| {
            let byte = usize::try_from(place / 8).ok().and_then(|at| bit_map.get(at));
            byte.is_some_and(|byte| byte & (1 << (place % 8)) != 0)
        };
        self.bit_pos.iter().all(is_set)
    }
}

const C1: u64 = 0x87C3_7B91_1142_53D5;
const C2: u64 = 0x4CF5_AD43_2745_937F;

/// The first 64 bits of `MurmurHash3` of 128 bits for x64, with seed 0 (`Hashing.murmur3_128().hashString(..).asLong()`).
fn murmur3_128(bytes: &[u8]) -> u64 {
    let (mut h1, mut h2) = (0_u64, 0_u64);
    let mix1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let mix2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let mut blocks = bytes.chunks_exact(16);
    for block in &mut blocks {
        let (low, high) = block.split_at(8);
        h1 ^= mix1(little_endian(low));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52DC_E729);
        h2 ^= mix2(little_endian(high));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5AB5);
    }
    let rest = blocks.remainder();
    let (low, high) = rest.split_at(rest.len().min(8));
    h1 ^= mix1(little_endian(low));
    h2 ^= mix2(little_endian(high));
    h1 ^= bytes.len() as u64;
    h2 ^= bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    final_mix(h1).wrapping_add(final_mix(h2))
}

/// Up to eight bytes as a number.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

const fn final_mix(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    k ^= k >> 33;
    k = k.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    k ^ (k >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_agrees_with_published_vectors() {
        // Known values of Guava's own tests, seed 0.
        assert_eq!(murmur3_128(b"hell"), 0x6299_4269_3E10_F867);
        assert_eq!(murmur3_128(b"The quick brown fox jumps over the lazy dog"), 0xE34B_BC7B_BC07_1B6C);
        assert_eq!(murmur3_128(b"The quick brown fox jumps over the lazy cog"), 0x658C_A970_FF85_269A);
        assert_eq!(murmur3_128(b""), 0);
    }

    /// 4.9.8's usual settings, by its formulas: k = ceil(2.32) and m = ceil(32 * 2.3219 * 1.4427) = 108, up to 112.
    #[test]
    fn a_filter_is_as_large_as_its_settings_ask() {
        let size = |f, n| BloomFilter::by_fn(f, n).map(|filter| (filter.k(), filter.m()));
        assert_eq!(size(20, 32), Some((3, 112)));
        // One half: k = 1, m = ceil(10 * 1.4427) = 15. One in a hundred: k = ceil(6.64), m = ceil(6.6439 * 1.4427) = 10.
        assert_eq!((size(50, 10), size(1, 1), size(99, 1)), (Some((1, 16)), Some((7, 16)), Some((1, 8))));
        assert_eq!((size(0, 32), size(100, 32), size(20, 0)), (None, None, None));
    }

    #[test]
    fn bits_are_places_in_the_filter() {
        let filter = BloomFilter::by_fn(20, 32).unwrap();
        // The low half of the hash of "hell" is 0x3E10F867 = 1041299559, the high half 0x62994269 = 1654211177: their sum
        // wraps to -1599456560, whose bits turned round are 1599456559, which is 15 in 112; then 54754617 and 1708965794.
        let data = filter.generate("hell");
        assert_eq!(data, BloomFilterData { bit_pos: vec![15, 57, 18], bit_num: 112 });
        let mut bit_map = filter.empty_bit_map();
        assert!(!data.are_set_in(&bit_map));
        data.set_in(&mut bit_map);
        assert!(data.are_set_in(&bit_map));
        // Bit p is in byte p / 8, there bit p % 8.
        assert_eq!((bit_map.len(), bit_map[1], bit_map[7], bit_map[2]), (14, 0x80, 0x02, 0x04));
        assert!(filter.is_valid(&data) && !BloomFilter::by_fn(20, 64).unwrap().is_valid(&data));
    }
}
