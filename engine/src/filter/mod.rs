//! What a consumer asks for: tag subscriptions, at the broker by hash and at the client by name.

mod tag;

pub use tag::{SUB_ALL, Subscription};
