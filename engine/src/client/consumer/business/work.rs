//! The work of one call of a listener: which phase follows which.

use std::collections::VecDeque;

use super::{ListenerBusiness, RecordAt};
use crate::{
    client::Received,
    wire::{Change, DatabaseCommand},
};

/// A phase of the work with one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client::consumer) enum WorkPhase {
    /// The record is looked up.
    LookUp,
    /// The record is written, in a transaction of its own.
    Record,
    /// A transaction begins with the changes.
    Change,
    /// It is committed.
    Commit,
}

/// How far a call of the listener is with its messages.
#[derive(Clone, Debug, Default)]
pub(in crate::client::consumer) struct Work {
    /// The place of the message that is at it.
    pub(super) at: usize,
    /// What is left to do with it, the first at it or to come.
    pub(super) rest: VecDeque<WorkPhase>,
    /// The transaction that is open in the database.
    pub(super) transaction: Option<u64>,
    /// When the listener itself is done with computing, microseconds; never, if it hangs. No commit comes before that.
    pub(super) ready_us: Option<i64>,
    /// When the next turn is due, microseconds; none while an answer is waited for, and where it hangs.
    pub(super) next_us: Option<i64>,
}

impl Work {
    /// The work of a call that takes until `ready_us`. Its first turn is the call's own.
    pub(in crate::client::consumer) fn new(ready_us: Option<i64>) -> Self {
        Self { ready_us, ..Self::default() }
    }

    /// When its next turn is due.
    pub(in crate::client::consumer) const fn next_us(&self) -> Option<i64> {
        self.next_us
    }

    /// The next turn may come: a commit, and the end, not before the listener is done with computing.
    pub(super) fn plan(&mut self, messages: usize, now_us: i64) {
        let ends = self.rest.is_empty() && self.at.saturating_add(1) >= messages;
        self.next_us = if ends || self.rest.front() == Some(&WorkPhase::Commit) {
            self.ready_us.map(|ready_us| ready_us.max(now_us))
        } else {
            Some(now_us)
        };
    }
}

impl ListenerBusiness {
    /// The phases of the work with a message.
    pub(super) fn phases(&self, message: &Received) -> VecDeque<WorkPhase> {
        let at = self.record.as_ref().map(|record| record.at);
        let before = match at {
            Some(RecordAt::Before) => Some(WorkPhase::Record),
            Some(RecordAt::After) => Some(WorkPhase::LookUp),
            _ => None,
        };
        let changes = at == Some(RecordAt::Together) || !self.changes_for(message).is_empty();
        let middle = [WorkPhase::Change, WorkPhase::Commit].into_iter().filter(|_| changes);
        let after = (at == Some(RecordAt::After)).then_some(WorkPhase::Record);
        before.into_iter().chain(middle).chain(after).collect()
    }

    /// The node that a phase asks, and what for; nothing where no transaction is open to commit.
    pub(super) fn command(
        &self,
        phase: WorkPhase,
        message: &Received,
        transaction: Option<u64>,
    ) -> Option<(&str, DatabaseCommand)> {
        let record = self.record.as_ref();
        let place = self.record_place();
        let insert = record.map(|record| Change::Insert { table: record.table.clone(), row: record.row(message) });
        match phase {
            WorkPhase::LookUp => {
                let (database, table) = place?;
                let only = record?.row(message);
                Some((database, DatabaseCommand::Select { transaction: None, table: table.to_owned(), only, limit: 1 }))
            }
            WorkPhase::Record => {
                let (database, _) = place?;
                Some((database, DatabaseCommand::Execute { transaction: None, changes: vec![insert?] }))
            }
            WorkPhase::Change => {
                let together = insert.filter(|_| record.is_some_and(|record| record.at == RecordAt::Together));
                let changes = together.into_iter().chain(self.changes_for(message)).collect();
                Some((&self.database, DatabaseCommand::Begin { changes }))
            }
            WorkPhase::Commit => Some((&self.database, DatabaseCommand::Commit { transaction: transaction? })),
        }
    }

    /// Whether one of a message's updates has found no row, by the rows that its changes have touched.
    pub(super) fn misses_row(&self, message: &Received, rows: &[u32]) -> bool {
        let together = usize::from(self.record.as_ref().is_some_and(|record| record.at == RecordAt::Together));
        let changes = self.changes_for(message);
        let touched = changes.iter().zip(rows.iter().skip(together));
        touched.into_iter().any(|(change, rows)| matches!(change, Change::Update { .. }) && *rows == 0)
    }
}
