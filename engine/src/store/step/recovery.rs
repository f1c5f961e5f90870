//! Why load and recovery did what they did.

use serde::{Deserialize, Serialize};

use crate::message::record::{Cause, FieldName};
use crate::store::LoadError;

/// The name of a queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueName {
    /// Its topic.
    pub topic: String,
    /// Its number in the topic.
    pub queue_id: i32,
}

/// Why a store was not loaded: [`LoadError`] as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LoadFault {
    /// A file of fixed size has another one (`MappedFileQueue.load`).
    WrongSize {
        /// Its path.
        file: String,
        /// Its length in bytes.
        len: u64,
        /// The length that the configuration says.
        expected: i64,
    },
    /// A file whose name is not the offset of its first byte.
    BadName {
        /// Its path.
        file: String,
    },
    /// Anything else: the configuration, `delayOffset.json`, the disk.
    Other {
        /// Place and cause, in English.
        message: String,
    },
}

impl From<&LoadError> for LoadFault {
    fn from(error: &LoadError) -> Self {
        match error {
            LoadError::WrongSize { file, len, expected } => {
                Self::WrongSize { file: file.clone(), len: *len, expected: i64::from(*expected) }
            }
            LoadError::BadName { file } => Self::BadName { file: file.clone() },
            other => Self::Other { message: other.to_string() },
        }
    }
}

/// Whether recovery after an unclean stop can begin in a file of the log (`isMappedFileMatchedRecover`), in the order
/// in which 4.9.8 asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileVerdict {
    /// No: it does not begin with the magic of a message.
    NoMessage,
    /// No: the store time of its first record is 0.
    NoStoreTime,
    /// No: its first record was stored after the checkpoint's limit.
    AfterCheckpoint,
    /// Yes: its first record was stored at or before the limit, so that everything before it is complete.
    BeforeCheckpoint,
}

/// Why recovery of the log begins where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RecoveryStart {
    /// After a clean stop the last three files are checked, or all where there are fewer (`recoverNormally`).
    LastFiles,
    /// It is the last file that begins before the checkpoint (`recoverAbnormally`).
    BeforeCheckpoint,
    /// No file begins before the checkpoint: everything is checked (`recoverAbnormally`).
    NoneMatched,
}

/// Why bytes of the log are no record (`checkMessageAndReturnSize`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of `Cause`")]
pub enum RecordFault {
    /// TOTALSIZE and the magic are zero: nothing was ever written here.
    Zeros,
    /// The magic is neither that of a message nor that of a blank record.
    Magic { magic: i32 },
    /// The body is not what it was when its CRC was taken.
    Crc { stored: i32, computed: i32 },
    /// The lengths of the parts do not add up to TOTALSIZE.
    Size { total_size: i32, read: i64 },
    /// A length that cannot be: negative, or more than TOTALSIZE.
    Length { field: FieldName, value: i32, total_size: i32 },
    /// The file ends inside a field.
    Underflow { field: FieldName, needed: u32, available: u32 },
    /// A record of the schedule topic whose DELAY property is no number.
    DelayLevel { text: String },
    /// The disk could not be read.
    Unreadable,
}

impl RecordFault {
    /// The fault of bytes that begin with this TOTALSIZE.
    pub(in crate::store) fn of(cause: &Cause, total_size: i32) -> Self {
        match cause {
            Cause::Magic { magic: 0 } if total_size == 0 => Self::Zeros,
            Cause::Magic { magic } => Self::Magic { magic: *magic },
            // A blank record is not at fault where recovery looks.
            Cause::Blank => Self::Magic { magic: crate::message::record::BLANK_MAGIC },
            Cause::Crc { stored, computed } => Self::Crc { stored: *stored, computed: *computed },
            Cause::Size { total_size, read } => Self::Size { total_size: *total_size, read: *read },
            Cause::Length { field, value, total_size } => {
                Self::Length { field: *field, value: *value, total_size: *total_size }
            }
            Cause::Truncated { field, needed, available } => {
                Self::Underflow { field: *field, needed: *needed, available: *available }
            }
            Cause::DelayLevel(text) => Self::DelayLevel { text: text.clone() },
        }
    }
}

/// Why an index file was passed over (`IndexService.load`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IndexFault {
    /// Its name is no number.
    BadName,
    /// It could not be read; the files after it are not looked at either.
    Unreadable,
}

/// Why recovery of the commit log stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RecoveryEnd {
    /// The blank record of the last file.
    LastBlank,
    /// Bytes that are no record.
    NoRecord,
    /// A record whose parts do not add up to its size.
    LengthMismatch,
}
