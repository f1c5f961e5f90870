//! The files that a running broker saves again and again: `consumerOffset.json` every 5 s, `consumerFilter.json` and
//! `delayOffset.json` every 10 s.
//!
//! 4.9.8 writes them whether or not something has changed. Here a round is left out that would change neither the file
//! nor its copy `.bak`, and a table in which nothing stands yet waits for its first entry.

use super::{ConsumerFilters, Process, config_file::ConfigFile};
use crate::{
    node::{Grid, Service, Turn},
    store::{StoreConfig, config_file},
};

/// The first save after the start, of all of them, microseconds.
const FIRST_US: i64 = 10_000_000;

/// From save to save of the filter data, milliseconds.
const FILTERS_MS: i64 = 10_000;

/// Rounds that a change is worth: the file's own, and the one that changes its copy.
const ROUNDS: u32 = 2;

/// The calendars of the files.
#[derive(Clone, Debug)]
pub(super) struct Persisting {
    consumer_offsets: Saves,
    filters: Saves,
    delay_offsets: Saves,
}

/// When a file is saved.
#[derive(Clone, Debug)]
struct Saves {
    grid: Grid,
    /// Rounds to come that change something.
    rounds: u32,
    due_us: Option<i64>,
}

impl Persisting {
    /// The calendars of a process that starts now; `consumer_ms` is `flushConsumerOffsetInterval`.
    pub(super) fn new(consumer_ms: i64, config: &StoreConfig, now_us: i64) -> Self {
        Self {
            consumer_offsets: Saves::new(consumer_ms, now_us),
            filters: Saves::new(FILTERS_MS, now_us),
            delay_offsets: Saves::new(config.flush_delay_offset_interval, now_us),
        }
    }

    /// The schedule service starts, and with it the calendar of its file.
    pub(super) fn start_delay(&mut self, config: &StoreConfig, now_us: i64) {
        self.delay_offsets = Saves::new(config.flush_delay_offset_interval, now_us);
    }
}

impl Saves {
    fn new(period_ms: i64, now_us: i64) -> Self {
        let grid = Grid::new(now_us.saturating_add(FIRST_US), period_ms.saturating_mul(1000));
        Self { grid, rounds: 0, due_us: None }
    }

    /// Something has changed that the file does not say yet.
    fn changed(&mut self, now_us: i64) -> i64 {
        self.rounds = ROUNDS;
        let next_us = self.grid.after(now_us);
        let due_us = self.due_us.get_or_insert(next_us);
        *due_us = next_us.min(*due_us);
        *due_us
    }

    /// Something is going to change at `time_us` by itself: the round after it does that. Nothing, if there is a round before
    /// already.
    fn changes_at(&mut self, time_us: i64, now_us: i64) {
        if self.due_us.is_none() {
            self.rounds = ROUNDS;
            self.due_us = Some(self.grid.at_or_after(time_us).max(self.grid.after(now_us)));
        }
    }

    /// Whether a round is to be done now. The next one is planned.
    fn take(&mut self, now_us: i64) -> bool {
        if self.due_us.is_none_or(|due_us| due_us > now_us) {
            return false;
        }
        self.rounds = self.rounds.saturating_sub(1);
        self.due_us = (self.rounds > 0).then(|| self.grid.after(now_us));
        true
    }
}

impl Process {
    /// A consumer offset is set that the file does not say.
    pub(super) fn consumer_offsets_changed(&mut self, turn: &mut Turn<'_>) {
        let at_us = self.persisting.consumer_offsets.changed(turn.now_us());
        turn.wake_for_work(Service::PersistOffset, at_us);
    }

    /// A delay level has gone on, or the file says something else than the service knows.
    pub(super) fn delay_offsets_changed(&mut self, turn: &mut Turn<'_>) {
        let at_us = self.persisting.delay_offsets.changed(turn.now_us());
        turn.wake_for_work(Service::PersistOffset, at_us);
    }

    /// The filter data are others than the file says.
    pub(super) fn filter_file_changed(&mut self, turn: &mut Turn<'_>) {
        let at_us = self.persisting.filters.changed(turn.now_us());
        turn.wake_for_work(Service::PersistOffset, at_us);
    }

    /// The process has started: if the file of the filter data, or its copy, does not say what the next round would write,
    /// there will be one.
    pub(super) fn compare_filter_file(&mut self, turn: &mut Turn<'_>) {
        let text = self.filters.to_text();
        let says = |path: &str| config_file::read_text(self.store.disk(), path).is_some_and(|there| there == text);
        if !says(ConsumerFilters::PATH) || !says(&config_file::backup_path(ConsumerFilters::PATH)) {
            self.filter_file_changed(turn);
        }
    }

    /// Saves the filter data, but those that have been dead for too long.
    pub(super) fn save_filters(&mut self, turn: &mut Turn<'_>) {
        self.filters.clean(self.config.filter_data_clean_time_span, turn.wall_ms());
        self.save(turn, |process| &process.filters);
    }

    /// One round of one of the files.
    pub(super) fn persist_offsets(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        if self.persisting.consumer_offsets.take(now_us) {
            self.save(turn, |process| &process.offsets);
        } else if self.persisting.filters.take(now_us) {
            self.save_filters(turn);
            if let Some(clean_ms) = self.filters.next_clean_ms(self.config.filter_data_clean_time_span) {
                self.persisting.filters.changes_at(turn.us_at_wall(clean_ms), now_us);
            }
        } else if self.persisting.delay_offsets.take(now_us) && !self.is_log_closed() {
            self.store.persist_delay_offsets(turn);
        }
        let Persisting { consumer_offsets, filters, delay_offsets } = &self.persisting;
        for due_us in [consumer_offsets.due_us, filters.due_us, delay_offsets.due_us].into_iter().flatten() {
            turn.wake_at(Service::PersistOffset, due_us);
        }
    }
}
