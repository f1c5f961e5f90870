//! What must hold after every event of a run, and the watch that looks whether it does.
//!
//! Each event is looked at by itself: the node that it happened at, and what its steps are about, with a few marks of what
//! was before. So watching costs the same however long the run is.

mod broker;
mod consumer;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::sim::{LoggedAction, ReplayError, TraceEvent, World};

/// Something that holds after every event of 4.9.8, with the exceptions that 4.9.8 itself makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Invariant {
    /// What `SYNC_FLUSH` has answered with `PUT_OK` to who waits counts as flushed (`flushedWhere`). It need not be on the
    /// disk: `MappedFile.flush` swallows what `force` throws, and recovery takes what it reads for flushed.
    FlushedBeforeAnswer,
    /// What `SYNC_MASTER` has answered with `PUT_OK` to who waits, a slave has acknowledged (`push2SlaveMaxOffset`).
    ReplicatedBeforeAnswer,
    /// `flushedWhere` is not beyond the end of the log.
    FlushedWithinLog,
    /// Dispatch is not beyond what can be read of the log. It may begin so: after a power loss with units that reach
    /// farther than the log (`DefaultMessageStore.start`).
    DispatchedWithinLog,
    /// The log of a process does not become shorter.
    LogGrows,
    /// The end of a queue does not go back while the process runs, unless its topic is deleted and the queue begins anew.
    QueueGrows,
    /// A unit points at the record whose topic, queue, offset and length it stands for. Where a queue has lost units, 4.9.8
    /// puts the next one at another place than its offset says, and that of offset 0 at the end whatever stands before it
    /// (`ConsumeQueue.putMessagePositionInfo`). A slave with an empty file takes the first bytes in at its head, whatever
    /// offset its master says (`HAClient.dispatchReadRequest`): there all records, and the units with them, name a place
    /// that is equally far off from where they lie, and it is looked there.
    UnitPointsAtRecord,
    /// No message of a transaction is where consumers read but by a commit.
    HalfMessageHidden,
    /// A push consumer's offset is not beyond a message that it has in hand.
    OffsetBehindUnprocessed,
    /// What a listener of a sharing group has not consumed stays in hand until it is given back. Exceptions: an orderly
    /// listener that says `ROLLBACK` while commits are automatic is taken to mean success, and what a listener has had for
    /// longer than `consumeTimeout` was given back before (`ProcessQueue.cleanExpiredMsg`).
    RefusedIsKept,
    /// An orderly listener has no message while one before it in the queue waits.
    InQueueOrder,
    /// One orderly listener of a group has a queue at a time. A broker that starts again has forgotten its locks
    /// (`RebalanceLockManager`), and a process that stands still does not see its own expire.
    OneListenerPerQueue,
}

impl Invariant {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::FlushedBeforeAnswer,
        Self::ReplicatedBeforeAnswer,
        Self::FlushedWithinLog,
        Self::DispatchedWithinLog,
        Self::LogGrows,
        Self::QueueGrows,
        Self::UnitPointsAtRecord,
        Self::HalfMessageHidden,
        Self::OffsetBehindUnprocessed,
        Self::RefusedIsKept,
        Self::InQueueOrder,
        Self::OneListenerPerQueue,
    ];
}

/// An invariant that does not hold after an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Broken {
    /// Which.
    pub invariant: Invariant,
    /// The node at which.
    pub node: String,
    /// The event after which: its number.
    pub seq: u64,
    /// The queue that it is about, as `topic/id`, if it is about one.
    pub queue: Option<String>,
    /// What was found: an offset.
    pub found: i64,
    /// The offset that it is set against: the most or the least that it may be, or that of the message in the way.
    pub bound: i64,
    /// The other node that it is about, if there is one.
    pub other: Option<String>,
}

/// Watches a run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The event that is to come next; another one makes the watch begin anew.
    next: u64,
    marks: BTreeMap<String, Marks>,
    /// What is broken and was told.
    told: BTreeSet<(Invariant, String, i64)>,
}

/// How a broker was after its last event.
#[derive(Clone, Debug, Default)]
struct Marks {
    /// Its processes so far.
    lives: usize,
    /// The end of its log.
    end: i64,
    /// Dispatch was beyond the log when the process began.
    ahead: bool,
    /// The ends of the queues that were written to.
    queues: BTreeMap<(String, i32), i64>,
}

impl Watch {
    /// A watch that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at an event; `world` is the world right after it. What has just been broken, if anything.
    pub fn look(&mut self, world: &World, event: &TraceEvent) -> Option<Broken> {
        if event.seq != self.next {
            *self = Self::new();
        }
        self.next = event.seq.saturating_add(1);
        let mut found = Vec::new();
        if let Some(broker) = world.broker(&event.node) {
            let marks = self.marks.entry(event.node.clone()).or_default();
            broker::look(world, event, broker, marks, &mut found);
        } else if let Some(client) = world.client(&event.node) {
            consumer::look(world, event, client, &mut found);
        }
        let told = &mut self.told;
        found.into_iter().find(|one| told.insert((one.invariant, one.node.clone(), one.found)))
    }
}

/// Goes through a run from its first world on and looks at every event of it: the first thing that was broken.
pub fn audit(mut world: World, actions: &[LoggedAction], length: u64) -> Result<Option<Broken>, ReplayError> {
    let mut watch = Watch::new();
    let mut actions = actions.iter().peekable();
    while world.events() < length {
        let at = world.events();
        let event = match actions.next_if(|logged| logged.at == at) {
            Some(logged) => world.act(logged.action.clone()).map_err(|error| ReplayError::Action { at, error })?,
            None => world.step().ok_or(ReplayError::Ended { at, length })?,
        };
        let broken = watch.look(&world, &event);
        if broken.is_some() {
            return Ok(broken);
        }
    }
    Ok(None)
}

impl Broken {
    fn new(invariant: Invariant, event: &TraceEvent, found: i64, bound: i64) -> Self {
        Self { invariant, node: event.node.clone(), seq: event.seq, queue: None, found, bound, other: None }
    }

    fn in_queue(self, topic: &str, queue_id: i32) -> Self {
        Self { queue: Some(format!("{topic}/{queue_id}")), ..self }
    }
}
