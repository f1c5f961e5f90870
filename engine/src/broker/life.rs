//! The life of a broker's process: start in turns, and orderly stop (`BrokerController.initialize`, `start`, `shutdown`).
//!
//! ```text
//! load and recover ──▶ Starting ──▶ Running ──▶ Stopping: settling ──▶ draining ──▶ leaving ──▶ the process ends
//!                      reput catches up         1 s                    reput, 5 s   NameServers
//! ```

use std::sync::Arc;

use super::{
    BrokerConfig, Clients, ConsumerFilters, ConsumerOffsets, Ha, Process, answers::Answers, answers::Promised,
    clean::Cleaning, config_file::ConfigFile, filters::bit_maps, flush::Flushing, hold::Holds, locks::Locks,
    persist::Persisting, register::Registering, schedule::Schedule, slave::SlaveSync, tables::Tables,
    transaction::Transactions,
};
use crate::{
    disk::{Disk, MemoryDisk},
    message::Host,
    node::{Answer, BrokerStep, Grid, NodeStep, Service, Turn},
    planted::Planted,
    store::{BitMapCalculator, Store, StoreConfig, config_file},
    wire::{Request, UnregisterBroker},
};

/// `DefaultMessageStore.start` looks so often whether everything is dispatched, microseconds.
const LOOK_PERIOD_US: i64 = 1_000_000;

/// `DefaultMessageStore.shutdown` lets the world settle for so long, microseconds.
const SETTLE_US: i64 = 1_000_000;

/// `ReputMessageService.shutdown` looks so often whether everything is dispatched, microseconds ...
const DRAIN_PERIOD_US: i64 = 100_000;

/// ... and gives up after so long.
const DRAIN_US: i64 = 5_000_000;

/// How long the answer of a NameServer to the farewell is waited for (`unregisterBroker`), milliseconds.
const FAREWELL_TIMEOUT_MS: i64 = 3_000;

/// Where a process is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The store is recovered, and what waits is being dispatched. Nobody can connect yet.
    Starting {
        /// When it looks whether everything is dispatched.
        looks: Grid,
    },
    /// Requests are taken.
    Running,
    /// Nobody can connect any more.
    Stopping(Stopping),
}

/// The parts of an orderly stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopping {
    /// Puts are refused, the services still run.
    Settling,
    /// The CommitLog is flushed; what waits is being dispatched.
    Draining {
        /// When it looks whether everything is dispatched.
        looks: Grid,
        /// When it no longer waits, microseconds.
        until_us: i64,
    },
    /// The store is closed; the NameServers are told.
    Leaving {
        /// NameServers that have not answered yet.
        open: usize,
    },
}

/// What a process needs to start, apart from its disk.
pub(super) struct Settings<'a> {
    pub(super) config: &'a Arc<BrokerConfig>,
    pub(super) store_config: &'a Arc<StoreConfig>,
    pub(super) store_host: Host,
    pub(super) name_servers: &'a Arc<[String]>,
    pub(super) planted: Planted,
}

