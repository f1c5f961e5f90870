//! The id of a stored record: where it lies.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Host;

/// The id that the broker answers a send with: the broker's address and the physical offset of the record
/// (`MessageDecoder.createMessageId`). Written as upper-case hex, 32 digits for IPv4 and 56 for IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct OffsetMsgId {
    /// The broker that stored the record first. A copy that the broker makes (delayed, given back, committed) keeps
    /// the address and has its own offset.
    pub host: Host,
    /// Where the record begins in the commit log.
    pub physical_offset: i64,
}

impl fmt::Display for OffsetMsgId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut result = Ok(());
        self.host.put_bytes(|bytes| result = result.and_then(|()| write_hex(f, bytes)));
        result.and_then(|()| write_hex(f, &self.physical_offset.to_be_bytes()))
    }
}

/// Writes upper-case hex (`UtilAll.bytes2string`).
pub(super) fn write_hex(out: &mut impl fmt::Write, bytes: &[u8]) -> fmt::Result {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0').to_ascii_uppercase();
    bytes.iter().try_for_each(|byte| {
        out.write_char(digit(byte >> 4))?;
        out.write_char(digit(byte & 0xF))
    })
}

/// Reads hex of either case (`UtilAll.string2bytes`); `None` for anything else, where 4.9.8 reads garbage.
pub(super) fn read_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

impl FromStr for OffsetMsgId {
    type Err = MsgIdError;

    fn from_str(text: &str) -> Result<Self, MsgIdError> {
        if !matches!(text.len(), 32 | 56) {
            return Err(MsgIdError::Length(text.len()));
        }
        let bytes = read_hex(text).ok_or(MsgIdError::NotHex)?;
        let (host, offset) = bytes.split_last_chunk::<8>().ok_or(MsgIdError::Length(text.len()))?;
        let host = Host::from_bytes(host).ok_or(MsgIdError::Length(text.len()))?;
        Ok(Self { host, physical_offset: i64::from_be_bytes(*offset) })
    }
}

impl From<OffsetMsgId> for String {
    fn from(id: OffsetMsgId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for OffsetMsgId {
    type Error = MsgIdError;

    fn try_from(text: String) -> Result<Self, MsgIdError> {
        text.parse()
    }
}

/// A text that is no message id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MsgIdError {
    /// Neither 32 nor 56 characters; the field is its length in bytes.
    #[error("a message id has 32 or 56 hex digits, this has {0}")]
    Length(usize),
    /// Something else than hex digits.
    #[error("a message id is written in hex digits only")]
    NotHex,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The id of the worked record of the format sheet.
    #[test]
    fn worked_id() {
        let id: OffsetMsgId = "0A00000100002A9F0000000000000400".parse().expect("an id");
        assert_eq!(id, OffsetMsgId { host: Host::new([10, 0, 0, 1], 10911), physical_offset: 1024 });
        assert_eq!(id.to_string(), "0A00000100002A9F0000000000000400");
        assert_eq!("0a00000100002a9f0000000000000400".parse(), Ok(id), "lower case is read too");
    }

    #[test]
    fn ipv6_and_back() {
        let host: Host = "[2001:db8::2]:10911".parse().expect("a host");
        let id = OffsetMsgId { host, physical_offset: 0x0123_4567_89AB_CDEF };
        assert_eq!(id.to_string(), "20010DB800000000000000000000000200002A9F0123456789ABCDEF");
        assert_eq!(id.to_string().parse(), Ok(id));
        let negative = OffsetMsgId { host: Host::new([255, 1, 0, 9], -1), physical_offset: -2 };
        assert_eq!(negative.to_string(), "FF010009FFFFFFFFFFFFFFFFFFFFFFFE");
        assert_eq!(negative.to_string().parse(), Ok(negative));
    }

    #[test]
    fn what_is_no_id() {
        assert_eq!("".parse::<OffsetMsgId>(), Err(MsgIdError::Length(0)));
        assert_eq!("0A00".parse::<OffsetMsgId>(), Err(MsgIdError::Length(4)));
        assert_eq!("0A00000100002A9F000000000000040G".parse::<OffsetMsgId>(), Err(MsgIdError::NotHex));
        assert_eq!("+A00000100002A9F0000000000000400".parse::<OffsetMsgId>(), Err(MsgIdError::NotHex));
        let wide = "\u{FF10}".repeat(10) + "00";
        assert_eq!(wide.parse::<OffsetMsgId>(), Err(MsgIdError::NotHex), "full-width digits are no hex");
    }
}
