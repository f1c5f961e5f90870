//! The classic client: producers (whole or bare) and consumers, with routes, heartbeats, sends and pulls.

mod admin;
mod application;
mod ask;
mod attempt;
mod batch;
mod config;
pub mod consumer;
mod draft;
mod exception;
mod fault;
mod give_back;
mod heartbeat;
mod job;
mod kernel;
mod name_servers;
mod outbox;
mod outcome;
mod poll;
mod pull;
mod purpose;
mod query;
mod resend;
mod route;
mod selector;
mod send;
#[cfg(test)]
mod tests;
mod told;
mod transaction;
mod validate;
mod waiting;

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    message::UniqIdGenerator,
    node::{Actor, Answer, CallId, Caller, ConnId, Grid, Moment, NodeStep, Service, Turn},
    planted::Planted,
    wire::{Request, Response},
};

pub use admin::{AdminCommand, Target};
pub use application::{Business, BusinessOutcome, BusinessState, NewBusiness, Phase};
pub use ask::{Ask, QueueNumber};
pub use batch::split;
pub use config::ClientConfig;
use consumer::{ConsumerCall, PushConsumer};
pub use draft::{NewEntry, NewMessage, SendMode};
pub use exception::Cause;
pub use fault::{FaultItem, FaultTable};
pub use give_back::GiveBack;
use heartbeat::AfterHeartbeat;
pub use name_servers::NameServers;
pub use outbox::{Outbox, outbox_row, outbox_table};
pub use outcome::{AskOutcome, PullOutcome, Received, SendOutcome, TRIES_TOLD, Try};
pub use pull::{PullQueue, PullRequest};
pub use route::{Learnt, MessageQueue, PublishInfo, Routes};
pub use selector::Selector;
pub use told::{Told, ToldIter};
pub use transaction::{
    CheckOutcome, HalfMessage, Keeps, Listener, ListenerResult, LocalTransactionState, NewTransaction,
    TransactionOutcome, TransactionPhase, TransactionProgress, transaction_table,
};
use waiting::{After, Waiting};

/// When requests without an answer are looked for the first time, and how often then.
const FIRST_SCAN_US: i64 = 3_000_000;
const SCAN_US: i64 = 1_000_000;

/// What a client is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A producer: the Java client.
    Producer {
        /// The producer group.
        group: String,
    },
    /// A sender of bare `SEND_MESSAGE` requests: no route, no `UNIQ_KEY`, no retry, no heartbeat.
    Bare {
        /// The producer group.
        group: String,
        /// `ip:port` of the broker it sends to.
        broker_addr: String,
    },
    /// A consumer: one that pulls when told to, or a push consumer.
    Consumer {
        /// The consumer group.
        group: String,
    },
    /// An administrator's tool (`mqadmin`): a client with routes, without polls and heartbeats.
    Admin,
}

/// A client process with one instance (`MQClientInstance`).
#[derive(Clone, Debug)]
pub struct Client {
    role: Role,
    instance_id: String,
    config: ClientConfig,
    ids: Option<UniqIdGenerator>,
    ip: std::net::Ipv4Addr,
    name_servers: NameServers,
    routes: Routes,
    poll: Grid,
    heartbeat: Grid,
    heartbeats: heartbeat::Heartbeats,
    polling: poll::Polling,
    route_lock: poll::RouteLock,
    sends: BTreeMap<u64, job::Job>,
    admin: admin::Jobs,
    calls: BTreeMap<CallId, Waiting>,
    next_job: u64,
    queries: BTreeMap<u64, query::Querying>,
    faults: FaultTable,
    /// The scans for requests without an answer (`NettyRemotingClient.start`).
    scan: Grid,
    sent: Told<SendOutcome>,
    /// How many sends ended with each status, in the order in which the statuses first came.
    results: Arc<Vec<(String, u32)>>,
    untold: Told<SendOutcome>,
    pull_from: BTreeMap<PullQueue, i64>,
    pulls: Told<PullOutcome>,
    received: Told<Received>,
    answers: Told<AskOutcome>,
    application: application::Application,
    relay: Option<outbox::Relay>,
    transactions: transaction::Transactions,
    push: Option<Box<PushConsumer>>,
    planted: Planted,
}

/// The group of the producer that every instance has inside, and that the tools send with
/// (`MixAll.CLIENT_INNER_PRODUCER_GROUP`).
const INNER_PRODUCER: &str = "CLIENT_INNER_PRODUCER";

