//! A case: a cluster and what happens to it, all of it drawn from one seed.

use rocketscope_engine::client::{ListenerResult, LocalTransactionState};
use rocketscope_tests::{
    cases::{self, Failure},
    rng::Rng,
    soak::Soak,
};

use crate::{exception::Tally, play};

/// What may happen in a case. The less may happen, the less is excused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Links break, processes stand still or are stopped in order.
    Calm,
    /// The same, and processes are killed.
    Killed,
    /// The same, and machines lose their power. Every broker flushes before it answers, and every producer waits for it.
    Steady,
    /// Everything: any flush mode, power losses that leave pages out of order, disks that fail.
    Wild,
}

/// The cluster of a case.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) name_servers: usize,
    pub(crate) brokers: Vec<BrokerShape>,
    pub(crate) producers: usize,
    /// Whether producers avoid slow brokers, and whether they try another broker when a message was not stored safely.
    pub(crate) latency_fault: bool,
    pub(crate) retry_another: bool,
    /// What a producer answers about a transaction that its process knows nothing of.
    pub(crate) not_found: LocalTransactionState,
    pub(crate) seed: u64,
}

/// A broker of a case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BrokerShape {
    pub(crate) sync_flush: bool,
    pub(crate) sync_master: bool,
    pub(crate) slave: bool,
    pub(crate) async_deliver: bool,
    /// `transientStorePoolEnable`.
    pub(crate) pool: bool,
    pub(crate) log_file: i32,
}

impl BrokerShape {
    /// Whether appends go through a buffer of the process, which a kill takes.
    pub(crate) const fn pools(self) -> bool {
        self.pool && !self.sync_flush
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    pub(crate) ops: Vec<Op>,
}

/// How an application sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Sync,
    Async,
    Oneway,
}

/// Which queue a message goes to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// The client's choice.
    Any,
    /// Always this one: there is no second attempt.
    Queue(u8),
    /// The application's choice, by a hash.
    Hash(u8),
}

/// Something that happens. Numbers of nodes are taken modulo those that there are.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Send {
        producer: u8,
        topic: u8,
        mode: Mode,
        level: u8,
        body: u16,
        wait: bool,
        to: Target,
    },
    Batch {
        producer: u8,
        topic: u8,
        count: u8,
    },
    /// A half message that is sent like any other: no process knows of a transaction behind it.
    Half {
        producer: u8,
        topic: u8,
    },
    /// A message in a transaction: what the local transaction comes to after so many milliseconds, and what the listener
    /// answers to one question after the other.
    Transaction {
        producer: u8,
        topic: u8,
        local: ListenerResult,
        local_ms: u16,
        checks: Vec<ListenerResult>,
        /// `CHECK_IMMUNITY_TIME_IN_SECONDS`.
        immunity: Option<i8>,
    },
    /// An application says how one of the transactions before ended, counted backwards: once more, or late.
    End {
        back: u8,
        state: LocalTransactionState,
    },
    /// An application says it of whatever half message is at a place of a broker's half queue.
    EndAt {
        producer: u8,
        broker: u8,
        queue_offset: u8,
        state: LocalTransactionState,
    },
    /// A producer's process is killed right before so manieth turn of its local transactions.
    KillWhen {
        producer: u8,
        turn: u8,
    },
    /// So many events.
    Events(u8),
    /// So many milliseconds.
    Pass(u16),
    Kill(u8),
    PowerLoss(u8, Fate),
    /// The next turn of a broker that writes more than so often crashes after so many writes.
    Trap {
        broker: u8,
        write: u8,
        bytes: Option<u8>,
        power: bool,
    },
    Stop(u8),
    Start(u8),
    Cut(u8, u8),
    Stall(u8, u8),
    Mend(u8, u8),
    Pause {
        node: u8,
        service: Option<u8>,
    },
    Resume(u8),
    Disk {
        broker: u8,
        fault: DiskFault,
    },
    MendDisk(u8),
    /// A wall clock is set, by so many seconds.
    Clock(u8, i16),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum DiskFault {
    Write,
    Full,
    Slow(u16),
}

/// What a power loss leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    Flushed,
    Everything,
    Prefix(u8),
    Torn(u8, u8),
    Random(u64),
}

impl cases::Case for Case {
    type Op = Op;
    type Tally = Tally;

    const SOAK: Soak = Soak { prefix: "ROCKETSCOPE_PRODUCE", amount: "CASES", usual: 400 };
    const TEST: &str = "produce_model";

    fn play(&self) -> Result<Tally, Failure> {
        play::run(self)
    }

    fn ops(&self) -> &[Op] {
        &self.ops
    }

    fn ops_mut(&mut self) -> &mut Vec<Op> {
        &mut self.ops
    }

    fn stage(&self) -> String {
        format!("a case {:?} with {:?}", self.kind, self.shape)
    }

    fn add(total: &mut Tally, other: &Tally) {
        total.add(other);
    }

    fn random(seed: u64) -> Self {
        let rng = &mut Rng::new(seed);
        let kind = rng.pick(&[Kind::Calm, Kind::Killed, Kind::Killed, Kind::Steady, Kind::Wild, Kind::Wild]);
        let brokers = 1 + rng.below(3);
        let shape = Shape {
            name_servers: 1 + rng.below(2) as usize,
            brokers: (0..brokers).map(|_| BrokerShape::random(rng, kind)).collect(),
            producers: 1 + rng.below(3) as usize,
            latency_fault: rng.chance(30),
            retry_another: rng.chance(30),
            not_found: if rng.chance(70) { LocalTransactionState::Unknown } else { state(rng) },
            seed: rng.next(),
        };
        let count = 10 + rng.below(70);
        let ops = (0..count).map(|_| Op::random(rng, kind)).collect();
        Self { kind, shape, ops }
    }
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Calm, Self::Killed, Self::Steady, Self::Wild];
}

