//! The push consumer (`DefaultMQPushConsumer`): the parts that it is made of.

mod allocate;
mod config;
mod listener;
mod offsets;
mod process_queue;
#[cfg(test)]
mod tests;

pub use allocate::{AllocateError, AllocateStrategy};
pub use config::{
    ConsumeFromWhere, ConsumerConfig, MessageModel, PullFromWhere, check_group, consume_timestamp,
    parse_consume_timestamp,
};
pub use listener::{
    Calls, ConsumeResult, ListenerCall, ListenerError, ListenerKind, ListenerRule, MessageCondition, MessageListener,
    Range,
};
pub use offsets::{LocalOffsets, OffsetTable, Stored};
pub use process_queue::ProcessQueue;
