//! What just happened, in a sentence or two.

use rocketscope_engine::sim::TraceEvent;
use yew::{Html, Properties, component, html};

use crate::components::narrate::{Parts, cause};
use crate::i18n::use_text;

/// Kinds of steps that say what an event was about, the more telling first. Others are details.
const TELLING: &[&str] = &[
    "crashed",
    "startFailed",
    "brokerStarted",
    "recoveryEnds",
    "powerLost",
    "processKilled",
    "launched",
    "secondProcessStarted",
    "stopBegan",
    "processEnded",
    "trapSet",
    "bitFlipped",
    "fileTaken",
    "fileCut",
    "diskFaultSet",
    "diskMended",
    "clockJumped",
    "unitWritten",
    "unitSkipped",
    "unitNotWanted",
    "halfPutBack",
    "halfNotPutBack",
    "halfAskedTooOften",
    "halfTooOld",
    "halfImmune",
    "halfDecided",
    "halfYoung",
    "commitTaken",
    "rollbackTaken",
    "opWritten",
    "opLost",
    "endIgnored",
    "checkResumed",
    "delayDue",
    "delayClockBack",
    "delayBroken",
    "delayRecordGone",
    "delayHalfDropped",
    "delayResendSet",
    "delaySkipped",
    "delayProgress",
    "transactionTold",
    "transactionFailed",
    "localTransactionEnded",
    "localTransactionRollsBack",
    "localTransactionCommits",
    "localTransactionBegan",
    "checkEnded",
    "checkIgnored",
    "checkWaits",
    "checkAsked",
    "transactionEndFailed",
    "transactionEndSent",
    "appended",
    "getAnswered",
    "flushed",
    "sendEnded",
    "pullEnded",
    "callEnded",
    "sentAgain",
    "reputRead",
    "reputRolled",
    "reputSkipped",
    "reputPositionSet",
    "putRefused",
    "refused",
    "replicaAppended",
    "haTransferred",
    "haMismatch",
    "haSlaveAhead",
    "haExpired",
    "replicaWaitEnded",
    "haRequested",
    "haAcknowledged",
    "haReported",
    "haAccepted",
    "haConnected",
    "haConnectFailed",
    "haHeartbeat",
    "haHeartbeatRead",
    "slaveSynced",
    "lockTakenOver",
    "lockRefused",
    "queueLocked",
    "queueUnlocked",
    "unlockIgnored",
    "membersNotified",
    "memberLeft",
    "memberJoined",
    "subscriptionRemoved",
    "subscriptionAdded",
    "subscriptionReplaced",
    "membersListed",
    "subscriptionChecked",
    "flowControlled",
    "consumeResultUnused",
    "consumeIgnored",
    "consumeRejected",
    "listenersAwaited",
    "listenersInterrupted",
    "listenersGivenUp",
    "messagesLost",
    "messageExpired",
    "messageGivenUp",
    "consumeLockHeld",
    "lockLost",
    "consumeWaitsForLock",
    "queueRests",
    "unlockDelayed",
    "resetBegan",
    "consumerResumed",
    "consumerSuspended",
    "subscribed",
    "unsubscribed",
    "corePoolSizeUpdated",
    "corePoolSizeKept",
    "messageSentBack",
    "consumedAgainLater",
    "consumeEnded",
    "consumeBegan",
    "offsetIllegal",
    "messagesCached",
    "queueDropped",
    "queueTaken",
    "queueNotTaken",
    "rebalanceLeft",
    "queuesAllocated",
    "membersChanged",
    "rebalanceSkipped",
    "rebalanceBegan",
    "subscriptionRenewed",
    "pullPostponed",
    "pullDiscarded",
    "offsetsPersisted",
    "offsetsSaved",
    "consumerStartFailed",
    "consumerStarts",
    "offsetMoved",
    "filterUnread",
    "filterKept",
    "pullHeld",
    "pullWoken",
    "offsetCommitted",
    "routeFound",
    "routeMissing",
    "routeApplied",
    "brokerRegistered",
    "checkpointWritten",
    "configWritten",
    "topicCreated",
    "requestTimedOut",
    "requestFailed",
    "paused",
    "resumed",
    "linkSet",
];

/// The steps that say what an event was about: the most telling one, after the one that it follows from.
fn telling(event: &TraceEvent) -> Vec<Parts> {
    let rank = |parts: &Parts| TELLING.iter().position(|kind| *kind == parts.kind());
    let parts: Vec<Parts> = event.steps.iter().filter_map(|step| Parts::of(&step.what)).collect();
    let Some(best) = parts.iter().filter_map(&rank).min() else { return Vec::new() };
    // What is told beside it: what it follows from, or what came of it.
    let beside = match TELLING.get(best) {
        Some(&("unitWritten" | "unitSkipped" | "unitNotWanted")) => "reputRead",
        Some(&("powerLost" | "crashed")) => "pagesLost",
        _ => "",
    };
    let mut seen = Vec::new();
    parts
        .into_iter()
        .filter(|parts| {
            let wanted = rank(parts) == Some(best) || parts.kind() == beside;
            // One of a kind is enough: a batch appends once, a flush of twenty queues need not be told twenty times.
            wanted && !seen.contains(&parts.kind().to_owned()) && {
                seen.push(parts.kind().to_owned());
                true
            }
        })
        .collect()
}

/// Properties of [`Saying`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The event; nothing at the start.
    pub event: Option<TraceEvent>,
}

/// What just happened.
#[component]
pub fn Saying(props: &Props) -> Html {
    let text = use_text();
    let said = match &props.event {
        None => Html::from(text.get("saying.start")),
        Some(event) => {
            let told = telling(event);
            let sentences: Html = if told.is_empty() {
                cause(&event.what, &text)
            } else {
                told.iter().map(|parts| html! { <>{ parts.html("step", &text) }{ " " }</> }).collect()
            };
            html! { <><span class="saying-who">{ format!("{} · {}", event.node, event.service) }</span>{ sentences }</> }
        }
    };
    html! { <p class="saying" aria-live="polite" data-testid="saying">{ said }</p> }
}

#[cfg(test)]
mod tests {
    use super::TELLING;
    use crate::i18n::{Lang, Text};

    #[test]
    fn every_telling_step_has_words() {
        let text = Text::new(Lang::En);
        let without: Vec<_> = TELLING.iter().filter(|kind| !text.has(&format!("step.{kind}"))).collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
