//! The broker: a store, and around it the processors and services of a 4.9.8 broker.

mod admin;
mod administer;
mod answers;
mod clean;
mod clients;
mod config;
mod config_file;
mod consumer_group;
mod consumers;
#[cfg(test)]
mod consumers_tests;
mod fast_failure;
mod filters;
mod flush;
mod groups;
mod ha;
mod hold;
mod last_start;
mod life;
mod locks;
mod offsets;
mod persist;
mod process;
mod pull;
#[cfg(test)]
mod pull_tests;
mod register;
mod rounds;
mod schedule;
mod send;
mod send_back;
#[cfg(test)]
mod send_tests;
mod slave;
mod stalled_put;
mod starting;
mod tables;
#[cfg(test)]
mod test_rig;
#[cfg(test)]
mod tests;
mod topics;
mod transaction;

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    disk::MemoryDisk,
    message::Host,
    node::{Actor, Answer, CallId, Caller, Cleared, Clearing, ConnId, Moment, Pool, Service, Turn},
    planted::Planted,
    store::{BrokerRole, Store, StoreConfig},
    wire::{Request, Response, ResponseCode},
};

pub use answers::Promised;
pub use clients::{Channels, ClientChannel, Clients};
pub use config::{BrokerConfig, read_config};
pub use consumer_group::ConsumerGroup;
pub use filters::ConsumerFilters;
pub use groups::{GroupConfig, Groups, is_system_group};
pub use ha::{Ha, HaClient, HaConnection};
pub use last_start::LastStart;
pub use life::{Phase, Stopping};
pub use locks::{LockEntry, Locks};
pub use offsets::ConsumerOffsets;
pub use process::Process;
pub use schedule::DelayTask;
pub use send_back::DLQ_PREFIX;
pub use starting::{Earlier, EarlierRecords, starting_disk};
pub(crate) use topics::validate as validate_topic;
pub use topics::{QUEUES_MAX, RETRY_PREFIX, Topics, is_system_topic};
pub use transaction::{Check, Decision, Fate, Happened, Transactions};

use life::Settings;
use tables::LastRead;

/// The machine that a broker runs on: its configuration, its disk, and the process while there is one.
#[derive(Clone, Debug)]
pub struct Broker {
    config: Arc<BrokerConfig>,
    store_config: Arc<StoreConfig>,
    name_servers: Arc<[String]>,
    store_host: Host,
    planted: Planted,
    state: State,
    last_read: LastRead,
    last_start: Option<LastStart>,
}