impl BrokerShape {
    fn random(rng: &mut Rng, kind: Kind) -> Self {
        let slave = rng.chance(25);
        Self {
            sync_flush: kind == Kind::Steady || rng.chance(40),
            sync_master: slave && rng.chance(50),
            slave,
            async_deliver: rng.chance(25),
            pool: matches!(kind, Kind::Killed | Kind::Wild) && rng.chance(15),
            log_file: rng.pick(&[4096, 8192, 65536]),
        }
    }
}

fn state(rng: &mut Rng) -> LocalTransactionState {
    use LocalTransactionState as L;
    rng.pick(&[L::Commit, L::Commit, L::Rollback, L::Unknown])
}

fn result(rng: &mut Rng) -> ListenerResult {
    use ListenerResult as L;
    rng.pick(&[L::Commit, L::Commit, L::Commit, L::Rollback, L::Rollback, L::Unknown, L::Unknown, L::Null, L::Throw])
}

impl Op {
    fn random(rng: &mut Rng, kind: Kind) -> Self {
        let node = |rng: &mut Rng| rng.below(16) as u8;
        if rng.chance(20) {
            return Self::of_transactions(rng, kind);
        }
        match rng.below(102) {
            0..38 => Self::Send {
                producer: node(rng),
                topic: rng.below(3) as u8,
                mode: rng.pick(&[Mode::Sync, Mode::Sync, Mode::Async, Mode::Oneway]),
                level: if rng.chance(30) { 1 + rng.below(4) as u8 } else { 0 },
                // The longest is compressed.
                body: if rng.chance(8) { rng.pick(&[1500, 6000]) } else { rng.below(200) as u16 },
                wait: kind == Kind::Steady || rng.chance(85),
                to: match rng.below(10) {
                    0 => Target::Queue(rng.below(3) as u8),
                    1 => Target::Hash(rng.below(8) as u8),
                    _ => Target::Any,
                },
            },
            38..46 => Self::Batch { producer: node(rng), topic: rng.below(3) as u8, count: 1 + rng.below(5) as u8 },
            46..54 => Self::Events(1 + rng.below(30) as u8),
            54..66 => Self::Pass(rng.pick(&[1, 20, 300, 2000, 12_000])),
            66..70 if kind != Kind::Calm => Self::Kill(node(rng)),
            70..74 if kind >= Kind::Steady => Self::PowerLoss(node(rng), Fate::random(rng, kind)),
            74..78 if kind != Kind::Calm => Self::Trap {
                broker: node(rng),
                write: rng.below(12) as u8,
                bytes: rng.chance(40).then(|| rng.below(64) as u8),
                power: kind >= Kind::Steady && rng.chance(40),
            },
            66..68 | 78..80 => Self::Stop(node(rng)),
            68..78 | 80..86 => Self::Start(node(rng)),
            86..88 => Self::Cut(node(rng), node(rng)),
            88..90 => Self::Stall(node(rng), node(rng)),
            90..93 => Self::Mend(node(rng), node(rng)),
            93..95 => Self::Pause { node: node(rng), service: rng.chance(70).then(|| node(rng)) },
            95..97 => Self::Resume(node(rng)),
            97 if kind == Kind::Wild => Self::Disk { broker: node(rng), fault: DiskFault::random(rng) },
            98 if kind == Kind::Wild => Self::MendDisk(node(rng)),
            100..102 => Self::Clock(node(rng), rng.pick(&[-600, -30, -2, 1, 20, 600])),
            _ => Self::Pass(rng.below(5000) as u16),
        }
    }

    fn of_transactions(rng: &mut Rng, kind: Kind) -> Self {
        let node = |rng: &mut Rng| rng.below(16) as u8;
        match rng.below(20) {
            0..13 => Self::Transaction {
                producer: node(rng),
                topic: rng.below(3) as u8,
                local: result(rng),
                local_ms: if rng.chance(30) { rng.pick(&[1, 500, 3000, 9000]) } else { 0 },
                checks: (0..rng.below(4)).map(|_| result(rng)).collect(),
                immunity: rng.chance(15).then(|| rng.pick(&[-1, 0, 1, 4, 8])),
            },
            13 => Self::Half { producer: node(rng), topic: rng.below(3) as u8 },
            14..16 => Self::End { back: rng.below(4) as u8, state: state(rng) },
            16 => Self::EndAt {
                producer: node(rng),
                broker: node(rng),
                queue_offset: rng.below(12) as u8,
                state: state(rng),
            },
            17 if kind != Kind::Calm => Self::KillWhen { producer: node(rng), turn: rng.below(3) as u8 },
            _ => Self::Pass(rng.pick(&[2000, 5000])),
        }
    }
}

impl DiskFault {
    fn random(rng: &mut Rng) -> Self {
        match rng.below(3) {
            0 => Self::Write,
            1 => Self::Full,
            _ => Self::Slow(100 + rng.below(6000) as u16),
        }
    }
}

impl Fate {
    fn random(rng: &mut Rng, kind: Kind) -> Self {
        if kind == Kind::Steady {
            return Self::Flushed;
        }
        match rng.below(100) {
            0..40 => Self::Flushed,
            40..50 => Self::Everything,
            50..65 => Self::Prefix(rng.below(8) as u8),
            65..80 => Self::Torn(rng.below(8) as u8, 1 + rng.below(7) as u8),
            _ => Self::Random(rng.next()),
        }
    }
}
