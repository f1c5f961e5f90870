//! The application around a client: business that changes a database, and what it sends about it.
//!
//! Each phase is a turn of its own, so that a crash can come between any two of them: the changes in an open
//! transaction, its commit, the send. None of this is RocketMQ's; it is what stands around it, and where events get lost.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use imbl::Vector;
use serde::{Deserialize, Serialize};

use super::{Client, NewMessage, Waiting, purpose::Purpose};
use crate::{
    node::{Answer, ApplicationStep, CallError, Service, Turn},
    wire::{Change, DatabaseAnswer, DatabaseCommand, Request, ResponseBody},
};

/// How long an application waits for its database, milliseconds.
pub(super) const DATABASE_TIMEOUT_MS: i64 = 3_000;

/// A way to bring a change of the database and a message together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Business {
    /// Change and commit. No message.
    Transact,
    /// Change, commit, and then send: a crash in between leaves a change that nobody hears of.
    CommitThenSend,
    /// Change, send, and then commit: a crash in between leaves a message about nothing.
    SendThenCommit,
    /// Change the business rows and insert a row into the outbox, and commit both at once.
    WriteOutbox,
}

impl Business {
    /// The name used in scripts and traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transact => "transact",
            Self::CommitThenSend => "commitThenSend",
            Self::SendThenCommit => "sendThenCommit",
            Self::WriteOutbox => "writeOutbox",
        }
    }

    const fn phases(self) -> &'static [Phase] {
        match self {
            Self::Transact | Self::WriteOutbox => &[Phase::Change, Phase::Commit],
            Self::CommitThenSend => &[Phase::Change, Phase::Commit, Phase::Send],
            Self::SendThenCommit => &[Phase::Change, Phase::Send, Phase::Commit],
        }
    }
}

/// A phase of such business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// A transaction begins with the changes.
    Change,
    /// It is committed.
    Commit,
    /// The message is sent.
    Send,
}

impl Phase {
    /// The name used in scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Commit => "commit",
            Self::Send => "send",
        }
    }
}

/// What the business was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BusinessState {
    /// It is under way.
    Running,
    /// Everything was done.
    Done,
    /// The database refused the changes. Nothing is changed, and nothing was sent unless that came first.
    Refused,
    /// The database could not be reached before the commit, so nothing is changed.
    Failed,
    /// The commit's answer never came: it may be committed or not.
    Unknown,
    /// The send failed. With the commit before it the change stays, else it is taken back.
    SendFailed,
    /// The message is sent, and the commit failed: nothing is changed.
    NotCommitted,
    /// The process ended before anybody was told.
    Crashed,
}

impl BusinessState {
    /// The name used in scripts and traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::SendFailed => "sendFailed",
            Self::NotCommitted => "notCommitted",
            Self::Crashed => "crashed",
        }
    }
}

/// A piece of business, and what it was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BusinessOutcome {
    /// What it is.
    pub business: Business,
    /// The name that the scenario gave its message.
    pub name: Option<String>,
    /// The database.
    pub database: String,
    /// How it stands, or ended.
    pub state: BusinessState,
    /// The phase that was begun last.
    pub phase: Phase,
    /// Why it did not go well.
    pub cause: Option<String>,
    /// When it began, microseconds.
    pub began_us: i64,
    /// When it was told, microseconds.
    pub ended_us: Option<i64>,
}

/// Business that is to be done.
#[derive(Clone, Debug)]
pub struct NewBusiness {
    /// What it is.
    pub business: Business,
    /// The database's node.
    pub database: String,
    /// Its changes.
    pub changes: Vec<Change>,
    /// Its message. Of [`Business::WriteOutbox`] it is among the changes.
    pub message: Option<NewMessage>,
    /// The name that the scenario gave its message.
    pub name: Option<String>,
}

/// Business that is under way.
#[derive(Clone, Debug)]
struct Job {
    addr: String,
    changes: Vec<Change>,
    message: Option<NewMessage>,
    rest: VecDeque<Phase>,
    transaction: Option<u64>,
}

