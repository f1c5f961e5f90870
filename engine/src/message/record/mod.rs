//! The commit-log record: one stored message, big-endian.
//!
//! | field | bytes | position (both hosts IPv4) |
//! |---|---|---|
//! | TOTALSIZE | 4 | 0 |
//! | MAGICCODE | 4 | 4 |
//! | BODYCRC | 4 | 8 |
//! | QUEUEID | 4 | 12 |
//! | FLAG | 4 | 16 |
//! | QUEUEOFFSET | 8 | 20 |
//! | PHYSICALOFFSET | 8 | 28 |
//! | SYSFLAG | 4 | 36 |
//! | BORNTIMESTAMP | 8 | 40 |
//! | BORNHOST | 8, or 20 for IPv6 | 48 |
//! | STORETIMESTAMP | 8 | 56 |
//! | STOREHOSTADDRESS | 8, or 20 for IPv6 | 64 |
//! | RECONSUMETIMES | 4 | 72 |
//! | PREPARED TRANSACTION OFFSET | 8 | 76 |
//! | BODY | 4 + its length | 84 |
//! | TOPIC | 1 + its length | |
//! | PROPERTIES | 2 + its length | |
//!
//! [`encode()`] makes one, [`check()`] is the test that recovery and dispatch apply to whatever bytes they meet,
//! [`decode()`] reads a whole one, [`fields()`] says where each field lies.

mod check;
mod decode;
mod encode;
mod error;
mod fields;
mod reader;
#[cfg(test)]
mod tests;

pub use check::{Checked, Dispatch, check, check_without_body};
pub use decode::{Record, decode, decode_unchecked};
pub use encode::{EncodeError, Limits, encode, encode_into, encoded_len, patch};
pub use error::{Cause, DecodeError};
pub use fields::{FieldName, FieldSpan, fields};

pub(super) use encode::{Parts, put_record};

/// MAGICCODE of a message.
pub const MESSAGE_MAGIC: i32 = 0xDAA3_20A7_u32.cast_signed();
/// MAGICCODE of the blank record that fills the end of a file.
pub const BLANK_MAGIC: i32 = 0xCBD4_3194_u32.cast_signed();
/// Length of a record without body, topic and properties, both hosts IPv4.
pub const MIN_LEN: i32 = 91;
/// What an IPv6 host is longer than an IPv4 one.
const V6_EXTRA_LEN: i32 = 12;
/// A record must leave this many bytes of its file free, so that a blank record fits behind it.
pub const END_FILE_MIN_BLANK_LENGTH: i32 = 8;

/// Position of MAGICCODE.
pub const MAGIC_POSITION: usize = 4;
/// Position of FLAG.
pub const FLAG_POSITION: usize = 16;
/// Position of QUEUEOFFSET.
pub const QUEUE_OFFSET_POSITION: usize = 20;
/// Position of PHYSICALOFFSET.
pub const PHYSICAL_OFFSET_POSITION: usize = 28;
/// Position of SYSFLAG.
pub const SYS_FLAG_POSITION: usize = 36;
/// Position of BORNHOST, the first field after which positions depend on SYSFLAG.
pub const BORN_HOST_POSITION: usize = 48;

/// Position of STORETIMESTAMP in a record of this sysFlag: 56, or 68 behind an IPv6 BORNHOST.
pub fn store_timestamp_position(sys_flag: i32) -> usize {
    BORN_HOST_POSITION + super::sys_flag::born_host_len(sys_flag)
}

/// BODYCRC of a body as stored (`UtilAll.crc32`): the CRC-32 of zlib without its highest bit. 0 for no bytes.
pub fn body_crc(body: &[u8]) -> i32 {
    (crc32fast::hash(body) & 0x7FFF_FFFF).cast_signed()
}

/// The blank record that makes a file full: `remaining` is what is left of the file, at least 8 bytes. Only these 8
/// are written, what follows them stays as it is.
pub fn blank(remaining: i32) -> [u8; 8] {
    (i64::from(remaining) << 32 | i64::from(BLANK_MAGIC.cast_unsigned())).to_be_bytes()
}

/// Length of a record (`CommitLog.calMsgLength`). Lengths below zero, which a damaged record can hold, count as zero.
pub(super) fn record_len(sys_flag: i32, body_len: i32, topic_len: i32, properties_len: i32) -> i64 {
    let v6 = |bit| if sys_flag & bit == 0 { 0 } else { i64::from(V6_EXTRA_LEN) };
    i64::from(MIN_LEN)
        + v6(super::sys_flag::BORNHOST_V6)
        + v6(super::sys_flag::STOREHOSTADDRESS_V6)
        + i64::from(body_len.max(0))
        + i64::from(topic_len.max(0))
        + i64::from(properties_len.max(0))
}
