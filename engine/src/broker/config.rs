//! What a broker can be set to: `BrokerConfig`; the store's keys are in [`StoreConfig`].

use std::collections::BTreeMap;

use crate::{
    filter::BloomFilter,
    node::{KeyError, config_keys},
    store::{ConfigErrorKind, StoreConfig},
};

config_keys! {
    /// Configuration of a broker, times in milliseconds.
    BrokerConfig {
        /// The cluster.
        broker_cluster_name: String = "brokerClusterName", "DefaultCluster".to_owned();
        /// The name that a master shares with its slaves.
        broker_name: String = "brokerName", String::new();
        /// 0: master.
        broker_id: i64 = "brokerId", 0;
        /// The address that clients use, and storeHost.
        broker_ip1: String = "brokerIP1", String::new();
        /// The address that slaves use.
        broker_ip2: String = "brokerIP2", String::new();
        /// The port that clients use.
        listen_port: i32 = "listenPort", 10_911;
        /// Permission bits of the whole broker.
        broker_permission: i32 = "brokerPermission", 6;
        /// Queues of `TBW102`: the most that an automatically created topic gets.
        default_topic_queue_nums: i32 = "defaultTopicQueueNums", 8;
        /// Unknown topics come into being with the first message.
        auto_create_topic_enable: bool = "autoCreateTopicEnable", true;
        /// Unknown groups come into being with the first heartbeat or pull.
        auto_create_subscription_group: bool = "autoCreateSubscriptionGroup", true;
        /// There is a topic with the cluster's name.
        cluster_topic_enable: bool = "clusterTopicEnable", true;
        /// There is a topic with the broker's name.
        broker_topic_enable: bool = "brokerTopicEnable", true;
        /// There is a topic for message traces.
        trace_topic_enable: bool = "traceTopicEnable", false;
        /// Its name.
        msg_trace_topic_name: String = "msgTraceTopicName", "RMQ_SYS_TRACE_TOPIC".to_owned();
        /// From save to save of the consumer offsets.
        flush_consumer_offset_interval: i64 = "flushConsumerOffsetInterval", 5_000;
        /// Pulls that find nothing are held.
        long_polling_enable: bool = "longPollingEnable", true;
        /// How long they are held without long polling.
        short_polling_time_mills: i64 = "shortPollingTimeMills", 1_000;
        /// Members of a consumer group are told when it changes.
        notify_consumer_ids_changed_enable: bool = "notifyConsumerIdsChangedEnable", true;
        /// A slave may be suggested to consumers.
        slave_read_enable: bool = "slaveReadEnable", false;
        /// From registration to registration, held to 10 s .. 60 s.
        register_name_server_period: i64 = "registerNameServerPeriod", 30_000;
        /// How long a NameServer's answer is waited for.
        register_broker_timeout_mills: i64 = "registerBrokerTimeoutMills", 6_000;
        /// Every round registers all topics; otherwise only if a NameServer does not know them as they are.
        force_register: bool = "forceRegister", true;
        /// Sends before this time are refused, milliseconds since the epoch.
        start_accept_send_request_time_stamp: i64 = "startAcceptSendRequestTimeStamp", 0;
        /// SQL92 filters are allowed.
        enable_property_filter: bool = "enablePropertyFilter", false;
        /// Messages are marked with bits of the consumers whose SQL92 filters they match; with `enableConsumeQueueExt`.
        enable_calc_filter_bit_map: bool = "enableCalcFilterBitMap", false;
        /// In how many of a hundred cases a message may bear another consumer's marks, 1 to 99.
        max_error_rate_of_bloom_filter: i32 = "maxErrorRateOfBloomFilter", 20;
        /// How many consumers are expected to use SQL92 filters.
        expect_consumer_num_use_filter: i32 = "expectConsumerNumUseFilter", 32;
        /// How long an SQL92 filter outlives the last consumer of its group.
        filter_data_clean_time_span: i64 = "filterDataCleanTimeSpan", 86_400_000;
        /// Messages of retry topics are filtered by the SQL92 filter for the topic that they come from.
        filter_support_retry: bool = "filterSupportRetry", false;
        /// Requests that wait too long are answered without being handled.
        broker_fast_failure_enable: bool = "brokerFastFailureEnable", true;
        /// How long messages that come in may wait to be taken.
        wait_time_mills_in_send_queue: i64 = "waitTimeMillsInSendQueue", 200;
        /// How long pulls may.
        wait_time_mills_in_pull_queue: i64 = "waitTimeMillsInPullQueue", 5_000;
        /// How long heartbeats may.
        wait_time_mills_in_heartbeat_queue: i64 = "waitTimeMillsInHeartbeatQueue", 31_000;
        /// How long ends of transactions may.
        wait_time_mills_in_transaction_queue: i64 = "waitTimeMillsInTransactionQueue", 3_000;
        /// How many messages that come in may wait.
        send_thread_pool_queue_capacity: i32 = "sendThreadPoolQueueCapacity", 10_000;
        /// How many pulls may.
        pull_thread_pool_queue_capacity: i32 = "pullThreadPoolQueueCapacity", 100_000;
        /// How many heartbeats may.
        heartbeat_thread_pool_queue_capacity: i32 = "heartbeatThreadPoolQueueCapacity", 50_000;
        /// How many ends of transactions may.
        end_transaction_pool_queue_capacity: i32 = "endTransactionPoolQueueCapacity", 100_000;
        /// How many queries may.
        query_thread_pool_queue_capacity: i32 = "queryThreadPoolQueueCapacity", 20_000;
        /// How many clients that say goodbye may.
        client_manager_thread_pool_queue_capacity: i32 = "clientManagerThreadPoolQueueCapacity", 1_000_000;
        /// How old a half message must be for its fate to be asked for.
        transaction_time_out: i64 = "transactionTimeOut", 6_000;
        /// How often it is asked for.
        transaction_check_max: i32 = "transactionCheckMax", 15;
        /// From check to check of the half messages.
        transaction_check_interval: i64 = "transactionCheckInterval", 60_000;
        /// Transaction messages are refused.
        reject_transaction_message: bool = "rejectTransactionMessage", false;
    }
}

