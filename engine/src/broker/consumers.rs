//! Heartbeats and goodbyes of clients, and what members of a consumer group are told of each other
//! (`ClientManageProcessor`, `ConsumerManageProcessor`, `DefaultConsumerIdsChangeListener`).

use super::{Process, RETRY_PREFIX, clients::Gone, consumer_group::GroupChange};
use crate::{
    filter::{Subscription, compile},
    node::{BrokerStep, Caller, ConnId, GroupStep, Service, Turn},
    wire::{
        CheckClientConfig, ConsumerData, GroupConfig, GroupRef, HeartbeatData, Request, Response, ResponseBody,
        ResponseCode, TopicConfig, UnregisterClient,
    },
};

/// `TopicSysFlag.FLAG_UNIT_SUB`: subscribed by a consumer in unit mode.
const UNIT_SUB: i32 = 2;

impl Process {
    /// `HEART_BEAT`.
    pub(super) fn heartbeat(&mut self, caller: &Caller, data: &HeartbeatData, turn: &mut Turn<'_>) {
        let first = !self.clients.knows(caller.conn);
        let producers = data.producer_data_set.iter().map(|group| group.group_name.clone());
        let consumers = data.consumer_data_set.iter().map(|group| group.group_name.clone());
        let groups = producers.chain(consumers).collect();
        turn.step(BrokerStep::ClientRegistered { client_id: data.client_id.clone(), groups, first });
        for group in &data.consumer_data_set {
            self.register_consumer(caller, &data.client_id, group, turn);
        }
        self.clients.register_producers(caller.conn, &caller.name, data, turn.wall_ms());
        self.set_housekeeping(turn);
        turn.reply(caller, Response::success(ResponseBody::None));
    }

    /// One consumer group of a heartbeat: its settings, its retry topic, its members and subscriptions.
    fn register_consumer(&mut self, caller: &Caller, client_id: &str, data: &ConsumerData, turn: &mut Turn<'_>) {
        let settings = self.group(&data.group_name, turn);
        if let Some(settings) = &settings {
            self.prepare_retry_topic(settings, data.unit_mode, turn);
        }
        let change = self.clients.register_consumer(caller.conn, &caller.name, client_id, data, turn.wall_ms());
        self.tell_change(client_id, data, &change, turn);
        if change.is_told() && notifies(settings.as_ref()) {
            self.notify_members(&data.group_name, turn);
        }
        self.register_filters(&data.group_name, &data.subscription_data_set, turn);
        // Other members' heartbeats that name other topics, and whoever asks for the members, find something new.
        let first = change.joined && self.members(&data.group_name) == 1;
        if change.is_any() && !first {
            turn.disturb();
        }
    }

    fn tell_change(&self, client_id: &str, data: &ConsumerData, change: &GroupChange, turn: &mut Turn<'_>) {
        let group = &data.group_name;
        if change.joined {
            let (client_id, members) = (client_id.to_owned(), self.members(group));
            turn.step(GroupStep::MemberJoined { group: group.clone(), client_id, members });
        }
        for subscription in &data.subscription_data_set {
            let Subscription { topic, sub_string, .. } = subscription.clone();
            let (group, expression) = (group.clone(), sub_string);
            if change.added.contains(&topic) {
                turn.step(GroupStep::SubscriptionAdded { group, topic, expression });
            } else if change.replaced.contains(&topic) {
                turn.step(GroupStep::SubscriptionReplaced { group, topic, expression });
            }
        }
        for topic in &change.removed {
            let (group, topic, client_id) = (group.clone(), topic.clone(), client_id.to_owned());
            turn.step(GroupStep::SubscriptionRemoved { group, topic, client_id });
        }
    }

    /// The retry topic of a group is made with its first heartbeat (`createTopicInSendMessageBackMethod`).
    fn prepare_retry_topic(&mut self, settings: &GroupConfig, unit_mode: bool, turn: &mut Turn<'_>) {
        let topic = format!("{RETRY_PREFIX}{}", settings.group_name);
        if self.topics.get(&topic).is_none() {
            let queues = settings.retry_queue_nums;
            let mut config = TopicConfig::new(&topic, queues, queues, 6);
            config.topic_sys_flag = if unit_mode { UNIT_SUB } else { 0 };
            self.create_topic(config, None, turn);
        }
    }

    fn members(&self, group: &str) -> u32 {
        let members = self.clients.groups().get(group).map_or(0, |group| group.channels.len());
        u32::try_from(members).unwrap_or(u32::MAX)
    }

    /// Tells every channel of a group, the one that has changed it included, unless the broker is set to tell nobody.
    fn notify_members(&self, group: &str, turn: &mut Turn<'_>) {
        let members = self.clients.consumers_of(group);
        if members.is_empty() || !self.config.notify_consumer_ids_changed_enable {
            return;
        }
        let count = u32::try_from(members.len()).unwrap_or(u32::MAX);
        turn.step(GroupStep::MembersNotified { group: group.to_owned(), members: count });
        for (conn, name) in members {
            let told = GroupRef { consumer_group: group.to_owned() };
            turn.notify(conn, &name, Request::NotifyConsumerIdsChanged(told));
        }
    }

