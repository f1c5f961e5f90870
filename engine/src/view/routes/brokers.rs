//! The brokers' own tables of topics and groups, and in what a NameServer's table differs from them.

use serde::{Deserialize, Serialize};

use super::{NameServerRoutes, REPLY_SUFFIX};
use crate::{
    broker::{Broker, is_system_group, is_system_topic},
    sim::NodeRef,
    wire::{DataVersion, GroupConfig, QueueData, TopicConfig},
};

/// A broker's own tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokerTables {
    /// Its node.
    pub node: String,
    /// The name that it registers.
    pub broker_name: String,
    /// 0: master. NameServers take topics from masters only.
    pub broker_id: i64,
    /// State of its topic table.
    pub data_version: DataVersion,
    /// Its topics, by name.
    pub topics: Vec<OwnTopic>,
    /// Its consumer groups, by name.
    pub groups: Vec<OwnGroup>,
}

/// A topic in a broker's own table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnTopic {
    /// The topic.
    pub topic: String,
    /// Whether the broker made it for itself.
    pub system: bool,
    /// Whether it is an order topic.
    pub order: bool,
    /// Its queues, as a NameServer would hold them.
    pub queues: QueueData,
}

/// A consumer group in a broker's own table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnGroup {
    /// Whether the broker made it for itself.
    pub system: bool,
    /// Its settings.
    pub config: GroupConfig,
}

/// A difference between a NameServer's table and a master's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Unlike {
    /// The NameServer does not know the broker.
    NoBroker {
        /// The broker's name.
        broker_name: String,
    },
    /// The broker has a topic that the NameServer does not know to be there.
    Unregistered {
        /// The broker's name.
        broker_name: String,
        /// The topic.
        topic: String,
    },
    /// They have other numbers of queues, or another permission.
    Queues {
        /// The topic.
        topic: String,
        /// What the broker has.
        own: QueueData,
        /// What the NameServer has.
        registered: QueueData,
    },
    /// The NameServer knows a topic at the broker that is not in its table: a registration adds, and never takes away.
    Kept {
        /// The broker's name.
        broker_name: String,
        /// The topic.
        topic: String,
    },
}

/// The tables of a broker that runs.
pub(super) fn tables(node: NodeRef<'_>, broker: &Broker) -> Option<BrokerTables> {
    let process = broker.process()?;
    let config = broker.config();
    let (name, cluster) = (&config.broker_name, &config.broker_cluster_name);
    let own = |topic: &str| {
        topic == name || topic == cluster || topic.strip_suffix(REPLY_SUFFIX) == Some(cluster) || is_system_topic(topic)
    };
    let topic = |topic: &TopicConfig| OwnTopic {
        topic: topic.topic_name.clone(),
        system: own(&topic.topic_name),
        order: topic.order,
        queues: QueueData {
            broker_name: name.clone(),
            read_queue_nums: topic.read_queue_nums,
            write_queue_nums: topic.write_queue_nums,
            perm: topic.perm,
            topic_sys_flag: topic.topic_sys_flag,
        },
    };
    let group = |config: &GroupConfig| OwnGroup { system: is_system_group(&config.group_name), config: config.clone() };
    Some(BrokerTables {
        node: node.name.to_owned(),
        broker_name: name.clone(),
        broker_id: config.broker_id,
        data_version: process.topics().version(),
        topics: process.topics().table().values().map(topic).collect(),
        groups: process.groups().table().values().map(group).collect(),
    })
}

/// In what a NameServer's table differs from those of the masters.
pub(super) fn unlike(server: &NameServerRoutes, brokers: &[BrokerTables]) -> Vec<Unlike> {
    let mut unlike = Vec::new();
    for broker in brokers.iter().filter(|broker| broker.broker_id == 0) {
        let broker_name = &broker.broker_name;
        if !server.brokers.iter().any(|known| known.broker_name == *broker_name) {
            unlike.push(Unlike::NoBroker { broker_name: broker_name.clone() });
            continue;
        }
        for own in broker.topics.iter().filter(|own| !own.system) {
            let known = server.topics.iter().find(|known| known.topic == own.topic);
            let at = known.and_then(|known| known.queue_datas.iter().find(|at| at.broker_name == *broker_name));
            let topic = own.topic.clone();
            match at {
                None => unlike.push(Unlike::Unregistered { broker_name: broker_name.clone(), topic }),
                Some(registered) if *registered != own.queues => {
                    let (own, registered) = (own.queues.clone(), registered.clone());
                    unlike.push(Unlike::Queues { topic, own, registered });
                }
                Some(_) => {}
            }
        }
        let kept = server.topics.iter().filter(|known| {
            !known.system
                && known.queue_datas.iter().any(|at| at.broker_name == *broker_name)
                && !broker.topics.iter().any(|own| own.topic == known.topic)
        });
        unlike.extend(kept.map(|known| Unlike::Kept { broker_name: broker_name.clone(), topic: known.topic.clone() }));
    }
    unlike
}
