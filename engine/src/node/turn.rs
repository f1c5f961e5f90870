//! What a node is handed for a turn, and what it may do in it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use bytes::Bytes;

use super::{Costs, NodeStep, Service, StepKind, Streams, TraceStep};
use crate::{
    message::Host,
    store::{Env, Step, Work},
    wire::{Request, Response},
};

/// A connection, as both of its ends name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnId(pub u64);

/// A request that an answer is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// Who sent a request, and where the answer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The connection.
    pub conn: ConnId,
    /// The request, unless it is one-way.
    pub call: Option<CallId>,
    /// The far end's address: bornHost of a message.
    pub host: Host,
    /// The node's name, for the trace.
    pub name: String,
}

/// How a call ended without an answer. The texts are 4.9.8's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// `RemotingConnectException`.
    #[error("connect to {addr} failed")]
    Connect {
        /// `ip:port`.
        addr: String,
    },
    /// `RemotingTimeoutException`.
    #[error("wait response on the channel <{addr}> timeout, {timeout_ms}(ms)")]
    Timeout {
        /// `ip:port`.
        addr: String,
        /// How long was waited.
        timeout_ms: i64,
    },
    /// `RemotingTimeoutException`: the time was over before the request could leave.
    #[error("invokeSync call the addr[{addr}] timeout")]
    Late {
        /// `ip:port`, or `null` where any NameServer would do.
        addr: String,
    },
    /// `RemotingSendRequestException`: the connection broke.
    #[error("send request to <{addr}> failed")]
    Closed {
        /// `ip:port`.
        addr: String,
    },
}

impl CallError {
    /// The short name of 4.9.8's exception.
    pub const fn exception(&self) -> &'static str {
        match self {
            Self::Connect { .. } => "RemotingConnectException",
            Self::Timeout { .. } | Self::Late { .. } => "RemotingTimeoutException",
            Self::Closed { .. } => "RemotingSendRequestException",
        }
    }
}

/// How a request is sent (`RemotingClient.invokeSync`, `invokeAsync`, `invokeOneway`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Somebody waits. When the time is over, the connection is closed (`clientCloseSocketIfTimeout`).
    Sync,
    /// Somebody is called back. When the time is over, the connection stays.
    Async,
    /// Nobody waits for an answer.
    Oneway,
}

/// What comes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The call.
    pub call: CallId,
    /// The node that was asked, for the trace.
    pub from: String,
    /// The answer, or why there is none.
    pub result: Result<Response, CallError>,
}

/// Something a turn wants done outside its node.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Send a request.
    Request {
        /// `ip:port`; a connection is opened when there is none.
        addr: String,
        /// The request.
        request: Request,
        /// The call that the answer, or the news that it could not be sent, belongs to.
        call: CallId,
        /// How the answer is waited for.
        manner: Manner,
        /// The lane that takes the answer in.
        service: Service,
        /// How long to wait for it.
        timeout_ms: i64,
        /// When it leaves.
        leaves_us: i64,
    },
    /// Answer a request.
    Reply {
        /// Who asked.
        caller: Caller,
        /// The answer.
        response: Response,
        /// When it leaves.
        leaves_us: i64,
    },
    /// Send a one-way request to the client of a connection.
    Notify {
        /// The connection, of which this node is the server.
        conn: ConnId,
        /// The request.
        request: Request,
        /// When it leaves.
        leaves_us: i64,
    },
    /// Give a service of this node a turn.
    Wake {
        /// The service.
        service: Service,
        /// When.
        at_us: i64,
        /// The event that causes it; `None`: only time does.
        cause: Option<u64>,
    },
    /// Leave the queue: the periodic exchange of this service changes nothing until something disturbs it.
    Park {
        /// The service.
        service: Service,
        /// When its next round would have been.
        next_us: i64,
        /// From round to round.
        period_us: i64,
    },
    /// Something changed that parked exchanges depend on.
    Disturb,
    /// Something changed that only the parked exchanges of one service depend on.
    DisturbOnly {
        /// The service, at whatever node.
        service: Service,
    },
    /// Something changed that the parked polls of one service will find: their next rounds are no housekeeping.
    Rouse {
        /// The service, at whatever node.
        service: Service,
    },
    /// What is left to do for a service of this node is housekeeping.
    Calm {
        /// The service.
        service: Service,
    },
    /// Open a connection for replication.
    Connect {
        /// `ip:port`.
        addr: String,
        /// The lane that takes in what comes of it.
        service: Service,
        /// How long the attempt may take.
        timeout_ms: i64,
        /// When it begins.
        leaves_us: i64,
    },
    /// Send bytes on a connection for replication.
    SendBytes {
        /// The connection.
        conn: ConnId,
        /// The bytes.
        bytes: Bytes,
        /// What they are, for pictures.
        label: String,
        /// They only say that the sender is alive.
        quiet: bool,
        /// When they leave.
        leaves_us: i64,
    },
    /// Leave the queue as far as `conn` goes: nothing but heartbeats is sent over it until something disturbs it.
    ParkStream {
        /// The service that sends them.
        service: Service,
        /// The connection.
        conn: ConnId,
        /// When the next one would be.
        next_us: i64,
        /// From one to the next.
        period_us: i64,
    },
    /// Close a connection.
    Close {
        /// The connection.
        conn: ConnId,
    },
    /// Close every connection that others have opened to this node: its remoting server is gone.
    StopListening,
    /// The process ends of its own accord. What it sent before still arrives.
    Exit,
}

