//! Why bytes are no record.

use thiserror::Error;

use super::FieldName;

/// Bytes that are no message record: where, counted from the record's first byte, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("at byte {position}: {cause}")]
pub struct DecodeError {
    /// Position of the field at fault.
    pub position: u32,
    /// The fault.
    pub cause: Cause,
}

/// Why bytes are no message record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// The bytes end inside a field.
    #[error("{field} needs {needed} bytes, {available} are there")]
    Truncated {
        /// The field.
        field: FieldName,
        /// Its length.
        needed: u32,
        /// Bytes left.
        available: u32,
    },
    /// Neither the magic of a message nor that of a blank record.
    #[error("magic code 0x{:08X} is not that of a record", magic.cast_unsigned())]
    Magic {
        /// The value found.
        magic: i32,
    },
    /// A blank record, where a message was asked for.
    #[error("a blank record, not a message")]
    Blank,
    /// A length that cannot be: negative, or more than TOTALSIZE.
    #[error("{field} is {value}, TOTALSIZE is {total_size}")]
    Length {
        /// The field that holds the length.
        field: FieldName,
        /// The length.
        value: i32,
        /// TOTALSIZE of the record.
        total_size: i32,
    },
    /// The body is not what it was when its CRC was taken.
    #[error("body CRC is {computed}, BODYCRC says {stored}")]
    Crc {
        /// BODYCRC.
        stored: i32,
        /// CRC of the body.
        computed: i32,
    },
    /// A record of the schedule topic whose DELAY property is no number.
    #[error("DELAY is {0:?}, not a number")]
    DelayLevel(String),
    /// The lengths of the parts do not add up to TOTALSIZE.
    #[error("TOTALSIZE is {total_size}, the parts make {read}")]
    Size {
        /// TOTALSIZE of the record.
        total_size: i32,
        /// What the parts add up to.
        read: i64,
    },
}
