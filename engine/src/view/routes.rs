//! Who knows which topic to be where: the NameServers' tables, the clients' caches, and the brokers' own tables.

mod brokers;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use brokers::{BrokerTables, OwnGroup, OwnTopic, Unlike};

use crate::{
    broker::is_system_topic,
    client::{Client, Role},
    namesrv::{NameServer, RouteTables},
    node::Service,
    sim::{NodeActor, NodeRef, NodeState, World},
    wire::{BrokerData, DataVersion, QueueData, TopicRouteData},
};

/// How the topic for answers is named, behind the cluster's name (`MixAll.REPLY_TOPIC_POSTFIX`).
const REPLY_SUFFIX: &str = "_REPLY_TOPIC";

/// All route tables and caches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoutesPicture {
    /// World time, microseconds.
    pub now_us: i64,
    /// The NameServers, which do not talk to each other.
    pub name_servers: Vec<NameServerRoutes>,
    /// The clients with routes.
    pub clients: Vec<ClientRoutes>,
    /// The brokers that run.
    pub brokers: Vec<BrokerTables>,
}

/// What a NameServer knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NameServerRoutes {
    /// Its node.
    pub node: String,
    /// Where its process is in its life.
    pub state: NodeState,
    /// Its topics, by name.
    pub topics: Vec<TopicQueues>,
    /// Its brokers, by name.
    pub brokers: Vec<BrokerAddrs>,
    /// Order configurations in its key-value table: topic, and `broker:queues;...`.
    pub order_topics: Vec<(String, String)>,
    /// In what its table differs from those of the masters that run, topics of the system left out; nothing while it
    /// does not run itself.
    pub unlike: Vec<Unlike>,
}

/// A topic in a route table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicQueues {
    /// The topic.
    pub topic: String,
    /// Whether brokers make it for themselves (`TopicValidator.isSystemTopic`).
    pub system: bool,
    /// Its queues, by broker name.
    pub queue_datas: Vec<QueueData>,
}

/// A broker name with its addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokerAddrs {
    /// The broker's name.
    pub broker_name: String,
    /// Its cluster; empty where only a client's addresses are told.
    pub cluster: String,
    /// Its addresses, by id.
    pub addrs: Vec<BrokerAddr>,
}

/// An address of a broker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokerAddr {
    /// 0: master.
    pub id: i64,
    /// `ip:port`.
    pub addr: String,
    /// The node there.
    pub node: Option<String>,
    /// Its last sign of life, by the NameServer's clock, milliseconds since the epoch; `None` in a client's cache.
    pub last_update_ms: Option<i64>,
    /// How long ago that is, milliseconds. From more than 120,000 on the next scan removes it.
    pub age_ms: Option<i64>,
    /// In how many milliseconds that scan is, if it does not register again.
    pub expires_in_ms: Option<i64>,
    /// State of the topic table that it registered.
    pub data_version: Option<DataVersion>,
}

/// What a client has in its cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientRoutes {
    /// Its node.
    pub node: String,
    /// The node of the NameServer that it uses; `None` before its first call.
    pub name_server: Option<String>,
    /// From one poll of its routes to the next, milliseconds (`pollNameServerInterval`).
    pub poll_ms: i64,
    /// Its topics, by name.
    pub topics: Vec<CachedRoute>,
    /// Its broker addresses (`brokerAddrTable`).
    pub broker_addrs: Vec<BrokerAddrs>,
}

/// A route in a client's cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CachedRoute {
    /// The topic.
    pub topic: String,
    /// Its queues, by broker name.
    pub queue_datas: Vec<QueueData>,
    /// Queues that it would send to.
    pub publish_queues: u32,
    /// Since when the route is as it is, microseconds.
    pub changed_us: Option<i64>,
    /// When a NameServer last answered what it is, microseconds.
    pub asked_us: Option<i64>,
    /// In what it differs from the table of the NameServer that the client uses.
    pub stale: Vec<Stale>,
}

/// A difference between a client's cache and a NameServer's table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Stale {
    /// The NameServer has no route for the topic; the client keeps the one it had.
    NoRoute,
    /// The NameServer knows the topic at a broker that the client does not know it at.
    Missing {
        /// The broker's name.
        broker_name: String,
    },
    /// The client knows the topic at a broker that the NameServer no longer knows it at.
    Gone {
        /// The broker's name.
        broker_name: String,
    },
    /// They know other numbers of queues, or another permission.
    Queues {
        /// The broker's name.
        broker_name: String,
        /// What the client has.
        cached: QueueData,
        /// What the NameServer has.
        now: QueueData,
    },
    /// They know other addresses of a broker.
    Addresses {
        /// The broker's name.
        broker_name: String,
    },
}

/// The picture of all route tables.
pub fn routes_picture(world: &World) -> RoutesPicture {
    let (name_servers, clients, brokers) = (Vec::new(), Vec::new(), Vec::new());
    let mut picture = RoutesPicture { now_us: world.now_us(), name_servers, clients, brokers };
    for node in world.nodes() {
        match node.actor {
            NodeActor::NameServer(server) => picture.name_servers.push(name_server(world, node, server)),
            NodeActor::Client(client) if !matches!(client.role(), Role::Bare { .. }) => {
                picture.clients.push(client_routes(world, node, client));
            }
            NodeActor::Broker(broker) => picture.brokers.extend(brokers::tables(node, broker)),
            _ => {}
        }
    }
    for server in picture.name_servers.iter_mut().filter(|server| server.state == NodeState::Up) {
        server.unlike = brokers::unlike(server, &picture.brokers);
    }
    picture
}

