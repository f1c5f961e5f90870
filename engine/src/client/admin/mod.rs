//! The administrator: `mqadmin`, whose process makes one call after the other until its command is done
//! (`DefaultMQAdminExtImpl` and the `*SubCommand` classes).

mod command;
mod dead_letter;
mod half;
mod reset;
mod topics;

use std::collections::{BTreeMap, VecDeque};

pub use command::{AdminCommand, Target};

use self::{dead_letter::Letters, half::Half, reset::Reset};
use super::{AskOutcome, Client, Received, Waiting, exception::Exception};
use crate::{
    node::{Answer, NamesStep, Service, Turn},
    wire::{Request, RequestCode, Response, ResponseBody, ResponseCode},
};

/// How long an answer is waited for (`DefaultMQAdminExt.timeoutMillis`), milliseconds.
const TIMEOUT_MS: i64 = 5_000;

/// Where a call goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum To {
    /// The NameServer in use.
    NameServer,
    /// `ip:port`.
    Addr(String),
}

/// A call to make, and what follows from its answer.
#[derive(Clone, Debug)]
struct Call {
    to: To,
    request: Request,
    then: Then,
    /// What becomes of the command when the call fails.
    or: Or,
}

/// What becomes of a command whose call has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Or {
    /// It ends with the exception.
    End,
    /// It prints the exception and goes on with the next call.
    GoOn,
    /// It prints the exception and leaves the rest.
    Leave,
}

/// What follows from an answer.
#[derive(Clone, Debug)]
enum Then {
    /// The tool prints a line.
    Say(String),
    /// Nothing.
    Nothing,
    /// The masters of a cluster are known: each of them is told.
    Masters(String),
    /// Something about topics and their order.
    Order(topics::Order),
    /// So many topics had their permission changed.
    WritePerm { line: String },
    /// The route is there.
    Route,
    /// Something of an offset reset.
    Reset(Reset),
    /// Something of dead letters.
    Letters(Letters),
    /// Something of a half message that is checked anew.
    Half(Half),
}

/// A command under way.
#[derive(Clone, Debug)]
struct Job {
    command: AdminCommand,
    todo: VecDeque<Call>,
    now: Option<(Then, Or)>,
    /// The newest request.
    code: RequestCode,
    lines: Vec<String>,
    value: Option<i64>,
    messages: Vec<Received>,
}

/// An administrator's commands.
#[derive(Clone, Debug, Default)]
pub(super) struct Jobs {
    next: u64,
    jobs: BTreeMap<u64, Job>,
}

impl Job {
    /// Calls to make before everything else that is still to do.
    fn first(&mut self, calls: Vec<Call>) {
        for call in calls.into_iter().rev() {
            self.todo.push_front(call);
        }
    }

    fn say(&mut self, text: impl AsRef<str>, turn: &mut Turn<'_>) {
        for line in text.as_ref().lines() {
            turn.step(NamesStep::CommandSaid { line: line.to_owned() });
            self.lines.push(line.to_owned());
        }
    }

    /// So much more was done of what the command counts.
    fn count(&mut self, more: usize) {
        let more = i64::try_from(more).unwrap_or(i64::MAX);
        self.value = Some(self.value.unwrap_or(0).saturating_add(more));
    }
}

impl Call {
    const fn new(to: To, request: Request, then: Then) -> Self {
        Self { to, request, then, or: Or::End }
    }
}

/// `MQClientException` with a code: what `MQClientAPIImpl` makes of most answers that are no success.
fn refused(code: ResponseCode, remark: Option<&str>) -> Exception {
    Exception::refused(code, remark.unwrap_or("null"))
}

/// An answer of another kind than the request asks for.
fn unexpected() -> Exception {
    Exception::client("the answer is of another kind")
}

impl Client {
    /// Commands of an administrator that are under way.
    pub fn commands_open(&self) -> usize {
        self.admin.jobs.len()
    }

    /// The administrator gives a command.
    pub fn administer(&mut self, command: AdminCommand, turn: &mut Turn<'_>) {
        let id = self.admin.next;
        self.admin.next += 1;
        let todo = self.first_calls(&command).into();
        let job = Job {
            command,
            todo,
            now: None,
            code: RequestCode::GetBrokerClusterInfo,
            lines: Vec::new(),
            value: None,
            messages: Vec::new(),
        };
        self.next_call(id, job, turn);
    }

