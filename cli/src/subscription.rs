//! Subscriptions by tag.

use anyhow::{Result, bail};
use rocketscope_engine::message::{java, tags};
use rocketscope_engine::store::{ExtUnit, MessageFilter};

/// A subscription as the store sees it: hashes of tags (`SubscriptionData`, `ExpressionMessageFilter`).
#[derive(Debug)]
pub(crate) struct Subscription {
    /// None: all messages.
    codes: Option<Vec<i64>>,
}

impl Subscription {
    /// Reads `*`, or tags with `||` between them (`FilterAPI.buildSubscriptionData`).
    pub(crate) fn parse(text: &str) -> Result<Self> {
        if text.is_empty() || text == "*" {
            return Ok(Self { codes: None });
        }
        let names: Vec<&str> =
            java::split(text, "||").into_iter().map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            bail!("--subscription {text}: no tag in it");
        }
        Ok(Self { codes: Some(names.iter().map(|name| tags::tags_code(Some(name))).collect()) })
    }
}

impl MessageFilter for Subscription {
    fn by_consume_queue(&self, tags_code: Option<i64>, _ext: Option<&ExtUnit>) -> bool {
        match (&self.codes, tags_code) {
            // The code is compared as the 32 bits that a hash has.
            (Some(codes), Some(code)) => codes.contains(&i64::from(code as i32)),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared_by_hash() {
        let subscription = Subscription::parse("TagA || Aa||").unwrap();
        // "TagA".hashCode() = 2598919; "Aa" and "BB" both hash to 2112.
        assert!(subscription.by_consume_queue(Some(2_598_919), None));
        assert!(subscription.by_consume_queue(Some(2112), None));
        assert!(!subscription.by_consume_queue(Some(0), None));
        assert!(subscription.by_consume_queue(None, None));
        assert!(Subscription::parse("*").unwrap().by_consume_queue(Some(0), None));
        assert!(Subscription::parse("||").is_err());
    }
}
