//! Requests: the custom headers of 4.9.8 with their bodies, under the names that 4.9.8 gives the fields.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{
    BrokerRef, CheckClientConfig, CheckTransactionState, ConsumerSendMsgBack, CreateTopic, DataVersion,
    DatabaseCommand, DeleteGroup, DeleteTopic, EndTransaction, GetConsumeStats, GroupConfig, GroupRef, HeartbeatData,
    KvConfig, LockBatch, QueryDataVersion, RequestCode, ResetConsumerClientOffset, ResetOffset, ResumeCheckHalfMessage,
    TopicConfig, UnregisterClient,
};

/// A request from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// `SEND_MESSAGE`.
    SendMessage(SendMessage),
    /// `SEND_MESSAGE_V2`: the same with one-letter field names on the wire.
    SendMessageV2(SendMessage),
    /// `SEND_BATCH_MESSAGE`: the body holds encoded entries.
    SendBatchMessage(SendMessage),
    /// `CONSUMER_SEND_MSG_BACK`.
    ConsumerSendMsgBack(ConsumerSendMsgBack),
    /// `END_TRANSACTION`: one-way.
    EndTransaction(EndTransaction),
    /// `CHECK_TRANSACTION_STATE`: from a broker to a client, one-way.
    CheckTransactionState(Box<CheckTransactionState>),
    /// `RESUME_CHECK_HALF_MESSAGE`.
    ResumeCheckHalfMessage(ResumeCheckHalfMessage),
    /// `PULL_MESSAGE`.
    PullMessage(PullMessage),
    /// `QUERY_MESSAGE`.
    QueryMessage(QueryMessage),
    /// `VIEW_MESSAGE_BY_ID`.
    ViewMessageById(ViewMessage),
    /// `QUERY_CONSUMER_OFFSET`.
    QueryConsumerOffset(QueryConsumerOffset),
    /// `UPDATE_CONSUMER_OFFSET`.
    UpdateConsumerOffset(UpdateConsumerOffset),
    /// `GET_MAX_OFFSET`.
    GetMaxOffset(QueueRef),
    /// `GET_MIN_OFFSET`.
    GetMinOffset(QueueRef),
    /// `GET_EARLIEST_MSG_STORETIME`.
    GetEarliestMsgStoretime(QueueRef),
    /// `SEARCH_OFFSET_BY_TIMESTAMP`.
    SearchOffsetByTimestamp(SearchOffset),
    /// `HEART_BEAT`.
    HeartBeat(HeartbeatData),
    /// `UNREGISTER_CLIENT`.
    UnregisterClient(UnregisterClient),
    /// `CHECK_CLIENT_CONFIG`.
    CheckClientConfig(Box<CheckClientConfig>),
    /// `GET_CONSUMER_LIST_BY_GROUP`.
    GetConsumerListByGroup(GroupRef),
    /// `NOTIFY_CONSUMER_IDS_CHANGED`: from a broker to a consumer, one-way.
    NotifyConsumerIdsChanged(GroupRef),
    /// `LOCK_BATCH_MQ`.
    LockBatchMq(LockBatch),
    /// `UNLOCK_BATCH_MQ`.
    UnlockBatchMq(LockBatch),
    /// `REGISTER_BROKER`.
    RegisterBroker(Box<RegisterBroker>),
    /// `UNREGISTER_BROKER`.
    UnregisterBroker(UnregisterBroker),
    /// `GET_ROUTEINFO_BY_TOPIC`.
    GetRouteinfoByTopic(GetRouteInfo),
    /// `GET_ALL_TOPIC_CONFIG`: a slave copies its master's topics.
    GetAllTopicConfig,
    /// `GET_ALL_CONSUMER_OFFSET`: the consumer offsets.
    GetAllConsumerOffset,
    /// `GET_ALL_DELAY_OFFSET`: how far each delay level is delivered.
    GetAllDelayOffset,
    /// `GET_ALL_SUBSCRIPTIONGROUP_CONFIG`: the groups.
    GetAllSubscriptionGroupConfig,
    /// A statement for a database.
    Database(Box<DatabaseCommand>),
    /// `PUT_KV_CONFIG`.
    PutKvConfig(KvConfig),
    /// `GET_KV_CONFIG`.
    GetKvConfig(KvConfig),
    /// `DELETE_KV_CONFIG`.
    DeleteKvConfig(KvConfig),
    /// `GET_BROKER_CLUSTER_INFO`.
    GetBrokerClusterInfo,
    /// `QUERY_DATA_VERSION`.
    QueryDataVersion(QueryDataVersion),
    /// `WIPE_WRITE_PERM_OF_BROKER`.
    WipeWritePermOfBroker(BrokerRef),
    /// `ADD_WRITE_PERM_OF_BROKER`.
    AddWritePermOfBroker(BrokerRef),
    /// `DELETE_TOPIC_IN_NAMESRV`.
    DeleteTopicInNamesrv(DeleteTopic),
    /// `UPDATE_AND_CREATE_TOPIC`.
    UpdateAndCreateTopic(CreateTopic),
    /// `DELETE_TOPIC_IN_BROKER`.
    DeleteTopicInBroker(DeleteTopic),
    /// `UPDATE_AND_CREATE_SUBSCRIPTIONGROUP`.
    UpdateAndCreateSubscriptionGroup(Box<GroupConfig>),
    /// `DELETE_SUBSCRIPTIONGROUP`.
    DeleteSubscriptionGroup(DeleteGroup),
    /// `INVOKE_BROKER_TO_RESET_OFFSET`.
    InvokeBrokerToResetOffset(ResetOffset),
    /// `RESET_CONSUMER_CLIENT_OFFSET`: from a broker to a consumer, one-way.
    ResetConsumerClientOffset(ResetConsumerClientOffset),
    /// `GET_CONSUME_STATS`.
    GetConsumeStats(GetConsumeStats),
    /// `GET_TOPIC_STATS_INFO`.
    GetTopicStatsInfo(GetRouteInfo),
}