impl Process {
    /// Loads what the disk holds, recovers it and begins to start; the managers' tables have been read, or not. The disk
    /// if it cannot: it is then as a broker that gave up leaves it, the consumer offsets written once more on the way out.
    pub(super) fn load(
        disk: Box<MemoryDisk>,
        (tables, read): (Tables, Result<(), String>),
        settings: &Settings<'_>,
        turn: &mut Turn<'_>,
    ) -> Result<Self, Box<MemoryDisk>> {
        let Settings { config, store_config, store_host, name_servers, planted } = *settings;
        let Tables { topics, offsets, groups, mut filters } = tables;
        filters.loaded(turn.wall_ms());
        let started = match read {
            Ok(()) => load_store(*disk, store_config, bit_maps(&filters, config), turn),
            Err(cause) => Err((disk, cause)),
        };
        let mut store = match started {
            Ok(store) => store,
            Err((mut disk, cause)) => {
                turn.step(NodeStep::StartFailed { cause });
                save(&mut disk, ConsumerOffsets::PATH, &offsets.to_text(), turn);
                save(&mut disk, ConsumerFilters::PATH, &filters.to_text(), turn);
                return Err(disk);
            }
        };
        store.plant(planted);
        let now_us = turn.now_us();
        let mut process = Self {
            phase: Phase::Starting { looks: Grid::new(now_us, LOOK_PERIOD_US) },
            flushing: Flushing::new(store.config(), turn),
            cleaning: Cleaning::new(store.config(), now_us),
            holds: Holds::new(config, now_us),
            registering: Registering::new(config, now_us),
            reput: Grid::new(now_us, super::process::REPUT_PERIOD_US),
            persisting: Persisting::new(config.flush_consumer_offset_interval, store.config(), now_us),
            schedule: Schedule::default(),
            transactions: Transactions::default(),
            housekeeping: Grid::new(now_us.saturating_add(10_000_000), 10_000_000),
            fast_failure: super::fast_failure::rounds(now_us),
            stalled_put: None,
            config: Arc::clone(config),
            store,
            store_host,
            name_servers: Arc::clone(name_servers),
            topics,
            offsets,
            groups,
            filters,
            clients: Clients::default(),
            locks: Locks::default(),
            waiting_puts: Vec::new(),
            answers: Answers::default(),
            ha: Ha::default(),
            slave_sync: SlaveSync::new(now_us),
            appended: std::collections::VecDeque::new(),
            planted,
            promised: Promised::default(),
        };
        process.wake_reput(process.next_reput_us(turn), turn);
        process.look_on(turn);
        Ok(process)
    }

    /// Gives the disk back: what stays when the process ends.
    pub(super) fn into_disk(self) -> MemoryDisk {
        self.store.into_disk()
    }

