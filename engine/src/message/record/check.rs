//! The test of a record that recovery and dispatch go by.

use std::borrow::Cow;
use std::ops::Range;

use super::reader::{Reader, fault_at};
use super::{BLANK_MAGIC, Cause, DecodeError, FieldName, MESSAGE_MAGIC, body_crc, record_len};
use crate::message::delay::{DeliverTime, SCHEDULE_TOPIC};
use crate::message::properties::{find_value, find_values};
use crate::message::{TransactionType, java, property, sys_flag, tags};

/// What stands at a position of the commit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked<'a> {
    /// A blank record: the file ends here.
    Blank {
        /// What it says is left of the file, itself included.
        remaining: i32,
    },
    /// No record.
    Bad {
        /// Where and why.
        error: DecodeError,
        /// TOTALSIZE where only the sum of the lengths is wrong, so that dispatch steps over it; else -1.
        size: i32,
    },
    /// A message record, with what dispatch needs of it.
    Good(Dispatch<'a>),
}

/// What dispatch needs of a record (`DispatchRequest`). Texts are lent from the bytes wherever they can be; nothing is
/// allocated for a record whose topic and properties are well-formed UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch<'a> {
    /// TOTALSIZE of the record.
    pub size: i32,
    /// The topic that it is stored under.
    pub topic: Cow<'a, str>,
    /// Queue of the topic.
    pub queue_id: i32,
    /// Index of its unit in the ConsumeQueue, as the record says; nobody has tested it.
    pub queue_offset: i64,
    /// Its position in the commit log, as the record says; nobody has tested it.
    pub physical_offset: i64,
    /// Bits of [`sys_flag`].
    pub sys_flag: i32,
    /// When it was stored, milliseconds since the epoch.
    pub store_timestamp: i64,
    /// Physical offset of the half message that it commits.
    pub prepared_transaction_offset: i64,
    /// The unit's tags code: of the tags, or the time that a delayed message is due.
    pub tags_code: i64,
    /// The properties as they are stored.
    pub properties_text: Cow<'a, str>,
    /// Where the keys stand in the properties.
    keys: Option<Range<usize>>,
    /// Where the sender's own id stands in the properties.
    uniq_key: Option<Range<usize>>,
}

impl Dispatch<'_> {
    /// The keys to index, as one text.
    pub fn keys(&self) -> Option<&str> {
        self.properties_text.get(self.keys.clone()?)
    }

    /// The sender's own id, which is indexed too.
    pub fn uniq_key(&self) -> Option<&str> {
        self.properties_text.get(self.uniq_key.clone()?)
    }

    /// The value of one property, found without building the map.
    pub fn property(&self, name: &str) -> Option<&str> {
        find_value(&self.properties_text, name)
    }

    /// The transaction type in the sysFlag.
    pub fn transaction_type(&self) -> TransactionType {
        TransactionType::of(self.sys_flag)
    }
}

/// Tests the record at the beginning of `bytes`, the readable rest of a commit-log file
/// (`CommitLog.checkMessageAndReturnSize`).
///
/// The body is read only if `read_body`, and its CRC tested only if `check_crc` too. Queue offset and physical offset
/// are not tested. `delay` gives the due time of records in the schedule topic.
///
/// 4.9.8 copies every part into a buffer of TOTALSIZE bytes, so a part that is longer than TOTALSIZE fails at once,
/// while parts that merely do not add up to it fail at the end. (A TOTALSIZE beyond the heap ends its process with
/// `OutOfMemoryError`; here such a record is tested like any other.)
pub fn check<'a>(bytes: &'a [u8], check_crc: bool, read_body: bool, delay: &dyn DeliverTime) -> Checked<'a> {
    let body = if read_body { Body::Read { check_crc } } else { Body::Skipped };
    checked(bytes, body, delay)
}

/// [`check`] of a record whose body is left out of `bytes`: its fields up to the body's length, then what follows the
/// body. Who reads the record so has seen that the body is there, and need not copy it.
pub fn check_without_body<'a>(bytes: &'a [u8], delay: &dyn DeliverTime) -> Checked<'a> {
    checked(bytes, Body::LeftOut, delay)
}

/// What is done with the body.
#[derive(Clone, Copy)]
enum Body {
    Read { check_crc: bool },
    Skipped,
    LeftOut,
}

fn checked<'a>(bytes: &'a [u8], body: Body, delay: &dyn DeliverTime) -> Checked<'a> {
    match try_check(bytes, body, delay) {
        Ok(checked) => checked,
        Err(error) => {
            let size = match error.cause {
                Cause::Size { total_size, .. } => total_size,
                _ => -1,
            };
            Checked::Bad { error, size }
        }
    }
}

