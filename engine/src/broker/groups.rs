//! Consumer groups' settings (`SubscriptionGroupManager`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::wire::DataVersion;

/// The settings of a group (`SubscriptionGroupConfig`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupConfig {
    /// The group.
    pub group_name: String,
    /// The group may consume.
    pub consume_enable: bool,
    /// Consume from the first offset.
    pub consume_from_min_enable: bool,
    /// The group may consume as broadcast.
    pub consume_broadcast_enable: bool,
    /// Queues of its retry topic.
    pub retry_queue_nums: i32,
    /// Retries before the dead-letter queue.
    pub retry_max_times: i32,
    /// Whom to pull from: 0, the master.
    pub broker_id: i64,
    /// Whom to pull from when the messages are no longer in memory.
    pub which_broker_when_consume_slowly: i64,
    /// Tell the group's members when they change.
    pub notify_consumer_ids_changed_enable: bool,
}

impl GroupConfig {
    /// A group with 4.9.8's defaults.
    pub fn new(group: &str) -> Self {
        Self {
            group_name: group.to_owned(),
            consume_enable: true,
            consume_from_min_enable: true,
            consume_broadcast_enable: true,
            retry_queue_nums: 1,
            retry_max_times: 16,
            broker_id: 0,
            which_broker_when_consume_slowly: 1,
            notify_consumer_ids_changed_enable: true,
        }
    }
}

/// Groups that exist from the start (`SubscriptionGroupManager.init`).
const FROM_START: [&str; 7] = [
    "TOOLS_CONSUMER",
    "FILTERSRV_CONSUMER",
    "SELF_TEST_C_GROUP",
    "CID_ONS-HTTP-PROXY",
    "CID_ONSAPI_PULL",
    "CID_ONSAPI_PERMISSION",
    "CID_ONSAPI_OWNER",
];

/// The group table, with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    pub(super) table: BTreeMap<String, GroupConfig>,
    pub(super) version: DataVersion,
}

impl Default for Groups {
    fn default() -> Self {
        let table = FROM_START.into_iter().map(|group| (group.to_owned(), GroupConfig::new(group))).collect();
        Self { table, version: DataVersion::default() }
    }
}

impl Groups {
    /// No group at all, not even those that exist from the start.
    pub(super) fn empty() -> Self {
        Self { table: BTreeMap::new(), version: DataVersion::default() }
    }

    /// The groups by name.
    pub const fn table(&self) -> &BTreeMap<String, GroupConfig> {
        &self.table
    }

    /// The settings of a group, made if it may be; whether they were made now (`findSubscriptionGroupConfig`).
    pub(super) fn find(&mut self, group: &str, auto_create: bool, now_ms: i64) -> Option<(GroupConfig, bool)> {
        if let Some(config) = self.table.get(group) {
            return Some((config.clone(), false));
        }
        if !auto_create && !group.starts_with("CID_RMQ_SYS_") {
            return None;
        }
        let config = GroupConfig::new(group);
        self.table.insert(group.to_owned(), config.clone());
        self.version.next(now_ms);
        Some((config, true))
    }
}
