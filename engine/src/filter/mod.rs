//! What a consumer asks for: tag subscriptions, at the broker by hash and at the client by name, and SQL92 expressions
//! over the properties.

pub mod sql;
mod tag;

pub use tag::{SUB_ALL, Subscription};
