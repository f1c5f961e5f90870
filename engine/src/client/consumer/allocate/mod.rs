//! Who of a group consumes which queues of a topic (`AllocateMessageQueueStrategy`).

mod average;
mod consistent_hash;
mod machine_room;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::client::PullQueue;

/// A strategy with its settings. Every member of a group works out its own part from the same two sorted lists, and
/// nobody compares the results: members with different strategies, or different lists, leave queues over or share them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "strategy", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum AllocateStrategy {
    /// Runs of neighbours, the first members one queue more (`AllocateMessageQueueAveragely`).
    #[default]
    #[serde(rename = "AVG")]
    Average,
    /// One queue to each in turn (`AllocateMessageQueueAveragelyByCircle`).
    #[serde(rename = "AVG_BY_CIRCLE")]
    AverageByCircle,
    /// Consistent hashing (`AllocateMessageQueueConsistentHash`).
    #[serde(rename = "CONSISTENT_HASH")]
    ConsistentHash {
        /// Places of each member on the ring.
        #[serde(default = "usual_virtual_nodes")]
        virtual_nodes: u16,
    },
    /// Queues of brokers named `room@name` alone, of these rooms (`AllocateMessageQueueByMachineRoom`).
    #[serde(rename = "MACHINE_ROOM")]
    MachineRoom {
        /// The rooms (`consumeridcs`).
        rooms: BTreeSet<String>,
    },
    /// Always these, whoever else is in the group, and whichever topic is asked for (`AllocateMessageQueueByConfig`).
    #[serde(rename = "CONFIG")]
    Config {
        /// The queues (`messageQueueList`).
        queues: Vec<PullQueue>,
    },
    /// Queues of the own room first, and those of rooms without a member (`AllocateMachineRoomNearby`).
    #[serde(rename = "MACHINE_ROOM_NEARBY")]
    MachineRoomNearby {
        /// The strategy within a room.
        #[serde(default)]
        inner: Box<AllocateStrategy>,
        /// The room of each broker, by `brokerName`.
        broker_rooms: BTreeMap<String, String>,
        /// The room of each member, by its client id or by what stands before the `@` of it, the address.
        consumer_rooms: BTreeMap<String, String>,
    },
}

/// `AllocateMessageQueueConsistentHash()`.
const fn usual_virtual_nodes() -> u16 {
    10
}

/// What a strategy throws, an `IllegalArgumentException`: the rebalance then leaves the topic as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AllocateError {
    /// The consumer has no client id.
    #[error("currentCID is empty")]
    NoOwnId,
    /// The topic has no queues.
    #[error("mqAll is null or mqAll empty")]
    NoQueues,
    /// The group has no members.
    #[error("cidAll is null or cidAll empty")]
    NoIds,
    /// The room of a queue's broker is not known.
    #[error("Machine room is null for mq {0}")]
    NoRoomOfQueue(PullQueue),
    /// The room of a member is not known.
    #[error("Machine room is null for consumer id {0}")]
    NoRoomOfConsumer(String),
}

impl AllocateStrategy {
    /// 4.9.8's name (`getName`).
    pub fn name(&self) -> String {
        match self {
            Self::Average => "AVG".to_owned(),
            Self::AverageByCircle => "AVG_BY_CIRCLE".to_owned(),
            Self::ConsistentHash { .. } => "CONSISTENT_HASH".to_owned(),
            Self::MachineRoom { .. } => "MACHINE_ROOM".to_owned(),
            Self::Config { .. } => "CONFIG".to_owned(),
            Self::MachineRoomNearby { inner, .. } => format!("MACHINE_ROOM_NEARBY-{}", inner.name()),
        }
    }

    /// The part of `own_id` in `queues`, which the whole group shares (`AllocateMessageQueueStrategy.allocate`). Both lists
    /// are sorted, as the rebalance hands them over. Two members with one id are twice in `ids`, and both get the part of
    /// the first. An id that is not among them gets nothing.
    pub fn allocate(
        &self,
        own_id: &str,
        queues: &[PullQueue],
        ids: &[String],
    ) -> Result<Vec<PullQueue>, AllocateError> {
        if let Self::Config { queues } = self {
            return Ok(queues.clone());
        }
        if own_id.is_empty() {
            return Err(AllocateError::NoOwnId);
        }
        if queues.is_empty() {
            return Err(AllocateError::NoQueues);
        }
        if ids.is_empty() {
            return Err(AllocateError::NoIds);
        }
        let Some(place) = ids.iter().position(|id| id == own_id) else {
            return Ok(Vec::new());
        };
        match self {
            Self::Average => Ok(average::in_runs(place, queues, ids.len())),
            Self::AverageByCircle => Ok(average::by_circle(place, queues, ids.len())),
            Self::ConsistentHash { virtual_nodes } => {
                Ok(consistent_hash::allocate(*virtual_nodes, own_id, queues, ids))
            }
            Self::MachineRoom { rooms } => Ok(machine_room::within(rooms, place, queues, ids.len())),
            Self::Config { queues } => Ok(queues.clone()),
            Self::MachineRoomNearby { inner, broker_rooms, consumer_rooms } => {
                machine_room::Nearby { inner, broker_rooms, consumer_rooms }.allocate(own_id, queues, ids)
            }
        }
    }
}
