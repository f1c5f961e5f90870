//! What a slave copies from its master beside the log (`SlaveSynchronize`): topics, consumer offsets, delivery offsets of
//! delayed messages, and groups.

use super::{ConsumerOffsets, Groups, Process, Topics, config_file::ConfigFile};
use crate::{
    disk::Disk,
    node::{Answer, Grid, HaStep, NodeStep, Service, Turn},
    store::{DELAY_OFFSETS_PATH, config_file},
    wire::{RegisterBrokerResponse, Request, Response, ResponseBody},
};

const FIRST_US: i64 = 3_000_000;
const PERIOD_US: i64 = 10_000_000;

/// How long an answer of the master is waited for, milliseconds.
const TIMEOUT_MS: i64 = 3_000;

/// A slave's copying.
#[derive(Clone, Debug)]
pub(super) struct SlaveSync {
    /// `ip:port` of the master, as the last registration told.
    master: Option<String>,
    grid: Grid,
    /// What has been asked for.
    table: Option<Table>,
    /// A round should have begun while the one before was under way.
    late: bool,
    /// The round has changed something.
    changed: bool,
    /// Rounds that changed nothing, one after the other.
    quiet: u32,
}

/// The tables in the order in which they are copied (`syncAll`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Topics,
    ConsumerOffsets,
    DelayOffsets,
    Groups,
}

impl Table {
    const fn request(self) -> Request {
        match self {
            Self::Topics => Request::GetAllTopicConfig,
            Self::ConsumerOffsets => Request::GetAllConsumerOffset,
            Self::DelayOffsets => Request::GetAllDelayOffset,
            Self::Groups => Request::GetAllSubscriptionGroupConfig,
        }
    }

    const fn next(self) -> Option<Self> {
        match self {
            Self::Topics => Some(Self::ConsumerOffsets),
            Self::ConsumerOffsets => Some(Self::DelayOffsets),
            Self::DelayOffsets => Some(Self::Groups),
            Self::Groups => None,
        }
    }
}

impl SlaveSync {
    pub(super) fn new(now_us: i64) -> Self {
        Self {
            master: None,
            grid: Grid::new(now_us.saturating_add(FIRST_US), PERIOD_US),
            table: None,
            late: false,
            changed: false,
            quiet: 0,
        }
    }
}

impl Process {
    /// `ip:port` of a slave's master, as the last registration told.
    pub fn master_addr(&self) -> Option<&str> {
        self.slave_sync.master.as_deref()
    }

    /// A NameServer told where the master is (`BrokerController.doRegisterBrokerAll`). The replication address is only
    /// ever replaced by another one, and not at all where it is configured; the other one goes with the master.
    pub(super) fn master_told(&mut self, told: RegisterBrokerResponse, turn: &mut Turn<'_>) {
        if !self.store.is_slave() {
            return;
        }
        let known = |addr: String| (!addr.is_empty()).then_some(addr);
        let (ha_server_addr, master_addr) = (known(told.ha_server_addr), known(told.master_addr));
        let configured = self.store.config().ha_master_address.as_ref().is_some_and(|addr| addr.len() >= 6);
        let news = master_addr != self.slave_sync.master
            || ha_server_addr.as_deref().is_some_and(|addr| self.ha.client().master() != Some(addr));
        if news {
            turn.step(HaStep::MasterTold { ha_server_addr: ha_server_addr.clone(), master_addr: master_addr.clone() });
        }
        if let Some(addr) = ha_server_addr.filter(|_| !configured) {
            self.set_ha_master(&addr, turn);
        }
        if master_addr != self.slave_sync.master {
            self.slave_sync.master = master_addr;
            self.slave_sync.quiet = 0;
            turn.wake_at(Service::SlaveSync, self.slave_sync.grid.after(turn.now_us()));
        }
    }

    /// A round begins, unless there is no master or it is this broker itself.
    pub(super) fn sync_with_master(&mut self, turn: &mut Turn<'_>) {
        let own = self.store_host.to_string();
        if self.slave_sync.master.as_ref().is_none_or(|addr| *addr == own) {
            return;
        }
        turn.wake_at(Service::SlaveSync, self.slave_sync.grid.after(turn.now_us()));
        if self.slave_sync.table.is_some() {
            self.slave_sync.late = true;
            return;
        }
        self.slave_sync.changed = false;
        self.ask_master(Some(Table::Topics), turn);
    }

