//! A node while it is being described.

use std::collections::BTreeMap;

use rocketscope_engine::client::{Keeps, LocalTransactionState};
use rocketscope_engine::sim::{BrokerSpec, ConsumerSpec, ListenerSpec, OutboxSpec, ProducerSpec, TopicSpec};
use serde::{Deserialize, Serialize};

use super::push::Push;
use super::tables::Table;

/// A node being described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its number in the draft; it never changes.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Configuration by RocketMQ's keys, in the order in which it was set.
    pub config: Vec<Setting>,
    /// How far its clock is wrong, milliseconds.
    pub skew: String,
    /// What it is.
    pub what: What,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
}

/// What a node is, and what only such a node has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// A NameServer.
    NameServer,
    /// A broker, with its topics. What its store and disk begin with is kept as it is.
    Broker {
        /// What is not edited.
        rest: Box<BrokerSpec>,
        /// Topics before the start.
        topics: Vec<Topic>,
    },
    /// A producer, and the outbox that it relays from.
    Producer {
        /// What is not text.
        rest: Box<ProducerSpec>,
        /// The outbox.
        outbox: Outbox,
        /// The transaction listener.
        listener: Listener,
    },
    /// A consumer.
    Consumer {
        /// What is not text.
        rest: Box<ConsumerSpec>,
        /// What makes it a push consumer; without, it pulls when it is told to.
        push: Option<Box<Push>>,
    },
    /// A database, with its tables.
    Database(Vec<Table>),
    /// An administrator.
    Administrator,
}

/// A transaction listener being described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listener {
    /// Where it keeps its transactions: `memory` or `database`; `none` where there is no listener.
    pub keeps: String,
    /// The database of its local transactions; none without.
    pub database: String,
    /// The table in it.
    pub table: String,
    /// What it answers about a transaction that it does not find.
    pub not_found: String,
}

impl Listener {
    /// A listener as it is described, or none.
    pub fn of(spec: Option<&ListenerSpec>) -> Self {
        let keeps = match spec.map(|spec| spec.keeps) {
            None => "none",
            Some(Keeps::Memory) => "memory",
            Some(Keeps::Database) => "database",
        };
        let spec = spec.cloned().unwrap_or_default();
        let not_found = match spec.not_found {
            LocalTransactionState::Commit => "commit",
            LocalTransactionState::Rollback => "rollback",
            LocalTransactionState::Unknown => "unknown",
        };
        Self {
            keeps: keeps.to_owned(),
            database: spec.database.unwrap_or_default(),
            table: spec.table,
            not_found: not_found.to_owned(),
        }
    }

    /// The listener, if there is one.
    pub fn read(&self) -> Option<ListenerSpec> {
        let keeps = match self.keeps.as_str() {
            "memory" => Keeps::Memory,
            "database" => Keeps::Database,
            _ => return None,
        };
        let not_found = match self.not_found.as_str() {
            "commit" => LocalTransactionState::Commit,
            "rollback" => LocalTransactionState::Rollback,
            _ => LocalTransactionState::Unknown,
        };
        let database = Some(self.database.clone()).filter(|database| !database.is_empty());
        Some(ListenerSpec { keeps, database, table: self.table.trim().to_owned(), not_found })
    }
}

/// An outbox being described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outbox {
    /// The database; none without.
    pub database: String,
    /// The table.
    pub table: String,
    /// From round to round, milliseconds.
    pub period: String,
    /// Rows of one round at most.
    pub batch: String,
}

impl Outbox {
    /// An outbox as it is described, or none.
    pub fn of(spec: Option<&OutboxSpec>) -> Self {
        let spec = spec.cloned().unwrap_or_default();
        Self {
            database: spec.database,
            table: spec.table,
            period: spec.period_ms.to_string(),
            batch: spec.batch.to_string(),
        }
    }
}

/// The kinds of nodes that can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A NameServer.
    NameServer,
    /// A broker.
    Broker,
    /// A producer.
    Producer,
    /// A consumer.
    Consumer,
    /// A database.
    Database,
    /// An administrator.
    Administrator,
}

impl Kind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::NameServer, Self::Broker, Self::Producer, Self::Consumer, Self::Database, Self::Administrator];

    /// Its name in the catalogue and for tests.
    pub fn name(self) -> &'static str {
        match self {
            Self::NameServer => "nameServer",
            Self::Broker => "broker",
            Self::Producer => "producer",
            Self::Consumer => "consumer",
            Self::Database => "database",
            Self::Administrator => "administrator",
        }
    }

    /// What the first node of the kind is called; others have a number behind.
    pub fn usual_name(self) -> &'static str {
        match self {
            Self::NameServer => "namesrv",
            Self::Broker => "broker",
            Self::Producer => "producer",
            Self::Consumer => "consumer",
            Self::Database => "db",
            Self::Administrator => "admin",
        }
    }

    /// Whether RocketMQ's keys configure such a node.
    pub fn has_config(self) -> bool {
        !matches!(self, Self::Database | Self::Administrator)
    }
}

/// A topic being described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// Queues that may be read.
    pub read: String,
    /// Queues that may be written.
    pub write: String,
    /// Permission bits.
    pub perm: String,
}

impl Node {
    /// Which kind it is.
    pub fn kind(&self) -> Kind {
        match self.what {
            What::NameServer => Kind::NameServer,
            What::Broker { .. } => Kind::Broker,
            What::Producer { .. } => Kind::Producer,
            What::Consumer { .. } => Kind::Consumer,
            What::Database(_) => Kind::Database,
            What::Administrator => Kind::Administrator,
        }
    }

    /// The value of a key, where it is set.
    pub fn setting(&self, key: &str) -> Option<&str> {
        self.config.iter().find(|setting| setting.key == key).map(|setting| setting.value.as_str())
    }

    /// Sets a key; without a value it has its default again.
    pub fn set(&mut self, key: &str, value: Option<String>) {
        match (self.config.iter_mut().find(|setting| setting.key == key), value) {
            (Some(setting), Some(value)) => setting.value = value,
            (None, Some(value)) => self.config.push(Setting { key: key.to_owned(), value }),
            (_, None) => self.config.retain(|setting| setting.key != key),
        }
    }

    /// Whether it is a push consumer.
    pub fn is_push(&self) -> bool {
        matches!(self.what, What::Consumer { push: Some(_), .. })
    }

    /// Whether it is a slave.
    pub fn is_slave(&self) -> bool {
        self.setting("brokerRole") == Some("SLAVE")
    }

    /// Its configuration as the engine takes it.
    pub fn config_map(&self) -> BTreeMap<String, String> {
        self.config.iter().map(|setting| (setting.key.clone(), setting.value.clone())).collect()
    }
}

impl Topic {
    /// A topic as it is described.
    pub fn of(spec: &TopicSpec) -> Self {
        Self {
            name: spec.name.clone(),
            read: spec.read_queues.to_string(),
            write: spec.write_queues.to_string(),
            perm: spec.perm.to_string(),
        }
    }
}

/// A configuration, key by key.
pub fn settings(config: &BTreeMap<String, String>) -> Vec<Setting> {
    config.iter().map(|(key, value)| Setting { key: key.clone(), value: value.clone() }).collect()
}
