//! How a group shares the queues, being described.

use std::collections::{BTreeMap, BTreeSet};

use rocketscope_engine::client::PullQueue;
use rocketscope_engine::client::consumer::AllocateStrategy;
use serde::{Deserialize, Serialize};

use super::reading::Reading;
use crate::components::cluster::tables::list;

/// A strategy being described. What does not belong to the one that is chosen is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Allocate {
    /// 4.9.8's name, without that of an inner strategy.
    pub strategy: String,
    /// Places of a member on the ring.
    pub virtual_nodes: String,
    /// Rooms, a list.
    pub rooms: String,
    /// Queues, `topic broker queue` a line.
    pub queues: String,
    /// The inner strategy: one of those without settings.
    pub inner: String,
    /// Room by broker, `broker=room` a line.
    pub broker_rooms: String,
    /// Room by client id or address, `id=room` a line.
    pub consumer_rooms: String,
}

fn pairs_text(pairs: &BTreeMap<String, String>) -> String {
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("\n")
}

/// Strategies without settings of their own, which can stand inside another.
pub const PLAIN: [&str; 3] = ["AVG", "AVG_BY_CIRCLE", "CONSISTENT_HASH"];
/// Every strategy.
pub const STRATEGIES: [&str; 6] =
    ["AVG", "AVG_BY_CIRCLE", "CONSISTENT_HASH", "MACHINE_ROOM", "CONFIG", "MACHINE_ROOM_NEARBY"];
/// Places on the ring, as 4.9.8 has them.
const VIRTUAL_NODES: u16 = 10;

impl Allocate {
    pub(super) fn of(strategy: &AllocateStrategy) -> Self {
        let mut of = Self {
            strategy: strategy.name().split('-').next().unwrap_or_default().to_owned(),
            virtual_nodes: VIRTUAL_NODES.to_string(),
            rooms: String::new(),
            queues: String::new(),
            inner: PLAIN[0].to_owned(),
            broker_rooms: String::new(),
            consumer_rooms: String::new(),
        };
        match strategy {
            AllocateStrategy::Average | AllocateStrategy::AverageByCircle => {}
            AllocateStrategy::ConsistentHash { virtual_nodes } => of.virtual_nodes = virtual_nodes.to_string(),
            AllocateStrategy::MachineRoom { rooms } => {
                of.rooms = rooms.iter().cloned().collect::<Vec<_>>().join(", ");
            }
            AllocateStrategy::Config { queues } => {
                let line = |queue: &PullQueue| format!("{} {} {}", queue.topic, queue.broker_name, queue.queue_id);
                of.queues = queues.iter().map(line).collect::<Vec<_>>().join("\n");
            }
            AllocateStrategy::MachineRoomNearby { inner, broker_rooms, consumer_rooms } => {
                if let AllocateStrategy::ConsistentHash { virtual_nodes } = **inner {
                    of.virtual_nodes = virtual_nodes.to_string();
                }
                of.inner = inner.name();
                of.broker_rooms = pairs_text(broker_rooms);
                of.consumer_rooms = pairs_text(consumer_rooms);
            }
        }
        of
    }

    /// One of the plain strategies.
    fn plain(&self, name: &str, reading: &mut Reading) -> AllocateStrategy {
        match name {
            "AVG_BY_CIRCLE" => AllocateStrategy::AverageByCircle,
            "CONSISTENT_HASH" => AllocateStrategy::ConsistentHash {
                virtual_nodes: reading.number("push.virtual-nodes", &self.virtual_nodes).unwrap_or(VIRTUAL_NODES),
            },
            _ => AllocateStrategy::Average,
        }
    }

    pub(super) fn read(&self, reading: &mut Reading) -> AllocateStrategy {
        match self.strategy.as_str() {
            "MACHINE_ROOM" => {
                AllocateStrategy::MachineRoom { rooms: list(&self.rooms).into_iter().collect::<BTreeSet<_>>() }
            }
            "CONFIG" => {
                let lines = self.queues.lines().filter(|line| !line.trim().is_empty());
                let queue = |line: &str| {
                    let mut words = line.split_whitespace().map(str::to_owned);
                    let (topic, broker_name) = (words.next()?, words.next()?);
                    let queue_id = words.next()?.parse().ok().filter(|_| words.next().is_none())?;
                    Some(PullQueue { topic, broker_name, queue_id })
                };
                let queues = lines.map(queue).collect::<Option<Vec<_>>>().unwrap_or_else(|| {
                    reading.wrong.push(("push.queues".to_owned(), "queues"));
                    Vec::new()
                });
                AllocateStrategy::Config { queues }
            }
            "MACHINE_ROOM_NEARBY" => AllocateStrategy::MachineRoomNearby {
                inner: Box::new(self.plain(&self.inner, reading)),
                broker_rooms: reading.pairs("push.broker-rooms", &self.broker_rooms),
                consumer_rooms: reading.pairs("push.consumer-rooms", &self.consumer_rooms),
            },
            name => self.plain(name, reading),
        }
    }
}
