//! A consumer group as its members' heartbeats make it (`ConsumerGroupInfo`).

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use super::clients::{Channels, ClientChannel};
use crate::{filter::Subscription, node::ConnId, wire::ConsumerData};

/// A consumer group with its members. What it subscribes, and how, is what the latest heartbeat of any of them says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerGroup {
    /// `CONSUME_ACTIVELY` (pull) or `CONSUME_PASSIVELY` (push).
    pub consume_type: String,
    /// `CLUSTERING` or `BROADCASTING`.
    pub message_model: String,
    /// `CONSUME_FROM_LAST_OFFSET` ...
    pub consume_from_where: String,
    /// The members.
    pub channels: Channels,
    /// By topic. Members that subscribe other topics take each other's away.
    pub subscriptions: BTreeMap<String, Subscription>,
}

/// What a heartbeat changes in a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GroupChange {
    /// The channel was not known in the group.
    pub(super) joined: bool,
    /// Topics that the group did not subscribe.
    pub(super) added: Vec<String>,
    /// Topics whose subscription was replaced by a newer one. Nobody is told of that.
    pub(super) replaced: Vec<String>,
    /// Topics that the heartbeat does not name.
    pub(super) removed: Vec<String>,
}

impl GroupChange {
    /// Whether the group's members are told.
    pub(super) const fn is_told(&self) -> bool {
        self.joined || !self.added.is_empty() || !self.removed.is_empty()
    }

    /// Whether something is another than before.
    pub(super) const fn is_any(&self) -> bool {
        self.is_told() || !self.replaced.is_empty()
    }
}

impl ConsumerGroup {
    pub(super) fn new(data: &ConsumerData) -> Self {
        Self {
            consume_type: data.consume_type.clone(),
            message_model: data.message_model.clone(),
            consume_from_where: data.consume_from_where.clone(),
            channels: Channels::new(),
            subscriptions: BTreeMap::new(),
        }
    }

    /// The client id of every channel: of two clients with the same id, both (`getAllClientId`).
    pub fn client_ids(&self) -> impl Iterator<Item = &str> {
        self.channels.values().map(|channel| channel.client_id.as_str())
    }

    /// A member's heartbeat (`updateChannel`, `updateSubscription`).
    pub(super) fn register(
        &mut self,
        conn: ConnId,
        name: &str,
        client_id: &str,
        data: &ConsumerData,
        now_ms: i64,
    ) -> GroupChange {
        self.consume_type.clone_from(&data.consume_type);
        self.message_model.clone_from(&data.message_model);
        self.consume_from_where.clone_from(&data.consume_from_where);
        let mut change = GroupChange::default();
        match self.channels.entry(conn) {
            Entry::Vacant(vacant) => {
                vacant.insert(ClientChannel::new(client_id, name, now_ms));
                change.joined = true;
            }
            Entry::Occupied(mut known) => {
                client_id.clone_into(&mut known.get_mut().client_id);
                known.get_mut().beat(now_ms);
            }
        }
        for new in &data.subscription_data_set {
            match self.subscriptions.entry(new.topic.clone()) {
                Entry::Vacant(vacant) => {
                    vacant.insert(new.clone());
                    change.added.push(new.topic.clone());
                }
                Entry::Occupied(mut old) if new.sub_version > old.get().sub_version => {
                    old.insert(new.clone());
                    change.replaced.push(new.topic.clone());
                }
                Entry::Occupied(_) => {}
            }
        }
        let named: BTreeSet<&str> = data.subscription_data_set.iter().map(|new| new.topic.as_str()).collect();
        self.subscriptions.retain(|topic, _| {
            let stays = named.contains(topic.as_str());
            if !stays {
                change.removed.push(topic.clone());
            }
            stays
        });
        change
    }
}
