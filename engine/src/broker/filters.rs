//! The expressions that consumers filter by, beside tags (`ConsumerFilterManager`).

use std::{collections::BTreeMap, sync::Arc};

use super::{BrokerConfig, Process, config_file::ConfigFile};
use crate::{
    fastjson::Value,
    filter::{
        BloomFilter, BloomFilterData, ConsumerFilterData, ExpressionMessageFilter, FilterBitMaps, FilterTable,
        Subscription, compile,
    },
    node::{GroupStep, Turn},
    store::BitMapCalculator,
};

/// As the table is loaded, every consumer counts as gone since so long ago at least, milliseconds.
const DEAD_BEFORE_LOAD_MS: i64 = 30_000;

/// The filter data of every group.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsumerFilters {
    table: Arc<FilterTable>,
    bloom: BloomFilter,
}

/// What becomes of one subscription of a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilterChange {
    /// Its expression is kept from now on.
    Kept,
    /// It is alive again, its expression is as before.
    Revived,
    /// Its version is newer, its expression as before.
    Renewed,
    /// Its expression cannot be read: there is none for it any more. What is wrong with it.
    Unread(String),
}

impl ConsumerFilters {
    /// No filter data at all.
    pub(super) fn new(config: &BrokerConfig) -> Self {
        let BrokerConfig { max_error_rate_of_bloom_filter: f, expect_consumer_num_use_filter: n, .. } = *config;
        // What cannot be is refused as the configuration is read.
        Self { table: Arc::default(), bloom: BloomFilter::by_fn(f, n).unwrap_or_default() }
    }

    /// By topic and group.
    pub fn table(&self) -> &Arc<FilterTable> {
        &self.table
    }

    /// The Bloom filter.
    pub const fn bloom(&self) -> BloomFilter {
        self.bloom
    }

    /// What a group filters a topic by.
    pub fn get(&self, topic: &str, group: &str) -> Option<&Arc<ConsumerFilterData>> {
        self.table.get(topic)?.get(group)
    }

    /// Takes in the subscriptions of a heartbeat (`register`); what changes, by topic. Data of topics that it does not name
    /// are dead.
    pub(super) fn register(
        &mut self,
        group: &str,
        subscriptions: &[Subscription],
        now_ms: i64,
    ) -> Vec<(String, FilterChange)> {
        let mut changes = Vec::new();
        for subscription in subscriptions {
            // Tags are filtered without it, and an empty expression is passed over.
            if !subscription.is_tag_type()
                && !subscription.sub_string.is_empty()
                && let Some(change) = self.register_one(group, subscription, now_ms)
            {
                changes.push((subscription.topic.clone(), change));
            }
        }
        let named = |topic: &str| subscriptions.iter().any(|subscription| subscription.topic == topic);
        self.kill(group, |topic| !named(topic), now_ms);
        changes
    }

    fn register_one(&mut self, group: &str, subscription: &Subscription, now_ms: i64) -> Option<FilterChange> {
        let Subscription { topic, sub_string, expression_type, sub_version, .. } = subscription;
        let old = self.get(topic, group).cloned();
        let bloom = self.bloom.generate(&format!("{group}#{topic}"));
        let put = |filters: &mut Self, data: ConsumerFilterData| {
            let groups = Arc::make_mut(&mut filters.table).entry(topic.clone()).or_default();
            groups.insert(group.to_owned(), Arc::new(data));
        };
        if let Some(old) = old {
            // Whoever comes with the same version again is alive again; one that comes with an older one is passed over.
            if *sub_version <= old.client_version {
                let revived = *sub_version == old.client_version && old.is_dead();
                return revived.then(|| {
                    put(self, ConsumerFilterData { dead_ms: 0, ..(*old).clone() });
                    FilterChange::Revived
                });
            }
            let same = old.expression == *sub_string && old.expression_type == *expression_type;
            if same && old.bloom.as_ref() == Some(&bloom) {
                let change = if old.is_dead() { FilterChange::Revived } else { FilterChange::Renewed };
                let dead_ms = if old.is_dead() { 0 } else { old.dead_ms };
                put(self, ConsumerFilterData { client_version: *sub_version, dead_ms, ..(*old).clone() });
                return Some(change);
            }
        }
        Some(match ConsumerFilterData::build(group, subscription, now_ms) {
            Ok(data) => {
                put(self, ConsumerFilterData { bloom: Some(bloom), ..data });
                FilterChange::Kept
            }
            Err(fault) => {
                if let Some(groups) = Arc::make_mut(&mut self.table).get_mut(topic) {
                    groups.remove(group);
                }
                let unknown = || format!("no filter of the type {expression_type}");
                FilterChange::Unread(fault.map_or_else(unknown, |fault| fault.to_string()))
            }
        })
    }

