//! The threads that call a concurrent listener (`ConsumeMessageConcurrentlyService.consumeExecutor`): as many as
//! `consumeThreadMin`, since their queue has no bound. They are made one by one, as calls come.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use super::{ListenerCall, business::Work};
use crate::{
    client::{PullQueue, Received},
    node::{Service, Turn},
};

/// Messages for one call of the listener (`ConsumeRequest`). There is at least one.
#[derive(Clone, Debug)]
pub struct Task {
    pub(super) queue: PullQueue,
    /// The taking over of the queue that they belong to.
    pub(super) id: u64,
    pub(super) messages: Vec<Arc<Received>>,
}

/// A call of the listener, with what follows from it in the same thread.
#[derive(Clone, Debug)]
pub struct Call {
    pub(super) task: Task,
    /// Its place among the deliveries.
    pub(super) place: usize,
    pub(super) outcome: ListenerCall,
    pub(super) stage: Stage,
}

/// Where a call is.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// The listener runs; until then, microseconds, unless it never returns.
    Listening(Option<i64>),
    /// The listener works with its database.
    Working(Work),
    /// Messages from this place on go back, one after the other; those at these places nobody took.
    SendingBack { at: usize, failed: Vec<usize> },
}

impl Stage {
    /// When its next turn is due.
    const fn due_us(&self) -> Option<i64> {
        match self {
            Self::Listening(ends_us) => *ends_us,
            Self::Working(work) => work.next_us(),
            Self::SendingBack { .. } => None,
        }
    }
}

/// The threads, and what waits for them.
#[derive(Clone, Debug)]
pub struct Pool {
    core: u32,
    made: u32,
    /// Those that wait for work, the longest first.
    idle: VecDeque<u32>,
    waiting: VecDeque<Task>,
    calls: BTreeMap<u32, Call>,
    later: BTreeMap<(i64, u64), Task>,
    next_later: u64,
}

impl Task {
    /// The queue that the messages were pulled from.
    pub const fn queue(&self) -> &PullQueue {
        &self.queue
    }

    /// The messages.
    pub fn messages(&self) -> &[Arc<Received>] {
        &self.messages
    }
}

impl Call {
    /// What the listener was called with.
    pub const fn task(&self) -> &Task {
        &self.task
    }

    /// Its place among the deliveries.
    pub const fn place(&self) -> usize {
        self.place
    }

    /// Whether the listener has not returned yet.
    pub const fn is_listening(&self) -> bool {
        matches!(self.stage, Stage::Listening(_) | Stage::Working(_))
    }
}

impl Pool {
    pub(super) fn new(core: i32) -> Self {
        Self {
            core: u32::try_from(core).unwrap_or(1).max(1),
            made: 0,
            idle: VecDeque::new(),
            waiting: VecDeque::new(),
            calls: BTreeMap::new(),
            later: BTreeMap::new(),
            next_later: 0,
        }
    }

    /// Calls under way, by the number of their thread, from 1.
    pub const fn calls(&self) -> &BTreeMap<u32, Call> {
        &self.calls
    }

    /// Calls that wait for a thread, the next one first.
    pub fn waiting(&self) -> impl ExactSizeIterator<Item = &Task> {
        self.waiting.iter()
    }

    /// Threads that have been made.
    pub const fn threads(&self) -> u32 {
        self.made
    }

    pub(super) fn add(&mut self, task: Task) {
        self.waiting.push_back(task);
    }

    pub(super) fn add_later(&mut self, at_us: i64, task: Task) {
        self.later.insert((at_us, self.next_later), task);
        self.next_later += 1;
    }

    /// Takes what was to be tried again later, if its time has come.
    pub(super) fn due_later(&mut self, now_us: i64) -> Option<Task> {
        let first = self.later.first_entry().filter(|first| first.key().0 <= now_us)?;
        Some(first.remove())
    }

    /// The thread whose listener returns first, or goes on with its work, if one does by now.
    pub(super) fn returned(&self, now_us: i64) -> Option<u32> {
        let due = |call: &Call| call.stage.due_us().filter(|due_us| *due_us <= now_us);
        let ends = self.calls.iter().filter_map(|(thread, call)| Some((due(call)?, call.place, *thread)));
        ends.min().map(|(_, _, thread)| thread)
    }

    fn has_thread(&self) -> bool {
        self.made < self.core || !self.idle.is_empty()
    }

    /// The next task and the thread that does it: a new one as long as there are fewer than may be.
    pub(super) fn next(&mut self) -> Option<(u32, Task)> {
        if !self.has_thread() {
            return None;
        }
        let task = self.waiting.pop_front()?;
        let thread = if self.made < self.core {
            self.made += 1;
            self.made
        } else {
            self.idle.pop_front()?
        };
        Some((thread, task))
    }

    pub(super) fn begin(&mut self, thread: u32, call: Call) {
        self.calls.insert(thread, call);
    }

    pub(super) fn call_mut(&mut self, thread: u32) -> Option<&mut Call> {
        self.calls.get_mut(&thread)
    }

    /// The thread has done everything.
    pub(super) fn release(&mut self, thread: u32) -> Option<Call> {
        self.idle.push_back(thread);
        self.calls.remove(&thread)
    }

    /// Sets the time of the next turn.
    pub(super) fn arm(&self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        if self.has_thread() && !self.waiting.is_empty() {
            turn.wake_for_work(Service::Consume, now_us);
            return;
        }
        let ends = self.calls.values().filter_map(|call| call.stage.due_us());
        let later = self.later.keys().map(|(at_us, _)| *at_us);
        if let Some(at_us) = ends.chain(later).min() {
            turn.wake_at(Service::Consume, at_us.max(now_us));
        }
    }
}
