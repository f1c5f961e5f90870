//! Batches: how a client encodes one, and the records that the broker makes of it.
//!
//! There are no batches in the commit log of 4.9.8: each entry becomes a record of its own, they only stand one
//! behind the other.

use bytes::Bytes;
use thiserror::Error;

use super::properties::PROPERTY_SEPARATOR;
use super::record::{Limits, MIN_LEN, Parts, put_record, record_len};
use super::{Host, Properties, sys_flag};

/// Length of an entry without body and properties.
const ENTRY_OVERHEAD: usize = 22;

/// One message of a batch as the client sends it (`MessageDecoder.encodeMessage`): only flag, body and properties are
/// its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchEntry {
    /// The sender's own flag.
    pub flag: i32,
    /// The body; batches are not compressed.
    pub body: Bytes,
    /// The entry's properties, as text.
    pub properties_text: String,
}

/// What the store is asked to append for a batch request (`MessageExtBatch`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageBatch {
    /// The topic of all entries.
    pub topic: String,
    /// Their queue.
    pub queue_id: i32,
    /// Bits of [`sys_flag`] for all records. The two IPv6 bits are made true to the hosts.
    pub sys_flag: i32,
    /// When the client made the batch, milliseconds since the epoch by its clock.
    pub born_timestamp: i64,
    /// Where the client's connection came from.
    pub born_host: Host,
    /// The broker's address.
    pub store_host: Host,
    /// From the request, for all records.
    pub reconsume_times: i32,
    /// The request's properties and `CLUSTER`: they are stored behind each entry's own.
    pub properties: Properties,
    /// The entries, as [`encode_client`] writes them.
    pub body: Bytes,
}

impl MessageBatch {
    /// The sysFlag of the records: the batch's own, its IPv6 bits as the hosts are.
    pub fn record_sys_flag(&self) -> i32 {
        sys_flag::with_hosts(self.sys_flag, &self.born_host, &self.store_host)
    }
}

/// Encodes the entries of a batch as the body of its request (`MessageDecoder.encodeMessages`).
pub fn encode_client(entries: &[BatchEntry]) -> Result<Vec<u8>, BatchError> {
    let len = |entry: &BatchEntry| ENTRY_OVERHEAD + entry.body.len() + entry.properties_text.len();
    let mut out = Vec::with_capacity(entries.iter().map(len).sum());
    for entry in entries {
        let properties = entry.properties_text.as_bytes();
        let properties_len =
            i16::try_from(properties.len()).map_err(|_| BatchError::PropertiesSizeExceeded(properties.len()))?;
        out.extend_from_slice(&(len(entry) as i32).to_be_bytes());
        out.extend_from_slice(&[0; 8]); // magic and CRC, which nobody reads
        out.extend_from_slice(&entry.flag.to_be_bytes());
        out.extend_from_slice(&(entry.body.len() as i32).to_be_bytes());
        out.extend_from_slice(&entry.body);
        out.extend_from_slice(&properties_len.to_be_bytes());
        out.extend_from_slice(properties);
    }
    Ok(out)
}

/// Reads the entries of a batch body (`MessageDecoder.decodeMessages`). The properties are as in the bytes; the body
/// is shared with `body`.
pub fn decode_client(body: &Bytes) -> Result<Vec<BatchEntry>, BatchError> {
    raw_entries(body)
        .map(|entry| {
            entry.map(|entry| BatchEntry {
                flag: entry.flag,
                body: body.slice_ref(entry.body),
                properties_text: super::java::decode_utf8(entry.properties).into_owned(),
            })
        })
        .collect()
}

/// The records of a batch, one behind the other, each still to be given its offsets and store timestamp by
/// [`record::patch`](super::record::patch).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchRecords {
    /// The bytes of all records.
    pub bytes: Vec<u8>,
    /// The length of each.
    pub sizes: Vec<i32>,
}

