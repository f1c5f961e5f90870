//! What a consumer asks for: tag subscriptions, at the broker by hash and at the client by name, and SQL92 expressions
//! over the properties, with the bits that mark for whom a message is.

mod bloom;
mod data;
mod expression;
pub mod sql;
mod tag;

pub use bloom::{BloomFilter, BloomFilterData};
pub(crate) use data::compile;
pub use data::{ConsumerFilterData, FilterBitMaps, FilterTable};
pub use expression::ExpressionMessageFilter;
pub use tag::{SUB_ALL, Subscription};
