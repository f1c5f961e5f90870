//! Transactional sends (`TransactionMQProducer`): a half message, the local transaction, and what the broker is told of
//! it.
//!
//! The application's thread goes through all of it in one call. Here each step of the local transaction is a turn of its
//! own, so that a crash can come between any two of them: between the commit in a database and the `END_TRANSACTION`
//! above all. What is answered to a broker that asks later is in [`check`].

mod check;
mod end;
mod listener;
mod local;
mod state;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use imbl::Vector;

pub(super) use self::{check::Checked, end::EndOf};
use self::{check::Checks, listener::Memory, local::Job};
pub use self::{
    listener::{Keeps, Listener, transaction_table},
    state::{
        CheckOutcome, HalfMessage, ListenerResult, LocalTransactionState, TransactionOutcome, TransactionPhase,
        TransactionProgress,
    },
};
use super::{Cause, Client, NewMessage, exception::Exception, job::send_status, purpose::Purpose, validate};
use crate::{
    message::{java, property},
    node::{ProducerStep, Turn},
    wire::{Change, ResponseCode},
};

/// A transactional send that is to be done.
#[derive(Clone, Debug)]
pub struct NewTransaction {
    /// The message.
    pub message: NewMessage,
    /// What the local transaction changes in the listener's database.
    pub changes: Vec<Change>,
    /// What `executeLocalTransaction` comes to once its work is done. [`ListenerResult::Rollback`] takes the changes back,
    /// everything else commits them.
    pub local: ListenerResult,
    /// How long the local transaction takes beside its statements, milliseconds.
    pub local_ms: i64,
    /// What a listener that keeps its transactions in memory answers to one question after the other; empty: what became
    /// of the local transaction.
    pub checks: Vec<ListenerResult>,
}

/// The transactional side of a producer.
#[derive(Clone, Debug, Default)]
pub(super) struct Transactions {
    listener: Option<Listener>,
    /// By their place among the outcomes.
    jobs: BTreeMap<u64, Job>,
    memory: Memory,
    checks: Checks,
    outcomes: Vector<TransactionOutcome>,
    checked: Vector<CheckOutcome>,
}

impl Transactions {
    pub(super) fn new(listener: Option<Listener>) -> Self {
        Self { listener, ..Self::default() }
    }

    /// The process is gone, and with it all that the listener kept in memory. What the application was told stays.
    pub(super) fn die(&mut self) {
        self.jobs.clear();
        self.memory = Memory::default();
        self.checks = Checks::default();
        for outcome in self.outcomes.iter_mut().filter(|outcome| outcome.progress == TransactionProgress::Running) {
            outcome.progress = TransactionProgress::Crashed;
        }
    }

    /// Whether the application has set a listener.
    pub(super) const fn has_listener(&self) -> bool {
        self.listener.is_some()
    }
}

impl Client {
    /// Its transactional sends, oldest first.
    pub const fn transactions(&self) -> &Vector<TransactionOutcome> {
        &self.transactions.outcomes
    }

    /// The brokers' questions to it, in order.
    pub const fn checks(&self) -> &Vector<CheckOutcome> {
        &self.transactions.checked
    }

    /// The application's listener, if it has set one.
    pub const fn listener(&self) -> Option<&Listener> {
        self.transactions.listener.as_ref()
    }

    /// Transactions that a listener keeps in memory now.
    pub fn kept_in_memory(&self) -> usize {
        self.transactions.memory.len()
    }

