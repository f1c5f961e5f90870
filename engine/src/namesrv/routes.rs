//! The route tables (`RouteInfoManager`).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::BROKER_EXPIRED_MS;
use crate::{
    node::ConnId,
    wire::{
        BrokerData, ClusterInfo, DataVersion, PERM_READ, PERM_WRITE, QueueData, RegisterBroker, RegisterBrokerResponse,
        TopicConfig, TopicRouteData, UnregisterBroker,
    },
};

/// What a NameServer knows of a broker that lives (`BrokerLiveInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerLive {
    /// Its last registration, by the NameServer's clock, milliseconds since the epoch.
    pub last_update_ms: i64,
    /// State of the topic table that it registered.
    pub data_version: DataVersion,
    /// The connection it registers over.
    pub conn: ConnId,
    /// Its replication address.
    pub ha_server_addr: String,
    /// Its registrations go on unseen, so it cannot expire.
    parked: bool,
}

/// What a registration did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The broker, or this address of it, was not known.
    pub first: bool,
    /// Topics whose queue data were created or changed.
    pub topics_changed: Vec<String>,
    /// The answer.
    pub answer: RegisterBrokerResponse,
}

/// A broker address that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// `ip:port`.
    pub broker_addr: String,
    /// Topics that no broker holds any more.
    pub topics_removed: Vec<String>,
}

/// The tables, one for each of `RouteInfoManager`'s. The filter-server table is left out: 4.9.8's filter servers are
/// legacy and nothing here starts one.
#[derive(Clone, Debug, Default)]
pub struct RouteTables {
    /// The queues of a topic by broker name, in order; shared by copies until one of them changes them.
    topic_queues: BTreeMap<String, Arc<Vec<QueueData>>>,
    broker_addrs: BTreeMap<String, BrokerData>,
    clusters: BTreeMap<String, BTreeSet<String>>,
    live: BTreeMap<String, BrokerLive>,
}

/// Where the queues of a broker name are among those of a topic, or would be.
fn place_of(brokers: &[QueueData], broker_name: &str) -> Result<usize, usize> {
    brokers.binary_search_by(|queues| queues.broker_name.as_str().cmp(broker_name))
}

impl RouteTables {
    /// Topic to queues, one entry for each broker name that has the topic, in their order (`topicQueueTable`).
    pub const fn topic_queues(&self) -> &BTreeMap<String, Arc<Vec<QueueData>>> {
        &self.topic_queues
    }

    /// Broker name to addresses (`brokerAddrTable`).
    pub const fn broker_addrs(&self) -> &BTreeMap<String, BrokerData> {
        &self.broker_addrs
    }

    /// Cluster to broker names (`clusterAddrTable`).
    pub const fn clusters(&self) -> &BTreeMap<String, BTreeSet<String>> {
        &self.clusters
    }

    /// Address to what is known of the broker there (`brokerLiveTable`).
    pub const fn live(&self) -> &BTreeMap<String, BrokerLive> {
        &self.live
    }

    /// A registration (`registerBroker`).
    pub(super) fn register(&mut self, request: &RegisterBroker, conn: ConnId, now_ms: i64) -> Registered {
        let (name, addr, id) = (&request.broker_name, &request.broker_addr, request.broker_id);
        self.clusters.entry(request.cluster_name.clone()).or_default().insert(name.clone());
        let mut first = !self.broker_addrs.contains_key(name);
        let broker = self.broker_addrs.entry(name.clone()).or_insert_with(|| BrokerData {
            cluster: request.cluster_name.clone(),
            broker_name: name.clone(),
            broker_addrs: BTreeMap::new(),
        });
        // The same address under another id is a slave that became master.
        broker.broker_addrs.retain(|known, known_addr| known_addr != addr || *known == id);
        first |= broker.broker_addrs.insert(id, addr.clone()).is_none();
        let master = broker.broker_addrs.get(&0).cloned();

        let mut topics_changed = Vec::new();
        let known = self.live.get(addr);
        if id == 0 && (first || known.is_none_or(|live| live.data_version != request.data_version)) {
            for topic in &request.topic_config_table {
                if self.put_queues(name, topic) {
                    topics_changed.push(topic.topic_name.clone());
                }
            }
        }
        self.live.insert(
            addr.clone(),
            BrokerLive {
                last_update_ms: now_ms,
                data_version: request.data_version,
                conn,
                ha_server_addr: request.ha_server_addr.clone(),
                parked: false,
            },
        );
        let mut answer = RegisterBrokerResponse::default();
        if id != 0
            && let Some(master) = master
            && let Some(live) = self.live.get(&master)
        {
            answer.ha_server_addr.clone_from(&live.ha_server_addr);
            answer.master_addr = master;
        }
        Registered { first, topics_changed, answer }
    }

