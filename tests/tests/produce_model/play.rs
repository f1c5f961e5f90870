//! Playing a case: what happens, and then how everything heals.

use rocketscope_engine::disk::memory::Fault;
use rocketscope_engine::node::Service;
use rocketscope_engine::sim::{Action, CrashWhen, NodeState, Survives, World};
use rocketscope_tests::cases::Failure;

use crate::case::{Case, DiskFault, Fate, Op};
use crate::cluster;
use crate::exception::Tally;
use crate::judge;
use crate::ledger::Ledger;

/// Events that one thing may cause at most before it is given up as endless.
const EVENTS_MAX: u64 = 200_000;

/// Time that events may take which are asked for by number, milliseconds.
const EVENTS_MS: i64 = 60_000;

/// Times that the healers come back, every 10 seconds.
const HEALING: usize = 60;

/// How long the world goes on after it is healed, milliseconds: longer than any delay, retry, reconnection or expiry, and
/// than all the checks of a half message. What a clock was set back by comes on top: half messages that are stored later
/// than now are not looked at.
const HEALED_MS: i64 = 200_000;

/// A case under way.
#[derive(Clone)]
pub(crate) struct Play {
    pub(crate) world: World,
    pub(crate) ledger: Ledger,
    pub(crate) nodes: Vec<String>,
    pub(crate) brokers: Vec<String>,
    pub(crate) masters: Vec<String>,
    pub(crate) producers: Vec<String>,
    /// Messages that were sent in transactions, with their producers.
    pub(crate) transactions: Vec<(String, String)>,
    /// How far clocks were set back, all together.
    set_back_ms: i64,
}

/// Plays a case and judges it. The number of the thing that happened last, from 0, beside what is wrong.
pub(crate) fn run(case: &Case) -> Result<Tally, Failure> {
    let last = case.ops.len().saturating_sub(1);
    let play = healed(case)?;
    judge::judge(case, &play).map_err(|what| (last, what))
}

/// Plays a case until everything has healed.
pub(crate) fn healed(case: &Case) -> Result<Play, Failure> {
    let mut play = Play::new(case).map_err(|what| (0, what))?;
    for (number, op) in case.ops.iter().enumerate() {
        play.happen(number, op).and_then(|()| play.too_early()).map_err(|what| (number, what))?;
    }
    let last = case.ops.len().saturating_sub(1);
    play.heal().and_then(|()| play.too_early()).map_err(|what| (last, what))?;
    Ok(play)
}

impl Play {
    fn new(case: &Case) -> Result<Self, String> {
        let shape = &case.shape;
        let world = World::new(&shape.cluster(), shape.seed).map_err(|error| error.to_string())?;
        Ok(Self {
            world,
            ledger: Ledger::default(),
            nodes: shape.nodes(),
            brokers: shape.broker_nodes(),
            masters: (0..shape.brokers.len()).map(cluster::master).collect(),
            producers: (0..shape.producers).map(cluster::producer).collect(),
            transactions: Vec::new(),
            set_back_ms: 0,
        })
    }

    fn happen(&mut self, number: usize, op: &Op) -> Result<(), String> {
        let node = |of: &[String], number: u8| of[usize::from(number) % of.len()].clone();
        let action = match op {
            Op::Send { .. } | Op::Batch { .. } | Op::Half { .. } | Op::Transaction { .. } => self.send(number, op),
            Op::End { .. } | Op::EndAt { .. } => {
                self.end(op);
                return Ok(());
            }
            Op::KillWhen { producer, turn } => Action::CrashWhen(Box::new(CrashWhen {
                node: node(&self.producers, *producer),
                service: Service::LocalTransaction,
                turn: 1 + u32::from(*turn),
            })),
            Op::Events(events) => {
                // The next event of a world at rest may be days away, when files expire.
                self.act(Action::Wait { ms: EVENTS_MS });
                let near_us = self.world.now_us() + EVENTS_MS * 1000;
                for _ in 0..*events {
                    if self.world.now_us() >= near_us {
                        break;
                    }
                    self.step();
                }
                return Ok(());
            }
            Op::Pass(ms) => return self.pass(i64::from(*ms)),
            Op::Kill(number) => Action::Kill { node: node(&self.nodes, *number) },
            Op::PowerLoss(number, fate) => {
                Action::PowerLoss { node: node(&self.nodes, *number), survives: survives(*fate) }
            }
            Op::Trap { broker, write, bytes, power } => Action::CrashAt {
                node: node(&self.brokers, *broker),
                service: None,
                write: u32::from(*write),
                bytes: bytes.map(u32::from),
                survives: power.then_some(Survives::Flushed),
                unsent: false,
            },
            Op::Stop(number) => Action::Stop { node: node(&self.nodes, *number) },
            Op::Start(number) => Action::Start { node: node(&self.nodes, *number) },
            Op::Cut(a, b) => Action::Cut { a: node(&self.nodes, *a), b: node(&self.nodes, *b) },
            Op::Stall(a, b) => Action::Stall { a: node(&self.nodes, *a), b: node(&self.nodes, *b) },
            Op::Mend(a, b) => Action::Mend { a: node(&self.nodes, *a), b: node(&self.nodes, *b) },
            Op::Pause { node: number, service } => {
                let name = node(&self.nodes, *number);
                let services = self.world.services(&name);
                let service = service.and_then(|at| services.get(usize::from(at) % services.len().max(1)).copied());
                Action::Pause { node: name, service }
            }
            Op::Resume(number) => {
                self.resume(&node(&self.nodes, *number));
                return Ok(());
            }
            Op::Disk { broker, fault } => {
                let broker = node(&self.brokers, *broker);
                self.ledger.failed_disks.push(broker.clone());
                Action::DiskFault { broker, fault: disk_fault(*fault) }
            }
            Op::Clock(number, seconds) => {
                let node = node(&self.nodes, *number);
                if *seconds < 0 {
                    self.ledger.clocks_set_back.push(node.clone());
                    self.set_back_ms -= i64::from(*seconds) * 1000;
                }
                Action::JumpClock { node, ms: i64::from(*seconds) * 1000 }
            }
            Op::MendDisk(number) => Action::MendDisk { broker: node(&self.brokers, *number) },
        };
        self.act(action);
        Ok(())
    }

