//! The services of a node: each is an actor with turns of its own, which can be paused.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A service: what a lane of the timeline shows, and what a pause stops. A thread (pool) or scheduled task of 4.9.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Service {
    /// Broker: takes `SEND_MESSAGE`* and appends to the CommitLog (`SendMessageProcessor`).
    Put,
    /// Broker: takes `END_TRANSACTION` (`EndTransactionProcessor`).
    EndTransaction,
    /// Broker: asks producers how their transactions ended, every 60 s (`TransactionalMessageCheckService`).
    TransactionCheck,
    /// Broker: takes `PULL_MESSAGE` (`PullMessageProcessor`).
    Pull,
    /// Broker: holds pulls that found nothing (`PullRequestHoldService`).
    PullHold,
    /// Broker: queries by key and by id (`QueryMessageProcessor`).
    Query,
    /// Broker: topic administration, queue offsets and queue locks (`AdminBrokerProcessor`).
    Admin,
    /// Broker: heartbeats, goodbyes and checks of clients (`ClientManageProcessor`).
    ClientManage,
    /// Broker: consumer offsets and the members of a group (`ConsumerManageProcessor`).
    ConsumerManage,
    /// Broker: builds ConsumeQueue and index from the CommitLog, one record a turn (`ReputMessageService`).
    Reput,
    /// Broker: moves bytes from the transient store pool into the CommitLog's files (`CommitRealTimeService`).
    CommitCommitLog,
    /// Broker: flushes the CommitLog (`FlushRealTimeService`, `GroupCommitService`).
    FlushCommitLog,
    /// Broker: answers puts whose flush does not come about in time (`FlushDiskWatcher`).
    FlushDiskWatcher,
    /// Broker: flushes the ConsumeQueues and, thoroughly, the checkpoint (`FlushConsumeQueueService`).
    FlushConsumeQueue,
    /// Broker: deletes old files and looks how full the disk is, every 10 s each (`DefaultMessageStore.addScheduleTask`).
    CleanFiles,
    /// Broker: writes consumerOffset.json every 5 s (`BrokerController`'s scheduled task) and delayOffset.json every 10 s
    /// (`ScheduleMessageService`'s).
    PersistOffset,
    /// Broker: delivers delayed messages, one a turn (`ScheduleMessageService`).
    Schedule,
    /// Broker: registers with the NameServers every 30 s (`BrokerController.registerBrokerAll`).
    Register,
    /// Broker: takes connections of slaves in (`HAService.AcceptSocketService`).
    HaAccept,
    /// Broker: reads how far slaves are (`HAConnection.ReadSocketService`).
    HaRead,
    /// Broker: hands the CommitLog over to slaves, one piece a turn (`HAConnection.WriteSocketService`).
    HaTransfer,
    /// Broker: answers puts that wait for a slave (`HAService.GroupTransferService`).
    GroupTransfer,
    /// Slave: connects to the master and appends what comes (`HAService.HAClient`).
    HaClient,
    /// Slave: copies topics, offsets and groups from the master every 10 s (`SlaveSynchronize`).
    SlaveSync,
    /// Broker: drops clients that have been silent for 120 s (`ClientHousekeepingService`).
    ClientHousekeeping,
    /// Broker: answers requests that have waited too long, with an excuse (`BrokerFastFailure`).
    FastFailure,
    /// NameServer: registrations and route queries (`DefaultRequestProcessor`).
    Route,
    /// NameServer: drops brokers that have been silent for 120 s (`RouteInfoManager.scanNotActiveBroker`).
    Scan,
    /// Database: takes statements.
    Sql,
    /// Client: the application's work with its database, one phase a turn.
    Application,
    /// Client: looks for rows of the outbox that are not sent yet, and sends them.
    OutboxRelay,
    /// Client: the application runs the local transaction behind a half message (`executeLocalTransaction`).
    LocalTransaction,
    /// Client: the application says how a transaction ended that a broker asks for (`checkExecutor`).
    CheckListener,
    /// Push consumer: shares the queues out among the group every 20 s, or at once (`RebalanceService`).
    Rebalance,
    /// Push consumer: pulls from its queues, one request a turn (`PullMessageService`).
    PullMessage,
    /// Push consumer: calls the listener (the threads `ConsumeMessageThread_` of `ConsumeMessageService`).
    Consume,
    /// Push consumer: sends its offsets to the brokers every 5 s (`MQClientInstance.persistAllConsumerOffset`).
    PersistConsumerOffset,
    /// Orderly push consumer: locks its queues at the brokers every 20 s (`ConsumeMessageOrderlyService.lockMQPeriodically`).
    LockQueues,
    /// Concurrent push consumer: gives messages back that the listener has had for 15 min, every 15 min
    /// (`ConsumeMessageConcurrentlyService.cleanExpireMsg`).
    CleanExpiredMsg,
    /// Client: what the application calls: send, pull, query.
    Api,
    /// Client: polls the routes of its topics every 30 s (`MQClientInstance.updateTopicRouteInfoFromNameServer`).
    RoutePoll,
    /// Client: heartbeat to the brokers every 30 s (`MQClientInstance.sendHeartbeatToAllBrokerWithLock`).
    Heartbeat,
    /// Any node: connections that are gone.
    Remoting,
    /// Any node: the process itself, as it starts. No lane of its own, so it cannot be paused.
    Process,
}

