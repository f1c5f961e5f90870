//! Changes by an administrator (`AdminBrokerProcessor`): topics, groups and offsets. A slave refuses them.

use std::collections::BTreeMap;

use super::{Process, topics};
use crate::{
    node::{BrokerStep, Caller, NamesStep, Service, Turn},
    wire::{
        CreateTopic, DeleteGroup, DeleteTopic, GetConsumeStats, GroupConfig, QueueStats, Request,
        ResetConsumerClientOffset, ResetOffset, Response, ResponseBody, ResponseCode, TopicConfig,
    },
};

const FROM_SLAVE: &str =
    "Can't modify topic or subscription group from slave broker, please execute it from master broker.";

const fn done() -> Response {
    Response::success(ResponseBody::None)
}

fn system_error(remark: String) -> Response {
    Response::failure(ResponseCode::SystemError, remark)
}

impl Process {
    /// An administrator's request; `None`: it is none, or its answer comes later.
    pub(super) fn administer(&mut self, caller: &Caller, request: &Request, turn: &mut Turn<'_>) -> Option<Response> {
        match request {
            Request::UpdateAndCreateTopic(_)
            | Request::DeleteTopicInBroker(_)
            | Request::UpdateAndCreateSubscriptionGroup(_)
            | Request::DeleteSubscriptionGroup(_)
                if self.store.is_slave() =>
            {
                turn.step(BrokerStep::Refused { code: ResponseCode::SystemError, remark: FROM_SLAVE.to_owned() });
                Some(system_error(FROM_SLAVE.to_owned()))
            }
            Request::UpdateAndCreateTopic(create) => self.update_topic(caller, create, turn),
            Request::DeleteTopicInBroker(delete) => Some(self.delete_topic(delete, turn)),
            Request::UpdateAndCreateSubscriptionGroup(config) => Some(self.update_group(config, turn)),
            Request::DeleteSubscriptionGroup(delete) => Some(self.delete_group(delete, turn)),
            Request::InvokeBrokerToResetOffset(reset) => Some(self.reset_offset(reset, turn)),
            Request::GetConsumeStats(ask) => Some(Response::success(ResponseBody::Stats(self.consume_stats(ask)))),
            Request::GetTopicStatsInfo(ask) => Some(self.topic_stats(&ask.topic)),
            other => Some(Response::not_supported(other.code())),
        }
    }

    /// `updateAndCreateTopic`. It is answered once the NameServers have answered. The order flag of the request is not
    /// looked at.
    fn update_topic(&mut self, caller: &Caller, create: &CreateTopic, turn: &mut Turn<'_>) -> Option<Response> {
        let topic = TopicConfig { order: false, ..create.config.clone() };
        if let Err(remark) = topics::validate(&topic.topic_name).and_then(|()| topics::is_free(&topic.topic_name)) {
            turn.step(BrokerStep::Refused { code: ResponseCode::SystemError, remark: remark.clone() });
            return Some(system_error(remark));
        }
        self.put_topic(topic.clone(), None, turn);
        self.register_increment(&topic, caller, turn);
        None
    }

    /// `deleteTopic`: out of the table, its queues with their files. The CommitLog keeps the records, and the NameServers
    /// are not told.
    fn delete_topic(&mut self, delete: &DeleteTopic, turn: &mut Turn<'_>) -> Response {
        let topic = &delete.topic;
        if let Err(remark) = topics::validate(topic).and_then(|()| topics::is_free(topic)) {
            turn.step(BrokerStep::Refused { code: ResponseCode::SystemError, remark: remark.clone() });
            return system_error(remark);
        }
        let known = self.topics.remove(topic, turn.wall_ms());
        turn.step(NamesStep::TopicDeleted { topic: topic.clone(), known });
        if known {
            self.save(turn, |process| &process.topics);
            turn.disturb();
        }
        let table = self.topics.table().clone();
        self.store.clean_unused_topics(|topic| table.contains_key(topic), turn);
        done()
    }

    fn update_group(&mut self, config: &GroupConfig, turn: &mut Turn<'_>) -> Response {
        turn.step(NamesStep::GroupSet {
            group: config.group_name.clone(),
            consume_enable: config.consume_enable,
            retry_queue_nums: config.retry_queue_nums,
            retry_max_times: config.retry_max_times,
        });
        self.groups.put(config.clone(), turn.wall_ms());
        self.save(turn, |process| &process.groups);
        turn.disturb_only(Service::SlaveSync);
        done()
    }

