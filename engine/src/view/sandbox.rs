//! The cluster that the sandbox begins with.

use std::collections::BTreeMap;

use crate::sim::{BrokerSpec, Cluster, ConsumerSpec, NameServerSpec, ProducerSpec, TopicSpec};

/// One of each, with files so small that a handful of messages fills them: 16 KiB of CommitLog, 20 units a
/// ConsumeQueue file, 100 hash slots.
pub fn cluster() -> Cluster {
    let text = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let config = [
        ("mappedFileSizeCommitLog", "16384"),
        ("mappedFileSizeConsumeQueue", "400"),
        ("maxHashSlotNum", "100"),
        ("maxIndexNum", "400"),
    ];
    let topic = |name: &str| TopicSpec { name: name.to_owned(), read_queues: 2, write_queues: 2, perm: 6 };
    Cluster {
        name_servers: vec![NameServerSpec { name: "namesrv".to_owned(), ..Default::default() }],
        brokers: vec![BrokerSpec {
            name: "broker-a".to_owned(),
            config: config.into_iter().map(text).collect::<BTreeMap<_, _>>(),
            topics: vec![topic("OrderTopic"), topic("PaymentTopic")],
            ..Default::default()
        }],
        producers: vec![ProducerSpec {
            name: "producer".to_owned(),
            group: "order_producer".to_owned(),
            ..Default::default()
        }],
        consumers: vec![ConsumerSpec {
            name: "consumer".to_owned(),
            group: "order_group".to_owned(),
            ..Default::default()
        }],
        ..Default::default()
    }
}
