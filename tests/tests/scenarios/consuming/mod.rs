//! B15, B20, B21, B23 and P4: what push consumers are handed, what comes again, and what nobody gets.

mod lives;
mod retries;
mod sharing;

use std::sync::Arc;

use rocketscope_engine::{
    client::{
        Received,
        consumer::{ConsumeResult, Delivery, MessageListener},
    },
    sim::{Action, Cluster, ConsumerSpec, PushSpec, Send, SubscriptionSpec, World},
    store::ConsumeQueue,
};
use serde_json::Value;

use crate::rig::{self, act};

/// The recorded delay levels.
const LEVELS: (&str, &str) = ("messageDelayLevel", "1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s");

/// The recorded broker with a topic, and push consumers, which are stopped.
fn world(port: u16, topic: &str, queues: i32, consumers: Vec<ConsumerSpec>) -> World {
    stopped(rig::cluster(port, topic, queues), consumers)
}

fn stopped(mut cluster: Cluster, consumers: Vec<ConsumerSpec>) -> World {
    cluster.brokers[0].config.extend(rig::config(&[LEVELS]));
    let runs = consumers.iter().filter(|consumer| !consumer.down);
    cluster.before = runs.map(|consumer| Action::Stop { node: consumer.name.clone() }).collect();
    cluster.consumers = consumers;
    World::new(&cluster, 1).expect("the cluster can be built")
}

/// A push consumer of a topic.
fn consumer(name: &str, group: &str, topic: &str, tags: Option<&str>, listener: MessageListener) -> ConsumerSpec {
    let subscription =
        SubscriptionSpec { topic: topic.to_owned(), tags: tags.map(str::to_owned), ..SubscriptionSpec::default() };
    let push = PushSpec { subscriptions: vec![subscription], listener, ..PushSpec::default() };
    ConsumerSpec {
        name: name.to_owned(),
        group: group.to_owned(),
        push: Some(Box::new(push)),
        ..ConsumerSpec::default()
    }
}

fn start(world: &mut World, node: &str) {
    act(world, Action::Start { node: node.to_owned() });
}

fn wait(world: &mut World, ms: i64) {
    act(world, Action::Wait { ms });
}

/// Sends the messages that were sent from one moment of the recording to another.
fn send(world: &mut World, recorded: &Value, from_ms: i64, to_ms: i64) {
    for message in rig::list(recorded, "sends") {
        let at_ms = message["atMs"].as_i64().expect("a time");
        if !(from_ms..=to_ms).contains(&at_ms) {
            continue;
        }
        let text = |name: &str| message[name].as_str().map(str::to_owned);
        let send = Send {
            producer: "producer".to_owned(),
            topic: text("topic").unwrap_or_default(),
            queue: message["queueId"].as_i64().and_then(|queue| i32::try_from(queue).ok()),
            tag: text("tags"),
            keys: text("keys"),
            body: text("body"),
            ..Send::default()
        };
        act(world, Action::Send(Box::new(send)));
        assert_eq!(rig::told(world, "producer").queue_offset, message["queueOffset"].as_i64());
    }
}

fn deliveries(world: &World, consumer: &str) -> Vec<Delivery> {
    let push = world.client(consumer).and_then(|client| client.push()).expect("a push consumer");
    push.consumed().iter().cloned().collect()
}

/// The messages that a consumer's listener was handed, in order.
fn handed(world: &World, consumer: &str) -> Vec<Arc<Received>> {
    deliveries(world, consumer).into_iter().flat_map(|delivery| delivery.messages).collect()
}

fn bodies(world: &World, consumer: &str) -> Vec<String> {
    handed(world, consumer).iter().map(|message| String::from_utf8_lossy(&message.body).into_owned()).collect()
}

fn sorted(mut bodies: Vec<String>) -> Vec<String> {
    bodies.sort();
    bodies
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Asserts that the broker keeps the recorded offsets of a topic's queues.
fn assert_kept(world: &World, topic: &str, group: &str, recorded: &Value) {
    let offsets = recorded.as_object().expect("offsets by queue");
    assert!(!offsets.is_empty());
    for (queue, offset) in offsets {
        let queue = queue.parse().expect("a queue");
        assert_eq!(kept(world, topic, group, queue), offset.as_i64(), "{topic}/{queue}");
    }
}

fn kept(world: &World, topic: &str, group: &str, queue: i32) -> Option<i64> {
    let process = world.broker("broker").and_then(|broker| broker.process()).expect("the broker runs");
    process.offsets().query(group, topic, queue)
}

/// Asserts that all queues end where they were recorded to.
fn assert_ends(world: &World, recorded: &Value) {
    let store = world.broker("broker").and_then(|broker| broker.store()).expect("the broker runs");
    for (queue, end) in recorded["consumeQueueMaxOffsets"].as_object().expect("the queues") {
        let (topic, id) = queue.rsplit_once('/').expect("topic and queue");
        let ours = store.queue(topic, id.parse().expect("a number")).map(ConsumeQueue::max_offset_in_queue);
        assert_eq!(ours, end.as_i64(), "{queue}");
    }
}

/// A listener that comes to the same every time.
fn always(result: ConsumeResult) -> MessageListener {
    MessageListener { result, ..MessageListener::default() }
}
