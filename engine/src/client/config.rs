//! What a client can be set to: `ClientConfig`, `DefaultMQProducer`, `DefaultMQPullConsumer`.

use crate::node::config_keys;

config_keys! {
    /// Configuration of a client, times in milliseconds, sizes in bytes.
    ClientConfig {
        /// From route poll to route poll.
        poll_name_server_interval: i64 = "pollNameServerInterval", 30_000;
        /// From heartbeat to heartbeat.
        heartbeat_broker_interval: i64 = "heartbeatBrokerInterval", 30_000;
        /// How long an answer of a NameServer is waited for.
        mq_client_api_timeout: i64 = "mqClientApiTimeout", 3_000;
        /// How long a send may take, all attempts together.
        send_msg_timeout: i64 = "sendMsgTimeout", 3_000;
        /// Attempts after the first.
        retry_times_when_send_failed: i32 = "retryTimesWhenSendFailed", 2;
        /// Attempts of an asynchronous send after the first.
        retry_times_when_send_async_failed: i32 = "retryTimesWhenSendAsyncFailed", 2;
        /// Try again when the message is stored, but not as safely as asked.
        retry_another_broker_when_not_store_ok: bool = "retryAnotherBrokerWhenNotStoreOK", false;
        /// The longest body, before compression.
        max_message_size: i32 = "maxMessageSize", 4_194_304;
        /// Bodies of this length and more are compressed.
        compress_msg_body_over_howmuch: i32 = "compressMsgBodyOverHowmuch", 4_096;
        /// Send with `SEND_MESSAGE_V2`, else with `SEND_MESSAGE` (a property of the Java machine in 4.9.8).
        send_smart_msg: bool = "sendSmartMsg", true;
        /// Send to the brokers' second port, the first less 2.
        vip_channel_enabled: bool = "vipChannelEnabled", false;
        /// Avoid brokers that were slow or failed.
        send_latency_fault_enable: bool = "sendLatencyFaultEnable", false;
        /// Latencies from which a broker counts as unavailable for the time at the same place of the next list.
        latency_max: Vec<i64> = "latencyMax", vec![50, 100, 550, 1_000, 2_000, 3_000, 15_000];
        /// How long a broker counts as unavailable.
        not_available_duration: Vec<i64> = "notAvailableDuration", vec![0, 0, 30_000, 60_000, 120_000, 180_000, 600_000];
        /// Questions about half messages that wait for the listener at most.
        check_request_hold_max: i32 = "checkRequestHoldMax", 2_000;
        /// The topic that an unknown topic takes after.
        create_topic_key: String = "createTopicKey", crate::wire::AUTO_CREATE_TOPIC.to_owned();
        /// Queues that an unknown topic should have.
        default_topic_queue_nums: i32 = "defaultTopicQueueNums", 4;
        /// How long a push consumer waits with the next pull of a queue after an exception.
        pull_time_delay_mills_when_exception: i64 = "pullTimeDelayMillsWhenException", 1_000;
        /// How long the answer to a pull is waited for.
        consumer_pull_timeout_millis: i64 = "consumerPullTimeoutMillis", 10_000;
        /// How long the broker may hold a pull, if it may.
        broker_suspend_max_time_millis: i64 = "brokerSuspendMaxTimeMillis", 20_000;
        /// How long the answer to a pull is waited for that the broker may hold.
        consumer_timeout_millis_when_suspend: i64 = "consumerTimeoutMillisWhenSuspend", 30_000;
    }
}

/// How long the answer to a question about a queue or a message is waited for (`MQAdminImpl.timeoutMillis`).
pub(super) const ADMIN_TIMEOUT_MS: i64 = 6_000;