    /// Asks for the next table; after the last one the round is over.
    fn ask_master(&mut self, table: Option<Table>, turn: &mut Turn<'_>) {
        self.slave_sync.table = table;
        if let (Some(table), Some(addr)) = (table, self.slave_sync.master.clone()) {
            turn.call(Service::SlaveSync, &addr, table.request(), TIMEOUT_MS);
            return;
        }
        self.slave_sync.table = None;
        let quiet = if self.slave_sync.changed { 0 } else { self.slave_sync.quiet.saturating_add(1) };
        self.slave_sync.quiet = quiet;
        if std::mem::take(&mut self.slave_sync.late) {
            self.sync_with_master(turn);
        } else if quiet > 1 {
            // The files and their copies are what they would be after the next round too.
            turn.park(Service::SlaveSync, self.slave_sync.grid.after(turn.now_us()), PERIOD_US);
        }
    }

    /// An answer of the master, or the news that there is none; the round goes on in either case.
    pub(super) fn synced(&mut self, answer: Answer, turn: &mut Turn<'_>) {
        let Some(table) = self.slave_sync.table else { return };
        if let Ok(Response { body: ResponseBody::Config(text), .. }) = answer.result {
            let taken = match table {
                Table::Topics => self.take_topics(&text, turn),
                Table::ConsumerOffsets => self.take_offsets(&text, turn),
                Table::DelayOffsets => Ok(self.take_delay_offsets(&text, turn)),
                Table::Groups => self.take_groups(&text, turn),
            };
            // A table that cannot be read is left alone, as in 4.9.8, which only logs it.
            if let Ok((path, changed)) = taken {
                self.slave_sync.changed |= changed;
                turn.step(HaStep::SlaveSynced { path: path.to_owned(), changed });
            }
        }
        self.ask_master(table.next(), turn);
    }

    /// The master's topics take the place of all of the slave's, if their version is another.
    fn take_topics(&mut self, text: &str, turn: &mut Turn<'_>) -> Result<(&'static str, bool), String> {
        let mut told = Topics::default();
        told.take_text(text)?;
        let changed = told.version != self.topics.version;
        if changed {
            self.topics = told;
            self.save(turn, |process| &process.topics);
            turn.disturb();
        }
        Ok((Topics::PATH, changed))
    }

    /// The master's offsets come over the slave's, topic and group as a whole; they are saved in any case.
    fn take_offsets(&mut self, text: &str, turn: &mut Turn<'_>) -> Result<(&'static str, bool), String> {
        let mut told = ConsumerOffsets::default();
        told.take_text(text)?;
        let changed = told.table.iter().any(|(key, queues)| self.offsets.table.get(key) != Some(queues));
        self.offsets.table.extend(told.table);
        self.save(turn, |process| &process.offsets);
        Ok((ConsumerOffsets::PATH, changed))
    }

    /// The master's file is copied as it comes; the slave itself delivers nothing.
    fn take_delay_offsets(&mut self, text: &str, turn: &mut Turn<'_>) -> (&'static str, bool) {
        let disk = self.store.disk_mut();
        disk.set_time(turn.wall_ms());
        let changed = config_file::read_text(disk, DELAY_OFFSETS_PATH).as_deref() != Some(text);
        let path = DELAY_OFFSETS_PATH.to_owned();
        turn.step(match config_file::save(disk, DELAY_OFFSETS_PATH, text) {
            Ok(()) => NodeStep::ConfigWritten { path, len: text.len() as u64 },
            Err(error) => NodeStep::ConfigFailed { path, cause: error.to_string() },
        });
        (DELAY_OFFSETS_PATH, changed)
    }

    /// The master's groups take the place of all of the slave's, if their version is another.
    fn take_groups(&mut self, text: &str, turn: &mut Turn<'_>) -> Result<(&'static str, bool), String> {
        let mut told = Groups::empty();
        told.take_text(text)?;
        let changed = told.version != self.groups.version;
        if changed {
            self.groups = told;
            self.save(turn, |process| &process.groups);
        }
        Ok((Groups::PATH, changed))
    }

    /// What a master answers to a slave that copies.
    pub(super) fn config_of(&self, request: &Request) -> Option<String> {
        match request {
            Request::GetAllTopicConfig => Some(self.topics.to_value().to_compact()),
            Request::GetAllConsumerOffset => Some(self.offsets.to_value().to_compact()),
            Request::GetAllDelayOffset => Some(self.store.delay_offsets_text()),
            Request::GetAllSubscriptionGroupConfig => Some(self.groups.to_value().to_compact()),
            _ => None,
        }
    }
}
