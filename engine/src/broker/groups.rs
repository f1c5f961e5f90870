//! Consumer groups' settings (`SubscriptionGroupManager`).

use std::collections::BTreeMap;

use crate::wire::DataVersion;
pub use crate::wire::GroupConfig;

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

/// The groups of the system that a broker lets in without being asked are called so (`MixAll.CID_RMQ_SYS_PREFIX`).
const SYSTEM_PREFIX: &str = "CID_RMQ_SYS_";

/// Whether a group is there for the system's own sake: from the start, or by its name (`MixAll.isSysConsumerGroup`).
pub fn is_system_group(group: &str) -> bool {
    FROM_START.contains(&group) || group.starts_with(SYSTEM_PREFIX)
}

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
        if !auto_create && !group.starts_with(SYSTEM_PREFIX) {
            return None;
        }
        let config = GroupConfig::new(group);
        self.table.insert(group.to_owned(), config.clone());
        self.version.next(now_ms);
        Some((config, true))
    }

    /// Puts a group's settings in place of what it has (`updateSubscriptionGroupConfig`).
    pub(super) fn put(&mut self, config: GroupConfig, now_ms: i64) {
        self.table.insert(config.group_name.clone(), config);
        self.version.next(now_ms);
    }

    /// Takes a group out; whether there was one (`deleteSubscriptionGroupConfig`).
    pub(super) fn remove(&mut self, group: &str, now_ms: i64) -> bool {
        let known = self.table.remove(group).is_some();
        if known {
            self.version.next(now_ms);
        }
        known
    }
}
