//! The clusters of random scenarios: files so small that they roll, and everything that keeps time set to be short.

use std::collections::BTreeMap;

use rocketscope_engine::client::consumer::{
    AllocateStrategy, BusinessRecord, ConsumeFromWhere, ConsumeResult, ListenerBusiness, ListenerKind, ListenerRule,
    MessageCondition, MessageListener, MessageModel,
};
use rocketscope_engine::database::TableSpec;
use rocketscope_engine::sim::{
    BrokerSpec, Cluster, ConsumerSpec, DatabaseSpec, ListenerSpec, NameServerSpec, ProducerSpec, PushSpec, SenderKind,
    SubscriptionSpec, TopicSpec,
};
use rocketscope_engine::wire::{Change, Values};

use crate::rng::Rng;

/// The topics; the last one comes into being with its first message.
pub(super) const TOPICS: [&str; 3] = ["Orders", "Payments", "New"];

pub(super) const PRODUCER: &str = "producer";
pub(super) const SENDER: &str = "sender";
pub(super) const PULLER: &str = "puller";
pub(super) const DATABASE: &str = "db";
pub(super) const TABLE: &str = "effects";

/// What consumers subscribe of a topic, as tags or as an expression of SQL92.
const TAGS: [&str; 3] = ["*", "TagA", "TagA || 标签"];
const SQL: [&str; 3] = ["a > 5 OR b IS NOT NULL", "a BETWEEN 0.5 AND 7.25", "b IN ('x', 'y') AND NOT (a = 3)"];

pub(super) fn random(rng: &mut Rng) -> Cluster {
    let masters = 1 + rng.below(2);
    let mut brokers: Vec<BrokerSpec> = (0..masters).map(|number| master(rng, number)).collect();
    if rng.chance(25) {
        brokers.push(slave_of(&brokers[0]));
    }
    let tables = vec![TableSpec {
        name: TABLE.to_owned(),
        columns: ["id", "message"].map(str::to_owned).to_vec(),
        key: vec!["id".to_owned()],
        auto_increment: Some("id".to_owned()),
        ..TableSpec::default()
    }];
    let producer = ProducerSpec {
        name: PRODUCER.to_owned(),
        listener: Some(ListenerSpec {
            database: rng.chance(50).then(|| DATABASE.to_owned()),
            ..ListenerSpec::default()
        }),
        config: keys(&[("retryTimesWhenSendFailed", rng.pick(&["0", "2"])), ("sendMsgTimeout", "3000")]),
        skew_ms: rng.pick(&[0, 0, 7, -40]),
        ..ProducerSpec::default()
    };
    let sender = ProducerSpec {
        name: SENDER.to_owned(),
        sender: SenderKind::Bare,
        broker: brokers[0].name.clone(),
        ..ProducerSpec::default()
    };
    let puller = ConsumerSpec { name: PULLER.to_owned(), ..ConsumerSpec::default() };
    let push = push(rng);
    let members = (0..rng.below(3)).map(|number| ConsumerSpec {
        name: format!("c{number}"),
        group: "g".to_owned(),
        push: Some(Box::new(push.clone())),
        config: keys(&[
            ("consumeThreadMin", rng.pick(&["1", "3", "20"])),
            ("consumeMessageBatchMaxSize", rng.pick(&["1", "1", "4"])),
            ("pullBatchSize", rng.pick(&["2", "32"])),
            ("maxReconsumeTimes", rng.pick(&["-1", "1"])),
            ("awaitTerminationMillisWhenShutdown", rng.pick(&["0", "2000"])),
        ]),
        ..ConsumerSpec::default()
    });
    Cluster {
        consumers: std::iter::once(puller).chain(members).collect(),
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
        brokers,
        producers: vec![producer, sender],
        databases: vec![DatabaseSpec { name: DATABASE.to_owned(), tables, skew_ms: 0 }],
        ..Cluster::default()
    }
}

