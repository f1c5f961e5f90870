//! Where each field of a record lies, for pictures of its bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::reader::Reader;
use super::{BLANK_MAGIC, DecodeError};
use crate::message::{Host, java, sys_flag};

/// A field of the commit-log record. Lengths of variable parts are fields of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the record's own, described in the table of the module")]
pub enum FieldName {
    TotalSize,
    MagicCode,
    BodyCrc,
    QueueId,
    Flag,
    QueueOffset,
    PhysicalOffset,
    SysFlag,
    BornTimestamp,
    BornHost,
    StoreTimestamp,
    StoreHost,
    ReconsumeTimes,
    PreparedTransactionOffset,
    BodyLength,
    Body,
    TopicLength,
    Topic,
    PropertiesLength,
    Properties,
}

impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TotalSize => "TOTALSIZE",
            Self::MagicCode => "MAGICCODE",
            Self::BodyCrc => "BODYCRC",
            Self::QueueId => "QUEUEID",
            Self::Flag => "FLAG",
            Self::QueueOffset => "QUEUEOFFSET",
            Self::PhysicalOffset => "PHYSICALOFFSET",
            Self::SysFlag => "SYSFLAG",
            Self::BornTimestamp => "BORNTIMESTAMP",
            Self::BornHost => "BORNHOST",
            Self::StoreTimestamp => "STORETIMESTAMP",
            Self::StoreHost => "STOREHOSTADDRESS",
            Self::ReconsumeTimes => "RECONSUMETIMES",
            Self::PreparedTransactionOffset => "PREPARED TRANSACTION OFFSET",
            Self::BodyLength => "BODY length",
            Self::Body => "BODY",
            Self::TopicLength => "TOPIC length",
            Self::Topic => "TOPIC",
            Self::PropertiesLength => "PROPERTIES length",
            Self::Properties => "PROPERTIES",
        })
    }
}

/// A field's place in a record and its value in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSpan {
    /// Which field.
    pub name: FieldName,
    /// Its first byte, counted from the record's.
    pub start: u32,
    /// Its length in bytes, which can be 0 for body, topic and properties.
    pub len: u32,
    /// Its value: numbers in decimal (codes and flags in hex), hosts as `ip:port`, texts as they are, the body as its
    /// length.
    pub value: String,
}

/// The fields of the record at the beginning of `bytes`: as many as the bytes hold whole. The magic is not tested, so
/// that a record whose magic was damaged still shows its fields; a blank record has the first two only. A body or
/// properties length below zero counts as none, a topic length below zero ends the list.
pub fn fields(bytes: &[u8]) -> Vec<FieldSpan> {
    let mut spans = Spans { reader: Reader::new(bytes), spans: Vec::with_capacity(20) };
    // Running out of bytes is how the list ends.
    let _ = spans.read();
    spans.spans
}

struct Spans<'a> {
    reader: Reader<'a>,
    spans: Vec<FieldSpan>,
}

impl<'a> Spans<'a> {
    fn read(&mut self) -> Result<(), DecodeError> {
        use FieldName as F;
        self.i32(F::TotalSize)?;
        if self.hex(F::MagicCode)? == BLANK_MAGIC {
            return Ok(());
        }
        self.hex(F::BodyCrc)?;
        self.i32(F::QueueId)?;
        self.i32(F::Flag)?;
        self.i64(F::QueueOffset)?;
        self.i64(F::PhysicalOffset)?;
        let sys_flag = self.field(F::SysFlag, Reader::i32, |value| format!("0x{value:X}"))?;
        self.i64(F::BornTimestamp)?;
        self.host(F::BornHost, sys_flag::born_host_len(sys_flag))?;
        self.i64(F::StoreTimestamp)?;
        self.host(F::StoreHost, sys_flag::store_host_len(sys_flag))?;
        self.i32(F::ReconsumeTimes)?;
        self.i64(F::PreparedTransactionOffset)?;
        let len = self.i32(F::BodyLength)?;
        self.part(F::Body, len.max(0), |body| format!("{} bytes", body.len()))?;
        let len = self.field(F::TopicLength, Reader::i8, ToString::to_string)?;
        self.part(F::Topic, len.into(), text)?;
        let len = self.field(F::PropertiesLength, Reader::i16, ToString::to_string)?;
        self.part(F::Properties, len.max(0).into(), text)
    }

    fn i32(&mut self, name: FieldName) -> Result<i32, DecodeError> {
        self.field(name, Reader::i32, ToString::to_string)
    }

    fn hex(&mut self, name: FieldName) -> Result<i32, DecodeError> {
        self.field(name, Reader::i32, |value| format!("0x{value:08X}"))
    }

    fn i64(&mut self, name: FieldName) -> Result<i64, DecodeError> {
        self.field(name, Reader::i64, ToString::to_string)
    }

    fn host(&mut self, name: FieldName, len: usize) -> Result<(), DecodeError> {
        let shown = |bytes: &&[u8]| Host::from_bytes(bytes).map(|host| host.to_string()).unwrap_or_default();
        self.field(name, |reader, field| reader.take(field, len), shown).map(drop)
    }

    fn part(&mut self, name: FieldName, len: i32, show: impl Fn(&[u8]) -> String) -> Result<(), DecodeError> {
        match usize::try_from(len) {
            Ok(len) => self.field(name, |reader, field| reader.take(field, len), |bytes| show(bytes)).map(drop),
            Err(_) => self.reader.take(name, usize::MAX).map(drop),
        }
    }

    fn field<T>(
        &mut self,
        name: FieldName,
        read: impl FnOnce(&mut Reader<'a>, FieldName) -> Result<T, DecodeError>,
        show: impl FnOnce(&T) -> String,
    ) -> Result<T, DecodeError> {
        let start = self.reader.position();
        let value = read(&mut self.reader, name)?;
        let len = (self.reader.position() - start) as u32;
        self.spans.push(FieldSpan { name, start: start as u32, len, value: show(&value) });
        Ok(value)
    }
}

fn text(bytes: &[u8]) -> String {
    java::decode_utf8(bytes).into_owned()
}