    /// Where it is in its life.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether requests are taken: the start is over, and no stop has begun.
    pub const fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running)
    }

    /// Whether the services of a running broker work: not before the start is over, nor once the store is closed.
    pub(super) const fn has_services(&self) -> bool {
        !matches!(self.phase, Phase::Starting { .. } | Phase::Stopping(Stopping::Leaving { .. }))
    }

    /// Whether the services of the CommitLog have ended, as they do in the middle of a stop.
    pub(super) const fn is_log_closed(&self) -> bool {
        matches!(self.phase, Phase::Stopping(Stopping::Draining { .. } | Stopping::Leaving { .. }))
    }

    /// Reput has done something, or nothing: whoever waits for it to catch up looks at the next of his moments. Looks
    /// that would find the same as the one before are left out.
    pub(super) fn look_on(&self, turn: &mut Turn<'_>) {
        let (Phase::Starting { looks } | Phase::Stopping(Stopping::Draining { looks, .. })) = self.phase else {
            return;
        };
        if self.store.dispatch_behind_bytes() <= 0 {
            turn.wake_for_work(Service::Process, looks.at_or_after(turn.now_us()));
        }
    }

    /// The next part of a start or a stop, if its time has come.
    pub(super) fn go_on(&mut self, turn: &mut Turn<'_>) {
        let caught_up = self.store.dispatch_behind_bytes() <= 0;
        match self.phase {
            Phase::Starting { .. } if caught_up => self.finish_start(turn),
            Phase::Stopping(Stopping::Settling) => self.close_log(turn),
            Phase::Stopping(Stopping::Draining { until_us, .. }) if caught_up || turn.now_us() >= until_us => {
                self.close_store(turn);
            }
            Phase::Stopping(Stopping::Leaving { open: 0 }) => self.leave(turn),
            _ => {}
        }
    }

    /// The second half of `DefaultMessageStore.start`, and what follows in `BrokerController.start`.
    fn finish_start(&mut self, turn: &mut Turn<'_>) {
        if let Err(error) = self.store.finish_start(turn) {
            turn.step(NodeStep::StartFailed { cause: error.to_string() });
            return self.give_up(turn);
        }
        let now_us = turn.now_us();
        self.phase = Phase::Running;
        self.flushing = Flushing::new(self.store.config(), turn);
        self.cleaning = Cleaning::new(self.store.config(), now_us);
        self.holds = Holds::new(&self.config, now_us);
        self.registering = Registering::new(&self.config, now_us);
        self.fast_failure = super::fast_failure::rounds(now_us);
        self.slave_sync = SlaveSync::new(now_us);
        turn.step(BrokerStep::BrokerStarted);
        // Whoever tried in vain to connect finds somebody from here on.
        turn.disturb();
        self.start_ha(turn);
        self.start_schedule(turn);
        self.start_transaction_checks(turn);
        // The first round of the flush service is a thorough one.
        self.wake_queue_flush(turn);
        turn.wake_at(Service::Register, self.registering.grid.start_us);
        self.register_all(true, turn);
        self.plan_clean_up(now_us, turn);
        self.compare_filter_file(turn);
    }

    /// The process is asked to end.
    pub(super) fn stop(&mut self, turn: &mut Turn<'_>) {
        turn.step(NodeStep::StopBegan);
        if !self.is_running() {
            return self.give_up(turn);
        }
        self.holds = Holds::new(&self.config, turn.now_us());
        turn.stop_listening();
        self.store.refuse_work();
        self.phase = Phase::Stopping(Stopping::Settling);
        turn.wake_for_work(Service::Process, turn.now_us().saturating_add(SETTLE_US));
    }

    /// A start that does not come to its end: the lock is given back, the offsets are written.
    fn give_up(&mut self, turn: &mut Turn<'_>) {
        self.store.shutdown(turn);
        self.leave(turn);
    }

    fn close_log(&mut self, turn: &mut Turn<'_>) {
        self.stop_schedule(turn);
        self.stop_ha(turn);
        self.stop_log_services(turn);
        self.waiting_puts.clear();
        self.answers = Answers::default();
        let now_us = turn.now_us();
        let until_us = now_us.saturating_add(DRAIN_US);
        self.phase = Phase::Stopping(Stopping::Draining { looks: Grid::new(now_us, DRAIN_PERIOD_US), until_us });
        turn.wake_for_work(Service::Process, until_us);
        self.look_on(turn);
    }

    fn close_store(&mut self, turn: &mut Turn<'_>) {
        let stalls_ms = self.stalls_ms(turn, |store, env| {
            store.finish_shutdown(env);
        });
        turn.spend_us(stalls_ms.saturating_mul(1000));
        self.store.finish_shutdown(turn);
        let config = &self.config;
        let request = Request::UnregisterBroker(UnregisterBroker {
            broker_name: config.broker_name.clone(),
            broker_addr: self.store_host.to_string(),
            cluster_name: config.broker_cluster_name.clone(),
            broker_id: config.broker_id,
        });
        for addr in &*self.name_servers {
            turn.call(Service::Process, addr, request.clone(), FAREWELL_TIMEOUT_MS);
        }
        self.phase = Phase::Stopping(Stopping::Leaving { open: self.name_servers.len() });
        self.go_on(turn);
    }

    /// A NameServer has said goodbye, or has not.
    pub(super) fn unregistered(&mut self, _answer: &Answer, turn: &mut Turn<'_>) {
        if let Phase::Stopping(Stopping::Leaving { open }) = &mut self.phase {
            *open = open.saturating_sub(1);
            self.go_on(turn);
        }
    }

    fn leave(&mut self, turn: &mut Turn<'_>) {
        save(self.store.disk_mut(), ConsumerOffsets::PATH, &self.offsets.to_text(), turn);
        self.save_filters(turn);
        turn.step(NodeStep::ProcessEnded);
        turn.exit();
    }
}

/// Loads the store, takes its lock and finds where dispatch begins; otherwise the disk and the cause.
fn load_store(
    disk: MemoryDisk,
    config: &Arc<StoreConfig>,
    bit_maps: Option<Arc<dyn BitMapCalculator>>,
    turn: &mut Turn<'_>,
) -> Result<Store<MemoryDisk>, (Box<MemoryDisk>, String)> {
    match Store::load_marking(disk, Arc::clone(config), bit_maps, turn) {
        Ok(mut store) => match store.begin_start(turn) {
            Ok(()) => Ok(store),
            Err(error) => Err((Box::new(store.into_disk()), error.to_string())),
        },
        Err((error, disk)) => Err((Box::new(disk), error.to_string())),
    }
}

/// Saves one of the managers' files.
pub(super) fn save(disk: &mut MemoryDisk, path: &str, text: &str, turn: &mut Turn<'_>) {
    disk.set_time(turn.wall_ms());
    turn.step(match config_file::save(disk, path, text) {
        Ok(()) => NodeStep::ConfigWritten { path: path.to_owned(), len: text.len() as u64 },
        Err(error) => NodeStep::ConfigFailed { path: path.to_owned(), cause: error.to_string() },
    });
}