    /// Whether a message of a transaction has been seen before anybody committed it.
    fn too_early(&mut self) -> Result<(), String> {
        self.ledger.too_early.take().map_or(Ok(()), Err)
    }

    /// Whether it is done: what cannot be done now is not done.
    pub(crate) fn act(&mut self, action: Action) -> bool {
        let Ok(event) = self.world.act(action) else { return false };
        self.ledger.note(&self.world, &event, &self.producers);
        true
    }

    fn step(&mut self) -> bool {
        let Some(event) = self.world.step() else { return false };
        self.ledger.note(&self.world, &event, &self.producers);
        true
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

    fn resume(&mut self, node: &str) {
        self.act(Action::Resume { node: node.to_owned(), service: None });
        for service in self.world.paused_services(node) {
            self.act(Action::Resume { node: node.to_owned(), service: Some(service) });
        }
    }

    /// Everything is mended, goes on and runs again; a broker whose store marked itself as broken is started anew.
    fn heal(&mut self) -> Result<(), String> {
        let nodes = self.nodes.clone();
        for a in &nodes {
            for b in nodes.iter().filter(|b| *b > a) {
                self.act(Action::Mend { a: a.clone(), b: b.clone() });
            }
        }
        // A trap that no turn meets takes the place of one that may still be set.
        for node in self.producers.clone() {
            let never = CrashWhen { node, service: Service::LocalTransaction, turn: u32::MAX };
            self.act(Action::CrashWhen(Box::new(never)));
        }
        for broker in self.brokers.clone() {
            let (node, write) = (broker.clone(), u32::MAX);
            self.act(Action::CrashAt { node, service: None, write, bytes: None, survives: None, unsent: false });
            self.act(Action::MendDisk { broker });
        }
        for _ in 0..HEALING {
            for node in &nodes {
                self.resume(node);
                if self.world.node_state(node) == Some(NodeState::Down) {
                    self.remove_what_refuses(node);
                    self.act(Action::Start { node: node.clone() });
                }
            }
            // A stop may be under way, and a slow disk keeps it there.
            self.pass(10_000)?;
            if self.not_up().is_none() {
                break;
            }
        }
        for broker in self.brokers.clone() {
            let store = self.world.broker(&broker).and_then(|broker| broker.store());
            if store.is_some_and(|store| !store.running_flags().is_writeable()) {
                self.act(Action::Stop { node: broker.clone() });
                self.pass(20_000)?;
                self.act(Action::Start { node: broker });
            }
        }
        self.pass(HEALED_MS + self.set_back_ms)?;
        let Some(node) = self.not_up() else { return Ok(()) };
        Err(format!("{node} does not run again: {:?}", self.ledger.refused_starts.get(node)))
    }
}

impl Play {
    fn not_up(&self) -> Option<&String> {
        self.nodes.iter().find(|node| self.world.node_state(node) != Some(NodeState::Up))
    }

    /// A broker does not start on a configuration file that it cannot read: an operator takes it away.
    fn remove_what_refuses(&mut self, broker: &str) {
        let Some(cause) = self.ledger.refused_starts.remove(broker) else { return };
        let Some(path) = cause.split(": ").next().filter(|path| path.starts_with("config/")) else { return };
        self.ledger.removed_files += 1;
        for path in [path.to_owned(), path.trim_end_matches(".bak").to_owned()] {
            self.act(Action::DeleteFile { broker: broker.to_owned(), path });
        }
    }
}

fn survives(fate: Fate) -> Survives {
    match fate {
        Fate::Flushed => Survives::Flushed,
        Fate::Everything => Survives::Everything,
        Fate::Prefix(pages) => Survives::Prefix { pages: u32::from(pages) },
        Fate::Torn(pages, sectors) => Survives::Torn { pages: u32::from(pages), sectors: u16::from(sectors) },
        Fate::Random(seed) => Survives::Random { seed },
    }
}

fn disk_fault(fault: DiskFault) -> Fault {
    match fault {
        DiskFault::Write => Fault::WriteError { path: String::new() },
        DiskFault::Full => Fault::Full { path: String::new() },
        DiskFault::Slow(ms) => Fault::SlowFlush { ms: i64::from(ms), path: String::new() },
    }
}