    /// The group has no consumer any more (`unRegister`).
    pub(super) fn unregister(&mut self, group: &str, now_ms: i64) {
        self.kill(group, |_| true, now_ms);
    }

    /// Those data of a group are dead from now on whose topics `which` names.
    fn kill(&mut self, group: &str, which: impl Fn(&str) -> bool, now_ms: i64) {
        let lives = |data: &Arc<ConsumerFilterData>| !data.is_dead() && which(&data.topic);
        let topics: Vec<String> = self
            .table
            .values()
            .filter_map(|groups| groups.get(group))
            .filter(|data| lives(data))
            .map(|data| data.topic.clone())
            .collect();
        for topic in topics {
            let groups = Arc::make_mut(&mut self.table).get_mut(&topic);
            if let Some(data) = groups.and_then(|groups| groups.get_mut(group)) {
                Arc::make_mut(data).dead_ms = now_ms;
            }
        }
    }

    /// Every consumer is gone: the table has just been loaded (`decode`).
    pub(super) fn loaded(&mut self, now_ms: i64) {
        let table = Arc::make_mut(&mut self.table);
        for data in table.values_mut().flat_map(BTreeMap::values_mut).filter(|data| data.dead_ms == 0) {
            let data = Arc::make_mut(data);
            data.dead_ms = now_ms.saturating_sub(DEAD_BEFORE_LOAD_MS).max(data.born_ms);
        }
    }

    /// Drops what has been dead for `span_ms` or longer (`clean`).
    pub(super) fn clean(&mut self, span_ms: i64, now_ms: i64) {
        let goes = |data: &ConsumerFilterData| data.dead_for_ms(now_ms) >= span_ms;
        if self.table.values().any(|groups| groups.is_empty() || groups.values().any(|data| goes(data))) {
            Arc::make_mut(&mut self.table).retain(|_, groups| {
                groups.retain(|_, data| !goes(data));
                !groups.is_empty()
            });
        }
    }

    /// The earliest time at which something is to be dropped, milliseconds since the epoch.
    pub(super) fn next_clean_ms(&self, span_ms: i64) -> Option<i64> {
        let dead = self.table.values().flat_map(BTreeMap::values).filter(|data| data.is_dead());
        dead.map(|data| data.dead_ms.saturating_add(span_ms)).min()
    }

    /// Who marks messages by the expressions.
    pub(super) fn bit_maps(&self) -> Arc<dyn BitMapCalculator> {
        Arc::new(FilterBitMaps::new(self.bloom, Arc::clone(&self.table)))
    }
}

impl ConfigFile for ConsumerFilters {
    const PATH: &'static str = "config/consumerFilter.json";

