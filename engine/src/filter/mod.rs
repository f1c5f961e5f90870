//! What a consumer asks for: tag subscriptions, at the broker by hash and at the client by name, and SQL92 expressions
//! over the properties.

mod expression;
pub mod sql;
mod tag;

pub use expression::ExpressionMessageFilter;
pub use tag::{SUB_ALL, Subscription};
