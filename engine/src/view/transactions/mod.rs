//! Transactions at a broker: half messages, what says that they are decided, and what the checks made of them.

mod gather;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(super) use gather::transactions_picture;

/// Everything about transactions at one broker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionsPicture {
    /// The broker's node.
    pub node: String,
    /// Whether the process runs; without it only the settings are told.
    pub running: bool,
    /// World time, microseconds.
    pub now_us: i64,
    /// From which age on a half message is asked about, milliseconds (`transactionTimeOut`).
    pub timeout_ms: i64,
    /// How often it is asked about before it is given up (`transactionCheckMax`).
    pub check_max: i32,
    /// From one check to the next, milliseconds (`transactionCheckInterval`).
    pub interval_ms: i64,
    /// When the next check may be, microseconds; `None` where nothing is checked, as at a slave.
    pub next_check_us: Option<i64>,
    /// How often a producer was to be asked.
    pub asked: u64,
    /// Half messages that were given up.
    pub discarded: u64,
    /// The half queue.
    pub half: QueueEnds,
    /// Its last slots.
    pub halves: Vec<HalfSlot>,
    /// The op queue.
    pub op: QueueEnds,
    /// Its last slots.
    pub ops: Vec<OpSlot>,
    /// The newest check that had something to look at.
    pub last_check: Option<CheckPicture>,
    /// What checks did with each message, by the message; the oldest message first.
    pub pasts: Vec<PastPicture>,
}

/// Where a queue begins and ends, and how far the checks have got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueEnds {
    /// First unit.
    pub min: i64,
    /// Where the next unit goes.
    pub max: i64,
    /// The progress of the checks.
    pub offset: i64,
}

/// A half message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HalfSlot {
    /// Its unit in the half queue.
    pub queue_offset: i64,
    /// Where its record starts.
    pub physical_offset: i64,
    /// The name that the scenario gave the message.
    pub name: Option<String>,
    /// The client's message id, which its copies share.
    pub uniq_key: Option<String>,
    /// The topic that it is for.
    pub real_topic: Option<String>,
    /// The queue that it is for.
    pub real_queue: Option<i32>,
    /// The producer group that is asked.
    pub group: Option<String>,
    /// How often it has been asked about (`TRANSACTION_CHECK_TIMES`).
    pub check_times: i32,
    /// How old it is, by its producer's clock and the broker's, milliseconds.
    pub age_ms: i64,
    /// How it stands with it.
    pub state: HalfState,
    /// Queue offsets in the real queue of what commits of it put there; more than one if it was committed again.
    pub committed_to: Vec<i64>,
}

/// How it stands with a half message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HalfState {
    /// Nothing is said of it.
    Open,
    /// The op queue says that it is decided, however.
    Decided {
        /// The op message that says so first.
        op_offset: i64,
    },
    /// A copy of it stands further on, and is looked at in its place.
    PutBack {
        /// The copy.
        to: i64,
    },
    /// It was given up.
    Discarded {
        /// It stands in `TRANS_CHECK_MAX_TIME_TOPIC`; otherwise it is lost.
        kept: bool,
    },
    /// The checks have passed it, and what they did is not known any more.
    Passed,
}

/// An op message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpSlot {
    /// Its unit in the op queue.
    pub queue_offset: i64,
    /// Where its record starts.
    pub physical_offset: i64,
    /// The half message that it says is decided; `None` where a check does not understand it.
    pub half_offset: Option<i64>,
    /// That message's name.
    pub name: Option<String>,
}

/// A check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckPicture {
    /// When it began, by the broker's clock, milliseconds since the epoch.
    pub start_ms: i64,
    /// The half queue's progress before it.
    pub half_from: i64,
    /// And after it.
    pub half_to: i64,
    /// The op queue's progress before it.
    pub op_from: i64,
    /// What op messages say of half messages that it had not come to, as half message and op message (`removeMap`).
    pub remove_map: Vec<(i64, i64)>,
    /// The op messages that are done with (`doneOpOffset`).
    pub done: Vec<i64>,
    /// Decisions before those in `decisions`.
    pub earlier: u32,
    /// The row of the table that fired for each half message, in order.
    pub decisions: Vec<DecisionPicture>,
}

/// What a check did with a half message, or why it ended there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DecisionPicture {
    /// The row, from 1 to 11.
    pub row: u8,
    /// The half message.
    pub half_offset: i64,
    /// The message's name.
    pub name: Option<String>,
}

/// What checks did with one message and its copies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PastPicture {
    /// The message's name.
    pub name: Option<String>,
    /// The client's message id.
    pub uniq_key: Option<String>,
    /// What happened, oldest first.
    pub entries: Vec<PastEntry>,
}

/// One entry of [`PastPicture`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PastEntry {
    /// When, microseconds.
    pub at_us: i64,
    /// The copy that it happened to.
    pub half_offset: i64,
    /// How often it had been asked about then.
    pub check_times: i32,
    /// What.
    pub fate: PastFate,
}

/// Kinds of [`PastEntry`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PastFate {
    /// A copy went to the queue's end, and a producer was asked.
    Asked {
        /// The copy.
        new_offset: i64,
        /// The node that was asked; `None`: there was none.
        to: Option<String>,
    },
    /// A copy went to the queue's end, since it was not to be checked yet.
    PutOff {
        /// The copy.
        new_offset: i64,
    },
    /// It was given up.
    Discarded {
        /// It stands in `TRANS_CHECK_MAX_TIME_TOPIC`; otherwise it is lost.
        kept: bool,
    },
}
