//! The broker: a store, and around it the processors and services of a 4.9.8 broker.

mod admin;
mod clients;
mod config;
mod config_file;
mod flush;
mod groups;
mod hold;
mod offsets;
mod process;
mod pull;
mod register;
mod send;
mod starting;
#[cfg(test)]
mod tests;
mod topics;

use crate::{
    disk::MemoryDisk,
    message::Host,
    node::{Actor, Answer, Caller, ConnId, NodeStep, Service, Turn},
    store::{Store, StoreConfig},
    wire::{Request, Response, ResponseCode},
};

pub use clients::{ClientChannel, Clients, ConsumerGroup};
pub use config::{BrokerConfig, read_config};
pub use groups::{GroupConfig, Groups};
pub use offsets::ConsumerOffsets;
pub use process::Process;
pub use starting::{Earlier, EarlierRecords, starting_disk};
pub(crate) use topics::validate as validate_topic;
pub use topics::{QUEUES_MAX, RETRY_PREFIX, Topics};

/// The machine that a broker runs on: its configuration, its disk, and the process while there is one.
#[derive(Clone, Debug)]
pub struct Broker {
    config: BrokerConfig,
    store_config: StoreConfig,
    name_servers: Vec<String>,
    store_host: Host,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// Nothing runs; the disk is all there is.
    Down(Box<MemoryDisk>),
    /// The process, which holds the disk.
    Up(Box<Process>),
}

impl Broker {
    /// A broker that is not started yet. `name_servers` are `ip:port`.
    pub fn new(
        config: BrokerConfig,
        store_config: StoreConfig,
        store_host: Host,
        name_servers: Vec<String>,
        disk: MemoryDisk,
    ) -> Self {
        Self { config, store_config, name_servers, store_host, state: State::Down(Box::new(disk)) }
    }

    /// Its configuration.
    pub const fn config(&self) -> &BrokerConfig {
        &self.config
    }

    /// The store's configuration.
    pub const fn store_config(&self) -> &StoreConfig {
        &self.store_config
    }

    /// The address that clients use: storeHost.
    pub const fn store_host(&self) -> &Host {
        &self.store_host
    }

    /// The process, while one runs.
    pub fn process(&self) -> Option<&Process> {
        match &self.state {
            State::Up(process) => Some(process),
            State::Down(_) => None,
        }
    }

    pub(crate) fn process_mut(&mut self) -> Option<&mut Process> {
        match &mut self.state {
            State::Up(process) => Some(process),
            State::Down(_) => None,
        }
    }

    /// The store, while a process runs.
    pub fn store(&self) -> Option<&Store<MemoryDisk>> {
        self.process().map(Process::store)
    }

    /// The disk.
    pub fn disk(&self) -> &MemoryDisk {
        match &self.state {
            State::Up(process) => process.store().disk(),
            State::Down(disk) => disk,
        }
    }

    pub(crate) fn disk_mut(&mut self) -> &mut MemoryDisk {
        match &mut self.state {
            State::Up(process) => process.store_mut().disk_mut(),
            State::Down(disk) => disk,
        }
    }
}

impl Actor for Broker {
    fn services(&self) -> &'static [Service] {
        &[
            Service::Remoting,
            Service::Put,
            Service::Pull,
            Service::PullHold,
            Service::Query,
            Service::Admin,
            Service::ClientManage,
            Service::ConsumerManage,
            Service::Reput,
            Service::FlushCommitLog,
            Service::FlushConsumeQueue,
            Service::PersistOffset,
            Service::Register,
            Service::ClientHousekeeping,
        ]
    }

    fn lane(&self, request: &Request) -> Service {
        match request {
            Request::SendMessage(_) | Request::SendMessageV2(_) | Request::SendBatchMessage(_) => Service::Put,
            Request::PullMessage(_) => Service::Pull,
            Request::QueryMessage(_) | Request::ViewMessageById(_) => Service::Query,
            Request::HeartBeat(_) | Request::UnregisterClient(_) => Service::ClientManage,
            Request::QueryConsumerOffset(_) | Request::UpdateConsumerOffset(_) => Service::ConsumerManage,
            _ => Service::Admin,
        }
    }

    fn start(&mut self, turn: &mut Turn<'_>) {
        let disk = self.disk().clone();
        let started = Process::start(
            disk,
            self.config.clone(),
            self.store_config.clone(),
            self.store_host,
            self.name_servers.clone(),
            turn,
        );
        match started {
            Ok(process) => self.state = State::Up(Box::new(process)),
            Err(cause) => turn.step(NodeStep::StartFailed { cause }),
        }
    }

    fn request(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) {
        match self.process_mut() {
            Some(process) => process.request(caller, request, turn),
            None => turn.reply(caller, Response::failure(ResponseCode::SystemError, "the broker is not running")),
        }
    }

    fn answer(&mut self, service: Service, answer: Answer, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut().filter(|_| service == Service::Register) {
            process.registered(&answer, turn);
        }
    }

    fn wake(&mut self, service: Service, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.wake(service, turn);
        }
    }

    fn closed(&mut self, conn: ConnId, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.forget(conn, "channelClosed", turn);
        }
    }

    fn renewed(&mut self, conn: ConnId, at_ms: i64, parked: bool) {
        if let Some(process) = self.process_mut() {
            process.clients.renewed(conn, at_ms, parked);
        }
    }

    fn disturbed(&mut self, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.set_housekeeping(turn);
        }
    }
}
