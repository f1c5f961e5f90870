//! The clients that heartbeat (`ProducerManager`, `ConsumerManager`).

use std::collections::{BTreeMap, btree_map::Entry};

use super::consumer_group::{ConsumerGroup, GroupChange};
use crate::{
    node::ConnId,
    wire::{ConsumerData, HeartbeatData},
};

/// A client that has been silent for longer is forgotten (`CHANNEL_EXPIRED_TIMEOUT`), milliseconds.
const CLIENT_EXPIRED_MS: i64 = 120_000;

/// A client on its connection (`ClientChannelInfo`), as one of its groups knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientChannel {
    /// `ip@instanceName`. Two clients may have the same.
    pub client_id: String,
    /// The node's name, for the trace.
    pub name: String,
    /// Its last heartbeat for the group, by the broker's clock, milliseconds since the epoch.
    pub last_update_ms: i64,
    /// Its heartbeats go on unseen, so it cannot expire.
    pub(super) parked: bool,
}

/// The members of a group, by connection.
pub type Channels = BTreeMap<ConnId, ClientChannel>;

/// A client has left groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gone {
    pub(super) conn: ConnId,
    pub(super) client_id: String,
    /// The consumer groups that it has left, and whether nobody is left in them.
    pub(super) consumer_groups: Vec<(String, bool)>,
}

/// The tables of clients.
#[derive(Clone, Debug, Default)]
pub struct Clients {
    producers: BTreeMap<String, Channels>,
    groups: BTreeMap<String, ConsumerGroup>,
    /// How often a producer was looked for.
    looks: u32,
}

impl Clients {
    /// Every client that is in a group, by connection.
    pub fn channels(&self) -> BTreeMap<ConnId, &ClientChannel> {
        self.tables().flatten().map(|(conn, channel)| (*conn, channel)).collect()
    }

    /// The producer groups with at least one client.
    pub const fn producers(&self) -> &BTreeMap<String, Channels> {
        &self.producers
    }

    /// The consumer groups with at least one client.
    pub const fn groups(&self) -> &BTreeMap<String, ConsumerGroup> {
        &self.groups
    }

    fn tables(&self) -> impl Iterator<Item = &Channels> {
        self.producers.values().chain(self.groups.values().map(|group| &group.channels))
    }

    fn tables_mut(&mut self) -> impl Iterator<Item = &mut Channels> {
        self.producers.values_mut().chain(self.groups.values_mut().map(|group| &mut group.channels))
    }

    /// The members of a consumer group: connection and node (`ConsumerGroupInfo.getAllChannel`). 4.9.8 has them in the order
    /// of a hash table; here they stand in that of their connections.
    pub(super) fn consumers_of(&self, group: &str) -> Vec<(ConnId, String)> {
        let members = self.groups.get(group).into_iter().flat_map(|group| &group.channels);
        members.map(|(conn, channel)| (*conn, channel.name.clone())).collect()
    }

    /// A producer of a group, each time the next one: its connection and its name (`ProducerManager.getAvailableChannel`).
    /// Here every channel is active as long as the broker has not been told that it is closed, so the first that 4.9.8
    /// would look at is taken; they stand in the order of their connections.
    pub(super) fn available_producer(&mut self, group: &str) -> Option<(ConnId, String)> {
        let members = self.producers.get(group).filter(|members| !members.is_empty())?;
        self.looks = self.looks.wrapping_add(1) & 0x7FFF_FFFF;
        let at = usize::try_from(self.looks).unwrap_or(0) % members.len();
        members.iter().nth(at).map(|(conn, channel)| (*conn, channel.name.clone()))
    }

    /// Whether anybody is known on a connection.
    pub(super) fn knows(&self, conn: ConnId) -> bool {
        self.tables().any(|channels| channels.contains_key(&conn))
    }

    /// A consumer group of a heartbeat of the node `name` (`ConsumerManager.registerConsumer`).
    pub(super) fn register_consumer(
        &mut self,
        conn: ConnId,
        name: &str,
        client_id: &str,
        data: &ConsumerData,
        now_ms: i64,
    ) -> GroupChange {
        let group = self.groups.entry(data.group_name.clone()).or_insert_with(|| ConsumerGroup::new(data));
        group.register(conn, name, client_id, data, now_ms)
    }

