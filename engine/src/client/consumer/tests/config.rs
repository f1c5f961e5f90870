use crate::client::consumer::{
    ConsumeFromWhere, ConsumerConfig, ListenerKind, PullFromWhere, Stored, check_group, consume_timestamp,
    parse_consume_timestamp,
};

const TIME: &str = "20231114221320";
const SEE: &str = "\nSee http://rocketmq.apache.org/docs/faq/ for further details.";

/// What is wrong with a consumer that is set so.
fn refused(key: &str, value: i64) -> Option<String> {
    let mut config = ConsumerConfig::default();
    config.set(key, &value.to_string()).unwrap();
    // The least number of threads is to be the one that is wrong.
    if key == "consumeThreadMax" && (1..20).contains(&value) {
        config.consume_thread_min = 1;
    }
    if key == "consumeThreadMin" && value > 20 {
        config.consume_thread_max = 1000;
    }
    config.check("group", TIME).err()
}

/// The ranges of `DefaultMQPushConsumerImpl.checkConfig`.
#[test]
fn every_number_has_its_range() {
    for (key, least, most) in [
        ("consumeThreadMin", 1, 1000),
        ("consumeThreadMax", 1, 1000),
        ("consumeConcurrentlyMaxSpan", 1, 65_535),
        ("pullThresholdForQueue", 1, 65_535),
        ("pullThresholdForTopic", 1, 6_553_500),
        ("pullThresholdSizeForQueue", 1, 1024),
        ("pullThresholdSizeForTopic", 1, 102_400),
        ("pullInterval", 0, 65_535),
        ("consumeMessageBatchMaxSize", 1, 1024),
        ("pullBatchSize", 1, 1024),
    ] {
        for value in [least, most] {
            assert_eq!(refused(key, value), None, "{key} = {value}");
        }
        let text = format!("{key} Out of range [{least}, {most}]{SEE}");
        let below = if key.ends_with("ForTopic") { 0 } else { least - 1 };
        for value in [below, most + 1] {
            assert_eq!(refused(key, value).as_deref(), Some(text.as_str()), "{key} = {value}");
        }
    }
    assert_eq!(refused("pullThresholdForTopic", -1), None);
    assert!(refused("pullThresholdSizeForTopic", -2).is_some());
}

#[test]
fn threads_are_no_more_than_the_most() {
    let config = ConsumerConfig { consume_thread_min: 21, ..ConsumerConfig::default() };
    let text = "consumeThreadMin (21) is larger than consumeThreadMax (20)";
    assert_eq!(config.check("group", TIME).unwrap_err(), text);
}

#[test]
fn groups_are_checked_first() {
    let config = ConsumerConfig { pull_batch_size: 0, ..ConsumerConfig::default() };
    let error = |group: &str, time: &str| config.check(group, time).unwrap_err();
    assert_eq!(error("  ", TIME), "the specified group is blank");
    assert_eq!(
        error("a b", TIME),
        "the specified group[a b] contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$"
    );
    let text = format!("consumerGroup can not equal DEFAULT_CONSUMER, please specify another one.{SEE}");
    assert_eq!(error("DEFAULT_CONSUMER", TIME), text);
    let text = format!("consumeTimestamp is invalid, the valid format is yyyyMMddHHmmss,but received now {SEE}");
    assert_eq!(error("group", "now"), text);
    assert_eq!(check_group(&"g".repeat(255)), Ok(()));
    assert_eq!(check_group(&"g".repeat(256)).unwrap_err(), "the specified group is longer than group max length 255.");
}

#[test]
fn thresholds_of_a_topic_are_shared_among_the_queues() {
    let mut config = ConsumerConfig { pull_threshold_for_topic: 1000, ..ConsumerConfig::default() };
    config.share_thresholds(3);
    assert_eq!((config.pull_threshold_for_queue, config.pull_threshold_size_for_queue), (333, 100));
    config.share_thresholds(0);
    assert_eq!(config.pull_threshold_for_queue, 333);
    config.pull_threshold_size_for_topic = 2;
    config.share_thresholds(8);
    assert_eq!((config.pull_threshold_for_queue, config.pull_threshold_size_for_queue), (125, 1));
}

#[test]
fn without_a_number_retries_are_16_or_without_end() {
    let mut config = ConsumerConfig::default();
    let times = |config: &ConsumerConfig| {
        [ListenerKind::Concurrently, ListenerKind::Orderly].map(|kind| config.max_reconsume_times(kind))
    };
    assert_eq!(times(&config), [16, i32::MAX]);
    config.max_reconsume_times = 3;
    assert_eq!(times(&config), [3, 3]);
}

/// 1700000000 is 2023-11-14 22:13:20 UTC, 951782400 is 2000-02-29.
#[test]
fn timestamps_are_14_digits_of_utc() {
    assert_eq!(consume_timestamp(1_700_001_800_999), TIME);
    assert_eq!(parse_consume_timestamp(TIME), Some(1_700_000_000_000));
    assert_eq!(parse_consume_timestamp("20000229000000"), Some(951_782_400_000));
    assert_eq!(parse_consume_timestamp("19700101000000"), Some(0));
    // Java's calendar is lenient: the 14th month of 1999 is February 2000, and 60 seconds are a minute.
    assert_eq!(parse_consume_timestamp("19991429000000"), Some(951_782_400_000));
    assert_eq!(parse_consume_timestamp("20231114221260"), Some(1_699_999_980_000));
    assert_eq!(parse_consume_timestamp("20231114221320.5"), Some(1_700_000_000_000));
    for text in ["", "2023", "202311142213", "2023-11-14 22:13:20", "next week"] {
        assert_eq!(parse_consume_timestamp(text), None, "{text}");
    }
}

/// `RebalancePushImpl.computePullFromWhereWithException`, row by row.
#[test]
fn the_first_pull_begins_where_the_mode_says() {
    use ConsumeFromWhere::{ConsumeFromFirstOffset, ConsumeFromLastOffset, ConsumeFromMinOffset, ConsumeFromTimestamp};
    use PullFromWhere::{At, MaxOffset, Skip, Timestamp};
    for (mode, usual, retry) in [
        (ConsumeFromLastOffset, MaxOffset, At(0)),
        (ConsumeFromMinOffset, MaxOffset, At(0)),
        (ConsumeFromFirstOffset, At(0), At(0)),
        (ConsumeFromTimestamp, Timestamp, MaxOffset),
    ] {
        assert_eq!(mode.pull_from(Stored::At(7), "T"), At(7), "{mode:?}");
        assert_eq!(mode.pull_from(Stored::At(0), "%RETRY%g"), At(0), "{mode:?}");
        assert_eq!(mode.pull_from(Stored::Nothing, "T"), usual, "{mode:?}");
        assert_eq!(mode.pull_from(Stored::Nothing, "%RETRY%g"), retry, "{mode:?}");
        assert_eq!(mode.pull_from(Stored::Unknown, "T"), Skip, "{mode:?}");
        // -1 as an offset is no offset.
        assert_eq!(mode.pull_from(Stored::At(-1), "T"), usual, "{mode:?}");
        assert_eq!(mode.pull_from(Stored::At(-2), "T"), Skip, "{mode:?}");
    }
    let names = [ConsumeFromLastOffset, ConsumeFromTimestamp].map(ConsumeFromWhere::name);
    assert_eq!(names, ["CONSUME_FROM_LAST_OFFSET", "CONSUME_FROM_TIMESTAMP"]);
}
