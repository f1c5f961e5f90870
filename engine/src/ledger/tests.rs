//! Verdicts with their rules. What is expected follows from what is done: who was told what, what was flushed, which turn
//! the process did not live to see.

mod accounts;
mod business;
mod rules;
mod watch;

use super::*;
use crate::{
    client::{
        ListenerResult,
        consumer::{
            BusinessRecord, ConsumeResult, ListenerBusiness, ListenerRule, MessageCondition, MessageModel, RecordAt,
        },
    },
    database::TableSpec,
    node::Service,
    sim::{
        Action, BrokerSpec, Cluster, ConsumerSpec, CrashWhen, DatabaseSpec, ListenerSpec, NameServerSpec, ProducerSpec,
        PushSpec, Send, SendInTransaction, SubscriptionSpec, Survives, TopicSpec,
    },
    wire::{Cell, Change, Values},
};

const BROKER: &str = "broker-a";
const DB: &str = "db";

fn config(pairs: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// One broker with a small store, two queues, a producer, and these push consumers of group `g`.
fn cluster(consumers: &[&str]) -> Cluster {
    let subscription = SubscriptionSpec { topic: "T".to_owned(), ..SubscriptionSpec::default() };
    let push = PushSpec { subscriptions: vec![subscription], ..PushSpec::default() };
    Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
        brokers: vec![BrokerSpec {
            name: BROKER.to_owned(),
            config: config(&[("mappedFileSizeCommitLog", "65536"), ("mappedFileSizeConsumeQueue", "400")]),
            topics: vec![TopicSpec { name: "T".to_owned(), read_queues: 2, write_queues: 2, perm: 6 }],
            ..BrokerSpec::default()
        }],
        producers: vec![ProducerSpec {
            name: "producer".to_owned(),
            listener: Some(ListenerSpec::default()),
            ..ProducerSpec::default()
        }],
        consumers: consumers
            .iter()
            .map(|name| ConsumerSpec {
                name: (*name).to_owned(),
                group: "g".to_owned(),
                push: Some(Box::new(push.clone())),
                ..ConsumerSpec::default()
            })
            .collect(),
        ..Cluster::default()
    }
}

fn world(cluster: &Cluster) -> World {
    World::new(cluster, 1).unwrap()
}

/// Sets keys of a broker's configuration.
fn set(cluster: &mut Cluster, broker: usize, pairs: &[(&str, &str)]) {
    cluster.brokers[broker].config.extend(config(pairs));
}

fn push(cluster: &mut Cluster) -> &mut PushSpec {
    cluster.consumers[0].push.as_mut().unwrap()
}

/// A message by this name to queue 0 of `T`, its keys and its body `key`.
fn message(name: &str, key: &str) -> Send {
    Send {
        name: Some(name.to_owned()),
        producer: "producer".to_owned(),
        topic: "T".to_owned(),
        queue: Some(0),
        keys: Some(key.to_owned()),
        body: Some(key.to_owned()),
        ..Send::default()
    }
}

fn sent(name: &str, key: &str) -> Action {
    Action::Send(Box::new(message(name, key)))
}

/// Does it, and lets the world come to rest.
fn act(world: &mut World, action: Action) {
    world.act(action).unwrap();
    world.run_to_rest(i64::MAX);
}

fn kill(node: &str) -> Action {
    Action::Kill { node: node.to_owned() }
}

fn start(node: &str) -> Action {
    Action::Start { node: node.to_owned() }
}

fn power_loss(world: &mut World) {
    act(world, Action::PowerLoss { node: BROKER.to_owned(), survives: Survives::Flushed });
    act(world, start(BROKER));
}

fn stop(node: &str) -> Action {
    Action::Stop { node: node.to_owned() }
}

fn pause(node: &str, service: Service) -> Action {
    Action::Pause { node: node.to_owned(), service: Some(service) }
}

fn resume(node: &str, service: Service) -> Action {
    Action::Resume { node: node.to_owned(), service: Some(service) }
}

fn wait(ms: i64) -> Action {
    Action::Wait { ms }
}

fn falls(world: &mut World, node: &str, service: Service, turn: u32) {
    let crash = CrashWhen { node: node.to_owned(), service, turn };
    world.act(Action::CrashWhen(Box::new(crash))).unwrap();
}

/// Verdict and rule of every finding, by message.
fn found(world: &World) -> Vec<Vec<(Verdict, Rule)>> {
    let accounts = ledger(world).accounts.into_iter();
    accounts.map(|account| account.findings.iter().map(|one| (one.verdict, one.why)).collect()).collect()
}

fn values(pairs: &[(&str, &str)]) -> Values {
    pairs.iter().map(|(column, text)| ((*column).to_owned(), Cell::from(*text))).collect()
}

/// A listener that issues a policy for each message, and knows it by `key`.
fn office(key: &str, at: Option<RecordAt>) -> Cluster {
    let mut cluster = cluster(&["c1"]);
    let policies = TableSpec {
        name: "policies".to_owned(),
        columns: vec!["id".to_owned(), "what".to_owned()],
        key: vec!["id".to_owned()],
        auto_increment: Some("id".to_owned()),
        ..TableSpec::default()
    };
    cluster.databases = vec![DatabaseSpec { name: DB.to_owned(), tables: vec![policies], skew_ms: 0 }];
    let row = values(&[("what", "{body}")]);
    let record = at.map(|at| BusinessRecord { key: key.to_owned(), at, ..BusinessRecord::default() });
    let changes = vec![Change::Insert { table: "policies".to_owned(), row }];
    let business = ListenerBusiness { database: DB.to_owned(), changes, record, ..ListenerBusiness::default() };
    push(&mut cluster).listener.business = Some(Box::new(business));
    cluster
}
