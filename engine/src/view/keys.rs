//! What each kind of node can be set to, with the defaults of 4.9.8.

use serde::{Deserialize, Serialize};

use crate::{
    broker::BrokerConfig,
    client::{ClientConfig, consumer::ConsumerConfig},
    namesrv::NameServerConfig,
    node::ConfigKey,
    store::StoreConfig,
};

/// Every key of every kind of node, each list in the order of 4.9.8's classes, with the value that it has by default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeysPicture {
    /// `NamesrvConfig` and `NettyServerConfig`.
    pub name_server: Vec<ConfigKey>,
    /// `BrokerConfig`.
    pub broker: Vec<ConfigKey>,
    /// `MessageStoreConfig`, which a broker reads from the same file.
    pub store: Vec<ConfigKey>,
    /// `ClientConfig`, `DefaultMQProducer`, `DefaultMQPullConsumer`.
    pub client: Vec<ConfigKey>,
    /// `DefaultMQPushConsumer`, beside those of every client.
    pub push_consumer: Vec<ConfigKey>,
}

/// The keys with their defaults.
pub fn keys() -> KeysPicture {
    let store = StoreConfig::default();
    let store = StoreConfig::KEYS.iter().map(|key| ConfigKey {
        key: (*key).to_owned(),
        value: store.get(key).unwrap_or_default(),
        wanted: StoreConfig::expects(key).unwrap_or_default().to_owned(),
    });
    KeysPicture {
        name_server: NameServerConfig::default().keys(),
        broker: BrokerConfig::default().keys(),
        store: store.collect(),
        client: ClientConfig::default().keys(),
        push_consumer: ConsumerConfig::default().keys(),
    }
}

#[cfg(test)]
mod tests {
    use super::{KeysPicture, keys};
    use crate::{
        broker::read_config,
        client::{ClientConfig, consumer::ConsumerConfig},
        namesrv::NameServerConfig,
        node::ConfigKey,
    };

    /// A key that is shown can be set, and to the very value that is shown.
    #[test]
    fn every_default_is_taken_back() {
        let KeysPicture { name_server, broker, store, client, push_consumer } = keys();
        let pair = |key: &ConfigKey| (key.key.clone(), key.value.clone());
        let whole = broker.iter().chain(&store).map(pair).collect();
        let (broker_config, store_config) = read_config(&whole).unwrap();
        assert_eq!(broker_config.keys(), broker);
        assert_eq!(store_config, crate::store::StoreConfig::default());
        let (mut names, mut clients) = (NameServerConfig::default(), ClientConfig::default());
        let mut consumers = ConsumerConfig::default();
        for key in &name_server {
            names.set(&key.key, &key.value).unwrap();
        }
        for key in &client {
            clients.set(&key.key, &key.value).unwrap();
        }
        for key in &push_consumer {
            consumers.set(&key.key, &key.value).unwrap();
        }
        assert_eq!((names.keys(), clients.keys(), consumers.keys()), (name_server, client, push_consumer));
    }

    /// Values of `config-defaults`: 4.9.8's own.
    #[test]
    fn the_defaults_are_those_of_4_9_8() {
        let keys = keys();
        let find = |list: &[ConfigKey], key: &str| {
            list.iter().find(|found| found.key == key).map(|found| (found.value.clone(), found.wanted.clone()))
        };
        let is = |value: &str, wanted: &str| Some((value.to_owned(), wanted.to_owned()));
        assert_eq!(find(&keys.name_server, "listenPort"), is("9876", "a whole number"));
        assert_eq!(find(&keys.broker, "brokerClusterName"), is("DefaultCluster", "text"));
        assert_eq!(find(&keys.store, "flushDiskType"), is("ASYNC_FLUSH", "ASYNC_FLUSH or SYNC_FLUSH"));
        assert_eq!(find(&keys.store, "mappedFileSizeCommitLog"), is("1073741824", "a whole number of 32 bits"));
        assert_eq!(find(&keys.client, "sendMsgTimeout"), is("3000", "a whole number"));
        assert_eq!(find(&keys.client, "retryAnotherBrokerWhenNotStoreOK"), is("false", "true or false"));
        assert_eq!(find(&keys.push_consumer, "consumeThreadMin"), is("20", "a whole number"));
        assert_eq!(find(&keys.push_consumer, "pullBatchSize"), is("32", "a whole number"));
    }
}
