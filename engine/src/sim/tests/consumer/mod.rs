//! Push consumers: their queues, their pulls, their listeners, their offsets.

mod application;
mod broadcasting;
mod business;
mod business_in_order;
mod cases;
mod concurrent;
mod flow;
mod group;
mod lives;
mod offsets;
mod orderly;
mod polls;
mod quiet;
mod slaves;
mod stopping;

use super::{
    crashes::{act, kill, start, stop},
    *,
};
use crate::{
    client::{
        Client, PullQueue,
        consumer::{
            ConsumeResult, Delivery, DeliveryFate, ListenerKind, ListenerRule, MessageCondition, MessageListener,
            PushConsumer, Range,
        },
    },
    node::ConsumerStep,
};

/// The usual cluster with push consumers of group `g` in place of the one that pulls; each subscribes `OrderTopic`, and its
/// listener takes 10 ms.
fn cluster_of(names: &[&str]) -> Cluster {
    let mut cluster = cluster();
    cluster.consumers = names.iter().map(|name| consumer(name)).collect();
    cluster
}

fn consumer(name: &str) -> ConsumerSpec {
    let subscriptions = vec![SubscriptionSpec { topic: "OrderTopic".to_owned(), ..SubscriptionSpec::default() }];
    let push = PushSpec { subscriptions, ..PushSpec::default() };
    ConsumerSpec { name: name.to_owned(), group: "g".to_owned(), push: Some(Box::new(push)), ..ConsumerSpec::default() }
}

/// A world with one consumer, `c1`.
fn world_with(change: impl FnOnce(&mut ConsumerSpec)) -> World {
    let mut cluster = cluster_of(&["c1"]);
    change(&mut cluster.consumers[0]);
    World::new(&cluster, 1).unwrap()
}

fn listens(spec: &mut ConsumerSpec) -> &mut MessageListener {
    &mut spec.push.as_mut().unwrap().listener
}

fn set(spec: &mut ConsumerSpec, key: &str, value: &str) {
    spec.config.insert(key.to_owned(), value.to_owned());
}

fn client<'w>(world: &'w World, name: &str) -> &'w Client {
    world.client(name).unwrap()
}

fn push<'w>(world: &'w World, name: &str) -> &'w PushConsumer {
    client(world, name).push().unwrap()
}

fn deliveries(world: &World, name: &str) -> Vec<Delivery> {
    push(world, name).consumed().iter().cloned().collect()
}

fn queue(topic: &str, queue_id: i32) -> PullQueue {
    PullQueue { topic: topic.to_owned(), broker_name: "broker-a".to_owned(), queue_id }
}

/// A consumer's queues, as `topic/id`.
fn queues(world: &World, name: &str) -> Vec<String> {
    push(world, name).queues().keys().map(|queue| format!("{}/{}", queue.topic, queue.queue_id)).collect()
}

/// The offset that the broker keeps for the group.
fn kept(world: &World, topic: &str, queue_id: i32) -> Option<i64> {
    world.broker("broker-a").unwrap().process().unwrap().offsets().query("g", topic, queue_id)
}

/// Sends a message with this body to a queue of `OrderTopic`.
fn order(queue: i32, body: &str) -> Action {
    Action::Send(Box::new(Send {
        producer: "producer".to_owned(),
        topic: "OrderTopic".to_owned(),
        queue: Some(queue),
        tag: Some("TagA".to_owned()),
        body: Some(body.to_owned()),
        ..Send::default()
    }))
}

fn wait(ms: i64) -> Action {
    Action::Wait { ms }
}

fn when_body(body: &str) -> MessageCondition {
    MessageCondition { body: Some(body.to_owned()), ..MessageCondition::default() }
}

fn bodies(deliveries: &[Delivery]) -> Vec<String> {
    let messages = deliveries.iter().flat_map(|delivery| &delivery.messages);
    messages.map(|message| String::from_utf8_lossy(&message.body).into_owned()).collect()
}

fn consumer_steps(events: &[TraceEvent]) -> Vec<(i64, ConsumerStep)> {
    let steps = events.iter().flat_map(|event| &event.steps);
    steps
        .filter_map(
            |step| if let StepKind::Consumer(what) = &step.what { Some((step.at_us, what.clone())) } else { None },
        )
        .collect()
}

#[test]
fn a_settled_consumer_has_its_queues_and_waits() {
    let world = world_with(|_| {});
    assert!(world.at_rest());
    // The queues of its topic and of the retry topic, which its first heartbeat has made.
    assert_eq!(queues(&world, "c1"), ["%RETRY%g/0", "OrderTopic/0", "OrderTopic/1"]);
    assert!(push(&world, "c1").is_running());
    // Three pulls are held.
    assert_eq!(world.broker("broker-a").unwrap().process().unwrap().held_pulls().count(), 3);
}

#[test]
fn messages_reach_the_listener_and_their_offset_the_broker() {
    let mut world = world_with(|_| {});
    for n in 0..4 {
        world.act(order(n % 2, &format!("m{n}"))).unwrap();
        rest(&mut world);
    }
    let deliveries = deliveries(&world, "c1");
    assert_eq!(bodies(&deliveries), ["m0", "m1", "m2", "m3"]);
    assert!(deliveries.iter().all(|delivery| delivery.fate == DeliveryFate::Counted));
    assert_eq!(deliveries[0].result_name(), Some("CONSUME_SUCCESS"));
    // The listener takes 10 ms.
    assert_eq!(deliveries[0].ended_us, Some(deliveries[0].began_us + 10_000));
    let offsets = push(&world, "c1").offsets();
    assert_eq!((offsets.get(&queue("OrderTopic", 0)), offsets.get(&queue("OrderTopic", 1))), (Some(2), Some(2)));
    // A round of persistence later the broker has them too.
    act(&mut world, wait(5_000));
    assert_eq!((kept(&world, "OrderTopic", 0), kept(&world, "OrderTopic", 1)), (Some(2), Some(2)));
}

#[test]
fn what_is_not_subscribed_is_passed_over() {
    let mut world = world_with(|spec| {
        spec.push.as_mut().unwrap().subscriptions[0].tags = Some("TagB || TagC".to_owned());
    });
    act(&mut world, order(0, "m0"));
    // The held pull does not wait for that tag. Once it comes back, after 15 s and the next look at held pulls, it brings
    // NO_MATCHED_MSG: with nothing in hand, the offset moves all the same.
    act(&mut world, wait(20_100));
    assert!(deliveries(&world, "c1").is_empty());
    assert_eq!(push(&world, "c1").offsets().get(&queue("OrderTopic", 0)), Some(1));
}
