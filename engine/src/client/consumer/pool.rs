//! The threads that call the listener (`consumeExecutor` of both services): as many as `consumeThreadMin`, or as the
//! application has set since (`updateCorePoolSize`), since their queue has no bound. They are made one by one, as calls come.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use super::{ListenerCall, business::Work};
use crate::{
    client::{PullQueue, Received},
    node::{Grid, Service, Turn},
};

/// What a thread is to do (`ConsumeRequest`): of a concurrent service the messages for one call of the listener, of which
/// there is at least one; of an orderly service a queue, whose messages it takes one batch after the other.
#[derive(Clone, Debug)]
pub struct Task {
    pub(super) queue: PullQueue,
    /// The taking over of the queue that they belong to.
    pub(super) id: u64,
    pub(super) messages: Vec<Arc<Received>>,
}

/// A task that a thread has in hand: the call of the listener, with what comes before and follows from it.
#[derive(Clone, Debug)]
pub struct Call {
    pub(super) task: Task,
    /// The call of the listener that was made last.
    pub(super) listened: Option<Listened>,
    pub(super) stage: Stage,
    /// When the thread began with the queue (orderly), milliseconds since the epoch.
    pub(super) began_ms: i64,
}

/// A call of the listener.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listened {
    /// Its place among the deliveries.
    pub(super) place: usize,
    pub(super) outcome: ListenerCall,
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
    /// It waits for the thread that has the queue (orderly).
    AtDoor,
    /// It goes on with the queue's next messages (orderly).
    Next,
    /// Messages from this place on are looked at whether they may be consumed again (orderly); whether one of them is to be.
    Judging { at: usize, again: bool },
}

impl Stage {
    /// When its next turn is due, by time alone.
    const fn due_us(&self) -> Option<i64> {
        match self {
            Self::Listening(ends_us) => *ends_us,
            Self::Working(work) => work.next_us(),
            _ => None,
        }
    }
}

/// What is to be done later.
#[derive(Clone, Debug)]
pub(super) enum Later {
    /// A task is handed to the threads.
    Submit(Task),
    /// The lock of its queue is asked for, and then the task is handed to the threads.
    Lock(Task),
}

/// How long a thread waits for work that is one too many, microseconds (`keepAliveTime`).
const KEEP_ALIVE_US: i64 = 60_000_000;

/// The threads, and what waits for them.
#[derive(Clone, Debug)]
pub struct Pool {
    core: u32,
    /// Threads that were ever made: the number of the last one.
    made: u32,
    /// Threads that there are.
    live: u32,
    /// Those that wait for work, the longest first, and since when they have waited as they do now, microseconds.
    idle: VecDeque<(u32, i64)>,
    /// Nothing is taken in any more.
    closed: bool,
    waiting: VecDeque<Task>,
    calls: BTreeMap<u32, Call>,
    later: BTreeMap<(i64, u64), Later>,
    next_later: u64,
    /// Tasks whose queue has no master that could be asked for its lock, and when they would be handed to the threads.
    no_master: Vec<(Task, Grid)>,
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

    /// The place of the call of the listener among the deliveries, if there was one.
    pub fn place(&self) -> Option<usize> {
        self.listened.map(|listened| listened.place)
    }

    /// Whether the listener has not returned yet.
    pub const fn is_listening(&self) -> bool {
        matches!(self.stage, Stage::Listening(_) | Stage::Working(_))
    }

    /// Whether the listener has returned, and messages that it did not consume go back, or may have to.
    pub const fn is_sending_back(&self) -> bool {
        matches!(self.stage, Stage::SendingBack { .. } | Stage::Judging { .. })
    }
}

