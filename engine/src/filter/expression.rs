//! What a pull is filtered by (`ExpressionMessageFilter`, `ExpressionForRetryMessageFilter`).

use std::sync::Arc;

use super::{BloomFilter, ConsumerFilterData, FilterTable, Subscription};
use crate::{
    message::{Properties, property},
    store::{ExtUnit, MessageFilter},
};

/// What the topics of messages that groups have given back begin with (`MixAll.RETRY_GROUP_TOPIC_PREFIX`).
const RETRY_PREFIX: &str = "%RETRY%";

/// A subscription as the broker applies it: tags by the codes in the ConsumeQueue, an SQL92 expression by the bits in the
/// ConsumeQueueExt, where there are any, and by the properties in the commit log.
#[derive(Clone, Debug)]
pub struct ExpressionMessageFilter {
    subscription: Subscription,
    data: Option<Arc<ConsumerFilterData>>,
    bloom: BloomFilter,
    /// Messages of a retry topic are filtered as in the topic that they come from (`filterSupportRetry`).
    origins: Option<Arc<FilterTable>>,
}

impl ExpressionMessageFilter {
    /// The filter of a subscription. Without filter data nothing is filtered but by tags: so 4.9.8 goes on where a pull
    /// brings an expression that cannot be read.
    pub const fn new(subscription: Subscription, data: Option<Arc<ConsumerFilterData>>, bloom: BloomFilter) -> Self {
        Self { subscription, data, bloom, origins: None }
    }

    /// The same for a broker that filters messages of retry topics by the expressions of this table. One that does not say
    /// which topic it comes from, where 4.9.8 throws, is not filtered.
    #[must_use]
    pub fn with_origins(self, origins: Option<Arc<FilterTable>>) -> Self {
        let origins = origins.filter(|_| self.subscription.topic.starts_with(RETRY_PREFIX));
        Self { origins, ..self }
    }

    /// Takes the table as it is now, if it looks at one.
    pub fn renew_origins(&mut self, origins: &Arc<FilterTable>) {
        if let Some(mine) = &mut self.origins {
            mine.clone_from(origins);
        }
    }

    /// The subscription.
    pub const fn subscription(&self) -> &Subscription {
        &self.subscription
    }

    fn own(&self) -> Option<&ConsumerFilterData> {
        self.data.as_deref().filter(|_| !self.subscription.is_tag_type())
    }

    /// The data of the topic that a message of a retry topic comes from.
    fn of_origin<'t>(&self, origins: &'t FilterTable, properties: &Properties) -> Option<&'t ConsumerFilterData> {
        let group = self.subscription.topic.strip_prefix(RETRY_PREFIX)?;
        origins.get(properties.get(property::RETRY_TOPIC)?)?.get(group).map(Arc::as_ref)
    }
}

impl MessageFilter for ExpressionMessageFilter {
    fn by_consume_queue(&self, tags_code: Option<i64>, ext: Option<&ExtUnit>) -> bool {
        if self.subscription.is_tag_type() {
            return self.subscription.matches_code(tags_code);
        }
        let Some((data, bits)) = self.own().filter(|data| data.compiled.is_some()).and_then(|data| {
            let bits = data.bloom.as_ref().filter(|bits| self.bloom.is_valid(bits))?;
            Some((data, bits))
        }) else {
            return true;
        };
        // A message from before the expression has other marks, or none.
        let marked = ext.filter(|ext| data.is_older_than(ext.msg_store_time)).map(|ext| &ext.filter_bit_map);
        let marked = marked.filter(|bit_map| i32::try_from(bit_map.len() * 8) == Ok(bits.bit_num));
        marked.is_none_or(|bit_map| bits.are_set_in(bit_map))
    }

    fn looks_into_commit_log(&self) -> bool {
        self.origins.is_some() || self.own().is_some_and(|data| data.compiled.is_some())
    }

