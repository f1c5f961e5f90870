//! Reading a whole record.

use std::borrow::Cow;

use super::reader::{Reader, fault_at};
use super::{BLANK_MAGIC, Cause, DecodeError, FieldName, MESSAGE_MAGIC, body_crc, record_len};
use crate::message::properties::find_value;
use crate::message::{Host, OffsetMsgId, Properties, TransactionType, java, property, sys_flag};

/// A message record, read. Body, topic and properties are lent from the bytes wherever they can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Length of the record in bytes.
    pub total_size: i32,
    /// [`MESSAGE_MAGIC`].
    pub magic: i32,
    /// CRC of the body as stored; see [`Record::crc_matches`].
    pub body_crc: i32,
    /// Queue of the topic.
    pub queue_id: i32,
    /// The sender's own flag.
    pub flag: i32,
    /// Index of the record's unit in its ConsumeQueue.
    pub queue_offset: i64,
    /// Where the record says it lies in the commit log.
    pub physical_offset: i64,
    /// Bits of [`sys_flag`].
    pub sys_flag: i32,
    /// When the sender made the message, milliseconds since the epoch by its clock.
    pub born_timestamp: i64,
    /// Where the sender's connection came from.
    pub born_host: Host,
    /// When the broker stored it, milliseconds since the epoch by its clock.
    pub store_timestamp: i64,
    /// The broker that stored it first.
    pub store_host: Host,
    /// How often a consumer group has given it back.
    pub reconsume_times: i32,
    /// Physical offset of the half message that this one commits.
    pub prepared_transaction_offset: i64,
    /// The body as stored.
    pub body: &'a [u8],
    /// The topic that it is stored under.
    pub topic: Cow<'a, str>,
    /// The properties as they are stored.
    pub properties_text: Cow<'a, str>,
}

impl Record<'_> {
    /// The id that the broker gave it.
    pub fn offset_msg_id(&self) -> OffsetMsgId {
        OffsetMsgId { host: self.store_host, physical_offset: self.physical_offset }
    }

    /// The properties as a map.
    pub fn properties(&self) -> Properties {
        Properties::parse(&self.properties_text)
    }

    /// The value of one property, found without building the map.
    pub fn property(&self, name: &str) -> Option<&str> {
        find_value(&self.properties_text, name)
    }

    /// The keys it is indexed by, as one text.
    pub fn keys(&self) -> Option<&str> {
        self.property(property::KEYS)
    }

    /// The tags text.
    pub fn tags(&self) -> Option<&str> {
        self.property(property::TAGS)
    }

    /// The sender's own id.
    pub fn uniq_key(&self) -> Option<&str> {
        self.property(property::UNIQ_KEY)
    }

    /// The transaction type in the sysFlag.
    pub fn transaction_type(&self) -> TransactionType {
        TransactionType::of(self.sys_flag)
    }

    /// Whether BODYCRC is the CRC of the body.
    pub fn crc_matches(&self) -> bool {
        self.body_crc == body_crc(self.body)
    }
}

/// Reads the message record at the beginning of `bytes`, which may be followed by others. Its lengths must add up;
/// its CRC is not tested. As in [`check()`](super::check()), a body or properties length below zero counts as none.
/// [`decode_unchecked`] is the reader of 4.9.8, which tests none of this.
pub fn decode(bytes: &[u8]) -> Result<Record<'_>, DecodeError> {
    let mut reader = Reader::new(bytes);
    let total_size = reader.i32(FieldName::TotalSize)?;
    let magic_position = reader.position();
    let magic = reader.i32(FieldName::MagicCode)?;
    match magic {
        MESSAGE_MAGIC => {}
        BLANK_MAGIC => return Err(fault_at(magic_position, Cause::Blank)),
        _ => return Err(fault_at(magic_position, Cause::Magic { magic })),
    }
    let (record, read) = read_parts(reader, total_size, magic)?;
    if read != i64::from(total_size) {
        return Err(fault_at(0, Cause::Size { total_size, read }));
    }
    Ok(record)
}

/// Reads whatever stands at the beginning of `bytes` as if it were a message record (`MessageDecoder.decode`): neither
/// the magic is looked at nor whether the lengths add up to TOTALSIZE. So a look-up by offset takes a blank record with
/// zeros behind it for a message without anything in it.
pub fn decode_unchecked(bytes: &[u8]) -> Result<Record<'_>, DecodeError> {
    let mut reader = Reader::new(bytes);
    let total_size = reader.i32(FieldName::TotalSize)?;
    let magic = reader.i32(FieldName::MagicCode)?;
    read_parts(reader, total_size, magic).map(|(record, _)| record)
}

/// Reads what follows the magic, and what the lengths add up to.
fn read_parts(mut reader: Reader<'_>, total_size: i32, magic: i32) -> Result<(Record<'_>, i64), DecodeError> {
    let body_crc = reader.i32(FieldName::BodyCrc)?;
    let queue_id = reader.i32(FieldName::QueueId)?;
    let flag = reader.i32(FieldName::Flag)?;
    let queue_offset = reader.i64(FieldName::QueueOffset)?;
    let physical_offset = reader.i64(FieldName::PhysicalOffset)?;
    let sys_flag = reader.i32(FieldName::SysFlag)?;
    let born_timestamp = reader.i64(FieldName::BornTimestamp)?;
    let born_host = host(&mut reader, FieldName::BornHost, sys_flag::born_host_len(sys_flag))?;
    let store_timestamp = reader.i64(FieldName::StoreTimestamp)?;
    let store_host = host(&mut reader, FieldName::StoreHost, sys_flag::store_host_len(sys_flag))?;
    let reconsume_times = reader.i32(FieldName::ReconsumeTimes)?;
    let prepared_transaction_offset = reader.i64(FieldName::PreparedTransactionOffset)?;
    let body_len = reader.i32(FieldName::BodyLength)?;
    let body = reader.take(FieldName::Body, body_len.max(0) as usize)?;
    let topic_position = reader.position();
    let topic_len = i32::from(reader.i8(FieldName::TopicLength)?);
    let topic_len_bytes = usize::try_from(topic_len).map_err(|_| {
        fault_at(topic_position, Cause::Length { field: FieldName::TopicLength, value: topic_len, total_size })
    })?;
    let topic = reader.take(FieldName::Topic, topic_len_bytes)?;
    let properties_len = i32::from(reader.i16(FieldName::PropertiesLength)?);
    let properties = reader.take(FieldName::Properties, properties_len.max(0) as usize)?;
    let read = record_len(sys_flag, body_len, topic_len, properties_len);
    let record = Record {
        total_size,
        magic,
        body_crc,
        queue_id,
        flag,
        queue_offset,
        physical_offset,
        sys_flag,
        born_timestamp,
        born_host,
        store_timestamp,
        store_host,
        reconsume_times,
        prepared_transaction_offset,
        body,
        topic: java::decode_utf8(topic),
        properties_text: java::decode_utf8(properties),
    };
    Ok((record, read))
}

fn host(reader: &mut Reader<'_>, field: FieldName, len: usize) -> Result<Host, DecodeError> {
    let short = reader.fault(Cause::Truncated { field, needed: len as u32, available: 0 });
    Host::from_bytes(reader.take(field, len)?).ok_or(short)
}
