//! One broker's store: messages of many kinds over small files, so that logs roll, queues and index files grow and every
//! service has its turns. The broker has an address of IPv6, which makes its records longer.

use std::collections::BTreeMap;

use rocketscope_engine::node::Service;
use rocketscope_engine::sim::{
    Action, BrokerSpec, Cluster, ConsumerSpec, NameServerSpec, ProducerSpec, Send, SenderKind, TopicSpec,
};

use super::{Move, Script, TO_REST};

/// Small files, as in 4.9.8's own keys.
const CONFIG: [(&str, &str); 5] = [
    ("brokerIP1", "2001:db8::7"),
    ("mappedFileSizeCommitLog", "16384"),
    ("mappedFileSizeConsumeQueue", "400"),
    ("maxHashSlotNum", "50"),
    ("maxIndexNum", "120"),
];

const BROKER: &str = "broker-a";
const SENDER: &str = "sender";
const CONSUMER: &str = "consumer";

const MESSAGES: i32 = 200;

pub(super) fn script() -> Script {
    let topic = |name: &str| TopicSpec { name: name.to_owned(), ..TopicSpec::default() };
    let broker = BrokerSpec {
        name: BROKER.to_owned(),
        config: CONFIG.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        topics: vec![topic("Orders"), topic("Payments")],
        ..BrokerSpec::default()
    };
    let sender = ProducerSpec {
        name: SENDER.to_owned(),
        sender: SenderKind::Bare,
        broker: BROKER.to_owned(),
        ..ProducerSpec::default()
    };
    let cluster = Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
        brokers: vec![broker],
        producers: vec![sender],
        consumers: vec![ConsumerSpec { name: CONSUMER.to_owned(), ..ConsumerSpec::default() }],
        ..Cluster::default()
    };
    let end = [Action::Resume { node: BROKER.to_owned(), service: Some(Service::Reput) }, stop(), start(), stop()];
    let moves = (0..MESSAGES).flat_map(around).chain(end).map(|action| Move { action, events: TO_REST }).collect();
    Script { cluster, seed: 2023, moves }
}

fn stop() -> Action {
    Action::Stop { node: BROKER.to_owned() }
}

fn start() -> Action {
    Action::Start { node: BROKER.to_owned() }
}

/// A message is sent and a queue is read. Dispatch lags behind the puts and catches up, as in a busy broker.
fn around(number: i32) -> Vec<Action> {
    let reput = Some(Service::Reput);
    let mut actions = Vec::new();
    if number % 7 == 0 {
        actions.push(Action::Pause { node: BROKER.to_owned(), service: reput });
    }
    actions.push(Action::Send(Box::new(message(number))));
    actions.push(Action::Pull {
        consumer: CONSUMER.to_owned(),
        topic: "Orders".to_owned(),
        queue: number % 4,
        offset: i64::from(number / 8),
        max: 32,
        tags: None,
        sql: None,
        suspend_ms: None,
        commit: None,
        broker: None,
    });
    if number % 7 == 6 {
        actions.push(Action::Resume { node: BROKER.to_owned(), service: reput });
    }
    if number % 50 == 49 {
        // Longer than between two thorough rounds of the flush services.
        actions.push(Action::Wait { ms: 61_000 });
    }
    actions
}

fn message(number: i32) -> Send {
    Send {
        producer: SENDER.to_owned(),
        topic: if number % 5 == 0 { "Payments" } else { "Orders" }.to_owned(),
        queue: Some(number % 4),
        flag: number,
        keys: Some(format!("order-{number} customer-{}", number % 13)),
        tag: (number % 3 != 0).then(|| ["TagA", "TagB", "标签"][(number % 3) as usize].to_owned()),
        delay_level: (number % 11 == 0).then_some(3),
        properties: BTreeMap::from([("number".to_owned(), number.to_string())]),
        body_length: Some(1 + (number * 37 % 300).unsigned_abs()),
        body_random: number % 2 == 0,
        ..Send::default()
    }
}
