//! Playing a case: what happens, and then how everything heals.

use std::collections::{BTreeMap, BTreeSet};

use rocketscope_engine::{
    ledger::{Broken, Watch},
    node::Service,
    sim::{Action, CrashWhen, NodeState, Send, TraceEvent, World},
};
use rocketscope_tests::cases::Failure;

use crate::{
    case::{Case, Op},
    cluster::{FAILS, PRODUCER, TOPICS},
    judge,
    record::Run,
    tally::Tally,
};

/// Events that one thing may cause at most before it is given up as endless.
const EVENTS_MAX: u64 = 200_000;

/// Time that events may take which are asked for by number, milliseconds.
const EVENTS_MS: i64 = 60_000;

/// Times that the healers come back.
const HEALING: usize = 40;

/// How long all nodes have to run, milliseconds: longer than all retries of a message, a rebalance and an expiry.
const HEALED_MS: i64 = 400_000;

/// A case under way.
pub(crate) struct Play {
    pub(crate) world: World,
    nodes: Vec<String>,
    pub(crate) consumers: Vec<String>,
    /// When the processes of each broker ended, microseconds.
    pub(crate) broker_ends: BTreeMap<String, Vec<i64>>,
    /// The brokers that do not run.
    not_running: BTreeSet<String>,
    /// When each process stood still, from and to, microseconds; the end of all time for one that still does.
    pub(crate) stood_still: BTreeMap<String, Vec<(i64, i64)>>,
    events: u64,
    watch: Watch,
    /// What was broken first and must never be.
    broken: Option<Broken>,
}

/// Plays a case and judges it. The number of the thing that happened last, from 0, beside what is wrong.
pub(crate) fn run(case: &Case) -> Result<Tally, Failure> {
    let last = case.ops.len().saturating_sub(1);
    let play = healed(case)?;
    let tally = Run::of(case, &play).and_then(|run| judge::judge(&run)).map_err(|what| (last, what))?;
    Ok(Tally { cases: 1, events: play.events, ..tally })
}

/// Plays a case until everything has healed.
pub(crate) fn healed(case: &Case) -> Result<Play, Failure> {
    let mut play = Play::new(case).map_err(|what| (0, what))?;
    for (number, op) in case.ops.iter().enumerate() {
        play.happen(number, op).and_then(|()| play.is_whole()).map_err(|what| (number, what))?;
    }
    let last = case.ops.len().saturating_sub(1);
    play.heal().and_then(|()| play.is_whole()).map_err(|what| (last, what))?;
    Ok(play)
}

impl Play {
    fn new(case: &Case) -> Result<Self, String> {
        let cluster = case.shape.cluster();
        let world = World::new(&cluster, case.shape.seed).map_err(|error| error.to_string())?;
        let nodes: Vec<String> = world.nodes().map(|node| node.name.to_owned()).collect();
        let consumers: Vec<String> = cluster.consumers.into_iter().map(|consumer| consumer.name).collect();
        let broker_ends = cluster.brokers.into_iter().map(|broker| (broker.name, Vec::new())).collect();
        Ok(Self {
            world,
            nodes,
            consumers,
            broker_ends,
            not_running: BTreeSet::new(),
            stood_still: BTreeMap::new(),
            events: 0,
            watch: Watch::new(),
            broken: None,
        })
    }

