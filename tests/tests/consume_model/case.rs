//! A case: a cluster and what happens to it, all of it drawn from one seed.

use rocketscope_tests::{
    cases::{self, Failure},
    rng::Rng,
    soak::Soak,
};

use crate::{play, tally::Tally};

/// The cluster of a case.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) brokers: usize,
    /// Members of the group `g`, whose listeners work with a database.
    pub(crate) consumers: usize,
    /// Whether there is a consumer of another group, whose listener does nothing.
    pub(crate) other_group: bool,
    /// Whether the listeners of `g` note each message in the transaction of its effect.
    pub(crate) records: bool,
    /// Whether the listeners are orderly ones.
    pub(crate) orderly: bool,
    /// `maxReconsumeTimes`.
    pub(crate) max_reconsume: i8,
    pub(crate) threads: u8,
    pub(crate) takes_ms: u16,
    pub(crate) call_batch: u8,
    pub(crate) pull_batch: u8,
    /// How often a message fails that is to fail.
    pub(crate) failures: u8,
    pub(crate) strategy: Strategy,
    pub(crate) from_first: bool,
    pub(crate) seed: u64,
}

/// How the group shares its queues out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Strategy {
    Runs,
    Circle,
    Hash,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) shape: Shape,
    pub(crate) ops: Vec<Op>,
}

/// Something that happens. Numbers of nodes are taken modulo those that there are.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// A message, which may be one that fails at first.
    Send {
        topic: u8,
        fails: bool,
    },
    /// So many events.
    Events(u8),
    /// So many milliseconds.
    Pass(u16),
    Kill(u8),
    /// A consumer is killed right before so manieth turn of one of its services.
    KillWhen {
        consumer: u8,
        service: u8,
        turn: u8,
    },
    Stop(u8),
    Start(u8),
    Cut(u8, u8),
    Stall(u8, u8),
    Mend(u8, u8),
    Pause(u8),
    Resume(u8),
}

impl cases::Case for Case {
    type Op = Op;
    type Tally = Tally;

    const SOAK: Soak = Soak { prefix: "ROCKETSCOPE_CONSUME", amount: "CASES", usual: 400 };
    const TEST: &str = "consume_model";

    fn random(seed: u64) -> Self {
        let rng = &mut Rng::new(seed);
        let shape = Shape {
            brokers: 1 + rng.below(2) as usize,
            consumers: 1 + rng.below(3) as usize,
            other_group: rng.chance(30),
            records: rng.chance(60),
            orderly: rng.chance(45),
            max_reconsume: rng.pick(&[-1, -1, 1, 2]),
            threads: rng.pick(&[1, 2, 20]),
            takes_ms: rng.pick(&[0, 10, 10, 300, 4000]),
            call_batch: rng.pick(&[1, 1, 3]),
            pull_batch: rng.pick(&[1, 4, 32]),
            failures: 1 + rng.below(3) as u8,
            strategy: rng.pick(&[Strategy::Runs, Strategy::Runs, Strategy::Circle, Strategy::Hash]),
            from_first: rng.chance(50),
            seed: rng.next(),
        };
        let count = 10 + rng.below(60);
        let calm = rng.chance(25);
        let ops = (0..count).map(|_| Op::random(rng, calm)).collect();
        Self { shape, ops }
    }

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
        format!("a case with {:?}", self.shape)
    }

    fn add(total: &mut Tally, other: &Tally) {
        total.add(other);
    }
}

impl Op {
    fn random(rng: &mut Rng, calm: bool) -> Self {
        let node = |rng: &mut Rng| rng.below(16) as u8;
        match rng.below(100) {
            0..40 => Self::Send { topic: rng.below(2) as u8, fails: rng.chance(20) },
            40..52 => Self::Events(1 + rng.below(30) as u8),
            52..64 => Self::Pass(rng.pick(&[1, 20, 300, 2000, 6000, 25_000])),
            64..70 if !calm => Self::Kill(node(rng)),
            70..76 if !calm => {
                Self::KillWhen { consumer: node(rng), service: rng.below(8) as u8, turn: 1 + rng.below(9) as u8 }
            }
            64..67 | 76..80 => Self::Stop(node(rng)),
            67..76 | 80..88 => Self::Start(node(rng)),
            88..90 => Self::Cut(node(rng), node(rng)),
            90..92 => Self::Stall(node(rng), node(rng)),
            92..95 => Self::Mend(node(rng), node(rng)),
            95..97 => Self::Pause(node(rng)),
            97..99 => Self::Resume(node(rng)),
            _ => Self::Pass(rng.below(5000) as u16),
        }
    }
}
