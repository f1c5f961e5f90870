//! What a push consumer can be set to (`DefaultMQPushConsumer`), and what it refuses to start with.

use serde::{Deserialize, Serialize};

use super::{ListenerKind, Stored};
use crate::{message::java, namesrv::FAQ, node::config_keys, store::timestamp_name};

config_keys! {
    /// Configuration of a push consumer, times in milliseconds unless a key says otherwise. The last keys are properties of
    /// the Java machine in 4.9.8.
    ConsumerConfig {
        /// Threads that call the listener, as long as there are calls for them.
        consume_thread_min: i32 = "consumeThreadMin", 20;
        /// Threads at most; never more than the least, as their queue has no bound.
        consume_thread_max: i32 = "consumeThreadMax", 20;
        /// Messages in hand from which 4.9.8 would add threads, if that did anything.
        adjust_thread_pool_nums_threshold: i64 = "adjustThreadPoolNumsThreshold", 100_000;
        /// Distance from the first to the last message in hand of a queue beyond which it is not pulled (concurrent listeners).
        consume_concurrently_max_span: i32 = "consumeConcurrentlyMaxSpan", 2_000;
        /// Messages in hand of a queue beyond which it is not pulled.
        pull_threshold_for_queue: i32 = "pullThresholdForQueue", 1_000;
        /// MiB in hand of a queue beyond which it is not pulled.
        pull_threshold_size_for_queue: i32 = "pullThresholdSizeForQueue", 100;
        /// Messages in hand of all queues together, shared among them at each rebalance; -1: no such limit.
        pull_threshold_for_topic: i32 = "pullThresholdForTopic", -1;
        /// MiB in hand of all queues together, likewise.
        pull_threshold_size_for_topic: i32 = "pullThresholdSizeForTopic", -1;
        /// Pause between two pulls of a queue that found something.
        pull_interval: i64 = "pullInterval", 0;
        /// Messages handed to a listener in one call, at most.
        consume_message_batch_max_size: i32 = "consumeMessageBatchMaxSize", 1;
        /// Messages of one pull, at most.
        pull_batch_size: i32 = "pullBatchSize", 32;
        /// Whether each pull carries its subscription.
        post_subscription_when_pull: bool = "postSubscriptionWhenPull", false;
        /// How often a message may be consumed in vain; -1: 16 times, with an orderly listener without end.
        max_reconsume_times: i32 = "maxReconsumeTimes", -1;
        /// How long an orderly listener's queue rests, used as 10 to 30000.
        suspend_current_queue_time_millis: i64 = "suspendCurrentQueueTimeMillis", 1_000;
        /// Minutes after which a message is given back that a concurrent listener still has.
        consume_timeout: i64 = "consumeTimeout", 15;
        /// How long a stop waits for the listeners.
        await_termination_millis_when_shutdown: i64 = "awaitTerminationMillisWhenShutdown", 0;
        /// From one saving of the offsets to the next.
        persist_consumer_offset_interval: i64 = "persistConsumerOffsetInterval", 5_000;
        /// From rebalance to rebalance.
        rebalance_wait_interval: i64 = "rocketmq.client.rebalance.waitInterval", 20_000;
        /// How long a queue's lock counts that a broker has given.
        lock_max_live_time: i64 = "rocketmq.client.rebalance.lockMaxLiveTime", 30_000;
        /// From one locking of all queues to the next.
        lock_interval: i64 = "rocketmq.client.rebalance.lockInterval", 20_000;
        /// Pause without a pull after which a queue is given up.
        pull_max_idle_time: i64 = "rocketmq.client.pull.pullMaxIdleTime", 120_000;
        /// How long a task of an orderly listener goes on without a break.
        max_time_consume_continuously: i64 = "rocketmq.client.maxTimeConsumeContinuously", 60_000;
        /// How long a lock is kept of a queue that is given up while messages are in hand.
        unlock_delay_time: i64 = "rocketmq.client.unlockDelayTimeMills", 20_000;
    }
}

/// Whether the members of a group share the messages, or each gets them all (`MessageModel`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MessageModel {
    /// They share them.
    #[default]
    Clustering,
    /// Each gets them all.
    Broadcasting,
}

impl MessageModel {
    /// 4.9.8's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clustering => "CLUSTERING",
            Self::Broadcasting => "BROADCASTING",
        }
    }
}

