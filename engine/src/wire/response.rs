//! Responses: code, remark, and the custom header with its body.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{
    ClusterInfo, DataVersionAnswer, DatabaseAnswer, DatabaseError, QueueStats, RequestCode, ResponseCode, TopicQueue,
    TopicRouteData,
};

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// How the request ended.
    pub code: ResponseCode,
    /// The text that goes with it.
    pub remark: Option<String>,
    /// What was asked for.
    pub body: ResponseBody,
}

impl Response {
    /// A success with what was asked for.
    pub const fn success(body: ResponseBody) -> Self {
        Self { code: ResponseCode::Success, remark: None, body }
    }

    /// An answer without a body.
    pub fn failure(code: ResponseCode, remark: impl Into<String>) -> Self {
        Self { code, remark: Some(remark.into()), body: ResponseBody::None }
    }

    /// The answer of a node that does not know the request.
    pub fn not_supported(code: RequestCode) -> Self {
        let remark = format!(" request type {} not supported", code.value());
        Self::failure(ResponseCode::RequestCodeNotSupported, remark)
    }
}

/// What an answer brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponseBody {
    /// Nothing.
    None,
    /// To `SEND_MESSAGE*`.
    Send(SendResponse),
    /// To `PULL_MESSAGE`.
    Pull(PullResponse),
    /// To `QUERY_MESSAGE` and `VIEW_MESSAGE_BY_ID`: records, one after the other.
    Messages(Bytes),
    /// To everything that asks for one number: an offset or a store time.
    Offset(i64),
    /// To `REGISTER_BROKER`.
    RegisterBroker(RegisterBrokerResponse),
    /// To `GET_ROUTEINFO_BY_TOPIC`.
    Route(TopicRouteData),
    /// To a slave that copies its master's tables: one of them as JSON.
    Config(String),
    /// What a database answers.
    Database(Box<Result<DatabaseAnswer, DatabaseError>>),
    /// To `QUERY_DATA_VERSION`.
    DataVersion(DataVersionAnswer),
    /// To `GET_BROKER_CLUSTER_INFO`.
    Cluster(Box<ClusterInfo>),
    /// To `GET_KV_CONFIG`.
    Text(String),
    /// To `WIPE_WRITE_PERM_OF_BROKER` and `ADD_WRITE_PERM_OF_BROKER`: so many topics.
    Count(i32),
    /// To `GET_CONSUME_STATS` and `GET_TOPIC_STATS_INFO`: the queues of each topic.
    Stats(BTreeMap<String, Vec<QueueStats>>),
    /// To `INVOKE_BROKER_TO_RESET_OFFSET`: the new offset of each queue.
    Offsets(BTreeMap<i32, i64>),
    /// To `GET_CONSUMER_LIST_BY_GROUP`: the client id of every channel; of two clients with one id, both.
    ConsumerIds(Vec<String>),
    /// To `LOCK_BATCH_MQ`: the queues that the consumer has.
    LockedQueues(Vec<TopicQueue>),
}

/// `SendMessageResponseHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendResponse {
    /// The broker's message id; of a batch, joined by commas.
    pub msg_id: String,
    /// The queue.
    pub queue_id: i32,
    /// The queue offset; of a batch, the first's.
    pub queue_offset: i64,
}

/// `PullMessageResponseHeader` and the records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullResponse {
    /// Whom to ask next time; 0: the master.
    pub suggest_which_broker_id: i64,
    /// Where to go on.
    pub next_begin_offset: i64,
    /// The queue's first offset.
    pub min_offset: i64,
    /// The queue's end.
    pub max_offset: i64,
    /// The records, one after the other.
    #[serde(skip)]
    pub body: Bytes,
}

/// `RegisterBrokerResponseHeader`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisterBrokerResponse {
    /// The master's replication address; empty for a master.
    pub ha_server_addr: String,
    /// The master's address; empty for a master.
    pub master_addr: String,
    /// The body: the order topics with their configurations; `None` while no NameServer table has such a namespace.
    #[serde(default)]
    pub order_topics: Option<BTreeMap<String, String>>,
}