#[derive(Clone, Debug)]
enum State {
    /// Nothing runs; the disk is all there is.
    Down(Box<MemoryDisk>),
    /// The process, which holds the disk. Copies of the broker share it until one of them changes it.
    Up(Arc<Process>),
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
        // A broker sets it to what its Bloom filter needs, whatever the file says.
        let bits = ConsumerFilters::new(&config).bloom().m();
        let store_config = StoreConfig { bit_map_length_consume_queue_ext: bits, ..store_config };
        Self {
            config: Arc::new(config),
            store_config: Arc::new(store_config),
            name_servers: name_servers.into(),
            store_host,
            planted: Planted::default(),
            state: State::Down(Box::new(disk)),
            last_read: LastRead::default(),
            last_start: None,
        }
    }

    /// Switches wrong behaviours on for its processes to come.
    pub const fn plant(&mut self, planted: Planted) {
        self.planted = planted;
    }

    /// Its configuration.
    pub fn config(&self) -> &BrokerConfig {
        &self.config
    }

    /// The store's configuration.
    pub fn store_config(&self) -> &StoreConfig {
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
            State::Up(process) => Some(Arc::make_mut(process)),
            State::Down(_) => None,
        }
    }

    /// What the newest start found, as far as it came.
    pub const fn last_start(&self) -> Option<&LastStart> {
        self.last_start.as_ref()
    }

    pub(crate) fn set_last_start(&mut self, start: LastStart) {
        self.last_start = Some(start);
    }

    /// The run's events are numbered from here on: the event of the last start is none of them.
    pub(crate) fn forget_start_event(&mut self) {
        if let Some(start) = &mut self.last_start {
            start.seq = None;
        }
        if let Some(process) = self.process_mut() {
            process.forget_delay_causes();
        }
    }

    /// A second process on the same store: it loads and recovers it, with all that this does to the files, and fails at
    /// the lock. The first one goes on with what it has in memory; files that the second one removed live on for it
    /// without a name, as mapped files do, and are gone when it ends.
    pub(crate) fn second_process(&mut self, turn: &mut Turn<'_>) {
        let Some(process) = self.process_mut() else { return };
        let disk = std::mem::take(process.store_mut().disk_mut());
        let before = disk.clone();
        let tables = self.last_read.tables(&disk, &self.config);
        let mut left = match Process::load(Box::new(disk), tables, &self.settings(), turn) {
            Ok(second) => second.into_disk(),
            Err(disk) => *disk,
        };
        left.keep_open(&before);
        *self.disk_mut() = left;
    }

    fn settings(&self) -> Settings<'_> {
        Settings {
            config: &self.config,
            store_config: &self.store_config,
            store_host: self.store_host,
            name_servers: &self.name_servers,
            planted: self.planted,
        }
    }

    /// Whether there is a process that takes requests.
    pub fn is_running(&self) -> bool {
        self.process().is_some_and(Process::is_running)
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

    /// Somebody else did something to the disk.
    pub(crate) fn disk_changed(&mut self, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.watch_disk(turn);
            process.plan_deliveries(turn);
            process.plan_check(turn);
        }
    }

    /// The pull of a call ran out of time and was sent again, often: the last one waits until `until_ms`, milliseconds since
    /// the epoch.
    pub(crate) fn pull_renewed(&mut self, call: CallId, until_ms: i64) {
        if let Some(process) = self.process_mut() {
            process.pull_renewed(call, until_ms);
        }
    }

    pub(crate) fn disk_mut(&mut self) -> &mut MemoryDisk {
        match &mut self.state {
            State::Up(process) => Arc::make_mut(process).store_mut().disk_mut(),
            State::Down(disk) => disk,
        }
    }
}

impl Actor for Broker {
    fn services(&self) -> Vec<Service> {
        // Those of a slave are named apart: a page lists what can be paused.
        macro_rules! with {
            ($($of_role:ident),*) => {
                vec![
                    Service::Remoting,
                    Service::Put,
                    Service::EndTransaction,
                    Service::Pull,
                    Service::PullHold,
                    Service::Query,
                    Service::Admin,
                    Service::ClientManage,
                    Service::ConsumerManage,
                    Service::Reput,
                    Service::CommitCommitLog,
                    Service::FlushCommitLog,
                    Service::FlushDiskWatcher,
                    Service::FlushConsumeQueue,
                    Service::CleanFiles,
                    Service::PersistOffset,
                    Service::Register,
                    Service::HaAccept,
                    Service::HaRead,
                    Service::HaTransfer,
                    $(Service::$of_role,)*
                    Service::ClientHousekeeping,
                    Service::FastFailure,
                ]
            };
        }
        match self.store_config.broker_role {
            BrokerRole::Slave => with!(HaClient, SlaveSync),
            BrokerRole::AsyncMaster | BrokerRole::SyncMaster => with!(GroupTransfer, Schedule, TransactionCheck),
        }
    }

    fn lane(&self, request: &Request) -> Service {
        match request {
            Request::SendMessage(_)
            | Request::SendMessageV2(_)
            | Request::SendBatchMessage(_)
            | Request::ConsumerSendMsgBack(_) => Service::Put,
            Request::EndTransaction(_) => Service::EndTransaction,
            Request::PullMessage(_) => Service::Pull,
            Request::QueryMessage(_) | Request::ViewMessageById(_) => Service::Query,
            Request::HeartBeat(_) | Request::UnregisterClient(_) | Request::CheckClientConfig(_) => {
                Service::ClientManage
            }
            Request::GetConsumerListByGroup(_) | Request::QueryConsumerOffset(_) | Request::UpdateConsumerOffset(_) => {
                Service::ConsumerManage
            }
            _ => Service::Admin,
        }
    }

