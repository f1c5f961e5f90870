//! Records of the commit log.

mod body;
mod picture;

use serde::{Deserialize, Serialize};

use super::Field;

/// A record without its body: a row of a list, and the form of `inspect --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordRow {
    /// Where it lies in the log (its place, not the field; they differ only in a damaged store).
    pub physical_offset: i64,
    /// TOTALSIZE, bytes.
    pub size: i32,
    /// TOPIC.
    pub topic: String,
    /// QUEUEID.
    pub queue_id: i32,
    /// QUEUEOFFSET as stored.
    pub queue_offset: i64,
    /// FLAG.
    pub flag: i32,
    /// SYSFLAG.
    pub sys_flag: i32,
    /// BODYCRC as stored.
    pub body_crc: i32,
    /// Length of the body as stored, bytes.
    pub body_length: i32,
    /// BORNTIMESTAMP, milliseconds.
    pub born_timestamp: i64,
    /// BORNHOST, `ip:port`.
    pub born_host: String,
    /// STORETIMESTAMP, milliseconds.
    pub store_timestamp: i64,
    /// STOREHOSTADDRESS, `ip:port`.
    pub store_host: String,
    /// RECONSUMETIMES.
    pub reconsume_times: i32,
    /// PREPARED TRANSACTION OFFSET.
    pub prepared_transaction_offset: i64,
    /// PROPERTIES as stored.
    pub properties_string: String,
    /// The offsetMsgId: store host and place.
    pub msg_id: String,
}

/// A record down to the field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordPicture {
    /// The file it lies in.
    pub file: String,
    /// Where it begins in the file.
    pub position: u64,
    /// Its values in one row.
    pub row: RecordRow,
    /// Every field in order of position.
    pub fields: Vec<FieldPicture>,
    /// The bits set in SYSFLAG, by 4.9.8's names (`COMPRESSED_FLAG`, ...).
    pub sys_flags: Vec<String>,
    /// The transaction bits.
    pub transaction: TransactionKind,
    /// The PHYSICALOFFSET field; equal to `row.physical_offset` in a sound store.
    pub physical_offset_field: i64,
    /// CRC of the body as it lies there; equal to `row.body_crc` in a sound store.
    pub computed_crc: i32,
    /// Properties in stored order, as 4.9.8 reads them (malformed pieces dropped).
    pub properties: Vec<PropertyPicture>,
    /// Tags code that the ConsumeQueue unit of the record carries.
    pub tags_code: i64,
    /// The `UNIQ_KEY` property: the id that the client calls msgId.
    pub uniq_key: Option<String>,
    /// KEYS in single pieces.
    pub keys: Vec<String>,
    /// The body.
    pub body: BodyPicture,
    /// ConsumeQueue unit and index entries that point here.
    pub pointers: Vec<Pointer>,
    /// Where the record before it begins, in the same file.
    pub previous: Option<i64>,
    /// Where the record after it begins (over the blank into the next file).
    pub next: Option<i64>,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldPicture {
    /// Which.
    pub field: Field,
    /// Position in the file.
    pub start: u64,
    /// Bytes.
    pub len: u64,
    /// Its value in words.
    pub value: String,
}

/// A property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PropertyPicture {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
}

/// A body, and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BodyPicture {
    /// Bytes as stored.
    pub stored_len: u64,
    /// Bytes after inflating, where SYSFLAG says compressed and the body inflates.
    pub inflated_len: Option<u64>,
    /// `zlib`, `lz4` or `zstd` where SYSFLAG says compressed.
    pub compression: Option<String>,
    /// Why the body does not inflate.
    pub error: Option<String>,
    /// The beginning of the (inflated) body.
    pub preview: BodyText,
    /// Whether `preview` holds less than the whole.
    pub cut: bool,
}

/// Bytes as text where they are text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "camelCase")]
pub enum BodyText {
    /// UTF-8 without control characters other than line ends and tabs.
    Text(String),
    /// Lower-case hexadecimal digits.
    Hex(String),
}

/// Something in the store that leads to a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Pointer {
    /// A ConsumeQueue unit.
    #[serde(rename_all = "camelCase")]
    Unit {
        /// Topic of the queue.
        topic: String,
        /// Queue id.
        queue_id: i32,
        /// The unit's place in the queue.
        queue_offset: i64,
        /// The file that holds it.
        file: String,
        /// Position in the file.
        position: u64,
    },
    /// An index entry.
    #[serde(rename_all = "camelCase")]
    Index {
        /// The index file.
        file: String,
        /// Number of the entry.
        index: i32,
        /// Position in the file.
        position: u64,
        /// The key that leads there (`UNIQ_KEY` or one of KEYS).
        key: String,
        /// Hash slot.
        slot: i32,
    },
}

/// The transaction bits of SYSFLAG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TransactionKind {
    /// No transaction.
    Not,
    /// Prepared: has no ConsumeQueue unit.
    Prepared,
    /// Committed.
    Commit,
    /// Rolled back: has no ConsumeQueue unit.
    Rollback,
}