    /// The producer groups of a heartbeat (`ProducerManager.registerProducer`). Who is known already keeps its id.
    pub(super) fn register_producers(&mut self, conn: ConnId, name: &str, data: &HeartbeatData, now_ms: i64) {
        for group in &data.producer_data_set {
            match self.producers.entry(group.group_name.clone()).or_default().entry(conn) {
                Entry::Vacant(vacant) => {
                    vacant.insert(ClientChannel::new(&data.client_id, name, now_ms));
                }
                Entry::Occupied(mut known) => known.get_mut().beat(now_ms),
            }
        }
    }

    /// Rounds of a client's heartbeats passed unseen, the last of them received at `at_ms`; `parked`: more may pass.
    pub(super) fn renewed(&mut self, conn: ConnId, at_ms: i64, parked: bool) {
        for channel in self.tables_mut().filter_map(|channels| channels.get_mut(&conn)) {
            channel.last_update_ms = channel.last_update_ms.max(at_ms);
            channel.parked = parked;
        }
    }

    /// A producer group says goodbye (`ProducerManager.unregisterProducer`).
    pub(super) fn unregister_producer(&mut self, conn: ConnId, group: &str) {
        if let Some(channels) = self.producers.get_mut(group) {
            channels.remove(&conn);
        }
        self.producers.retain(|_, channels| !channels.is_empty());
    }

    /// A consumer says goodbye to its group (`ConsumerManager.unregisterConsumer`): its id, if it was known there, and whether
    /// nobody is left in the group. `None`: there is no such group.
    pub(super) fn unregister_consumer(&mut self, conn: ConnId, group: &str) -> Option<(Option<String>, bool)> {
        let channels = &mut self.groups.get_mut(group)?.channels;
        let client_id = channels.remove(&conn).map(|channel| channel.client_id);
        let empty = channels.is_empty();
        if empty {
            self.groups.remove(group);
        }
        Some((client_id, empty))
    }

    /// A connection is gone, and its client with it (`doChannelCloseEvent`).
    pub(super) fn remove(&mut self, conn: ConnId) -> Option<Gone> {
        self.take_out(|other, _| other == conn).pop()
    }

    /// Takes out clients that have been silent for more than [`CLIENT_EXPIRED_MS`] (`scanNotActiveChannel`).
    pub(super) fn expire(&mut self, now_ms: i64) -> Vec<Gone> {
        self.take_out(|_, channel| !channel.parked && now_ms.saturating_sub(channel.last_update_ms) > CLIENT_EXPIRED_MS)
    }

    fn take_out(&mut self, which: impl Fn(ConnId, &ClientChannel) -> bool) -> Vec<Gone> {
        let mut gone: BTreeMap<ConnId, Gone> = BTreeMap::new();
        let new = |conn: ConnId, channel: &ClientChannel| Gone {
            conn,
            client_id: channel.client_id.clone(),
            consumer_groups: Vec::new(),
        };
        for channels in self.producers.values_mut() {
            channels.retain(|conn, channel| {
                let goes = which(*conn, channel);
                if goes {
                    gone.entry(*conn).or_insert_with(|| new(*conn, channel));
                }
                !goes
            });
        }
        self.producers.retain(|_, channels| !channels.is_empty());
        for (name, group) in &mut self.groups {
            let mut left: Vec<(ConnId, ClientChannel)> = Vec::new();
            group.channels.retain(|conn, channel| {
                let goes = which(*conn, channel);
                if goes {
                    left.push((*conn, channel.clone()));
                }
                !goes
            });
            let empty = group.channels.is_empty();
            for (conn, channel) in left {
                let gone = gone.entry(conn).or_insert_with(|| new(conn, &channel));
                gone.consumer_groups.push((name.clone(), empty));
            }
        }
        self.groups.retain(|_, group| !group.channels.is_empty());
        gone.into_values().collect()
    }

    /// The earliest time at which a client would be forgotten, milliseconds since the epoch.
    pub(super) fn next_expiry_ms(&self) -> Option<i64> {
        let unparked = self.tables().flat_map(|channels| channels.values()).filter(|channel| !channel.parked);
        unparked.map(|channel| channel.last_update_ms.saturating_add(CLIENT_EXPIRED_MS + 1)).min()
    }
}

impl ClientChannel {
    pub(super) fn new(client_id: &str, name: &str, now_ms: i64) -> Self {
        Self { client_id: client_id.to_owned(), name: name.to_owned(), last_update_ms: now_ms, parked: false }
    }

    /// A heartbeat has come.
    pub(super) const fn beat(&mut self, now_ms: i64) {
        self.last_update_ms = now_ms;
        self.parked = false;
    }
}
