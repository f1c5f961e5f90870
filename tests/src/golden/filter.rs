//! The tag filter of the recorded reads.

use rocketscope_engine::message::{java, tags};
use rocketscope_engine::store::{ExtUnit, MessageFilter};

/// A tag subscription, matched by the hashes that a ConsumeQueue unit holds (`DefaultMessageFilter`).
#[derive(Clone, Debug)]
pub struct TagFilter {
    /// `None` takes everything.
    codes: Option<Vec<i64>>,
}

impl TagFilter {
    /// The filter of an expression such as `TagA || TagB` or `*` (`FilterAPI.buildSubscriptionData`).
    pub fn new(expression: &str) -> Self {
        if expression.is_empty() || expression == "*" {
            return Self { codes: None };
        }
        let names = java::split(expression, "||").into_iter().map(str::trim).filter(|name| !name.is_empty());
        Self { codes: Some(names.map(|name| tags::tags_code(Some(name))).collect()) }
    }
}

impl MessageFilter for TagFilter {
    fn by_consume_queue(&self, tags_code: Option<i64>, _ext: Option<&ExtUnit>) -> bool {
        match (&self.codes, tags_code) {
            (Some(codes), Some(code)) => codes.contains(&code),
            _ => true,
        }
    }
}
