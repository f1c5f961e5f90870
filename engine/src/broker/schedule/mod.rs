//! Delivery of delayed messages (`ScheduleMessageService`): one task for each level, which looks at the head of its
//! queue every 100 ms, and puts what is due where it belongs.
//!
//! ```text
//! SCHEDULE_TOPIC_XXXX, queue level - 1:  [ unit | unit | unit ]     the tags code of a unit is the time of its delivery
//!                                          ▲ the task's place; delayOffset.json says where a restart goes on
//! ```
//!
//! A turn is one message of one level. Polls that would find nothing are left out: the next one is worked out from the
//! head of the queue, so neither eighteen idle levels nor a message that is due in two hours cost an event. The moments
//! stay those of 4.9.8: 100 ms after the end of the run before.

mod pending;
mod task;

pub(super) use self::task::Circumstances;
use self::{
    pending::{Delivered, Pending},
    task::{POLL_MS, Stuck, Task},
};
use super::Process;
use crate::{
    disk::MemoryDisk,
    message::{Message, delay::SCHEDULE_TOPIC},
    node::{BrokerStep, DelayStep, Service, Turn},
    store::{DelayedUnit, DispatchInfo, PutMessageStatus, Store, Undeliverable},
};

/// The first look of every task after the start (`FIRST_DELAY_TIME`), microseconds.
const FIRST_US: i64 = 1_000_000;

/// The tasks; none before the service starts, and at a slave.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    tasks: Vec<Task>,
}

/// What a turn of the service is for.
#[derive(Clone, Copy)]
enum Job {
    /// The message that a task stands at, by the task's place.
    Deliver(usize),
    /// Results of puts, by the task's place.
    Results(usize),
}

/// A level's task as pictures show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayTask {
    /// The level, from 1.
    pub level: i32,
    /// The next unit that it looks at.
    pub queue_offset: i64,
    /// When it will do something, microseconds of world time; `None` as long as nothing waits, or nothing can be done.
    pub due_us: Option<i64>,
    /// Whether a put was refused, or a message is broken, so that nothing moves on for now.
    pub stuck: bool,
    /// Puts of which the results wait.
    pub pending: u32,
}

impl Schedule {
    fn start(store: &Store<MemoryDisk>, now_us: i64) -> Self {
        let first_us = now_us.saturating_add(FIRST_US);
        let tasks = store.delay_levels().iter().map(|(level, delay_ms)| {
            let queue_offset = store.delay_offsets().get(&level).copied().unwrap_or(0);
            Task::new(level, delay_ms, queue_offset, first_us)
        });
        Self { tasks: tasks.collect() }
    }

    fn task(&self, at: usize) -> Option<&Task> {
        self.tasks.get(at)
    }

    fn task_mut(&mut self, at: usize) -> Option<&mut Task> {
        self.tasks.get_mut(at)
    }

    /// When results of a task are looked at; a message is put again only once it may be taken.
    fn results_us(task: &Task, store: &Store<MemoryDisk>, now_us: i64) -> Option<i64> {
        let waits = task.pending.waits_to_resend() && !store.takes_messages();
        if waits { None } else { task.pending.due_us(now_us) }
    }

    /// The next turns of all tasks, with what they are for.
    fn turns<'a>(&'a self, store: &'a Store<MemoryDisk>, now_us: i64) -> impl Iterator<Item = (i64, Job)> + 'a {
        self.tasks.iter().enumerate().flat_map(move |(at, task)| {
            let results = Self::results_us(task, store, now_us).map(|due_us| (due_us, Job::Results(at)));
            let deliver = task.due_us.map(|due_us| (due_us, Job::Deliver(at)));
            [results, deliver].into_iter().flatten()
        })
    }
}