    /// The application sends a message in a transaction (`DefaultMQProducerImpl.sendMessageInTransaction`).
    pub fn send_in_transaction(&mut self, new: NewTransaction, turn: &mut Turn<'_>) {
        let NewTransaction { mut message, changes, local, local_ms, checks } = new;
        let number = self.transactions.outcomes.len() as u64;
        turn.step(ProducerStep::TransactionBegan { number });
        self.transactions.outcomes.push_back(TransactionOutcome {
            name: message.name.clone(),
            topic: message.topic.clone(),
            progress: TransactionProgress::Running,
            phase: TransactionPhase::Half,
            status: String::new(),
            send: None,
            half: None,
            local: None,
            local_cause: None,
            state: None,
            end_error: None,
            error: None,
            response_code: None,
            cause: None,
            began_us: turn.now_us(),
            ended_us: None,
        });
        // `TransactionMQProducer.sendMessageInTransaction`.
        if !self.transactions.has_listener() {
            return self.fail_transaction(number, Exception::client("TransactionListener is null"), turn);
        }
        drop_delay(&mut message, turn);
        message.draw_body(turn.streams());
        if let Err(refusal) = validate::check_message(&message, self.config.max_message_size) {
            return self.fail_transaction(number, refusal, turn);
        }
        let group = self.group().to_owned();
        turn.step(ProducerStep::HalfMarked { group: group.clone() });
        message.properties.push((property::TRAN_MSG.to_owned(), "true".to_owned()));
        message.properties.push((property::PGROUP.to_owned(), group));
        let job = Job::new(&message, changes, local, local_ms, checks);
        self.transactions.jobs.insert(number, job);
        self.send_for(Purpose::Transaction { number }, message, turn);
    }

    /// The send of the half message has ended.
    pub(super) fn half_sent(&mut self, number: u64, place: usize, turn: &mut Turn<'_>) {
        let Some(sent) = self.sent.get(place).cloned() else { return };
        let place = u64::try_from(place).ok();
        if let Some(outcome) = self.transaction_mut(number) {
            outcome.send = place;
        }
        if let Some(message) = sent.error {
            let cause = Some(Box::new(Cause { name: sent.status, message }));
            let error = Exception { cause, ..Exception::client("send message Exception") };
            return self.fail_transaction(number, error, turn);
        }
        let half = HalfMessage {
            broker_name: sent.broker_name.unwrap_or_default(),
            commit_log_offset: sent.physical_offset.unwrap_or_default(),
            queue_offset: sent.queue_offset.unwrap_or_default(),
            msg_id: sent.msg_id.unwrap_or_default(),
        };
        let stored = sent.status == send_status(ResponseCode::Success);
        if let Some(outcome) = self.transaction_mut(number) {
            outcome.status.clone_from(&sent.status);
            outcome.half = Some(half);
        }
        if stored {
            self.local_next(number, local::Next::Begin, turn.now_us(), turn);
            return;
        }
        turn.step(ProducerStep::LocalTransactionSkipped { number, status: sent.status });
        self.end_of_local(number, LocalTransactionState::Rollback, turn);
    }

    fn fail_transaction(&mut self, number: u64, error: Exception, turn: &mut Turn<'_>) {
        self.transactions.jobs.remove(&number);
        turn.step(ProducerStep::TransactionFailed { number, error: error.message.clone() });
        let now_us = turn.now_us();
        if let Some(outcome) = self.transaction_mut(number) {
            outcome.progress = TransactionProgress::Failed;
            error.name.clone_into(&mut outcome.status);
            outcome.response_code = error.code;
            outcome.cause = error.cause.map(|cause| *cause);
            outcome.error = Some(error.message);
            outcome.ended_us = Some(now_us);
        }
    }

    fn transaction_mut(&mut self, number: u64) -> Option<&mut TransactionOutcome> {
        self.transactions.outcomes.get_mut(usize::try_from(number).ok()?)
    }
}

/// A delay would be the half's, not the message's: the client drops it.
fn drop_delay(message: &mut NewMessage, turn: &mut Turn<'_>) {
    let level = message.property(property::DELAY).and_then(java::parse_int);
    if let Some(level) = level.filter(|level| *level != 0) {
        message.properties.retain(|(name, _)| name != property::DELAY);
        turn.step(ProducerStep::DelayDropped { level });
    }
}
