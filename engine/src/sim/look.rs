//! Looking at a world: its nodes, connections, and what is on the wire.

use super::{
    NodeActor, NodeState, SentKind, World,
    network::{Frame, Way},
    queue::Pending,
};
use crate::{
    broker::Broker,
    client::Client,
    database::Database,
    disk::{MemoryDisk, ReadAt},
    namesrv::NameServer,
    node::{Fnv, Service},
};

/// A node, for looking at.
#[derive(Clone, Copy, Debug)]
pub struct NodeRef<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is.
    pub actor: &'a NodeActor,
    /// The whole process stands still.
    pub paused: bool,
    /// Where its process is in its life.
    pub state: NodeState,
}

/// Something between leaving and arriving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlightRef<'a> {
    /// Its number, as in [`super::Sent::id`].
    pub id: u64,
    /// The node it left.
    pub from: &'a str,
    /// The node it goes to.
    pub to: &'a str,
    /// Request, answer, or one-way request.
    pub kind: SentKind,
    /// The code's name; of replication, what the bytes are.
    pub label: &'a str,
    /// When it left, microseconds.
    pub leaves_us: i64,
    /// When it will arrive, microseconds.
    pub arrives_us: i64,
}

impl World {
    /// The nodes in the order of the description: NameServers, brokers, producers, consumers, databases, administrators.
    pub fn nodes(&self) -> impl Iterator<Item = NodeRef<'_>> {
        self.nodes.iter().enumerate().map(|(id, node)| NodeRef {
            name: &node.name,
            actor: &node.actor,
            paused: node.paused,
            state: self.state_of(id),
        })
    }

    /// Where the process of a node is in its life.
    pub fn node_state(&self, name: &str) -> Option<NodeState> {
        self.node_id(name).map(|id| self.state_of(id))
    }

    fn actor(&self, name: &str) -> Option<&NodeActor> {
        self.nodes.iter().find(|node| &*node.name == name).map(|node| &node.actor)
    }

    /// What a node's wall clock shows, milliseconds since the epoch.
    pub fn node_wall_ms(&self, name: &str) -> Option<i64> {
        self.nodes.iter().find(|node| &*node.name == name).map(|node| node.wall_ms(self.now_us))
    }

    /// When a node's wall clock began to show `wall_ms`, microseconds, as far as it is not set meanwhile.
    pub fn node_us_at_wall(&self, name: &str, wall_ms: i64) -> Option<i64> {
        let node = self.nodes.iter().find(|node| &*node.name == name)?;
        Some(wall_ms.saturating_sub(node.wall_at_zero_ms).saturating_mul(1000))
    }

    /// When the last round of a parked exchange was, seen or unseen, microseconds; `None` while the service is not parked.
    pub fn last_parked_round_us(&self, name: &str, service: Service) -> Option<i64> {
        let node = self.nodes.iter().find(|node| &*node.name == name)?;
        let mut parked = node.lanes.get(&service)?.parked?;
        if parked.next_us > self.now_us {
            return Some(parked.next_us.saturating_sub(parked.period_us));
        }
        Some(parked.pass(self.now_us))
    }

    /// The NameServer of this name.
    pub fn name_server(&self, name: &str) -> Option<&NameServer> {
        match self.actor(name)? {
            NodeActor::NameServer(node) => Some(node),
            _ => None,
        }
    }

    /// The broker of this name.
    pub fn broker(&self, name: &str) -> Option<&Broker> {
        match self.actor(name)? {
            NodeActor::Broker(node) => Some(node),
            _ => None,
        }
    }

    /// The producer, consumer or administrator of this name.
    pub fn client(&self, name: &str) -> Option<&Client> {
        match self.actor(name)? {
            NodeActor::Client(node) => Some(node),
            _ => None,
        }
    }

    /// The database of this name.
    pub fn database(&self, name: &str) -> Option<&Database> {
        match self.actor(name)? {
            NodeActor::Database(node) => Some(node),
            _ => None,
        }
    }

    /// The node that listens at `ip:port`.
    pub fn node_at(&self, addr: &str) -> Option<&str> {
        self.names.get(addr).map(|name| &**name)
    }

    /// The services of a node.
    pub fn services(&self, name: &str) -> Vec<Service> {
        self.actor(name).map_or_else(Vec::new, |actor| actor.as_actor().services())
    }

    /// The services of a node that are paused one by one.
    pub fn paused_services(&self, name: &str) -> Vec<Service> {
        let node = self.nodes.iter().find(|node| &*node.name == name);
        let lanes = node.into_iter().flat_map(|node| &node.lanes);
        lanes.filter(|(_, lane)| lane.paused).map(|(service, _)| *service).collect()
    }

    /// The open connections: the node that opened it, and the node it leads to.
    pub fn connections(&self) -> impl Iterator<Item = (&str, &str)> {
        let open = self.network.conns.values().filter(|conn| conn.closed_by.is_none());
        open.filter_map(|conn| Some((&*self.nodes.get(conn.client)?.name, &*self.nodes.get(conn.server)?.name)))
    }

    /// What is on the wire, in order of arrival.
    pub fn flights(&self) -> impl Iterator<Item = FlightRef<'_>> {
        self.queue.iter().filter_map(|(key, entry)| {
            let Pending::Arrive(flight) = &entry.what else { return None };
            let conn = self.network.conns.get(&flight.conn)?;
            let (from, to) = match flight.way {
                Way::ToServer => (conn.client, conn.server),
                Way::ToClient => (conn.server, conn.client),
            };
            let (kind, label) = match &flight.frame {
                Frame::Request { request, call: Some(_) } => (SentKind::Request, request.code().name()),
                Frame::Request { request, call: None } => (SentKind::Oneway, request.code().name()),
                Frame::Response { response, .. } => (SentKind::Response, response.code.name()),
                Frame::Bytes { label, .. } => (SentKind::Replica, label.as_str()),
                Frame::Fin | Frame::Opened => return None,
            };
            Some(FlightRef {
                id: flight.id,
                from: &self.nodes.get(from)?.name,
                to: &self.nodes.get(to)?.name,
                kind,
                label,
                leaves_us: flight.leaves_us,
                arrives_us: key.0,
            })
        })
    }

    /// Hash of the state: the trace so far, the clock, and every byte of every disk, every row of every database. The
    /// same natively and in wasm.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.write_u64(self.hash);
        hash.write_u64(self.events);
        hash.write_u64(self.now_us.cast_unsigned());
        for node in &self.nodes {
            hash.write(node.name.as_bytes());
            if let NodeActor::Broker(broker) = &node.actor {
                hash_disk(&mut hash, broker.disk());
            }
            if let NodeActor::Database(database) = &node.actor {
                hash_database(&mut hash, database);
            }
        }
        hash.value()
    }
}

fn hash_database(hash: &mut Fnv, database: &Database) {
    for table in database.tables() {
        hash.write(table.name().as_bytes());
        for row in table.rows() {
            // Plain data into a sink that takes everything: it cannot fail.
            if serde_json::to_writer(&mut *hash, row).is_err() {
                hash.write_u64(0);
            }
        }
    }
}

fn hash_disk(hash: &mut Fnv, disk: &MemoryDisk) {
    for (path, file) in disk.files() {
        hash.write(path.as_bytes());
        let len = disk.meta(file).map_or(0, |meta| meta.len);
        hash.write_u64(len);
        for (offset, page) in disk.pages(file).into_iter().flatten() {
            hash.write_u64(offset);
            hash.write(page);
        }
        for dirty in disk.dirty_ranges(file).unwrap_or_default() {
            hash.write_u64(dirty.start);
            hash.write_u64(dirty.end);
        }
    }
}
