//! The description of a world before its first event.

mod consumer;
mod database;
mod listener;
mod planted;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Action, ImportSpec};
use crate::{node::Costs, planted::PlantedFault};

pub use consumer::{PushSpec, SubscriptionSpec};
pub use database::{DatabaseSpec, OutboxSpec};
pub use listener::ListenerSpec;

/// A cluster: nodes, their configuration by RocketMQ's own keys, topics, and what their disks hold at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Cluster {
    /// Wall clock at virtual time 0, milliseconds since the epoch.
    pub start_ms: i64,
    /// The NameServers.
    pub name_servers: Vec<NameServerSpec>,
    /// The brokers.
    pub brokers: Vec<BrokerSpec>,
    /// The producers.
    pub producers: Vec<ProducerSpec>,
    /// The consumers.
    pub consumers: Vec<ConsumerSpec>,
    /// The databases of applications.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<DatabaseSpec>,
    /// The administrators.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub administrators: Vec<AdministratorSpec>,
    /// Latencies and processing costs.
    pub costs: Costs,
    /// Whether the run begins with the cluster already started, or with the start itself.
    pub begin: Begin,
    /// What is done before the run begins, each after the one before has come to rest: a cluster that is not as a clean
    /// start leaves it. Virtual time then begins where the last of them left it. Only with [`Begin::Settled`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Action>,
    /// Wrong behaviours that are switched on, everywhere where they apply. None of them is RocketMQ's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub planted: Vec<PlantedFault>,
    /// Show every periodic exchange (registration, heartbeat, route poll) as events of its own, even where it changes
    /// nothing. Otherwise such rounds are parked until something disturbs them; the state is the same.
    pub show_quiet_rounds: bool,
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            start_ms: 1_700_000_000_000,
            name_servers: Vec::new(),
            brokers: Vec::new(),
            producers: Vec::new(),
            consumers: Vec::new(),
            databases: Vec::new(),
            administrators: Vec::new(),
            costs: Costs::default(),
            begin: Begin::Settled,
            before: Vec::new(),
            planted: Vec::new(),
            show_quiet_rounds: false,
        }
    }
}

/// Where a run begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Begin {
    /// The start-up is over: event 0 is the first thing that happens afterwards.
    #[default]
    Settled,
    /// Event 0 is the first of the start-up.
    Cold,
}

/// A NameServer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NameServerSpec {
    /// The node's name.
    pub name: String,
    /// Configuration by RocketMQ's keys.
    pub config: BTreeMap<String, String>,
    /// How far the node's wall clock is ahead of the world's, milliseconds.
    pub skew_ms: i64,
}

/// A broker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BrokerSpec {
    /// The node's name; also its `brokerName` unless the configuration says otherwise.
    pub name: String,
    /// Configuration by RocketMQ's keys: `MessageStoreConfig` and `BrokerConfig`.
    pub config: BTreeMap<String, String>,
    /// Topics that exist before the start.
    pub topics: Vec<TopicSpec>,
    /// What the store holds before the start.
    pub store: StoreSpec,
    /// The disk of the machine.
    pub disk: DiskSpec,
    /// How far the node's wall clock is ahead of the world's, milliseconds.
    pub skew_ms: i64,
}

/// A topic that exists before the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TopicSpec {
    /// Its name.
    pub name: String,
    /// Queues that may be read.
    pub read_queues: i32,
    /// Queues that may be written.
    pub write_queues: i32,
    /// Permission bits: 4 read, 2 write.
    pub perm: i32,
}

impl Default for TopicSpec {
    fn default() -> Self {
        Self { name: String::new(), read_queues: 4, write_queues: 4, perm: 6 }
    }
}

/// What a store holds before the start: written by a broker that was stopped cleanly before the world begins, so
/// everything is dispatched and flushed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct StoreSpec {
    /// Where the CommitLog begins, a multiple of `mappedFileSizeCommitLog`: the files before were deleted long ago.
    pub begin_offset: i64,
    /// One real record of exactly this length, of the topic [`PREFIX_TOPIC`]: the CommitLog then ends at this offset.
    /// 0: no record.
    pub prefix_bytes: i32,
    /// So many records more of the topic [`PREFIX_TOPIC`], of `prefix_message_size` bytes each.
    pub prefix_messages: u32,
    /// Length of each of the `prefix_messages`, bytes.
    pub prefix_message_size: i32,
    /// Records after those, of the broker's own topics, in order.
    pub records: Vec<RecordSpec>,
    /// A store that somebody brings, in place of all that: the broker starts on its bytes, and finds its topics there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import: Option<ImportSpec>,
}