impl Service {
    /// Every service.
    pub const ALL: &'static [Self] = &[
        Self::Put,
        Self::EndTransaction,
        Self::TransactionCheck,
        Self::Pull,
        Self::PullHold,
        Self::Query,
        Self::Admin,
        Self::ClientManage,
        Self::ConsumerManage,
        Self::Reput,
        Self::CommitCommitLog,
        Self::FlushCommitLog,
        Self::FlushDiskWatcher,
        Self::FlushConsumeQueue,
        Self::CleanFiles,
        Self::PersistOffset,
        Self::Schedule,
        Self::Register,
        Self::HaAccept,
        Self::HaRead,
        Self::HaTransfer,
        Self::GroupTransfer,
        Self::HaClient,
        Self::SlaveSync,
        Self::ClientHousekeeping,
        Self::FastFailure,
        Self::Route,
        Self::Scan,
        Self::Sql,
        Self::Application,
        Self::OutboxRelay,
        Self::LocalTransaction,
        Self::CheckListener,
        Self::Rebalance,
        Self::PullMessage,
        Self::Consume,
        Self::PersistConsumerOffset,
        Self::LockQueues,
        Self::CleanExpiredMsg,
        Self::Api,
        Self::RoutePoll,
        Self::Heartbeat,
        Self::Remoting,
        Self::Process,
    ];

    /// The name used in scripts, traces and views.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::EndTransaction => "endTransaction",
            Self::TransactionCheck => "transactionCheck",
            Self::Pull => "pull",
            Self::PullHold => "pullHold",
            Self::Query => "query",
            Self::Admin => "admin",
            Self::ClientManage => "clientManage",
            Self::ConsumerManage => "consumerManage",
            Self::Reput => "reput",
            Self::CommitCommitLog => "commitCommitLog",
            Self::FlushCommitLog => "flushCommitLog",
            Self::FlushDiskWatcher => "flushDiskWatcher",
            Self::FlushConsumeQueue => "flushConsumeQueue",
            Self::CleanFiles => "cleanFiles",
            Self::PersistOffset => "persistOffset",
            Self::Schedule => "schedule",
            Self::Register => "register",
            Self::HaAccept => "haAccept",
            Self::HaRead => "haRead",
            Self::HaTransfer => "haTransfer",
            Self::GroupTransfer => "groupTransfer",
            Self::HaClient => "haClient",
            Self::SlaveSync => "slaveSync",
            Self::ClientHousekeeping => "clientHousekeeping",
            Self::FastFailure => "fastFailure",
            Self::Route => "route",
            Self::Scan => "scan",
            Self::Sql => "sql",
            Self::Application => "application",
            Self::OutboxRelay => "outboxRelay",
            Self::LocalTransaction => "localTransaction",
            Self::CheckListener => "checkListener",
            Self::Rebalance => "rebalance",
            Self::PullMessage => "pullMessage",
            Self::Consume => "consume",
            Self::PersistConsumerOffset => "persistConsumerOffset",
            Self::LockQueues => "lockQueues",
            Self::CleanExpiredMsg => "cleanExpiredMsg",
            Self::Api => "api",
            Self::RoutePoll => "routePoll",
            Self::Heartbeat => "heartbeat",
            Self::Remoting => "remoting",
            Self::Process => "process",
        }
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
