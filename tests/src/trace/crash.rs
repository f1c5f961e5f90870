//! A broker that is killed, loses its power, is stopped, crashes in the middle of a write and comes back each time.

use super::{Script, in_turn};

const CLUSTER: &str = r#"{
    "nameServers": [{ "name": "namesrv" }],
    "brokers": [
        { "name": "broker-a", "store": { "prefixBytes": 1000 },
          "topics": [{ "name": "OrderTopic", "readQueues": 2, "writeQueues": 2 }],
          "config": { "mappedFileSizeCommitLog": "8192", "mappedFileSizeConsumeQueue": "400",
                      "maxHashSlotNum": "20", "maxIndexNum": "30" } }
    ],
    "producers": [{ "name": "producer" }, { "name": "sender", "sender": "bare" }],
    "consumers": [{ "name": "consumer" }],
    "before": [{ "kind": "send", "producer": "sender", "topic": "OrderTopic", "queue": 0, "recordSize": 500 }]
}"#;

/// What is done, each after the one before has come to rest; all of it three times over.
const ACTIONS: &str = r#"[
    { "kind": "send", "producer": "sender", "topic": "OrderTopic", "queue": 0, "keys": "a b", "recordSize": 1200 },
    { "kind": "send", "producer": "producer", "topic": "OrderTopic", "keys": "c", "recordSize": 900 },
    { "kind": "kill", "node": "broker-a" },
    { "kind": "start", "node": "broker-a" },
    { "kind": "pause", "node": "broker-a", "service": "reput" },
    { "kind": "send", "producer": "sender", "topic": "OrderTopic", "queue": 1, "recordSize": 3000 },
    { "kind": "powerLoss", "node": "broker-a", "survives": { "kind": "random", "seed": 7 } },
    { "kind": "start", "node": "broker-a" },
    { "kind": "send", "producer": "sender", "topic": "OrderTopic", "queue": 1, "recordSize": 2500 },
    { "kind": "powerLoss", "node": "broker-a", "survives": { "kind": "torn", "pages": 1, "sectors": 3 } },
    { "kind": "start", "node": "broker-a" },
    { "kind": "send", "producer": "producer", "topic": "OrderTopic", "keys": "e", "delayLevel": 5 },
    { "kind": "jumpClock", "node": "broker-a", "ms": -90000 },
    { "kind": "wait", "ms": 61000 },
    { "kind": "send", "producer": "producer", "topic": "OrderTopic", "keys": "f", "delayLevel": 2 },
    { "kind": "kill", "node": "broker-a" },
    { "kind": "start", "node": "broker-a" },
    { "kind": "send", "producer": "producer", "topic": "OrderTopic", "keys": "d" },
    { "kind": "secondProcess", "broker": "broker-a" },
    { "kind": "stop", "node": "broker-a" },
    { "kind": "start", "node": "broker-a" },
    { "kind": "crashAt", "node": "broker-a", "service": "put", "write": 0, "bytes": 70 },
    { "kind": "send", "producer": "sender", "topic": "OrderTopic", "queue": 0, "recordSize": 400 },
    { "kind": "start", "node": "broker-a" },
    { "kind": "crashAt", "node": "broker-a", "service": "reput", "write": 0, "survives": { "kind": "flushed" } },
    { "kind": "send", "producer": "sender", "topic": "OrderTopic", "queue": 0, "recordSize": 400 },
    { "kind": "start", "node": "broker-a" },
    { "kind": "pull", "consumer": "consumer", "topic": "OrderTopic", "queue": 0, "offset": 0, "commit": 1 },
    { "kind": "kill", "node": "namesrv" },
    { "kind": "start", "node": "namesrv" },
    { "kind": "stop", "node": "producer" },
    { "kind": "start", "node": "producer" }
]"#;

const ROUNDS: usize = 3;

pub(super) fn script() -> Script {
    let cluster = serde_json::from_str(CLUSTER).expect("a cluster");
    Script { cluster, seed: 2025, moves: in_turn(ACTIONS, ROUNDS) }
}
