//! The turns of a listener's work: each phase begins in one and is answered in another, so that a crash can come between
//! any two.

use std::sync::Arc;

use super::{BusinessDone, CacheSet, ListenerBusiness, RecordAt, Verdict, Work, WorkPhase};
use crate::{
    client::{
        Client, Received, Waiting,
        application::{DATABASE_TIMEOUT_MS, Failed, database_result},
        consumer::{
            BusinessTransaction, ConsumeResult, ConsumerCall,
            pool::{Call, Stage},
        },
    },
    node::{Answer, ApplicationStep, Service, Turn},
    wire::{DatabaseAnswer, DatabaseCommand, DatabaseError, Request, ResponseBody},
};

/// By what a message counts as done before.
#[derive(Clone, Copy)]
enum Known {
    Cache,
    Record,
    Duplicate,
    NoRow,
}

impl Known {
    const fn name(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Record => "record",
            Self::Duplicate => "duplicate",
            Self::NoRow => "noRow",
        }
    }
}

/// The message that a thread is at, and the number of its delivery.
struct At {
    business: Arc<ListenerBusiness>,
    message: Arc<Received>,
    number: u64,
    phase: Option<WorkPhase>,
    transaction: Option<u64>,
}

impl Client {
    /// A turn of a listener at work: the next phase, the next message, or its end.
    pub(in crate::client::consumer) fn work_on(&mut self, thread: u32, turn: &mut Turn<'_>) {
        while let Some(at) = self.at_work(thread) {
            if at.phase.is_some() || self.begin_message(thread, &at, turn) {
                return self.begin_phase(thread, turn);
            }
        }
        let now_us = turn.now_us();
        let Some(Call { stage, .. }) = self.push.as_mut().and_then(|push| push.pool.call_mut(thread)) else { return };
        let Stage::Working(work) = stage else { return };
        if work.ready_us.is_some_and(|ready_us| ready_us <= now_us) {
            *stage = Stage::Listening(Some(now_us));
            self.returned(thread, turn);
        } else {
            work.next_us = work.ready_us;
        }
    }

    fn at_work(&self, thread: u32) -> Option<At> {
        let push = self.push.as_ref()?;
        let Call { task, listened: Some(listened), stage: Stage::Working(work), .. } =
            push.pool.calls().get(&thread)?
        else {
            return None;
        };
        Some(At {
            business: push.business.clone()?,
            message: Arc::clone(task.messages.get(work.at)?),
            number: listened.place as u64,
            phase: work.rest.front().copied(),
            transaction: work.transaction,
        })
    }

    fn work_mut(&mut self, thread: u32) -> Option<&mut Work> {
        match &mut self.push.as_mut()?.pool.call_mut(thread)?.stage {
            Stage::Working(work) => Some(work),
            _ => None,
        }
    }

    /// Begins the work with a message. Whether there is anything to do with it.
    fn begin_message(&mut self, thread: u32, at: &At, turn: &mut Turn<'_>) -> bool {
        let key = at.business.cache.as_ref().and_then(|cache| cache.key_of(&at.message));
        let Some(push) = &mut self.push else { return false };
        if key.is_some_and(|key| push.cache.contains(&key)) {
            self.end_message(thread, at, Some(Known::Cache), turn);
            return false;
        }
        if at.business.cache.as_ref().is_some_and(|cache| cache.set == CacheSet::Before) {
            self.set_cache(at, turn);
        }
        let phases = at.business.phases(&at.message);
        if phases.is_empty() {
            self.end_message(thread, at, None, turn);
            return false;
        }
        if let Some(work) = self.work_mut(thread) {
            work.rest = phases;
        }
        true
    }

    fn set_cache(&mut self, at: &At, turn: &mut Turn<'_>) {
        let key = at.business.cache.as_ref().and_then(|cache| cache.key_of(&at.message));
        if let (Some(push), Some(key)) = (&mut self.push, key)
            && push.cache.insert(key.clone()).is_none()
        {
            turn.step(ApplicationStep::ListenerCaches { number: at.number, key });
        }
    }

    /// Asks the database for what the phase needs.
    fn begin_phase(&mut self, thread: u32, turn: &mut Turn<'_>) {
        let Some(At { business, message, number, phase: Some(phase), transaction }) = self.at_work(thread) else {
            return;
        };
        let Some((database, command)) = business.command(phase, &message, transaction) else { return };
        turn.step(match (phase, &command) {
            (WorkPhase::LookUp, _) => ApplicationStep::ListenerLooksUp { number },
            (WorkPhase::Record, _) => ApplicationStep::ListenerRecords { number },
            (WorkPhase::Change, DatabaseCommand::Begin { changes }) => {
                ApplicationStep::ListenerChanges { number, changes: u32::try_from(changes.len()).unwrap_or(u32::MAX) }
            }
            (WorkPhase::Change | WorkPhase::Commit, _) => ApplicationStep::ListenerCommits { number },
        });
        let addr = self.application.addr(database).cloned().unwrap_or_else(|| database.to_owned());
        if let Some(work) = self.work_mut(thread) {
            work.next_us = None;
        }
        let call = turn.call(Service::Consume, &addr, Request::Database(Box::new(command)), DATABASE_TIMEOUT_MS);
        self.calls.insert(call, Waiting::Consumer(ConsumerCall::Business(thread)));
    }

