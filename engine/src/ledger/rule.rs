//! The rules by which messages come to what they come to.

use serde::{Deserialize, Serialize};

/// A rule of 4.9.8, or of the application, that decides about a message. Classes and methods are those that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rule {
    // As it should be.
    /// Told, stored, and handed to every group once.
    Once,
    /// The producer was told of a failure, and nothing is stored.
    FailureToldNothingStored,
    /// The producer was told of a failure or a timeout, and the message is stored all the same: a timeout says nothing of
    /// what the broker did (`DefaultMQProducerImpl.sendDefaultImpl`).
    FailureToldButStored,
    /// The producer's process ended before it was told anything, and the message is stored all the same.
    UntoldButStored,
    /// The transaction was rolled back: nobody sees the half message (`EndTransactionProcessor.processRequest`).
    RolledBack,
    /// It was handed out again, since the first time did not come to an end and changed nothing.
    FirstTimeUndone,
    /// It was handed out again, and the listener knew by its own record that it had done it.
    RepeatRecognised,

    // Still on its way.
    /// The send has not ended.
    SendUnderWay,
    /// The producer's process ended before it was told anything, and nothing is stored.
    ProducerDied,
    /// It is in the log, and dispatch has not come to it (`ReputMessageService.doReput`).
    NotDispatchedYet,
    /// It waits for its delay level to be over (`ScheduleMessageService`).
    DelayNotOver,
    /// It is a half message, and nobody has decided about it (`TransactionalMessageServiceImpl.check`).
    HalfUndecided,
    /// The group has not come to it.
    NotConsumedYet,
    /// A listener of the group has it.
    InHand,
    /// The group has given it back, and it comes again (`%RETRY%` and its group).
    RetryToCome,
    /// The broker that has it does not run.
    BrokerDown,

    // Lost between producer and log.
    /// Acknowledged under `ASYNC_FLUSH` when it was in the page cache alone, and the power failed before the flush
    /// (`FlushRealTimeService`).
    UnflushedAtPowerLoss,
    /// The broker flushes before it answers, and the producer had said that it does not wait (`waitStoreMsgOK`).
    ProducerDidNotWait,
    /// The broker flushes before it answers, and has answered before.
    AnsweredBeforeFlush,
    /// The disk refused the flush, and the message counted as flushed all the same (`MappedFile.flush` swallows what
    /// `force` throws).
    FlushRefused,
    /// A restart after a kill took for flushed what was in the page cache alone (`MappedFileQueue.setFlushedWhere` in
    /// recovery), and the power failed then.
    TakenForFlushed,
    /// It was in a buffer of the transient pool when the process ended (`CommitRealTimeService`).
    InPoolAtEnd,
    /// Recovery ended the log at a record before it that was damaged (`CommitLog.recoverNormally`).
    BehindDamagedRecord,
    /// Its file was removed: it was too old, or the disk too full (`CleanCommitLogService`).
    Cleaned,
    /// Its file, or its bytes, were taken away from outside.
    BytesGone,
    /// It was sent one way, and did not arrive: nobody learns of it.
    OnewayLost,

    // Lost between log and queue.
    /// A power loss took units of its queue or left stale ones, and dispatch goes on behind the largest offset of any
    /// queue (`DefaultMessageStore.start`).
    QueueBehindLog,
    /// Recovery after a kill began behind it, since the times in the checkpoint were later than those of its file
    /// (`CommitLog.isMappedFileMatchedRecover`).
    RecoveryBeganLater,
    /// Units of its queue were gone at a clean start, which dispatches nothing again (`DefaultMessageStore.start`).
    QueueNotRebuilt,
    /// The unit of its queue could not be written (`ConsumeQueue.putMessagePositionInfoWrapper`).
    UnitNotWritten,
    /// The progress of its delay level was saved beyond it, and the copy that had been delivered was lost
    /// (`ScheduleMessageService.persist`).
    DelayProgressAhead,
    /// The transaction was committed by the application, and the half message rolled back or discarded: the listener did
    /// not know it any more, or was asked too often (`TRANS_CHECK_MAX_TIME_TOPIC`).
    HalfDiscarded,

    // Lost between queue and application.
    /// The group began behind it: `CONSUME_FROM_LAST_OFFSET`, or a time (`RebalancePushImpl.computePullFromWhere`).
    BeganBehindIt,
    /// The broker has one subscription per group, and it was that of a member that does not want it
    /// (`ConsumerGroupInfo.updateSubscription`).
    SubscriptionOverwritten,
    /// The group's offset stood beyond the queue's end after the broker had lost messages, and new ones took their place
    /// (`DefaultMessageStore.getMessage`, `OFFSET_OVERFLOW_BADLY`).
    OffsetOutlivedMessages,
    /// The group's offset is beyond it: it was reset, or committed by somebody who had not consumed it.
    OffsetBeyond,
    /// The offset was saved beyond it while a listener had it, and the process died.
    OffsetBeforeProcessing,
    /// A broadcasting consumer refused it, which nobody takes back
    /// (`ConsumeMessageConcurrentlyService.processConsumeResult`).
    RefusedInBroadcast,
    /// A listener refused it, and it was not kept for a retry.
    RefusedAndNotKept,
    /// The group refused it as often as it may, and it is in the dead-letter queue
    /// (`SendMessageProcessor.asyncConsumerSendMsgBack`).
    DeadLetter,
    /// The application noted it as done before it was done, and died in between.
    NotedBeforeDone,
    /// The application took it for another one, since it knows both by the same key.
    TakenForAnother,

    // Twice in the log.
    /// The producer sent it again after an attempt that had been stored (`retryTimesWhenSendFailed`).
    ProducerRetry,
    /// Its delay level was delivered twice, since its progress was not saved (`ScheduleMessageService.persist`).
    DelayDeliveredTwice,
    /// Its half message was committed twice: the mark of the first commit was lost.
    HalfCommittedTwice,

    // Twice at the application.
    /// It was given back while, or before, a listener came to an end with it (`ProcessQueue.cleanExpiredMsg`).
    SentBackAndConsumed,
    /// The consumer died while its listener had it.
    DiedWhileConsuming,
    /// The consumer died before the offset behind it was saved (`persistConsumerOffsetInterval`).
    DiedBeforeOffsetSaved,
    /// Its queue went to another consumer while a listener had it (`ConsumeRequest.run`: the result is not used).
    QueueTakenAway,
    /// Its queue went to another consumer, and began there at the offset that had been saved, which was before it.
    QueueMovedBeforeOffsetSaved,
    /// The broker ended before it saved the group's offset (`flushConsumerOffsetInterval`).
    BrokerLostOffset,
    /// The group's offset was set back.
    OffsetSetBack,

    // In another order.
    /// Messages that belong together went to different queues (`MessageQueueSelector`).
    DifferentQueues,
    /// It was stored after one that was sent after it.
    StoredLater,
    /// A concurrent listener takes messages of one queue in several threads (`ConsumeMessageConcurrentlyService`).
    ConcurrentListener,
    /// It came again through the retry topic, behind what had followed it.
    RetryTopic,
    /// Its queue went to another consumer, which began before the first had ended.
    QueueMoved,
}