impl Request {
    /// The code on the wire.
    pub const fn code(&self) -> RequestCode {
        match self {
            Self::SendMessage(_) => RequestCode::SendMessage,
            Self::SendMessageV2(_) => RequestCode::SendMessageV2,
            Self::SendBatchMessage(_) => RequestCode::SendBatchMessage,
            Self::ConsumerSendMsgBack(_) => RequestCode::ConsumerSendMsgBack,
            Self::EndTransaction(_) => RequestCode::EndTransaction,
            Self::CheckTransactionState(_) => RequestCode::CheckTransactionState,
            Self::ResumeCheckHalfMessage(_) => RequestCode::ResumeCheckHalfMessage,
            Self::PullMessage(_) => RequestCode::PullMessage,
            Self::QueryMessage(_) => RequestCode::QueryMessage,
            Self::ViewMessageById(_) => RequestCode::ViewMessageById,
            Self::QueryConsumerOffset(_) => RequestCode::QueryConsumerOffset,
            Self::UpdateConsumerOffset(_) => RequestCode::UpdateConsumerOffset,
            Self::GetMaxOffset(_) => RequestCode::GetMaxOffset,
            Self::GetMinOffset(_) => RequestCode::GetMinOffset,
            Self::GetEarliestMsgStoretime(_) => RequestCode::GetEarliestMsgStoretime,
            Self::SearchOffsetByTimestamp(_) => RequestCode::SearchOffsetByTimestamp,
            Self::HeartBeat(_) => RequestCode::HeartBeat,
            Self::UnregisterClient(_) => RequestCode::UnregisterClient,
            Self::CheckClientConfig(_) => RequestCode::CheckClientConfig,
            Self::GetConsumerListByGroup(_) => RequestCode::GetConsumerListByGroup,
            Self::NotifyConsumerIdsChanged(_) => RequestCode::NotifyConsumerIdsChanged,
            Self::LockBatchMq(_) => RequestCode::LockBatchMq,
            Self::UnlockBatchMq(_) => RequestCode::UnlockBatchMq,
            Self::RegisterBroker(_) => RequestCode::RegisterBroker,
            Self::UnregisterBroker(_) => RequestCode::UnregisterBroker,
            Self::GetRouteinfoByTopic(_) => RequestCode::GetRouteinfoByTopic,
            Self::GetAllTopicConfig => RequestCode::GetAllTopicConfig,
            Self::GetAllConsumerOffset => RequestCode::GetAllConsumerOffset,
            Self::GetAllDelayOffset => RequestCode::GetAllDelayOffset,
            Self::GetAllSubscriptionGroupConfig => RequestCode::GetAllSubscriptionGroupConfig,
            Self::Database(command) => command.code(),
            Self::PutKvConfig(_) => RequestCode::PutKvConfig,
            Self::GetKvConfig(_) => RequestCode::GetKvConfig,
            Self::DeleteKvConfig(_) => RequestCode::DeleteKvConfig,
            Self::GetBrokerClusterInfo => RequestCode::GetBrokerClusterInfo,
            Self::QueryDataVersion(_) => RequestCode::QueryDataVersion,
            Self::WipeWritePermOfBroker(_) => RequestCode::WipeWritePermOfBroker,
            Self::AddWritePermOfBroker(_) => RequestCode::AddWritePermOfBroker,
            Self::DeleteTopicInNamesrv(_) => RequestCode::DeleteTopicInNamesrv,
            Self::UpdateAndCreateTopic(_) => RequestCode::UpdateAndCreateTopic,
            Self::DeleteTopicInBroker(_) => RequestCode::DeleteTopicInBroker,
            Self::UpdateAndCreateSubscriptionGroup(_) => RequestCode::UpdateAndCreateSubscriptionGroup,
            Self::DeleteSubscriptionGroup(_) => RequestCode::DeleteSubscriptionGroup,
            Self::InvokeBrokerToResetOffset(_) => RequestCode::InvokeBrokerToResetOffset,
            Self::ResetConsumerClientOffset(_) => RequestCode::ResetConsumerClientOffset,
            Self::GetConsumeStats(_) => RequestCode::GetConsumeStats,
            Self::GetTopicStatsInfo(_) => RequestCode::GetTopicStatsInfo,
        }
    }
}