/// Where a group begins that has no offset of a queue (`ConsumeFromWhere`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ConsumeFromWhere {
    /// At the queue's end.
    #[default]
    ConsumeFromLastOffset,
    /// Deprecated; as the first.
    ConsumeFromLastOffsetAndFromMinWhenBootFirst,
    /// Deprecated; as the first.
    ConsumeFromMinOffset,
    /// Deprecated; as the first.
    ConsumeFromMaxOffset,
    /// At 0.
    ConsumeFromFirstOffset,
    /// At the messages of a certain time.
    ConsumeFromTimestamp,
}

/// Where the first pull of a queue begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullFromWhere {
    /// At this offset.
    At(i64),
    /// At the end that the broker tells.
    MaxOffset,
    /// At the offset that the broker finds for `consumeTimestamp`.
    Timestamp,
    /// The queue waits for the next rebalance.
    Skip,
}

impl ConsumeFromWhere {
    /// 4.9.8's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ConsumeFromLastOffset => "CONSUME_FROM_LAST_OFFSET",
            Self::ConsumeFromLastOffsetAndFromMinWhenBootFirst => {
                "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST"
            }
            Self::ConsumeFromMinOffset => "CONSUME_FROM_MIN_OFFSET",
            Self::ConsumeFromMaxOffset => "CONSUME_FROM_MAX_OFFSET",
            Self::ConsumeFromFirstOffset => "CONSUME_FROM_FIRST_OFFSET",
            Self::ConsumeFromTimestamp => "CONSUME_FROM_TIMESTAMP",
        }
    }

    /// Where to pull from, after the store of offsets has said what it has of the queue
    /// (`RebalancePushImpl.computePullFromWhereWithException`).
    pub fn pull_from(self, stored: Stored, topic: &str) -> PullFromWhere {
        let is_retry = topic.starts_with(RETRY_PREFIX);
        match (stored, self) {
            (Stored::At(offset), _) if offset >= 0 => PullFromWhere::At(offset),
            (Stored::At(..=-2) | Stored::Unknown, _) => PullFromWhere::Skip,
            (_, Self::ConsumeFromFirstOffset) => PullFromWhere::At(0),
            (_, Self::ConsumeFromTimestamp) if is_retry => PullFromWhere::MaxOffset,
            (_, Self::ConsumeFromTimestamp) => PullFromWhere::Timestamp,
            _ if is_retry => PullFromWhere::At(0),
            _ => PullFromWhere::MaxOffset,
        }
    }
}

/// `MixAll.RETRY_GROUP_TOPIC_PREFIX`.
const RETRY_PREFIX: &str = "%RETRY%";

/// `MixAll.DEFAULT_CONSUMER_GROUP`.
const DEFAULT_GROUP: &str = "DEFAULT_CONSUMER";

/// The longest group, in UTF-16 units.
const GROUP_MAX: usize = 255;

/// How long before its making a consumer begins that has no `consumeTimestamp`, milliseconds.
const HALF_AN_HOUR_MS: i64 = 1_800_000;

/// Length of `yyyyMMddHHmmss`.
const TIMESTAMP_LEN: usize = 14;

