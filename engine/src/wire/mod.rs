//! What nodes say to each other: requests and responses as typed commands, with the 4.9.8 codes and field names.

mod code;
mod consumer;
mod database;
mod heartbeat;
mod names;
mod request;
mod response;
mod send_back;
#[cfg(test)]
mod tests;
mod topic;
mod transaction;

pub use code::{RequestCode, ResponseCode};
pub use consumer::{CheckClientConfig, GroupRef, LockBatch, TopicQueue};
pub use database::{Cell, Change, DatabaseAnswer, DatabaseCommand, DatabaseError, Values};
pub use heartbeat::{ConsumerData, HeartbeatData, ProducerData, UnregisterClient};
pub use names::{
    BrokerRef, ClusterInfo, CreateTopic, DataVersionAnswer, DeleteGroup, DeleteTopic, GetConsumeStats, GroupConfig,
    KvConfig, ORDER_TOPIC_CONFIG, QueryDataVersion, QueueStats, ResetConsumerClientOffset, ResetOffset,
};
pub use request::{
    GetRouteInfo, PullMessage, QueryConsumerOffset, QueryMessage, QueueRef, RegisterBroker, Request, SearchOffset,
    SendMessage, UnregisterBroker, UpdateConsumerOffset, ViewMessage, pull_flag,
};
pub use response::{PullResponse, RegisterBrokerResponse, Response, ResponseBody, SendResponse};
pub use send_back::ConsumerSendMsgBack;
pub use topic::{
    AUTO_CREATE_TOPIC, BrokerData, DataVersion, NOT_ALLOWED_SEND_TOPICS, PERM_INHERIT, PERM_READ, PERM_WRITE,
    QueueData, TopicConfig, TopicRouteData,
};
pub use transaction::{CheckTransactionState, EndTransaction, ResumeCheckHalfMessage};