    fn to_value(&self) -> Value<'_> {
        let topics = self.table.iter().filter(|(_, groups)| !groups.is_empty()).map(|(topic, groups)| {
            let groups = groups.iter().map(|(group, data)| (group, data_value(data)));
            let fields: [(&str, Value<'_>); 2] = [("groupFilterData", Value::object(groups)), ("topic", topic.into())];
            (topic, Value::object(fields))
        });
        Value::object([("filterDataByTopic", Value::object(topics))])
    }

    /// One set of bits that are not for this broker's Bloom filter, and nothing of the file is taken.
    fn take_value(&mut self, value: &Value<'_>) -> Result<(), String> {
        let mut table = FilterTable::new();
        for (topic, of_topic) in super::config_file::table(value, "filterDataByTopic") {
            let mut groups = BTreeMap::new();
            for (group, of_group) in super::config_file::table(of_topic, "groupFilterData") {
                let data = data_of(of_group);
                if !data.bloom.as_ref().is_some_and(|bits| self.bloom.is_valid(bits)) {
                    return Ok(());
                }
                groups.insert(group.to_owned(), Arc::new(data));
            }
            table.insert(topic.to_owned(), groups);
        }
        self.table = Arc::new(table);
        Ok(())
    }
}

fn data_value(data: &ConsumerFilterData) -> Value<'_> {
    let bits = data.bloom.as_ref().map(|bits| {
        let places = bits.bit_pos.iter().map(|place| Value::from(*place)).collect();
        Value::object([("bitNum", bits.bit_num.into()), ("bitPos", Value::Array(places))])
    });
    let fields: [(&str, Value<'_>); 8] = [
        ("bornTime", data.born_ms.into()),
        ("clientVersion", data.client_version.into()),
        ("consumerGroup", (&data.consumer_group).into()),
        ("dead", data.is_dead().into()),
        ("deadTime", data.dead_ms.into()),
        ("expression", (&data.expression).into()),
        ("expressionType", (&data.expression_type).into()),
        ("topic", (&data.topic).into()),
    ];
    Value::object(bits.map(|bits| ("bloomFilterData", bits)).into_iter().chain(fields))
}

fn data_of(value: &Value<'_>) -> ConsumerFilterData {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |key: &str| value.get(key).and_then(Value::as_i64).unwrap_or(0);
    let bits = value.get("bloomFilterData").map(|bits| BloomFilterData {
        bit_pos: bits.get("bitPos").map(Value::items).unwrap_or_default().iter().filter_map(Value::as_i32).collect(),
        bit_num: bits.get("bitNum").and_then(Value::as_i32).unwrap_or(0),
    });
    let (expression, expression_type) = (text("expression"), text("expressionType"));
    ConsumerFilterData {
        consumer_group: text("consumerGroup"),
        topic: text("topic"),
        compiled: compile(&expression_type, &expression).ok(),
        expression,
        expression_type,
        born_ms: number("bornTime"),
        dead_ms: number("deadTime"),
        bloom: bits,
        client_version: number("clientVersion"),
    }
}

impl Process {
    /// What groups filter by.
    pub const fn filters(&self) -> &ConsumerFilters {
        &self.filters
    }

    /// A heartbeat has told what a group subscribes.
    pub(super) fn register_filters(&mut self, group: &str, subscriptions: &[Subscription], turn: &mut Turn<'_>) {
        let before = Arc::clone(self.filters.table());
        for (topic, change) in self.filters.register(group, subscriptions, turn.wall_ms()) {
            let group = group.to_owned();
            match change {
                FilterChange::Kept | FilterChange::Revived => {
                    if let Some(data) = self.filters.get(&topic, &group) {
                        let expression = data.expression.clone();
                        turn.step(GroupStep::FilterKept { group, topic, expression });
                    }
                }
                FilterChange::Renewed => {}
                FilterChange::Unread(cause) => turn.step(GroupStep::FilterUnread { group, topic, cause }),
            }
        }
        self.filters_changed(&before, turn);
    }

    /// A group has lost its last consumer.
    pub(super) fn unregister_filters(&mut self, group: &str, turn: &mut Turn<'_>) {
        let before = Arc::clone(self.filters.table());
        self.filters.unregister(group, turn.wall_ms());
        self.filters_changed(&before, turn);
    }

    fn filters_changed(&mut self, before: &Arc<FilterTable>, turn: &mut Turn<'_>) {
        if !Arc::ptr_eq(before, self.filters.table()) {
            self.store.set_bit_maps(self.bit_maps());
            self.filter_file_changed(turn);
        }
    }

    fn bit_maps(&self) -> Option<Arc<dyn BitMapCalculator>> {
        bit_maps(&self.filters, &self.config)
    }