fn try_check<'a>(bytes: &'a [u8], body: Body, delay: &dyn DeliverTime) -> Result<Checked<'a>, DecodeError> {
    let mut reader = Reader::new(bytes);
    let total_size = reader.i32(FieldName::TotalSize)?;
    let magic_position = reader.position();
    let magic = reader.i32(FieldName::MagicCode)?;
    match magic {
        MESSAGE_MAGIC => {}
        BLANK_MAGIC => return Ok(Checked::Blank { remaining: total_size }),
        _ => return Err(fault_at(magic_position, Cause::Magic { magic })),
    }
    let mut parts = PartReader { reader, total_size };
    parts.limit(FieldName::TotalSize, total_size, 0)?;
    let body_crc = parts.reader.i32(FieldName::BodyCrc)?;
    let queue_id = parts.reader.i32(FieldName::QueueId)?;
    let _flag = parts.reader.i32(FieldName::Flag)?;
    let queue_offset = parts.reader.i64(FieldName::QueueOffset)?;
    let physical_offset = parts.reader.i64(FieldName::PhysicalOffset)?;
    let sys_flag = parts.reader.i32(FieldName::SysFlag)?;
    let _born_timestamp = parts.reader.i64(FieldName::BornTimestamp)?;
    parts.copy(FieldName::BornHost, sys_flag::born_host_len(sys_flag) as i32)?;
    let store_timestamp = parts.reader.i64(FieldName::StoreTimestamp)?;
    parts.copy(FieldName::StoreHost, sys_flag::store_host_len(sys_flag) as i32)?;
    let _reconsume_times = parts.reader.i32(FieldName::ReconsumeTimes)?;
    let prepared_transaction_offset = parts.reader.i64(FieldName::PreparedTransactionOffset)?;
    let body_len = parts.reader.i32(FieldName::BodyLength)?;
    if body_len > 0 {
        parts.body(body_len, body_crc, body)?;
    }
    let topic_len = i32::from(parts.reader.i8(FieldName::TopicLength)?);
    let topic = java::decode_utf8(parts.copy(FieldName::Topic, topic_len)?);
    let properties_len = i32::from(parts.reader.i16(FieldName::PropertiesLength)?);
    let properties_position = parts.reader.position();
    let properties_text = match properties_len {
        ..=0 => Cow::Borrowed(""),
        _ => java::decode_utf8(parts.copy(FieldName::Properties, properties_len)?),
    };
    let [tags, keys, uniq_key, level] =
        find_values(&properties_text, [property::TAGS, property::KEYS, property::UNIQ_KEY, property::DELAY]);
    let text = |range: Option<Range<usize>>| properties_text.get(range?);
    let tags_code = tags_code(&topic, text(tags), text(level), store_timestamp, delay)
        .map_err(|cause| fault_at(properties_position, cause))?;
    let read = record_len(sys_flag, body_len, topic_len, properties_len);
    if i64::from(total_size) != read {
        return Err(fault_at(0, Cause::Size { total_size, read }));
    }
    Ok(Checked::Good(Dispatch {
        size: total_size,
        topic,
        queue_id,
        queue_offset,
        physical_offset,
        sys_flag,
        store_timestamp,
        prepared_transaction_offset,
        tags_code,
        properties_text,
        keys,
        uniq_key,
    }))
}

/// Reads parts that must not be longer than the record.
struct PartReader<'a> {
    reader: Reader<'a>,
    total_size: i32,
}

impl<'a> PartReader<'a> {
    fn copy(&mut self, field: FieldName, len: i32) -> Result<&'a [u8], DecodeError> {
        self.limit(field, len, self.reader.position())?;
        self.reader.take(field, len as usize)
    }

    fn limit(&self, field: FieldName, len: i32, position: usize) -> Result<(), DecodeError> {
        if (0..=self.total_size).contains(&len) {
            return Ok(());
        }
        Err(fault_at(position, Cause::Length { field, value: len, total_size: self.total_size }))
    }

    fn body(&mut self, len: i32, stored: i32, body: Body) -> Result<(), DecodeError> {
        let check_crc = match body {
            Body::Read { check_crc } => check_crc,
            Body::Skipped => return self.reader.take(FieldName::Body, len as usize).map(drop),
            Body::LeftOut => return Ok(()),
        };
        let position = self.reader.position();
        let body = self.copy(FieldName::Body, len)?;
        if check_crc {
            let computed = body_crc(body);
            if computed != stored {
                return Err(fault_at(position, Cause::Crc { stored, computed }));
            }
        }
        Ok(())
    }
}

/// The tags code of a record's unit: a delayed message's due time comes before its tags.
fn tags_code(
    topic: &str,
    tags: Option<&str>,
    delay_level: Option<&str>,
    store_timestamp: i64,
    delay: &dyn DeliverTime,
) -> Result<i64, Cause> {
    if topic == SCHEDULE_TOPIC
        && let Some(level) = delay_level
    {
        let level = java::parse_int(level).ok_or_else(|| Cause::DelayLevel(level.to_owned()))?;
        if let Some(time) = delay.deliver_time(level, store_timestamp) {
            return Ok(time);
        }
    }
    Ok(tags::tags_code(tags))
}
