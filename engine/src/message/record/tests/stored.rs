//! Records that the real 4.9.8 stored: sixty of them, of plain, delayed, transactional, compressed, given-back and
//! batch messages with hosts of both families, each with what 4.9.8 itself reads from it.

use serde_json::Value;

use super::*;
use crate::message::delay::DelayLevels;
use crate::message::record::*;

fn host(case: &Value, ip: &str, port: &str) -> Host {
    let ip: std::net::IpAddr = case[ip].as_str().expect("a string").parse().expect("an IP");
    Host::new(ip, case[port].as_i64().expect("a port") as i32)
}

#[test]
fn as_stored_by_rocketmq() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../testdata/records.json")).expect("JSON");
    assert_eq!(cases.len(), 60);
    for case in &cases {
        let bytes = read_hex(case["record"].as_str().expect("hex")).expect("hex");
        let text = |name: &str| case[name].as_str().expect("a string");
        let number = |name: &str| case[name].as_i64().expect("a number");
        let record = decode(&bytes).expect("a record");

        assert_eq!(i64::from(record.total_size), number("totalSize"));
        assert_eq!(i64::from(record.body_crc), number("bodyCRC"));
        assert_eq!(i64::from(record.queue_id), number("queueId"));
        assert_eq!(i64::from(record.flag), number("flag"));
        assert_eq!(record.queue_offset, number("queueOffset"));
        assert_eq!(record.physical_offset, number("physicalOffsetField"));
        assert_eq!(i64::from(record.sys_flag), number("sysFlag"));
        assert_eq!(record.born_timestamp, number("bornTimestamp"));
        assert_eq!(record.born_host, host(case, "bornHost", "bornPort"));
        assert_eq!(record.store_timestamp, number("storeTimestamp"));
        assert_eq!(record.store_host, host(case, "storeHost", "storePort"));
        assert_eq!(i64::from(record.reconsume_times), number("reconsumeTimes"));
        assert_eq!(record.prepared_transaction_offset, number("preparedTransactionOffset"));
        assert_eq!(record.body.len() as i64, number("bodyLen"));
        assert_eq!(record.topic, text("topic"));
        assert_eq!(record.properties_text, text("propertiesString"));
        assert_eq!(record.offset_msg_id().to_string(), text("msgId"));
        assert!(record.crc_matches());

        let dispatch = &case["dispatch"];
        let levels = DelayLevels::parse(text("messageDelayLevel")).expect("levels");
        let Checked::Good(good) = check(&bytes, true, true, &levels) else { panic!("{case}") };
        assert_eq!(i64::from(good.size), dispatch["msgSize"].as_i64().expect("a size"));
        assert_eq!(good.tags_code, dispatch["tagsCode"].as_i64().expect("a code"));
        assert_eq!(good.keys().unwrap_or_default(), dispatch["keys"].as_str().unwrap_or_default());
        assert_eq!(good.uniq_key(), dispatch["uniqKey"].as_str());
        assert_eq!(good.queue_offset, dispatch["consumeQueueOffset"].as_i64().expect("an offset"));

        let message = Message {
            topic: record.topic.clone().into_owned(),
            queue_id: record.queue_id,
            flag: record.flag,
            sys_flag: record.sys_flag,
            born_timestamp: record.born_timestamp,
            born_host: record.born_host,
            store_host: record.store_host,
            reconsume_times: record.reconsume_times,
            prepared_transaction_offset: record.prepared_transaction_offset,
            body: record.body.to_vec().into(),
            properties: record.properties(),
            properties_text: record.properties_text.clone().into_owned(),
        };
        let mut again = encoded(&message);
        patch(&mut again, record.queue_offset, record.physical_offset, record.store_timestamp);
        assert_eq!(again, bytes, "written again, it is the same");
    }
}