impl Process {
    /// The tasks of the delay levels.
    pub fn delay_tasks(&self) -> impl Iterator<Item = DelayTask> + '_ {
        self.schedule.tasks.iter().map(|task| DelayTask {
            level: task.level,
            queue_offset: task.queue_offset,
            due_us: task.due_us,
            stuck: task.stuck.is_some(),
            pending: task.pending.len(),
        })
    }

    /// The service starts, at a master (`ScheduleMessageService.start`).
    pub(super) fn start_schedule(&mut self, turn: &mut Turn<'_>) {
        if self.store.is_slave() {
            return;
        }
        self.persisting.start_delay(self.store.config(), turn.now_us());
        self.schedule = Schedule::start(&self.store, turn.now_us());
        if !self.store.delay_offsets().is_empty() && self.store.delay_offsets_unsaved() {
            self.delay_offsets_changed(turn);
        }
        self.plan_deliveries(turn);
    }

    /// The service stops: its tasks come to their next poll, see that it is over, and end. Results that wait are taken
    /// in; what failed is left to the next start.
    pub(super) fn stop_schedule(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let last_us = self.schedule.tasks.iter().map(|task| task.next_poll_us(now_us)).max();
        turn.spend_us(last_us.map_or(0, |last_us| last_us.saturating_sub(now_us)));
        for mut task in std::mem::take(&mut self.schedule).tasks {
            if let Some(queue_offset) = task.pending.take_succeeded() {
                self.progressed(task.level, queue_offset, turn);
            }
        }
        self.store.stop_schedule(turn);
    }

    /// Somebody looks at every task anew: the clock, the disk or the store has changed.
    pub(super) fn plan_deliveries(&mut self, turn: &mut Turn<'_>) {
        for task in &mut self.schedule.tasks {
            task.plan(&self.store, turn);
        }
        self.wake_schedule(turn);
    }

    /// Reput has dispatched a message: the task of its level may have something to do.
    pub(super) fn delayed_dispatched(&mut self, info: &DispatchInfo, turn: &mut Turn<'_>) {
        let at = usize::try_from(info.queue_id).ok().filter(|_| *info.topic == *SCHEDULE_TOPIC);
        let Some(task) = at.and_then(|at| self.schedule.task_mut(at)) else { return };
        task.dispatched(info.queue_offset, turn.seq());
        task.plan(&self.store, turn);
        self.wake_schedule(turn);
    }

    /// The run's events are numbered anew.
    pub(super) fn forget_delay_causes(&mut self) {
        self.schedule.tasks.iter_mut().for_each(Task::forget_causes);
    }

    /// One turn of the service: the task that has waited longest.
    pub(super) fn deliver(&mut self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let due = self.schedule.turns(&self.store, now_us).filter(|(due_us, _)| *due_us <= now_us);
        match due.min_by_key(|(due_us, _)| *due_us) {
            Some((_, Job::Deliver(at))) => self.deliver_next(at, turn),
            Some((_, Job::Results(at))) => self.take_results(at, turn),
            None => {}
        }
        self.wake_schedule(turn);
    }

    fn wake_schedule(&self, turn: &mut Turn<'_>) {
        let next = self.schedule.turns(&self.store, turn.now_us()).min_by_key(|(due_us, _)| *due_us);
        let Some((at_us, job)) = next else { return };
        let cause = match job {
            Job::Deliver(at) => self.schedule.task(at).and_then(Task::cause),
            Job::Results(_) => None,
        };
        turn.wake_because(Service::Schedule, at_us, cause);
    }

    /// A task looks at the unit that it stands at.
    fn deliver_next(&mut self, at: usize, turn: &mut Turn<'_>) {
        let Some(task) = self.schedule.task_mut(at) else { return };
        task.due_us = None;
        let (level, queue_offset) = (task.level, task.queue_offset);
        match self.store.delayed_unit(level, queue_offset) {
            None => {
                let nearest = self.store.nearest_delay_offset(level, queue_offset);
                if nearest != queue_offset {
                    turn.step(DelayStep::DelayOffsetMoved { level, from: queue_offset, to: nearest });
                    task.queue_offset = nearest;
                }
                self.end_run(at, turn);
            }
            Some(unit) => {
                task.run_end.get_or_insert(unit.run_end);
                if task.due_ms(&unit, turn.wall_ms()) > turn.wall_ms() {
                    self.end_run(at, turn);
                } else {
                    self.deliver_due(at, unit, turn);
                }
            }
        }
    }

    /// The unit that a task stands at is due.
    fn deliver_due(&mut self, at: usize, unit: DelayedUnit, turn: &mut Turn<'_>) {
        let Some(task) = self.schedule.task_mut(at) else { return };
        let (level, queue_offset, now_ms) = (task.level, task.queue_offset, turn.wall_ms());
        // Told once: what comes back to the same unit is told by what becomes of it.
        if task.stuck.take().is_none() {
            let (deliver_timestamp, latest_timestamp) = (unit.deliver_ms, task.latest_ms(now_ms));
            turn.step(if deliver_timestamp > latest_timestamp {
                DelayStep::DelayClockBack { level, queue_offset, deliver_timestamp, latest_timestamp }
            } else {
                let late_ms = now_ms.saturating_sub(deliver_timestamp);
                DelayStep::DelayDue { level, queue_offset, deliver_timestamp, late_ms }
            });
        }
        match self.store.delayed_message(&unit) {
            Ok(message) if self.store.config().enable_schedule_async_deliver => {
                self.deliver_later(at, unit, &message, turn);
            }
            Ok(message) => match self.put_delayed(&message, turn) {
                PutMessageStatus::PutOk => {
                    self.progressed(level, queue_offset.saturating_add(1), turn);
                    self.pass(at, turn);
                }
                status => {
                    turn.step(DelayStep::DelayRetried { level, queue_offset, after_ms: POLL_MS });
                    // A busy page cache passes with time, and is no reason to wait for something to change.
                    if status != PutMessageStatus::OsPageCacheBusy {
                        let stuck = Stuck::Refused(Circumstances::of(&self.store));
                        return self.get_stuck(at, stuck, turn);
                    }
                    self.end_run(at, turn);
                }
            },
            Err(Undeliverable::Unreadable) => {
                let physical_offset = unit.physical_offset;
                turn.step(DelayStep::DelayRecordGone { level, queue_offset, physical_offset });
                self.pass(at, turn);
            }
            Err(Undeliverable::HalfMessage) => {
                turn.step(DelayStep::DelayHalfDropped { level, queue_offset });
                self.pass(at, turn);
            }
            Err(Undeliverable::Malformed(cause)) => {
                turn.step(DelayStep::DelayBroken { level, queue_offset, cause });
                self.get_stuck(at, Stuck::Broken, turn);
            }
        }
    }

    /// Puts a rebuilt message. It waits neither for a flush nor for a slave.
    fn put_delayed(&mut self, message: &Message, turn: &mut Turn<'_>) -> PutMessageStatus {
        let result = self.put_own(message, turn);
        turn.step(BrokerStep::PutEnded { status: result.status.name().to_owned() });
        result.status
    }

    /// The message is put, and its result taken in later, unless that would be too many (`asyncDeliver`).
    fn deliver_later(&mut self, at: usize, unit: DelayedUnit, message: &Message, turn: &mut Turn<'_>) {
        let Some(task) = self.schedule.task(at) else { return };
        let (level, queue_offset) = (task.level, task.queue_offset);
        if task.pending.holds_back(self.store.config()) {
            let (pending, resends) = (task.pending.len(), task.pending.first_resends());
            turn.step(DelayStep::DelayHeld { level, queue_offset, pending, resends });
            return self.get_stuck(at, Stuck::Held, turn);
        }
        let succeeded = self.put_delayed(message, turn) == PutMessageStatus::PutOk;
        if let Some(task) = self.schedule.task_mut(at) {
            task.pending.push(Delivered { queue_offset, unit, succeeded, resends: 0 });
            turn.step(DelayStep::DelayPending { level, queue_offset, pending: task.pending.len() });
        }
        self.pass(at, turn);
    }

    /// Results of puts are taken in, in order; one that failed is put again first, after a pause that grows
    /// (`HandlePutResultTask`).
    fn take_results(&mut self, at: usize, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let Some(task) = self.schedule.task_mut(at) else { return };
        if task.pending.take_resend(now_us) {
            self.put_again(at, turn);
        }
        let Some(task) = self.schedule.task_mut(at) else { return };
        let level = task.level;
        if let Some(queue_offset) = task.pending.take_succeeded() {
            self.progressed(level, queue_offset, turn);
        }
        let Some(task) = self.schedule.task_mut(at) else { return };
        if let Some(Delivered { queue_offset, resends, .. }) = task.pending.first().cloned() {
            let after_ms = task.pending.set_resend(turn.now_us());
            turn.step(DelayStep::DelayResendSet { level, queue_offset, after_ms, resends });
        } else {
            task.pending.end_look(turn.now_us());
        }
        if task.stuck == Some(Stuck::Held) && !task.pending.holds_back(self.store.config()) {
            task.stuck = None;
            task.plan(&self.store, turn);
        }
    }

    /// The first of a level's failed puts is tried again (`doResend`).
    fn put_again(&mut self, at: usize, turn: &mut Turn<'_>) {
        let Some(task) = self.schedule.task(at) else { return };
        let Some(Delivered { queue_offset, unit, resends, .. }) = task.pending.first().cloned() else { return };
        let level = task.level;
        match self.store.delayed_message(&unit) {
            Ok(message) => {
                if self.put_delayed(&message, turn) == PutMessageStatus::PutOk
                    && let Some(task) = self.schedule.task_mut(at)
                {
                    task.pending.first_succeeded();
                }
            }
            Err(Undeliverable::Unreadable) if Pending::gives_up(resends, self.store.config()) => {
                turn.step(DelayStep::DelaySkipped { level, queue_offset });
                if let Some(task) = self.schedule.task_mut(at) {
                    task.pending.skip();
                }
            }
            Err(_) => {}
        }
    }

    /// A level's progress, in memory. The file follows, and a slave copies it.
    fn progressed(&mut self, level: i32, queue_offset: i64, turn: &mut Turn<'_>) {
        self.store.set_delay_offset(level, queue_offset);
        turn.step(DelayStep::DelayProgress { level, queue_offset });
        turn.disturb_only(Service::SlaveSync);
        self.delay_offsets_changed(turn);
    }

    /// The task goes on behind its unit: at once inside a run, after a while at its end.
    fn pass(&mut self, at: usize, turn: &mut Turn<'_>) {
        let Some(task) = self.schedule.task_mut(at) else { return };
        task.pass();
        if task.run_end.is_some_and(|run_end| task.queue_offset < run_end) {
            task.due_us = Some(turn.now_us());
        } else {
            self.end_run(at, turn);
        }
    }

    fn get_stuck(&mut self, at: usize, stuck: Stuck, turn: &mut Turn<'_>) {
        if let Some(task) = self.schedule.task_mut(at) {
            task.stuck = Some(stuck);
        }
        self.end_run(at, turn);
    }

    fn end_run(&mut self, at: usize, turn: &mut Turn<'_>) {
        if let Some(task) = self.schedule.task_mut(at) {
            task.end_run(turn);
            task.plan(&self.store, turn);
        }
    }
}