/// A turn in progress: time, chance, the trace, and what is to happen outside.
#[derive(Debug)]
pub struct Turn<'a> {
    seq: u64,
    now_us: i64,
    wall_at_zero_ms: i64,
    costs: &'a Costs,
    streams: &'a mut Streams,
    names: &'a BTreeMap<String, Arc<str>>,
    steps: Vec<TraceStep>,
    /// Steps are counted and not kept.
    muted: bool,
    /// Steps so far.
    count: u32,
    /// Shows how many, if somebody looks.
    step_clock: Option<Arc<AtomicU32>>,
    next_call: u64,
    effects: Vec<Effect>,
}

/// The name of the node at `addr`, which is its own name where nobody is.
fn name_in(names: &BTreeMap<String, Arc<str>>, addr: &str) -> String {
    names.get(addr).map_or_else(|| addr.to_owned(), ToString::to_string)
}

/// What is left of a turn once it has ended.
#[derive(Debug)]
pub struct Outcome {
    /// When it ended, microseconds.
    pub ended_us: i64,
    /// Its steps; none of a turn that was muted.
    pub steps: Vec<TraceStep>,
    /// How many steps there were.
    pub count: u32,
    /// What is to happen outside.
    pub effects: Vec<Effect>,
    /// The next call's number.
    pub next_call: u64,
}

impl<'a> Turn<'a> {
    /// The turn of event `seq`, which begins at `now_us`, at a node whose wall clock shows `wall_at_zero_ms` at virtual time 0. `names`
    /// are the nodes by address, for the trace; calls are numbered from `next_call`.
    pub fn new(
        seq: u64,
        now_us: i64,
        wall_at_zero_ms: i64,
        costs: &'a Costs,
        streams: &'a mut Streams,
        names: &'a BTreeMap<String, Arc<str>>,
        next_call: u64,
    ) -> Self {
        Self {
            seq,
            now_us,
            wall_at_zero_ms,
            costs,
            streams,
            names,
            steps: Vec::new(),
            muted: false,
            count: 0,
            step_clock: None,
            next_call,
            effects: Vec::new(),
        }
    }

    /// Lets steps only be counted: nobody is going to read them.
    pub const fn mute(&mut self) {
        self.muted = true;
    }

    /// Ends the turn.
    pub fn end(self) -> Outcome {
        let count = self.count;
        Outcome { ended_us: self.now_us, steps: self.steps, count, effects: self.effects, next_call: self.next_call }
    }

    /// The event that this turn becomes, if anything is done in it.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Virtual time, microseconds. It moves on inside a turn.
    pub const fn now_us(&self) -> i64 {
        self.now_us
    }

    /// The node's wall clock, milliseconds since the epoch.
    pub const fn wall_ms(&self) -> i64 {
        self.wall_at_zero_ms.saturating_add(self.now_us.div_euclid(1000))
    }

