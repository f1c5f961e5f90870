//! The cluster of a case.

use rocketscope_engine::sim::{BrokerSpec, Cluster, ListenerSpec, NameServerSpec, ProducerSpec, TopicSpec};

use crate::case::{BrokerShape, Shape};

/// Two topics that every broker has, and one that comes into being with its first message.
pub(crate) const TOPICS: [&str; 3] = ["Orders", "Payments", "New"];

/// What the delay levels ask for, milliseconds; level 1 is the first.
pub(crate) const DELAYS_MS: [i64; 4] = [1000, 2000, 5000, 10_000];

pub(crate) fn master(number: usize) -> String {
    format!("broker-{number}")
}

pub(crate) fn producer(number: usize) -> String {
    format!("producer-{number}")
}

impl Shape {
    pub(crate) fn cluster(&self) -> Cluster {
        let name_servers = (0..self.name_servers)
            .map(|number| NameServerSpec { name: format!("namesrv-{number}"), ..NameServerSpec::default() });
        let brokers = self.brokers.iter().enumerate().flat_map(|(number, shape)| {
            let slave = shape.slave.then(|| shape.slave_of(number));
            [Some(shape.master(number)), slave].into_iter().flatten()
        });
        let producers = (0..self.producers).map(|number| ProducerSpec {
            name: producer(number),
            group: "producers".to_owned(),
            config: keys(&[
                ("sendLatencyFaultEnable", &self.latency_fault.to_string()),
                ("retryAnotherBrokerWhenNotStoreOK", &self.retry_another.to_string()),
            ]),
            listener: Some(ListenerSpec { not_found: self.not_found, ..ListenerSpec::default() }),
            ..ProducerSpec::default()
        });
        Cluster {
            name_servers: name_servers.collect(),
            brokers: brokers.collect(),
            producers: producers.collect(),
            ..Cluster::default()
        }
    }

    /// Every node's name.
    pub(crate) fn nodes(&self) -> Vec<String> {
        let cluster = self.cluster();
        let name_servers = cluster.name_servers.into_iter().map(|node| node.name);
        let brokers = cluster.brokers.into_iter().map(|node| node.name);
        name_servers.chain(brokers).chain(cluster.producers.into_iter().map(|node| node.name)).collect()
    }

    /// The brokers, slaves too.
    pub(crate) fn broker_nodes(&self) -> Vec<String> {
        self.cluster().brokers.into_iter().map(|broker| broker.name).collect()
    }
}

impl BrokerShape {
    fn master(self, number: usize) -> BrokerSpec {
        let topics = TOPICS.iter().take(2);
        let topic = |name: &&str| TopicSpec { name: (*name).to_owned(), read_queues: 2, write_queues: 2, perm: 6 };
        BrokerSpec {
            name: master(number),
            config: keys(&[
                ("brokerRole", if self.sync_master { "SYNC_MASTER" } else { "ASYNC_MASTER" }),
                ("flushDiskType", if self.sync_flush { "SYNC_FLUSH" } else { "ASYNC_FLUSH" }),
                ("mappedFileSizeCommitLog", &self.log_file.to_string()),
                ("mappedFileSizeConsumeQueue", "400"),
                ("maxHashSlotNum", "20"),
                ("maxIndexNum", "100"),
                ("messageDelayLevel", "1s 2s 5s 10s"),
                ("transientStorePoolEnable", &self.pool.to_string()),
                ("transactionTimeOut", "1000"),
                ("transactionCheckInterval", "5000"),
                ("transactionCheckMax", "3"),
                ("enableScheduleAsyncDeliver", &self.async_deliver.to_string()),
            ]),
            topics: topics.map(topic).collect(),
            ..BrokerSpec::default()
        }
    }

    fn slave_of(self, number: usize) -> BrokerSpec {
        let mut slave = self.master(number);
        slave.name = format!("{}-s", master(number));
        slave.config.extend(keys(&[("brokerRole", "SLAVE"), ("brokerId", "1"), ("brokerName", &master(number))]));
        slave
    }
}

fn keys(pairs: &[(&str, &str)]) -> std::collections::BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}
