//! The recorded calls, made on a store of ours.

use rocketscope_engine::disk::Disk;
use rocketscope_engine::message::{Host, OffsetMsgId, java, record, sys_flag};
use rocketscope_engine::store::{MessageFilter, Selected, Store};

use super::diff::Report;
use super::expected::{GetMessage, IndexQuery, LookMessage, OffsetByTime};
use super::filter::TagFilter;

/// Every `getMessage` again.
pub fn get_messages<D: Disk>(report: &mut Report, store: &mut Store<D>, what: &str, calls: &[GetMessage]) {
    for (index, call) in calls.iter().enumerate() {
        let call_text = format!("{}-{} offset {} max {}", call.topic, call.queue_id, call.offset, call.max_msg_nums);
        let filter_text = call.subscription.as_deref().unwrap_or("no filter");
        let place = format!("{what}[{index}] ({call_text}, {filter_text})");
        let filter = call.subscription.as_deref().map(TagFilter::new);
        let filter = filter.as_ref().map(|filter| filter as &dyn MessageFilter);
        let result = store.get_message("golden", &call.topic, call.queue_id, call.offset, call.max_msg_nums, filter);
        let Some(result) = result else {
            report.add(format!("{place}: no answer, the store does not take reads"));
            continue;
        };
        let read =
            |message: &Selected| store.read(message.physical_offset, message.size).and_then(|bytes| of_record(&bytes));
        let actual = GetMessage {
            status: result.status.name().to_owned(),
            next_begin_offset: result.next_begin_offset,
            min_offset: result.min_offset,
            max_offset: result.max_offset,
            message_count: result.selected.len() as i64,
            buffer_total_size: result.buffer_total_size.into(),
            messages: result.selected.iter().filter_map(read).collect(),
            ..call.clone()
        };
        report.compare(&place, call, &actual);
    }
}

/// Every query by key again.
pub fn index_queries<D: Disk>(report: &mut Report, store: &Store<D>, what: &str, calls: &[IndexQuery]) {
    for (index, call) in calls.iter().enumerate() {
        let offsets = store.query_offset(&call.topic, &call.key, call.max_num, call.begin, call.end);
        let messages = store.query_message(&call.topic, &call.key, call.max_num, call.begin, call.end);
        let actual = IndexQuery {
            key_hash: key_hash(&call.topic, &call.key),
            query_offset: offsets.phy_offsets,
            index_last_update_timestamp: offsets.index_last_update_timestamp,
            index_last_update_phyoffset: offsets.index_last_update_phyoffset,
            query_message: messages.messages.iter().map(|message| message.physical_offset).collect(),
            ..call.clone()
        };
        let call_text = format!("{}#{} {}..{}", call.topic, call.key, call.begin, call.end);
        report.compare(&format!("{what}[{index}] ({call_text})"), call, &actual);
    }
}

/// Every search by time again. With one file for each queue its mtime does not matter.
pub fn offsets_by_time<D: Disk>(report: &mut Report, store: &mut Store<D>, what: &str, calls: &[OffsetByTime]) {
    for (index, call) in calls.iter().enumerate() {
        let mut actual = call.clone();
        match call.timestamp {
            Some(timestamp) => {
                actual.offset = Some(store.offset_in_queue_by_time(&call.topic, call.queue_id, timestamp));
            }
            None => {
                actual.earliest_message_time = Some(store.earliest_message_time(&call.topic, call.queue_id));
            }
        }
        report.compare(&format!("{what}[{index}] ({}-{})", call.topic, call.queue_id), call, &actual);
    }
}

/// Every read of a single record again.
pub fn look_messages<D: Disk>(report: &mut Report, store: &Store<D>, what: &str, calls: &[LookMessage]) {
    for (index, call) in calls.iter().enumerate() {
        let bytes = store.select_one_message(call.phy_offset);
        let id = bytes.as_deref().and_then(msg_id);
        let actual = LookMessage { msg_id_or_null: id.map(|id| id.to_string()), ..call.clone() };
        report.compare(&format!("{what}[{index}] (offset {})", call.phy_offset), call, &actual);
    }
}

/// Queue offset, physical offset and size as a record says them. That is what the recordings hold, and it shows when a
/// read of offset 0 falls on the first file of a log that no longer begins there.
fn of_record(bytes: &[u8]) -> Option<[i64; 3]> {
    let long = |at: usize| Some(i64::from_be_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let size = i32::from_be_bytes(bytes.get(..4)?.try_into().ok()?);
    Some([long(record::QUEUE_OFFSET_POSITION)?, long(record::PHYSICAL_OFFSET_POSITION)?, size.into()])
}

/// The msgId of what was found. Like 4.9.8 (`MessageDecoder.decode`) it does not ask for the magic of a message, so that
/// a blank record as long as its file has an id of zeros.
fn msg_id(bytes: &[u8]) -> Option<OffsetMsgId> {
    let int = |at: usize| Some(i32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let sys_flag = int(record::SYS_FLAG_POSITION)?;
    let host_at = record::store_timestamp_position(sys_flag) + 8;
    let host = bytes.get(host_at..host_at + sys_flag::store_host_len(sys_flag))?;
    let offset = record::PHYSICAL_OFFSET_POSITION;
    let physical_offset = i64::from_be_bytes(bytes.get(offset..offset + 8)?.try_into().ok()?);
    Some(OffsetMsgId { host: Host::from_bytes(host)?, physical_offset })
}

/// The hash that the index keeps of a key (`IndexFile.indexKeyHashMethod`).
fn key_hash(topic: &str, key: &str) -> i32 {
    java::string_hash(&format!("{topic}#{key}")).checked_abs().unwrap_or(0)
}
