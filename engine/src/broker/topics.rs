//! The broker's topics (`TopicConfigManager`, `TopicValidator`).

use std::{collections::BTreeMap, sync::Arc};

use super::BrokerConfig;
use crate::{
    message::java,
    wire::{AUTO_CREATE_TOPIC, DataVersion, NOT_ALLOWED_SEND_TOPICS, PERM_INHERIT, PERM_READ, PERM_WRITE, TopicConfig},
};

/// The longest name of a topic, in Java characters.
const TOPIC_MAX_LENGTH: usize = 127;

/// The most queues that a topic may be given here. 4.9.8 has no limit; a picture has.
pub const QUEUES_MAX: i32 = 4096;

/// A group's retry topic is this and its name.
pub const RETRY_PREFIX: &str = "%RETRY%";

/// The topic table, with its version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topics {
    /// Shared by copies until one of them changes it.
    table: Arc<BTreeMap<String, TopicConfig>>,
    pub(super) version: DataVersion,
}

impl Topics {
    /// The topics that exist from the start (`TopicConfigManager`'s constructor).
    pub(super) fn of(config: &BrokerConfig) -> Self {
        let mut table = BTreeMap::new();
        let (read_write, inherit) = (PERM_READ | PERM_WRITE, PERM_READ | PERM_WRITE | PERM_INHERIT);
        let mut put = |name: &str, queues: i32, perm: i32| {
            table.insert(name.to_owned(), TopicConfig::new(name, queues, queues, perm));
        };
        // A TopicConfig made without a permission has read and write.
        put("SELF_TEST_TOPIC", 1, read_write);
        if config.auto_create_topic_enable {
            put(AUTO_CREATE_TOPIC, config.default_topic_queue_nums, inherit);
        }
        put("BenchmarkTest", 1024, read_write);
        put(&config.broker_cluster_name, 16, if config.cluster_topic_enable { inherit } else { PERM_INHERIT });
        put(&config.broker_name, 1, if config.broker_topic_enable { inherit } else { PERM_INHERIT });
        put("OFFSET_MOVED_EVENT", 1, read_write);
        put("SCHEDULE_TOPIC_XXXX", 18, read_write);
        if config.trace_topic_enable {
            put(&config.msg_trace_topic_name, 1, read_write);
        }
        put(&format!("{}_REPLY_TOPIC", config.broker_cluster_name), 1, read_write);
        Self { table: Arc::new(table), version: DataVersion::default() }
    }

    /// The topics by name.
    pub fn table(&self) -> &BTreeMap<String, TopicConfig> {
        &self.table
    }

    pub(super) fn table_mut(&mut self) -> &mut BTreeMap<String, TopicConfig> {
        Arc::make_mut(&mut self.table)
    }

    /// The table's version.
    pub const fn version(&self) -> DataVersion {
        self.version
    }

    /// The configuration of a topic.
    pub fn get(&self, topic: &str) -> Option<&TopicConfig> {
        self.table.get(topic)
    }

    /// Puts a topic in place of whatever has its name; the version moves on.
    pub(super) fn put(&mut self, topic: TopicConfig, now_ms: i64) {
        self.table_mut().insert(topic.topic_name.clone(), topic);
        self.version.next(now_ms);
    }

    /// Changes a topic's permission in passing: the version stays, so nobody is told.
    pub(super) fn set_perm(&mut self, topic: &str, perm: i32) {
        if let Some(topic) = self.table_mut().get_mut(topic) {
            topic.perm = perm;
        }
    }

    /// Takes a topic out; whether there was one (`deleteTopicConfig`).
    pub(super) fn remove(&mut self, topic: &str, now_ms: i64) -> bool {
        let known = self.table_mut().remove(topic).is_some();
        if known {
            self.version.next(now_ms);
        }
        known
    }

    /// Takes over which topics are ordered (`updateOrderTopicConfig`): those that have changed.
    pub(super) fn set_order(&mut self, ordered: &BTreeMap<String, String>, now_ms: i64) -> Vec<(String, bool)> {
        let mut changed = Vec::new();
        for (name, topic) in self.table_mut() {
            let order = ordered.contains_key(name);
            if topic.order != order {
                topic.order = order;
                changed.push((name.clone(), order));
            }
        }
        if !changed.is_empty() {
            self.version.next(now_ms);
        }
        changed
    }

    /// A topic made after `default_topic`'s model (`createTopicInSendMessageMethod`), not yet in the table.
    pub(super) fn inherit(&self, topic: &str, default_topic: &str, wanted_queues: i32) -> Option<TopicConfig> {
        let model = self.table.get(default_topic)?;
        let perm = model.perm;
        if perm & PERM_INHERIT == 0 {
            return None;
        }
        let queues = wanted_queues.min(model.write_queue_nums).max(0);
        let mut made = TopicConfig::new(topic, queues, queues, perm & !PERM_INHERIT);
        made.topic_filter_type.clone_from(&model.topic_filter_type);
        Some(made)
    }
}

/// What is wrong with the name of a topic (`TopicValidator.validateTopic`), in 4.9.8's words.
pub(crate) fn validate(topic: &str) -> Result<(), String> {
    if java::is_blank(topic) {
        return Err("The specified topic is blank.".to_owned());
    }
    let legal = |char: char| char.is_ascii_alphanumeric() || matches!(char, '%' | '|' | '-' | '_');
    if !topic.chars().all(legal) {
        return Err("The specified topic contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$".to_owned());
    }
    if java::utf16_len(topic) > TOPIC_MAX_LENGTH {
        return Err("The specified topic is longer than topic max length.".to_owned());
    }
    Ok(())
}

/// The system's topics, beside those that begin with [`SYSTEM_PREFIX`] (`SYSTEM_TOPIC_SET`).
const SYSTEM: [&str; 9] = [
    AUTO_CREATE_TOPIC,
    "SCHEDULE_TOPIC_XXXX",
    "BenchmarkTest",
    "RMQ_SYS_TRANS_HALF_TOPIC",
    "RMQ_SYS_TRACE_TOPIC",
    "RMQ_SYS_TRANS_OP_HALF_TOPIC",
    "TRANS_CHECK_MAX_TIME_TOPIC",
    "SELF_TEST_TOPIC",
    "OFFSET_MOVED_EVENT",
];

/// How further system topics begin.
const SYSTEM_PREFIX: &str = "rmq_sys_";

/// Whether a topic is the system's whatever a broker and its cluster are called (`TopicValidator.isSystemTopic`).
pub fn is_system_topic(topic: &str) -> bool {
    SYSTEM.contains(&topic) || topic.starts_with(SYSTEM_PREFIX)
}

/// Whether an administrator may have the name (`TopicValidator.isSystemTopic`), in 4.9.8's words.
pub(super) fn is_free(topic: &str) -> Result<(), String> {
    if is_system_topic(topic) {
        return Err(format!("The topic[{topic}] is conflict with system topic."));
    }
    Ok(())
}

/// Whether clients may send to a topic (`TopicValidator.isNotAllowedSendTopic`), in 4.9.8's words.
pub(super) fn may_send(topic: &str) -> Result<(), String> {
    if NOT_ALLOWED_SEND_TOPICS.contains(&topic) {
        return Err(format!("Sending message to topic[{topic}] is forbidden."));
    }
    Ok(())
}
