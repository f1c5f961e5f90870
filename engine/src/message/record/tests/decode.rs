use std::borrow::Cow;

use super::*;
use crate::message::TransactionType;
use crate::message::record::*;

#[test]
fn worked_record() {
    let bytes = [worked(), worked()].concat();
    let record = decode(&bytes).expect("a record, and what follows is not looked at");
    let message = worked_message();
    assert_eq!((record.total_size, record.magic, record.body_crc), (199, MESSAGE_MAGIC, 1_774_740_973));
    assert_eq!((record.queue_id, record.flag, record.sys_flag), (3, 0, 0));
    assert_eq!((record.queue_offset, record.physical_offset), (7, 1024));
    assert_eq!((record.born_timestamp, record.store_timestamp), (1_700_000_000_000, 1_700_000_000_123));
    assert_eq!((record.born_host, record.store_host), (message.born_host, message.store_host));
    assert_eq!((record.reconsume_times, record.prepared_transaction_offset), (0, 0));
    assert_eq!(record.body, b"Hello RocketMQ");
    assert!(matches!(record.topic, Cow::Borrowed("TopicTest")));
    assert_eq!(record.properties_text, message.properties_text);
    assert_eq!(record.properties(), message.properties);
    assert_eq!(record.keys(), Some("k1 k2"));
    assert_eq!(record.tags(), Some("TagA"));
    assert_eq!(record.uniq_key(), Some("AC1100010A2C18B4AAC27D3F5A5D0000"));
    assert_eq!(record.offset_msg_id().to_string(), "0A00000100002A9F0000000000000400");
    assert_eq!(record.transaction_type(), TransactionType::Not);
    assert!(record.crc_matches());
}

#[test]
fn what_is_no_record() {
    let cause = |bytes: &[u8]| decode(bytes).expect_err("no record");
    assert_eq!(cause(&blank(100)), DecodeError { position: 4, cause: Cause::Blank });
    assert_eq!(cause(&[0; 200]), DecodeError { position: 4, cause: Cause::Magic { magic: 0 } });
    assert_eq!(
        cause(&with(worked(), 3, &[0xC8])),
        DecodeError { position: 0, cause: Cause::Size { total_size: 200, read: 199 } }
    );
    let expected = Cause::Length { field: FieldName::TopicLength, value: -1, total_size: 199 };
    assert_eq!(cause(&with(worked(), 102, &[0xFF])), DecodeError { position: 102, cause: expected });
    let bytes = worked();
    for len in 0..bytes.len() {
        assert!(matches!(cause(&bytes[..len]).cause, Cause::Truncated { .. }), "cut at {len}");
    }
    assert_eq!(cause(&bytes[..50]).to_string(), "at byte 48: BORNHOST needs 8 bytes, 2 are there");
    let flipped = with(worked(), 88, b"h");
    assert!(!decode(&flipped).expect("the CRC is not tested").crc_matches());
}

/// A negative body or properties length counts as none.
#[test]
fn negative_lengths_that_count_as_none() {
    let message = Message { topic: String::new(), body: "".into(), properties_text: String::new(), ..worked_message() };
    let record = with(with(encoded(&message), 84, &[0xFF; 4]), 89, &[0xFF; 2]);
    let read = decode(&record).expect("a record");
    assert_eq!((read.total_size, read.body, &*read.properties_text), (91, &b""[..], ""));
    assert_eq!(fields(&record).len(), 20);
}

fn shown(bytes: &[u8]) -> Vec<(FieldName, u32, u32, String)> {
    fields(bytes).into_iter().map(|span| (span.name, span.start, span.len, span.value)).collect()
}

#[test]
fn fields_of_the_worked_record() {
    use FieldName as F;
    let expected = [
        (F::TotalSize, 0, 4, "199"),
        (F::MagicCode, 4, 4, "0xDAA320A7"),
        (F::BodyCrc, 8, 4, "0x69C865ED"),
        (F::QueueId, 12, 4, "3"),
        (F::Flag, 16, 4, "0"),
        (F::QueueOffset, 20, 8, "7"),
        (F::PhysicalOffset, 28, 8, "1024"),
        (F::SysFlag, 36, 4, "0x0"),
        (F::BornTimestamp, 40, 8, "1700000000000"),
        (F::BornHost, 48, 8, "192.168.1.10:54321"),
        (F::StoreTimestamp, 56, 8, "1700000000123"),
        (F::StoreHost, 64, 8, "10.0.0.1:10911"),
        (F::ReconsumeTimes, 72, 4, "0"),
        (F::PreparedTransactionOffset, 76, 8, "0"),
        (F::BodyLength, 84, 4, "14"),
        (F::Body, 88, 14, "14 bytes"),
        (F::TopicLength, 102, 1, "9"),
        (F::Topic, 103, 9, "TopicTest"),
        (F::PropertiesLength, 112, 2, "85"),
        (F::Properties, 114, 85, worked_message().properties_text.leak()),
    ];
    let expected: Vec<_> = expected.map(|(name, start, len, value)| (name, start, len, value.to_owned())).into();
    assert_eq!(shown(&worked()), expected);
    for len in 0..199_u32 {
        let whole = expected.iter().take_while(|(_, start, field_len, _)| start + field_len <= len);
        assert_eq!(shown(&worked()[..len as usize]), whole.cloned().collect::<Vec<_>>(), "cut at {len}");
    }
}

#[test]
fn fields_of_other_records() {
    assert_eq!(
        shown(&[&blank(1000)[..], &[0; 92]].concat()),
        [(FieldName::TotalSize, 0, 4, "1000".to_owned()), (FieldName::MagicCode, 4, 4, "0xCBD43194".to_owned())]
    );
    let both_v6 = encoded(&Message { born_host: v6(), store_host: v6(), ..worked_message() });
    let spans = fields(&both_v6);
    let at = |name| spans.iter().find(|span| span.name == name).map(|span| (span.start, span.len, span.value.as_str()));
    assert_eq!(at(FieldName::SysFlag), Some((36, 4, "0x30")));
    assert_eq!(at(FieldName::BornHost), Some((48, 20, "[2001:db8::2]:10911")));
    assert_eq!(at(FieldName::StoreTimestamp), Some((68, 8, "0")));
    assert_eq!(at(FieldName::Properties).map(|(start, ..)| start), Some(138));
    assert_eq!(fields(&with(worked(), 4, &[0])).len(), 20, "a damaged magic hides nothing");
    assert_eq!(fields(&with(worked(), 102, &[0xFF])).last().map(|span| span.name), Some(FieldName::TopicLength));
    assert_eq!(
        serde_json::to_string(&FieldName::PreparedTransactionOffset).ok().as_deref(),
        Some("\"preparedTransactionOffset\"")
    );
}

/// A blank record at the start of an empty file, as a record longer than a whole file leaves it.
#[test]
fn what_only_the_unchecked_reader_takes() {
    let mut file = [0; 16384];
    file[..8].copy_from_slice(&blank(16384));
    let read = decode_unchecked(&file).expect("zeros are parts of no length");
    assert_eq!(read.offset_msg_id().to_string(), "0".repeat(32));
    assert_eq!((read.total_size, read.body, &*read.topic), (16384, &b""[..], ""));
    assert_eq!(decode(&file).expect_err("a blank record").cause, Cause::Blank);
    assert_eq!(decode_unchecked(&worked()), decode(&worked()));
}
