//! A record and what points at it.

use super::super::explorer::{Pictures, StoreViewError};
use super::super::hex::record_fields;
use super::body::body_picture;
use super::{Pointer, PropertyPicture, RecordPicture, RecordRow, TransactionKind};
use crate::disk::ReadAt;
use crate::message::record::{self, Record};
use crate::message::{OffsetMsgId, TransactionType, delay, java, property_segments, sys_flag, tags};
use crate::store::inspect::{
    Holder, HolderKind, IndexKey, IndexReader, LogReader, QueueReader, at_position, holder, record_before,
};

/// Bytes of the log read at a time.
const CHUNK: u64 = 64 * 1024;
/// Entries of an index chain that are looked through for a record.
const CHAIN_LIMIT: usize = 4096;

impl RecordRow {
    /// The row of a record that lies at `physical_offset`.
    pub fn of(record: &Record<'_>, physical_offset: i64) -> Self {
        Self {
            physical_offset,
            size: record.total_size,
            topic: record.topic.clone().into_owned(),
            queue_id: record.queue_id,
            queue_offset: record.queue_offset,
            flag: record.flag,
            sys_flag: record.sys_flag,
            body_crc: record.body_crc,
            body_length: i32::try_from(record.body.len()).unwrap_or(i32::MAX),
            born_timestamp: record.born_timestamp,
            born_host: record.born_host.to_string(),
            store_timestamp: record.store_timestamp,
            store_host: record.store_host.to_string(),
            reconsume_times: record.reconsume_times,
            prepared_transaction_offset: record.prepared_transaction_offset,
            properties_string: record.properties_text.clone().into_owned(),
            msg_id: OffsetMsgId { host: record.store_host, physical_offset }.to_string(),
        }
    }
}

impl From<TransactionType> for TransactionKind {
    fn from(kind: TransactionType) -> Self {
        match kind {
            TransactionType::Not => Self::Not,
            TransactionType::Prepared => Self::Prepared,
            TransactionType::Commit => Self::Commit,
            TransactionType::Rollback => Self::Rollback,
        }
    }
}

impl<D: ReadAt + ?Sized> Pictures<'_, D> {
    pub(in crate::view::store) fn record(&self, physical_offset: i64) -> Result<Option<RecordPicture>, StoreViewError> {
        let mut log = LogReader::new(self.disk, &self.files.commit_log, CHUNK);
        let Some((segment, position)) = log.locate(physical_offset) else { return Ok(None) };
        let found = holder(&mut log, self.map, segment, position)?;
        let Some(mut found) = found.filter(|found| matches!(found.kind, HolderKind::Record | HolderKind::Bad)) else {
            return Ok(None);
        };
        let Some(record) = log.record(segment, found.position)? else { return Ok(None) };
        found.len = u64::try_from(record.total_size).unwrap_or(0);
        if position.saturating_sub(found.position) >= found.len {
            return Ok(None);
        }
        let previous = record_before(&mut log, self.map, segment, found.position)?;
        let previous = previous.map(|before| before.physical_offset(log.segments()));
        let next = next_record(&mut log, &found)?;
        let Some(file) = log.segments().get(segment) else { return Ok(None) };
        let physical_offset = found.physical_offset(log.segments());
        let Some(record) = log.record(segment, found.position)? else { return Ok(None) };
        let keys: Vec<String> = record
            .keys()
            .map(|keys| java::split(keys, " "))
            .unwrap_or_default()
            .into_iter()
            .filter(|key| !key.is_empty())
            .map(str::to_owned)
            .collect();
        let uniq_key = record.uniq_key().map(str::to_owned);
        let row = RecordRow::of(&record, physical_offset);
        let mut picture = RecordPicture {
            file: file.path.clone(),
            position: found.position,
            row,
            fields: Vec::new(),
            sys_flags: sys_flag_names(record.sys_flag),
            transaction: record.transaction_type().into(),
            physical_offset_field: record.physical_offset,
            computed_crc: record::body_crc(record.body),
            properties: property_segments(&record.properties_text)
                .map(|(name, value)| PropertyPicture { name: name.to_owned(), value: value.to_owned() })
                .collect(),
            tags_code: tags::tags_code(record.tags()),
            uniq_key,
            keys,
            body: body_picture(record.sys_flag, record.body),
            pointers: Vec::new(),
            previous,
            next,
        };
        let bytes = log.bytes(segment, found.position, found.len)?;
        picture.fields = record_fields(bytes, found.position);
        picture.pointers = self.pointers(&mut picture)?;
        Ok(Some(picture))
    }

    /// What points at a record; the tags code becomes that of its unit where it has one.
    fn pointers(&self, picture: &mut RecordPicture) -> Result<Vec<Pointer>, StoreViewError> {
        let row = &picture.row;
        let mut pointers = Vec::new();
        if let Some(segments) = self.files.queues.get(&(row.topic.clone(), row.queue_id)) {
            let queue = QueueReader::new(self.disk, segments);
            let own = queue.unit(row.queue_offset)?;
            let own = own.filter(|unit| unit.unit.physical_offset == row.physical_offset && unit.unit.is_valid());
            let unit = match own.filter(|unit| !unit.is_filler()) {
                Some(unit) => Some(unit),
                None => queue.find(row.physical_offset, queue.max_offset()?)?,
            };
            if let Some((unit, file)) = unit.and_then(|unit| Some((unit, segments.get(unit.segment)?))) {
                if row.topic == delay::SCHEDULE_TOPIC {
                    picture.tags_code = unit.unit.tags_code;
                }
                pointers.push(Pointer::Unit {
                    topic: row.topic.clone(),
                    queue_id: row.queue_id,
                    queue_offset: unit.queue_offset,
                    file: file.path.clone(),
                    position: unit.position,
                });
            }
        }
        for path in &self.files.index {
            let reader = IndexReader::new(self.disk, path, self.layout);
            let header = reader.header()?;
            if !(header.begin_phy_offset..=header.end_phy_offset).contains(&row.physical_offset) {
                continue;
            }
            let mut keys: Vec<&str> = picture.uniq_key.iter().chain(&picture.keys).map(String::as_str).collect();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                let hash = IndexKey::new(&row.topic, key).hash();
                let chain = reader.chain(&header, hash, CHAIN_LIMIT)?;
                let here = chain
                    .entries
                    .iter()
                    .filter(|(_, entry)| entry.key_hash == hash && entry.phy_offset == row.physical_offset);
                pointers.extend(here.map(|(index, _)| Pointer::Index {
                    file: path.path.clone(),
                    index: *index,
                    position: reader.entry_position(*index),
                    key: key.to_owned(),
                    slot: reader.slot_of(hash),
                }));
            }
        }
        Ok(pointers)
    }
}

