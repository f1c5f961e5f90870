//! From a description to nodes.

mod consumers;
mod databases;

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

pub(super) use consumers::{check_listener, expression};

use super::{
    Cluster, ClusterError, Imports, NodeActor, PREFIX_TOPIC, RecordSpec, SenderKind, StoreSpec, World,
    cluster::{AdministratorSpec, BrokerSpec, EARLIER_MS, NameServerSpec, ProducerSpec, fail},
    network::Network,
    queue::Queue,
    world::{Node, WORLD},
};
use crate::{
    broker::{Broker, BrokerConfig, Earlier, EarlierRecords, QUEUES_MAX, read_config, starting_disk},
    client::{Client, ClientConfig, Listener, Outbox, Role, consumer::PushConsumer},
    disk::MemoryDisk,
    message::Host,
    namesrv::{NameServer, NameServerConfig},
    node::{KeyError, Streams},
    store::BrokerRole,
    wire::TopicConfig,
};

/// The first three bytes of the addresses of each kind of node.
#[derive(Clone, Copy)]
enum Subnet {
    NameServer = 1,
    Broker = 2,
    Producer = 3,
    Consumer = 4,
    Administrator = 5,
    Database = 6,
}

/// What an application has beside its client.
#[derive(Default)]
struct Uses {
    outbox: Option<Outbox>,
    listener: Option<Listener>,
    push: Option<PushConsumer>,
}

struct Builder<'a> {
    cluster: &'a Cluster,
    seed: u64,
    imports: &'a Imports,
    nodes: Vec<Node>,
    servers: BTreeMap<String, usize>,
    /// The same for replication.
    ha_servers: BTreeMap<String, usize>,
    names: BTreeSet<String>,
    name_servers: Vec<String>,
    /// `ip:port` by the broker's node.
    brokers: Vec<(String, String)>,
    /// `ip:port` by the database's node.
    databases: Arc<BTreeMap<String, String>>,
}

pub(super) fn build(cluster: &Cluster, seed: u64, imports: &Imports, now_us: i64) -> Result<World, ClusterError> {
    super::limits::check(cluster)?;
    let mut builder = Builder {
        cluster,
        seed,
        imports,
        nodes: Vec::new(),
        servers: BTreeMap::new(),
        ha_servers: BTreeMap::new(),
        names: BTreeSet::new(),
        name_servers: Vec::new(),
        brokers: Vec::new(),
        databases: Arc::default(),
    };
    builder.find_databases()?;
    for (place, spec) in cluster.name_servers.iter().enumerate() {
        builder.name_server(place, spec)?;
    }
    for (place, spec) in cluster.brokers.iter().enumerate() {
        builder.broker(place, spec)?;
    }
    for (place, spec) in cluster.producers.iter().enumerate() {
        builder.producer(place, spec)?;
    }
    for (place, spec) in cluster.consumers.iter().enumerate() {
        builder.consumer(place, spec)?;
    }
    for (place, spec) in cluster.databases.iter().enumerate() {
        builder.database(place, spec)?;
    }
    for (place, spec) in cluster.administrators.iter().enumerate() {
        builder.administrator(place, spec)?;
    }
    let nodes = builder.nodes;
    let listeners = builder.servers.iter().chain(&builder.ha_servers);
    let names = listeners.filter_map(|(addr, node)| Some((addr.clone(), Arc::clone(&nodes.get(*node)?.name))));
    Ok(World {
        cluster: Arc::new(cluster.clone()),
        seed,
        now_us,
        events: 0,
        hash: 0,
        muted: false,
        queue: Queue::default(),
        names: Arc::new(names.collect()),
        servers: Arc::new(builder.servers),
        ha_servers: Arc::new(builder.ha_servers),
        nodes,
        network: Network::default(),
        parked: BTreeSet::new(),
        disturbances: 0,
        polls: super::polls::Polls::default(),
        parked_streams: BTreeMap::new(),
    })
}

fn key_error(place: &str, error: &KeyError) -> ClusterError {
    fail(place, error.to_string())
}