/// Records of one queue that a store holds before the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RecordSpec {
    /// The topic: one of the broker's.
    pub topic: String,
    /// The queue.
    pub queue: i32,
    /// The tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The keys, separated by spaces. `{n}` stands for the record's place in the store, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<String>,
    /// Length of each record, bytes.
    pub size: i32,
    /// How many.
    pub count: u32,
    /// Queue offset of the first of them, if it is not the next: the queue's earlier messages are gone, and its
    /// ConsumeQueue begins as 4.9.8 makes it when it is built anew from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_offset: Option<i64>,
    /// How long before the world begins they were stored, dispatched and flushed, milliseconds: an hour, when the
    /// store was stopped, or longer.
    pub ago_ms: i64,
}

impl Default for RecordSpec {
    fn default() -> Self {
        Self {
            topic: String::new(),
            queue: 0,
            tag: None,
            keys: None,
            size: 0,
            count: 1,
            queue_offset: None,
            ago_ms: EARLIER_MS,
        }
    }
}

/// How long before the world begins a starting store was stopped, milliseconds.
pub(super) const EARLIER_MS: i64 = 3_600_000;

/// The disk of a broker's machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DiskSpec {
    /// Its size in bytes, in which the store's files count with their lengths. Absent: without limit, and never in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_bytes: Option<u64>,
    /// Bytes on it that are not the store's.
    pub other_bytes: u64,
}

/// The topic of the records that a starting store is filled with.
pub const PREFIX_TOPIC: &str = "Earlier";

/// A producer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ProducerSpec {
    /// The node's name.
    pub name: String,
    /// The producer group; `PG_<name>` when empty.
    pub group: String,
    /// A whole client, or a bare sender.
    pub sender: SenderKind,
    /// The node of the broker that a bare sender sends to; the first broker when empty.
    pub broker: String,
    /// The outbox that it relays from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outbox: Option<OutboxSpec>,
    /// Its application's `TransactionListener`; without one it cannot send in transactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listener: Option<ListenerSpec>,
    /// Configuration by RocketMQ's keys: `sendMsgTimeout`, `retryTimesWhenSendFailed` ...
    pub config: BTreeMap<String, String>,
    /// How far the node's wall clock is ahead of the world's, milliseconds.
    pub skew_ms: i64,
}

/// What kind of sender a producer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SenderKind {
    /// The Java client: route from the NameServer, `UNIQ_KEY`, queue selection, retries.
    #[default]
    Client,
    /// Sends `SEND_MESSAGE` to the broker's address, with nothing added.
    Bare,
}

/// A consumer: one that pulls when it is told to, or one whose client pulls for a listener.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ConsumerSpec {
    /// The node's name.
    pub name: String,
    /// The consumer group; `CG_<name>` when empty.
    pub group: String,
    /// What makes it a push consumer; absent: it pulls when it is told to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push: Option<Box<PushSpec>>,
    /// Its process is not started with the cluster, but by [`Action::Start`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub down: bool,
    /// Configuration by RocketMQ's keys.
    pub config: BTreeMap<String, String>,
    /// How far the node's wall clock is ahead of the world's, milliseconds.
    pub skew_ms: i64,
}

/// An administrator with his tool, `mqadmin`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AdministratorSpec {
    /// The node's name.
    pub name: String,
    /// How far the node's wall clock is ahead of the world's, milliseconds.
    pub skew_ms: i64,
}

/// A cluster that cannot be built: where, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{place}: {cause}")]
pub struct ClusterError {
    /// The node, and the key or part of it.
    pub place: String,
    /// What is wrong.
    pub cause: String,
}

pub(super) fn fail(place: &str, cause: impl Into<String>) -> ClusterError {
    ClusterError { place: place.to_owned(), cause: cause.into() }
}