    fn by_commit_log(&self, properties: &Properties) -> bool {
        let data = match &self.origins {
            Some(origins) => self.of_origin(origins, properties),
            None => self.own(),
        };
        let expression = data.and_then(|data| data.compiled.as_ref());
        expression.is_none_or(|expression| expression.matches(|name| properties.get(name)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn bloom() -> BloomFilter {
        BloomFilter::by_fn(20, 32).unwrap()
    }

    /// The data of `G` for topic `T`, born at 1000, with its bits if `marks`.
    fn data(expression: &str, marks: bool) -> Arc<ConsumerFilterData> {
        let built = ConsumerFilterData::build("G", &Subscription::sql("T", expression, 7), 1_000).unwrap();
        Arc::new(ConsumerFilterData { bloom: marks.then(|| bloom().generate("G#T")), ..built })
    }

    fn sql(expression: &str, marks: bool) -> ExpressionMessageFilter {
        let subscription = Subscription::sql("T", expression, 7);
        ExpressionMessageFilter::new(subscription, Some(data(expression, marks)), bloom())
    }

    fn takes(filter: &ExpressionMessageFilter, tags_code: Option<i64>, properties: &[(&str, &str)]) -> bool {
        let properties: Properties = properties.iter().copied().collect();
        filter.by_consume_queue(tags_code, None) && filter.by_commit_log(&properties)
    }

    #[test]
    fn an_expression_looks_at_properties_and_not_at_tags_codes() {
        let sql = sql("a = 5", false);
        assert!(sql.looks_into_commit_log());
        assert!(takes(&sql, Some(1), &[("a", "5")]) && takes(&sql, None, &[("a", "5")]));
        assert!(!takes(&sql, Some(1), &[("a", "7")]) && !takes(&sql, Some(1), &[]));
        assert!(!takes(&sql, Some(1), &[("a", "abc")]), "what cannot be evaluated does not match");
    }

    #[test]
    fn tags_are_compared_by_their_codes() {
        // "TagA".hashCode() = 2598919.
        let tags = ExpressionMessageFilter::new(Subscription::tags("T", Some("TagA"), 7), None, bloom());
        assert!(!tags.looks_into_commit_log());
        assert!(takes(&tags, Some(2_598_919), &[]) && !takes(&tags, Some(0), &[]));
    }

    /// `ConsumerFilterManager.build` answers null, and its caller asserts; assertions are off.
    #[test]
    fn without_data_an_expression_filters_nothing() {
        let filter = ExpressionMessageFilter::new(Subscription::sql("T", "a =", 7), None, bloom());
        assert!(!filter.looks_into_commit_log() && takes(&filter, Some(0), &[]));
        let other = Subscription::build("T", Some("a"), Some("XPATH"), 7).unwrap();
        assert_eq!(ConsumerFilterData::build("G", &other, 0), Err(None));
    }

    /// `ExpressionMessageFilter.isMatchedByConsumeQueue`, rule by rule.
    #[test]
    fn marks_in_the_queue_spare_the_look_at_the_log() {
        let ext = |msg_store_time, filter_bit_map| ExtUnit { msg_store_time, filter_bit_map, ..ExtUnit::default() };
        let mut mine = bloom().empty_bit_map();
        bloom().generate("G#T").set_in(&mut mine);
        let filter = sql("a = 5", true);
        let by_queue = |filter: &ExpressionMessageFilter, ext: &ExtUnit| filter.by_consume_queue(Some(0), Some(ext));
        assert!(by_queue(&filter, &ext(1_001, mine.clone())));
        assert!(!by_queue(&filter, &ext(1_001, bloom().empty_bit_map())), "it is for others");
        assert!(by_queue(&filter, &ext(1_000, bloom().empty_bit_map())), "from before the expression");
        assert!(filter.by_consume_queue(Some(0), None), "no entry");
        assert!(by_queue(&filter, &ext(1_001, Vec::new())), "no marks");
        assert!(by_queue(&filter, &ext(1_001, vec![0; 13])), "marks of another filter");
        assert!(by_queue(&sql("a = 5", false), &ext(1_001, bloom().empty_bit_map())), "it came with the pull");
    }

    /// `filterSupportRetry`.
    #[test]
    fn a_retried_message_is_filtered_as_where_it_comes_from() {
        let table = FilterTable::from([("T".to_owned(), BTreeMap::from([("G".to_owned(), data("a = 5", true))]))]);
        let all = |topic: &str| ExpressionMessageFilter::new(Subscription::tags(topic, None, 0), None, bloom());
        let retry = all("%RETRY%G").with_origins(Some(Arc::new(table.clone())));
        let from = |topic, a| [(property::RETRY_TOPIC, topic), ("a", a)];
        assert!(retry.looks_into_commit_log());
        assert!(takes(&retry, Some(0), &from("T", "5")) && !takes(&retry, Some(0), &from("T", "7")));
        assert!(takes(&retry, Some(0), &from("U", "7")), "a topic without an expression");
        assert!(!all("%RETRY%G").looks_into_commit_log() && takes(&all("%RETRY%G"), Some(0), &from("T", "7")));
        let other = all("T").with_origins(Some(Arc::new(table)));
        assert!(!other.looks_into_commit_log(), "only retry topics");
    }
}