fn master(rng: &mut Rng, number: u64) -> BrokerSpec {
    let topic = |name: &&str| TopicSpec { name: (*name).to_owned(), read_queues: 2, write_queues: 2, perm: 6 };
    BrokerSpec {
        name: format!("broker-{number}"),
        config: keys(&[
            ("brokerRole", rng.pick(&["ASYNC_MASTER", "ASYNC_MASTER", "SYNC_MASTER"])),
            ("flushDiskType", rng.pick(&["ASYNC_FLUSH", "SYNC_FLUSH"])),
            ("mappedFileSizeCommitLog", rng.pick(&["4096", "16384"])),
            ("mappedFileSizeConsumeQueue", "400"),
            ("maxHashSlotNum", "20"),
            ("maxIndexNum", "60"),
            ("messageDelayLevel", "1s 2s 5s 10s"),
            ("transactionTimeOut", "1000"),
            ("transactionCheckInterval", "5000"),
            ("transactionCheckMax", "2"),
            ("enablePropertyFilter", "true"),
            ("slaveReadEnable", rng.pick(&["true", "false"])),
            ("rocketscope.totalPhysicalMemory", rng.pick(&["4000", "25769803776"])),
            ("transientStorePoolEnable", rng.pick(&["false", "false", "true"])),
        ]),
        topics: TOPICS.iter().take(2).map(topic).collect(),
        skew_ms: rng.pick(&[0, 0, 3, -25]),
        ..BrokerSpec::default()
    }
}

fn slave_of(master: &BrokerSpec) -> BrokerSpec {
    let mut slave = BrokerSpec { name: format!("{}-s", master.name), ..master.clone() };
    slave.config.extend(keys(&[("brokerRole", "SLAVE"), ("brokerId", "1"), ("brokerName", &master.name)]));
    slave
}

fn push(rng: &mut Rng) -> PushSpec {
    let subscription = |topic: &str, rng: &mut Rng| {
        let sql = rng.chance(25).then(|| rng.pick(&SQL).to_owned());
        let tags = (sql.is_none() && rng.chance(50)).then(|| rng.pick(&TAGS).to_owned());
        SubscriptionSpec { topic: topic.to_owned(), tags, sql }
    };
    PushSpec {
        subscriptions: TOPICS.iter().take(2).map(|topic| subscription(topic, rng)).collect(),
        message_model: if rng.chance(15) { MessageModel::Broadcasting } else { MessageModel::Clustering },
        consume_from_where: rng.pick(&[
            ConsumeFromWhere::ConsumeFromLastOffset,
            ConsumeFromWhere::ConsumeFromFirstOffset,
            ConsumeFromWhere::ConsumeFromTimestamp,
        ]),
        allocate: match rng.below(3) {
            0 => AllocateStrategy::Average,
            1 => AllocateStrategy::AverageByCircle,
            _ => AllocateStrategy::ConsistentHash { virtual_nodes: 10 },
        },
        listener: listener(rng),
        ..PushSpec::default()
    }
}

fn listener(rng: &mut Rng) -> MessageListener {
    let (kind, failure) = if rng.chance(35) {
        (ListenerKind::Orderly, ConsumeResult::Suspend)
    } else {
        (ListenerKind::Concurrently, ConsumeResult::Later)
    };
    let rule = ListenerRule {
        when: MessageCondition { tag: Some("标签".to_owned()), ..MessageCondition::default() },
        takes_ms: Some(rng.pick(&[1, 300, 2500])),
        results: vec![failure, ConsumeResult::Throw, ConsumeResult::Success],
        ..ListenerRule::default()
    };
    let row = Values::from([("message".to_owned(), "{tag}/{queueOffset}".into())]);
    let business = ListenerBusiness {
        database: DATABASE.to_owned(),
        changes: vec![Change::Insert { table: TABLE.to_owned(), row }],
        record: rng.chance(50).then(BusinessRecord::default),
        ..ListenerBusiness::default()
    };
    MessageListener {
        kind,
        takes_ms: rng.pick(&[0, 10, 700]),
        rules: vec![rule],
        business: rng.chance(35).then(|| Box::new(business)),
        ..MessageListener::default()
    }
}

fn keys(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}
