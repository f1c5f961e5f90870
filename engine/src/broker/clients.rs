//! The clients that heartbeat (`ProducerManager`, `ConsumerManager`).

use std::collections::BTreeMap;

use crate::{filter::Subscription, node::ConnId, wire::HeartbeatData};

/// A client that has been silent for longer is forgotten (`CHANNEL_EXPIRED_TIMEOUT`), milliseconds.
pub(super) const CLIENT_EXPIRED_MS: i64 = 120_000;

/// A client on its connection (`ClientChannelInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientChannel {
    /// `ip@instanceName`.
    pub client_id: String,
    /// The node's name, for the trace.
    pub name: String,
    /// Its last heartbeat, by the broker's clock, milliseconds since the epoch.
    pub last_update_ms: i64,
    /// Its producer groups.
    pub producer_groups: Vec<String>,
    /// Its consumer groups.
    pub consumer_groups: Vec<String>,
    /// Its heartbeats go on unseen, so it cannot expire.
    parked: bool,
}

/// What a consumer group subscribes, as the last heartbeat said (`ConsumerGroupInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerGroup {
    /// `CLUSTERING` or `BROADCASTING`.
    pub message_model: String,
    /// By topic.
    pub subscriptions: BTreeMap<String, Subscription>,
}

/// The tables of clients.
#[derive(Clone, Debug, Default)]
pub struct Clients {
    channels: BTreeMap<ConnId, ClientChannel>,
    groups: BTreeMap<String, ConsumerGroup>,
    /// How often a producer was looked for.
    looks: u32,
}

impl Clients {
    /// By connection.
    pub const fn channels(&self) -> &BTreeMap<ConnId, ClientChannel> {
        &self.channels
    }

    /// Consumer groups with at least one client.
    pub const fn groups(&self) -> &BTreeMap<String, ConsumerGroup> {
        &self.groups
    }

    /// The connections of a consumer group's members.
    pub(super) fn consumers_of<'a>(&'a self, group: &'a str) -> impl Iterator<Item = ConnId> + 'a {
        let member = move |channel: &ClientChannel| channel.consumer_groups.iter().any(|of| of == group);
        self.channels.iter().filter(move |(_, channel)| member(channel)).map(|(conn, _)| *conn)
    }

    /// A producer of a group, each time the next one: its connection and its name (`ProducerManager.getAvailableChannel`).
    /// Here every channel is active as long as the broker has not been told that it is closed, so the first that 4.9.8
    /// would look at is taken; they stand in the order of their connections.
    pub(super) fn available_producer(&mut self, group: &str) -> Option<(ConnId, String)> {
        let member = |channel: &ClientChannel| channel.producer_groups.iter().any(|of| of == group);
        let members: Vec<_> = self.channels.iter().filter(|(_, channel)| member(channel)).collect();
        if members.is_empty() {
            return None;
        }
        self.looks = self.looks.wrapping_add(1) & 0x7FFF_FFFF;
        let at = usize::try_from(self.looks).unwrap_or(0) % members.len();
        members.get(at).map(|(conn, channel)| (**conn, channel.name.clone()))
    }

    /// A heartbeat of the node `name`; whether the client is new.
    pub(super) fn heartbeat(&mut self, conn: ConnId, name: &str, data: &HeartbeatData, now_ms: i64) -> bool {
        for group in &data.consumer_data_set {
            // Subscriptions that the latest heartbeat does not name are gone.
            let subscriptions = group
                .subscription_data_set
                .iter()
                .map(|subscription| (subscription.topic.clone(), subscription.clone()));
            let state =
                ConsumerGroup { message_model: group.message_model.clone(), subscriptions: subscriptions.collect() };
            self.groups.insert(group.group_name.clone(), state);
        }
        let channel = ClientChannel {
            client_id: data.client_id.clone(),
            name: name.to_owned(),
            last_update_ms: now_ms,
            producer_groups: data.producer_data_set.iter().map(|group| group.group_name.clone()).collect(),
            consumer_groups: data.consumer_data_set.iter().map(|group| group.group_name.clone()).collect(),
            parked: false,
        };
        self.channels.insert(conn, channel).is_none()
    }

    pub(super) fn renewed(&mut self, conn: ConnId, at_ms: i64, parked: bool) {
        if let Some(channel) = self.channels.get_mut(&conn) {
            channel.last_update_ms = channel.last_update_ms.max(at_ms);
            channel.parked = parked;
        }
    }

    /// A client is gone.
    pub(super) fn remove(&mut self, conn: ConnId) -> Option<ClientChannel> {
        let gone = self.channels.remove(&conn)?;
        let channels = &self.channels;
        self.groups.retain(|group, _| channels.values().any(|channel| channel.consumer_groups.contains(group)));
        Some(gone)
    }

    /// The connections of clients that have been silent for more than [`CLIENT_EXPIRED_MS`].
    pub(super) fn silent(&self, now_ms: i64) -> Vec<ConnId> {
        let silent = |channel: &ClientChannel| {
            !channel.parked && now_ms.saturating_sub(channel.last_update_ms) > CLIENT_EXPIRED_MS
        };
        self.channels.iter().filter(|(_, channel)| silent(channel)).map(|(conn, _)| *conn).collect()
    }

    /// The earliest time at which a client would be forgotten, milliseconds since the epoch.
    pub(super) fn next_expiry_ms(&self) -> Option<i64> {
        let unparked = self.channels.values().filter(|channel| !channel.parked);
        unparked.map(|channel| channel.last_update_ms.saturating_add(CLIENT_EXPIRED_MS + 1)).min()
    }
}
