//! A cluster: whole clients and a bare sender, a slave, a service that stands still, cables that break, a process that is
//! killed, and the clock running on past heartbeats and polls.

use super::{Script, in_turn};

const CLUSTER: &str = r#"{
    "nameServers": [{ "name": "namesrv-1" }, { "name": "namesrv-2", "skewMs": 40 }],
    "brokers": [
        { "name": "broker-a", "store": { "prefixBytes": 1000 },
          "topics": [{ "name": "OrderTopic" }, { "name": "PaymentTopic", "readQueues": 2, "writeQueues": 2 }],
          "config": { "mappedFileSizeCommitLog": "8192", "mappedFileSizeConsumeQueue": "400",
                      "maxHashSlotNum": "20", "maxIndexNum": "30" } },
        { "name": "broker-b", "topics": [{ "name": "OrderTopic" }], "skewMs": -3 },
        { "name": "broker-b-s", "config": { "brokerRole": "SLAVE", "brokerId": "1", "brokerName": "broker-b" } }
    ],
    "producers": [{ "name": "producer" }, { "name": "sender", "sender": "bare", "broker": "broker-a" }],
    "consumers": [{ "name": "consumer" }]
}"#;

/// What is done, each after the one before has come to rest; all of it four times over.
const ACTIONS: &str = r#"[
    { "kind": "send", "producer": "sender", "topic": "OrderTopic", "queue": 0, "tag": "TagA", "recordSize": 200 },
    { "kind": "pause", "node": "broker-a", "service": "reput" },
    { "kind": "send", "producer": "sender", "topic": "PaymentTopic", "queue": 1, "tag": "TagC", "recordSize": 150 },
    { "kind": "send", "producer": "producer", "topic": "OrderTopic", "tag": "订单", "keys": "k1 k2", "body": "ünïcödé" },
    { "kind": "sendBatch", "producer": "producer", "topic": "OrderTopic",
      "messages": [{ "body": "one", "keys": "k3" }, { "body": "two", "tag": "TagA" }] },
    { "kind": "pull", "consumer": "consumer", "topic": "OrderTopic", "queue": 0, "offset": 0 },
    { "kind": "resume", "node": "broker-a", "service": "reput" },
    { "kind": "pull", "consumer": "consumer", "topic": "OrderTopic", "queue": 0, "offset": 0, "tags": "TagA || TagB" },
    { "kind": "cut", "a": "producer", "b": "broker-a" },
    { "kind": "send", "producer": "producer", "topic": "OrderTopic" },
    { "kind": "wait", "ms": 45000 },
    { "kind": "mend", "a": "producer", "b": "broker-a" },
    { "kind": "stall", "a": "producer", "b": "broker-b" },
    { "kind": "send", "producer": "producer", "topic": "OrderTopic", "recordSize": 3000 },
    { "kind": "mend", "a": "producer", "b": "broker-b" },
    { "kind": "commit", "consumer": "consumer", "topic": "OrderTopic", "queue": 0, "offset": 1 },
    { "kind": "queryKey", "client": "consumer", "topic": "OrderTopic", "key": "k1" },
    { "kind": "cut", "a": "broker-b", "b": "broker-b-s" },
    { "kind": "send", "producer": "producer", "topic": "OrderTopic" },
    { "kind": "send", "producer": "producer", "topic": "OrderTopic" },
    { "kind": "wait", "ms": 9000 },
    { "kind": "mend", "a": "broker-b", "b": "broker-b-s" },
    { "kind": "wait", "ms": 12000 },
    { "kind": "kill", "node": "broker-b-s" },
    { "kind": "wait", "ms": 3000 },
    { "kind": "start", "node": "broker-b-s" },
    { "kind": "reputFrom", "broker": "broker-a", "offset": 1000 }
]"#;

const ROUNDS: usize = 4;

pub(super) fn script() -> Script {
    let cluster = serde_json::from_str(CLUSTER).expect("a cluster");
    Script { cluster, seed: 2024, moves: in_turn(ACTIONS, ROUNDS) }
}
