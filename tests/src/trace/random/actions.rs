//! What happens in a random scenario. What cannot be done is refused, and that is the same everywhere too.

use rocketscope_engine::client::{ListenerResult, LocalTransactionState, Selector, SendMode};
use rocketscope_engine::disk::memory::Fault;
use rocketscope_engine::node::Service;
use rocketscope_engine::sim::{
    Action, BatchMessage, Cluster, CrashWhen, EndTransaction, HalfAt, Question, Send, SendBack, SendBatch,
    SendInTransaction, SubscriptionSpec, Survives, Transact,
};
use rocketscope_engine::wire::{Change, Values};

use super::cluster::{DATABASE, PRODUCER, PULLER, SENDER, TABLE, TOPICS};
use crate::rng::Rng;

/// The action at a place of the scenario.
pub(super) fn random(rng: &mut Rng, cluster: &Cluster, place: u64) -> Action {
    match rng.below(100) {
        0..34 => Action::Send(Box::new(message(rng, place))),
        34..39 => batch(rng, place),
        39..48 => transaction(rng, place),
        48..50 => end(rng, cluster),
        50..53 => transact(place),
        53..60 => Action::Wait { ms: rng.pick(&[1, 400, 3000, 15_000, 40_000]) },
        60..80 => fault(rng, cluster),
        80..88 => Action::Start { node: node(rng, cluster) },
        88..94 => of_consumer(rng, cluster),
        _ => question(rng),
    }
}

fn topic(rng: &mut Rng) -> String {
    rng.pick(&TOPICS).to_owned()
}

fn number(rng: &mut Rng, below: u64) -> i64 {
    i64::try_from(rng.below(below)).unwrap_or(0)
}

fn queue(rng: &mut Rng) -> i32 {
    i32::try_from(rng.below(2)).unwrap_or(0)
}

/// Any node.
fn node(rng: &mut Rng, cluster: &Cluster) -> String {
    let name_servers = cluster.name_servers.iter().map(|spec| &spec.name);
    let brokers = cluster.brokers.iter().map(|spec| &spec.name);
    let producers = cluster.producers.iter().map(|spec| &spec.name);
    let consumers = cluster.consumers.iter().map(|spec| &spec.name);
    let databases = cluster.databases.iter().map(|spec| &spec.name);
    let all: Vec<&String> = name_servers.chain(brokers).chain(producers).chain(consumers).chain(databases).collect();
    (*rng.pick(&all)).clone()
}

fn broker(rng: &mut Rng, cluster: &Cluster) -> String {
    let all: Vec<&String> = cluster.brokers.iter().map(|spec| &spec.name).collect();
    (*rng.pick(&all)).clone()
}

/// A member of the group, or the consumer that pulls, for which most is refused.
fn consumer(rng: &mut Rng, cluster: &Cluster) -> String {
    let all: Vec<&String> = cluster.consumers.iter().map(|spec| &spec.name).collect();
    (*rng.pick(&all)).clone()
}

fn message(rng: &mut Rng, place: u64) -> Send {
    let properties = [("a", rng.pick(&["3", "7.25", "10", "abc"])), ("b", rng.pick(&["x", "z"]))];
    let bare = rng.chance(30);
    Send {
        name: Some(format!("m{place}")),
        producer: if bare { SENDER } else { PRODUCER }.to_owned(),
        topic: topic(rng),
        mode: rng.pick(&[SendMode::Sync, SendMode::Sync, SendMode::Async, SendMode::Oneway]),
        queue: (bare || rng.chance(40)).then(|| queue(rng)),
        selector: (!bare && rng.chance(15)).then(|| Selector::Hash { arg: format!("order-{}", rng.below(5)) }),
        tag: rng.chance(70).then(|| rng.pick(&["TagA", "TagB", "标签"]).to_owned()),
        keys: rng.chance(60).then(|| format!("k{place} ключ")),
        delay_level: rng.chance(20).then(|| i32::try_from(1 + rng.below(4)).unwrap_or(1)),
        properties: properties
            .iter()
            .filter(|_| rng.chance(50))
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        // The longest is compressed, since it is text.
        body: Some("ünïcödé ".repeat(rng.pick(&[1, 5, 40, 700]))),
        wait_store: rng.chance(10).then_some(false),
        ..Send::default()
    }
}

fn batch(rng: &mut Rng, place: u64) -> Action {
    let messages = (0..=rng.below(4)).map(|entry| BatchMessage {
        tag: rng.chance(50).then(|| "TagA".to_owned()),
        keys: Some(format!("b{place}-{entry}")),
        body: format!("entry {entry}"),
        ..BatchMessage::default()
    });
    let messages = messages.collect();
    Action::SendBatch(Box::new(SendBatch {
        producer: PRODUCER.to_owned(),
        topic: topic(rng),
        messages,
        ..SendBatch::default()
    }))
}

fn result(rng: &mut Rng) -> ListenerResult {
    use ListenerResult as Is;
    rng.pick(&[Is::Commit, Is::Commit, Is::Rollback, Is::Unknown, Is::Null, Is::Throw])
}

