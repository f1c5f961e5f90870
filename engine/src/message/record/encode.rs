//! Writing a record.

use thiserror::Error;

use super::{
    MESSAGE_MAGIC, PHYSICAL_OFFSET_POSITION, QUEUE_OFFSET_POSITION, SYS_FLAG_POSITION, body_crc, record_len,
    store_timestamp_position,
};
use crate::message::{Host, Message};

/// Properties are stored with a length of 16 bits, read back signed.
const MAX_PROPERTIES_LEN: usize = i16::MAX as usize;
/// What a record may hold besides its body.
const MAX_OVERHEAD: i32 = 64 * 1024;
/// `maxMessageSize` of 4.9.8.
const DEFAULT_MAX_MESSAGE_SIZE: i32 = 4 * 1024 * 1024;

/// The limits of what can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `maxMessageSize`: the longest body, in bytes. A whole record may be 65536 bytes longer.
    pub max_message_size: i32,
}

impl Limits {
    /// The longest record (`MessageExtEncoder`).
    fn max_record_len(self) -> i64 {
        i64::from(self.max_message_size.saturating_add(MAX_OVERHEAD))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_message_size: DEFAULT_MAX_MESSAGE_SIZE }
    }
}

/// A message that the encoder refuses; the names are those of the `PutMessageStatus` it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The body is longer than `maxMessageSize`, or the record longer than that and 65536 bytes.
    #[error("a record of {record_len} bytes with a body of {body_len} is over maxMessageSize {max_message_size}")]
    MessageIllegal {
        /// Length of the body.
        body_len: usize,
        /// Length that the record would have.
        record_len: i64,
        /// The limit.
        max_message_size: i32,
    },
    /// The properties text is longer than 32767 bytes.
    #[error("properties of {0} bytes, 32767 can be stored")]
    PropertiesSizeExceeded(usize),
}

/// Length of the record that `message` becomes, if it can be stored (`MessageExtEncoder.encode`, its tests in its
/// order).
pub fn encoded_len(message: &Message, limits: &Limits) -> Result<i32, EncodeError> {
    let properties_len = message.properties_text.len();
    if properties_len > MAX_PROPERTIES_LEN {
        return Err(EncodeError::PropertiesSizeExceeded(properties_len));
    }
    let body_len = message.body.len();
    let parts_len = record_len(message.record_sys_flag(), 0, 0, 0)
        .saturating_add_unsigned(body_len as u64)
        .saturating_add_unsigned(message.topic.len() as u64)
        .saturating_add_unsigned(properties_len as u64);
    let illegal =
        EncodeError::MessageIllegal { body_len, record_len: parts_len, max_message_size: limits.max_message_size };
    if body_len as u64 > limits.max_message_size.max(0) as u64 || parts_len > limits.max_record_len() {
        return Err(illegal);
    }
    i32::try_from(parts_len).map_err(|_| illegal)
}

/// Appends the record of `message` to `out`. QUEUEOFFSET, PHYSICALOFFSET and STORETIMESTAMP are zero: they are known
/// only under the append lock, see [`patch`].
pub fn encode(message: &Message, limits: &Limits, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let len = encoded_len(message, limits)?;
    out.reserve(len as usize);
    put_message(message, len, out);
    Ok(())
}

/// Writes the record of `message` to the beginning of `window` and gives back its length, as [`encode`] does but in
/// place. `len` is what [`encoded_len`] said; `None`, and nothing written, if the window is shorter.
pub fn encode_into(message: &Message, len: i32, window: &mut [u8]) -> Option<usize> {
    let size = usize::try_from(len).ok()?;
    let mut window = Window(window.get_mut(..size)?);
    put_message(message, len, &mut window);
    Some(size)
}

