//! Worlds as a whole.

mod actions;
mod administering;
mod branches;
mod cases;
mod cleaning;
mod consumer;
mod crash_points;
mod crashes;
mod databases;
mod delay;
mod faults;
mod flush_services;
mod history;
mod lookups;
mod messages;
mod name_servers;
mod network;
mod overload;
mod producer;
mod quiet;
mod replication;
mod same_bytes;
mod send_back;
mod sending_in_transactions;
mod three_messages;
mod transactions;

use super::*;
use crate::{
    node::{BrokerStep, HaStep, NodeStep, Service, StepKind},
    store::Step,
};

/// One NameServer, one broker with a small store, a producer, a bare sender and a consumer.
fn cluster() -> Cluster {
    let config =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
        brokers: vec![BrokerSpec {
            name: "broker-a".to_owned(),
            config: config(&[
                ("mappedFileSizeCommitLog", "65536"),
                ("mappedFileSizeConsumeQueue", "400"),
                ("maxHashSlotNum", "100"),
                ("maxIndexNum", "400"),
            ]),
            topics: vec![
                TopicSpec { name: "OrderTopic".to_owned(), read_queues: 2, write_queues: 2, perm: 6 },
                TopicSpec { name: "PaymentTopic".to_owned(), read_queues: 2, write_queues: 2, perm: 6 },
            ],
            store: StoreSpec { prefix_bytes: 1000, ..StoreSpec::default() },
            ..BrokerSpec::default()
        }],
        producers: vec![
            ProducerSpec { name: "producer".to_owned(), ..ProducerSpec::default() },
            ProducerSpec { name: "sender".to_owned(), sender: SenderKind::Bare, ..ProducerSpec::default() },
        ],
        consumers: vec![ConsumerSpec { name: "consumer".to_owned(), ..ConsumerSpec::default() }],
        ..Cluster::default()
    }
}

fn world() -> World {
    World::new(&cluster(), 1).unwrap()
}

fn bare(topic: &str, queue: i32, tag: &str, record_size: i32) -> Action {
    Action::Send(Box::new(Send {
        producer: "sender".to_owned(),
        topic: topic.to_owned(),
        queue: Some(queue),
        tag: Some(tag.to_owned()),
        record_size: Some(record_size),
        ..Send::default()
    }))
}

fn send(topic: &str) -> Action {
    Action::Send(Box::new(Send { producer: "producer".to_owned(), topic: topic.to_owned(), ..Send::default() }))
}

fn pull(topic: &str, queue: i32, offset: i64) -> Action {
    Action::Pull {
        consumer: "consumer".to_owned(),
        topic: topic.to_owned(),
        queue,
        offset,
        max: 32,
        tags: None,
        sql: None,
        suspend_ms: None,
        commit: None,
        broker: None,
    }
}

fn pause(node: &str, service: Option<Service>) -> Action {
    Action::Pause { node: node.to_owned(), service }
}

fn resume(node: &str, service: Option<Service>) -> Action {
    Action::Resume { node: node.to_owned(), service }
}

/// Everything up to rest, however long it takes.
fn rest(world: &mut World) -> Vec<TraceEvent> {
    world.run_to_rest(i64::MAX)
}

fn store_steps(event: &TraceEvent) -> Vec<&Step> {
    let store = |step: &StepKind| matches!(step, StepKind::Store(_));
    let steps = event.steps.iter().map(|step| &step.what).filter(|step| store(step));
    steps.filter_map(|step| if let StepKind::Store(step) = step { Some(step) } else { None }).collect()
}

fn node_steps(event: &TraceEvent) -> Vec<&NodeStep> {
    let steps = event.steps.iter().map(|step| &step.what);
    steps.filter_map(|step| if let StepKind::Node(step) = step { Some(step) } else { None }).collect()
}

fn broker_steps(event: &TraceEvent) -> Vec<&BrokerStep> {
    let steps = event.steps.iter().map(|step| &step.what);
    steps.filter_map(|step| if let StepKind::Broker(step) = step { Some(step) } else { None }).collect()
}

fn ha_steps(event: &TraceEvent) -> Vec<&HaStep> {
    let steps = event.steps.iter().map(|step| &step.what);
    steps.filter_map(|step| if let StepKind::Ha(step) = step { Some(step) } else { None }).collect()
}
