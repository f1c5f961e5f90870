//! Request and response codes (4.9.8 `RequestCode`, `ResponseCode`, `RemotingSysResponseCode`).

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $value:literal $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`, ", stringify!($value), ".")]
            #[serde(rename = $text)]
            $variant = $value,)*
        }

        impl $name {
            /// Every code, in order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The number on the wire.
            pub const fn value(self) -> i32 {
                self as i32
            }

            /// RocketMQ's own name of the code.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The code with this number, if 4.9.8's classic clients know it.
            pub fn of(value: i32) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.value() == value)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

codes! {
    /// What a request asks for. The codes above 100000 are not RocketMQ's: applications talk to databases with them.
    RequestCode {
        SendMessage = 10 "SEND_MESSAGE",
        PullMessage = 11 "PULL_MESSAGE",
        QueryMessage = 12 "QUERY_MESSAGE",
        QueryConsumerOffset = 14 "QUERY_CONSUMER_OFFSET",
        UpdateConsumerOffset = 15 "UPDATE_CONSUMER_OFFSET",
        UpdateAndCreateTopic = 17 "UPDATE_AND_CREATE_TOPIC",
        GetAllTopicConfig = 21 "GET_ALL_TOPIC_CONFIG",
        SearchOffsetByTimestamp = 29 "SEARCH_OFFSET_BY_TIMESTAMP",
        GetMaxOffset = 30 "GET_MAX_OFFSET",
        GetMinOffset = 31 "GET_MIN_OFFSET",
        GetEarliestMsgStoretime = 32 "GET_EARLIEST_MSG_STORETIME",
        ViewMessageById = 33 "VIEW_MESSAGE_BY_ID",
        HeartBeat = 34 "HEART_BEAT",
        UnregisterClient = 35 "UNREGISTER_CLIENT",
        ConsumerSendMsgBack = 36 "CONSUMER_SEND_MSG_BACK",
        EndTransaction = 37 "END_TRANSACTION",
        GetConsumerListByGroup = 38 "GET_CONSUMER_LIST_BY_GROUP",
        CheckTransactionState = 39 "CHECK_TRANSACTION_STATE",
        NotifyConsumerIdsChanged = 40 "NOTIFY_CONSUMER_IDS_CHANGED",
        LockBatchMq = 41 "LOCK_BATCH_MQ",
        UnlockBatchMq = 42 "UNLOCK_BATCH_MQ",
        GetAllConsumerOffset = 43 "GET_ALL_CONSUMER_OFFSET",
        GetAllDelayOffset = 45 "GET_ALL_DELAY_OFFSET",
        CheckClientConfig = 46 "CHECK_CLIENT_CONFIG",
        PutKvConfig = 100 "PUT_KV_CONFIG",
        GetKvConfig = 101 "GET_KV_CONFIG",
        DeleteKvConfig = 102 "DELETE_KV_CONFIG",
        RegisterBroker = 103 "REGISTER_BROKER",
        UnregisterBroker = 104 "UNREGISTER_BROKER",
        GetRouteinfoByTopic = 105 "GET_ROUTEINFO_BY_TOPIC",
        GetBrokerClusterInfo = 106 "GET_BROKER_CLUSTER_INFO",
        UpdateAndCreateSubscriptionGroup = 200 "UPDATE_AND_CREATE_SUBSCRIPTIONGROUP",
        GetAllSubscriptionGroupConfig = 201 "GET_ALL_SUBSCRIPTIONGROUP_CONFIG",
        GetTopicStatsInfo = 202 "GET_TOPIC_STATS_INFO",
        WipeWritePermOfBroker = 205 "WIPE_WRITE_PERM_OF_BROKER",
        DeleteSubscriptionGroup = 207 "DELETE_SUBSCRIPTIONGROUP",
        GetConsumeStats = 208 "GET_CONSUME_STATS",
        DeleteTopicInBroker = 215 "DELETE_TOPIC_IN_BROKER",
        DeleteTopicInNamesrv = 216 "DELETE_TOPIC_IN_NAMESRV",
        ResetConsumerClientOffset = 220 "RESET_CONSUMER_CLIENT_OFFSET",
        InvokeBrokerToResetOffset = 222 "INVOKE_BROKER_TO_RESET_OFFSET",
        SendMessageV2 = 310 "SEND_MESSAGE_V2",
        SendBatchMessage = 320 "SEND_BATCH_MESSAGE",
        QueryDataVersion = 322 "QUERY_DATA_VERSION",
        ResumeCheckHalfMessage = 323 "RESUME_CHECK_HALF_MESSAGE",
        AddWritePermOfBroker = 327 "ADD_WRITE_PERM_OF_BROKER",
        SqlBegin = 100_001 "SQL_BEGIN",
        SqlExecute = 100_002 "SQL_EXECUTE",
        SqlSelect = 100_003 "SQL_SELECT",
        SqlCommit = 100_004 "SQL_COMMIT",
        SqlRollback = 100_005 "SQL_ROLLBACK",
    }
}

codes! {
    /// How a request ended.
    ResponseCode {
        Success = 0 "SUCCESS",
        SystemError = 1 "SYSTEM_ERROR",
        SystemBusy = 2 "SYSTEM_BUSY",
        RequestCodeNotSupported = 3 "REQUEST_CODE_NOT_SUPPORTED",
        TransactionFailed = 4 "TRANSACTION_FAILED",
        FlushDiskTimeout = 10 "FLUSH_DISK_TIMEOUT",
        SlaveNotAvailable = 11 "SLAVE_NOT_AVAILABLE",
        FlushSlaveTimeout = 12 "FLUSH_SLAVE_TIMEOUT",
        MessageIllegal = 13 "MESSAGE_ILLEGAL",
        ServiceNotAvailable = 14 "SERVICE_NOT_AVAILABLE",
        VersionNotSupported = 15 "VERSION_NOT_SUPPORTED",
        NoPermission = 16 "NO_PERMISSION",
        TopicNotExist = 17 "TOPIC_NOT_EXIST",
        TopicExistAlready = 18 "TOPIC_EXIST_ALREADY",
        PullNotFound = 19 "PULL_NOT_FOUND",
        PullRetryImmediately = 20 "PULL_RETRY_IMMEDIATELY",
        PullOffsetMoved = 21 "PULL_OFFSET_MOVED",
        QueryNotFound = 22 "QUERY_NOT_FOUND",
        SubscriptionParseFailed = 23 "SUBSCRIPTION_PARSE_FAILED",
        SubscriptionNotExist = 24 "SUBSCRIPTION_NOT_EXIST",
        SubscriptionNotLatest = 25 "SUBSCRIPTION_NOT_LATEST",
        SubscriptionGroupNotExist = 26 "SUBSCRIPTION_GROUP_NOT_EXIST",
        FilterDataNotExist = 27 "FILTER_DATA_NOT_EXIST",
        FilterDataNotLatest = 28 "FILTER_DATA_NOT_LATEST",
        NoBuyerId = 204 "NO_BUYER_ID",
        NotInCurrentUnit = 205 "NOT_IN_CURRENT_UNIT",
        ConsumerNotOnline = 206 "CONSUMER_NOT_ONLINE",
        NoMessage = 208 "NO_MESSAGE",
        FlowControl = 215 "FLOW_CONTROL",
        SqlRefused = 100_001 "SQL_REFUSED",
    }
}