impl Rule {
    /// All of them, in the order in which they may strike a message.
    pub const ALL: [Self; 57] = [
        Self::Once,
        Self::FailureToldNothingStored,
        Self::FailureToldButStored,
        Self::UntoldButStored,
        Self::RolledBack,
        Self::FirstTimeUndone,
        Self::RepeatRecognised,
        Self::SendUnderWay,
        Self::ProducerDied,
        Self::NotDispatchedYet,
        Self::DelayNotOver,
        Self::HalfUndecided,
        Self::NotConsumedYet,
        Self::InHand,
        Self::RetryToCome,
        Self::BrokerDown,
        Self::UnflushedAtPowerLoss,
        Self::ProducerDidNotWait,
        Self::AnsweredBeforeFlush,
        Self::FlushRefused,
        Self::TakenForFlushed,
        Self::InPoolAtEnd,
        Self::BehindDamagedRecord,
        Self::Cleaned,
        Self::BytesGone,
        Self::OnewayLost,
        Self::QueueBehindLog,
        Self::RecoveryBeganLater,
        Self::QueueNotRebuilt,
        Self::UnitNotWritten,
        Self::DelayProgressAhead,
        Self::HalfDiscarded,
        Self::BeganBehindIt,
        Self::SubscriptionOverwritten,
        Self::OffsetOutlivedMessages,
        Self::OffsetBeyond,
        Self::OffsetBeforeProcessing,
        Self::RefusedInBroadcast,
        Self::RefusedAndNotKept,
        Self::DeadLetter,
        Self::NotedBeforeDone,
        Self::TakenForAnother,
        Self::ProducerRetry,
        Self::DelayDeliveredTwice,
        Self::HalfCommittedTwice,
        Self::SentBackAndConsumed,
        Self::DiedWhileConsuming,
        Self::DiedBeforeOffsetSaved,
        Self::QueueTakenAway,
        Self::QueueMovedBeforeOffsetSaved,
        Self::BrokerLostOffset,
        Self::OffsetSetBack,
        Self::DifferentQueues,
        Self::StoredLater,
        Self::ConcurrentListener,
        Self::RetryTopic,
        Self::QueueMoved,
    ];

    /// The name used in scripts and texts.
    pub fn name(self) -> String {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(name)) => name,
            _ => String::new(),
        }
    }
}
