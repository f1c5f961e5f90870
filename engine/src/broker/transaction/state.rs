//! What a process knows of transactions: for its own work, and for pictures.

use std::collections::{BTreeMap, VecDeque};

use imbl::Vector;

use super::{check::Check, end::Committed, half::Half};
use crate::{
    message::property,
    node::{Grid, Turn},
    store::PutMessageStatus,
};

/// So much of the past is remembered.
const PAST_MAX: usize = 4096;

/// What a check did with one half message, or where it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The row of the table, from 1 to 11.
    pub row: u8,
    /// The half message.
    pub half_offset: i64,
}

/// What became of a half message in a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was put to the queue's end, and its producer was asked.
    Asked {
        /// Its new queue offset.
        new_offset: i64,
        /// The node that was asked; `None`: there was none.
        to: Option<String>,
    },
    /// It was put to the queue's end, since it is not to be checked yet.
    PutOff {
        /// Its new queue offset.
        new_offset: i64,
    },
    /// It was asked for too often, or is too old.
    Discarded {
        /// It stands in `TRANS_CHECK_MAX_TIME_TOPIC`; otherwise it is lost.
        kept: bool,
    },
}

/// An entry of the past of a half message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// When, microseconds of world time.
    pub at_us: i64,
    /// `UNIQ_KEY`, which all its copies share.
    pub uniq_key: Option<String>,
    /// The copy that it happened to.
    pub half_offset: i64,
    /// `TRANSACTION_CHECK_TIMES` from then on.
    pub check_times: i32,
    /// What.
    pub fate: Fate,
}

/// What a process knows of transactions; all of it is lost with the process.
#[derive(Clone, Debug, Default)]
pub struct Transactions {
    /// Commits whose message is stored, and whose op message is not written yet.
    pub(super) committed: VecDeque<(Committed, PutMessageStatus)>,
    /// The checks to come; `None`: there is no service.
    pub(super) rounds: Option<Grid>,
    /// Queues that the present round has not come to.
    pub(super) queues: VecDeque<i32>,
    /// A check that goes on in a later turn.
    pub(super) under_way: Option<Check>,
    last: Option<Check>,
    /// Half messages that nothing is said of yet, each with the event of its dispatch.
    pub(super) open: BTreeMap<(i32, i64), u64>,
    /// Where the queues stood when a check of them changed nothing and waited for nothing.
    pub(super) idle: Option<Vec<Positions>>,
    past: Vector<Happened>,
    asked: u64,
    discarded: u64,
}

/// Progress and end of a half queue and its op queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Positions {
    pub(super) queue_id: i32,
    pub(super) half: i64,
    pub(super) half_end: i64,
    pub(super) op: i64,
    pub(super) op_end: i64,
}

impl Positions {
    /// Whether a check has something to look at. An empty queue is none to go back in.
    pub(super) const fn has_work(&self) -> bool {
        (self.half_end > 0 && self.half != self.half_end) || (self.op_end > 0 && self.op != self.op_end)
    }
}

impl Transactions {
    /// The newest check: the one under way, or the last that had something to look at.
    pub fn last_check(&self) -> Option<&Check> {
        self.under_way.as_ref().or(self.last.as_ref())
    }

    /// What checks did with half messages, oldest first.
    pub const fn past(&self) -> &Vector<Happened> {
        &self.past
    }

    /// How often the fate of a half message was asked for, whether or not there was somebody to ask.
    pub const fn asked(&self) -> u64 {
        self.asked
    }

    /// Half messages that were asked for too often, or were too old.
    pub const fn discarded(&self) -> u64 {
        self.discarded
    }

    /// The next check, microseconds of world time; `None`: none is planned.
    pub fn next_check_us(&self, now_us: i64) -> Option<i64> {
        self.rounds.map(|rounds| rounds.at_or_after(now_us))
    }

    pub(super) fn note(&mut self, half: &Half, half_offset: i64, fate: Fate, turn: &Turn<'_>) {
        self.asked += u64::from(matches!(fate, Fate::Asked { .. }));
        self.discarded += u64::from(matches!(fate, Fate::Discarded { .. }));
        if self.past.len() == PAST_MAX {
            self.past.pop_front();
        }
        let uniq_key = half.properties.get(property::UNIQ_KEY).map(str::to_owned);
        let check_times = half.check_times();
        self.past.push_back(Happened { at_us: turn.now_us(), uniq_key, half_offset, check_times, fate });
    }

    pub(super) fn ended(&mut self, check: Check) {
        self.last = Some(check);
    }
}
