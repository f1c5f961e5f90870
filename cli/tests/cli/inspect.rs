//! `inspect` against the store's own dump.

use std::fs;

use serde_json::{Value, json};

use crate::run::{Store, json_of, rocketscope, stdout_of};

/// The last picture of the running store that the case recorded.
fn snapshot(store: &Store) -> &Value {
    let last = store.expected["snapshots"].as_array().and_then(|list| list.last());
    last.unwrap_or(&store.expected["snapshot"])
}

#[test]
fn the_json_is_the_store_as_4_9_8_dumped_it() {
    for case in ["basic", "rollover", "batch", "index-collisions", "cleaned-head"] {
        let store = Store::golden(case);
        let found = json_of(&["inspect", store.path()]);
        let expected = snapshot(&store);

        assert_eq!(found["commitLog"]["minOffset"], expected["minPhyOffset"], "{case}");
        assert_eq!(found["commitLog"]["maxOffset"], expected["maxPhyOffset"], "{case}");
        let records: Vec<Value> = expected["commitLog"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|record| record.get("topic").is_some())
            .map(|record| {
                let host = |ip: &str, port: &str| {
                    let ip = record[ip].as_str().unwrap();
                    let ip: std::net::IpAddr = ip.parse().unwrap();
                    let port = record[port].as_u64().unwrap() as u16;
                    std::net::SocketAddr::new(ip, port).to_string()
                };
                json!({
                    "physicalOffset": record["phyOffset"], "size": record["totalSize"], "topic": record["topic"],
                    "queueId": record["queueId"], "queueOffset": record["queueOffset"], "flag": record["flag"],
                    "sysFlag": record["sysFlag"], "bodyCrc": record["bodyCRC"], "bodyLength": record["bodyLen"],
                    "bornTimestamp": record["bornTimestamp"], "bornHost": host("bornHost", "bornPort"),
                    "storeTimestamp": record["storeTimestamp"], "storeHost": host("storeHost", "storePort"),
                    "reconsumeTimes": record["reconsumeTimes"],
                    "preparedTransactionOffset": record["preparedTransactionOffset"],
                    "propertiesString": record["propertiesString"], "msgId": record["msgId"],
                })
            })
            .collect();
        assert_eq!(found["commitLog"]["records"], Value::Array(records), "{case}");

        let queues = expected["queues"].as_array().unwrap();
        assert_eq!(found["consumeQueues"].as_array().unwrap().len(), queues.len(), "{case}");
        for queue in queues {
            let same = |found: &&Value| found["topic"] == queue["topic"] && found["queueId"] == queue["queueId"];
            let found = found["consumeQueues"].as_array().unwrap().iter().find(same).unwrap();
            assert_eq!(found["minOffset"], queue["minOffset"], "{case} {queue}");
            assert_eq!(found["maxOffset"], queue["maxOffset"], "{case} {queue}");
            // The dump begins at the minimum, the directory may hold units before it.
            let units = found["units"].as_array().unwrap();
            let entries = queue["entries"].as_array().unwrap();
            assert_eq!(&units[units.len() - entries.len()..], entries, "{case} {queue}");
        }

        let files: Vec<Value> = expected["indexFiles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| {
                json!({
                    "name": file["file"], "beginTimestamp": file["beginTimestamp"],
                    "endTimestamp": file["endTimestamp"], "beginPhyOffset": file["beginPhyOffset"],
                    "endPhyOffset": file["endPhyOffset"], "hashSlotCount": file["hashSlotCount"],
                    "indexCount": file["indexCount"], "entries": file["entries"],
                })
            })
            .collect();
        assert_eq!(found["indexFiles"], Value::Array(files), "{case}");
        assert_eq!((&found["abort"], &found["problems"]), (&json!(false), &json!([])), "{case}");
    }
}

#[test]
fn the_keys_of_the_json_stand_in_their_order() {
    let store = Store::golden("basic");
    let text = stdout_of(&["inspect", store.path(), "--json"]);
    let keys = [
        "{\"commitLog\":{\"minOffset\":0,\"maxOffset\":2496,\"records\":[",
        "{\"physicalOffset\":0,\"size\":149,\"topic\":\"TopicA\",\"queueId\":0,\"queueOffset\":0,\"flag\":0,\
         \"sysFlag\":0,\"bodyCrc\":1932557065,\"bodyLength\":14,\"bornTimestamp\":1700000000000,\
         \"bornHost\":\"10.1.2.3:54321\",\"storeTimestamp\":1795981893456,\"storeHost\":\"10.0.0.1:10911\",\
         \"reconsumeTimes\":0,\"preparedTransactionOffset\":0,\
         \"propertiesString\":\"KEYS\\u0001k1 k2\\u0002UNIQ_KEY\\u0001UNIQ0001\\u0002TAGS\\u0001TagA\",\
         \"msgId\":\"0A00000100002A9F0000000000000000\"}",
        "\"consumeQueues\":[",
        "{\"topic\":\"TopicA\",\"queueId\":0,\"minOffset\":0,\"maxOffset\":4,\"units\":[",
        "[0,0,149,2598919]",
        "\"indexFiles\":[",
        "{\"name\":\"20261129195133464\",\"beginTimestamp\":1795981893456,\"endTimestamp\":1795981893473,\
         \"beginPhyOffset\":0,\"endPhyOffset\":1803,\"hashSlotCount\":11,\"indexCount\":17,\"entries\":[",
        "[1,372068013,0,0,0]",
        "\"checkpoint\":{\"physicMsgTimestamp\":1795981893474,\"logicsMsgTimestamp\":1795981893474,\
         \"indexMsgTimestamp\":0}",
        "\"abort\":false",
        "\"problems\":[]}",
    ];
    let mut rest = text.as_str();
    for key in keys {
        let (_, after) = rest.split_once(key).unwrap_or_else(|| panic!("{key}\nis not in\n{rest}"));
        rest = after;
    }
}

