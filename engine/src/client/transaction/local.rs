//! The local transaction: `TransactionListener.executeLocalTransaction`, one step a turn.

use super::{
    super::{
        Client, NewMessage, Waiting,
        application::{DATABASE_TIMEOUT_MS, Failed, database_result},
    },
    ListenerResult, LocalTransactionState, TransactionPhase, TransactionProgress,
    end::EndOf,
};
use crate::{
    message::property,
    node::{Answer, ProducerStep, Service, Turn},
    wire::{Change, DatabaseAnswer, DatabaseCommand, Request},
};

/// A local transaction that is to come, or under way.
#[derive(Clone, Debug)]
pub(super) struct Job {
    topic: String,
    keys: Option<String>,
    changes: Vec<Change>,
    local: ListenerResult,
    local_ms: i64,
    checks: Vec<ListenerResult>,
    /// The transaction that is open in the database.
    transaction: Option<u64>,
    /// What comes next, and when, microseconds; none while an answer is waited for.
    next: Option<(i64, Next)>,
}

/// A step of a local transaction.
#[derive(Clone, Debug)]
pub(super) enum Next {
    /// The listener is called.
    Begin,
    /// It commits.
    Commit,
    /// It takes its changes back.
    Rollback,
    /// It comes to this; with the cause where the script does not say so.
    End(ListenerResult, Option<String>),
}

impl Job {
    pub(super) fn new(
        message: &NewMessage,
        changes: Vec<Change>,
        local: ListenerResult,
        local_ms: i64,
        checks: Vec<ListenerResult>,
    ) -> Self {
        let (topic, keys) = (message.topic.clone(), message.property(property::KEYS).map(str::to_owned));
        Self { topic, keys, changes, local, local_ms, checks, transaction: None, next: None }
    }
}

impl Client {
    /// Says what a local transaction does next, and when.
    pub(super) fn local_next(&mut self, number: u64, next: Next, at_us: i64, turn: &mut Turn<'_>) {
        if let Some(job) = self.transactions.jobs.get_mut(&number) {
            job.next = Some((at_us, next));
        }
        self.wake_for_local(turn);
    }

    fn wake_for_local(&self, turn: &mut Turn<'_>) {
        let times = self.transactions.jobs.values().filter_map(|job| job.next.as_ref().map(|(at_us, _)| *at_us));
        if let Some(at_us) = times.min() {
            turn.wake_for_work(Service::LocalTransaction, at_us);
        }
    }

    /// A turn of the service `localTransaction`: one step of the one that is due first.
    pub(in super::super) fn work_locally(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let due = self.transactions.jobs.iter_mut().filter_map(|(number, job)| {
            let at_us = job.next.as_ref().map(|(at_us, _)| *at_us)?;
            (at_us <= now_us).then_some((at_us, *number, job))
        });
        if let Some((_, number, job)) = due.min_by_key(|(at_us, number, _)| (*at_us, *number))
            && let Some((_, next)) = job.next.take()
        {
            match next {
                Next::Begin => self.begin_locally(number, turn),
                Next::Commit => self.settle_locally(number, TransactionPhase::Commit, turn),
                Next::Rollback => self.settle_locally(number, TransactionPhase::Rollback, turn),
                Next::End(result, cause) => self.end_locally(number, result, cause, turn),
            }
        }
        self.wake_for_local(turn);
    }

    /// The listener is called. Without a database its work is done when its time is over.
    fn begin_locally(&mut self, number: u64, turn: &mut Turn<'_>) {
        let id = self.id_of(number);
        self.enter(number, TransactionPhase::Local);
        turn.step(ProducerStep::LocalTransactionBegan { number, transaction_id: id.clone() });
        let Some(listener) = &self.transactions.listener else { return };
        let Some(job) = self.transactions.jobs.get_mut(&number) else { return };
        if listener.keeps == super::Keeps::Memory {
            self.transactions.memory.began(&id, &job.checks);
        }
        let mut changes = std::mem::take(&mut job.changes);
        changes.extend(listener.note(&id, &job.topic, job.keys.as_deref()));
        if let Some(addr) = listener.database.clone().filter(|_| !changes.is_empty()) {
            self.ask_locally(number, &addr, DatabaseCommand::Begin { changes }, turn);
        } else {
            let end_us = turn.now_us().saturating_add(job.local_ms.saturating_mul(1000));
            job.next = Some((end_us, Next::End(job.local, None)));
        }
    }