    /// What the node's wall clock shows at `at_us`, milliseconds since the epoch.
    pub const fn wall_ms_at(&self, at_us: i64) -> i64 {
        self.wall_at_zero_ms.saturating_add(at_us.div_euclid(1000))
    }

    /// When the node's wall clock begins to show `wall_ms`, microseconds of virtual time.
    pub const fn us_at_wall(&self, wall_ms: i64) -> i64 {
        wall_ms.saturating_sub(self.wall_at_zero_ms).saturating_mul(1000)
    }

    /// What things cost.
    pub const fn costs(&self) -> &'a Costs {
        self.costs
    }

    /// Lets time pass inside the turn.
    pub const fn spend_us(&mut self, us: i64) {
        self.now_us = self.now_us.saturating_add(us);
    }

    /// The node's random numbers.
    pub const fn streams(&mut self) -> &mut Streams {
        self.streams
    }

    /// Records a step of the node.
    pub fn step(&mut self, step: impl Into<StepKind>) {
        self.record(step.into());
    }

    /// Records a step of the node that takes some work to tell.
    pub fn tell<S: Into<StepKind>>(&mut self, step: impl FnOnce() -> S) {
        if self.muted {
            self.count_step();
        } else {
            self.record(step().into());
        }
    }

    fn record(&mut self, what: StepKind) {
        let index = self.count_step();
        if !self.muted {
            self.steps.push(TraceStep { index, at_us: self.now_us, what });
        }
    }

    /// Counts a step; its number.
    fn count_step(&mut self) -> u32 {
        let number = self.count;
        self.count = number.saturating_add(1);
        if let Some(clock) = &self.step_clock {
            clock.store(self.count, Ordering::Relaxed);
        }
        number
    }

    /// Counts the steps recorded so far. The disk reads it to know which step a write belongs to; each turn has its
    /// own, so worlds on different threads cannot meet in it.
    pub fn step_clock(&mut self) -> Arc<AtomicU32> {
        Arc::clone(self.step_clock.get_or_insert_with(|| Arc::new(AtomicU32::new(self.count))))
    }

    /// The name of the node at `addr`, for the trace.
    pub fn name_of(&self, addr: &str) -> String {
        name_in(self.names, addr)
    }

    /// Sends a request; the answer, or its absence, comes to `service`.
    pub fn call(&mut self, service: Service, addr: &str, request: Request, timeout_ms: i64) -> CallId {
        self.send(service, addr, request, Manner::Sync, timeout_ms)
    }

    /// Sends a request that nobody stands still for; the answer, or its absence, comes to `service`. The connection
    /// outlives the absence.
    pub fn call_async(&mut self, service: Service, addr: &str, request: Request, timeout_ms: i64) -> CallId {
        self.send(service, addr, request, Manner::Async, timeout_ms)
    }

    /// Sends a request that nobody waits for. Only the news that there is no connection comes to `service`.
    pub fn oneway(&mut self, service: Service, addr: &str, request: Request) -> CallId {
        self.send(service, addr, request, Manner::Oneway, 0)
    }

    fn send(&mut self, service: Service, addr: &str, request: Request, manner: Manner, timeout_ms: i64) -> CallId {
        let call = CallId(self.next_call);
        self.next_call += 1;
        let (names, code) = (self.names, request.code());
        let oneway = manner == Manner::Oneway;
        self.tell(|| NodeStep::RequestSent { code, to: name_in(names, addr), oneway });
        let (addr, leaves_us) = (addr.to_owned(), self.now_us);
        self.effects.push(Effect::Request { addr, request, call, manner, service, timeout_ms, leaves_us });
        call
    }

    /// Answers a request; to a one-way request there is no answer.
    pub fn reply(&mut self, caller: &Caller, response: Response) {
        if caller.call.is_none() {
            return;
        }
        self.tell(|| {
            let (code, remark, to) = (response.code, response.remark.clone(), caller.name.clone());
            NodeStep::ResponseSent { code, remark, to }
        });
        self.effects.push(Effect::Reply { caller: caller.clone(), response, leaves_us: self.now_us });
    }

    /// Sends a one-way request to the client `to` of a connection that it has opened to this node
    /// (`RemotingServer.invokeOneway`). It is lost if the connection is gone.
    pub fn notify(&mut self, conn: ConnId, to: &str, request: Request) {
        self.step(NodeStep::RequestSent { code: request.code(), to: to.to_owned(), oneway: true });
        self.effects.push(Effect::Notify { conn, request, leaves_us: self.now_us });
    }

    /// Gives `service` a turn at `at_us`, or earlier if one is set already. Nothing but time is the cause.
    pub fn wake_at(&mut self, service: Service, at_us: i64) {
        self.effects.push(Effect::Wake { service, at_us, cause: None });
    }

    /// Gives `service` a turn at `at_us`, or earlier if one is set already, because of what this turn did.
    pub fn wake_for_work(&mut self, service: Service, at_us: i64) {
        self.wake_because(service, at_us, Some(self.seq));
    }

    /// Gives `service` a turn at `at_us`, or earlier if one is set already, because of the event `cause`.
    pub fn wake_because(&mut self, service: Service, at_us: i64, cause: Option<u64>) {
        self.effects.push(Effect::Wake { service, at_us, cause });
    }

    /// Ends a round of `service`'s periodic exchange that changed nothing.
    pub fn park(&mut self, service: Service, next_us: i64, period_us: i64) {
        self.effects.push(Effect::Park { service, next_us, period_us });
    }

    /// Tells that something changed that others' periodic exchanges depend on.
    pub fn disturb(&mut self) {
        self.effects.push(Effect::Disturb);
    }

    /// Tells that something changed that the periodic exchanges of `service` depend on, at whatever node.
    pub fn disturb_only(&mut self, service: Service) {
        self.effects.push(Effect::DisturbOnly { service });
    }

    /// Tells that the next rounds of `service`, at whatever node, have something to do.
    pub fn rouse(&mut self, service: Service) {
        self.effects.push(Effect::Rouse { service });
    }

    /// Tells that the next turn of `service`, a service of this node, has nothing to do any more but housekeeping.
    pub fn calm(&mut self, service: Service) {
        self.effects.push(Effect::Calm { service });
    }

    /// Opens a connection for replication; what comes of it is told to `service`.
    pub fn connect(&mut self, service: Service, addr: &str, timeout_ms: i64) {
        let (addr, leaves_us) = (addr.to_owned(), self.now_us);
        self.effects.push(Effect::Connect { addr, service, timeout_ms, leaves_us });
    }

    /// Sends bytes on a connection for replication. `quiet`: they only say that the sender is alive.
    pub fn send_bytes(&mut self, conn: ConnId, bytes: Bytes, label: String, quiet: bool) {
        self.effects.push(Effect::SendBytes { conn, bytes, label, quiet, leaves_us: self.now_us });
    }

    /// Leaves the queue as far as `conn` goes, after heartbeats that changed nothing.
    pub fn park_stream(&mut self, service: Service, conn: ConnId, next_us: i64, period_us: i64) {
        self.effects.push(Effect::ParkStream { service, conn, next_us, period_us });
    }

    /// Closes a connection.
    pub fn close(&mut self, conn: ConnId) {
        self.effects.push(Effect::Close { conn });
    }

    /// Closes every connection that others have opened to this node.
    pub fn stop_listening(&mut self) {
        self.effects.push(Effect::StopListening);
    }

    /// Ends the process once this turn is over.
    pub fn exit(&mut self) {
        self.effects.push(Effect::Exit);
    }
}

impl Env for Turn<'_> {
    fn now(&self) -> i64 {
        self.wall_ms()
    }

    fn spend(&mut self, work: Work) {
        self.spend_us(match work {
            Work::Append => self.costs.append_us,
            Work::Dispatch => self.costs.dispatch_us,
            Work::CreateIndexFile => self.costs.index_file_us,
            Work::Sleep(ms) => ms.saturating_mul(1000),
        });
    }

    fn step(&mut self, step: impl FnOnce() -> Step) {
        self.tell(|| StepKind::Store(step()));
    }
}