    /// `createAndUpdateQueueData`: whether it changed anything.
    fn put_queues(&mut self, broker_name: &str, topic: &TopicConfig) -> bool {
        let queues = QueueData {
            broker_name: broker_name.to_owned(),
            read_queue_nums: topic.read_queue_nums,
            write_queue_nums: topic.write_queue_nums,
            perm: topic.perm,
            topic_sys_flag: topic.topic_sys_flag,
        };
        let brokers = self.topic_queues.entry(topic.topic_name.clone()).or_default();
        match place_of(brokers, broker_name) {
            Ok(place) if brokers.get(place) == Some(&queues) => return false,
            Ok(place) => {
                if let Some(known) = Arc::make_mut(brokers).get_mut(place) {
                    *known = queues;
                }
            }
            Err(place) => Arc::make_mut(brokers).insert(place, queues),
        }
        true
    }

    /// `unregisterBroker`: whatever address has the id goes, whoever says goodbye.
    pub(super) fn unregister(&mut self, request: &UnregisterBroker) -> Option<Removed> {
        self.live.remove(&request.broker_addr);
        let broker = self.broker_addrs.get_mut(&request.broker_name)?;
        let gone = broker.broker_addrs.remove(&request.broker_id);
        let topics_removed = self.forget_if_empty(&request.broker_name);
        Some(Removed { broker_addr: gone?, topics_removed })
    }

    /// A connection is gone (`onChannelDestroy`): so is the broker that registered over it.
    pub(super) fn destroy(&mut self, conn: ConnId) -> Vec<Removed> {
        let gone = self.live.iter().filter(|(_, live)| live.conn == conn).map(|(addr, _)| addr.clone());
        gone.collect::<Vec<_>>().iter().map(|addr| self.remove(addr)).collect()
    }

    /// Brokers that have been silent for more than [`BROKER_EXPIRED_MS`] are removed (`scanNotActiveBroker`); their
    /// connections are to be closed.
    pub(super) fn expire(&mut self, now_ms: i64) -> (Vec<Removed>, Vec<ConnId>) {
        let silent = |live: &BrokerLive| live.last_update_ms.saturating_add(BROKER_EXPIRED_MS) < now_ms;
        let (addrs, conns): (Vec<String>, Vec<ConnId>) = self
            .live
            .iter()
            .filter(|(_, live)| !live.parked && silent(live))
            .map(|(addr, live)| (addr.clone(), live.conn))
            .unzip();
        (addrs.iter().map(|addr| self.remove(addr)).collect(), conns)
    }

    /// The earliest time at which a scan would remove a broker, milliseconds since the epoch.
    pub(super) fn next_expiry_ms(&self) -> Option<i64> {
        let unparked = self.live.values().filter(|live| !live.parked);
        unparked.map(|live| live.last_update_ms.saturating_add(BROKER_EXPIRED_MS + 1)).min()
    }

    pub(super) fn renewed(&mut self, conn: ConnId, at_ms: i64, parked: bool) {
        for live in self.live.values_mut().filter(|live| live.conn == conn) {
            live.last_update_ms = live.last_update_ms.max(at_ms);
            live.parked = parked;
        }
    }

    /// Takes an address out of every table.
    fn remove(&mut self, addr: &str) -> Removed {
        self.live.remove(addr);
        let named = |broker: &BrokerData| broker.broker_addrs.values().any(|known| known == addr);
        let name = self.broker_addrs.iter().find(|(_, broker)| named(broker)).map(|(name, _)| name.clone());
        let mut topics_removed = Vec::new();
        if let Some(name) = name {
            if let Some(broker) = self.broker_addrs.get_mut(&name) {
                broker.broker_addrs.retain(|_, known| known != addr);
            }
            topics_removed = self.forget_if_empty(&name);
        }
        Removed { broker_addr: addr.to_owned(), topics_removed }
    }