    /// It commits, or takes its changes back.
    fn settle_locally(&mut self, number: u64, phase: TransactionPhase, turn: &mut Turn<'_>) {
        self.enter(number, phase);
        let commits = phase == TransactionPhase::Commit;
        turn.step(if commits {
            ProducerStep::LocalTransactionCommits { number }
        } else {
            ProducerStep::LocalTransactionRollsBack { number }
        });
        let transaction = self.transactions.jobs.get(&number).and_then(|job| job.transaction);
        let addr = self.transactions.listener.as_ref().and_then(|listener| listener.database.clone());
        if let (Some(transaction), Some(addr)) = (transaction, addr) {
            let command = if commits {
                DatabaseCommand::Commit { transaction }
            } else {
                DatabaseCommand::Rollback { transaction }
            };
            self.ask_locally(number, &addr, command, turn);
        }
    }

    fn ask_locally(&mut self, number: u64, addr: &str, command: DatabaseCommand, turn: &mut Turn<'_>) {
        let request = Request::Database(Box::new(command));
        let call = turn.call(Service::LocalTransaction, addr, request, DATABASE_TIMEOUT_MS);
        self.calls.insert(call, Waiting::LocalTransaction { number });
    }

    /// The database has answered. A listener whose database refuses rolls back; one that cannot know what its database
    /// did throws.
    pub(in super::super) fn local_answered(&mut self, number: u64, answer: Answer, turn: &mut Turn<'_>) {
        let result = database_result(answer);
        let phase = self.transaction_mut(number).map(|outcome| outcome.phase);
        let Some(job) = self.transactions.jobs.get_mut(&number) else { return };
        let now_us = turn.now_us();
        let next = match (result, phase) {
            (Ok(DatabaseAnswer::Began { transaction, .. }), _) => {
                job.transaction = Some(transaction);
                let at_us = now_us.saturating_add(job.local_ms.saturating_mul(1000));
                let rolls_back = job.local == ListenerResult::Rollback;
                (at_us, if rolls_back { Next::Rollback } else { Next::Commit })
            }
            (Ok(_), _) => (now_us, Next::End(job.local, None)),
            // The transaction is gone with its connection, if not at once.
            (Err(failed), Some(TransactionPhase::Rollback)) => {
                (now_us, Next::End(ListenerResult::Rollback, Some(failed.into_text())))
            }
            (Err(Failed::Refused(cause)), _) => (now_us, Next::End(ListenerResult::Rollback, Some(cause))),
            (Err(failed), _) => (now_us, Next::End(ListenerResult::Throw, Some(failed.into_text()))),
        };
        job.next = Some(next);
        self.wake_for_local(turn);
    }

    /// The listener has come to something.
    fn end_locally(&mut self, number: u64, result: ListenerResult, cause: Option<String>, turn: &mut Turn<'_>) {
        turn.step(ProducerStep::LocalTransactionEnded {
            number,
            result: result.name().to_owned(),
            cause: cause.clone(),
        });
        let id = self.id_of(number);
        self.transactions.memory.ended(&id, result.state());
        if let Some(outcome) = self.transaction_mut(number) {
            (outcome.local, outcome.local_cause) = (Some(result), cause);
        }
        self.end_of_local(number, result.state(), turn);
    }

    /// The broker is told, and then the application: the one does not wait for the other.
    pub(super) fn end_of_local(&mut self, number: u64, state: LocalTransactionState, turn: &mut Turn<'_>) {
        self.transactions.jobs.remove(&number);
        self.enter(number, TransactionPhase::End);
        let Some(half) = self.transaction_mut(number).and_then(|outcome| outcome.half.clone()) else { return };
        self.end_transaction(&half, state, EndOf::Transaction(number), turn);
        let now_us = turn.now_us();
        let Some(outcome) = self.transaction_mut(number) else { return };
        (outcome.progress, outcome.state, outcome.ended_us) = (TransactionProgress::Told, Some(state), Some(now_us));
        let status = outcome.status.clone();
        turn.step(ProducerStep::TransactionTold { number, status, state: state.name().to_owned() });
    }

    /// `UNIQ_KEY` of a transaction's message.
    fn id_of(&mut self, number: u64) -> String {
        let half = self.transaction_mut(number).and_then(|outcome| outcome.half.as_ref());
        half.map(|half| half.msg_id.clone()).unwrap_or_default()
    }

    fn enter(&mut self, number: u64, phase: TransactionPhase) {
        if let Some(outcome) = self.transaction_mut(number) {
            outcome.phase = phase;
        }
    }
}
