//! One crash, and what came of it.

use serde::{Deserialize, Serialize};

use super::{
    Fault, Fork, Judged,
    judge::judge,
    moment::{MomentTurn, Point},
};
use crate::{
    ledger::Verdict,
    sim::{Action, EventKind, LoggedAction, NodeState, World},
};

/// Events within which a crash inside a turn must come: it is set right before that turn, and only what the action itself
/// brings back can come in between.
const TRAP_EVENTS: u32 = 64;

/// A world in which a node crashed once, run on until it was at rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    /// Its place among all cells, from 0.
    pub number: u64,
    /// The event that the crash comes before, or falls into.
    pub event: u64,
    /// Operations of that event on the disk that were done before the crash; `None`: it had not begun.
    pub write: Option<u32>,
    /// Bytes of the next write that were done as well.
    pub bytes: Option<u32>,
    /// The node that crashed.
    pub target: String,
    /// How.
    pub fault: Fault,
    /// How the world ended.
    pub end: End,
    /// Whether the node that crashed runs at the end.
    pub up: bool,
    /// Actions of the run after the crash that could not be done any more.
    pub skipped: u32,
    /// The messages, as the ledger lists them.
    pub messages: Vec<Judged>,
    /// What was done from the crash on.
    pub tail: Vec<LoggedAction>,
    /// Events of the world, from the start of the run.
    pub position: u64,
    /// Its virtual time at the end, microseconds.
    pub now_us: i64,
}

/// How a world ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum End {
    /// At rest.
    Rest,
    /// It was not at rest after as many events as the plan grants.
    Restless,
    /// There was no crash: the turn did not come again as it had gone in the run.
    NoCrash,
}

impl Cell {
    /// The worst verdict of its messages; `None` without a message.
    pub fn worst(&self) -> Option<Verdict> {
        self.messages.iter().map(|message| message.verdict).max()
    }
}

/// A world on its way, and what is done to it.
struct Course<'a> {
    world: World,
    tail: Vec<LoggedAction>,
    /// What the run does from here on, and when, microseconds.
    rest: &'a [LoggedAction],
    fork: &'a Fork,
    skipped: u32,
}

impl Course<'_> {
    /// Does something, if it can be done.
    fn act(&mut self, action: Action) -> Option<u64> {
        let at = self.world.events();
        self.world.act(action.clone()).ok()?;
        self.tail.push(LoggedAction { at, action });
        Some(at)
    }

    /// Does what the run does next.
    fn follow(&mut self) {
        let Some((next, rest)) = self.rest.split_first() else { return };
        self.rest = rest;
        if self.act(next.action.clone()).is_none() {
            self.skipped += 1;
        }
    }

    /// Whether the time has come for what the run does next: everything before it has happened.
    fn is_due(&self) -> bool {
        let Some(next) = self.rest.first() else { return false };
        let moments = &self.fork.shared.moments;
        let moment = usize::try_from(next.at).ok().and_then(|at| moments.get(at));
        let at_us = moment.map_or(i64::MIN, |moment| moment.at_us);
        self.world.now_us() >= at_us
            || self.world.next_us().is_none_or(|next_us| next_us > at_us)
            || self.world.at_rest()
    }

    fn is_down(&self, target: &str) -> bool {
        self.world.node_state(target) == Some(NodeState::Down)
    }

    /// Lets the node crash; `false` if it did not.
    fn crash(&mut self, target: &str, point: &Point, turn: Option<&MomentTurn>) -> bool {
        let node = target.to_owned();
        let Some(write) = point.write else {
            let action = match point.fault {
                Fault::PowerLoss { survives } => Action::PowerLoss { node, survives },
                Fault::Kill | Fault::TornWrite => Action::Kill { node },
            };
            return self.act(action).is_some();
        };
        let service = turn.and_then(MomentTurn::service);
        let (bytes, survives) = (point.bytes, point.fault.survives());
        // Of a torn write, there is a next one in any case.
        let unsent = bytes.is_none();
        if self.act(Action::CrashAt { node, service, write, bytes, survives, unsent }).is_none() {
            return false;
        }
        if turn.is_some_and(|turn| matches!(turn.what, EventKind::Action { .. })) {
            self.follow();
            return self.is_down(target);
        }
        for _ in 0..TRAP_EVENTS {
            if self.world.step().is_none() || self.is_down(target) {
                break;
            }
        }
        self.is_down(target)
    }

    /// Starts the node again after its time, does what the run does, and goes on until the world is at rest.
    fn run_on(&mut self, target: &str) -> End {
        let plan = &self.fork.shared.plan;
        let last = self.world.events().saturating_add(u64::from(plan.events_max));
        let mut alarm = self.act(Action::Wait { ms: plan.down_ms });
        while self.world.events() < last {
            if self.is_due() {
                self.follow();
                continue;
            }
            let waits = alarm.is_some() || !self.rest.is_empty();
            let event = if waits { self.world.step() } else { self.world.step_to_rest() };
            match event {
                Some(event) if event.what == EventKind::Alarm && event.cause == alarm => {
                    alarm = None;
                    self.act(Action::Start { node: target.to_owned() });
                }
                Some(_) => {}
                None if self.rest.is_empty() => return End::Rest,
                None => self.follow(),
            }
        }
        if self.world.at_rest() && self.rest.is_empty() { End::Rest } else { End::Restless }
    }
}

/// Plays one crash of a fork.
pub(super) fn play(fork: &Fork, number: u64, point: &Point) -> Cell {
    let shared = &fork.shared;
    let moment = shared.moments.get(fork.moment);
    let event = moment.map_or(0, |moment| moment.event);
    let from = shared.plan.actions.partition_point(|logged| logged.at < event);
    let target = shared.plan.targets.get(point.target).map_or("", String::as_str);
    let mut course = Course {
        world: fork.before.clone(),
        tail: Vec::new(),
        rest: shared.plan.actions.get(from..).unwrap_or_default(),
        fork,
        skipped: 0,
    };
    course.world.mute();
    let end = if course.crash(target, point, moment.and_then(|moment| moment.turn.as_ref())) {
        course.run_on(target)
    } else {
        End::NoCrash
    };
    let Course { world, tail, skipped, .. } = course;
    Cell {
        number,
        event,
        write: point.write,
        bytes: point.bytes,
        target: target.to_owned(),
        fault: point.fault,
        end,
        up: world.node_state(target) == Some(NodeState::Up),
        skipped,
        messages: judge(&world),
        tail,
        position: world.events(),
        now_us: world.now_us(),
    }
}
