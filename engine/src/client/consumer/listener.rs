//! The application's `MessageListener` as data: how long a call takes, and what it comes to.

use imbl::OrdMap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ListenerBusiness;
use crate::client::Received;

/// Which of the two listeners it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ListenerKind {
    /// `MessageListenerConcurrently`.
    #[default]
    Concurrently,
    /// `MessageListenerOrderly`.
    Orderly,
}

/// What a call of a listener comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConsumeResult {
    /// It returns `CONSUME_SUCCESS`, an orderly one `SUCCESS`.
    #[default]
    Success,
    /// It returns `RECONSUME_LATER`. Concurrent ones only.
    Later,
    /// It returns `SUSPEND_CURRENT_QUEUE_A_MOMENT`. Orderly ones only, as the next two.
    Suspend,
    /// It returns `COMMIT`.
    Commit,
    /// It returns `ROLLBACK`.
    Rollback,
    /// It returns null.
    Null,
    /// It throws.
    Throw,
}

impl ConsumeResult {
    /// The name used in traces: that of the status, `null`, or `exception`.
    pub const fn name(self, kind: ListenerKind) -> &'static str {
        match (self, kind) {
            (Self::Success, ListenerKind::Concurrently) => "CONSUME_SUCCESS",
            (Self::Success, ListenerKind::Orderly) => "SUCCESS",
            (Self::Later, _) => "RECONSUME_LATER",
            (Self::Suspend, _) => "SUSPEND_CURRENT_QUEUE_A_MOMENT",
            (Self::Commit, _) => "COMMIT",
            (Self::Rollback, _) => "ROLLBACK",
            (Self::Null, _) => "null",
            (Self::Throw, _) => "exception",
        }
    }

    /// Whether it says that the messages are done with.
    pub const fn is_done(self) -> bool {
        matches!(self, Self::Success | Self::Commit)
    }

    /// What the client makes of it (`ConsumeRequest.run`): null and an exception are `RECONSUME_LATER` of a concurrent
    /// listener, `SUSPEND_CURRENT_QUEUE_A_MOMENT` of an orderly one.
    #[must_use]
    pub const fn status(self, kind: ListenerKind) -> Self {
        match (self, kind) {
            (Self::Null | Self::Throw, ListenerKind::Concurrently) => Self::Later,
            (Self::Null | Self::Throw, ListenerKind::Orderly) => Self::Suspend,
            _ => self,
        }
    }

    /// Whether a listener of that kind can come to it.
    pub const fn is_of(self, kind: ListenerKind) -> bool {
        match self {
            Self::Success | Self::Null | Self::Throw => true,
            Self::Later => matches!(kind, ListenerKind::Concurrently),
            Self::Suspend | Self::Commit | Self::Rollback => matches!(kind, ListenerKind::Orderly),
        }
    }
}

/// A `MessageListener`. The first rule that fits the first message of a batch says what the call does; where none fits,
/// it takes [`takes_ms`](Self::takes_ms) and comes to [`result`](Self::result).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MessageListener {
    /// Which of the two it is.
    pub kind: ListenerKind,
    /// How long a call takes, milliseconds.
    pub takes_ms: u32,
    /// What it comes to.
    pub result: ConsumeResult,
    /// What it does with certain messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ListenerRule>,
    /// What it does with its messages before it returns; a call that cannot do it throws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub business: Option<Box<ListenerBusiness>>,
}

impl Default for MessageListener {
    fn default() -> Self {
        Self {
            kind: ListenerKind::Concurrently,
            takes_ms: 10,
            result: ConsumeResult::Success,
            rules: Vec::new(),
            business: None,
        }
    }
}

/// What a listener does with certain messages. What it leaves open is as the listener does it otherwise, or as 4.9.8 makes
/// the context of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListenerRule {
    /// Which messages.
    pub when: MessageCondition,
    /// How long a call takes, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes_ms: Option<u32>,
    /// Whether the call never returns.
    pub hangs: bool,
    /// What the calls for one message come to, as far as this rule decides them and the process lives: the first, the
    /// second and so on, the last of them for ever.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ConsumeResult>,
    /// `ConsumeConcurrentlyContext.ackIndex`: place of the last message of the batch that was a success, -1: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_index: Option<i32>,
    /// `ConsumeConcurrentlyContext.delayLevelWhenNextConsume`: -1 the dead-letter queue, 0 the broker chooses, else the level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_level_when_next_consume: Option<i32>,
    /// `ConsumeOrderlyContext.suspendCurrentQueueTimeMillis`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspend_ms: Option<i64>,
    /// `ConsumeOrderlyContext.autoCommit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_commit: Option<bool>,
}

/// Messages that are all of this; what is left open may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MessageCondition {
    /// The topic as the listener sees it: of a retry, the topic of origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// One of the keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<String>,
    /// The whole body, a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The queue it was pulled from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_id: Option<i32>,
    /// Its offset in that queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_offset: Option<i64>,
    /// How often it has been consumed in vain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconsume_times: Option<Range>,
}

/// A range of numbers; both ends belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Range {
    /// The least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<i32>,
    /// The most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<i32>,
}

impl Range {
    /// Whether a number is within it.
    pub fn contains(self, number: i32) -> bool {
        self.at_least.is_none_or(|least| number >= least) && self.at_most.is_none_or(|most| number <= most)
    }
}