    /// `deleteSubscriptionGroup`. Offsets that go are out of the file with its next save.
    fn delete_group(&mut self, delete: &DeleteGroup, turn: &mut Turn<'_>) -> Response {
        let group = &delete.group_name;
        let known = self.groups.remove(group, turn.wall_ms());
        if known {
            self.save(turn, |process| &process.groups);
        }
        let offsets_removed = if delete.remove_offset { self.offsets.remove_group(group) } else { 0 };
        turn.step(NamesStep::GroupDeleted { group: group.clone(), known, offsets_removed });
        if offsets_removed > 0 {
            self.consumer_offsets_changed(turn);
        }
        turn.disturb_only(Service::SlaveSync);
        done()
    }

    /// `Broker2Client.resetOffset`: new offsets are worked out for consumers that are online. The broker's own table stays
    /// as it is; the consumers commit where they are then.
    fn reset_offset(&mut self, reset: &ResetOffset, turn: &mut Turn<'_>) -> Response {
        let ResetOffset { topic, group, timestamp, force } = reset;
        let Some(queues) = self.topics.get(topic).map(|config| config.write_queue_nums) else {
            return system_error(format!("[reset-offset] reset offset failed, no topic in this broker. topic={topic}"));
        };
        let mut offsets = BTreeMap::new();
        for queue_id in 0..queues {
            let Some(consumed) = self.offsets.query(group, topic, queue_id) else {
                return system_error(format!("THe consumer group <{group}> not exist"));
            };
            let found = if *timestamp == -1 {
                self.store.max_offset_in_queue(topic, queue_id)
            } else {
                self.store.offset_in_queue_by_time(topic, queue_id, *timestamp)
            };
            let found = found.max(0);
            offsets.insert(queue_id, if *force || found < consumed { found } else { consumed });
        }
        let consumers = self.clients.consumers_of(group);
        if consumers.is_empty() {
            let remark = format!(
                "Consumer not online, so can not reset offset, Group: {group} Topic: {topic} Timestamp: {timestamp}"
            );
            return Response::failure(ResponseCode::ConsumerNotOnline, remark);
        }
        turn.step(NamesStep::OffsetsReset {
            group: group.clone(),
            topic: topic.clone(),
            consumers: u32::try_from(consumers.len()).unwrap_or(u32::MAX),
        });
        let told = ResetConsumerClientOffset {
            topic: topic.clone(),
            group: group.clone(),
            timestamp: *timestamp,
            broker_name: self.config.broker_name.clone(),
            offset_table: offsets.clone(),
        };
        for (conn, name) in consumers {
            turn.notify(conn, &name, Request::ResetConsumerClientOffset(told.clone()));
        }
        Response::success(ResponseBody::Offsets(offsets))
    }

    /// `getConsumeStats`: how far a group is in the queues that can be read.
    fn consume_stats(&mut self, ask: &GetConsumeStats) -> BTreeMap<String, Vec<QueueStats>> {
        let group = &ask.consumer_group;
        let named = ask.topic.clone().filter(|topic| !crate::message::java::is_blank(topic));
        let topics: Vec<String> = named.map_or_else(|| self.offsets.topics_of(group), |topic| vec![topic]);
        let mut stats = BTreeMap::new();
        for topic in topics {
            let Some(queues) = self.topics.get(&topic).map(|config| config.read_queue_nums) else { continue };
            let subscribes = self
                .clients
                .groups()
                .get(group)
                .is_some_and(|group| !group.subscriptions.is_empty() && !group.subscriptions.contains_key(&topic));
            if subscribes {
                continue;
            }
            let queues = (0..queues).map(|queue_id| QueueStats {
                queue_id,
                broker_offset: self.store.max_offset_in_queue(&topic, queue_id).max(0),
                consumer_offset: self.offsets.query(group, &topic, queue_id).unwrap_or(0).max(0),
            });
            stats.insert(topic.clone(), queues.collect());
        }
        stats
    }

    /// `getTopicStatsInfo`: the ends of the queues that can be written.
    fn topic_stats(&mut self, topic: &str) -> Response {
        let Some(queues) = self.topics.get(topic).map(|config| config.write_queue_nums) else {
            return Response::failure(ResponseCode::TopicNotExist, format!("topic[{topic}] not exist"));
        };
        let queues = (0..queues).map(|queue_id| QueueStats {
            queue_id,
            broker_offset: self.store.max_offset_in_queue(topic, queue_id).max(0),
            consumer_offset: self.store.min_offset_in_queue(topic, queue_id).max(0),
        });
        Response::success(ResponseBody::Stats(BTreeMap::from([(topic.to_owned(), queues.collect())])))
    }
}