fn transaction(rng: &mut Rng, place: u64) -> Action {
    let send = Send { producer: PRODUCER.to_owned(), mode: SendMode::Sync, selector: None, ..message(rng, place) };
    Action::SendInTransaction(Box::new(SendInTransaction {
        send,
        local: result(rng),
        local_ms: number(rng, 3) * 1500,
        checks: (0..rng.below(3)).map(|_| result(rng)).collect(),
        ..SendInTransaction::default()
    }))
}

fn end(rng: &mut Rng, cluster: &Cluster) -> Action {
    use LocalTransactionState as State;
    Action::EndTransaction(Box::new(EndTransaction {
        producer: PRODUCER.to_owned(),
        message: None,
        half: Some(HalfAt { broker: broker(rng, cluster), queue_offset: number(rng, 3) }),
        state: rng.pick(&[State::Commit, State::Rollback, State::Unknown]),
    }))
}

fn transact(place: u64) -> Action {
    let row = Values::from([("message".to_owned(), format!("by hand {place}").as_str().into())]);
    Action::Transact(Box::new(Transact {
        client: PRODUCER.to_owned(),
        database: DATABASE.to_owned(),
        changes: vec![Change::Insert { table: TABLE.to_owned(), row }],
    }))
}

fn survives(rng: &mut Rng) -> Survives {
    match rng.below(5) {
        0 => Survives::Flushed,
        1 => Survives::Everything,
        2 => Survives::Prefix { pages: 1 },
        3 => Survives::Torn { pages: 0, sectors: 3 },
        _ => Survives::Random { seed: rng.next() },
    }
}

fn fault(rng: &mut Rng, cluster: &Cluster) -> Action {
    let small = |rng: &mut Rng, below| u32::try_from(rng.below(below)).unwrap_or(0);
    match rng.below(16) {
        0..3 => Action::Kill { node: node(rng, cluster) },
        3 | 4 => Action::PowerLoss { node: broker(rng, cluster), survives: survives(rng) },
        5 => Action::CrashAt {
            node: broker(rng, cluster),
            service: None,
            write: small(rng, 4),
            bytes: rng.chance(50).then(|| small(rng, 60)),
            survives: rng.chance(40).then(|| survives(rng)),
            unsent: rng.chance(50),
        },
        6 => {
            let service = rng.pick(&[Service::Consume, Service::PullMessage, Service::Rebalance]);
            let turn = 1 + small(rng, 3);
            Action::CrashWhen(Box::new(CrashWhen { node: consumer(rng, cluster), service, turn }))
        }
        7 | 8 => Action::Stop { node: node(rng, cluster) },
        9 => Action::Pause { node: node(rng, cluster), service: None },
        10 => Action::Resume { node: node(rng, cluster), service: None },
        11 => Action::Cut { a: node(rng, cluster), b: node(rng, cluster) },
        12 => Action::Stall { a: node(rng, cluster), b: node(rng, cluster) },
        13 => Action::Mend { a: node(rng, cluster), b: node(rng, cluster) },
        14 => Action::JumpClock { node: node(rng, cluster), ms: rng.pick(&[-90_000, -1500, 40, 30_000]) },
        _ if rng.chance(60) => {
            let path = String::new();
            let fault = match rng.below(3) {
                0 => Fault::WriteError { path },
                1 => Fault::Full { path },
                _ => Fault::SlowFlush { ms: 700, path },
            };
            Action::DiskFault { broker: broker(rng, cluster), fault }
        }
        _ => Action::MendDisk { broker: broker(rng, cluster) },
    }
}

fn of_consumer(rng: &mut Rng, cluster: &Cluster) -> Action {
    let consumer = consumer(rng, cluster);
    match rng.below(6) {
        0 => Action::SuspendConsumer { consumer },
        1 => Action::ResumeConsumer { consumer },
        2 => {
            let tags = rng.chance(50).then(|| "TagB".to_owned());
            Action::Subscribe { consumer, subscription: SubscriptionSpec { topic: topic(rng), tags, sql: None } }
        }
        3 => Action::Unsubscribe { consumer, topic: topic(rng) },
        4 => Action::UpdateCorePoolSize { consumer, core_pool_size: rng.pick(&[1, 5, 20]) },
        _ => Action::SendBack(Box::new(SendBack { consumer: PULLER.to_owned(), ..SendBack::default() })),
    }
}

fn question(rng: &mut Rng) -> Action {
    let (client, consumer) = (PULLER.to_owned(), PULLER.to_owned());
    let (topic, queue, offset) = (topic(rng), queue(rng), number(rng, 6));
    match rng.below(4) {
        0 => Action::Pull {
            consumer,
            topic,
            queue,
            offset,
            max: 8,
            tags: rng.chance(30).then(|| "TagA".to_owned()),
            sql: None,
            suspend_ms: rng.chance(30).then_some(5000),
            commit: rng.chance(40).then_some(offset),
            broker: None,
        },
        1 => Action::Commit { consumer, topic, queue, offset },
        2 => Action::QueryKey {
            client,
            topic,
            key: format!("k{}", rng.below(16)),
            unique: false,
            max: 4,
            begin: None,
            end: i64::MAX,
        },
        _ => {
            let what = rng.pick(&[
                Question::MaxOffset,
                Question::MinOffset,
                Question::OffsetAt { timestamp_ms: 1_700_000_010_000 },
                Question::ConsumerOffset,
            ]);
            Action::Ask { client, topic, queue, what }
        }
    }
}
