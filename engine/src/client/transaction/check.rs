//! Answering a broker that asks what became of a half message (`ClientRemotingProcessor.checkTransactionState`,
//! `DefaultMQProducerImpl.checkTransactionState`).
//!
//! Any producer of the group may be asked, whoever sent the message: it knows of the local transaction what its listener
//! finds. `checkExecutor` has one thread, so that one question waits for the other.

use std::collections::VecDeque;

use super::{
    super::{
        Client, Received, Waiting,
        application::{DATABASE_TIMEOUT_MS, database_result},
    },
    CheckOutcome, Keeps, Listener, ListenerResult, LocalTransactionState,
    end::EndOf,
};
use crate::{
    message::property,
    node::{Answer, Caller, ProducerStep, Service, Turn},
    wire::{CheckTransactionState, DatabaseAnswer, DatabaseCommand, EndTransaction, Request},
};

/// `checkExecutor`.
#[derive(Clone, Debug, Default)]
pub(super) struct Checks {
    /// The one that its thread is at.
    now: Option<Check>,
    waiting: VecDeque<Check>,
}

/// A question.
#[derive(Clone, Debug)]
struct Check {
    /// Its place among the outcomes.
    place: usize,
    /// Where the answer goes: `ip:port` of the far end of the connection that it came over.
    addr: String,
    request: CheckTransactionState,
    message: Box<Received>,
}

/// A look into the database that a question waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Checked {
    place: usize,
}

impl Client {
    /// A broker asks. Where nothing is answered it asks again in its next round.
    pub(in super::super) fn check_asked(
        &mut self,
        caller: &Caller,
        request: CheckTransactionState,
        turn: &mut Turn<'_>,
    ) {
        let Some(message) = Received::read_all(&request.body).into_iter().next() else {
            return turn.step(ProducerStep::CheckIgnored { reason: "undecodable".to_owned() });
        };
        let times = message.property(property::TRANSACTION_CHECK_TIMES).and_then(|times| times.parse().ok());
        turn.step(ProducerStep::CheckAsked {
            topic: message.topic.clone(),
            transaction_id: message.msg_id.clone(),
            queue_offset: request.tran_state_table_offset,
            times,
        });
        let place = self.transactions.checked.len();
        self.transactions.checked.push_back(CheckOutcome {
            broker: caller.name.clone(),
            topic: message.topic.clone(),
            transaction_id: message.msg_id.clone(),
            commit_log_offset: request.commit_log_offset,
            queue_offset: request.tran_state_table_offset,
            times,
            result: None,
            cause: None,
            state: None,
            asked_us: turn.now_us(),
            ended_us: None,
        });
        if message.property(property::PGROUP).as_deref() != Some(self.group()) {
            return self.ignore_check(place, "otherGroup", turn);
        }
        if !self.transactions.has_listener() {
            return self.ignore_check(place, "noListener", turn);
        }
        let hold_max = usize::try_from(self.config.check_request_hold_max).unwrap_or(0);
        let checks = &mut self.transactions.checks;
        let check = Check { place, addr: caller.host.to_string(), request, message: Box::new(message) };
        if checks.now.is_none() {
            self.check(check, turn);
        } else if checks.waiting.len() < hold_max {
            checks.waiting.push_back(check);
            turn.step(ProducerStep::CheckWaits { waiting: u32::try_from(checks.waiting.len()).unwrap_or(u32::MAX) });
        } else {
            self.ignore_check(place, "rejected", turn);
        }
    }

    /// A turn of the service `checkListener` of its own: the next question.
    pub(in super::super) fn check_next(&mut self, turn: &mut Turn<'_>) {
        if self.transactions.checks.now.is_none()
            && let Some(check) = self.transactions.checks.waiting.pop_front()
        {
            self.check(check, turn);
        }
    }

    /// The listener is called (`TransactionListener.checkLocalTransaction`).
    fn check(&mut self, check: Check, turn: &mut Turn<'_>) {
        let Some(listener) = &self.transactions.listener else { return };
        let id = check.message.msg_id.clone();
        match (listener.keeps, listener.database.clone()) {
            (Keeps::Database, Some(addr)) => {
                let (table, only) = (listener.table.clone(), Listener::key(&id));
                let command = DatabaseCommand::Select { transaction: None, table, only, limit: 1 };
                let request = Request::Database(Box::new(command));
                let call = turn.call(Service::CheckListener, &addr, request, DATABASE_TIMEOUT_MS);
                self.calls.insert(call, Waiting::Check(Checked { place: check.place }));
                self.transactions.checks.now = Some(check);
            }
            (Keeps::Memory | Keeps::Database, _) => {
                let not_found = listener.not_found;
                let kept = self.transactions.memory.answer(&id);
                let result = kept.unwrap_or_else(|| not_found.into());
                self.answer_check(check, result, kept.is_some(), None, turn);
            }
        }
    }

    /// The database has answered. A listener that cannot look throws.
    pub(in super::super) fn check_looked(&mut self, checked: Checked, answer: Answer, turn: &mut Turn<'_>) {
        let Some(check) = self.transactions.checks.now.take_if(|check| check.place == checked.place) else { return };
        let not_found = self.transactions.listener.as_ref().map(|listener| listener.not_found).unwrap_or_default();
        match database_result(answer) {
            Ok(DatabaseAnswer::Rows { rows }) if !rows.is_empty() => {
                self.answer_check(check, ListenerResult::Commit, true, None, turn);
            }
            Ok(_) => self.answer_check(check, not_found.into(), false, None, turn),
            Err(failed) => self.answer_check(check, ListenerResult::Throw, false, Some(failed.into_text()), turn),
        }
    }

    /// What the listener has come to goes to the broker that asked. A null is no state: the thread falls over it, and
    /// nothing is said.
    fn answer_check(
        &mut self,
        check: Check,
        result: ListenerResult,
        found: bool,
        cause: Option<String>,
        turn: &mut Turn<'_>,
    ) {
        let Check { place, addr, request, message } = check;
        turn.step(ProducerStep::CheckEnded {
            transaction_id: message.msg_id.clone(),
            result: result.name().to_owned(),
            found,
            cause: cause.clone(),
        });
        let state = (result != ListenerResult::Null).then(|| result.state());
        if let Some(state) = state {
            let header = EndTransaction {
                producer_group: self.group().to_owned(),
                tran_state_table_offset: request.tran_state_table_offset,
                commit_log_offset: request.commit_log_offset,
                commit_or_rollback: state.commit_or_rollback(),
                from_transaction_check: true,
                msg_id: message.msg_id,
                transaction_id: request.transaction_id,
            };
            self.say_end(&addr, header, state, EndOf::Check, turn);
        }
        self.end_check(place, Some(result), cause, state, turn);
        if !self.transactions.checks.waiting.is_empty() {
            turn.wake_for_work(Service::CheckListener, turn.now_us());
        }
    }

    fn ignore_check(&mut self, place: usize, reason: &str, turn: &mut Turn<'_>) {
        turn.step(ProducerStep::CheckIgnored { reason: reason.to_owned() });
        self.end_check(place, None, None, None, turn);
    }

    fn end_check(
        &mut self,
        place: usize,
        result: Option<ListenerResult>,
        cause: Option<String>,
        state: Option<LocalTransactionState>,
        turn: &Turn<'_>,
    ) {
        if let Some(outcome) = self.transactions.checked.get_mut(place) {
            (outcome.result, outcome.cause, outcome.state) = (result, cause, state);
            outcome.ended_us = Some(turn.now_us());
        }
    }
}
