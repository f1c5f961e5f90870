use std::net::IpAddr;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::message::delay::DelayLevels;
use crate::message::record::*;
use crate::message::{OffsetMsgId, UniqIdGenerator, java, near_time, sys_flag, uniq_id};

fn any_host() -> impl Strategy<Value = Host> {
    (any::<IpAddr>(), any::<i32>()).prop_map(|(ip, port)| Host { ip, port })
}

prop_compose! {
    fn any_message()(
        (topic, body, properties_text) in (".{0,20}", prop::collection::vec(any::<u8>(), 0..300), ".{0,200}"),
        (queue_id, flag, sys_flag, reconsume_times) in any::<(i32, i32, i32, i32)>(),
        (born_timestamp, prepared_transaction_offset) in any::<(i64, i64)>(),
        (born_host, store_host) in (any_host(), any_host()),
    ) -> Message {
        Message {
            topic, queue_id, flag, sys_flag, born_timestamp, born_host, store_host, reconsume_times,
            prepared_transaction_offset, body: body.into(), properties: Properties::parse(&properties_text),
            properties_text,
        }
    }
}

/// Bytes that go some way towards being a record: the worked one, cut and damaged.
fn damaged_record() -> impl Strategy<Value = Vec<u8>> {
    (any::<Index>(), prop::collection::vec((any::<Index>(), any::<u8>()), 0..6)).prop_map(|(cut, damage)| {
        let mut record = worked();
        for (index, byte) in damage {
            *index.get_mut(&mut record) = byte;
        }
        record.truncate(cut.index(record.len()) + 1);
        record
    })
}

fn read_all(bytes: &[u8]) -> Result<(), TestCaseError> {
    let levels = DelayLevels::parse("1s 5s").expect("levels");
    let decoded = decode(bytes);
    let checked = check(bytes, false, true, &levels);
    if let (Ok(record), Checked::Good(good)) = (&decoded, &checked) {
        prop_assert_eq!((record.total_size, &record.topic), (good.size, &good.topic));
        prop_assert_eq!(record.keys(), good.keys());
        let properties = record.properties();
        prop_assert_eq!(properties.get("KEYS"), good.keys(), "found without the map, as in the map");
        let _ = (record.offset_msg_id().to_string(), record.crc_matches());
    }
    prop_assert_eq!(decoded.is_ok(), matches!(checked, Checked::Good(_)), "what decodes passes the check and no more");
    let _ = check(bytes, true, false, &levels);
    let mut end = 0;
    for span in fields(bytes) {
        prop_assert_eq!(span.start, end, "no gap");
        end += span.len;
        prop_assert!(end as usize <= bytes.len());
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_message_comes_back(message in any_message(), offsets in any::<(i64, i64, i64)>()) {
        prop_assume!(message.topic.len() <= 127);
        let limits = Limits::default();
        let mut bytes = Vec::new();
        encode(&message, &limits, &mut bytes).expect("a small message");
        let len = encoded_len(&message, &limits).expect("a small message");
        let mut window = vec![0; bytes.len()];
        prop_assert_eq!(encode_into(&message, len, &mut window), Some(bytes.len()));
        prop_assert_eq!(&window, &bytes);

        patch(&mut bytes, offsets.0, offsets.1, offsets.2);
        let record = decode(&bytes).expect("a record");
        prop_assert_eq!((record.queue_offset, record.physical_offset, record.store_timestamp), offsets);
        prop_assert_eq!(record.sys_flag, sys_flag::with_hosts(message.sys_flag, &message.born_host, &message.store_host));
        prop_assert!(record.crc_matches());
        let back = Message {
            topic: record.topic.into_owned(),
            queue_id: record.queue_id,
            flag: record.flag,
            sys_flag: message.sys_flag,
            born_timestamp: record.born_timestamp,
            born_host: record.born_host,
            store_host: record.store_host,
            reconsume_times: record.reconsume_times,
            prepared_transaction_offset: record.prepared_transaction_offset,
            body: record.body.to_vec().into(),
            properties: message.properties.clone(),
            properties_text: record.properties_text.into_owned(),
        };
        prop_assert_eq!(back, message);
        let spans = fields(&bytes);
        prop_assert_eq!(spans.last().map(|span| (span.start + span.len) as usize), Some(bytes.len()));
        read_all(&bytes)?;
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_all(&bytes)?;
        let mut patched = bytes;
        patch(&mut patched, 1, 2, 3);
    }

    #[test]
    fn any_damaged_record_is_read_without_panic(bytes in damaged_record()) {
        read_all(&bytes)?;
    }

    #[test]
    fn any_text_is_read_without_panic(text in any::<String>(), now in any::<i64>()) {
        let _ = text.parse::<Host>();
        let _ = text.parse::<OffsetMsgId>();
        let _ = (near_time(&text, now), uniq_id::ip(&text), uniq_id::pid(&text));
        let _ = DelayLevels::parse(&text);
        let _ = Properties::parse(&text);
        let _ = java::split(&text, " ");
    }

    #[test]
    fn any_id_comes_back(host in any_host(), physical_offset in any::<i64>(), now in any::<i64>(), id in "[0-9a-fA-F]{32}|[0-9a-fA-F]{56}") {
        let offset_id = OffsetMsgId { host, physical_offset };
        prop_assert_eq!(offset_id.to_string().parse(), Ok(offset_id));
        prop_assert_eq!(host.to_string().parse(), Ok(host));
        let _ = near_time(&id, now);
        let mut ids = UniqIdGenerator::new(host.ip, 1, 2, now);
        prop_assert_eq!(uniq_id::ip(&ids.next(physical_offset)), Ok(host.ip));
    }

    #[test]
    fn any_bytes_become_text_as_java_has_it(bytes in prop::collection::vec(prop_oneof![0x20_u8..0x7F, 0x80_u8..=0xFF], 0..40)) {
        let text = java::decode_utf8(&bytes);
        match std::str::from_utf8(&bytes) {
            Ok(valid) => prop_assert_eq!(text, valid),
            Err(error) => {
                let valid = java::decode_utf8(&bytes[..error.valid_up_to()]);
                let replaced = text.strip_prefix(&*valid).is_some_and(|rest| rest.starts_with(char::REPLACEMENT_CHARACTER));
                prop_assert!(replaced);
            }
        }
    }
}
