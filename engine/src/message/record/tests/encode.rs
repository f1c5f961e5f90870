use super::*;
use crate::message::record::*;
use crate::message::sys_flag;

#[test]
fn worked_record() {
    let mut out = vec![0xEE];
    encode(&worked_message(), &Limits::default(), &mut out).expect("a small message");
    assert_eq!(out.first(), Some(&0xEE), "it is appended");
    let record = &mut out[1..];
    assert_eq!(record.len(), 0xC7);
    patch(record, 7, 1024, 1_700_000_000_123);
    assert_eq!(record, worked());
}

#[test]
fn worked_record_in_place() {
    let message = worked_message();
    let len = encoded_len(&message, &Limits::default()).expect("a small message");
    assert_eq!(len, 199);
    let mut window = [0xEE; 200];
    assert_eq!(encode_into(&message, len, &mut window), Some(199));
    patch(&mut window, 7, 1024, 1_700_000_000_123);
    assert_eq!(window[..199], worked());
    assert_eq!(window[199], 0xEE, "what is behind the record is left alone");
    let mut short = [0xEE; 198];
    assert_eq!(encode_into(&message, len, &mut short), None);
    assert_eq!(short, [0xEE; 198]);
    assert_eq!(encode_into(&message, -1, &mut window), None);
}

/// The check values of the CRC, and the body of the worked record.
#[test]
fn crc_values() {
    assert_eq!(body_crc(b""), 0);
    assert_eq!(body_crc(b"123456789"), 1_274_296_614);
    assert_eq!(body_crc(b"Hello RocketMQ"), 1_774_740_973);
}

#[test]
fn blank_record() {
    assert_eq!(blank(8), [0, 0, 0, 8, 0xCB, 0xD4, 0x31, 0x94]);
    assert_eq!(blank(-1), [0xFF, 0xFF, 0xFF, 0xFF, 0xCB, 0xD4, 0x31, 0x94]);
    assert_eq!((MESSAGE_MAGIC, BLANK_MAGIC), (-626_843_481, -875_286_124));
}

/// IPv6 hosts take 12 bytes more each and set their bits; the store timestamp moves with the born host.
#[test]
fn ipv6_hosts() {
    for (born_v6, store_v6, len, flag, store_timestamp) in [
        (false, false, 199, 0, 56),
        (true, false, 211, 0x10, 68),
        (false, true, 211, 0x20, 56),
        (true, true, 223, 0x30, 68),
    ] {
        let mut message = worked_message();
        message.sys_flag = sys_flag::BORNHOST_V6 | sys_flag::COMPRESSED; // the hosts say what the bits are
        if born_v6 {
            message.born_host = v6();
        }
        if store_v6 {
            message.store_host = v6();
        }
        let mut record = encoded(&message);
        assert_eq!(record.len(), len);
        assert_eq!(store_timestamp_position(flag), store_timestamp);
        patch(&mut record, 1, 2, 0x0102_0304_0506_0708);
        assert_eq!(record[store_timestamp..store_timestamp + 8], [1, 2, 3, 4, 5, 6, 7, 8]);
        let read = decode(&record).expect("a record");
        assert_eq!(read.sys_flag, flag | sys_flag::COMPRESSED);
        assert_eq!((read.born_host, read.store_host), (message.born_host, message.store_host));
        assert_eq!((read.queue_offset, read.physical_offset), (1, 2));
    }
}

#[test]
fn empty_parts() {
    let message = Message { topic: String::new(), body: "".into(), properties_text: String::new(), ..worked_message() };
    let record = encoded(&message);
    assert_eq!(record.len(), MIN_LEN as usize);
    let read = decode(&record).expect("a record");
    assert_eq!((read.body_crc, read.body, &*read.topic, &*read.properties_text), (0, &b""[..], "", ""));
}

/// Size limits in their order: properties in bytes, then body, then the whole record.
#[test]
fn limits() {
    let limits = Limits { max_message_size: 10 };
    let message = |body: usize, topic: usize, properties: &str| Message {
        body: vec![0; body].into(),
        topic: "t".repeat(topic),
        properties_text: properties.to_owned(),
        ..worked_message()
    };
    let len = |message: &Message| encoded_len(message, &limits);
    assert_eq!(len(&message(10, 1, "")), Ok(102));
    let illegal =
        |body_len, record_len| Err(EncodeError::MessageIllegal { body_len, record_len, max_message_size: 10 });
    assert_eq!(len(&message(11, 1, "")), illegal(11, 103));
    assert_eq!(len(&message(0, 0, &"p".repeat(32767))), Ok(91 + 32767));
    assert_eq!(len(&message(0, 0, &"p".repeat(32768))), Err(EncodeError::PropertiesSizeExceeded(32768)));
    let wide = "\u{E9}".repeat(16384);
    assert_eq!(len(&message(99, 0, &wide)), Err(EncodeError::PropertiesSizeExceeded(32768)), "bytes, and tested first");
    assert_eq!(len(&message(10, 65536 - 91, "")), Ok(65546), "a record may be 65536 longer than a body");
    assert_eq!(len(&message(10, 65537 - 91, "")), illegal(10, 65547));
    let open = Limits { max_message_size: i32::MAX };
    assert_eq!(encoded_len(&message(11, 1, ""), &open), Ok(103), "no overflow");
    let closed = Limits { max_message_size: -1 };
    assert!(encoded_len(&message(0, 0, ""), &closed).is_ok_and(|len| len == 91));
    assert!(encoded_len(&message(1, 0, ""), &closed).is_err());
    let mut out = vec![1, 2, 3];
    assert!(encode(&message(11, 1, ""), &limits, &mut out).is_err());
    assert_eq!(out, [1, 2, 3], "nothing is written");
}

#[test]
fn patch_of_what_is_no_record() {
    let mut short = [7; 10];
    patch(&mut short, 1, 2, 3);
    assert_eq!(short, [7; 10]);
    let mut part = [0; 30];
    patch(&mut part, -1, -1, -1);
    assert_eq!(part[20..28], [0xFF; 8]);
    assert_eq!(part[28..], [0; 2]);
}

/// What the broker asks of a message before it stores it.
#[test]
fn questions_to_a_message() {
    let message = |name: &str, value: &str| {
        let mut message = worked_message();
        message.properties.put(name, value);
        message
    };
    assert!(worked_message().waits_for_store());
    assert!(message("WAIT", "TRUE").waits_for_store());
    assert!(!message("WAIT", "false").waits_for_store());
    assert!(!message("WAIT", "yes").waits_for_store());
    assert_eq!(worked_message().delay_level(), Some(0));
    assert_eq!(message("DELAY", "3").delay_level(), Some(3));
    assert_eq!(message("DELAY", "x").delay_level(), None);
    let mut rebuilt = message("WAIT", "true");
    rebuilt.rebuild_properties_text();
    assert!(rebuilt.properties_text.contains("WAIT\u{1}true"));
}