/// The application's side of a client.
#[derive(Clone, Debug, Default)]
pub(super) struct Application {
    /// `ip:port` by the database's node.
    databases: Arc<BTreeMap<String, String>>,
    /// By its place among the outcomes.
    jobs: BTreeMap<u64, Job>,
    /// Those whose next phase is to begin.
    ready: VecDeque<u64>,
    outcomes: Vector<BusinessOutcome>,
}

impl Application {
    pub(super) fn new(databases: Arc<BTreeMap<String, String>>) -> Self {
        Self { databases, ..Self::default() }
    }

    /// The process is gone. What the business was told stays.
    pub(super) fn die(&mut self) {
        self.jobs.clear();
        self.ready.clear();
        for outcome in self.outcomes.iter_mut().filter(|outcome| outcome.state == BusinessState::Running) {
            outcome.state = BusinessState::Crashed;
        }
    }

    pub(super) fn addr(&self, database: &str) -> Option<&String> {
        self.databases.get(database)
    }

    /// Whether there is a database to work with.
    pub(super) fn has_databases(&self) -> bool {
        !self.databases.is_empty()
    }
}

impl Client {
    /// What the business was told, oldest first.
    pub const fn business(&self) -> &Vector<BusinessOutcome> {
        &self.application.outcomes
    }

    /// The application does business. Its first phase begins at once.
    pub fn transact(&mut self, new: NewBusiness, turn: &mut Turn<'_>) {
        let NewBusiness { business, database, changes, message, name } = new;
        let number = self.application.outcomes.len() as u64;
        turn.step(ApplicationStep::AppBegan { number, what: business.name().to_owned() });
        let addr = self.application.addr(&database).cloned().unwrap_or_else(|| database.clone());
        let rest: VecDeque<Phase> = business.phases().iter().copied().collect();
        self.application.jobs.insert(number, Job { addr, changes, message, rest, transaction: None });
        self.application.outcomes.push_back(BusinessOutcome {
            business,
            name,
            database,
            state: BusinessState::Running,
            phase: Phase::Change,
            cause: None,
            began_us: turn.now_us(),
            ended_us: None,
        });
        self.next_phase(number, turn);
    }

    /// A turn of the service `application`: one phase of what is ready.
    pub(super) fn work(&mut self, turn: &mut Turn<'_>) {
        if let Some(number) = self.application.ready.pop_front() {
            self.next_phase(number, turn);
        }
        if !self.application.ready.is_empty() {
            turn.wake_for_work(Service::Application, turn.now_us());
        }
    }

    fn next_phase(&mut self, number: u64, turn: &mut Turn<'_>) {
        let Some(job) = self.application.jobs.get_mut(&number) else { return };
        let Some(phase) = job.rest.pop_front() else {
            self.end_business(number, BusinessState::Done, None, turn);
            return;
        };
        turn.step(match phase {
            Phase::Change => ApplicationStep::AppChanges { number },
            Phase::Commit => ApplicationStep::AppCommits { number },
            Phase::Send => ApplicationStep::AppSends { number },
        });
        let command = match phase {
            Phase::Change => Some(DatabaseCommand::Begin { changes: std::mem::take(&mut job.changes) }),
            Phase::Commit => job.transaction.map(|transaction| DatabaseCommand::Commit { transaction }),
            Phase::Send => None,
        };
        let (addr, message) = (job.addr.clone(), if phase == Phase::Send { job.message.take() } else { None });
        if let Some(outcome) = self.outcome_mut(number) {
            outcome.phase = phase;
        }
        if let Some(command) = command {
            let request = Request::Database(Box::new(command));
            let call = turn.call(Service::Application, &addr, request, DATABASE_TIMEOUT_MS);
            self.calls.insert(call, Waiting::Business { number, phase });
        } else if let Some(message) = message {
            self.send_for(Purpose::Business { number }, message, turn);
        } else {
            self.phase_done(number, turn);
        }
    }

