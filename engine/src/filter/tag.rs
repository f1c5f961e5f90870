//! Subscriptions by tag (`FilterAPI.buildSubscriptionData`, `SubscriptionData`).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::message::java;

/// The expression that takes everything.
pub const SUB_ALL: &str = "*";

/// The type of tag expressions (`ExpressionType.TAG`).
const TAG: &str = "TAG";

/// The type of SQL92 expressions (`ExpressionType.SQL92`).
pub(super) const SQL92: &str = "SQL92";

/// What a group subscribes of a topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// The topic.
    pub topic: String,
    /// The expression as it was given; `*` takes everything.
    pub sub_string: String,
    /// The tags; empty takes everything.
    pub tags_set: BTreeSet<String>,
    /// Their hash codes, which is all that the broker compares.
    pub code_set: BTreeSet<i32>,
    /// When the subscription was made, milliseconds since the epoch: the newer one wins.
    pub sub_version: i64,
    /// `TAG` or `SQL92`; empty is tags as well (`ExpressionType.isTagType`).
    pub expression_type: String,
}

impl Subscription {
    /// The subscription of an expression of some type; none given is `TAG` (`FilterAPI.build`). `None`: another type than
    /// tags without an expression, where 4.9.8 throws.
    pub fn build(topic: &str, expression: Option<&str>, kind: Option<&str>, sub_version: i64) -> Option<Self> {
        let Some(kind) = kind.filter(|kind| *kind != TAG) else {
            return Some(Self::tags(topic, expression, sub_version));
        };
        let expression = expression.filter(|text| !text.is_empty())?;
        Some(Self::of_type(topic, expression, kind, sub_version))
    }

    /// The subscription of an SQL92 expression, readable or not (`MessageSelector.bySql`).
    pub fn sql(topic: &str, expression: &str, sub_version: i64) -> Self {
        Self::of_type(topic, expression, SQL92, sub_version)
    }

    fn of_type(topic: &str, expression: &str, kind: &str, sub_version: i64) -> Self {
        Self {
            topic: topic.to_owned(),
            sub_string: expression.to_owned(),
            tags_set: BTreeSet::new(),
            code_set: BTreeSet::new(),
            sub_version,
            expression_type: kind.to_owned(),
        }
    }

    /// Whether it is matched by tags (`ExpressionType.isTagType`).
    pub fn is_tag_type(&self) -> bool {
        matches!(self.expression_type.as_str(), "" | TAG)
    }

    /// The subscription of a tag expression: null, empty or `*` takes everything, else tags separated by `||`.
    pub fn tags(topic: &str, expression: Option<&str>, sub_version: i64) -> Self {
        let expression = expression.filter(|text| !text.is_empty()).unwrap_or(SUB_ALL);
        let mut subscription = Self {
            topic: topic.to_owned(),
            sub_string: expression.to_owned(),
            tags_set: BTreeSet::new(),
            code_set: BTreeSet::new(),
            sub_version,
            expression_type: TAG.to_owned(),
        };
        if expression != SUB_ALL {
            for tag in java::split(expression, "||").into_iter().map(str::trim).filter(|tag| !tag.is_empty()) {
                subscription.code_set.insert(java::string_hash(tag));
                subscription.tags_set.insert(tag.to_owned());
            }
        }
        subscription
    }

    /// The broker's check on a unit (`DefaultMessageFilter.isMatchedByConsumeQueue`): by hash code, so that tags with
    /// equal codes pass. No tags code, as in the periodic check of held pulls, passes.
    pub fn matches_code(&self, tags_code: Option<i64>) -> bool {
        match tags_code {
            None => true,
            Some(_) if self.sub_string == SUB_ALL => true,
            // Java narrows the unit's long to the hash's int.
            Some(code) => self.code_set.contains(&(code as i32)),
        }
    }

    /// The client's check on a message (`PullAPIWrapper.processPullResult`): by the tag itself.
    pub fn matches_tag(&self, tag: Option<&str>) -> bool {
        self.tags_set.is_empty() || tag.is_some_and(|tag| self.tags_set.contains(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_of_tags_keeps_names_and_codes() {
        let subscription = Subscription::tags("T", Some(" TagA ||TagB|| "), 7);
        assert_eq!(subscription.tags_set.iter().collect::<Vec<_>>(), ["TagA", "TagB"]);
        // "TagA".hashCode() = 2598919 (store-format, section 8); TagB follows it.
        assert!(subscription.matches_code(Some(2_598_919)) && subscription.matches_code(Some(2_598_920)));
        assert!(!subscription.matches_code(Some(0)) && subscription.matches_code(None));
        assert!(subscription.matches_tag(Some("TagB")) && !subscription.matches_tag(None));
    }

    #[test]
    fn tags_with_equal_codes_pass_the_broker_and_not_the_client() {
        // "Aa" and "BB" both hash to 2112.
        let subscription = Subscription::tags("T", Some("Aa"), 0);
        assert!(subscription.matches_code(Some(2112)));
        assert!(!subscription.matches_tag(Some("BB")));
    }

    #[test]
    fn other_types_have_no_tags_and_need_an_expression() {
        let sql = Subscription::build("T", Some("a = 5"), Some("SQL92"), 7).expect("an expression");
        assert!(!sql.is_tag_type() && sql.tags_set.is_empty() && sql.code_set.is_empty());
        assert_eq!((sql.sub_string.as_str(), sql.sub_version), ("a = 5", 7));
        assert!(sql.matches_tag(None), "the client keeps what the broker sends");
        for expression in [None, Some("")] {
            assert_eq!(Subscription::build("T", expression, Some("SQL92"), 7), None);
            assert_eq!(Subscription::build("T", expression, None, 7), Some(Subscription::tags("T", None, 7)));
        }
    }

    #[test]
    fn no_expression_takes_everything() {
        for expression in [None, Some(""), Some("*")] {
            let subscription = Subscription::tags("T", expression, 0);
            assert!(subscription.matches_code(Some(1)) && subscription.matches_tag(None));
        }
    }
}
