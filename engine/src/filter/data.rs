//! What a broker keeps of a consumer's expression (`ConsumerFilterData`), and how messages are marked by it.

use std::{collections::BTreeMap, sync::Arc};

use super::{BloomFilter, BloomFilterData, Subscription, sql, tag::SQL92};
use crate::{message::record::Dispatch, store::BitMapCalculator};

/// The expression of a group for a topic.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsumerFilterData {
    /// The group.
    pub consumer_group: String,
    /// The topic.
    pub topic: String,
    /// The expression as it was given.
    pub expression: String,
    /// `SQL92`.
    pub expression_type: String,
    /// The expression, to be evaluated; `None`: it cannot be read.
    pub compiled: Option<Arc<sql::Expression>>,
    /// When the broker learnt of the expression, milliseconds since the epoch.
    pub born_ms: i64,
    /// When the broker lost the last consumer of the group; 0: it has one. Milliseconds since the epoch.
    pub dead_ms: i64,
    /// The bits of group and topic; `None` for one that came with a pull.
    pub bloom: Option<BloomFilterData>,
    /// Version of the client's subscription.
    pub client_version: i64,
}

impl ConsumerFilterData {
    /// The data of a subscription of another type than tags (`ConsumerFilterManager.build`).
    ///
    /// # Errors
    ///
    /// What is wrong with the expression; `None`: there is no filter of its type.
    pub fn build(group: &str, subscription: &Subscription, now_ms: i64) -> Result<Self, Option<sql::ParseError>> {
        let Subscription { topic, sub_string, expression_type, sub_version, .. } = subscription;
        Ok(Self {
            consumer_group: group.to_owned(),
            topic: topic.clone(),
            expression: sub_string.clone(),
            expression_type: expression_type.clone(),
            compiled: Some(compile(expression_type, sub_string)?),
            born_ms: now_ms,
            dead_ms: 0,
            bloom: None,
            client_version: *sub_version,
        })
    }

    /// Whether the broker has no consumer of the group (`isDead`).
    pub const fn is_dead(&self) -> bool {
        self.dead_ms >= self.born_ms
    }

    /// For how long there has been none, milliseconds; -1: there is one (`howLongAfterDeath`).
    pub const fn dead_for_ms(&self, now_ms: i64) -> i64 {
        if self.is_dead() { now_ms.saturating_sub(self.dead_ms) } else { -1 }
    }

    /// Whether a message of this store time was marked by the expression, if any was (`isMsgInLive`).
    pub const fn is_older_than(&self, store_ms: i64) -> bool {
        store_ms > self.born_ms
    }
}

/// Reads an expression of some type (`FilterFactory.get(type).compile`).
pub(crate) fn compile(kind: &str, expression: &str) -> Result<Arc<sql::Expression>, Option<sql::ParseError>> {
    match kind {
        SQL92 => sql::Expression::parse(expression).map(Arc::new).map_err(Some),
        _ => Err(None),
    }
}

/// Filter data by topic and group.
pub type FilterTable = BTreeMap<String, BTreeMap<String, Arc<ConsumerFilterData>>>;

/// The groups of a topic that a message is for, as bits (`CommitLogDispatcherCalcBitMap`).
#[derive(Clone, Debug)]
pub struct FilterBitMaps {
    bloom: BloomFilter,
    table: Arc<FilterTable>,
}

impl FilterBitMaps {
    /// Bit maps by these expressions, those of dead groups included.
    pub const fn new(bloom: BloomFilter, table: Arc<FilterTable>) -> Self {
        Self { bloom, table }
    }
}

impl BitMapCalculator for FilterBitMaps {
    fn bit_map(&self, record: &Dispatch<'_>) -> Option<Vec<u8>> {
        let groups = self.table.get(&*record.topic).filter(|groups| !groups.is_empty())?;
        let mut bit_map = self.bloom.empty_bit_map();
        for data in groups.values() {
            if let (Some(expression), Some(bits)) = (&data.compiled, &data.bloom)
                && expression.matches(|name| record.property(name))
            {
                bits.set_in(&mut bit_map);
            }
        }
        Some(bit_map)
    }
}
