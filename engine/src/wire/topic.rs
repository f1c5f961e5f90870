//! What nodes say about topics, brokers and routes.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// Permission bit: the permission is inherited by topics created after this one's model (`PermName.PERM_INHERIT`).
pub const PERM_INHERIT: i32 = 1;
/// Permission bit: may be written.
pub const PERM_WRITE: i32 = 2;
/// Permission bit: may be read.
pub const PERM_READ: i32 = 4;

/// The topic whose configuration automatically created topics take after.
pub const AUTO_CREATE_TOPIC: &str = "TBW102";

/// Topics that the system keeps for itself: a client does not send to them, and a broker takes nothing for them
/// (`TopicValidator.NOT_ALLOWED_SEND_TOPIC_SET`).
pub const NOT_ALLOWED_SEND_TOPICS: [&str; 6] = [
    "SCHEDULE_TOPIC_XXXX",
    "RMQ_SYS_TRANS_HALF_TOPIC",
    "RMQ_SYS_TRANS_OP_HALF_TOPIC",
    "TRANS_CHECK_MAX_TIME_TOPIC",
    "SELF_TEST_TOPIC",
    "OFFSET_MOVED_EVENT",
];

/// Which state of a table this is: grows by one with every change (`DataVersion`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataVersion {
    /// When it last changed, milliseconds since the epoch.
    pub timestamp: i64,
    /// How often it has changed.
    pub counter: i64,
}

impl DataVersion {
    /// `DataVersion.nextVersion`.
    pub fn next(&mut self, now: i64) {
        self.timestamp = now;
        self.counter = self.counter.wrapping_add(1);
    }
}

/// A topic at a broker (`TopicConfig`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicConfig {
    /// The topic.
    pub topic_name: String,
    /// Queues that consumers may read: 0 up to this, exclusive.
    pub read_queue_nums: i32,
    /// Queues that producers may write: 0 up to this, exclusive.
    pub write_queue_nums: i32,
    /// Permission bits.
    pub perm: i32,
    /// `SINGLE_TAG` or `MULTI_TAG`.
    pub topic_filter_type: Cow<'static, str>,
    /// System flag of the topic.
    pub topic_sys_flag: i32,
    /// An order topic.
    pub order: bool,
}

impl TopicConfig {
    /// A topic with 4.9.8's defaults beside the given values.
    pub fn new(topic: &str, read_queue_nums: i32, write_queue_nums: i32, perm: i32) -> Self {
        Self {
            topic_name: topic.to_owned(),
            read_queue_nums,
            write_queue_nums,
            perm,
            topic_filter_type: "SINGLE_TAG".into(),
            topic_sys_flag: 0,
            order: false,
        }
    }
}

/// `TopicConfig.toString`, which some remarks hold.
impl fmt::Display for TopicConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |bit: i32, letter: char| if self.perm & bit == 0 { '-' } else { letter };
        let (read, write, inherit) = (flag(PERM_READ, 'R'), flag(PERM_WRITE, 'W'), flag(PERM_INHERIT, 'X'));
        write!(
            f,
            "TopicConfig [topicName={}, readQueueNums={}, writeQueueNums={}, perm={read}{write}{inherit}, \
             topicFilterType={}, topicSysFlag={}, order={}]",
            self.topic_name,
            self.read_queue_nums,
            self.write_queue_nums,
            self.topic_filter_type,
            self.topic_sys_flag,
            self.order
        )
    }
}

/// The queues of a topic at one broker name (`QueueData`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueData {
    /// The broker's name.
    pub broker_name: String,
    /// Queues that may be read.
    pub read_queue_nums: i32,
    /// Queues that may be written.
    pub write_queue_nums: i32,
    /// Permission bits.
    pub perm: i32,
    /// System flag of the topic.
    pub topic_sys_flag: i32,
}

/// The addresses of one broker name (`BrokerData`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokerData {
    /// The cluster.
    pub cluster: String,
    /// The broker's name.
    pub broker_name: String,
    /// Broker id (0: master) to `ip:port`.
    pub broker_addrs: BTreeMap<i64, String>,
}

/// The route of a topic (`TopicRouteData`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicRouteData {
    /// `broker:num;...` of an order topic.
    pub order_topic_conf: Option<String>,
    /// The queues, by broker name.
    pub queue_datas: Vec<QueueData>,
    /// The brokers, by name.
    pub broker_datas: Vec<BrokerData>,
}