impl MessageCondition {
    /// Whether a message is all of this. Its topic is the one that the listener sees.
    pub fn fits(&self, message: &Received) -> bool {
        let Self { topic, tag, keys, body, queue_id, queue_offset, reconsume_times } = self;
        topic.as_ref().is_none_or(|topic| *topic == message.topic)
            && tag.as_ref().is_none_or(|tag| message.tags.as_ref() == Some(tag))
            && keys.as_ref().is_none_or(|key| message.has_key(key))
            && body.as_ref().is_none_or(|body| body.as_bytes() == message.body)
            && queue_id.is_none_or(|queue_id| queue_id == message.queue_id)
            && queue_offset.is_none_or(|offset| offset == message.queue_offset)
            && reconsume_times.is_none_or(|times| times.contains(message.reconsume_times))
    }
}

/// One call of a listener: how long it takes, what it comes to, and what it leaves in its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenerCall {
    /// How long it takes, microseconds; `None`: it never returns.
    pub takes_us: Option<i64>,
    /// What it comes to.
    pub result: ConsumeResult,
    /// `ConsumeConcurrentlyContext.ackIndex`.
    pub ack_index: i32,
    /// `ConsumeConcurrentlyContext.delayLevelWhenNextConsume`.
    pub delay_level_when_next_consume: i32,
    /// `ConsumeOrderlyContext.suspendCurrentQueueTimeMillis`; -1: as the consumer is set to.
    pub suspend_ms: i64,
    /// `ConsumeOrderlyContext.autoCommit`.
    pub auto_commit: bool,
    /// Place of the rule that decided, if one did.
    pub rule: Option<usize>,
}

impl ListenerCall {
    /// How many of a batch of `messages`, from the first on, a concurrent listener has consumed
    /// (`ConsumeMessageConcurrentlyService.processConsumeResult`).
    pub fn acknowledged(&self, messages: usize) -> usize {
        match self.result.status(ListenerKind::Concurrently) {
            ConsumeResult::Success => usize::try_from(self.ack_index.saturating_add(1)).unwrap_or(0).min(messages),
            _ => 0,
        }
    }
}

/// How often each rule has been asked about each message, in the memory of the process.
#[derive(Clone, Debug, Default)]
pub struct Calls(OrdMap<(usize, String), usize>);

/// What is wrong with a listener.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {cause}")]
pub struct ListenerError {
    /// The key, `rules[2].results`.
    pub place: String,
    /// What is wrong with it.
    pub cause: String,
}

impl MessageListener {
    /// A call with a batch of which this is the first message.
    pub fn call(&self, first: &Received, calls: &mut Calls) -> ListenerCall {
        let mut call = ListenerCall {
            takes_us: Some(micros(self.takes_ms)),
            result: self.result,
            ack_index: i32::MAX,
            delay_level_when_next_consume: 0,
            suspend_ms: -1,
            auto_commit: true,
            rule: None,
        };
        let Some((place, rule)) = self.rules.iter().enumerate().find(|(_, rule)| rule.when.fits(first)) else {
            return call;
        };
        call.rule = Some(place);
        call.takes_us = (!rule.hangs).then(|| micros(rule.takes_ms.unwrap_or(self.takes_ms)));
        call.result = match rule.results[..] {
            [] => self.result,
            [result] => result,
            [.., last] => {
                let times = calls.0.entry((place, first.msg_id.clone())).or_insert(0);
                let result = rule.results.get(*times).copied().unwrap_or(last);
                *times = times.saturating_add(1);
                result
            }
        };
        call.ack_index = rule.ack_index.unwrap_or(call.ack_index);
        call.delay_level_when_next_consume = rule.delay_level_when_next_consume.unwrap_or(0);
        call.suspend_ms = rule.suspend_ms.unwrap_or(call.suspend_ms);
        call.auto_commit = rule.auto_commit.unwrap_or(true);
        call
    }

    /// Whether a listener of its kind can do what it says.
    pub fn check(&self) -> Result<(), ListenerError> {
        let fail = |place: String, cause: &str| Err(ListenerError { place, cause: cause.to_owned() });
        let other = match self.kind {
            ListenerKind::Concurrently => "not a result of a concurrent listener: success, later, null, throw",
            ListenerKind::Orderly => {
                "not a result of an orderly listener: success, suspend, commit, rollback, null, throw"
            }
        };
        if !self.result.is_of(self.kind) {
            return fail("result".to_owned(), other);
        }
        for (place, rule) in self.rules.iter().enumerate() {
            let key = |key: &str| format!("rules[{place}].{key}");
            if rule.results.iter().any(|result| !result.is_of(self.kind)) {
                return fail(key("results"), other);
            }
            let orderly = self.kind == ListenerKind::Orderly;
            if orderly && (rule.ack_index.is_some() || rule.delay_level_when_next_consume.is_some()) {
                return fail(key("ackIndex"), "only a concurrent listener has ackIndex and delayLevelWhenNextConsume");
            }
            if !orderly && (rule.suspend_ms.is_some() || rule.auto_commit.is_some()) {
                return fail(key("suspendMs"), "only an orderly listener has suspendMs and autoCommit");
            }
            // Below -1 4.9.8's client would fail over its own loop, and the queue would stand still.
            if rule.ack_index.is_some_and(|ack_index| ack_index < -1) {
                return fail(key("ackIndex"), "expected -1 or more");
            }
        }
        self.business.as_ref().map_or(Ok(()), |business| business.check())
    }
}

fn micros(ms: u32) -> i64 {
    i64::from(ms) * 1000
}