impl Builder<'_> {
    fn name_server(&mut self, place: usize, spec: &NameServerSpec) -> Result<(), ClusterError> {
        let mut config = NameServerConfig::default();
        for (key, value) in &spec.config {
            config.set(key, value).map_err(|error| key_error(&spec.name, &error))?;
        }
        let ip = Self::ip(Subnet::NameServer, place, &spec.name)?;
        let addr = format!("{ip}:{}", config.listen_port);
        self.listen(&spec.name, &addr)?;
        self.name_servers.push(addr);
        self.add(&spec.name, ip, spec.skew_ms, NodeActor::NameServer(Arc::new(NameServer::new(config))))
    }

    fn broker(&mut self, place: usize, spec: &BrokerSpec) -> Result<(), ClusterError> {
        let name = &spec.name;
        let (mut config, mut store_config) = read_config(&spec.config).map_err(|error| key_error(name, &error))?;
        let ip = Self::ip(Subnet::Broker, place, name)?;
        for (value, usual) in [(&mut config.broker_ip1, ip.to_string()), (&mut config.broker_name, name.clone())] {
            if value.is_empty() {
                *value = usual;
            }
        }
        if config.broker_ip2.is_empty() {
            config.broker_ip2.clone_from(&config.broker_ip1);
        }
        if store_config.broker_role != BrokerRole::Slave {
            config.broker_id = 0;
        } else if config.broker_id <= 0 {
            return Err(fail(name, "Slave's brokerId must be > 0"));
        }
        // The start-up code of 4.9.8 sets it so, whatever the configuration says.
        store_config.ha_listen_port = config.listen_port.saturating_add(1);
        store_config.check().map_err(|error| fail(name, error.to_string()))?;
        let host: IpAddr = config.broker_ip1.parse().map_err(|_| fail(name, "brokerIP1: not an address"))?;
        let host = Host { ip: host, port: config.listen_port };
        let addr = host.to_string();
        if !(0..=QUEUES_MAX).contains(&config.default_topic_queue_nums) {
            return Err(fail(name, format!("defaultTopicQueueNums: from 0 to {QUEUES_MAX}")));
        }
        let mut topics: Vec<TopicConfig> = spec
            .topics
            .iter()
            .map(|topic| TopicConfig::new(&topic.name, topic.read_queues, topic.write_queues, topic.perm))
            .collect();
        // A slave's earlier records are copies of its master's.
        let (writer, writer_host) = self.writer(spec, &config, host);
        let now_ms = self.cluster.start_ms.saturating_add(writer.skew_ms).saturating_sub(EARLIER_MS);
        let earlier = Self::earlier(spec);
        if spec.store.prefix_bytes != 0 || spec.store.prefix_messages > 0 {
            topics.push(TopicConfig::new(PREFIX_TOPIC, 1, 1, 6));
        }
        let mut disk = match self.imported(spec)? {
            Some(imported) => imported,
            None => starting_disk(&config, &store_config, writer_host, &topics, &earlier, now_ms)
                .map_err(|cause| fail(&format!("{name}.store"), cause))?,
        };
        super::act::check_capacity(&disk, spec.disk.capacity_bytes, spec.disk.other_bytes)
            .map_err(|cause| fail(&format!("{name}.disk"), cause))?;
        disk.set_capacity(spec.disk.capacity_bytes);
        disk.set_other(spec.disk.other_bytes);
        let ha_addr = format!("{}:{}", config.broker_ip2, store_config.ha_listen_port);
        if self.ha_servers.insert(ha_addr.clone(), self.nodes.len()).is_some() || self.servers.contains_key(&ha_addr) {
            return Err(fail(name, format!("somebody else listens at {ha_addr}")));
        }
        self.listen(name, &addr)?;
        // The second port of the remoting server (`fastListenPort`).
        let second = Host { port: host.port.saturating_sub(2), ..host };
        self.servers.entry(second.to_string()).or_insert(self.nodes.len());
        self.brokers.push((name.clone(), addr));
        let mut broker = Broker::new(config, store_config, host, self.name_servers.clone(), disk);
        broker.plant(self.cluster.planted.iter().copied().collect());
        self.add(name, ip, spec.skew_ms, NodeActor::Broker(Arc::new(broker)))
    }

    /// The store that somebody was to bring, if the broker begins on one.
    fn imported(&self, spec: &BrokerSpec) -> Result<Option<MemoryDisk>, ClusterError> {
        let Some(import) = &spec.store.import else { return Ok(None) };
        let place = format!("{}.store.import", spec.name);
        if spec.store != (StoreSpec { import: Some(import.clone()), ..StoreSpec::default() }) || !spec.topics.is_empty()
        {
            return Err(fail(&place, "topics and records are those of the store"));
        }
        let missing = || {
            format!("it begins on the store `{}`, fingerprint {}, which is not here", import.name, import.fingerprint)
        };
        self.imports.get(&import.fingerprint).cloned().map(Some).ok_or_else(|| fail(&place, missing()))
    }

    /// The broker that wrote what a store begins with, and its address: of a slave the master of its name, if the cluster
    /// has one.
    fn writer<'s>(&'s self, spec: &'s BrokerSpec, config: &BrokerConfig, host: Host) -> (&'s BrokerSpec, Host) {
        if config.broker_id == 0 {
            return (spec, host);
        }
        let masters = self.cluster.brokers.iter().enumerate().filter_map(|(place, master)| {
            let (settings, store) = read_config(&master.config).ok()?;
            let named = if settings.broker_name.is_empty() { &master.name } else { &settings.broker_name };
            let fits = *named == config.broker_name && store.broker_role != BrokerRole::Slave;
            let usual = Self::ip(Subnet::Broker, place, &master.name).ok().map(IpAddr::from);
            let ip = settings.broker_ip1.parse().ok().or(usual)?;
            fits.then_some((master, Host { ip, port: settings.listen_port }))
        });
        masters.into_iter().next().unwrap_or((spec, host))
    }

    fn earlier(spec: &BrokerSpec) -> Earlier {
        let store = &spec.store;
        let prefix =
            |size: i32, count: u32| RecordSpec { topic: PREFIX_TOPIC.to_owned(), size, count, ..Default::default() };
        let first = prefix(store.prefix_bytes, u32::from(store.prefix_bytes != 0));
        let rest = prefix(store.prefix_message_size, store.prefix_messages);
        let records =
            [first, rest].into_iter().chain(store.records.iter().cloned()).filter(|records| records.count > 0);
        Earlier {
            begin_offset: store.begin_offset,
            records: records
                .map(|records| EarlierRecords {
                    topic: records.topic,
                    queue_id: records.queue,
                    queue_offset: records.queue_offset,
                    tags: records.tag,
                    keys: records.keys,
                    size: records.size,
                    count: records.count,
                    earlier_ms: records.ago_ms.saturating_sub(EARLIER_MS),
                })
                .collect(),
        }
    }

    fn producer(&mut self, place: usize, spec: &ProducerSpec) -> Result<(), ClusterError> {
        let name = &spec.name;
        let ip = Self::ip(Subnet::Producer, place, name)?;
        let group = Self::group("PG", &spec.group, name);
        let role = match spec.sender {
            SenderKind::Client => Role::Producer { group },
            SenderKind::Bare => {
                let mut brokers = self.brokers.iter();
                let broker = brokers.find(|(broker, _)| spec.broker.is_empty() || *broker == spec.broker);
                let (_, addr) = broker.ok_or_else(|| fail(name, "a bare sender needs a broker to send to"))?;
                Role::Bare { group, broker_addr: addr.clone() }
            }
        };
        let outbox = spec.outbox.as_ref().map(|outbox| self.outbox(spec, outbox)).transpose()?;
        let listener = spec.listener.as_ref().map(|listener| self.listener(spec, listener)).transpose()?;
        let client = self.client(role, ip, name, &spec.config, Uses { outbox, listener, push: None })?;
        self.add(name, ip, spec.skew_ms, client)
    }

    fn administrator(&mut self, place: usize, spec: &AdministratorSpec) -> Result<(), ClusterError> {
        let ip = Self::ip(Subnet::Administrator, place, &spec.name)?;
        let client = self.client(Role::Admin, ip, &spec.name, &BTreeMap::new(), Uses::default())?;
        self.add(&spec.name, ip, spec.skew_ms, client)
    }

    fn client(
        &self,
        role: Role,
        ip: Ipv4Addr,
        name: &str,
        values: &BTreeMap<String, String>,
        uses: Uses,
    ) -> Result<NodeActor, ClusterError> {
        let mut config = ClientConfig::default();
        for (key, value) in values {
            config.set(key, value).map_err(|error| key_error(name, &error))?;
        }
        if config.retry_times_when_send_failed.max(config.retry_times_when_send_async_failed)
            > super::limits::RETRIES_MAX
        {
            return Err(fail(name, format!("retries of a send: at most {}", super::limits::RETRIES_MAX)));
        }
        let mut client = Client::new(role, ip, config, self.name_servers.clone());
        client.set_databases(Arc::clone(&self.databases), uses.outbox);
        client.plant(self.cluster.planted.iter().copied().collect());
        client.set_listener(uses.listener);
        client.set_push(uses.push);
        Ok(NodeActor::Client(Arc::new(client)))
    }

    fn group(prefix: &str, group: &str, name: &str) -> String {
        if group.is_empty() { format!("{prefix}_{name}") } else { group.to_owned() }
    }

    fn ip(subnet: Subnet, place: usize, name: &str) -> Result<Ipv4Addr, ClusterError> {
        let last = u8::try_from(place.saturating_add(1)).ok().filter(|last| *last < 250);
        let last = last.ok_or_else(|| fail(name, "more than 249 nodes of a kind"))?;
        Ok(Ipv4Addr::new(10, 0, subnet as u8, last))
    }

    fn listen(&mut self, name: &str, addr: &str) -> Result<(), ClusterError> {
        match self.servers.insert(addr.to_owned(), self.nodes.len()) {
            None => Ok(()),
            Some(_) => Err(fail(name, format!("somebody else listens at {addr}"))),
        }
    }

    fn add(&mut self, name: &str, ip: Ipv4Addr, skew_ms: i64, actor: NodeActor) -> Result<(), ClusterError> {
        if name.is_empty() || name == WORLD {
            return Err(fail("nodes", format!("`{name}` is no name for a node")));
        }
        if !self.names.insert(name.to_owned()) {
            return Err(fail(name, "two nodes of this name"));
        }
        let lanes = World::lanes(&actor);
        self.nodes.push(Node {
            name: name.into(),
            ip,
            wall_at_zero_ms: self.cluster.start_ms.saturating_add(skew_ms),
            actor,
            streams: Streams::new(self.seed, name),
            lanes,
            paused: false,
            down: true,
            off: false,
            launch: None,
            trap: None,
            turn_trap: None,
            lives: Vec::new(),
        });
        Ok(())
    }
}