#[test]
fn damage_is_output_and_no_failure_unless_asked() {
    let store = Store::base("base-clean");
    let log = store.file("commitlog/00000000000000024576");
    let mut bytes = fs::read(&log).unwrap();
    // The body of the record at 26641 begins 88 bytes behind its start.
    bytes[26641 - 24576 + 88] ^= 1;
    fs::write(&log, bytes).unwrap();
    fs::remove_file(store.file("checkpoint")).unwrap();

    let found = json_of(&["inspect", store.path()]);
    assert_eq!(found["checkpoint"], Value::Null);
    let problems = found["problems"].as_array().unwrap();
    let crc = problems.iter().find(|problem| problem["kind"] == "badCrc").unwrap();
    assert_eq!((&crc["file"], &crc["offset"]), (&json!("commitlog/00000000000000024576"), &json!(2065)));
    let keys: Vec<_> = crc.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["file", "kind", "message", "offset"], "and no other");
    // 130 records, of which the fifth from the end is damaged and ends the log.
    assert_eq!(found["commitLog"]["records"].as_array().unwrap().len(), 125);
    assert_eq!(found["commitLog"]["maxOffset"], 26641);

    let text = stdout_of(&["inspect", store.path()]);
    assert!(text.contains("commitlog/00000000000000024576:2065  badCrc"), "{text}");
    assert_eq!(rocketscope(&["inspect", store.path(), "--check"]).status.code(), Some(3));
}

#[test]
fn a_sound_store_passes_the_check() {
    let store = Store::base("base-clean");
    let run = rocketscope(&["inspect", store.path(), "--check"]);
    assert_eq!(run.status.code(), Some(0));
    assert!(String::from_utf8(run.stdout).unwrap().contains("none found"));
}

#[test]
fn further_files_are_tried_from_their_start() {
    let store = Store::base("base-clean");
    let log = store.file("commitlog/00000000000000000000");
    let mut bytes = fs::read(&log).unwrap();
    bytes[4] ^= 1; // the first record's magic
    fs::write(&log, bytes).unwrap();
    let found = json_of(&["inspect", store.path()]);
    let first = &found["commitLog"]["records"][0];
    assert_eq!(first["physicalOffset"], 8192);
    assert_eq!(found["problems"][0]["kind"], "badMagic");
}

#[test]
fn lists_are_cut_and_say_so() {
    let store = Store::base("base-clean");
    let text = stdout_of(&["inspect", store.path(), "--limit", "2"]);
    assert!(text.contains("… 128 more records"), "{text}");
    assert!(text.contains("… 63 more units"), "{text}");
    assert!(text.contains("… 57 more entries"), "{text}");
    let whole = stdout_of(&["inspect", store.path(), "--all"]);
    assert!(!whole.contains("more record"), "{whole}");
    assert!(whole.contains("R1#u129"), "the last key of the index");
}

#[test]
fn sizes_are_given_on_the_command_line_or_in_a_file() {
    let store = Store::base("base-clean");
    let conf = store.file("../broker.conf");
    fs::write(&conf, "brokerName=b\n# a comment\nmappedFileSizeCommitLog = 4096\n").unwrap();
    let conf = conf.to_str().unwrap();
    let found = json_of(&["inspect", store.path(), "-c", conf]);
    let problems = found["problems"].as_array().unwrap();
    assert_eq!(problems.iter().filter(|problem| problem["kind"] == "wrongFileLength").count(), 4);
    // The command line counts more than the file.
    let found = json_of(&["inspect", store.path(), "-c", conf, "--set", "mappedFileSizeCommitLog=8192"]);
    assert_eq!(found["problems"], json!([]));

    let error = |args: &[&str]| {
        let run = rocketscope(&[&["inspect", store.path()], args].concat());
        assert_eq!(run.status.code(), Some(1));
        String::from_utf8(run.stderr).unwrap()
    };
    assert!(error(&["--set", "brokerName=b"]).contains("brokerName"));
    assert!(error(&["--set", "nothing"]).contains("KEY=VALUE"));
    assert!(error(&["-c", "/nowhere/broker.conf"]).contains("/nowhere/broker.conf"));
    fs::write(conf, "\nmaxIndexNum=many\n").unwrap();
    let told = error(&["-c", conf]);
    assert!(told.contains("line 2") && told.contains("maxIndexNum") && told.contains("broker.conf"), "{told}");
}
