use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::message::offset_msg_id::read_hex;
use crate::message::record;

fn entry(flag: i32, body: &str, properties: &str) -> BatchEntry {
    let properties_text = properties.replace('=', "\u{1}").replace('|', "\u{2}");
    BatchEntry { flag, body: Bytes::copy_from_slice(body.as_bytes()), properties_text }
}

fn batch(entries: &[BatchEntry], properties: &[(&str, &str)]) -> MessageBatch {
    MessageBatch {
        topic: "Bt".to_owned(),
        queue_id: 1,
        sys_flag: 0,
        born_timestamp: 1_700_000_000_000,
        born_host: Host::new([10, 1, 2, 3], 54321),
        store_host: Host::new([10, 0, 0, 1], 10911),
        reconsume_times: 0,
        properties: properties.iter().copied().collect(),
        body: encode_client(entries).expect("entries within limits").into(),
    }
}

/// The stored properties of each record of the batch, in the format sheet's writing.
fn stored_properties(batch: &MessageBatch) -> Vec<String> {
    let records = expand(batch, &Limits::default()).expect("a batch within limits");
    let mut rest = records.bytes.as_slice();
    let mut texts = Vec::new();
    for size in records.sizes {
        let (bytes, tail) = rest.split_at(size as usize);
        let record = record::decode(bytes).expect("a record");
        texts.push(record.properties_text.replace('\u{1}', "=").replace('\u{2}', "|"));
        rest = tail;
    }
    assert!(rest.is_empty());
    texts
}

#[test]
fn client_encoding() {
    let body = encode_client(&[entry(7, "hi", "a=b"), entry(-1, "", "")]).expect("two entries");
    let bytes = "0000001B 00000000 00000000 00000007 00000002 6869 0003 610162
                 00000016 00000000 00000000 FFFFFFFF 00000000      0000";
    let bytes: String = bytes.split_whitespace().collect();
    assert_eq!(body, read_hex(&bytes).expect("hex"));
    assert_eq!(decode_client(&body.into()), Ok(vec![entry(7, "hi", "a=b"), entry(-1, "", "")]));
}

#[test]
fn separator_only_between_two_parts() {
    let cluster = [("CLUSTER", "c"), ("WAIT", "true")];
    let entries = [entry(0, "x", "WAIT=true|TAGS=t"), entry(0, "x", "WAIT=true|"), entry(0, "x", "")];
    assert_eq!(
        stored_properties(&batch(&entries, &cluster)),
        ["WAIT=true|TAGS=t|CLUSTER=c|WAIT=true", "WAIT=true|CLUSTER=c|WAIT=true", "CLUSTER=c|WAIT=true"]
    );
    assert_eq!(stored_properties(&batch(&entries, &[])), ["WAIT=true|TAGS=t", "WAIT=true|", ""]);
}

#[test]
fn limits() {
    let long = "v".repeat(32766);
    let too_long = BatchEntry { properties_text: format!("k\u{1}{long}"), ..entry(0, "x", "") };
    assert_eq!(encode_client(&[too_long]), Err(BatchError::PropertiesSizeExceeded(32768)));
    let with_long = batch(&[entry(0, "x", "")], &[("k", &long)]);
    assert_eq!(expand(&with_long, &Limits::default()), Err(BatchError::PropertiesSizeExceeded(32768)));
    let whole = batch(&[entry(0, "x", "")], &[]);
    let limit = |max_message_size| Limits { max_message_size };
    assert!(expand(&whole, &limit(23)).is_ok());
    let error = BatchError::BodySizeExceeded { len: 23, max_message_size: 22 };
    assert_eq!(expand(&whole, &limit(22)), Err(error));
    assert!(matches!(expand(&whole, &limit(-1)), Err(BatchError::BodySizeExceeded { .. })));
}

/// Two parts of 20000 bytes make 40001 with the separator: TOTALSIZE counts them all, the length field is cut to 16
/// bits (40001 - 65536 = -25535), and the record is one that no check accepts.
#[test]
fn properties_length_is_cut() {
    let own = BatchEntry { properties_text: format!("k\u{1}{}", "v".repeat(19998)), ..entry(0, "x", "") };
    let records = expand(&batch(&[own], &[("K", &"v".repeat(19998))]), &Limits::default()).expect("no test of it");
    assert_eq!(records.sizes, [91 + 1 + 2 + 40001]);
    assert_eq!(records.bytes.get(92..94), Some(&(-25535_i16).to_be_bytes()[..]));
    assert!(record::decode(&records.bytes).is_err());
}

