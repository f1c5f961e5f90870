//! What a pull is filtered by (`ExpressionMessageFilter`).

use std::sync::Arc;

use super::{Subscription, sql, tag::SQL92};
use crate::{
    message::Properties,
    store::{ExtUnit, MessageFilter},
};

/// A subscription as the broker applies it: tags by the codes in the ConsumeQueue, an SQL92 expression by the properties
/// in the commit log.
#[derive(Clone, Debug)]
pub struct ExpressionMessageFilter {
    subscription: Subscription,
    expression: Option<Arc<sql::Expression>>,
}

impl ExpressionMessageFilter {
    /// The filter of a subscription. An expression that cannot be read filters nothing: 4.9.8 logs it and goes on
    /// without filter data (`ConsumerFilterManager.build`).
    pub fn new(subscription: Subscription) -> Self {
        let expression = match subscription.expression_type.as_str() {
            SQL92 => sql::Expression::parse(&subscription.sub_string).ok().map(Arc::new),
            _ => None,
        };
        Self { subscription, expression }
    }

    /// The subscription.
    pub const fn subscription(&self) -> &Subscription {
        &self.subscription
    }

    /// The expression, if there is one that can be evaluated.
    pub fn expression(&self) -> Option<&sql::Expression> {
        self.expression.as_deref()
    }
}

impl MessageFilter for ExpressionMessageFilter {
    fn by_consume_queue(&self, tags_code: Option<i64>, _ext: Option<&ExtUnit>) -> bool {
        !self.subscription.is_tag_type() || self.subscription.matches_code(tags_code)
    }

    fn looks_into_commit_log(&self) -> bool {
        self.expression.is_some()
    }

    fn by_commit_log(&self, properties: &Properties) -> bool {
        self.expression().is_none_or(|expression| expression.matches(|name| properties.get(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(expression: &str, kind: &str) -> ExpressionMessageFilter {
        ExpressionMessageFilter::new(Subscription::build("T", Some(expression), Some(kind), 7).expect("an expression"))
    }

    fn takes(filter: &ExpressionMessageFilter, tags_code: Option<i64>, properties: &[(&str, &str)]) -> bool {
        let properties: Properties = properties.iter().copied().collect();
        filter.by_consume_queue(tags_code, None) && filter.by_commit_log(&properties)
    }

    #[test]
    fn an_expression_looks_at_properties_and_not_at_tags_codes() {
        let sql = filter("a = 5", "SQL92");
        assert!(sql.looks_into_commit_log());
        assert!(takes(&sql, Some(1), &[("a", "5")]) && takes(&sql, None, &[("a", "5")]));
        assert!(!takes(&sql, Some(1), &[("a", "7")]) && !takes(&sql, Some(1), &[]));
        assert!(!takes(&sql, Some(1), &[("a", "abc")]), "what cannot be evaluated does not match");
    }

    #[test]
    fn tags_are_compared_by_their_codes() {
        // "TagA".hashCode() = 2598919.
        let tags = filter("TagA", "TAG");
        assert!(!tags.looks_into_commit_log());
        assert!(takes(&tags, Some(2_598_919), &[]) && !takes(&tags, Some(0), &[]));
    }

    /// `ConsumerFilterManager.build` answers null, and its caller asserts; assertions are off.
    #[test]
    fn what_cannot_be_read_filters_nothing() {
        for (expression, kind) in [("a =", "SQL92"), ("a = 5", "XPATH")] {
            let filter = filter(expression, kind);
            assert!(filter.expression().is_none() && !filter.looks_into_commit_log());
            assert!(takes(&filter, Some(0), &[]), "{kind}");
        }
    }
}