impl Request {
    /// Whether the answer may be held back until there is something to answer.
    pub const fn may_be_held(&self) -> bool {
        matches!(self, Self::PullMessage(pull) if pull.sys_flag & pull_flag::SUSPEND != 0)
    }
}

/// `SendMessageRequestHeader` and the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendMessage {
    /// The producer group.
    pub producer_group: String,
    /// The topic.
    pub topic: String,
    /// The topic that an unknown topic takes after.
    pub default_topic: String,
    /// Queues that the producer would like an unknown topic to have.
    pub default_topic_queue_nums: i32,
    /// The queue; below 0 lets the broker choose.
    pub queue_id: i32,
    /// System flag.
    pub sys_flag: i32,
    /// The client's clock, milliseconds since the epoch.
    pub born_timestamp: i64,
    /// The application's flag.
    pub flag: i32,
    /// Properties text.
    pub properties: String,
    /// How often the message has been consumed in vain; absent is 0.
    pub reconsume_times: Option<i32>,
    /// Unit mode.
    pub unit_mode: bool,
    /// Limit of `reconsume_times`; absent: the group's.
    pub max_reconsume_times: Option<i32>,
    /// The body holds encoded entries.
    pub batch: bool,
    /// The body.
    #[serde(skip)]
    pub body: Bytes,
}