    fn happen(&mut self, number: usize, op: &Op) -> Result<(), String> {
        let node = |of: &[String], number: u8| of[usize::from(number) % of.len()].clone();
        let action = match op {
            Op::Send { topic, fails } => Action::Send(Box::new(Send {
                producer: PRODUCER.to_owned(),
                topic: TOPICS[usize::from(*topic) % TOPICS.len()].to_owned(),
                tag: fails.then(|| FAILS.to_owned()),
                name: Some(format!("m{number}")),
                keys: Some(format!("m{number}")),
                body: Some(format!("body of m{number}")),
                ..Send::default()
            })),
            Op::Events(events) => {
                // The next event of a world at rest may be days away, when files expire.
                self.act(Action::Wait { ms: EVENTS_MS });
                let near_us = self.world.now_us() + EVENTS_MS * 1000;
                for _ in 0..*events {
                    if self.world.now_us() >= near_us || !self.step() {
                        break;
                    }
                }
                return Ok(());
            }
            Op::Pass(ms) => return self.pass(i64::from(*ms)),
            Op::Kill(number) => Action::Kill { node: node(&self.nodes, *number) },
            Op::KillWhen { consumer, service, turn } => {
                let services = [
                    Service::Consume,
                    Service::Consume,
                    Service::PullMessage,
                    Service::Rebalance,
                    Service::PersistConsumerOffset,
                    Service::LockQueues,
                ];
                let service = services[usize::from(*service) % services.len()];
                let node = node(&self.consumers, *consumer);
                Action::CrashWhen(Box::new(CrashWhen { node, service, turn: u32::from(*turn) }))
            }
            Op::Stop(number) => Action::Stop { node: node(&self.nodes, *number) },
            Op::Start(number) => Action::Start { node: node(&self.nodes, *number) },
            Op::Cut(a, b) => Action::Cut { a: node(&self.nodes, *a), b: node(&self.nodes, *b) },
            Op::Stall(a, b) => Action::Stall { a: node(&self.nodes, *a), b: node(&self.nodes, *b) },
            Op::Mend(a, b) => Action::Mend { a: node(&self.nodes, *a), b: node(&self.nodes, *b) },
            Op::Pause(number) => Action::Pause { node: node(&self.nodes, *number), service: None },
            Op::Resume(number) => Action::Resume { node: node(&self.nodes, *number), service: None },
        };
        self.act(action);
        Ok(())
    }

    /// What cannot be done now is not done.
    fn act(&mut self, action: Action) {
        let now_us = self.world.now_us();
        let stands = match &action {
            Action::Pause { node, .. } => Some((node.clone(), true)),
            Action::Resume { node, .. } => Some((node.clone(), false)),
            _ => None,
        };
        let Ok(event) = self.world.act(action) else { return };
        if let Some((node, stands)) = stands {
            let times = self.stood_still.entry(node).or_default();
            if stands {
                times.push((now_us, i64::MAX));
            } else if let Some((_, to_us)) = times.last_mut() {
                *to_us = now_us;
            }
        }
        self.note(&event);
    }

    fn step(&mut self) -> bool {
        let event = self.world.step();
        if let Some(event) = &event {
            self.note(event);
        }
        event.is_some()
    }

    /// What must hold after every event has held so far.
    fn is_whole(&self) -> Result<(), String> {
        self.broken.as_ref().map_or(Ok(()), |broken| Err(format!("{broken:?}")))
    }

    /// An event is over: has it broken what must hold, or ended a broker's process?
    fn note(&mut self, event: &TraceEvent) {
        self.events += 1;
        let broken = self.watch.look(&self.world, event);
        self.broken = self.broken.take().or(broken);
        let now_us = self.world.now_us();
        for (broker, ends) in &mut self.broker_ends {
            let runs = self.world.node_state(broker) == Some(NodeState::Up);
            if runs {
                self.not_running.remove(broker);
            } else if self.not_running.insert(broker.clone()) {
                ends.push(now_us);
            }
        }
    }

    fn pass(&mut self, ms: i64) -> Result<(), String> {
        let until_us = self.world.now_us() + ms * 1000;
        self.act(Action::Wait { ms });
        for _ in 0..EVENTS_MAX {
            if self.world.now_us() >= until_us || !self.step() {
                return Ok(());
            }
        }
        Err(format!("{EVENTS_MAX} events within {ms} ms"))
    }

    /// Everything is mended, goes on and runs again, until no trap is left that anything meets.
    fn heal(&mut self) -> Result<(), String> {
        for a in self.nodes.clone() {
            for b in self.nodes.clone() {
                self.act(Action::Mend { a: a.clone(), b });
            }
            self.act(Action::Resume { node: a, service: None });
        }
        for _ in 0..HEALING {
            while let Some(node) = self.down() {
                self.act(Action::Start { node: node.clone() });
                if self.world.node_state(&node) == Some(NodeState::Down) {
                    return Err(format!("{node} does not start"));
                }
            }
            self.pass(HEALED_MS)?;
            if self.down().is_none() {
                return Ok(());
            }
        }
        Err(format!("{:?} ends again and again", self.down()))
    }

    fn down(&self) -> Option<String> {
        self.nodes.iter().find(|node| self.world.node_state(node) == Some(NodeState::Down)).cloned()
    }
}