/// Consumers that a filter can be made for. 4.9.8 knows no limit; but the marks for more would hardly ever fit into an entry
/// of the ConsumeQueueExt.
const CONSUMERS_MAX: i32 = 65_535;

/// Reads a broker's configuration: each key belongs to the store or to the broker.
pub fn read_config(values: &BTreeMap<String, String>) -> Result<(BrokerConfig, StoreConfig), KeyError> {
    let (mut broker, mut store) = (BrokerConfig::default(), StoreConfig::default());
    for (key, value) in values {
        match store.set(key, value) {
            Ok(()) => {}
            Err(error) => match error.kind {
                ConfigErrorKind::UnknownKey => broker.set(key, value)?,
                ConfigErrorKind::BadValue { value, expects } => {
                    return Err(KeyError::Value { key: error.key, value, wanted: expects.to_owned() });
                }
            },
        }
    }
    let BrokerConfig { max_error_rate_of_bloom_filter: f, expect_consumer_num_use_filter: n, .. } = broker;
    let bad = |key: &str, value: i32, wanted: String| KeyError::Value {
        key: key.to_owned(),
        value: value.to_string(),
        wanted,
    };
    if !(1..100).contains(&f) {
        return Err(bad("maxErrorRateOfBloomFilter", f, "1 to 99".to_owned()));
    }
    if BloomFilter::by_fn(f, n).is_none() || n > CONSUMERS_MAX {
        return Err(bad("expectConsumerNumUseFilter", n, format!("1 to {CONSUMERS_MAX}")));
    }
    Ok((broker, store))
}
