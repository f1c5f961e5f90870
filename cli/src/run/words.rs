//! The rules of the ledger, and what must hold after every event, in words.

use rocketscope_engine::ledger::{Broken, Invariant, Rule};

/// The rule as a sentence.
pub(super) const fn why(rule: Rule) -> &'static str {
    match rule {
        Rule::Once => "told, stored, and handed to every group once",
        Rule::FailureToldNothingStored => "the producer was told of a failure, and nothing is stored",
        Rule::FailureToldButStored => "the producer was told of a failure, which says nothing of what the broker did",
        Rule::UntoldNothingStored => "the producer died before it was told anything, and nothing is stored",
        Rule::UntoldButStored => "the producer died before it was told anything, and the message is stored",
        Rule::RolledBack => "the transaction was rolled back, or came to nothing",
        Rule::FirstTimeUndone => "handed out again, and changed something the second time only",
        Rule::RepeatRecognised => "handed out again, and recognised by the listener's own record",
        Rule::SendUnderWay => "the send has not ended",
        Rule::NotDispatchedYet => "in the log, and not dispatched yet",
        Rule::DelayNotOver => "waits for its delay level",
        Rule::HalfUndecided => "a half message that nobody has decided about",
        Rule::NotConsumedYet => "the group has not come to it",
        Rule::InHand => "a consumer of the group has it",
        Rule::RetryToCome => "given back, and comes again",
        Rule::BrokerDown => "its broker does not run",
        Rule::UnflushedAtPowerLoss => {
            "ASYNC_FLUSH: acknowledged from the page cache, and the power failed before the flush"
        }
        Rule::ProducerDidNotWait => "SYNC_FLUSH, but the producer did not wait for it (waitStoreMsgOK=false)",
        Rule::AnsweredBeforeFlush => "SYNC_FLUSH, and answered before the flush all the same",
        Rule::FlushRefused => "the disk refused the flush, which counted as done (MappedFile.flush)",
        Rule::TakenForFlushed => "a restart after a kill took the page cache for flushed, and the power failed then",
        Rule::InPoolAtEnd => "still in a buffer of the transient pool when the process ended",
        Rule::BehindDamagedRecord => "recovery ended the log at a damaged record: this one, or one before it",
        Rule::Cleaned => "its file was too old, or the disk too full",
        Rule::BytesGone => "its bytes were taken away from outside",
        Rule::OnewayLost => "sent one way, and nobody learns that no broker has it",
        Rule::QueueBehindLog => {
            "a power loss took its unit, and dispatch went on behind it, from the largest offset of any queue"
        }
        Rule::RecoveryBeganLater => "not dispatched when the process died, and recovery began in a later file",
        Rule::QueueNotRebuilt => "its unit was taken away from outside, and a clean start does not dispatch it again",
        Rule::UnitNotWritten => "its unit could not be written in 30 attempts",
        Rule::DelayProgressAhead => "the delay level's progress was saved, and the delivered copy was lost",
        Rule::HalfDiscarded => {
            "not rolled back by the application, and rolled back or discarded by the broker all the same"
        }
        Rule::BeganBehindIt => "the group began behind it (consumeFromWhere)",
        Rule::SubscriptionsDiffer => {
            "members of the group subscribe different things, and one that does not want it decided"
        }
        Rule::OffsetOutlivedMessages => {
            "it took the place of a message that the group had consumed and the broker has lost"
        }
        Rule::OffsetBeyond => "the group's offset is beyond it, and nobody was handed it",
        Rule::OffsetBeforeProcessing => "the offset was saved beyond it while a listener had it, and the process died",
        Rule::RefusedInBroadcast => "refused by a broadcasting consumer, which nobody takes back",
        Rule::RefusedAndNotKept => "refused, and not kept for a retry",
        Rule::DeadLetter => "refused as often as may be, and now in the dead-letter queue",
        Rule::NotedBeforeDone => "noted as done before it was done",
        Rule::TakenForAnother => "taken for another message, which the application knows by the same key",
        Rule::ProducerRetry => "the producer sent it again after an attempt that had been stored",
        Rule::DelayDeliveredTwice => "its delay level was delivered twice, since its progress was not saved",
        Rule::HalfCommittedTwice => "its half message was committed twice, which nobody looks at",
        Rule::SentBackAndConsumed => "given back for a retry, though a listener was at it or had changed rows for it",
        Rule::DiedWhileConsuming => "the consumer died while its listener had it",
        Rule::DiedBeforeOffsetSaved => "the consumer ended before the offset behind it was saved",
        Rule::QueueTakenAway => "its queue went to another consumer while a listener had it",
        Rule::QueueMovedBeforeOffsetSaved => "its queue went to another consumer before the offset behind it was saved",
        Rule::BrokerLostOffset => "the broker died before it saved the group's offset",
        Rule::OffsetSetBack => "the group's offset was set back",
        Rule::DifferentQueues => "messages that belong together went to different queues",
        Rule::StoredLater => "stored after one that was sent after it",
        Rule::ConcurrentListener => "a concurrent listener takes the messages of a queue in several threads",
        Rule::RetryTopic => "came again through the retry topic, behind what had followed it",
        Rule::QueueMoved => "its queue went to another consumer, which went on behind it before the first had ended",
    }
}

/// What is broken, with its numbers.
pub(super) fn broken(broken: &Broken) -> String {
    let Broken { invariant, queue, found, bound, other, .. } = broken;
    let queue = queue.as_deref().unwrap_or("a queue");
    let other = other.as_deref().unwrap_or("another consumer");
    match invariant {
        Invariant::FlushedBeforeAnswer => {
            format!(
                "SYNC_FLUSH has answered PUT_OK for everything up to {found}, and what is before {bound} is flushed"
            )
        }
        Invariant::ReplicatedBeforeAnswer => {
            format!(
                "SYNC_MASTER has answered PUT_OK for everything up to {found}, and a slave has what is before {bound}"
            )
        }
        Invariant::FlushedWithinLog => format!("the log counts as flushed up to {found}, and ends at {bound}"),
        Invariant::DispatchedWithinLog => format!("dispatch is at {found}, and the log ends at {bound}"),
        Invariant::LogGrows => format!("the log ended at {found}, and now ends at {bound}"),
        Invariant::QueueGrows => format!("{queue} ended at {bound}, and now ends at {found}"),
        Invariant::UnitPointsAtRecord => {
            format!("unit {bound} of {queue} does not point at its record, but at queue offset {found} (-1: no record)")
        }
        Invariant::HalfMessageHidden => {
            format!(
                "a message of a transaction that nobody has committed can be read in {queue}: the record at {found}"
            )
        }
        Invariant::OffsetBehindUnprocessed => {
            format!("the offset of {queue} is {found}, and the message at {bound} is not done with")
        }
        Invariant::RefusedIsKept => {
            format!("the listener has refused the message at {found} of {queue}, and the consumer has let go of it")
        }
        Invariant::InQueueOrder => {
            format!("an orderly listener got the message at {found} of {queue}, while the one at {bound} waits")
        }
        Invariant::OneListenerPerQueue => {
            format!("two orderly listeners have {queue}: one has the message at {found}, and {other} that at {bound}")
        }
    }
}