    /// `UNREGISTER_CLIENT`: a client says goodbye to the groups that it names. It may stay in others.
    pub(super) fn unregister(&mut self, caller: &Caller, goodbye: &UnregisterClient, turn: &mut Turn<'_>) {
        let known = self.clients.knows(caller.conn);
        if let Some(group) = &goodbye.producer_group {
            self.clients.unregister_producer(caller.conn, group);
        }
        if let Some(group) = &goodbye.consumer_group {
            let settings = self.group(group, turn);
            if let Some((client_id, empty)) = self.clients.unregister_consumer(caller.conn, group) {
                if let Some(client_id) = client_id {
                    self.tell_left(group, client_id, turn);
                }
                if empty {
                    self.unregister_filters(group, turn);
                }
                if notifies(settings.as_ref()) {
                    self.notify_members(group, turn);
                }
            }
        }
        if known && !self.clients.knows(caller.conn) {
            let (client_id, reason) = (goodbye.client_id.clone(), "unregistered".to_owned());
            turn.step(BrokerStep::ClientRemoved { client_id, reason });
        }
        turn.reply(caller, Response::success(ResponseBody::None));
    }

    fn tell_left(&self, group: &str, client_id: String, turn: &mut Turn<'_>) {
        let members = self.members(group);
        turn.step(GroupStep::MemberLeft { group: group.to_owned(), client_id, members });
        if members > 0 {
            turn.disturb();
        }
    }

    /// A connection is gone: whoever is left in its groups is told, whatever the groups' settings say
    /// (`ConsumerManager.doChannelCloseEvent`).
    pub(super) fn channel_closed(&mut self, conn: ConnId, turn: &mut Turn<'_>) {
        if let Some(gone) = self.clients.remove(conn) {
            self.tell_gone(&gone, "channelClosed", turn);
            for (group, empty) in &gone.consumer_groups {
                if *empty {
                    self.unregister_filters(group, turn);
                }
                self.notify_members(group, turn);
            }
        }
        self.holds.forget(conn);
    }

    /// The look for silent clients: their connections are closed. Nobody is told, and filter data stay alive: as the news of
    /// the closed connection comes, they are in no group any more (`scanNotActiveChannel`).
    pub(super) fn scan_clients(&mut self, turn: &mut Turn<'_>) {
        for gone in self.clients.expire(turn.wall_ms()) {
            turn.close(gone.conn);
            self.tell_gone(&gone, "expired", turn);
            self.holds.forget(gone.conn);
        }
        self.set_housekeeping(turn);
    }

    fn tell_gone(&self, gone: &Gone, reason: &str, turn: &mut Turn<'_>) {
        let Gone { client_id, consumer_groups, .. } = gone;
        turn.step(BrokerStep::ClientRemoved { client_id: client_id.clone(), reason: reason.to_owned() });
        for (group, _) in consumer_groups {
            self.tell_left(group, client_id.clone(), turn);
        }
    }

    /// Sets the look for silent clients to the first of its moments at which one would be forgotten.
    pub(super) fn set_housekeeping(&self, turn: &mut Turn<'_>) {
        if let Some(due_ms) = self.clients.next_expiry_ms() {
            let due_us = turn.us_at_wall(due_ms).max(turn.now_us().saturating_add(1));
            let at_us = self.housekeeping.at_or_after(due_us);
            turn.wake_at(Service::ClientHousekeeping, at_us);
        }
    }

    /// `GET_CONSUMER_LIST_BY_GROUP`.
    pub(super) fn consumer_list(&self, ask: &GroupRef, turn: &mut Turn<'_>) -> Response {
        let group = &ask.consumer_group;
        let Some(members) = self.clients.groups().get(group) else {
            let remark = format!("no consumer for this group, {group}");
            turn.step(BrokerStep::Refused { code: ResponseCode::SystemError, remark: remark.clone() });
            return Response::failure(ResponseCode::SystemError, remark);
        };
        let client_ids: Vec<String> = members.client_ids().map(str::to_owned).collect();
        turn.step(GroupStep::MembersListed { group: group.clone(), client_ids: client_ids.clone() });
        Response::success(ResponseBody::ConsumerIds(client_ids))
    }

    /// `CHECK_CLIENT_CONFIG`: whether this broker can filter by a consumer's expression.
    pub(super) fn check_client_config(&self, check: &CheckClientConfig, turn: &mut Turn<'_>) -> Response {
        let Subscription { topic, sub_string, expression_type, .. } = &check.subscription_data;
        let fault = if check.subscription_data.is_tag_type() {
            None
        } else if !self.config.enable_property_filter {
            let remark = format!("The broker does not support consumer to filter message by {expression_type}");
            Some((ResponseCode::SystemError, Some(remark)))
        } else {
            // There is no filter of another type than SQL92: 4.9.8 runs into a null, and answers with its text, which is none.
            let fault = compile(expression_type, sub_string).err();
            fault.map(|fault| (ResponseCode::SubscriptionParseFailed, fault.map(|fault| fault.to_string())))
        };
        if let Some((code, remark)) = fault {
            turn.step(BrokerStep::Refused { code, remark: remark.clone().unwrap_or_default() });
            return Response { code, remark, body: ResponseBody::None };
        }
        turn.step(GroupStep::SubscriptionChecked { topic: topic.clone(), expression: sub_string.clone() });
        Response::success(ResponseBody::None)
    }
}

/// Whether the members of a group are told of changes, as far as its settings go.
fn notifies(settings: Option<&GroupConfig>) -> bool {
    settings.is_none_or(|settings| settings.notify_consumer_ids_changed_enable)
}