/// Writes the three values of a record that are known only under the append lock. Bytes too short to be a record are
/// left alone.
pub fn patch(record: &mut [u8], queue_offset: i64, physical_offset: i64, store_timestamp: i64) {
    let flag = record.get(SYS_FLAG_POSITION..).and_then(<[u8]>::first_chunk).copied();
    let sys_flag = flag.map_or(0, i32::from_be_bytes);
    for (position, value) in [
        (QUEUE_OFFSET_POSITION, queue_offset),
        (PHYSICAL_OFFSET_POSITION, physical_offset),
        (store_timestamp_position(sys_flag), store_timestamp),
    ] {
        if let Some(field) = record.get_mut(position..).and_then(<[u8]>::first_chunk_mut) {
            *field = value.to_be_bytes();
        }
    }
}

fn put_message(message: &Message, len: i32, out: &mut impl Put) {
    let parts = Parts {
        len,
        queue_id: message.queue_id,
        flag: message.flag,
        sys_flag: message.record_sys_flag(),
        born_timestamp: message.born_timestamp,
        born_host: message.born_host,
        store_host: message.store_host,
        reconsume_times: message.reconsume_times,
        prepared_transaction_offset: message.prepared_transaction_offset,
        body: &message.body,
        topic: &message.topic,
        properties: [message.properties_text.as_bytes(), &[], &[]],
    };
    put_record(&parts, out);
}

/// What a record is made of, but the three values of [`patch`].
pub(in crate::message) struct Parts<'a> {
    pub(in crate::message) len: i32,
    pub(in crate::message) queue_id: i32,
    pub(in crate::message) flag: i32,
    pub(in crate::message) sys_flag: i32,
    pub(in crate::message) born_timestamp: i64,
    pub(in crate::message) born_host: Host,
    pub(in crate::message) store_host: Host,
    pub(in crate::message) reconsume_times: i32,
    pub(in crate::message) prepared_transaction_offset: i64,
    pub(in crate::message) body: &'a [u8],
    pub(in crate::message) topic: &'a str,
    /// The properties text in pieces: a batch record's is its own, a separator and the batch's.
    pub(in crate::message) properties: [&'a [u8]; 3],
}

/// Writes a record. Lengths are cut to the width of their fields, as 4.9.8 casts them; the caller has tested those
/// that must not be.
pub(in crate::message) fn put_record(parts: &Parts<'_>, out: &mut impl Put) {
    out.put(&parts.len.to_be_bytes());
    out.put(&MESSAGE_MAGIC.to_be_bytes());
    out.put(&body_crc(parts.body).to_be_bytes());
    out.put(&parts.queue_id.to_be_bytes());
    out.put(&parts.flag.to_be_bytes());
    out.put(&[0; 16]); // QUEUEOFFSET, PHYSICALOFFSET
    out.put(&parts.sys_flag.to_be_bytes());
    out.put(&parts.born_timestamp.to_be_bytes());
    parts.born_host.put_bytes(|bytes| out.put(bytes));
    out.put(&[0; 8]); // STORETIMESTAMP
    parts.store_host.put_bytes(|bytes| out.put(bytes));
    out.put(&parts.reconsume_times.to_be_bytes());
    out.put(&parts.prepared_transaction_offset.to_be_bytes());
    out.put(&(parts.body.len() as i32).to_be_bytes());
    out.put(parts.body);
    out.put(&(parts.topic.len() as i8).to_be_bytes());
    out.put(parts.topic.as_bytes());
    let properties_len: usize = parts.properties.iter().map(|piece| piece.len()).sum();
    out.put(&(properties_len as i16).to_be_bytes());
    for piece in parts.properties {
        out.put(piece);
    }
}

/// Where a record is written: behind a vector's end, or into a window that is long enough.
pub(in crate::message) trait Put {
    fn put(&mut self, bytes: &[u8]);
}

impl Put for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

struct Window<'a>(&'a mut [u8]);

impl Put for Window<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let window = std::mem::take(&mut self.0);
        if let Some((here, rest)) = window.split_at_mut_checked(bytes.len()) {
            here.copy_from_slice(bytes);
            self.0 = rest;
        }
    }
}
