//! The cluster of a case.

use std::collections::BTreeMap;

use rocketscope_engine::{
    client::consumer::{
        AllocateStrategy, BusinessRecord, ConsumeFromWhere, ConsumeResult, ListenerBusiness, ListenerKind,
        ListenerRule, MessageCondition, MessageListener, Range,
    },
    database::TableSpec,
    sim::{
        BrokerSpec, Cluster, ConsumerSpec, DatabaseSpec, NameServerSpec, ProducerSpec, PushSpec, SubscriptionSpec,
        TopicSpec,
    },
    wire::{Change, Values},
};

use crate::case::{Shape, Strategy};

/// The topics, two queues of each at every broker.
pub(crate) const TOPICS: [&str; 2] = ["Orders", "Payments"];

/// The tag of messages that fail at first.
pub(crate) const FAILS: &str = "Fails";

pub(crate) const GROUP: &str = "g";
pub(crate) const OTHER_GROUP: &str = "h";
pub(crate) const PRODUCER: &str = "producer";
pub(crate) const DATABASE: &str = "db";
/// The table with a row for each effect.
pub(crate) const EFFECTS: &str = "effects";

impl Shape {
    pub(crate) fn cluster(&self) -> Cluster {
        let members = (0..self.consumers).map(|number| {
            let listener = MessageListener { business: Some(Box::new(self.business())), ..self.listener() };
            self.consumer(format!("c{number}"), GROUP, listener)
        });
        let other = self.other_group.then(|| self.consumer("other".to_owned(), OTHER_GROUP, self.listener()));
        let effects = TableSpec {
            name: EFFECTS.to_owned(),
            columns: ["id", "message"].map(str::to_owned).to_vec(),
            key: vec!["id".to_owned()],
            auto_increment: Some("id".to_owned()),
            ..TableSpec::default()
        };
        Cluster {
            name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..NameServerSpec::default() }],
            brokers: (0..self.brokers).map(broker).collect(),
            producers: vec![ProducerSpec { name: PRODUCER.to_owned(), ..ProducerSpec::default() }],
            consumers: members.chain(other).collect(),
            databases: vec![DatabaseSpec { name: DATABASE.to_owned(), tables: vec![effects], skew_ms: 0 }],
            ..Cluster::default()
        }
    }

    fn listener(&self) -> MessageListener {
        let reconsume_times = Some(Range { at_least: None, at_most: Some(i32::from(self.failures) - 1) });
        let when = MessageCondition { tag: Some(FAILS.to_owned()), reconsume_times, ..MessageCondition::default() };
        let (kind, failure) = if self.orderly {
            (ListenerKind::Orderly, ConsumeResult::Suspend)
        } else {
            (ListenerKind::Concurrently, ConsumeResult::Later)
        };
        let results = vec![failure, ConsumeResult::Throw, ConsumeResult::Null];
        let rule = ListenerRule { when, results, ..ListenerRule::default() };
        MessageListener { kind, takes_ms: u32::from(self.takes_ms), rules: vec![rule], ..MessageListener::default() }
    }

    fn business(&self) -> ListenerBusiness {
        let row = Values::from([("message".to_owned(), "{keys}".into())]);
        ListenerBusiness {
            database: DATABASE.to_owned(),
            changes: vec![Change::Insert { table: EFFECTS.to_owned(), row }],
            record: self.records.then(BusinessRecord::default),
            ..ListenerBusiness::default()
        }
    }

    fn consumer(&self, name: String, group: &str, listener: MessageListener) -> ConsumerSpec {
        let subscription =
            |topic: &&str| SubscriptionSpec { topic: (*topic).to_owned(), ..SubscriptionSpec::default() };
        let push = PushSpec {
            subscriptions: TOPICS.iter().map(subscription).collect(),
            consume_from_where: if self.from_first {
                ConsumeFromWhere::ConsumeFromFirstOffset
            } else {
                ConsumeFromWhere::ConsumeFromLastOffset
            },
            allocate: match self.strategy {
                Strategy::Runs => AllocateStrategy::Average,
                Strategy::Circle => AllocateStrategy::AverageByCircle,
                Strategy::Hash => AllocateStrategy::ConsistentHash { virtual_nodes: 10 },
            },
            listener,
            ..PushSpec::default()
        };
        let threads = self.threads.to_string();
        ConsumerSpec {
            name,
            group: group.to_owned(),
            push: Some(Box::new(push)),
            config: keys(&[
                ("consumeThreadMin", &threads),
                ("consumeThreadMax", &threads),
                ("consumeMessageBatchMaxSize", &self.call_batch.to_string()),
                ("pullBatchSize", &self.pull_batch.to_string()),
                ("maxReconsumeTimes", &self.max_reconsume.to_string()),
            ]),
            ..ConsumerSpec::default()
        }
    }
}

pub(crate) fn broker_name(number: usize) -> String {
    format!("broker-{number}")
}

fn broker(number: usize) -> BrokerSpec {
    let topic = |name: &&str| TopicSpec { name: (*name).to_owned(), read_queues: 2, write_queues: 2, perm: 6 };
    BrokerSpec {
        name: broker_name(number),
        config: keys(&[
            ("mappedFileSizeCommitLog", "65536"),
            ("mappedFileSizeConsumeQueue", "400"),
            ("maxHashSlotNum", "20"),
            ("maxIndexNum", "100"),
            ("messageDelayLevel", "1s 2s 5s 10s"),
        ]),
        topics: TOPICS.iter().map(topic).collect(),
        ..BrokerSpec::default()
    }
}

fn keys(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}
