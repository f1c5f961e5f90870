//! Deliveries whose results are taken in later (`enableScheduleAsyncDeliver`: `PutResultProcess`, `HandlePutResultTask`).

use std::collections::VecDeque;

use crate::{
    node::Grid,
    store::{DelayedUnit, StoreConfig},
};

/// The task that takes results in looks again after this (`DELAY_FOR_A_SLEEP`), microseconds.
const LOOK_US: i64 = 10_000;

/// A message that fails again and again is put again after this much more each time, milliseconds ...
const PAUSE_STEP_MS: i64 = 100;

/// ... but after no more than this.
const PAUSE_MAX_MS: i64 = 60_000;

/// A put of which the result waits.
#[derive(Clone, Debug)]
pub(super) struct Delivered {
    pub(super) queue_offset: i64,
    pub(super) unit: DelayedUnit,
    pub(super) succeeded: bool,
    /// How often it was put again.
    pub(super) resends: u32,
}

/// The results of one level, in the order of the puts.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    results: VecDeque<Delivered>,
    looks: Grid,
    /// When the first one is put again, while that is waited for.
    resend_us: Option<i64>,
}

impl Pending {
    pub(super) const fn new(first_us: i64) -> Self {
        Self { results: VecDeque::new(), looks: Grid { start_us: first_us, period_us: LOOK_US }, resend_us: None }
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.results.len()).unwrap_or(u32::MAX)
    }

    /// How often the first was put again.
    pub(super) fn first_resends(&self) -> u32 {
        self.results.front().map_or(0, |first| first.resends)
    }

    /// Whether no more may be put before some results are taken in (`asyncDeliver`).
    pub(super) fn holds_back(&self, config: &StoreConfig) -> bool {
        i64::from(self.len()) > config.schedule_async_deliver_max_pending_limit.into()
            || i64::from(self.first_resends()) > config.schedule_async_deliver_max_resend_num_2_blocked.into()
    }

    /// Whether a message whose record is gone is given up after so many tries (`need2Skip`).
    pub(super) fn gives_up(resends: u32, config: &StoreConfig) -> bool {
        i64::from(resends) > i64::from(config.schedule_async_deliver_max_resend_num_2_blocked) * 2
    }

    pub(super) fn push(&mut self, delivered: Delivered) {
        self.results.push_back(delivered);
    }

    pub(super) fn first(&self) -> Option<&Delivered> {
        self.results.front()
    }

    pub(super) fn first_succeeded(&mut self) {
        if let Some(first) = self.results.front_mut() {
            first.succeeded = true;
        }
    }

    /// Gives the first up.
    pub(super) fn skip(&mut self) {
        self.results.pop_front();
    }

    /// Takes the results off the front that have succeeded; where the progress stands after the last of them.
    pub(super) fn take_succeeded(&mut self) -> Option<i64> {
        let mut progress = None;
        while self.results.front().is_some_and(|first| first.succeeded) {
            progress = self.results.pop_front().map(|done| done.queue_offset.saturating_add(1));
        }
        progress
    }

    /// When results are next looked at, microseconds; `None` without any.
    pub(super) fn due_us(&self, now_us: i64) -> Option<i64> {
        (!self.results.is_empty()).then(|| self.resend_us.unwrap_or_else(|| self.looks.at_or_after(now_us)))
    }

    /// Whether the first is to be put again, and when that is is known.
    pub(super) const fn waits_to_resend(&self) -> bool {
        self.resend_us.is_some()
    }

    /// The first result is a failure: it is put again after a pause, which is answered in milliseconds.
    pub(super) fn set_resend(&mut self, now_us: i64) -> i64 {
        let pause_ms = i64::from(self.first_resends()).saturating_mul(PAUSE_STEP_MS).min(PAUSE_MAX_MS);
        if let Some(first) = self.results.front_mut() {
            first.resends = first.resends.saturating_add(1);
        }
        self.resend_us = Some(now_us.saturating_add(pause_ms.saturating_mul(1000)));
        pause_ms
    }

    /// Whether the pause before the first is put again is over. It is so only once.
    pub(super) fn take_resend(&mut self, now_us: i64) -> bool {
        self.resend_us.take_if(|resend_us| *resend_us <= now_us).is_some()
    }

    /// Nothing is left to be taken in now.
    pub(super) fn end_look(&mut self, now_us: i64) {
        self.looks.start_us = now_us.saturating_add(LOOK_US);
    }
}