#[test]
fn malformed_entries() {
    let whole = encode_client(&[entry(0, "one", "a=b"), entry(0, "two", "")]).expect("two entries");
    let first_len = 22 + 3 + 3;
    for cut in 1..whole.len() {
        let position = if cut < first_len { 0 } else { first_len };
        let body = Bytes::copy_from_slice(&whole[..cut]);
        let expected = if cut == first_len { Ok(1) } else { Err(BatchError::Malformed { position }) };
        assert_eq!(decode_client(&body).map(|entries| entries.len()), expected, "cut at {cut}");
    }
    for (position, value) in [(16, [0xFF; 4]), (22, [0xFF; 4])] {
        let mut body = whole.clone();
        body[position..position + 4].copy_from_slice(&value);
        let batch = MessageBatch { body: body.into(), ..batch(&[], &[]) };
        assert_eq!(expand(&batch, &Limits::default()), Err(BatchError::Malformed { position: 0 }), "negative length");
    }
}

/// Batches that the real 4.9.8 stored, and the bytes it stored them as.
#[test]
fn as_stored_by_rocketmq() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../testdata/batches.json")).expect("JSON");
    for case in &cases {
        let text = |value: &Value| value.as_str().expect("a string").to_owned();
        let number = |name: &str| case[name].as_i64().expect("a number");
        let host = |ip: &str, port: &str| {
            Host::new(text(&case[ip]).parse::<std::net::IpAddr>().expect("an IP"), number(port) as i32)
        };
        let entries: Vec<_> = case["entries"].as_array().expect("entries").iter().collect();
        let entries: Vec<_> = entries
            .iter()
            .map(|entry| BatchEntry {
                flag: entry["flag"].as_i64().expect("a flag") as i32,
                body: text(&entry["body"]).into(),
                properties_text: text(&entry["propertiesString"]),
            })
            .collect();
        let body = read_hex(&text(&case["body"])).expect("hex");
        assert_eq!(encode_client(&entries).expect("entries"), body);
        let properties = case["batchProperties"].as_object().expect("a map");
        let batch = MessageBatch {
            topic: text(&case["topic"]),
            queue_id: number("queueId") as i32,
            sys_flag: number("sysFlag") as i32,
            born_timestamp: number("bornTimestamp"),
            born_host: host("bornHost", "bornPort"),
            store_host: host("storeHost", "storePort"),
            reconsume_times: number("reconsumeTimes") as i32,
            properties: properties.iter().map(|(name, value)| (name.as_str(), text(value))).collect(),
            body: body.into(),
        };
        let mut records = expand(&batch, &Limits::default()).expect("a batch that was stored");
        let (mut rest, mut queue_offset, mut offset) =
            (records.bytes.as_mut_slice(), number("queueOffset"), number("wroteOffset"));
        for size in &records.sizes {
            let (bytes, tail) = rest.split_at_mut(*size as usize);
            record::patch(bytes, queue_offset, offset, number("storeTimestamp"));
            (rest, queue_offset, offset) = (tail, queue_offset + 1, offset + i64::from(*size));
        }
        assert_eq!(records.bytes, read_hex(&text(&case["records"])).expect("hex"));
    }
    assert_eq!(cases.len(), 6);
}

proptest! {
    #[test]
    fn any_bytes_are_expanded_without_panic(body in prop::collection::vec(prop_oneof![Just(0), 0_u8..8, any::<u8>()], 0..300)) {
        let batch = MessageBatch { body: body.into(), ..batch(&[], &[("a", "b")]) };
        let entries = decode_client(&batch.body);
        let records = expand(&batch, &Limits::default());
        prop_assert_eq!(entries.map(|entries| entries.len()), records.map(|records| records.sizes.len()));
    }

    #[test]
    fn any_entries_survive(entries in prop::collection::vec((any::<i32>(), prop::collection::vec(any::<u8>(), 0..40), ".{0,20}"), 0..6)) {
        let entries: Vec<_> = entries
            .into_iter()
            .map(|(flag, body, properties_text)| BatchEntry { flag, body: body.into(), properties_text })
            .collect();
        let body = encode_client(&entries).expect("short entries");
        prop_assert_eq!(decode_client(&body.into()), Ok(entries));
    }
}