impl Client {
    /// A client that is not started yet. `ip` is the host it runs on; `name_servers` are `ip:port`.
    pub fn new(role: Role, ip: std::net::Ipv4Addr, config: ClientConfig, name_servers: Vec<String>) -> Self {
        Self {
            role,
            instance_id: format!("{ip}@DEFAULT"),
            config,
            ids: None,
            ip,
            name_servers: NameServers::new(name_servers),
            routes: Routes::default(),
            poll: Grid::new(0, 1),
            heartbeat: Grid::new(0, 1),
            heartbeats: heartbeat::Heartbeats::default(),
            polling: poll::Polling::default(),
            route_lock: poll::RouteLock::default(),
            sends: BTreeMap::new(),
            admin: admin::Jobs::default(),
            calls: BTreeMap::new(),
            next_job: 0,
            queries: BTreeMap::new(),
            faults: FaultTable::default(),
            scan: Grid::new(0, 1),
            sent: Told::default(),
            results: Arc::default(),
            untold: Told::default(),
            pull_from: BTreeMap::new(),
            pulls: Told::default(),
            received: Told::default(),
            answers: Told::default(),
            application: application::Application::default(),
            relay: None,
            transactions: transaction::Transactions::default(),
            push: None,
            planted: Planted::default(),
        }
    }

    /// Gives its application databases to work with, their `ip:port` by node, and the outbox that it relays from.
    pub fn set_databases(&mut self, databases: Arc<BTreeMap<String, String>>, outbox: Option<Outbox>) {
        self.application = application::Application::new(databases);
        self.relay = outbox.map(outbox::Relay::new);
    }

    /// Switches wrong behaviours on.
    pub const fn plant(&mut self, planted: Planted) {
        self.planted = planted;
    }

    /// Sets the application's `TransactionListener`.
    pub fn set_listener(&mut self, listener: Option<Listener>) {
        self.transactions = transaction::Transactions::new(listener);
    }

    /// What it is.
    pub const fn role(&self) -> &Role {
        &self.role
    }

    /// `ip@instanceName`.
    pub fn client_id(&self) -> &str {
        &self.instance_id
    }

    /// The producer or consumer group.
    pub fn group(&self) -> &str {
        match &self.role {
            Role::Producer { group } | Role::Bare { group, .. } | Role::Consumer { group } => group,
            // `MixAll.TOOLS_CONSUMER_GROUP`.
            Role::Admin => "TOOLS_CONSUMER",
        }
    }

    /// Its configuration.
    pub const fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// Its route tables.
    pub const fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Sends that the application waits for.
    pub fn pending(&self) -> usize {
        self.sends.len()
    }

    /// They, oldest first, as far as their outcomes are known at `now_us`: with an empty status.
    pub fn pending_sends(&self, now_us: i64) -> impl Iterator<Item = SendOutcome> + '_ {
        self.sends.values().map(move |job| job.outcome(now_us))
    }

    /// Whether it sends: a producer, whole or bare.
    pub const fn is_producer(&self) -> bool {
        matches!(self.role, Role::Producer { .. } | Role::Bare { .. })
    }

    /// What the application was told of its sends, oldest first.
    pub const fn sent(&self) -> &Told<SendOutcome> {
        &self.sent
    }

    /// How many of them ended with each [status](SendOutcome::status), in the order in which the statuses first came.
    pub fn results(&self) -> &[(String, u32)] {
        &self.results
    }

    /// Sends that were under way when a process of it ended, so that nobody was told of them; with an empty status.
    pub const fn untold(&self) -> &Told<SendOutcome> {
        &self.untold
    }

    /// How its pulls ended, oldest first.
    pub const fn pulls(&self) -> &Told<PullOutcome> {
        &self.pulls
    }

    /// The messages that passed its own tag check, in order of arrival.
    pub const fn received(&self) -> &Told<Received> {
        &self.received
    }

    /// The answers to its other questions, oldest first.
    pub const fn answers(&self) -> &Told<AskOutcome> {
        &self.answers
    }

    /// Whether it has an instance with routes.
    const fn is_whole(&self) -> bool {
        !matches!(self.role, Role::Bare { .. })
    }

    /// Whether it polls routes and sends heartbeats.
    const fn polls(&self) -> bool {
        matches!(self.role, Role::Producer { .. } | Role::Consumer { .. })
    }
}

impl Client {
    /// A push consumer's offsets are saved, which may have to wait for a route; then the end.
    fn end_process(&mut self, turn: &mut Turn<'_>) {
        if !self.stop_push(turn) {
            self.leave_cluster(turn);
        }
    }

    /// `MQClientInstance.unregisterClientWithLock`, then the end. The answers are not waited for.
    fn leave_cluster(&mut self, turn: &mut Turn<'_>) {
        self.say_goodbye(turn);
        turn.step(NodeStep::ProcessEnded);
        turn.exit();
    }
}

impl Actor for Client {
    fn services(&self) -> Vec<Service> {
        let mut services = vec![Service::Api];
        if self.polls() {
            services.extend([Service::RoutePoll, Service::Heartbeat]);
        }
        if self.application.has_databases() {
            services.push(Service::Application);
        }
        if self.relay.is_some() {
            services.push(Service::OutboxRelay);
        }
        if self.transactions.has_listener() {
            services.extend([Service::LocalTransaction, Service::CheckListener]);
        }
        if self.push.is_some() {
            services.extend([
                Service::Rebalance,
                Service::PullMessage,
                Service::Consume,
                Service::PersistConsumerOffset,
                Service::LockQueues,
                Service::CleanExpiredMsg,
            ]);
        }
        services.push(Service::Remoting);
        services
    }

