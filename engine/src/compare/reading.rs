//! What counts of an event when two runs are held against each other.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::{
    node::Service,
    sim::{Action, EventKind, LEARNER, TraceEvent, World},
};

/// How much of a lane counts.
enum Counts {
    /// Every turn with all its steps.
    All,
    /// Turns with steps of these kinds, and of them these steps.
    Only(&'static [&'static str]),
    /// Nothing.
    Nothing,
}

/// Fields whose values depend on clocks, processes and the rows of tables.
const NOT_COUNTED: &[&str] = &[
    "answer",
    "cause",
    "clientId",
    "clientIds",
    "key",
    "keyHash",
    "len",
    "limit",
    "line",
    "message",
    "msgId",
    "offsetMsgId",
    "owner",
    "prevIndex",
    "propertiesText",
    "remark",
    "row",
    "slot",
    "subVersion",
    "thread",
    "timeDiff",
    "transactionId",
    "uniqKey",
];

/// Endings of fields that are moments and durations.
const TIMES: &[&str] = &["Ms", "Us", "Timestamp"];

/// Fields that are not counted where they are texts: an exception's message, a value that is there already.
const NOT_COUNTED_TEXTS: &[&str] = &["error", "value"];

/// An event as far as it counts.
#[derive(PartialEq, Eq)]
pub(super) struct Reading {
    what: Value,
    /// Number of the step in its turn, and what counts of it.
    pub(super) steps: Vec<(u32, Value)>,
}

/// The lanes of two runs as far as they count.
pub(super) struct Reader {
    /// Nodes that only one of the worlds has.
    strangers: BTreeSet<String>,
}

impl Reader {
    pub(super) fn new(first: &World, second: &World) -> Self {
        let names = |world: &World| world.nodes().map(|node| node.name.to_owned()).collect::<BTreeSet<_>>();
        let strangers = names(first).symmetric_difference(&names(second)).cloned().collect();
        Self { strangers }
    }

    /// What counts of an event; none if nothing does.
    pub(super) fn read(&self, event: &TraceEvent) -> Option<Reading> {
        if self.strangers.contains(&event.node) || matches!(event.what, EventKind::Alarm) {
            return None;
        }
        if let EventKind::Action { action } = &event.what {
            // What is done is the same in both runs. Waits only place it.
            let counts = !matches!(action, Action::Wait { .. });
            let what = Value::String("action".to_owned());
            return counts.then(|| Reading { what, steps: self.steps(event, &Counts::All) });
        }
        let counts = counts(&event.service);
        let what = plain(&event.what);
        if matches!(counts, Counts::Nothing) || self.is_about_stranger(&what) {
            return None;
        }
        let steps = self.steps(event, &counts);
        // A turn that did something, of which nothing counts, is none.
        let empty = steps.is_empty() && !event.steps.is_empty();
        (!empty).then(|| Reading { what: counted(what), steps })
    }

    fn steps(&self, event: &TraceEvent, counts: &Counts) -> Vec<(u32, Value)> {
        let steps = event.steps.iter().filter_map(|step| {
            let Value::Object(families) = plain(&step.what) else { return None };
            let (_, what) = families.into_iter().next()?;
            let wanted = match counts {
                Counts::All => true,
                Counts::Only(kinds) => kinds.iter().any(|kind| what.get("kind").is_some_and(|is| is == kind)),
                Counts::Nothing => false,
            };
            (wanted && !self.is_about_stranger(&what)).then(|| (step.index, counted(what)))
        });
        steps.collect()
    }

    /// Whether a node is named that only one of the worlds has.
    fn is_about_stranger(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.strangers.contains(text),
            Value::Array(parts) => parts.iter().any(|part| self.is_about_stranger(part)),
            Value::Object(fields) => fields.values().any(|field| self.is_about_stranger(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

fn plain(what: &impl Serialize) -> Value {
    // Plain data: it cannot fail.
    serde_json::to_value(what).unwrap_or_default()
}

/// A value without the fields that are not counted.
fn counted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let counted = fields.into_iter().filter(|(name, value)| {
                let text_only = NOT_COUNTED_TEXTS.contains(&name.as_str()) && value.is_string();
                let made_name = value.as_str().is_some_and(|text| text.starts_with("index/"));
                let time = TIMES.iter().any(|end| name.ends_with(end));
                !text_only && !made_name && !time && !NOT_COUNTED.contains(&name.as_str())
            });
            Value::Object(counted.map(|(name, value)| (name, self::counted(value))).collect())
        }
        Value::Array(parts) => Value::Array(parts.into_iter().map(counted).collect()),
        plain => plain,
    }
}

fn counts(service: &str) -> Counts {
    let Some(service) = Service::ALL.iter().find(|known| known.name() == service) else {
        return if service == LEARNER { Counts::All } else { Counts::Nothing };
    };
    match service {
        Service::Put
        | Service::EndTransaction
        | Service::TransactionCheck
        | Service::Query
        | Service::Admin
        | Service::Reput
        | Service::CommitCommitLog
        | Service::FlushDiskWatcher
        | Service::CleanFiles
        | Service::Schedule
        | Service::GroupTransfer
        | Service::FastFailure
        | Service::Sql
        | Service::Application
        | Service::OutboxRelay
        | Service::LocalTransaction
        | Service::CheckListener
        | Service::Consume
        | Service::CleanExpiredMsg
        | Service::Api
        | Service::Process => Counts::All,
        Service::FlushCommitLog => Counts::Only(&["flushed", "diskFailed", "flushStalled", "responseSent"]),
        Service::HaClient => Counts::Only(&["replicaAppended", "replicaDropped", "haMismatch"]),
        Service::Rebalance => Counts::Only(&["queueTaken", "queueDropped", "queueNotTaken"]),
        Service::LockQueues => Counts::Only(&["lockLost"]),
        Service::Pull
        | Service::PullHold
        | Service::ClientManage
        | Service::ConsumerManage
        | Service::FlushConsumeQueue
        | Service::PersistOffset
        | Service::Register
        | Service::HaAccept
        | Service::HaRead
        | Service::HaTransfer
        | Service::SlaveSync
        | Service::ClientHousekeeping
        | Service::Route
        | Service::Scan
        | Service::PullMessage
        | Service::PersistConsumerOffset
        | Service::RoutePoll
        | Service::Heartbeat
        | Service::Remoting => Counts::Nothing,
    }
}
