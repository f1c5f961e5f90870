//! An administrator is given a command.

use super::Wanted;
use crate::{
    broker::{Broker, QUEUES_MAX},
    client::{AdminCommand, Target},
    message::{OffsetMsgId, record, transaction::DISCARD_TOPIC},
    sim::{
        Action, ActionError, Administer, Command, NodeActor, TraceEvent, World,
        action::{bad_value, not_negative},
    },
    wire::{GroupConfig, TopicConfig},
};

impl World {
    pub(super) fn administer(&mut self, deed: &Administer, action: Action) -> Result<TraceEvent, ActionError> {
        let node = self.caller(&deed.administrator, Wanted::Administrator)?;
        let command = self.admin_command(&deed.command)?;
        Ok(self.call(node, action, |client, turn| client.administer(command, turn)))
    }

    fn admin_command(&self, command: &Command) -> Result<AdminCommand, ActionError> {
        Ok(match command.clone() {
            Command::UpdateTopic { topic, cluster, broker, read_queues, write_queues, perm, order } => {
                for (field, queues) in [("readQueues", read_queues), ("writeQueues", write_queues)] {
                    if !(0..=QUEUES_MAX).contains(&queues) {
                        return Err(bad_value(field, format!("from 0 to {QUEUES_MAX}")));
                    }
                }
                if !(0..=15).contains(&perm) {
                    return Err(bad_value("perm", "from 0 to 15".to_owned()));
                }
                let config = TopicConfig { order, ..TopicConfig::new(&topic, read_queues, write_queues, perm) };
                AdminCommand::UpdateTopic { target: self.target(cluster, broker)?, config }
            }
            Command::DeleteTopic { topic, cluster, broker } => {
                AdminCommand::DeleteTopic { target: self.target(cluster, broker)?, topic }
            }
            Command::UpdateGroup {
                group,
                cluster,
                broker,
                consume_enable,
                consume_from_min_enable,
                consume_broadcast_enable,
                retry_queue_nums,
                retry_max_times,
                broker_id,
                which_broker_when_consume_slowly,
                notify_consumer_ids_changed_enable,
            } => {
                if !(0..=QUEUES_MAX).contains(&retry_queue_nums.unwrap_or(0)) {
                    return Err(bad_value("retryQueueNums", format!("from 0 to {QUEUES_MAX}")));
                }
                let usual = GroupConfig::new(&group);
                let config = GroupConfig {
                    consume_enable: consume_enable.unwrap_or(true),
                    consume_from_min_enable: consume_from_min_enable.unwrap_or(false),
                    consume_broadcast_enable: consume_broadcast_enable.unwrap_or(false),
                    retry_queue_nums: retry_queue_nums.unwrap_or(usual.retry_queue_nums),
                    retry_max_times: retry_max_times.unwrap_or(usual.retry_max_times),
                    broker_id: broker_id.unwrap_or(usual.broker_id),
                    which_broker_when_consume_slowly: which_broker_when_consume_slowly
                        .unwrap_or(usual.which_broker_when_consume_slowly),
                    notify_consumer_ids_changed_enable: notify_consumer_ids_changed_enable.unwrap_or(true),
                    ..usual
                };
                AdminCommand::UpdateGroup { target: self.target(cluster, broker)?, config: Box::new(config) }
            }
            Command::DeleteGroup { group, cluster, broker, remove_offset } => {
                AdminCommand::DeleteGroup { target: self.target(cluster, broker)?, group, remove_offset }
            }
            Command::WipeWritePerm { broker } => {
                AdminCommand::WipeWritePerm { broker_name: self.broker_names(&broker)?.0 }
            }
            Command::AddWritePerm { broker } => {
                AdminCommand::AddWritePerm { broker_name: self.broker_names(&broker)?.0 }
            }
            Command::ResetOffset { group, topic, timestamp_ms, force } => {
                if timestamp_ms < -1 {
                    return Err(bad_value("timestampMs", "at least -1, which is the end".to_owned()));
                }
                AdminCommand::ResetOffset { group, topic, timestamp_ms, force }
            }
            Command::ResendDeadLetter { group, queue_offset } => {
                not_negative("queueOffset", queue_offset.unwrap_or(0))?;
                AdminCommand::ResendDeadLetter { group, queue_offset }
            }
            Command::ResumeCheck { broker, queue_offset } => {
                AdminCommand::ResumeCheck { id: self.id_at(&broker, DISCARD_TOPIC, queue_offset)? }
            }
            Command::TopicRoute { topic } => AdminCommand::TopicRoute { topic },
        })
    }

    fn target(&self, cluster: Option<String>, broker: Option<String>) -> Result<Target, ActionError> {
        match (cluster, broker) {
            (Some(cluster), None) => Ok(Target::Cluster(cluster)),
            (None, Some(broker)) => Ok(Target::Broker(self.broker_names(&broker)?.1)),
            _ => Err(bad_value("cluster", "a cluster or a broker, one of the two".to_owned())),
        }
    }

    /// The id of the message at a place of a topic's queue 0.
    fn id_at(&self, broker: &str, topic: &str, queue_offset: i64) -> Result<OffsetMsgId, ActionError> {
        self.running_broker(broker)?;
        let missing = || bad_value("queueOffset", format!("{topic} has no message at {queue_offset}"));
        let store = self.broker(broker).and_then(Broker::store).ok_or_else(missing)?;
        let unit = store.unit(topic, 0, queue_offset).ok_or_else(missing)?;
        let bytes = store.look_message_by_offset(unit.physical_offset).ok_or_else(missing)?;
        Ok(record::decode(&bytes).map_err(|_| missing())?.offset_msg_id())
    }

    /// The name that a broker's node registers, and its `ip:port`. It need not run.
    fn broker_names(&self, node: &str) -> Result<(String, String), ActionError> {
        let id = self.node(node)?;
        match self.nodes.get(id).map(|node| &node.actor) {
            Some(NodeActor::Broker(broker)) => {
                Ok((broker.config().broker_name.clone(), broker.store_host().to_string()))
            }
            _ => Err(ActionError::WrongNode { node: node.to_owned(), wanted: "broker".to_owned() }),
        }
    }
}
