//! One setting changed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::sim::{BrokerSpec, Cluster, ConsumerSpec, StoreSpec};

/// What the second of two runs has otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Change {
    /// A configuration key of a node has another value.
    Config {
        /// The node.
        node: String,
        /// RocketMQ's key.
        key: String,
        /// The value; absent: the key is not set, and has its default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// A master has one slave more, configured as the master is; its `brokerId` is the next that is free.
    AddSlave {
        /// The master's node.
        master: String,
    },
    /// A consumer group has one member more, which is as the one named.
    AddConsumer {
        /// The consumer that it is like.
        like: String,
    },
    /// A node is not there.
    RemoveNode {
        /// The node.
        node: String,
    },
    /// The row by which a listener knows that it has done a message before has another key.
    RecordKey {
        /// The consumer.
        consumer: String,
        /// The key: a text with `{msgId}`, `{keys}` or the name of a property in it.
        key: String,
    },
    /// The world's generators begin with another number.
    Seed {
        /// The number.
        seed: u64,
    },
}

/// Why a change does not fit a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ChangeError {
    /// No node has this name.
    #[error("there is no node `{node}`")]
    NoSuchNode {
        /// The name.
        node: String,
    },
    /// The node is of a kind that has no configuration.
    #[error("`{node}` has no configuration")]
    NoConfig {
        /// The node.
        node: String,
    },
    /// The node is no broker that others can follow.
    #[error("`{node}` is not a master")]
    NotMaster {
        /// The node.
        node: String,
    },
    /// The node is no consumer.
    #[error("`{node}` is not a consumer")]
    NotConsumer {
        /// The node.
        node: String,
    },
    /// The consumer's listener keeps no record of what it has done.
    #[error("the listener of `{node}` keeps no record")]
    NoRecord {
        /// The consumer.
        node: String,
    },
    /// It is so already.
    #[error("nothing is changed: it is so already")]
    Nothing,
}

impl Change {
    /// The cluster and the seed with the change.
    ///
    /// # Errors
    /// If it does not fit, or changes nothing. Whether the cluster can then be built is not looked at.
    pub fn applied(&self, cluster: &Cluster, seed: u64) -> Result<(Cluster, u64), ChangeError> {
        let mut changed = cluster.clone();
        let mut changed_seed = seed;
        match self {
            Self::Config { node, key, value } => {
                let config = config_of(&mut changed, node)?;
                match value {
                    Some(value) => config.insert(key.clone(), value.clone()),
                    None => config.remove(key),
                };
            }
            Self::AddSlave { master } => {
                let slave = slave_of(&changed, master)?;
                changed.brokers.push(slave);
            }
            Self::AddConsumer { like } => {
                let spec = changed.consumers.iter().find(|spec| spec.name == *like);
                let spec = spec.ok_or_else(|| ChangeError::NotConsumer { node: like.clone() })?;
                let (group, name) = (group_of(spec), free_name(&changed, like));
                let member = ConsumerSpec { name, group, ..spec.clone() };
                changed.consumers.push(member);
            }
            Self::RemoveNode { node } => remove(&mut changed, node)?,
            Self::RecordKey { consumer, key } => {
                let spec = changed.consumers.iter_mut().find(|spec| spec.name == *consumer);
                let spec = spec.ok_or_else(|| ChangeError::NotConsumer { node: consumer.clone() })?;
                let business = spec.push.as_mut().and_then(|push| push.listener.business.as_mut());
                let record = business.and_then(|business| business.record.as_mut());
                record.ok_or_else(|| ChangeError::NoRecord { node: consumer.clone() })?.key.clone_from(key);
            }
            Self::Seed { seed } => changed_seed = *seed,
        }
        if changed == *cluster && changed_seed == seed {
            return Err(ChangeError::Nothing);
        }
        Ok((changed, changed_seed))
    }
}