impl ConsumerConfig {
    /// What `DefaultMQPushConsumerImpl.checkConfig` throws an `MQClientException` with, without the advice that every such
    /// exception gets.
    pub fn check(&self, group: &str, consume_timestamp: &str) -> Result<(), String> {
        check_group(group)?;
        if group == DEFAULT_GROUP {
            return Err(format!("consumerGroup can not equal {DEFAULT_GROUP}, please specify another one.{FAQ}"));
        }
        if parse_consume_timestamp(consume_timestamp).is_none() {
            return Err(format!(
                "consumeTimestamp is invalid, the valid format is yyyyMMddHHmmss,but received {consume_timestamp} {FAQ}"
            ));
        }
        let within = |name: &str, value: i64, least: i64, most: i64| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(format!("{name} Out of range [{least}, {most}]{FAQ}"))
        };
        let (min, max) = (self.consume_thread_min, self.consume_thread_max);
        within("consumeThreadMin", min.into(), 1, 1000)?;
        within("consumeThreadMax", max.into(), 1, 1000)?;
        if min > max {
            return Err(format!("consumeThreadMin ({min}) is larger than consumeThreadMax ({max})"));
        }
        within("consumeConcurrentlyMaxSpan", self.consume_concurrently_max_span.into(), 1, 65_535)?;
        within("pullThresholdForQueue", self.pull_threshold_for_queue.into(), 1, 65_535)?;
        if self.pull_threshold_for_topic != -1 {
            within("pullThresholdForTopic", self.pull_threshold_for_topic.into(), 1, 6_553_500)?;
        }
        within("pullThresholdSizeForQueue", self.pull_threshold_size_for_queue.into(), 1, 1024)?;
        if self.pull_threshold_size_for_topic != -1 {
            within("pullThresholdSizeForTopic", self.pull_threshold_size_for_topic.into(), 1, 102_400)?;
        }
        within("pullInterval", self.pull_interval, 0, 65_535)?;
        within("consumeMessageBatchMaxSize", self.consume_message_batch_max_size.into(), 1, 1024)?;
        within("pullBatchSize", self.pull_batch_size.into(), 1, 1024)
    }

    /// The assignment has changed: the thresholds of all queues together are shared among so many queues, and stay so when
    /// there are none (`RebalancePushImpl.messageQueueChanged`).
    pub fn share_thresholds(&mut self, queues: usize) {
        let queues = i32::try_from(queues).unwrap_or(i32::MAX);
        let share = |of_all: i32| of_all.checked_div(queues).filter(|_| of_all != -1).map(|share| share.max(1));
        if let Some(share) = share(self.pull_threshold_for_topic) {
            self.pull_threshold_for_queue = share;
        }
        if let Some(share) = share(self.pull_threshold_size_for_topic) {
            self.pull_threshold_size_for_queue = share;
        }
    }

    /// How often a message may be consumed in vain (`getMaxReconsumeTimes` of both services).
    pub const fn max_reconsume_times(&self, kind: ListenerKind) -> i32 {
        match (self.max_reconsume_times, kind) {
            (-1, ListenerKind::Concurrently) => 16,
            (-1, ListenerKind::Orderly) => i32::MAX,
            (times, _) => times,
        }
    }
}

/// `Validators.checkGroup`: what it throws an `MQClientException` with.
pub fn check_group(group: &str) -> Result<(), String> {
    if java::is_blank(group) {
        return Err("the specified group is blank".to_owned());
    }
    if java::utf16_len(group) > GROUP_MAX {
        return Err("the specified group is longer than group max length 255.".to_owned());
    }
    if !group.chars().all(|char| char.is_ascii_alphanumeric() || "%|_-".contains(char)) {
        return Err(format!(
            "the specified group[{group}] contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$"
        ));
    }
    Ok(())
}

/// The `consumeTimestamp` of a consumer that is made at this time and sets none: half an hour before, in whole seconds.
pub fn consume_timestamp(now_ms: i64) -> String {
    let mut text = timestamp_name(now_ms.saturating_sub(HALF_AN_HOUR_MS));
    text.truncate(TIMESTAMP_LEN);
    text
}

/// The time that a `consumeTimestamp` names, milliseconds since the epoch, in UTC; `None` if it is no `yyyyMMddHHmmss`
/// (`UtilAll.parseDate`). As Java's calendar is lenient, the 32nd of a month is the first of the next, and seconds have as
/// many digits as are there; what follows the digits is not looked at.
pub fn parse_consume_timestamp(text: &str) -> Option<i64> {
    let digits = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let field = |from: usize, to: usize| text.get(from..to.min(digits))?.parse::<i64>().ok();
    let (year, month, day) = (field(0, 4)?, field(4, 6)?, field(6, 8)?);
    let (hour, minute, second) = (field(8, 10)?, field(10, 12)?, field(12, digits)?);
    let months = year * 12 + month - 1;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    let seconds = (days_until(year, month) + day - 1) * 86_400 + hour * 3600 + minute * 60;
    seconds.checked_add(second)?.checked_mul(1000)
}

/// Days from 1970-01-01 to the first of a month, in the Gregorian calendar.
fn days_until(year: i64, month: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last day of a year; 719468 days lie between 0000-03-01 and
    // 1970-01-01, 146097 in 400 years.
    let (year, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * from_march + 2) / 5 - 719_468
}
