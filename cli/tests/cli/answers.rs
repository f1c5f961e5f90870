//! `get`, `query` and `message` against what the real store answered.

use serde_json::{Value, json};

use crate::run::{Store, json_of, rocketscope, stdout_of};

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[test]
fn get_answers_as_the_real_store_did() {
    for case in ["basic", "rollover"] {
        let store = Store::golden(case);
        let asked = store.expected["getMessage"].as_array().unwrap();
        assert!(!asked.is_empty());
        for ask in asked {
            let [topic, queue, offset, max] = ["topic", "queueId", "offset", "maxMsgNums"].map(|name| text(&ask[name]));
            let subscription = ask["subscription"].as_str().unwrap_or("*");
            let args = ["get", store.path(), "--topic", &topic, "--queue", &queue, "--offset", &offset, "--max", &max];
            let found = json_of(&[&args[..], &["--subscription", subscription]].concat());
            for name in ["status", "nextBeginOffset", "minOffset", "maxOffset"] {
                assert_eq!(found[name], ask[name], "{case} {name} of {ask}");
            }
            let messages: Vec<Value> = found["messages"]
                .as_array()
                .unwrap()
                .iter()
                .map(|message| json!([message["queueOffset"], message["physicalOffset"], message["size"]]))
                .collect();
            if let Some(expected) = ask["messages"].as_array() {
                assert_eq!(&messages, expected, "{case} {ask}");
            }
        }
    }
}

#[test]
fn query_answers_as_the_real_store_did() {
    for case in ["basic", "index-collisions"] {
        let store = Store::golden(case);
        let asked = store.expected["indexQuery"].as_array().unwrap();
        assert!(!asked.is_empty());
        for ask in asked {
            let [topic, key, max, begin, end] = ["topic", "key", "maxNum", "begin", "end"].map(|name| text(&ask[name]));
            let args = ["query", store.path(), "--topic", &topic, "--key", &key, "--max", &max];
            let found = json_of(&[&args[..], &["--begin", &begin, "--end", &end]].concat());
            let offsets: Vec<&Value> =
                found["messages"].as_array().unwrap().iter().map(|message| &message["physicalOffset"]).collect();
            let expected: Vec<&Value> = ask["queryMessage_phyOffsets"].as_array().unwrap().iter().collect();
            assert_eq!(offsets, expected, "{case} {ask}");
        }
    }
}

/// `Aa` and `BB` hash alike, so the store answers the messages of both; the client keeps those of `BB`. One message has
/// the key twice and comes twice.
#[test]
fn messages_of_another_key_and_repetitions_are_marked() {
    let store = Store::golden("index-collisions");
    let answer = stdout_of(&["query", store.path(), "--topic", "Idx", "--key", "BB"]);
    assert!(answer.starts_with("16 messages\n"), "{answer}");
    assert!(answer.contains("another key of the same hash"), "{answer}");
    let many = stdout_of(&["query", store.path(), "--topic", "TopicA", "--key", "dup"]);
    assert!(many.starts_with("0 messages"), "{many}");
    let store = Store::golden("basic");
    let twice = stdout_of(&["query", store.path(), "--topic", "TopicA", "--key", "dup"]);
    assert!(twice.starts_with("2 messages\n") && twice.contains("indexed twice"), "{twice}");
}

#[test]
fn a_message_is_shown_by_its_id() {
    let store = Store::golden("basic");
    let found = json_of(&["message", store.path(), "0A00000100002A9F0000000000000000"]);
    assert_eq!(found["topic"], "TopicA");
    assert_eq!(found["bodyText"], "hello rocketmq");
    assert_eq!(found["bodyBase64"], "aGVsbG8gcm9ja2V0bXE=");
    let shown = stdout_of(&["message", store.path(), "0A00000100002A9F0000000000000000"]);
    for part in ["TopicA/0 @0", "hello rocketmq", "KEYS = k1 k2", "10.1.2.3:54321", "2023-11-14 22:13:20.000"] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
}

#[test]
fn an_id_that_names_nothing_is_an_error_with_a_hint() {
    let store = Store::golden("basic");
    let error = |id: &str| {
        let run = rocketscope(&["message", store.path(), id]);
        assert_eq!(run.status.code(), Some(1));
        String::from_utf8(run.stderr).unwrap()
    };
    // One byte behind a record's start.
    let told = error("0A00000100002A9F0000000000000001");
    assert!(told.contains("physical offset 1") && told.contains("--key 0A00000100002A9F0000000000000001"), "{told}");
    assert!(error("xyz").contains("not an offsetMsgId"));
}

#[test]
fn a_store_that_was_killed_is_recovered_in_memory_first() {
    let store = Store::base("base-crash");
    std::fs::remove_dir_all(store.file("consumequeue")).unwrap();
    // The real store rebuilt the queues from the second file on: 20 units of R1/0 are lost.
    let found = json_of(&["get", store.path(), "--topic", "R1", "--queue", "0", "--offset", "20", "--max", "1"]);
    assert_eq!((&found["status"], &found["maxOffset"]), (&json!("FOUND"), &json!(65)));
    assert_eq!(found["messages"][0]["physicalOffset"], 8408);
    assert!(!store.file("consumequeue").exists());
}

#[test]
fn a_store_that_no_broker_would_start_on_is_an_error_that_names_the_file() {
    let store = Store::base("base-clean");
    let log = store.file("commitlog/00000000000000024576");
    std::fs::OpenOptions::new().write(true).open(log).unwrap().set_len(1000).unwrap();
    let run = rocketscope(&["get", store.path(), "--topic", "R1", "--queue", "0", "--offset", "0"]);
    assert_eq!(run.status.code(), Some(1));
    let error = String::from_utf8(run.stderr).unwrap();
    assert!(error.contains("commitlog/00000000000000024576") && error.contains("1000"), "{error}");
}