    /// The first calls of a command.
    fn first_calls(&self, command: &AdminCommand) -> Vec<Call> {
        match command {
            AdminCommand::UpdateTopic { target, .. }
            | AdminCommand::DeleteTopic { target, .. }
            | AdminCommand::UpdateGroup { target, .. }
            | AdminCommand::DeleteGroup { target, .. } => match target {
                Target::Cluster(cluster) => vec![topics::masters(cluster)],
                Target::Broker(addr) => topics::at_broker(command, addr),
            },
            AdminCommand::WipeWritePerm { broker_name } => topics::write_perm(self.name_servers(), broker_name, false),
            AdminCommand::AddWritePerm { broker_name } => topics::write_perm(self.name_servers(), broker_name, true),
            AdminCommand::ResetOffset { topic, .. } => vec![topics::route(topic, Then::Reset(Reset::Route))],
            AdminCommand::ResendDeadLetter { group, .. } => vec![dead_letter::begin(group)],
            AdminCommand::ResumeCheck { id } => vec![half::begin(id)],
            AdminCommand::TopicRoute { topic } => vec![topics::route(topic, Then::Route)],
        }
    }

    /// The next call of a command; without one it is over.
    fn next_call(&mut self, id: u64, mut job: Job, turn: &mut Turn<'_>) {
        let Some(Call { to, request, then, or }) = job.todo.pop_front() else {
            let last = topics::last_words(&job.command);
            job.say(last, turn);
            self.end_command(job, None, turn);
            return;
        };
        job.code = request.code();
        job.now = Some((then, or));
        let waiting = Waiting::Admin { job: id };
        match to {
            To::Addr(addr) => {
                let call = turn.call(Service::Api, &addr, request, TIMEOUT_MS);
                self.calls.insert(call, waiting);
            }
            To::NameServer => {
                if !self.call_name_server(Service::Api, request, TIMEOUT_MS, waiting, turn) {
                    let error = Exception::client("No name server address, please set it.");
                    self.end_command(job, Some(error), turn);
                    return;
                }
            }
        }
        self.admin.jobs.insert(id, job);
    }

    /// The answer to a command's call.
    pub(super) fn administered(&mut self, id: u64, answer: Answer, turn: &mut Turn<'_>) {
        let Some(mut job) = self.admin.jobs.remove(&id) else { return };
        let Some((then, or)) = job.now.take() else { return };
        let failed = match answer.result {
            Ok(Response { code, body, remark }) => match then {
                Then::Reset(reset) => Self::reset_answered(&mut job, reset, code, body, remark.as_deref(), turn).err(),
                Then::Letters(letters) => {
                    self.letters_answered(&mut job, letters, code, body, remark.as_deref(), turn).err()
                }
                Then::Half(half) => half::answered(&mut job, half, code, body, remark.as_deref(), turn).err(),
                then if code == ResponseCode::Success => self.follow(&mut job, then, body, turn).err(),
                // An order configuration that does not exist is an exception that the tool only prints.
                Then::Order(topics::Order::Old { name }) => {
                    let error = refused(code, remark.as_deref());
                    job.say(format!("{}: {}", error.name, error.message), turn);
                    let calls = self.put_order_of(&job, &name, "");
                    job.first(calls);
                    None
                }
                _ => Some(refused(code, remark.as_deref())),
            },
            Err(error) => Some(Exception::remoting(&error)),
        };
        let Some(error) = failed else { return self.next_call(id, job, turn) };
        if or == Or::End {
            self.end_command(job, Some(error), turn);
            return;
        }
        job.say(format!("{}: {}", error.name, error.message), turn);
        if or == Or::Leave {
            job.todo.clear();
        }
        self.next_call(id, job, turn);
    }

    /// What follows from a success.
    fn follow(&mut self, job: &mut Job, then: Then, body: ResponseBody, turn: &mut Turn<'_>) -> Result<(), Exception> {
        match then {
            Then::Nothing | Then::Reset(_) | Then::Letters(_) | Then::Half(_) => {}
            Then::Say(line) => job.say(line, turn),
            Then::Masters(cluster) => {
                let ResponseBody::Cluster(info) = body else { return Err(unexpected()) };
                self.tell_masters(job, &cluster, &info, turn);
            }
            Then::Order(order) => self.order_answered(job, order, body)?,
            Then::WritePerm { line } => {
                let ResponseBody::Count(topics) = body else { return Err(unexpected()) };
                job.value = Some(i64::from(topics));
                job.say(format!("{line}, {topics}"), turn);
            }
            Then::Route => {
                let ResponseBody::Route(route) = body else { return Err(unexpected()) };
                job.value = i64::try_from(route.queue_datas.len()).ok();
                job.say(topics::route_text(&route), turn);
            }
        }
        Ok(())
    }

    fn end_command(&mut self, job: Job, error: Option<Exception>, turn: &mut Turn<'_>) {
        let error = error.map(|error| error.message);
        turn.step(NamesStep::CommandEnded { command: job.command.name().to_owned(), error: error.clone() });
        self.answers.push_back(AskOutcome {
            code: job.code,
            about: job.command.about(),
            node: None,
            value: job.value,
            messages: job.messages,
            lines: job.lines,
            candidates: 0,
            error,
            ended_us: turn.now_us(),
        });
    }
}