    /// The database has answered.
    pub(in crate::client::consumer) fn work_answered(&mut self, thread: u32, answer: Answer, turn: &mut Turn<'_>) {
        let Some(at) = self.at_work(thread) else { return };
        let duplicate = duplicate_in(&answer);
        match (database_result(answer), duplicate) {
            (Ok(answer), _) => self.phase_ended(thread, &at, &answer, turn),
            (Err(_), Some(table)) if at.business.knows_by(at.phase, &table) => {
                // Looked up and not found, and there all the same: somebody else was quicker.
                let done = at.business.record.as_ref().is_some_and(|record| record.at == RecordAt::After);
                self.end_message(thread, &at, (!done).then_some(Known::Record), turn);
            }
            (Err(_), Some(_)) if at.business.duplicate == Verdict::Success => {
                self.end_message(thread, &at, Some(Known::Duplicate), turn);
            }
            (Err(failed), _) => self.throw(thread, &at, failed, turn),
        }
        let now_us = turn.now_us();
        let Some(push) = &mut self.push else { return };
        if let Some(Call { task, stage: Stage::Working(work), .. }) = push.pool.call_mut(thread) {
            work.plan(task.messages.len(), now_us);
        }
        push.pool.arm(turn);
    }

    fn phase_ended(&mut self, thread: u32, at: &At, answer: &DatabaseAnswer, turn: &mut Turn<'_>) {
        let Some(work) = self.work_mut(thread) else { return };
        match answer {
            DatabaseAnswer::Rows { rows } if !rows.is_empty() => {
                return self.end_message(thread, at, Some(Known::Record), turn);
            }
            DatabaseAnswer::Began { transaction, rows } => {
                work.transaction = Some(*transaction);
                let begun = BusinessTransaction { place: work.at, transaction: *transaction };
                self.note_transaction(at.number, begun);
                if at.business.misses_row(&at.message, rows) {
                    self.take_back(at, *transaction, turn);
                    return match at.business.no_row {
                        Verdict::Success => self.end_message(thread, at, Some(Known::NoRow), turn),
                        Verdict::Failure => {
                            let cause = "an update has found no row".to_owned();
                            self.throw(thread, at, Failed::Refused(cause), turn);
                        }
                    };
                }
            }
            DatabaseAnswer::Committed => work.transaction = None,
            _ => {}
        }
        let Some(work) = self.work_mut(thread) else { return };
        work.rest.pop_front();
        if work.rest.is_empty() {
            self.end_message(thread, at, None, turn);
        }
    }

    /// The message is done, now or before.
    fn end_message(&mut self, thread: u32, at: &At, known: Option<Known>, turn: &mut Turn<'_>) {
        if let Some(known) = known {
            turn.step(ApplicationStep::ListenerSkips { number: at.number, by: known.name().to_owned() });
        }
        self.set_cache(at, turn);
        if let Some(work) = self.work_mut(thread) {
            work.rest.clear();
            work.transaction = None;
            work.at = work.at.saturating_add(1);
        }
        if let Some(business) = self.business_of(at.number) {
            let count = if known.is_some() { &mut business.skipped } else { &mut business.done };
            *count = count.saturating_add(1);
        }
    }

    /// The listener throws: the rest of its messages is not looked at.
    fn throw(&mut self, thread: u32, at: &At, failed: Failed, turn: &mut Turn<'_>) {
        let cause = failed.into_text();
        turn.step(ApplicationStep::ListenerThrows { number: at.number, cause: cause.clone() });
        if let Some(business) = self.business_of(at.number) {
            business.cause = Some(cause);
        }
        let Some(Call { task, listened: Some(listened), stage: Stage::Working(work), .. }) =
            self.push.as_mut().and_then(|push| push.pool.call_mut(thread))
        else {
            return;
        };
        listened.outcome.result = ConsumeResult::Throw;
        work.rest.clear();
        work.transaction = None;
        work.at = task.messages.len();
    }

    fn take_back(&mut self, at: &At, transaction: u64, turn: &mut Turn<'_>) {
        let database = &at.business.database;
        let addr = self.application.addr(database).cloned().unwrap_or_else(|| database.clone());
        let command = DatabaseCommand::Rollback { transaction };
        turn.oneway(Service::Consume, &addr, Request::Database(Box::new(command)));
    }

    fn note_transaction(&mut self, number: u64, begun: BusinessTransaction) {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(delivery) = self.push.as_mut().and_then(|push| push.consumed.get_mut(place)) {
            delivery.transactions.push(begun);
        }
    }

    fn business_of(&mut self, number: u64) -> Option<&mut BusinessDone> {
        let delivery = self.push.as_mut()?.consumed.get_mut(usize::try_from(number).ok()?)?;
        Some(delivery.business.get_or_insert_default())
    }
}

impl ListenerBusiness {
    /// Whether a row that is there already, in this table, is the record of the message.
    fn knows_by(&self, phase: Option<WorkPhase>, table: &str) -> bool {
        match phase {
            Some(WorkPhase::Record) => true,
            Some(WorkPhase::Change) => {
                let together = self.record.as_ref().filter(|record| record.at == RecordAt::Together);
                together.is_some_and(|record| record.table == table)
            }
            _ => false,
        }
    }
}

/// The table in which a row is there already, if that is why a database refuses.
fn duplicate_in(answer: &Answer) -> Option<String> {
    match &answer.result {
        Ok(response) => match &response.body {
            ResponseBody::Database(result) => match &**result {
                Err(DatabaseError::Duplicate { table, .. }) => Some(table.clone()),
                _ => None,
            },
            _ => None,
        },
        Err(_) => None,
    }
}
