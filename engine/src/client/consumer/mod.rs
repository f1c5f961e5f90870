//! The push consumer (`DefaultMQPushConsumer`): the parts that it is made of, and the turns of its services.

mod allocate;
mod application;
mod back;
mod business;
mod call;
mod clean;
mod concurrent;
mod config;
mod delivery;
mod listener;
mod lock;
mod offsets;
mod orderly;
mod persist;
mod polling;
mod pool;
mod process_queue;
mod pull_loop;
mod pulled;
mod push;
mod rebalance;
mod reset;
mod start;
mod start_offset;
mod stop;
mod take;
#[cfg(test)]
mod tests;

pub use allocate::{AllocateError, AllocateStrategy};
pub use business::{
    BusinessCache, BusinessCase, BusinessDone, BusinessRecord, CacheSet, ListenerBusiness, RecordAt, Verdict,
    record_table,
};
pub use config::{
    ConsumeFromWhere, ConsumerConfig, MessageModel, PullFromWhere, check_group, consume_timestamp,
    parse_consume_timestamp,
};
pub use delivery::{BusinessTransaction, Delivery, DeliveryFate};
pub use listener::{
    Calls, ConsumeResult, ListenerCall, ListenerError, ListenerKind, ListenerRule, MessageCondition, MessageListener,
    Range,
};
pub use offsets::{LocalOffsets, OffsetTable, Stored};
pub use pool::{Call, Pool, Task};
pub use process_queue::ProcessQueue;
pub use push::{Block, Expression, OwnQueue, PullState, PushConsumer, PushSettings};
pub use start_offset::BegunAt;

pub(in crate::client) use self::{
    back::BackFrom, call::ConsumerCall, persist::WaitingOffset, rebalance::Asking, start_offset::StartOf,
};
use push::RETRY_PREFIX;
