//! Rooms of machines.

use std::collections::{BTreeMap, BTreeSet};

use super::{AllocateError, AllocateStrategy};
use crate::{client::PullQueue, message::java};

/// `AllocateMessageQueueByMachineRoom`: what is left over after equal parts goes to the first members, one each.
pub(super) fn within(rooms: &BTreeSet<String>, place: usize, queues: &[PullQueue], members: usize) -> Vec<PullQueue> {
    let of_rooms = |queue: &&PullQueue| match java::split(&queue.broker_name, "@")[..] {
        [room, _] => rooms.contains(room),
        _ => false,
    };
    let queues: Vec<&PullQueue> = queues.iter().filter(of_rooms).collect();
    let Some(more) = queues.len().checked_rem(members) else {
        return Vec::new();
    };
    let usual = queues.len() / members;
    let own = queues.iter().skip(usual * place).take(usual);
    let one_more = queues.get(place + usual * members).filter(|_| place < more);
    own.chain(one_more).map(|queue| (*queue).clone()).collect()
}

/// `AllocateMachineRoomNearby`.
pub(super) struct Nearby<'a> {
    pub(super) inner: &'a AllocateStrategy,
    pub(super) broker_rooms: &'a BTreeMap<String, String>,
    pub(super) consumer_rooms: &'a BTreeMap<String, String>,
}

impl<'a> Nearby<'a> {
    /// The queues of the own room by the inner strategy among its members; then, room by room, those of the rooms that
    /// have no member, among all.
    pub(super) fn allocate(
        &self,
        own_id: &str,
        queues: &[PullQueue],
        ids: &[String],
    ) -> Result<Vec<PullQueue>, AllocateError> {
        let mut queues_of: BTreeMap<&str, Vec<PullQueue>> = BTreeMap::new();
        for queue in queues {
            let room = self.broker_rooms.get(&queue.broker_name).filter(|room| !room.is_empty());
            let room = room.ok_or_else(|| AllocateError::NoRoomOfQueue(queue.clone()))?;
            queues_of.entry(room).or_default().push(queue.clone());
        }
        let mut members_of: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for id in ids {
            let room = self.room_of(id).ok_or_else(|| AllocateError::NoRoomOfConsumer(id.clone()))?;
            members_of.entry(room).or_default().push(id.clone());
        }
        let own_room = self.room_of(own_id).ok_or_else(|| AllocateError::NoRoomOfConsumer(own_id.to_owned()))?;
        let mut own = Vec::new();
        if let Some((near, members)) = queues_of.remove(own_room).zip(members_of.get(own_room)) {
            own.extend(self.inner.allocate(own_id, &near, members)?);
        }
        for (room, queues) in queues_of {
            if !members_of.contains_key(room) {
                own.extend(self.inner.allocate(own_id, &queues, ids)?);
            }
        }
        Ok(own)
    }

    fn room_of(&self, id: &str) -> Option<&'a str> {
        let address = id.split_once('@').map_or(id, |(address, _)| address);
        let room = self.consumer_rooms.get(id).or_else(|| self.consumer_rooms.get(address));
        room.map(String::as_str).filter(|room| !room.is_empty())
    }
}
