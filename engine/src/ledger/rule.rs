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
    /// The producer's process ended before it was told anything, and nothing is stored.
    UntoldNothingStored,
    /// The producer's process ended before it was told anything, and the message is stored all the same.
    UntoldButStored,
    /// The transaction was rolled back, or its producer died before it came to anything: nobody sees the half message
    /// (`EndTransactionProcessor.processRequest`).
    RolledBack,
    /// It was handed out again, since the first time did not come to an end and changed nothing.
    FirstTimeUndone,
    /// It was handed out again, and the listener knew by its own record that it had done it.
    RepeatRecognised,

    // Still on its way.
    /// The send has not ended.
    SendUnderWay,
    /// It is in the log, and dispatch has not come to it (`ReputMessageService.doReput`).
    NotDispatchedYet,
    /// It waits for its delay level to be over (`ScheduleMessageService`).
    DelayNotOver,
    /// It is a half message, and nobody has decided about it (`TransactionalMessageServiceImpl.check`).
    HalfUndecided,
    /// The group has not come to it.
    NotConsumedYet,
    /// A consumer of the group has it: its listener, or the process queue before it.
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
    /// The broker flushes before it answers, and has answered before. Not 4.9.8: a planted fault.
    AnsweredBeforeFlush,
    /// The disk refused the flush, and the message counted as flushed all the same (`MappedFile.flush` swallows what
    /// `force` throws).
    FlushRefused,
    /// A restart after a kill took for flushed what was in the page cache alone (`MappedFileQueue.setFlushedWhere` in
    /// recovery), and the power failed then.
    TakenForFlushed,
    /// It was in a buffer of the transient pool when the process ended, by whatever (`CommitRealTimeService`).
    InPoolAtEnd,
    /// Recovery ended the log at a damaged record, which is this one or stands before it (`CommitLog.recoverNormally`,
    /// `recoverAbnormally`).
    BehindDamagedRecord,
    /// Its file was removed: it was too old, or the disk too full (`CleanCommitLogService`). Lost to who was not done with
    /// it by then.
    Cleaned,
    /// Its file, or its bytes, were taken away from outside.
    BytesGone,
    /// It was sent one way, and no broker has it: nobody learns of that.
    OnewayLost,

    // Lost between log and queue.
    /// A power loss took units of its queue or left stale ones, and dispatch goes on behind the largest offset of any
    /// queue (`DefaultMessageStore.start`).
    QueueBehindLog,
    /// It had not been dispatched when the process died, and recovery began in a later file, whose first message is no
    /// younger than the checkpoint (`CommitLog.isMappedFileMatchedRecover`).
    RecoveryBeganLater,
    /// Its unit was taken away from outside, and the clean start dispatched only what lies behind the largest offset of any
    /// queue (`DefaultMessageStore.start`).
    QueueNotRebuilt,
    /// The unit of its queue could not be written (`ConsumeQueue.putMessagePositionInfoWrapper`).
    UnitNotWritten,
    /// The progress of its delay level was saved beyond it, and the copy that had been delivered was lost
    /// (`ScheduleMessageService.persist`).
    DelayProgressAhead,
    /// The application has not rolled the transaction back, and the half message was: the listener did not know it any
    /// more. Or the half message was discarded, since the listener was asked too often (`TRANS_CHECK_MAX_TIME_TOPIC`).
    HalfDiscarded,

    // Lost between queue and application.
    /// The group began behind it: `CONSUME_FROM_LAST_OFFSET`, or a time (`RebalancePushImpl.computePullFromWhere`).
    BeganBehindIt,
    /// Members of the group subscribe different things: the broker filters for all of them by the subscription that it
    /// heard of last (`ConsumerGroupInfo.updateSubscription`), and each lets go of what it does not want itself.
    SubscriptionsDiffer,
    /// The broker had lost messages that the group had consumed, and this one took the place of one of them in the queue:
    /// the group's offset is beyond it (`DefaultMessageStore.getMessage`, `OFFSET_OVERFLOW_ONE`).
    OffsetOutlivedMessages,
    /// The group's offset is beyond it: it was reset, or committed by somebody who had not consumed it.
    OffsetBeyond,
    /// The offset was saved beyond it while a listener had it, and the process died. Not 4.9.8, unless somebody else has
    /// committed that offset: a planted fault.
    OffsetBeforeProcessing,
    /// A broadcasting consumer refused it, which nobody takes back
    /// (`ConsumeMessageConcurrentlyService.processConsumeResult`).
    RefusedInBroadcast,
    /// A listener refused it, and it was not kept for a retry: the group has no retry queues
    /// (`SendMessageProcessor.asyncConsumerSendMsgBack`), or an orderly listener said `ROLLBACK` while commits are
    /// automatic (`ConsumeMessageOrderlyService.processConsumeResult`).
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
    /// Its half message was committed twice, which nobody looks at (`EndTransactionProcessor.processRequest`): it was said
    /// again, or the mark of the first commit was lost.
    HalfCommittedTwice,

    // Twice at the application.
    /// It was given back for a retry although a listener was still at it (`ProcessQueue.cleanExpiredMsg`), or had changed
    /// rows for it before it refused it.
    SentBackAndConsumed,
    /// The consumer died while its listener had it.
    DiedWhileConsuming,
    /// The consumer ended before the offset behind it was saved (`persistConsumerOffsetInterval`).
    DiedBeforeOffsetSaved,
    /// Its queue went to another consumer while a listener had it (`ConsumeRequest.run`: the result is not used).
    QueueTakenAway,
    /// Its queue went to another consumer, and began there at the offset that had been saved, which was before it.
    QueueMovedBeforeOffsetSaved,
    /// The broker died before it saved the group's offset (`flushConsumerOffsetInterval`).
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
    /// Its queue went to another consumer, which went on behind it before the first had ended.
    QueueMoved,
}

impl Rule {
    /// All of them, in the order in which they may strike a message.
    pub const ALL: [Self; 57] = [
        Self::Once,
        Self::FailureToldNothingStored,
        Self::FailureToldButStored,
        Self::UntoldNothingStored,
        Self::UntoldButStored,
        Self::RolledBack,
        Self::FirstTimeUndone,
        Self::RepeatRecognised,
        Self::SendUnderWay,
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
        Self::SubscriptionsDiffer,
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