fn names(cluster: &Cluster) -> impl Iterator<Item = &str> {
    let names = cluster.name_servers.iter().map(|spec| &spec.name);
    let names = names.chain(cluster.brokers.iter().map(|spec| &spec.name));
    let names = names.chain(cluster.producers.iter().map(|spec| &spec.name));
    let names = names.chain(cluster.consumers.iter().map(|spec| &spec.name));
    let names = names.chain(cluster.databases.iter().map(|spec| &spec.name));
    names.chain(cluster.administrators.iter().map(|spec| &spec.name)).map(String::as_str)
}

/// `like-2`, or the next number that nobody has.
fn free_name(cluster: &Cluster, like: &str) -> String {
    let taken = |name: &String| names(cluster).any(|other| other == name);
    let numbered = (2_u32..).map(|number| format!("{like}-{number}"));
    numbered.into_iter().find(|name| !taken(name)).unwrap_or_else(|| like.to_owned())
}

fn group_of(spec: &ConsumerSpec) -> String {
    if spec.group.is_empty() { format!("CG_{}", spec.name) } else { spec.group.clone() }
}

fn config_of<'c>(cluster: &'c mut Cluster, node: &str) -> Result<&'c mut BTreeMap<String, String>, ChangeError> {
    let known = names(cluster).any(|name| name == node);
    let configs = cluster.name_servers.iter_mut().map(|spec| (&spec.name, &mut spec.config));
    let configs = configs.chain(cluster.brokers.iter_mut().map(|spec| (&spec.name, &mut spec.config)));
    let configs = configs.chain(cluster.producers.iter_mut().map(|spec| (&spec.name, &mut spec.config)));
    let mut configs = configs.chain(cluster.consumers.iter_mut().map(|spec| (&spec.name, &mut spec.config)));
    let found = configs.find(|(name, _)| *name == node).map(|(_, config)| config);
    found.ok_or_else(|| {
        let node = node.to_owned();
        if known { ChangeError::NoConfig { node } } else { ChangeError::NoSuchNode { node } }
    })
}

fn slave_of(cluster: &Cluster, master: &str) -> Result<BrokerSpec, ChangeError> {
    let spec = cluster.brokers.iter().find(|spec| spec.name == master);
    let spec = spec.ok_or_else(|| ChangeError::NoSuchNode { node: master.to_owned() })?;
    let id = |spec: &BrokerSpec| spec.config.get("brokerId").and_then(|id| id.parse::<u64>().ok()).unwrap_or(0);
    if id(spec) != 0 || spec.config.get("brokerRole").is_some_and(|role| role == "SLAVE") {
        return Err(ChangeError::NotMaster { node: master.to_owned() });
    }
    let broker_name = |spec: &BrokerSpec| spec.config.get("brokerName").unwrap_or(&spec.name).clone();
    let set = broker_name(spec);
    let ids = cluster.brokers.iter().filter(|other| broker_name(other) == set).map(id);
    let next = ids.max().unwrap_or(0).saturating_add(1);
    let mut config = spec.config.clone();
    // Its addresses are its own.
    for key in ["brokerIP1", "brokerIP2", "listenPort", "haListenPort", "haMasterAddress"] {
        config.remove(key);
    }
    for (key, value) in [("brokerRole", "SLAVE".to_owned()), ("brokerId", next.to_string()), ("brokerName", set)] {
        config.insert(key.to_owned(), value);
    }
    let name = free_name(cluster, &format!("{master}-s"));
    Ok(BrokerSpec { name, config, topics: Vec::new(), store: StoreSpec::default(), ..spec.clone() })
}

fn remove(cluster: &mut Cluster, node: &str) -> Result<(), ChangeError> {
    if !names(cluster).any(|name| name == node) {
        return Err(ChangeError::NoSuchNode { node: node.to_owned() });
    }
    cluster.name_servers.retain(|spec| spec.name != node);
    cluster.brokers.retain(|spec| spec.name != node);
    cluster.producers.retain(|spec| spec.name != node);
    cluster.consumers.retain(|spec| spec.name != node);
    cluster.databases.retain(|spec| spec.name != node);
    cluster.administrators.retain(|spec| spec.name != node);
    Ok(())
}