    /// The filter of a pull by this subscription.
    pub(super) fn message_filter(
        &self,
        subscription: Subscription,
        data: Option<Arc<ConsumerFilterData>>,
    ) -> ExpressionMessageFilter {
        let origins = self.config.filter_support_retry.then(|| Arc::clone(self.filters.table()));
        ExpressionMessageFilter::new(subscription, data, self.filters.bloom()).with_origins(origins)
    }
}

/// Who marks messages, if the broker is set to have them marked.
pub(super) fn bit_maps(filters: &ConsumerFilters, config: &BrokerConfig) -> Option<Arc<dyn BitMapCalculator>> {
    config.enable_calc_filter_bit_map.then(|| filters.bit_maps())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 86_400_000;

    fn filters() -> ConsumerFilters {
        ConsumerFilters::new(&BrokerConfig::default())
    }

    fn sql(topic: &str, expression: &str, version: i64) -> Subscription {
        Subscription::sql(topic, expression, version)
    }

    type Row = (String, i64, i64, i64);

    fn kept(filters: &ConsumerFilters, topic: &str) -> Option<Row> {
        let data = filters.get(topic, "G")?;
        Some((data.expression.clone(), data.client_version, data.born_ms, data.dead_ms))
    }

    fn row(expression: &str, version: i64, born_ms: i64, dead_ms: i64) -> Row {
        (expression.to_owned(), version, born_ms, dead_ms)
    }

    /// `FilterDataMapByTopic.register`, case by case.
    #[test]
    fn a_newer_version_with_another_expression_is_born_anew() {
        let mut filters = filters();
        let mut register = |subscription, now_ms| {
            let changes = filters.register("G", &[subscription], now_ms);
            (changes.into_iter().map(|(_, change)| change).next(), kept(&filters, "T"))
        };
        assert_eq!(register(sql("T", "a > 1", 5), 100), (Some(FilterChange::Kept), Some(row("a > 1", 5, 100, 0))));
        assert_eq!(register(sql("T", "a > 2", 5), 200), (None, Some(row("a > 1", 5, 100, 0))), "the same version");
        assert_eq!(register(sql("T", "a > 2", 4), 200), (None, Some(row("a > 1", 5, 100, 0))), "an older one");
        assert_eq!(register(sql("T", "a > 1", 6), 300), (Some(FilterChange::Renewed), Some(row("a > 1", 6, 100, 0))));
        assert_eq!(register(sql("T", "a > 2", 7), 400), (Some(FilterChange::Kept), Some(row("a > 2", 7, 400, 0))));
        let (change, data) = register(sql("T", "a >", 8), 500);
        assert!(matches!(change, Some(FilterChange::Unread(_))) && data.is_none(), "the old one goes: {change:?}");
        assert_eq!(register(sql("T", "a > 2", 1), 600), (Some(FilterChange::Kept), Some(row("a > 2", 1, 600, 0))));
    }

    #[test]
    fn tags_and_empty_expressions_leave_nothing() {
        let mut filters = filters();
        let changes = filters.register("G", &[Subscription::tags("T", Some("TagA"), 5), sql("U", "", 5)], 100);
        assert_eq!((changes.len(), filters.table().len()), (0, 0));
    }

    #[test]
    fn what_a_heartbeat_does_not_name_is_dead_until_it_comes_back() {
        let mut filters = filters();
        filters.register("G", &[sql("T", "a > 1", 5), sql("U", "a > 1", 5)], 100);
        filters.register("G", &[sql("T", "a > 1", 5)], 200);
        assert_eq!(
            (kept(&filters, "T"), kept(&filters, "U")),
            (Some(row("a > 1", 5, 100, 0)), Some(row("a > 1", 5, 100, 200)))
        );
        filters.register("G", &[sql("T", "a > 1", 5)], 300);
        assert_eq!(kept(&filters, "U"), Some(row("a > 1", 5, 100, 200)), "its time of death stays");
        let changes = filters.register("G", &[sql("T", "a > 1", 5), sql("U", "a > 1", 5)], 400);
        assert_eq!(changes, [("U".to_owned(), FilterChange::Revived)]);
        filters.unregister("G", 500);
        assert_eq!(
            (kept(&filters, "T"), kept(&filters, "U")),
            (Some(row("a > 1", 5, 100, 500)), Some(row("a > 1", 5, 100, 500)))
        );
        filters.register("G", &[sql("T", "a > 1", 6)], 600);
        assert_eq!(kept(&filters, "T"), Some(row("a > 1", 6, 100, 0)), "a newer version revives it too");
    }

    #[test]
    fn the_dead_are_dropped_after_a_day() {
        let mut filters = filters();
        filters.register("G", &[sql("T", "a > 1", 5)], 100);
        assert_eq!(filters.next_clean_ms(DAY_MS), None);
        filters.unregister("G", 1_000);
        assert_eq!(filters.next_clean_ms(DAY_MS), Some(1_000 + DAY_MS));
        filters.clean(DAY_MS, 999 + DAY_MS);
        assert!(filters.get("T", "G").is_some());
        filters.clean(DAY_MS, 1_000 + DAY_MS);
        assert!(filters.table().is_empty());
    }

    /// fastjson writes the properties of its beans in the order of their names; `isDead` is one, the compiled expression is
    /// transient. An array of ints stands on one line. The bits are those of `G#T` in a filter of 112.
    #[test]
    fn the_file_is_as_4_9_8_writes_it() {
        let mut filters = filters();
        assert_eq!(filters.to_text(), "{\n\t\"filterDataByTopic\":{}\n}");
        filters.register("G", &[sql("T", "a > 1", 5)], 100);
        let places = BloomFilter::by_fn(20, 32).unwrap().generate("G#T").bit_pos;
        let text = format!(
            "{{\n\t\"filterDataByTopic\":{{\n\t\t\"T\":{{\n\t\t\t\"groupFilterData\":{{\n\t\t\t\t\"G\":{{\
             \n\t\t\t\t\t\"bloomFilterData\":{{\n\t\t\t\t\t\t\"bitNum\":112,\
             \n\t\t\t\t\t\t\"bitPos\":[{},{},{}]\
             \n\t\t\t\t\t}},\n\t\t\t\t\t\"bornTime\":100,\n\t\t\t\t\t\"clientVersion\":5,\
             \n\t\t\t\t\t\"consumerGroup\":\"G\",\n\t\t\t\t\t\"dead\":false,\n\t\t\t\t\t\"deadTime\":0,\
             \n\t\t\t\t\t\"expression\":\"a > 1\",\n\t\t\t\t\t\"expressionType\":\"SQL92\",\
             \n\t\t\t\t\t\"topic\":\"T\"\n\t\t\t\t}}\n\t\t\t}},\n\t\t\t\"topic\":\"T\"\n\t\t}}\n\t}}\n}}",
            places[0], places[1], places[2]
        );
        assert_eq!(filters.to_text(), text);
    }

    #[test]
    fn what_is_loaded_is_dead_for_half_a_minute() {
        let mut before = filters();
        before.register("G", &[sql("T", "a > 1", 5)], 100_000);
        let text = before.to_text();
        let load = |now_ms| {
            let mut filters = filters();
            filters.take_text(&text).unwrap();
            filters.loaded(now_ms);
            filters
        };
        assert_eq!(kept(&load(200_000), "T"), Some(row("a > 1", 5, 100_000, 170_000)));
        assert_eq!(kept(&load(110_000), "T"), Some(row("a > 1", 5, 100_000, 100_000)), "not before its birth");
        assert!(load(200_000).get("T", "G").unwrap().compiled.is_some());
        let mut dead = load(200_000);
        dead.loaded(500_000);
        assert_eq!(kept(&dead, "T"), Some(row("a > 1", 5, 100_000, 170_000)), "who was dead stays as dead as before");
    }

    #[test]
    fn bits_of_another_filter_make_the_whole_file_void() {
        let mut before = filters();
        before.register("G", &[sql("T", "a > 1", 5)], 100);
        let config = BrokerConfig { expect_consumer_num_use_filter: 64, ..BrokerConfig::default() };
        let mut other = ConsumerFilters::new(&config);
        other.take_text(&before.to_text()).unwrap();
        assert!(other.table().is_empty());
    }
}
