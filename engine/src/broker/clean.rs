//! Clean-up of old files, the look at the disk and the self check: tasks that 4.9.8 runs at a fixed rate
//! (`DefaultMessageStore.addScheduleTask`).
//!
//! Runs that would find nothing to do are left out: the next one is set to the first of its moments at which a file may
//! go or a flag change, as far as that can be known, and set anew whenever the use of the disk changes.

use super::Process;
use crate::{
    disk::memory::Room,
    node::{BrokerStep, Grid, NodeStep, Service, Turn},
    store::{CleanUpDue, DiskUse, MissingFiles, StoreConfig},
};

/// The first clean-up after the start, microseconds.
const FIRST_CLEAN_US: i64 = 60_000_000;

/// The first look at the disk after the start, microseconds.
const FIRST_LOOK_US: i64 = 1_000_000;

/// From look to look, microseconds.
const LOOK_PERIOD_US: i64 = 10_000_000;

/// The first self check after the start, microseconds.
const FIRST_CHECK_US: i64 = 60_000_000;

/// From self check to self check, microseconds.
const CHECK_PERIOD_US: i64 = 600_000_000;

/// The hour in milliseconds.
const HOUR_MS: i64 = 3_600_000;

/// The tasks' calendars.
#[derive(Clone, Debug)]
pub(super) struct Cleaning {
    clean: Task,
    look: Task,
    check: Task,
    /// What the self check has told of. 4.9.8 says it again every ten minutes.
    told: Vec<MissingFiles>,
    /// The use of the disk when the tasks were last planned.
    seen: Option<Room>,
}

/// A task and its next run, if there is one to be run.
#[derive(Clone, Debug)]
struct Task {
    grid: Grid,
    due_us: Option<i64>,
}

impl Cleaning {
    /// The calendars of a store that starts now.
    pub(super) fn new(config: &StoreConfig, now_us: i64) -> Self {
        let task = |first_us: i64, period_us: i64| Task {
            grid: Grid::new(now_us.saturating_add(first_us), period_us),
            due_us: None,
        };
        let period_us = i64::from(config.clean_resource_interval).saturating_mul(1000);
        Self {
            clean: task(FIRST_CLEAN_US, period_us),
            look: task(FIRST_LOOK_US, LOOK_PERIOD_US),
            check: task(FIRST_CHECK_US, CHECK_PERIOD_US),
            told: Vec::new(),
            seen: None,
        }
    }
}

impl Task {
    /// The run whose time has come, if there is one. It is set no more.
    fn take(&mut self, now_us: i64) -> Option<i64> {
        self.due_us.take_if(|due_us| *due_us <= now_us)
    }

    /// Sets the next run to `at_us`, unless an earlier one is set.
    fn set(&mut self, at_us: i64, turn: &mut Turn<'_>) {
        let at_us = self.due_us.map_or(at_us, |due_us| due_us.min(at_us));
        self.due_us = Some(at_us);
        turn.wake_at(Service::CleanFiles, at_us);
    }
}

impl Process {
    /// The use of the machine's disk, which holds everything.
    pub(super) fn disk_ratio(&self) -> f64 {
        Room::of(self.store.disk()).ratio()
    }

    fn disk_use(&self) -> DiskUse {
        let ratio = self.disk_ratio();
        DiskUse { commit_log: ratio, consume_queue: ratio }
    }

    /// One run of one of the tasks. Runs of the clean-up that were held up follow one on the other, as a fixed rate has
    /// it.
    pub(super) fn clean_files(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let mut from_us = now_us;
        if self.cleaning.look.take(now_us).is_some() {
            self.store.check_space(self.disk_ratio(), turn);
        } else if self.cleaning.check.take(now_us).is_some() {
            self.check_self(turn);
        } else if let Some(due_us) = self.cleaning.clean.take(now_us) {
            from_us = due_us;
            self.store.clean_files(self.disk_use(), turn);
        }
        self.plan_clean_up(from_us, turn);
        // A flag may be cleared, a file gone.
        self.plan_deliveries(turn);
    }

    /// Tells of files that are missing between others (`checkSelf`).
    fn check_self(&mut self, turn: &mut Turn<'_>) {
        let missing = self.store.check_self();
        for MissingFiles { directory, from, to } in missing.iter().filter(|gap| !self.cleaning.told.contains(gap)) {
            turn.step(BrokerStep::FilesMissing { directory: directory.clone(), from: *from, to: *to });
        }
        self.cleaning.told = missing;
    }

    /// Plans the tasks anew if the use of the disk has changed: a file came or went, or others' bytes did.
    pub(super) fn watch_disk(&mut self, turn: &mut Turn<'_>) {
        if self.cleaning.seen != Some(Room::of(self.store.disk())) {
            self.plan_clean_up(turn.now_us(), turn);
        }
    }

    /// Sets the next run of each task after `from_us` that may find something to do. There is none from the moment on
    /// at which the stop begins (`DefaultMessageStore.shutdown` ends the timers before it lets the world settle).
    pub(super) fn plan_clean_up(&mut self, from_us: i64, turn: &mut Turn<'_>) {
        if !self.is_running() {
            return;
        }
        self.cleaning.seen = Some(Room::of(self.store.disk()));
        if self.store.is_space_flag_due(self.disk_ratio()) {
            let at_us = self.cleaning.look.grid.after(turn.now_us());
            self.cleaning.look.set(at_us, turn);
        }
        if self.store.check_self() != self.cleaning.told {
            let at_us = self.cleaning.check.grid.after(turn.now_us());
            self.cleaning.check.set(at_us, turn);
        }
        let next_us = self.cleaning.clean.grid.after(from_us);
        let at_us = match self.store.clean_up_due(self.disk_use()) {
            CleanUpDue::Never => None,
            CleanUpDue::Next => Some(next_us),
            CleanUpDue::Expiry(ms) => Some(next_us.max(self.cleaning.clean.grid.at_or_after(turn.us_at_wall(ms)))),
            CleanUpDue::ExpiryInHour(ms) => self.run_in_hour(next_us, ms, turn),
        };
        if let Some(at_us) = at_us {
            self.cleaning.clean.set(at_us, turn);
        }
    }

    /// The first run from `next_us` on at which the wall clock shows `ms` or later and one of the hours of `deleteWhen`;
    /// none if that names no hour of the day.
    fn run_in_hour(&self, next_us: i64, ms: i64, turn: &Turn<'_>) -> Option<i64> {
        let grid = &self.cleaning.clean.grid;
        let mut at_us = next_us.max(grid.at_or_after(turn.us_at_wall(ms)));
        for _ in 0..24 {
            let wall_ms = turn.wall_ms_at(at_us);
            if self.store.is_time_to_delete(wall_ms) {
                return Some(at_us);
            }
            let hour_ms = wall_ms.div_euclid(HOUR_MS).saturating_add(1).saturating_mul(HOUR_MS);
            at_us = grid.at_or_after(turn.us_at_wall(hour_ms));
        }
        None
    }

    /// An administrator lets the next clean-ups delete at any hour (`DELETE_EXPIRED_COMMITLOG`).
    pub(crate) fn delete_expired(&mut self, turn: &mut Turn<'_>) {
        self.store.execute_delete_files_manually();
        turn.step(NodeStep::DeletionOrdered);
        self.plan_clean_up(turn.now_us(), turn);
    }
}