    /// Queue data go only with the last address of a broker name; the topics that nobody has any more.
    fn forget_if_empty(&mut self, name: &str) -> Vec<String> {
        let mut topics_removed = Vec::new();
        if self.broker_addrs.get(name).is_none_or(|broker| !broker.broker_addrs.is_empty()) {
            return topics_removed;
        }
        self.broker_addrs.remove(name);
        for brokers in self.clusters.values_mut() {
            brokers.remove(name);
        }
        self.clusters.retain(|_, brokers| !brokers.is_empty());
        self.topic_queues.retain(|topic, brokers| {
            if let Ok(place) = place_of(brokers, name) {
                if brokers.len() == 1 {
                    topics_removed.push(topic.clone());
                    return false;
                }
                Arc::make_mut(brokers).remove(place);
            }
            !brokers.is_empty()
        });
        topics_removed
    }

    /// The version of the topic table that a broker registered (`queryBrokerTopicConfig`).
    pub(super) fn version_of(&self, addr: &str) -> Option<DataVersion> {
        self.live.get(addr).map(|live| live.data_version)
    }

    /// A broker is alive and has nothing new to tell (`updateBrokerInfoUpdateTimestamp`).
    pub(super) fn touch(&mut self, addr: &str, now_ms: i64) {
        if let Some(live) = self.live.get_mut(addr) {
            live.last_update_ms = now_ms;
            live.parked = false;
        }
    }

    /// Takes the permission to write from all topics of a broker, or gives all of them the permission to read and write
    /// (`operateWritePermOfBroker`): how many topics, and whether that changed anything.
    pub(super) fn set_write_perm(&mut self, broker_name: &str, write: bool) -> (i32, bool) {
        let (mut topics, mut changed) = (0_i32, false);
        let places = self.topic_queues.values_mut().filter_map(|brokers| {
            let place = place_of(brokers, broker_name).ok()?;
            Arc::make_mut(brokers).get_mut(place)
        });
        for queues in places {
            let perm = if write { PERM_READ | PERM_WRITE } else { queues.perm & !PERM_WRITE };
            changed |= perm != queues.perm;
            queues.perm = perm;
            topics = topics.saturating_add(1);
        }
        (topics, changed)
    }

    /// Takes a topic out (`deleteTopic`), with a cluster only what its brokers have of it; those brokers.
    pub(super) fn delete_topic(&mut self, topic: &str, cluster: Option<&str>) -> Vec<String> {
        let Some(brokers) = self.topic_queues.get_mut(topic) else { return Vec::new() };
        let names = cluster.map(|cluster| self.clusters.get(cluster).cloned().unwrap_or_default());
        let goes = |name: &String| names.as_ref().is_none_or(|names| names.contains(name));
        let gone = brokers.iter().map(|queues| &queues.broker_name).filter(|name| goes(name)).cloned().collect();
        Arc::make_mut(brokers).retain(|queues| !goes(&queues.broker_name));
        if brokers.is_empty() {
            self.topic_queues.remove(topic);
        }
        gone
    }

    /// All brokers and clusters (`getAllClusterInfo`).
    pub(super) fn cluster_info(&self) -> ClusterInfo {
        ClusterInfo { broker_addr_table: self.broker_addrs.clone(), cluster_addr_table: self.clusters.clone() }
    }

    /// The route of a topic (`pickupTopicRouteData`): needs queues and at least one broker that lives.
    pub fn route(&self, topic: &str) -> Option<TopicRouteData> {
        let queues = self.topic_queues.get(topic)?;
        let broker_datas: Vec<BrokerData> =
            queues.iter().filter_map(|queues| self.broker_addrs.get(&queues.broker_name)).cloned().collect();
        if broker_datas.is_empty() {
            return None;
        }
        Some(TopicRouteData { order_topic_conf: None, queue_datas: queues.to_vec(), broker_datas })
    }
}