/// `PullMessageRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullMessage {
    /// The consumer group.
    pub consumer_group: String,
    /// The topic.
    pub topic: String,
    /// The queue.
    pub queue_id: i32,
    /// The queue offset to begin at.
    pub queue_offset: i64,
    /// Messages at most.
    pub max_msg_nums: i32,
    /// [`pull_flag`] bits.
    pub sys_flag: i32,
    /// The offset to commit, with [`pull_flag::COMMIT_OFFSET`].
    pub commit_offset: i64,
    /// How long the broker may hold the pull, milliseconds, with [`pull_flag::SUSPEND`].
    pub suspend_timeout_millis: i64,
    /// The expression, with [`pull_flag::SUBSCRIPTION`].
    pub subscription: Option<String>,
    /// Version of the client's subscription.
    pub sub_version: i64,
    /// `TAG` or `SQL92`; absent is `TAG`.
    pub expression_type: Option<String>,
}

/// Bits of [`PullMessage::sys_flag`] (`PullSysFlag`).
pub mod pull_flag {
    /// Commit the offset that the request carries.
    pub const COMMIT_OFFSET: i32 = 1;
    /// Hold the pull when nothing is there.
    pub const SUSPEND: i32 = 2;
    /// The request carries the subscription.
    pub const SUBSCRIPTION: i32 = 4;
    /// Class filter (legacy).
    pub const CLASS_FILTER: i32 = 8;
    /// Lite pull consumer.
    pub const LITE_PULL: i32 = 16;
}

/// `QueryMessageRequestHeader`, with the extension field `_UNIQUE_KEY_QUERY`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryMessage {
    /// The topic.
    pub topic: String,
    /// The key.
    pub key: String,
    /// Messages at most.
    pub max_num: i32,
    /// Earliest store time, milliseconds since the epoch.
    pub begin_timestamp: i64,
    /// Latest store time, milliseconds since the epoch.
    pub end_timestamp: i64,
    /// The key is a `UNIQ_KEY`.
    pub unique_key_query: bool,
}

/// `ViewMessageRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewMessage {
    /// The physical offset.
    pub offset: i64,
}

/// `QueryConsumerOffsetRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryConsumerOffset {
    /// The consumer group.
    pub consumer_group: String,
    /// The topic.
    pub topic: String,
    /// The queue.
    pub queue_id: i32,
}

/// `UpdateConsumerOffsetRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateConsumerOffset {
    /// The consumer group.
    pub consumer_group: String,
    /// The topic.
    pub topic: String,
    /// The queue.
    pub queue_id: i32,
    /// The next offset to read.
    pub commit_offset: i64,
}

/// The header of `GET_MAX_OFFSET`, `GET_MIN_OFFSET` and `GET_EARLIEST_MSG_STORETIME`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueRef {
    /// The topic.
    pub topic: String,
    /// The queue.
    pub queue_id: i32,
}

/// `SearchOffsetRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchOffset {
    /// The topic.
    pub topic: String,
    /// The queue.
    pub queue_id: i32,
    /// Store time, milliseconds since the epoch.
    pub timestamp: i64,
}

/// `RegisterBrokerRequestHeader` and `RegisterBrokerBody`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisterBroker {
    /// The broker's name.
    pub broker_name: String,
    /// `ip:port`.
    pub broker_addr: String,
    /// The cluster.
    pub cluster_name: String,
    /// `ip:port` of replication.
    pub ha_server_addr: String,
    /// 0: master.
    pub broker_id: i64,
    /// State of the topic table.
    pub data_version: DataVersion,
    /// The topic table, by name.
    pub topic_config_table: Vec<TopicConfig>,
}

/// `UnRegisterBrokerRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnregisterBroker {
    /// The broker's name.
    pub broker_name: String,
    /// `ip:port`.
    pub broker_addr: String,
    /// The cluster.
    pub cluster_name: String,
    /// 0: master.
    pub broker_id: i64,
}

/// `GetRouteInfoRequestHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetRouteInfo {
    /// The topic.
    pub topic: String,
}
