//! Puts whose answer waits: for a flush, for a slave, or for both (`CommitLog.asyncPutMessage`).

use std::collections::BTreeMap;

use super::{Process, transaction::Committed};
use crate::{
    node::{Caller, Turn},
    store::{CommitRequest, PutMessageResult, PutMessageStatus},
    wire::SendResponse,
};

/// The answers that are owed, by the number of the put.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    last: u64,
    owed: BTreeMap<u64, Owed>,
}

/// How far answers with `PUT_OK` have promised the log to be safe, to those who waited for that; bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promised {
    /// Flushed up to here (`SYNC_FLUSH`).
    pub flushed: i64,
    /// Acknowledged by a slave up to here (`SYNC_MASTER`).
    pub replicated: i64,
}

impl Promised {
    /// What an answer to this put promises, if it is `PUT_OK`.
    pub(super) fn by(result: &PutMessageResult) -> Self {
        let end = |request: Option<CommitRequest>| request.map_or(0, |request| request.next_offset);
        Self { flushed: end(result.flush), replicated: end(result.replica) }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { flushed: self.flushed.max(other.flushed), replicated: self.replicated.max(other.replicated) }
    }
}

/// An answer that is owed.
#[derive(Clone, Debug)]
pub(super) struct Owed {
    pub(super) then: Then,
    /// The status as far as it is known.
    pub(super) status: PutMessageStatus,
    /// The flush is waited for.
    pub(super) flush: bool,
    /// A slave is waited for.
    pub(super) replica: bool,
    /// What the answer promises if all goes well.
    pub(super) promises: Promised,
}

/// What follows when nothing is waited for any more.
#[derive(Clone, Debug)]
pub(super) enum Then {
    /// The sender of a message is answered.
    Answer(Caller, SendResponse),
    /// The half message of a commit is decided.
    EndTransaction(Committed),
}

impl Process {
    /// An answer is owed from now on; the number of its put.
    pub(super) fn owe(&mut self, owed: Owed) -> u64 {
        self.answers.last = self.answers.last.wrapping_add(1);
        self.answers.owed.insert(self.answers.last, owed);
        self.answers.last
    }

    /// The flush that a put waits for has ended, well or not.
    pub(super) fn flush_ended(&mut self, put: u64, flushed: bool, turn: &mut Turn<'_>) {
        if let Some(owed) = self.answers.owed.get_mut(&put) {
            owed.flush = false;
            // A bad end of the replica takes the place of a bad end of the flush.
            if !flushed && owed.status == PutMessageStatus::PutOk {
                owed.status = PutMessageStatus::FlushDiskTimeout;
            }
            self.pay(put, turn);
        }
    }

    /// The wait of a put for a slave is over.
    pub(super) fn replica_ended(&mut self, put: u64, status: PutMessageStatus, turn: &mut Turn<'_>) {
        if let Some(owed) = self.answers.owed.get_mut(&put) {
            owed.replica = false;
            if status != PutMessageStatus::PutOk {
                owed.status = status;
            }
            self.pay(put, turn);
        }
    }

    /// Gives the answer if nothing is waited for any more.
    fn pay(&mut self, put: u64, turn: &mut Turn<'_>) {
        if self.answers.owed.get(&put).is_some_and(|owed| !owed.flush && !owed.replica)
            && let Some(owed) = self.answers.owed.remove(&put)
        {
            match owed.then {
                Then::Answer(caller, stored) => {
                    if owed.status == PutMessageStatus::PutOk {
                        self.promised = self.promised.and(owed.promises);
                    }
                    self.answer_put(&caller, owed.status, Some(&stored), turn);
                }
                Then::EndTransaction(ended) => self.commit_waited(ended, owed.status, turn),
            }
        }
    }
}
