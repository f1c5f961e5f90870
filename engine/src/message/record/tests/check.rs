use std::borrow::Cow;

use super::*;
use crate::message::TransactionType;
use crate::message::delay::{DelayLevels, SCHEDULE_TOPIC};
use crate::message::record::*;

fn check_all(bytes: &[u8]) -> Checked<'_> {
    check(bytes, true, true, &DelayLevels::default())
}

fn good(bytes: &[u8]) -> Dispatch<'_> {
    match check_all(bytes) {
        Checked::Good(dispatch) => dispatch,
        other => panic!("{other:?}"),
    }
}

/// Position, cause and size of a bad record.
fn bad(bytes: &[u8]) -> (u32, Cause, i32) {
    match check_all(bytes) {
        Checked::Bad { error, size } => (error.position, error.cause, size),
        other => panic!("{other:?}"),
    }
}

#[test]
fn good_record() {
    let bytes = [worked(), b"what follows".to_vec()].concat();
    let dispatch = good(&bytes);
    assert!(matches!(dispatch.topic, Cow::Borrowed("TopicTest")), "lent, not copied");
    assert!(matches!(dispatch.properties_text, Cow::Borrowed(_)), "lent, not copied");
    assert_eq!((dispatch.size, dispatch.queue_id), (199, 3));
    assert_eq!((dispatch.queue_offset, dispatch.physical_offset), (7, 1024));
    assert_eq!(dispatch.tags_code, 2_598_919);
    assert_eq!(dispatch.keys(), Some("k1 k2"));
    assert_eq!(dispatch.uniq_key(), Some("AC1100010A2C18B4AAC27D3F5A5D0000"));
    assert_eq!(dispatch.property("CLUSTER"), Some("DefaultCluster"));
    assert_eq!(dispatch.property("cluster"), None);
    assert_eq!(dispatch.store_timestamp, 1_700_000_000_123);
    assert_eq!((dispatch.sys_flag, dispatch.prepared_transaction_offset), (0, 0));
    assert_eq!(dispatch.transaction_type(), TransactionType::Not);
}

#[test]
fn blank() {
    let blank = super::super::blank(77);
    assert_eq!(check_all(&blank), Checked::Blank { remaining: 77 });
    assert_eq!(check_all(&super::super::blank(-77)), Checked::Blank { remaining: -77 }, "nobody looks at what it says");
}

#[test]
fn magic() {
    assert_eq!(bad(&[0; 100]), (4, Cause::Magic { magic: 0 }, -1));
    assert_eq!(bad(&with(worked(), 4, &[0xDA, 0xA3, 0x20, 0xA8])), (4, Cause::Magic { magic: MESSAGE_MAGIC + 1 }, -1));
}

/// Every cut of a record is bad, and names the field that is cut.
#[test]
fn truncated() {
    let bytes = worked();
    for len in 0..bytes.len() {
        let (position, cause, size) = bad(&bytes[..len]);
        let Cause::Truncated { needed, available, .. } = cause else { panic!("{cause:?} at {len}") };
        assert_eq!(size, -1);
        assert_eq!(position as usize + available as usize, len, "it names where the rest begins");
        assert!(available < needed);
    }
}

#[test]
fn crc() {
    let flipped = with(worked(), 88, b"h");
    let (position, cause, size) = bad(&flipped);
    assert_eq!((position, size), (88, -1));
    assert!(matches!(cause, Cause::Crc { stored: 1_774_740_973, .. }));
    let levels = DelayLevels::default();
    for (check_crc, read_body) in [(false, true), (false, false), (true, false)] {
        assert!(matches!(check(&flipped, check_crc, read_body, &levels), Checked::Good(_)), "not asked for");
    }
}

/// Lengths that do not add up: dispatch may step over the record.
#[test]
fn size_that_does_not_add_up() {
    for total_size in [198, 200, 0x7FFF_FFFF] {
        let record = [with(worked(), 0, &i32::to_be_bytes(total_size)), vec![0; 2]].concat();
        assert_eq!(bad(&record), (0, Cause::Size { total_size, read: 199 }, total_size));
    }
}

/// Lengths that are more than TOTALSIZE, or negative: Java fails when it copies the part.
#[test]
fn impossible_lengths() {
    let length = |field, value, total_size| Cause::Length { field, value, total_size };
    assert_eq!(bad(&with(worked(), 0, &[0xFF; 4])), (0, length(FieldName::TotalSize, -1, -1), -1));
    assert_eq!(bad(&with(worked(), 0, &[0, 0, 0, 7])), (48, length(FieldName::BornHost, 8, 7), -1));
    assert_eq!(bad(&with(worked(), 0, &[0, 0, 0, 13])), (88, length(FieldName::Body, 14, 13), -1));
    assert_eq!(bad(&with(worked(), 0, &[0, 0, 0, 84])), (114, length(FieldName::Properties, 85, 84), -1));
    assert_eq!(bad(&with(worked(), 84, &[0, 0, 1, 0])), (88, length(FieldName::Body, 256, 199), -1));
    assert_eq!(bad(&with(worked(), 102, &[0xFF])), (103, length(FieldName::Topic, -1, 199), -1));
    let unread = check(&with(worked(), 84, &[0x7F, 0xFF, 0xFF, 0xFF]), true, false, &DelayLevels::default()).size();
    assert_eq!(unread, -1, "a body that is only stepped over must be there too");
}