/// Makes the records of a batch (`MessageExtEncoder.encode` of a `MessageExtBatch`).
///
/// Each record's properties are its entry's, a separator where one is needed, and the batch's; their length is cut to
/// 16 bits without a test, as in 4.9.8. An error is what 4.9.8 throws as a `RuntimeException`, so that the broker
/// answers `SYSTEM_ERROR`.
pub fn expand(batch: &MessageBatch, limits: &Limits) -> Result<BatchRecords, BatchError> {
    if i32::try_from(batch.body.len()).is_ok_and(|len| len <= limits.max_message_size) {
        expand_entries(batch)
    } else {
        Err(BatchError::BodySizeExceeded { len: batch.body.len(), max_message_size: limits.max_message_size })
    }
}

fn expand_entries(batch: &MessageBatch) -> Result<BatchRecords, BatchError> {
    let batch_properties = batch.properties.to_text();
    if batch_properties.len() > i16::MAX as usize {
        return Err(BatchError::PropertiesSizeExceeded(batch_properties.len()));
    }
    let sys_flag = batch.record_sys_flag();
    let mut records = BatchRecords::default();
    records.bytes.reserve(batch.body.len() + MIN_LEN as usize);
    for entry in raw_entries(&batch.body) {
        let entry = entry?;
        let needs_separator =
            !batch_properties.is_empty() && entry.properties.last().is_some_and(|last| *last != PROPERTY_SEPARATOR);
        let separator: &[u8] = if needs_separator { &[PROPERTY_SEPARATOR] } else { &[] };
        let properties = [entry.properties, separator, batch_properties.as_bytes()];
        let properties_len: usize = properties.iter().map(|piece| piece.len()).sum();
        let len = record_len(sys_flag, entry.body.len() as i32, batch.topic.len() as i32, properties_len as i32) as i32;
        let parts = Parts {
            len,
            queue_id: batch.queue_id,
            flag: entry.flag,
            sys_flag,
            born_timestamp: batch.born_timestamp,
            born_host: batch.born_host,
            store_host: batch.store_host,
            reconsume_times: batch.reconsume_times,
            prepared_transaction_offset: 0,
            body: entry.body,
            topic: &batch.topic,
            properties,
        };
        put_record(&parts, &mut records.bytes);
        records.sizes.push(len);
    }
    Ok(records)
}

struct RawEntry<'a> {
    flag: i32,
    body: &'a [u8],
    properties: &'a [u8],
}

/// The entries of a batch body. Their own total sizes, magics and CRCs are not looked at, as in 4.9.8. The first
/// error ends them.
fn raw_entries(bytes: &[u8]) -> impl Iterator<Item = Result<RawEntry<'_>, BatchError>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let position = bytes.len() - rest.len();
        let entry = raw_entry(&mut rest).ok_or(BatchError::Malformed { position });
        if entry.is_err() {
            rest = &[];
        }
        Some(entry)
    })
}

fn raw_entry<'a>(rest: &mut &'a [u8]) -> Option<RawEntry<'a>> {
    let (_total_magic_crc, tail) = rest.split_first_chunk::<12>()?;
    let (flag, tail) = tail.split_first_chunk::<4>()?;
    let (body_len, tail) = tail.split_first_chunk::<4>()?;
    let (body, tail) = tail.split_at_checked(usize::try_from(i32::from_be_bytes(*body_len)).ok()?)?;
    let (properties_len, tail) = tail.split_first_chunk::<2>()?;
    let (properties, tail) = tail.split_at_checked(usize::try_from(i16::from_be_bytes(*properties_len)).ok()?)?;
    *rest = tail;
    Some(RawEntry { flag: i32::from_be_bytes(*flag), body, properties })
}

/// A batch that cannot be encoded, read or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BatchError {
    /// The properties of an entry, or of the batch, are longer than 32767 bytes.
    #[error("properties of {0} bytes, 32767 can be stored")]
    PropertiesSizeExceeded(usize),
    /// The encoded entries are longer than `maxMessageSize`.
    #[error("a batch body of {len} bytes is over maxMessageSize {max_message_size}")]
    BodySizeExceeded {
        /// Length of the body.
        len: usize,
        /// The limit.
        max_message_size: i32,
    },
    /// An entry is cut off or has a negative length.
    #[error("the batch entry at byte {position} is cut off or has a negative length")]
    Malformed {
        /// First byte of the entry.
        position: usize,
    },
}

#[cfg(test)]
mod tests;