/// Where the record after one begins, over a blank into the next file.
fn next_record<D: ReadAt + ?Sized>(log: &mut LogReader<'_, D>, found: &Holder) -> Result<Option<i64>, StoreViewError> {
    let mut next = at_position(log, found.segment, found.position.saturating_add(found.len))?;
    if matches!(next.kind, HolderKind::Blank | HolderKind::End) {
        next = at_position(log, found.segment + 1, 0)?;
    }
    Ok((next.kind == HolderKind::Record).then(|| next.physical_offset(log.segments())))
}

/// 4.9.8's names of the bits that are set (`MessageSysFlag`).
fn sys_flag_names(flag: i32) -> Vec<String> {
    let bits = [
        (sys_flag::COMPRESSED, "COMPRESSED_FLAG"),
        (sys_flag::MULTI_TAGS, "MULTI_TAGS_FLAG"),
        (sys_flag::BORNHOST_V6, "BORNHOST_V6_FLAG"),
        (sys_flag::STOREHOSTADDRESS_V6, "STOREHOSTADDRESS_V6_FLAG"),
        (sys_flag::NEED_UNWRAP, "NEED_UNWRAP_FLAG"),
        (sys_flag::INNER_BATCH, "INNER_BATCH_FLAG"),
    ];
    let mut names: Vec<&str> = bits.iter().filter(|(bit, _)| flag & bit != 0).map(|(_, name)| *name).collect();
    match TransactionType::of(flag) {
        TransactionType::Not => {}
        TransactionType::Prepared => names.push("TRANSACTION_PREPARED_TYPE"),
        TransactionType::Commit => names.push("TRANSACTION_COMMIT_TYPE"),
        TransactionType::Rollback => names.push("TRANSACTION_ROLLBACK_TYPE"),
    }
    match flag & sys_flag::COMPRESSION_MASK {
        sys_flag::COMPRESSION_LZ4 => names.push("COMPRESSION_LZ4_TYPE"),
        sys_flag::COMPRESSION_ZSTD => names.push("COMPRESSION_ZSTD_TYPE"),
        sys_flag::COMPRESSION_ZLIB => names.push("COMPRESSION_ZLIB_TYPE"),
        _ => {}
    }
    names.into_iter().map(str::to_owned).collect()
}
