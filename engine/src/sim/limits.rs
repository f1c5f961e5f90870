//! How far the numbers of a description or an action may go, so that no sum of them leaves its type and no list of
//! them its memory.

use super::{
    Cluster, ClusterError, OutboxSpec, StoreSpec,
    cluster::{EARLIER_MS, fail},
};
use crate::broker::{QUEUES_MAX, validate_topic};

/// Virtual time ends here: a hundred years after the beginning, microseconds.
pub(super) const TIME_MAX_US: i64 = 100 * 366 * 86_400 * 1_000_000;

/// The last moment that a clock may show: the end of the year 9999, milliseconds since the epoch.
const WALL_MAX_MS: i64 = 253_402_300_799_999;

/// The most that a clock may be wrong: a hundred years, milliseconds.
const SKEW_MAX_MS: i64 = 100 * 366 * 86_400 * 1000;

/// The most that one thing may cost: a minute, microseconds.
const COST_MAX_US: i64 = 60_000_000;

/// The most records that a starting store may hold.
const PREFIX_MESSAGES_MAX: u32 = 100_000;

/// The largest physical or queue offset that a starting store may begin with.
const BEGIN_MAX: i64 = 1 << 50;

/// The most rows that a relay may read at once.
const OUTBOX_BATCH_MAX: u32 = 10_000;

/// The longest body that a record is filled up with, bytes.
pub(super) const FILL_MAX: usize = 16 * 1024 * 1024;

/// The most that the bodies of one action's batch may be in all, bytes.
pub(super) const BATCH_MAX: usize = 64 * 1024 * 1024;

/// The most attempts that a send may be set to.
pub(super) const RETRIES_MAX: i32 = 1000;

/// Whether a wall clock may show this, milliseconds since the epoch.
pub(super) fn is_wall_clock(ms: i64) -> bool {
    (86_400_000..=WALL_MAX_MS).contains(&ms)
}

pub(super) fn check(cluster: &Cluster) -> Result<(), ClusterError> {
    // The work of a starting store is done an hour before, and the settling takes a minute.
    if !is_wall_clock(cluster.start_ms) {
        return Err(fail("startMs", format!("from 86400000 to {WALL_MAX_MS}")));
    }
    let costs = &cluster.costs;
    for (name, cost) in [
        ("linkUs", costs.link_us),
        ("requestUs", costs.request_us),
        ("appendUs", costs.append_us),
        ("dispatchUs", costs.dispatch_us),
        ("indexFileUs", costs.index_file_us),
        ("flushUs", costs.flush_us),
        ("statementUs", costs.statement_us),
        ("refuseUs", costs.refuse_us),
    ] {
        if !(0..=COST_MAX_US).contains(&cost) {
            return Err(fail(&format!("costs.{name}"), format!("from 0 to {COST_MAX_US}")));
        }
    }
    let skews = [
        cluster.name_servers.iter().map(|spec| (&spec.name, spec.skew_ms)).collect::<Vec<_>>(),
        cluster.brokers.iter().map(|spec| (&spec.name, spec.skew_ms)).collect(),
        cluster.producers.iter().map(|spec| (&spec.name, spec.skew_ms)).collect(),
        cluster.consumers.iter().map(|spec| (&spec.name, spec.skew_ms)).collect(),
        cluster.databases.iter().map(|spec| (&spec.name, spec.skew_ms)).collect(),
        cluster.administrators.iter().map(|spec| (&spec.name, spec.skew_ms)).collect(),
    ];
    for (name, skew_ms) in skews.into_iter().flatten() {
        if !(-SKEW_MAX_MS..=SKEW_MAX_MS).contains(&skew_ms) {
            return Err(fail(&format!("{name}.skewMs"), format!("from -{SKEW_MAX_MS} to {SKEW_MAX_MS}")));
        }
    }
    for broker in &cluster.brokers {
        check_store(&broker.store, cluster.start_ms)
            .map_err(|(key, cause)| fail(&format!("{}.store.{key}", broker.name), cause))?;
        for topic in &broker.topics {
            check_topic(&topic.name, topic.read_queues, topic.write_queues, topic.perm)
                .map_err(|cause| fail(&format!("{}.topics.{}", broker.name, topic.name), cause))?;
        }
    }
    let producers = cluster.producers.iter().map(|spec| (&spec.name, &spec.group));
    for (name, group) in producers.chain(cluster.consumers.iter().map(|spec| (&spec.name, &spec.group))) {
        let named = if group.is_empty() { name } else { group };
        validate_topic(named).map_err(|_| fail(&format!("{name}.group"), "only letters, digits and % | - _"))?;
        // `DefaultMQProducerImpl.checkConfig` and its like for consumers: the names that stand for none.
        if named == "DEFAULT_PRODUCER" || named == "DEFAULT_CONSUMER" {
            let cause = format!("a group cannot be {named}, please specify another one");
            return Err(fail(&format!("{name}.group"), cause));
        }
    }
    for producer in &cluster.producers {
        if let Some(outbox) = &producer.outbox {
            check_outbox(outbox).map_err(|(key, cause)| fail(&format!("{}.outbox.{key}", producer.name), cause))?;
        }
    }
    Ok(())
}

/// The key of an outbox that is wrong, and why.
fn check_outbox(outbox: &OutboxSpec) -> Result<(), (&'static str, String)> {
    if !(1..=SKEW_MAX_MS).contains(&outbox.period_ms) {
        return Err(("periodMs", format!("from 1 to {SKEW_MAX_MS}")));
    }
    if !(1..=OUTBOX_BATCH_MAX).contains(&outbox.batch) {
        return Err(("batch", format!("from 1 to {OUTBOX_BATCH_MAX}")));
    }
    Ok(())
}

/// The key of a starting store that is wrong, and why.
fn check_store(store: &StoreSpec, start_ms: i64) -> Result<(), (&'static str, String)> {
    if store.prefix_messages > PREFIX_MESSAGES_MAX {
        return Err(("prefixMessages", format!("at most {PREFIX_MESSAGES_MAX}")));
    }
    if store.records.iter().fold(0_u32, |sum, records| sum.saturating_add(records.count)) > PREFIX_MESSAGES_MAX {
        return Err(("records.count", format!("at most {PREFIX_MESSAGES_MAX} in all")));
    }
    let begins = store.records.iter().filter_map(|records| records.queue_offset);
    for (key, begin) in begins.map(|begin| ("records.queueOffset", begin)).chain([("beginOffset", store.begin_offset)])
    {
        if !(0..=BEGIN_MAX).contains(&begin) {
            return Err((key, format!("from 0 to {BEGIN_MAX}")));
        }
    }
    if !store.records.iter().all(|records| (EARLIER_MS..=start_ms).contains(&records.ago_ms)) {
        return Err(("records.agoMs", format!("from {EARLIER_MS} to startMs, {start_ms}")));
    }
    Ok(())
}

/// What is wrong with a topic's configuration.
pub(super) fn check_topic(name: &str, read_queues: i32, write_queues: i32, perm: i32) -> Result<(), String> {
    validate_topic(name)?;
    for queues in [read_queues, write_queues] {
        if !(0..=QUEUES_MAX).contains(&queues) {
            return Err(format!("{queues} queues: from 0 to {QUEUES_MAX}"));
        }
    }
    if !(0..=15).contains(&perm) {
        return Err(format!("permission {perm}: from 0 to 15"));
    }
    Ok(())
}
