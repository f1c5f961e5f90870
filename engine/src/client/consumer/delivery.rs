//! What a listener was handed: the record of a run, which outlives the process.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{BusinessDone, ConsumeResult, ListenerCall, ListenerKind};
use crate::client::{PullQueue, Received};

/// A call of the listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The messages as the listener got them: a retry under the topic of origin.
    pub messages: Vec<Arc<Received>>,
    /// The queue that they were pulled from.
    pub queue: PullQueue,
    /// Number of the thread, from 1.
    pub thread: u32,
    /// Which of the two listeners was called.
    pub kind: ListenerKind,
    /// When it was called, microseconds.
    pub began_us: i64,
    /// When it returned, microseconds; none as long as it runs, and where the process ended first.
    pub ended_us: Option<i64>,
    /// What it came to; none as long as it runs, and where the process ended first.
    pub result: Option<ConsumeResult>,
    /// What became of that.
    pub fate: DeliveryFate,
    /// How many of the messages, from the first on, the listener has consumed; 0 before it returns.
    pub consumed: usize,
    /// What it came to at its database, as far as it had to do with one.
    pub business: Option<BusinessDone>,
    /// The transactions that it began there for its changes.
    pub transactions: Vec<BusinessTransaction>,
}

/// A transaction that a call of the listener began for one of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusinessTransaction {
    /// The place of the message in the call.
    pub place: usize,
    /// The transaction's number in the database.
    pub transaction: u64,
}

/// What became of a call of the listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeliveryFate {
    /// It runs.
    Running,
    /// Its result counts.
    Counted,
    /// Its result was not used: the queue had been given away meanwhile.
    Unused,
    /// The process ended before it returned.
    Crashed,
}

impl DeliveryFate {
    /// The name used in scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Counted => "counted",
            Self::Unused => "unused",
            Self::Crashed => "crashed",
        }
    }
}

impl Delivery {
    /// What it came to, as 4.9.8 names it; `null` and `exception` where it came to no status.
    pub fn result_name(&self) -> Option<&'static str> {
        self.result.map(|result| result.name(self.kind))
    }

    /// The listener has returned.
    pub(super) fn end(&mut self, outcome: &ListenerCall, counts: bool, now_us: i64) {
        self.result = Some(outcome.result);
        self.consumed = match self.kind {
            ListenerKind::Concurrently => outcome.acknowledged(self.messages.len()),
            ListenerKind::Orderly if outcome.result.is_done() => self.messages.len(),
            ListenerKind::Orderly => 0,
        };
        self.ended_us = Some(now_us);
        self.fate = if counts { DeliveryFate::Counted } else { DeliveryFate::Unused };
    }

    /// The process is gone.
    pub(super) const fn crash(&mut self) {
        if self.result.is_none() {
            self.fate = DeliveryFate::Crashed;
        }
    }
}