/// A negative body or properties length counts as none.
#[test]
fn negative_lengths_that_count_as_none() {
    let message = Message { topic: String::new(), body: "".into(), properties_text: String::new(), ..worked_message() };
    let empty = encoded(&message);
    assert_eq!(good(&with(empty.clone(), 84, &[0xFF; 4])).size, 91);
    assert_eq!(good(&with(empty.clone(), 89, &[0xFF; 2])).size, 91);
    assert_eq!(good(&empty).tags_code, 0);
}

fn delayed(topic: &str, level: &str) -> Vec<u8> {
    let properties_text = format!("DELAY\u{1}{level}\u{2}TAGS\u{1}TagA");
    let mut record = encoded(&Message { topic: topic.to_owned(), properties_text, ..worked_message() });
    patch(&mut record, 0, 0, 1_700_000_000_123);
    record
}

/// In the schedule topic the tags code is the due time, if the level is one.
#[test]
fn tags_code_of_delayed_records() {
    let levels = DelayLevels::parse("1s 5s 10s").expect("levels");
    let code = |topic, level| match check(&delayed(topic, level), true, true, &levels) {
        Checked::Good(dispatch) => Ok(dispatch.tags_code),
        Checked::Bad { error, size } => Err((error.cause, size)),
        Checked::Blank { .. } => panic!("a blank record"),
    };
    assert_eq!(code(SCHEDULE_TOPIC, "2"), Ok(1_700_000_005_123));
    assert_eq!(code(SCHEDULE_TOPIC, "99"), Ok(1_700_000_010_123), "the highest level");
    assert_eq!(code(SCHEDULE_TOPIC, "0"), Ok(2_598_919));
    assert_eq!(code(SCHEDULE_TOPIC, "-1"), Ok(2_598_919));
    assert_eq!(code("TopicTest", "2"), Ok(2_598_919), "delivered: the tags count again");
    assert_eq!(code(SCHEDULE_TOPIC, "two"), Err((Cause::DelayLevel("two".to_owned()), -1)));
    assert_eq!(code("TopicTest", "two"), Ok(2_598_919), "nobody parses it here");
    let before_load = delayed(SCHEDULE_TOPIC, "2");
    assert_eq!(good(&before_load).tags_code, 2_598_919, "no level is known before the schedule service is loaded");
}

/// Texts that are no UTF-8 are read as Java reads them.
#[test]
fn malformed_text() {
    let message = Message { properties_text: "TAGS\u{1}ab\u{2}KEYS\u{1}k".to_owned(), ..worked_message() };
    let record = with(encoded(&message), 103, b"\xFF");
    let record = with(record, 103 + 9 + 2 + 5, b"\xC0\xC1");
    let dispatch = good(&record);
    assert_eq!(dispatch.topic, "\u{FFFD}opicTest");
    assert_eq!(dispatch.keys(), Some("k"));
    assert_eq!(dispatch.property("TAGS"), Some("\u{FFFD}\u{FFFD}"));
    assert_eq!(dispatch.tags_code, 0xFFFD * 31 + 0xFFFD);
}

#[test]
fn properties_without_what_is_asked_for() {
    let properties_text = "TAGS\u{1}\u{2}KEYS\u{1}a\u{2}KEYS\u{1}b".to_owned();
    let record = encoded(&Message { properties_text, ..worked_message() });
    let dispatch = good(&record);
    assert_eq!((dispatch.tags_code, dispatch.uniq_key()), (0, None));
    assert_eq!(dispatch.keys(), Some("b"), "the last counts");
}

impl Checked<'_> {
    fn size(&self) -> i32 {
        match self {
            Self::Blank { .. } => 0,
            Self::Bad { size, .. } => *size,
            Self::Good(dispatch) => dispatch.size,
        }
    }
}

/// The same record with its 14 bytes of body left out.
#[test]
fn without_body() {
    let whole = worked();
    let bytes = [&whole[..88], &whole[102..]].concat();
    let levels = DelayLevels::default();
    assert_eq!(check_without_body(&bytes, &levels), check_all(&whole));
    assert_eq!(check_without_body(&super::super::blank(77), &levels), Checked::Blank { remaining: 77 });
    let long = with(bytes, 3, &[0xC8]);
    assert!(matches!(check_without_body(&long, &levels), Checked::Bad { size: 200, .. }));
}
