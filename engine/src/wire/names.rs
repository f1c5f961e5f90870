//! Requests and answers of NameServers and administrators, under the names that 4.9.8 gives the fields.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{BrokerData, DataVersion, TopicConfig};

/// The namespace of order configurations in a NameServer's key-value table (`NAMESPACE_ORDER_TOPIC_CONFIG`).
pub const ORDER_TOPIC_CONFIG: &str = "ORDER_TOPIC_CONFIG";

/// `QueryDataVersionRequestHeader` and its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryDataVersion {
    /// The broker's name.
    pub broker_name: String,
    /// `ip:port`.
    pub broker_addr: String,
    /// The cluster.
    pub cluster_name: String,
    /// 0: master.
    pub broker_id: i64,
    /// State of the broker's topic table.
    pub data_version: DataVersion,
}

/// `QueryDataVersionResponseHeader` and its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataVersionAnswer {
    /// The NameServer does not know the broker, or knows another version.
    pub changed: bool,
    /// The version that it knows.
    pub data_version: Option<DataVersion>,
}

/// `PutKVConfigRequestHeader`; of `GET_KV_CONFIG` and `DELETE_KV_CONFIG` without the value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KvConfig {
    /// The namespace.
    pub namespace: String,
    /// The key.
    pub key: String,
    /// The value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// `WipeWritePermOfBrokerRequestHeader` and `AddWritePermOfBrokerRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokerRef {
    /// The broker's name.
    pub broker_name: String,
}

/// `DeleteTopicRequestHeader`, and `DeleteTopicFromNamesrvRequestHeader` with the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteTopic {
    /// The topic.
    pub topic: String,
    /// Only what this cluster's brokers have of it; of a NameServer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_name: Option<String>,
}

/// `CreateTopicRequestHeader`. Its `defaultTopic` is never looked at; nor is `order`, which a broker learns from the
/// NameServers' key-value table alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateTopic {
    /// The topic as it is to be.
    #[serde(flatten)]
    pub config: TopicConfig,
}

/// `DeleteSubscriptionGroupRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteGroup {
    /// The group.
    pub group_name: String,
    /// Its consumer offsets go with it.
    pub remove_offset: bool,
}

/// `ResetOffsetRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResetOffset {
    /// The topic.
    pub topic: String,
    /// The consumer group.
    pub group: String,
    /// To the messages stored at this time and after, milliseconds since the epoch; -1: to the end.
    pub timestamp: i64,
    /// Forwards too, not only back.
    #[serde(rename = "isForce")]
    pub force: bool,
}

/// `ResetOffsetRequestHeader` with `ResetOffsetBody`: a broker tells a consumer where its group is to read on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResetConsumerClientOffset {
    /// The topic.
    pub topic: String,
    /// The group.
    pub group: String,
    /// The time that was asked for, milliseconds since the epoch; -1 is the end.
    pub timestamp: i64,
    /// The broker's name.
    pub broker_name: String,
    /// Offsets by queue.
    pub offset_table: BTreeMap<i32, i64>,
}

/// `GetConsumeStatsRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetConsumeStats {
    /// The consumer group.
    pub consumer_group: String,
    /// Only this topic; absent: every topic that the group has offsets of.
    pub topic: Option<String>,
}

/// The settings of a consumer group (`SubscriptionGroupConfig`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupConfig {
    /// The group.
    pub group_name: String,
    /// The group may consume.
    pub consume_enable: bool,
    /// Consume from the first offset.
    pub consume_from_min_enable: bool,
    /// The group may consume as broadcast.
    pub consume_broadcast_enable: bool,
    /// Queues of its retry topic.
    pub retry_queue_nums: i32,
    /// Retries before the dead-letter queue.
    pub retry_max_times: i32,
    /// Whom to pull from: 0, the master.
    pub broker_id: i64,
    /// Whom to pull from when the messages are no longer in memory.
    pub which_broker_when_consume_slowly: i64,
    /// Tell the group's members when they change.
    pub notify_consumer_ids_changed_enable: bool,
}

impl GroupConfig {
    /// A group with 4.9.8's defaults.
    pub fn new(group: &str) -> Self {
        Self {
            group_name: group.to_owned(),
            consume_enable: true,
            consume_from_min_enable: true,
            consume_broadcast_enable: true,
            retry_queue_nums: 1,
            retry_max_times: 16,
            broker_id: 0,
            which_broker_when_consume_slowly: 1,
            notify_consumer_ids_changed_enable: true,
        }
    }
}

/// `ClusterInfo`: the answer to `GET_BROKER_CLUSTER_INFO`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterInfo {
    /// Broker name to addresses.
    pub broker_addr_table: BTreeMap<String, BrokerData>,
    /// Cluster to broker names.
    pub cluster_addr_table: BTreeMap<String, BTreeSet<String>>,
}

impl ClusterInfo {
    /// The addresses of a cluster's masters (`CommandUtil.fetchMasterAddrByClusterName`), by broker name. Brokers without
    /// a master are left out; `None` if there is no such cluster.
    pub fn masters(&self, cluster: &str) -> Option<Vec<String>> {
        let names = self.cluster_addr_table.get(cluster)?;
        let brokers = names.iter().filter_map(|name| self.broker_addr_table.get(name));
        Some(brokers.filter_map(|broker| broker.broker_addrs.get(&0).cloned()).collect())
    }

    /// The broker at an address (`CommandUtil.fetchBrokerNameByAddr`).
    pub fn name_at(&self, addr: &str) -> Option<&str> {
        let mut brokers = self.broker_addr_table.values();
        let broker = brokers.find(|broker| broker.broker_addrs.values().any(|known| known == addr))?;
        Some(&broker.broker_name)
    }
}

/// What a queue and a group's progress in it are (`OffsetWrapper`, `TopicOffset`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueStats {
    /// The queue.
    pub queue_id: i32,
    /// The end of the queue.
    pub broker_offset: i64,
    /// The group's next offset to read, 0 where it has none; of `GET_TOPIC_STATS_INFO` the queue's first offset.
    pub consumer_offset: i64,
}
