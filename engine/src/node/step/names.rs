//! Steps about routes, topics, groups and their administration.

use serde::{Deserialize, Serialize};

/// The trace vocabulary of NameServers and administrators, and of what they change at brokers and clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NamesStep {
    // NameServer.
    /// A broker is in the tables (again).
    BrokerRegistered {
        /// Its name.
        broker_name: String,
        /// Its id; 0 is the master.
        broker_id: i64,
        /// Its address.
        broker_addr: String,
        /// It was not known before.
        first: bool,
        /// The topics whose queue data were created or changed.
        topics_changed: Vec<String>,
    },
    /// A broker is out of the tables.
    BrokerRemoved {
        /// Its address.
        broker_addr: String,
        /// `expired`, `channelClosed` or `unregistered`.
        reason: String,
        /// The topics that have lost their last broker.
        topics_removed: Vec<String>,
    },
    /// A route was looked up.
    RouteFound {
        /// The topic.
        topic: String,
        /// The brokers that hold it.
        brokers: Vec<String>,
    },
    /// No route is known.
    RouteMissing {
        /// The topic.
        topic: String,
    },
    /// A broker asked whether its topics are known as they are (`QUERY_DATA_VERSION`).
    DataVersionCompared {
        /// The broker's address.
        broker_addr: String,
        /// They are not: the broker has to register.
        changed: bool,
    },
    /// The permission of every topic of a broker was changed in the table (`operateWritePermOfBroker`).
    WritePermSet {
        /// The broker's name.
        broker_name: String,
        /// `wiped` or `added`.
        what: String,
        /// So many topics.
        topics: i32,
    },
    /// A topic was taken out of the route table (`RouteInfoManager.deleteTopic`).
    RouteDeleted {
        /// The topic.
        topic: String,
        /// The brokers whose queue data of it are gone.
        brokers: Vec<String>,
    },
    /// The key-value table was changed (`KVConfigManager`).
    KvSet {
        /// The namespace.
        namespace: String,
        /// The key.
        key: String,
        /// The value; `null`: the key is gone.
        value: Option<String>,
    },

    // Broker.
    /// A topic was taken out of the topic table (`deleteTopicConfig`); its queues are removed with their files.
    TopicDeleted {
        /// The topic.
        topic: String,
        /// The table had it.
        known: bool,
    },
    /// A group's settings were set (`updateSubscriptionGroupConfig`).
    GroupSet {
        /// The group.
        group: String,
        /// The group may consume.
        consume_enable: bool,
        /// Queues of its retry topic.
        retry_queue_nums: i32,
        /// Retries before the dead-letter queue.
        retry_max_times: i32,
    },
    /// A group's settings were removed (`deleteSubscriptionGroupConfig`).
    GroupDeleted {
        /// The group.
        group: String,
        /// The table had it.
        known: bool,
        /// Queues whose consumer offset went with it.
        offsets_removed: u32,
    },
    /// A NameServer's key-value table says which topics are ordered (`updateOrderTopicConfig`).
    OrderTopicSet {
        /// The topic.
        topic: String,
        /// It is ordered.
        order: bool,
    },
    /// The NameServers are told of one topic alone (`registerIncrementBrokerData`).
    TopicTold {
        /// The topic.
        topic: String,
    },
    /// New offsets of a group were worked out for its consumers (`Broker2Client.resetOffset`).
    OffsetsReset {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
        /// Consumers that are told.
        consumers: u32,
    },

    // Client.
    /// The client takes another NameServer from here on (`getAndCreateNameserverChannel`).
    NameServerChosen {
        /// The NameServer's node.
        node: String,
        /// The one before; `null`: none was chosen yet.
        before: Option<String>,
    },
    /// Somebody else in the client is asking for a route: this one waits (`MQClientInstance.lockNamesrv`).
    RouteLockTaken {
        /// The topic that it wants the route of.
        topic: String,
    },
    /// The lock was still taken after 3 s: the route is not asked for.
    RouteLockMissed {
        /// The topic.
        topic: String,
    },
    /// A broker tells new offsets of a group, and this consumer does not take them: only a push consumer does
    /// (`MQClientInstance.resetOffset`).
    ResetIgnored {
        /// The group.
        group: String,
        /// The topic.
        topic: String,
    },
    /// Addresses that no known route names were forgotten (`cleanOfflineBroker`).
    BrokersForgotten {
        /// `brokerName/id`, in order.
        brokers: Vec<String>,
    },

    // Administrator.
    /// The tool prints a line.
    CommandSaid {
        /// The line.
        line: String,
    },
    /// The tool's command is over.
    CommandEnded {
        /// The command, as `mqadmin` calls it.
        command: String,
        /// The exception's message; `null`: it went well.
        error: Option<String>,
    },
}