    fn start(&mut self, turn: &mut Turn<'_>) {
        let State::Down(disk) = &mut self.state else { return };
        let disk = std::mem::take(disk);
        let tables = self.last_read.tables(&disk, &self.config);
        self.state = match Process::load(disk, tables, &self.settings(), turn) {
            Ok(process) => State::Up(Arc::new(process)),
            Err(disk) => {
                turn.exit();
                State::Down(disk)
            }
        };
    }

    fn stop(&mut self, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.stop(turn);
        }
    }

    fn die(&mut self) {
        let mut disk = match &mut self.state {
            State::Down(disk) => std::mem::take(&mut **disk),
            // Where a copy shares the process, there is no need to copy more than the disk.
            State::Up(process) => match Arc::get_mut(process) {
                Some(process) => std::mem::take(process.store_mut().disk_mut()),
                None => process.store().disk().clone(),
            },
        };
        disk.process_kill();
        self.state = State::Down(Box::new(disk));
    }

    fn turns_away(&self, pool: Pool, waiting: usize, now: Moment) -> Option<&'static str> {
        self.process()?.turns_away(pool, waiting, now)
    }

    fn clearing(&self, pool: Pool, since_ms: i64, now: Moment) -> Option<Clearing> {
        self.process()?.clearing(pool, since_ms, now)
    }

    fn cleared(&mut self, requests: Vec<Cleared>, turn: &mut Turn<'_>) {
        if self.process().is_some() {
            Process::answer_cleared(&requests, turn);
        }
    }

    fn request(&mut self, caller: &Caller, request: Request, turn: &mut Turn<'_>) {
        match self.process_mut() {
            Some(process) => {
                process.request(caller, request, turn);
                process.watch_disk(turn);
            }
            None => turn.reply(caller, Response::failure(ResponseCode::SystemError, "the broker is not running")),
        }
    }

    fn answer(&mut self, service: Service, answer: Answer, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            match service {
                Service::Register => process.registered(&answer, turn),
                Service::SlaveSync => process.synced(answer, turn),
                Service::Process => process.unregistered(&answer, turn),
                _ => {}
            }
        }
    }

    fn wake(&mut self, service: Service, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.wake(service, turn);
            process.watch_disk(turn);
        }
    }

    fn closed(&mut self, service: Service, conn: ConnId, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            match service {
                Service::HaRead => process.slave_lost(conn),
                Service::HaClient => process.master_lost(conn, turn),
                _ => process.channel_closed(conn, turn),
            }
        }
    }

    fn connected(&mut self, service: Service, conn: ConnId, peer: &str, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.ha_connected(service, conn, peer, turn);
        }
    }

    fn unconnected(&mut self, _service: Service, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.master_unreachable(turn);
        }
    }

    fn bytes(&mut self, service: Service, conn: ConnId, bytes: &Bytes, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.ha_bytes(service, conn, bytes, turn);
        }
    }

    fn heartbeats_parked(&mut self, service: Service, conn: ConnId, last: Option<Moment>, more: bool) {
        if let Some(process) = self.process_mut() {
            process.ha_passed(service, conn, last, more);
        }
    }

    fn renewed(&mut self, service: Service, conn: ConnId, at_ms: i64, parked: bool) {
        if let Some(process) = self.process_mut() {
            // A client's other exchanges say nothing of its being alive.
            if service == Service::Heartbeat {
                process.clients.renewed(conn, at_ms, parked);
            }
            process.ha_renewed(conn, at_ms, parked);
        }
    }

    fn rounds_passed(&mut self, service: Service, conn: Option<ConnId>, last: Moment) {
        if let (Service::LockQueues, Some(conn), Some(process)) = (service, conn, self.process_mut()) {
            process.locks_passed(conn, last.wall_ms);
        }
    }

    fn polling(&self) -> Option<u64> {
        self.process().map(Process::polling)
    }

    fn polls_back(&mut self, turn: &mut Turn<'_>) {
        if let Some(process) = self.process() {
            process.plan_hold_check(turn);
        }
    }

    fn disturbed(&mut self, turn: &mut Turn<'_>) {
        if let Some(process) = self.process_mut() {
            process.set_housekeeping(turn);
            process.plan_clean_up(turn.now_us(), turn);
            process.plan_flushes(turn);
            process.plan_deliveries(turn);
            process.plan_check(turn);
            process.ha_disturbed(turn);
        }
    }
}
