//! The fields of each kind of file, with their places.

use super::{Field, HexOwner, HexSpan};
use crate::message::record::{self, FieldName};
use crate::store::IndexHeader;
use crate::store::inspect::{IndexReader, PlacedUnit, UnitTarget};
use crate::store::{IndexEntry, is_ext_address};
use crate::view::store::FieldPicture;

/// Characters of a value that are shown.
const VALUE_LIMIT: usize = 256;

impl From<FieldName> for Field {
    fn from(name: FieldName) -> Self {
        match name {
            FieldName::TotalSize => Self::TotalSize,
            FieldName::MagicCode => Self::MagicCode,
            FieldName::BodyCrc => Self::BodyCrc,
            FieldName::QueueId => Self::QueueId,
            FieldName::Flag => Self::Flag,
            FieldName::QueueOffset => Self::QueueOffset,
            FieldName::PhysicalOffset => Self::PhysicalOffset,
            FieldName::SysFlag => Self::SysFlag,
            FieldName::BornTimestamp => Self::BornTimestamp,
            FieldName::BornHost => Self::BornHost,
            FieldName::StoreTimestamp => Self::StoreTimestamp,
            FieldName::StoreHost => Self::StoreHost,
            FieldName::ReconsumeTimes => Self::ReconsumeTimes,
            FieldName::PreparedTransactionOffset => Self::PreparedTransactionOffset,
            FieldName::BodyLength => Self::BodyLength,
            FieldName::Body => Self::Body,
            FieldName::TopicLength => Self::TopicLength,
            FieldName::Topic => Self::Topic,
            FieldName::PropertiesLength => Self::PropertiesLength,
            FieldName::Properties => Self::Properties,
        }
    }
}

/// The fields of the record that lies at `position` of its file.
pub(in crate::view::store) fn record_fields(bytes: &[u8], position: u64) -> Vec<FieldPicture> {
    let picture = |span: record::FieldSpan| FieldPicture {
        field: span.name.into(),
        start: position + u64::from(span.start),
        len: span.len.into(),
        value: shortened(span.value),
    };
    record::fields(bytes).into_iter().map(picture).collect()
}

/// The same as spans of an owner; fields without bytes are left out.
pub(super) fn record_spans(bytes: &[u8], position: u64, owner: &HexOwner) -> Vec<HexSpan> {
    let fields = record_fields(bytes, position).into_iter().filter(|field| field.len > 0);
    fields
        .map(|field| HexSpan {
            start: field.start,
            len: field.len,
            field: field.field,
            owner: owner.clone(),
            value: field.value,
        })
        .collect()
}

/// Fields that lie one behind the other.
pub(super) fn row(
    position: u64,
    owner: &HexOwner,
    fields: impl IntoIterator<Item = (Field, u64, String)>,
) -> Vec<HexSpan> {
    let mut start = position;
    let mut spans = Vec::new();
    for (field, len, value) in fields {
        spans.push(HexSpan { start, len, field, owner: owner.clone(), value });
        start += len;
    }
    spans
}

/// A blank record: what it says is left, and its magic.
pub(super) fn blank_spans(position: u64, physical_offset: i64, remaining: i32) -> Vec<HexSpan> {
    let owner = HexOwner::Blank { physical_offset, remaining };
    let magic = format!("0x{:08X}", record::BLANK_MAGIC);
    row(position, &owner, [(Field::BlankRemaining, 4, remaining.to_string()), (Field::MagicCode, 4, magic)])
}

/// A ConsumeQueue unit.
pub(super) fn unit_spans(placed: &PlacedUnit, target: UnitTarget) -> Vec<HexSpan> {
    let owner = HexOwner::Unit { queue_offset: placed.queue_offset, target };
    let unit = placed.unit;
    let tags = if is_ext_address(unit.tags_code) {
        format!("{} (ConsumeQueueExt)", unit.tags_code)
    } else {
        unit.tags_code.to_string()
    };
    let fields = [
        (Field::CommitLogOffset, 8, unit.physical_offset.to_string()),
        (Field::Size, 4, unit.size.to_string()),
        (Field::TagsCode, 8, tags),
    ];
    row(placed.position, &owner, fields)
}

/// The header of an index file.
pub(super) fn index_header_spans(header: &IndexHeader) -> Vec<HexSpan> {
    let fields = [
        (Field::BeginTimestamp, 8, header.begin_timestamp.to_string()),
        (Field::EndTimestamp, 8, header.end_timestamp.to_string()),
        (Field::BeginPhyOffset, 8, header.begin_phy_offset.to_string()),
        (Field::EndPhyOffset, 8, header.end_phy_offset.to_string()),
        (Field::HashSlotCount, 4, header.hash_slot_count.to_string()),
        (Field::IndexCount, 4, header.index_count.to_string()),
    ];
    row(0, &HexOwner::IndexHeader, fields)
}

/// An index entry.
pub(super) fn index_entry_spans<D: crate::disk::ReadAt + ?Sized>(
    reader: &IndexReader<'_, D>,
    index: i32,
    entry: &IndexEntry,
) -> Vec<HexSpan> {
    let fields = [
        (Field::KeyHash, 4, entry.key_hash.to_string()),
        (Field::PhyOffset, 8, entry.phy_offset.to_string()),
        (Field::TimeDiff, 4, entry.time_diff.to_string()),
        (Field::PrevIndex, 4, entry.prev_index.to_string()),
    ];
    row(reader.entry_position(index), &HexOwner::IndexEntry { index }, fields)
}

/// A value that fits beside the bytes.
fn shortened(value: String) -> String {
    match value.char_indices().nth(VALUE_LIMIT) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value,
    }
}