impl Pool {
    pub(super) fn new(core: i32) -> Self {
        Self {
            core: u32::try_from(core).unwrap_or(1).max(1),
            made: 0,
            live: 0,
            idle: VecDeque::new(),
            closed: false,
            waiting: VecDeque::new(),
            calls: BTreeMap::new(),
            later: BTreeMap::new(),
            next_later: 0,
            no_master: Vec::new(),
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

    /// Threads that there are at `now_us`.
    pub fn threads(&self, now_us: i64) -> u32 {
        self.live.saturating_sub(self.over(now_us))
    }

    /// Threads at most, as long as there are calls for them (`getCorePoolSize`).
    pub const fn core_size(&self) -> u32 {
        self.core
    }

    /// Sets it (`ThreadPoolExecutor.setCorePoolSize`). Threads that are too many go on until they have waited for work for a
    /// minute.
    pub(super) fn set_core_size(&mut self, core: u32, now_us: i64) {
        self.settle(now_us);
        self.core = core.max(1);
        if self.live > self.core {
            // They are woken, and wait anew.
            self.idle.iter_mut().for_each(|(_, since_us)| *since_us = now_us);
        }
    }

    /// How many threads have ended by `now_us`, since they were too many and had waited long enough.
    fn over(&self, now_us: i64) -> u32 {
        let many = usize::try_from(self.live.saturating_sub(self.core)).unwrap_or(usize::MAX);
        let waited = |(_, since_us): &&(u32, i64)| since_us.saturating_add(KEEP_ALIVE_US) <= now_us;
        u32::try_from(self.idle.iter().take(many).take_while(waited).count()).unwrap_or(u32::MAX)
    }

    fn settle(&mut self, now_us: i64) {
        let over = self.over(now_us);
        self.idle.drain(..usize::try_from(over).unwrap_or(0).min(self.idle.len()));
        self.live = self.live.saturating_sub(over);
    }

    /// Nothing is taken in from here on (`ExecutorService.shutdown`, of the threads and of the timer beside them).
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.later.clear();
    }

    /// Whether it takes nothing in.
    pub(super) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// What waits for a thread is thrown away (`shutdownNow`); how many tasks.
    pub(super) fn throw_away(&mut self) -> usize {
        std::mem::take(&mut self.waiting).len()
    }

    /// Whether no thread has a task, and none waits.
    pub(super) fn is_done(&self) -> bool {
        self.calls.is_empty() && self.waiting.is_empty()
    }

    pub(super) fn add(&mut self, task: Task) {
        if !self.closed {
            self.waiting.push_back(task);
        }
    }

    pub(super) fn add_later(&mut self, at_us: i64, what: Later) {
        if !self.closed {
            self.later.insert((at_us, self.next_later), what);
            self.next_later += 1;
        }
    }

    /// A task waits until a master is known.
    pub(super) fn wait_for_master(&mut self, task: Task, moments: Grid) {
        self.no_master.push((task, moments));
    }

    /// Masters of these queues are known now: their tasks go to the threads at their next moments.
    pub(super) fn masters_known(&mut self, now_us: i64, known: impl Fn(&PullQueue) -> bool) {
        let (goes_on, waits) =
            std::mem::take(&mut self.no_master).into_iter().partition(|(task, _)| known(&task.queue));
        self.no_master = waits;
        let goes_on: Vec<(Task, Grid)> = goes_on;
        for (task, moments) in goes_on {
            self.add_later(moments.at_or_after(now_us), Later::Submit(task));
        }
    }

    /// Takes what was to be done later, if its time has come.
    pub(super) fn due_later(&mut self, now_us: i64) -> Option<Later> {
        let first = self.later.first_entry().filter(|first| first.key().0 <= now_us)?;
        Some(first.remove())
    }

    /// The thread whose listener returns first, or goes on with its work, if one does by now.
    pub(super) fn returned(&self, now_us: i64) -> Option<u32> {
        let due = |call: &Call| call.stage.due_us().filter(|due_us| *due_us <= now_us);
        let ends = self.calls.iter().filter_map(|(thread, call)| Some((due(call)?, call.place(), *thread)));
        ends.min().map(|(_, _, thread)| thread)
    }

    /// The thread that goes on with its queue.
    pub(super) fn going_on(&self) -> Option<u32> {
        self.calls.iter().find(|(_, call)| matches!(call.stage, Stage::Next)).map(|(thread, _)| *thread)
    }

    /// Whether a thread has the queue (`MessageQueueLock`).
    pub(super) fn is_taken(&self, queue: &PullQueue) -> bool {
        self.calls.values().any(|call| call.task.queue == *queue && !matches!(call.stage, Stage::AtDoor))
    }

    /// The thread that is let in to the queue next.
    pub(super) fn at_door(&self, queue: &PullQueue) -> Option<u32> {
        let waits = |call: &Call| call.task.queue == *queue && matches!(call.stage, Stage::AtDoor);
        self.calls.iter().find(|(_, call)| waits(call)).map(|(thread, _)| *thread)
    }

    /// When the listener returns that runs with the queue's messages (`ProcessQueue.consumeLock`); one
    /// that hangs, at the end of all time.
    pub(super) fn listens_until(&self, queue: &PullQueue, id: u64) -> Option<i64> {
        let mut calls = self.calls.values().filter(|call| call.task.queue == *queue && call.task.id == id);
        calls.find_map(|call| match &call.stage {
            Stage::Listening(ends_us) => Some(ends_us.unwrap_or(i64::MAX)),
            Stage::Working(work) => Some(work.next_us().unwrap_or(i64::MAX)),
            _ => None,
        })
    }

    fn has_thread(&self) -> bool {
        self.live < self.core || !self.idle.is_empty()
    }

    /// The next task and the thread that does it: a new one as long as there are fewer than may be.
    pub(super) fn next(&mut self, now_us: i64) -> Option<(u32, Task)> {
        self.settle(now_us);
        if !self.has_thread() {
            return None;
        }
        let task = self.waiting.pop_front()?;
        let thread = if self.live < self.core {
            (self.made, self.live) = (self.made.saturating_add(1), self.live.saturating_add(1));
            self.made
        } else {
            self.idle.pop_front()?.0
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
    pub(super) fn release(&mut self, thread: u32, now_us: i64) -> Option<Call> {
        self.idle.push_back((thread, now_us));
        self.calls.remove(&thread)
    }

    /// Sets the time of the next turn.
    pub(super) fn arm(&self, turn: &mut Turn<'_>) {
        let now_us = turn.now_us();
        let all_done = self.closed && self.is_done();
        if all_done || self.going_on().is_some() || (self.has_thread() && !self.waiting.is_empty()) {
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
