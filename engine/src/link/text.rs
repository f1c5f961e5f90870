//! The link's text: base64url without padding (RFC 4648, section 5) over a header and a raw deflate stream (RFC 1951)
//! of JSON.
//!
//! | bytes | what |
//! |---|---|
//! | 2 | `RS` |
//! | 1 | the version: 1, or 2 of a link with branches, so that an older program says that it is too new for it |
//! | 4 | length of the deflate stream, big-endian: a link that was cut off is told apart from one that was changed |
//! | 4 | CRC-32 of the deflate stream, big-endian |
//! | | the deflate stream |

use std::io::{Read, Write};

use flate2::{Compression, bufread::DeflateDecoder, write::DeflateEncoder};

use super::{Link, LinkError};

/// The newest version that is known here, the one of links with branches.
pub const VERSION: u8 = 2;

/// The version of links without.
const WITHOUT_BRANCHES: u8 = 1;

const MAGIC: &[u8] = b"RS";
/// What [`MAGIC`] makes of the text's beginning, whatever follows.
const BEGIN: &str = "UlM";
const HEADER: usize = 11;

/// Bytes that a link may hold unpacked.
const UNPACKED_MAX: u64 = 16 * 1024 * 1024;

/// Bytes of JSON that are packed as short as can be. Runs pack to a tenth or so, and an address has 6,000 bytes.
const HARD_PACKED_MAX: usize = 256 * 1024;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Link {
    /// The link as a text of letters, digits, `-` and `_`: what stands behind `r=` in an address, and in a run file.
    ///
    /// # Errors
    /// If the run is larger than what [`Link::decode`] and [`Link::open`] take.
    pub fn encode(&self) -> Result<String, LinkError> {
        self.check_size()?;
        let not_written = |cause: String| LinkError::NotARun { cause };
        let json = serde_json::to_vec(self).map_err(|error| not_written(error.to_string()))?;
        if json.len() as u64 > UNPACKED_MAX {
            return Err(LinkError::TooLarge { limit: UNPACKED_MAX });
        }
        // What may become an address is packed as short as can be; of what is far too long for one, time counts.
        let level = if json.len() > HARD_PACKED_MAX { Compression::default() } else { Compression::best() };
        let mut packer = DeflateEncoder::new(Vec::new(), level);
        packer.write_all(&json).map_err(|error| not_written(error.to_string()))?;
        let packed = packer.finish().map_err(|error| not_written(error.to_string()))?;
        let mut bytes = Vec::with_capacity(HEADER + packed.len());
        bytes.extend_from_slice(MAGIC);
        let plain = self.branch == 0 && self.branches.is_empty();
        bytes.push(if plain { WITHOUT_BRANCHES } else { VERSION });
        // What was packed is at most a little longer than what may be packed.
        bytes.extend_from_slice(&(packed.len() as u32).to_be_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&packed).to_be_bytes());
        bytes.extend_from_slice(&packed);
        Ok(to_base64(&bytes))
    }

    /// Reads a link's text; blanks around it do not matter.
    ///
    /// # Errors
    /// If it is no link, or not the whole of one as it was written.
    pub fn decode(text: &str) -> Result<Self, LinkError> {
        let text = text.trim();
        let beginning: String = text.chars().take(BEGIN.len()).collect();
        if beginning.is_empty() || !BEGIN.starts_with(&beginning) {
            return Err(LinkError::NotALink);
        }
        let bytes = from_base64(text)?;
        let cut = |expected: usize| LinkError::CutOff { got: bytes.len() as u64, expected: expected as u64 };
        // Whatever comes next in a newer version, the version stands here.
        let version = bytes.get(MAGIC.len()).copied().ok_or_else(|| cut(HEADER))?;
        if version > VERSION {
            return Err(LinkError::Newer { version, known: VERSION });
        }
        if version == 0 {
            return Err(LinkError::NotALink);
        }
        let number = |at: usize| {
            let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
            four.map(u32::from_be_bytes).ok_or_else(|| cut(HEADER))
        };
        let (length, expected) = (number(3)? as usize, number(7)?);
        let packed = bytes.get(HEADER..).unwrap_or_default();
        if packed.len() < length {
            return Err(cut(HEADER.saturating_add(length)));
        }
        if packed.len() > length {
            return Err(LinkError::Longer { more: (packed.len() - length) as u64 });
        }
        let got = crc32fast::hash(packed);
        if got != expected {
            return Err(LinkError::Changed { expected, got });
        }
        let mut json = Vec::new();
        let unpacked = DeflateDecoder::new(packed).take(UNPACKED_MAX + 1).read_to_end(&mut json);
        unpacked.map_err(|error| LinkError::NotARun { cause: error.to_string() })?;
        if json.len() as u64 > UNPACKED_MAX {
            return Err(LinkError::TooLarge { limit: UNPACKED_MAX });
        }
        serde_json::from_slice(&json).map_err(|error| LinkError::NotARun { cause: error.to_string() })
    }
}

pub(super) fn to_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0, |bits, (place, byte)| bits | u32::from(*byte) << (16 - 8 * place));
        for place in 0..=group.len() {
            let digit = bits >> (18 - 6 * place) & 63;
            text.extend(DIGITS.get(digit as usize).map(|digit| *digit as char));
        }
    }
    text
}

/// The whole bytes of a text; bits left over at its end belong to a byte that was cut off, or to none.
fn from_base64(text: &str) -> Result<Vec<u8>, LinkError> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for (at, character) in (1..).zip(text.chars()) {
        let digit = u8::try_from(character).ok().and_then(|byte| DIGITS.iter().position(|digit| *digit == byte));
        let digit = digit.ok_or(LinkError::Character { at, character })?;
        bits = bits << 6 | digit as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{from_base64, to_base64};
    use crate::link::LinkError;

    /// The test vectors of RFC 4648, section 10, without their padding.
    #[test]
    fn base64_agrees_with_the_published_vectors() {
        let vectors = [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in vectors {
            assert_eq!(to_base64(bytes.as_bytes()), text);
            assert_eq!(from_base64(text).as_deref(), Ok(bytes.as_bytes()));
        }
        // 62 and 63 are `-` and `_` in the alphabet for addresses: 0xfb 0xff 0xbf is 62 63 62 63.
        assert_eq!(to_base64(&[0xfb, 0xff, 0xbf]), "-_-_");
        assert_eq!(from_base64("Zm+"), Err(LinkError::Character { at: 3, character: '+' }));
        assert_eq!(from_base64("Z组"), Err(LinkError::Character { at: 2, character: '组' }));
    }

    proptest! {
        #[test]
        fn bytes_survive_base64(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(from_base64(&to_base64(&bytes)), Ok(bytes));
        }
    }
}