    fn lane(&self, request: &Request) -> Service {
        match request {
            Request::CheckTransactionState(_) if self.transactions.has_listener() => Service::CheckListener,
            _ => Service::Remoting,
        }
    }

    fn start(&mut self, turn: &mut Turn<'_>) {
        if !self.is_whole() {
            return;
        }
        // instanceName becomes pid#nanoTime on start: here both are drawn from the node's own stream.
        let pid = i32::try_from(turn.streams().below("pid", 30_000)).unwrap_or(0) + 1000;
        let nanos = turn.streams().next_u32("nanoTime");
        self.instance_id = self.push_client_id().unwrap_or_else(|| format!("{}@{pid}#{nanos}", self.ip));
        let class_loader = turn.streams().next_i32("classLoader");
        self.ids = Some(UniqIdGenerator::new(self.ip.into(), pid, class_loader, turn.wall_ms()));
        self.name_servers.shuffle(turn);
        self.scan = Grid::new(turn.now_us().saturating_add(FIRST_SCAN_US), SCAN_US);
        if self.polls() {
            self.start_polling(turn);
            self.start_heartbeats(turn);
        }
        self.start_relay(turn);
        self.start_push(turn);
    }

    fn stop(&mut self, turn: &mut Turn<'_>) {
        turn.step(NodeStep::StopBegan);
        if !self.await_listeners(turn) {
            self.end_process(turn);
        }
    }

    /// What the application was told stays: it is the record of the run, not the process's memory.
    fn die(&mut self) {
        let name_servers = self.name_servers().to_vec();
        let fresh = Self::new(self.role.clone(), self.ip, self.config.clone(), name_servers);
        let Self {
            sent,
            results,
            planted,
            mut untold,
            sends,
            pulls,
            received,
            answers,
            application,
            relay,
            transactions,
            push,
            ..
        } = std::mem::replace(self, fresh);
        untold.extend(sends.values().map(job::Job::untold));
        (self.untold, self.planted) = (untold, planted);
        (self.sent, self.results) = (sent, results);
        (self.pulls, self.received, self.answers) = (pulls, received, answers);
        self.application = application;
        self.application.die();
        self.transactions = transactions;
        self.transactions.die();
        self.relay = relay.as_ref().map(outbox::Relay::renewed);
        self.push = push.map(|push| Box::new(push.reborn()));
    }

    fn request(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) {
        match request {
            Request::CheckTransactionState(check) => self.check_asked(caller, *check, turn),
            Request::ResetConsumerClientOffset(reset) => self.reset_told(reset, turn),
            Request::NotifyConsumerIdsChanged(of) => self.members_changed(of.consumer_group, turn),
            request => turn.reply(caller, Response::not_supported(request.code())),
        }
    }

    fn answer(&mut self, _service: Service, answer: Answer, turn: &mut Turn<'_>) {
        if let Some(waiting) = self.calls.remove(&answer.call) {
            self.answered(waiting, answer, turn);
        }
    }

    fn wake(&mut self, service: Service, turn: &mut Turn<'_>) {
        match service {
            Service::Api => self.wait_for_lock(Service::Api, turn),
            Service::RoutePoll => self.poll_routes(turn),
            Service::Heartbeat => self.beat(turn),
            Service::Application => self.work(turn),
            Service::LocalTransaction => self.work_locally(turn),
            Service::CheckListener => self.check_next(turn),
            Service::OutboxRelay => self.relay(turn),
            Service::Rebalance => self.rebalance(turn),
            Service::PullMessage => self.pull_messages(turn),
            Service::Consume => self.consume(turn),
            Service::PersistConsumerOffset => self.persist_offsets(turn),
            Service::LockQueues => self.lock_queues(turn),
            Service::CleanExpiredMsg => self.clean_expired(turn),
            Service::Remoting => self.go_on_resetting(turn),
            _ => {}
        }
    }

    fn closed(&mut self, _service: Service, _conn: ConnId, _turn: &mut Turn<'_>) {}

    fn rounds_passed(&mut self, service: Service, conn: Option<ConnId>, last: Moment) {
        if service == Service::LockQueues && conn.is_none() {
            self.locks_passed(last.wall_ms);
        }
    }

    fn polling(&self) -> Option<u64> {
        self.pulls_depend_on()
    }

    fn polled_us(&self, call: CallId) -> Option<i64> {
        self.pull_sent_us(call)
    }

    fn polled(&mut self, call: CallId, at_us: i64, at_ms: i64) {
        self.pull_sent_again(call, at_us, at_ms);
    }

    fn parted(&mut self, peer: &str, turn: &mut Turn<'_>) {
        self.name_server_lost(peer, turn);
    }
}
