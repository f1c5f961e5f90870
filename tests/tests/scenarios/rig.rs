//! What the tests of the scenarios share: a cluster with the recorded addresses, and reading what was recorded.

use std::collections::BTreeMap;

use rocketscope_engine::{
    client::SendOutcome,
    message::property,
    sim::{Action, BrokerSpec, Cluster, ConsumerSpec, NameServerSpec, ProducerSpec, TopicSpec, TraceEvent, World},
};
use serde_json::Value;

/// How much longer the recorded `UNIQ_KEY`s are: the recorded client had no IPv4 address, so that its ids are 56 digits
/// long. Those of the simulated client are 32.
pub(crate) const LONGER_KEY: i64 = 24;

/// Configuration by RocketMQ's keys.
pub(crate) fn config(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// The recorded broker with one topic, a NameServer, two producers and a consumer.
pub(crate) fn cluster(port: u16, topic: &str, queues: i32) -> Cluster {
    let port = port.to_string();
    let broker = config(&[("brokerName", "oracle-broker"), ("brokerIP1", "127.0.0.1"), ("listenPort", &port)]);
    let topics = vec![TopicSpec { name: topic.to_owned(), read_queues: queues, write_queues: queues, perm: 6 }];
    let producer = |name: &str, config| ProducerSpec { name: name.to_owned(), config, ..Default::default() };
    Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..Default::default() }],
        brokers: vec![BrokerSpec { name: "broker".to_owned(), config: broker, topics, ..Default::default() }],
        producers: vec![
            producer("producer", BTreeMap::new()),
            producer("PG2", config(&[("retryTimesWhenSendFailed", "0")])),
        ],
        consumers: vec![ConsumerSpec { name: "consumer".to_owned(), ..Default::default() }],
        ..Default::default()
    }
}

/// A world of it.
pub(crate) fn world(port: u16, topic: &str, queues: i32) -> World {
    World::new(&cluster(port, topic, queues), 1).expect("the cluster can be built")
}

/// Does something and lets the world come to rest.
pub(crate) fn act(world: &mut World, action: Action) -> Vec<TraceEvent> {
    let mut events = vec![world.act(action).expect("the action can be done")];
    events.extend(world.run_to_rest(i64::MAX));
    events
}

/// What a producer was told last.
pub(crate) fn told(world: &World, producer: &str) -> SendOutcome {
    world.client(producer).and_then(|client| client.sent().last()).expect("an outcome").clone()
}

/// Asserts that an outcome is the recorded exception: class, message, code and cause. The cost in a message is its own.
pub(crate) fn assert_exception(outcome: &SendOutcome, recorded: &Value) {
    let class =
        |value: &Value| value["exceptionClass"].as_str().and_then(|name| name.rsplit('.').next().map(str::to_owned));
    assert_eq!(Some(outcome.status.clone()), class(recorded), "{outcome:?}");
    let message = outcome.error.as_deref().unwrap_or_default();
    assert_eq!(without_cost(message), without_cost(recorded["message"].as_str().unwrap_or_default()));
    assert_eq!(outcome.response_code.map(i64::from), recorded["responseCode"].as_i64(), "{outcome:?}");
    let cause = outcome.cause.as_ref();
    assert_eq!(cause.map(|cause| cause.name.clone()), class(&recorded["cause"]));
    assert_eq!(cause.map(|cause| cause.message.as_str()), recorded["cause"]["message"].as_str());
}

fn without_cost(message: &str) -> String {
    let Some((before, rest)) = message.split_once("cost [") else { return message.to_owned() };
    let after = rest.split_once(']').map_or(rest, |(_, after)| after);
    format!("{before}cost []{after}")
}

/// A recorded scenario.
pub(crate) fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("a recorded scenario")
}

/// The entries of a recorded list; there are some.
pub(crate) fn list<'a>(recorded: &'a Value, name: &str) -> Vec<&'a Value> {
    let list: Vec<&Value> = recorded[name].as_array().into_iter().flatten().collect();
    assert!(!list.is_empty(), "{name}");
    list
}

/// The properties text with the digits of `UNIQ_KEY` taken out: they are the process's own.
pub(crate) fn without_key(text: &str) -> String {
    let parts = text.split('\u{2}').map(|part| match part.split_once('\u{1}') {
        Some((property::UNIQ_KEY, _)) => property::UNIQ_KEY,
        _ => part,
    });
    parts.collect::<Vec<_>>().join("\u{2}")
}
