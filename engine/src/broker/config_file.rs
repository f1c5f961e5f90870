//! The managers' files, in the form that fastjson gives them (`ConfigManager.encode`, `decode`).

use std::collections::BTreeMap;

use super::{ConsumerOffsets, GroupConfig, Groups, Topics};
use crate::{
    fastjson::{Value, parse},
    wire::{DataVersion, TopicConfig},
};

/// A table that is kept in a file.
pub(super) trait ConfigFile {
    /// The file, relative to the store's root.
    const PATH: &'static str;

    /// What the file says.
    fn to_value(&self) -> Value<'_>;

    /// Takes over what a file says; what it does not name stays.
    fn take_value(&mut self, value: &Value<'_>) -> Result<(), String>;

    /// The file's text.
    fn to_text(&self) -> String {
        self.to_value().to_pretty()
    }

    /// Takes over a file's text.
    fn take_text(&mut self, text: &str) -> Result<(), String> {
        self.take_value(&parse(text).map_err(|error| error.to_string())?)
    }
}

fn version_value(version: DataVersion) -> Value<'static> {
    Value::object([("counter", version.counter), ("timestamp", version.timestamp)])
}

fn version_of(value: &Value<'_>) -> Option<DataVersion> {
    let value = value.get("dataVersion")?;
    Some(DataVersion { timestamp: value.get("timestamp")?.as_i64()?, counter: value.get("counter")?.as_i64()? })
}

/// The entries of a table whose keys are strings.
pub(super) fn table<'a>(value: &'a Value<'a>, name: &str) -> Vec<(&'a str, &'a Value<'a>)> {
    let entries = value.get(name).map(Value::entries).unwrap_or_default();
    entries.iter().filter_map(|(key, value)| Some((key.as_str()?, value))).collect()
}

impl ConfigFile for Topics {
    const PATH: &'static str = "config/topics.json";

    fn to_value(&self) -> Value<'_> {
        let topics = self.table().iter().map(|(name, topic)| {
            let fields: [(&str, Value<'_>); 7] = [
                ("order", topic.order.into()),
                ("perm", topic.perm.into()),
                ("readQueueNums", topic.read_queue_nums.into()),
                ("topicFilterType", (&*topic.topic_filter_type).into()),
                ("topicName", (&topic.topic_name).into()),
                ("topicSysFlag", topic.topic_sys_flag.into()),
                ("writeQueueNums", topic.write_queue_nums.into()),
            ];
            (name, Value::object(fields))
        });
        Value::object([("dataVersion", version_value(self.version)), ("topicConfigTable", Value::object(topics))])
    }

    fn take_value(&mut self, value: &Value<'_>) -> Result<(), String> {
        for (name, topic) in table(value, "topicConfigTable") {
            let number = |key: &str, default: i32| topic.get(key).and_then(Value::as_i32).unwrap_or(default);
            let mut config =
                TopicConfig::new(name, number("readQueueNums", 16), number("writeQueueNums", 16), number("perm", 6));
            config.topic_sys_flag = number("topicSysFlag", 0);
            config.order = topic.get("order").and_then(Value::as_bool).unwrap_or(false);
            let kind = topic.get("topicFilterType").and_then(Value::as_str);
            if let Some(kind) = kind.filter(|kind| *kind != config.topic_filter_type) {
                config.topic_filter_type = kind.to_owned().into();
            }
            self.table_mut().insert(name.to_owned(), config);
        }
        self.version = version_of(value).unwrap_or(self.version);
        Ok(())
    }
}

impl ConfigFile for ConsumerOffsets {
    const PATH: &'static str = "config/consumerOffset.json";

    fn to_value(&self) -> Value<'_> {
        let table = self.table.iter().map(|(key, queues)| {
            let queues = queues.iter().map(|(queue, offset)| (Value::from(*queue), Value::from(*offset)));
            (key, Value::Object(queues.collect()))
        });
        Value::object([("offsetTable", Value::object(table))])
    }

    fn take_value(&mut self, value: &Value<'_>) -> Result<(), String> {
        let mut offsets = BTreeMap::new();
        for (key, queues) in table(value, "offsetTable") {
            let mut by_queue = BTreeMap::new();
            for (queue, offset) in queues.entries() {
                let (Some(queue), Some(offset)) = (queue.as_i32(), offset.as_i64()) else {
                    return Err(format!("{key}: not a queue and its offset"));
                };
                by_queue.insert(queue, offset);
            }
            offsets.insert(key.to_owned(), by_queue);
        }
        self.table = offsets;
        Ok(())
    }
}

impl ConfigFile for Groups {
    const PATH: &'static str = "config/subscriptionGroup.json";

    fn to_value(&self) -> Value<'_> {
        let groups = self.table.iter().map(|(name, group)| {
            let fields: [(&str, Value<'_>); 9] = [
                ("brokerId", group.broker_id.into()),
                ("consumeBroadcastEnable", group.consume_broadcast_enable.into()),
                ("consumeEnable", group.consume_enable.into()),
                ("consumeFromMinEnable", group.consume_from_min_enable.into()),
                ("groupName", (&group.group_name).into()),
                ("notifyConsumerIdsChangedEnable", group.notify_consumer_ids_changed_enable.into()),
                ("retryMaxTimes", group.retry_max_times.into()),
                ("retryQueueNums", group.retry_queue_nums.into()),
                ("whichBrokerWhenConsumeSlowly", group.which_broker_when_consume_slowly.into()),
            ];
            (name, Value::object(fields))
        });
        Value::object([("dataVersion", version_value(self.version)), ("subscriptionGroupTable", Value::object(groups))])
    }

    fn take_value(&mut self, value: &Value<'_>) -> Result<(), String> {
        for (name, group) in table(value, "subscriptionGroupTable") {
            let usual = GroupConfig::new(name);
            let flag = |key: &str, default: bool| group.get(key).and_then(Value::as_bool).unwrap_or(default);
            let number = |key: &str, default: i32| group.get(key).and_then(Value::as_i32).unwrap_or(default);
            let id = |key: &str, default: i64| group.get(key).and_then(Value::as_i64).unwrap_or(default);
            let config = GroupConfig {
                consume_enable: flag("consumeEnable", usual.consume_enable),
                consume_from_min_enable: flag("consumeFromMinEnable", usual.consume_from_min_enable),
                consume_broadcast_enable: flag("consumeBroadcastEnable", usual.consume_broadcast_enable),
                retry_queue_nums: number("retryQueueNums", usual.retry_queue_nums),
                retry_max_times: number("retryMaxTimes", usual.retry_max_times),
                broker_id: id("brokerId", usual.broker_id),
                which_broker_when_consume_slowly: id(
                    "whichBrokerWhenConsumeSlowly",
                    usual.which_broker_when_consume_slowly,
                ),
                notify_consumer_ids_changed_enable: flag(
                    "notifyConsumerIdsChangedEnable",
                    usual.notify_consumer_ids_changed_enable,
                ),
                ..usual
            };
            self.table.insert(name.to_owned(), config);
        }
        self.version = version_of(value).unwrap_or(self.version);
        Ok(())
    }
}