    /// The next phase gets a turn of its own; business that has none left is over.
    fn phase_done(&mut self, number: u64, turn: &mut Turn<'_>) {
        if self.application.jobs.get(&number).is_some_and(|job| job.rest.is_empty()) {
            self.end_business(number, BusinessState::Done, None, turn);
        } else {
            self.application.ready.push_back(number);
            turn.wake_for_work(Service::Application, turn.now_us());
        }
    }

    /// The database has answered.
    pub(super) fn business_answered(&mut self, number: u64, phase: Phase, answer: Answer, turn: &mut Turn<'_>) {
        let failed = match database_result(answer) {
            Ok(answer) => {
                if let (DatabaseAnswer::Began { transaction, .. }, Some(job)) =
                    (answer, self.application.jobs.get_mut(&number))
                {
                    job.transaction = Some(transaction);
                }
                self.phase_done(number, turn);
                return;
            }
            Err(failed) => failed,
        };
        let sent = self.outcome_mut(number).is_some_and(|outcome| outcome.business == Business::SendThenCommit);
        let state = match (&failed, phase) {
            (Failed::Lost(_), Phase::Commit) => BusinessState::Unknown,
            (_, Phase::Commit) if sent => BusinessState::NotCommitted,
            (Failed::Refused(_), _) => BusinessState::Refused,
            (Failed::Lost(_) | Failed::Unreachable(_), _) => BusinessState::Failed,
        };
        self.end_business(number, state, Some(failed.into_text()), turn);
    }

    /// The send has ended.
    pub(super) fn business_sent(&mut self, number: u64, place: usize, turn: &mut Turn<'_>) {
        let Some(error) = self.sent.get(place).and_then(|sent| sent.error.clone()) else {
            self.phase_done(number, turn);
            return;
        };
        // What is changed and not committed yet is taken back.
        if let Some(job) = self.application.jobs.get(&number).filter(|job| job.rest.contains(&Phase::Commit))
            && let Some(transaction) = job.transaction
        {
            let command = DatabaseCommand::Rollback { transaction };
            turn.oneway(Service::Application, &job.addr, Request::Database(Box::new(command)));
        }
        self.end_business(number, BusinessState::SendFailed, Some(error), turn);
    }

    fn end_business(&mut self, number: u64, state: BusinessState, cause: Option<String>, turn: &mut Turn<'_>) {
        self.application.jobs.remove(&number);
        turn.step(ApplicationStep::AppEnded { number, state: state.name().to_owned(), cause: cause.clone() });
        let now_us = turn.now_us();
        if let Some(outcome) = self.outcome_mut(number) {
            (outcome.state, outcome.cause, outcome.ended_us) = (state, cause, Some(now_us));
        }
    }

    fn outcome_mut(&mut self, number: u64) -> Option<&mut BusinessOutcome> {
        self.application.outcomes.get_mut(usize::try_from(number).ok()?)
    }
}

/// Why a database did not do what it was asked.
pub(super) enum Failed {
    /// It said so.
    Refused(String),
    /// It was not even asked.
    Unreachable(String),
    /// It was asked, and nobody knows what came of it.
    Lost(String),
}

impl Failed {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Refused(text) | Self::Unreachable(text) | Self::Lost(text) => text,
        }
    }
}

/// What a database said, or why it did not.
pub(super) fn database_result(answer: Answer) -> Result<DatabaseAnswer, Failed> {
    match answer.result {
        Ok(response) => match response.body {
            ResponseBody::Database(result) => result.map_err(|error| Failed::Refused(error.to_string())),
            _ => Err(Failed::Refused(response.remark.unwrap_or_else(|| response.code.name().to_owned()))),
        },
        Err(error @ CallError::Connect { .. }) => Err(Failed::Unreachable(error.to_string())),
        Err(error) => Err(Failed::Lost(error.to_string())),
    }
}