fn name_server(world: &World, node: NodeRef<'_>, server: &NameServer) -> NameServerRoutes {
    let tables = server.tables();
    let now_ms = world.node_wall_ms(node.name).unwrap_or(0);
    let mut brokers = Vec::new();
    for broker in tables.broker_addrs().values() {
        let mut told = addrs_of(world, &broker.broker_name, &broker.cluster, &broker.broker_addrs);
        for addr in &mut told.addrs {
            if let Some(live) = tables.live().get(&addr.addr) {
                addr.last_update_ms = Some(live.last_update_ms);
                addr.age_ms = Some(now_ms.saturating_sub(live.last_update_ms));
                let seen_us = world.node_us_at_wall(node.name, live.last_update_ms);
                addr.expires_in_ms =
                    seen_us.map(|seen_us| server.expires_us(seen_us).saturating_sub(world.now_us()).max(0) / 1000);
                addr.data_version = Some(live.data_version);
            }
        }
        brokers.push(told);
    }
    let order = server.kv().namespace(crate::wire::ORDER_TOPIC_CONFIG).into_iter().flatten();
    NameServerRoutes {
        node: node.name.to_owned(),
        state: node.state,
        topics: tables
            .topic_queues()
            .iter()
            .map(|(topic, queues)| TopicQueues {
                topic: topic.clone(),
                system: is_system(topic, tables),
                queue_datas: queues.to_vec(),
            })
            .collect(),
        brokers,
        order_topics: order.map(|(topic, conf)| (topic.clone(), conf.clone())).collect(),
        unlike: Vec::new(),
    }
}

/// The topics of `TopicValidator`, and those that a broker makes of its own name and its cluster's
/// (`TopicConfigManager`).
fn is_system(topic: &str, tables: &RouteTables) -> bool {
    let reply_topic = |cluster: &String| topic.strip_suffix(REPLY_SUFFIX) == Some(cluster.as_str());
    is_system_topic(topic)
        || tables.broker_addrs().contains_key(topic)
        || tables.clusters().keys().any(|cluster| topic == cluster || reply_topic(cluster))
}

fn addrs_of(world: &World, name: &str, cluster: &str, addrs: &BTreeMap<i64, String>) -> BrokerAddrs {
    let told = addrs.iter().map(|(id, addr)| BrokerAddr {
        id: *id,
        addr: addr.clone(),
        node: world.node_at(addr).map(str::to_owned),
        last_update_ms: None,
        age_ms: None,
        expires_in_ms: None,
        data_version: None,
    });
    BrokerAddrs { broker_name: name.to_owned(), cluster: cluster.to_owned(), addrs: told.collect() }
}

fn client_routes(world: &World, node: NodeRef<'_>, client: &Client) -> ClientRoutes {
    let routes = client.routes();
    let name_server = client.name_server().and_then(|addr| world.node_at(addr));
    let tables = name_server.and_then(|node| world.name_server(node)).map(NameServer::tables);
    let quiet_us = world.last_parked_round_us(node.name, Service::RoutePoll);
    let polled_us = |topic: &str| {
        // A parked poll asks for every topic that is in use, and all of them were in use when it was parked.
        let asked_us = routes.learnt(topic).map(|learnt| learnt.asked_us);
        asked_us.max(quiet_us.filter(|_| asked_us.is_some()))
    };
    let topics = routes.table().iter().map(|(topic, route)| CachedRoute {
        changed_us: routes.learnt(topic).and_then(|learnt| learnt.changed_us),
        asked_us: polled_us(topic),
        topic: topic.clone(),
        queue_datas: route.queue_datas.clone(),
        publish_queues: routes
            .publish()
            .get(topic)
            .map_or(0, |info| u32::try_from(info.queues.len()).unwrap_or(u32::MAX)),
        stale: tables.map_or_else(Vec::new, |tables| differences(route, tables.route(topic).as_ref())),
    });
    ClientRoutes {
        node: node.name.to_owned(),
        name_server: name_server.map(str::to_owned),
        poll_ms: client.config().poll_name_server_interval,
        topics: topics.collect(),
        broker_addrs: routes.brokers().iter().map(|(name, addrs)| addrs_of(world, name, "", addrs)).collect(),
    }
}

/// What a client's route and the NameServer's differ in, by broker name.
fn differences(cached: &TopicRouteData, now: Option<&TopicRouteData>) -> Vec<Stale> {
    let Some(now) = now else { return vec![Stale::NoRoute] };
    let queues = |route: &TopicRouteData| -> BTreeMap<String, QueueData> {
        route.queue_datas.iter().map(|queues| (queues.broker_name.clone(), queues.clone())).collect()
    };
    let (had, has) = (queues(cached), queues(now));
    let mut stale = Vec::new();
    for (name, queues) in &has {
        match had.get(name) {
            None => stale.push(Stale::Missing { broker_name: name.clone() }),
            Some(old) if old != queues => {
                let (cached, now) = (old.clone(), queues.clone());
                stale.push(Stale::Queues { broker_name: name.clone(), cached, now });
            }
            Some(_) => {}
        }
    }
    let gone = had.keys().filter(|name| !has.contains_key(*name));
    stale.extend(gone.map(|name| Stale::Gone { broker_name: name.clone() }));
    for broker in &now.broker_datas {
        let same = |old: &&BrokerData| old.broker_name == broker.broker_name;
        if cached.broker_datas.iter().find(same).is_some_and(|old| old.broker_addrs != broker.broker_addrs) {
            stale.push(Stale::Addresses { broker_name: broker.broker_name.clone() });
        }
    }
    stale
}
