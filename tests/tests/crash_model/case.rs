//! A case: a store that is put to, crashed and started again, round after round, all of it drawn from one seed.

use rocketscope_engine::store::{FlushDiskType, StoreConfig};
use rocketscope_tests::rng::Rng;

/// Rounds of one case: one crash or stop and one start each.
pub(crate) const ROUNDS: usize = 20;

/// The configuration of a case.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) log_file: i32,
    pub(crate) queue_file: i32,
    pub(crate) index: bool,
    pub(crate) sync: bool,
    pub(crate) pool: bool,
    pub(crate) check_crc: bool,
}

/// What may happen to the store of a case. The less may happen, the less is excused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Only the process dies.
    Killed,
    /// Every put is flushed before it is answered, and a power loss takes exactly what was not flushed.
    Steady,
    /// Every crash, any flush mode.
    Wild,
    /// The same, the disk refuses to flush at times, and files are damaged or lost while the store is down.
    Damaged,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    pub(crate) rounds: Vec<Round>,
}

#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub(crate) ops: Vec<Op>,
    pub(crate) end: End,
    /// What happens to the disk while nobody runs.
    pub(crate) damage: Option<Damage>,
    /// Crashes while the store starts, before a start that succeeds.
    pub(crate) starts: Vec<Cut>,
}

/// A message: numbers that are taken modulo what there is.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) topic: u8,
    pub(crate) queue: u8,
    pub(crate) body: u16,
    pub(crate) tag: u8,
    pub(crate) key: u8,
    /// Bits of the sysFlag: half, committed or rolled back.
    pub(crate) transaction: i32,
    pub(crate) delay: u8,
    pub(crate) wait: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Whether the flush that the answer waits for is done at once.
    Put(Draft, bool),
    Batch(Draft, Vec<u16>),
    Reput(u8),
    FlushLog(u8),
    Commit,
    /// The flush of everything that waits, as the service of synchronous flushes does it.
    GroupCommit,
    FlushQueues(bool),
    Checkpoint,
    /// From here on the disk refuses to flush, or does it again.
    RefuseFlush(bool),
    /// The oldest files of the log go, but for the last, and what pointed into them.
    Clean,
    Wait(u16),
    Pull(u8, u8, u8),
    Query(u8, u8),
}

/// How much of the disk's operations was done when the crash came, in 65536ths; how much of the next, if it was in the
/// middle of one; and what the crash takes.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    pub(crate) at: u16,
    pub(crate) bytes: Option<u16>,
    pub(crate) fate: Fate,
}

#[derive(Clone, Debug)]
pub(crate) enum End {
    /// An orderly stop; dispatch may not come to its end.
    Stop {
        backlog: bool,
    },
    Crash(Fate),
    InOp(Op, Cut),
    InStop(Cut),
}

#[derive(Clone, Debug)]
pub(crate) enum Fate {
    Kill,
    /// Power losses: only what was flushed survives, everything, the first pages, those and the first sectors of the
    /// next, some pages out of order.
    Flushed,
    Everything,
    Prefix(u8),
    Torn(u8, u8),
    Random(u64),
}

#[derive(Clone, Debug)]
pub(crate) enum Damage {
    /// A bit of the body of some record.
    Flip(u16, u8),
    /// All files of a queue, the last file of one, all queues.
    Queue(u8),
    QueueTail(u8),
    Queues,
    Checkpoint,
}

impl Shape {
    fn random(rng: &mut Rng) -> Self {
        let sync = rng.chance(35);
        Self {
            log_file: rng.pick(&[1024, 1024, 2048, 4096, 8192]),
            queue_file: rng.pick(&[200, 200, 200, 1000, 2000]),
            index: rng.chance(60),
            sync,
            pool: !sync && rng.chance(25),
            check_crc: rng.chance(90),
        }
    }

    pub(crate) fn config(&self) -> StoreConfig {
        StoreConfig {
            mapped_file_size_commit_log: self.log_file,
            mapped_file_size_consume_queue: self.queue_file,
            message_index_enable: self.index,
            max_hash_slot_num: 5,
            max_index_num: 50,
            flush_disk_type: if self.sync { FlushDiskType::SyncFlush } else { FlushDiskType::AsyncFlush },
            transient_store_pool_enable: self.pool,
            transient_store_pool_size: 100_000,
            check_crc_on_recover: self.check_crc,
            ..StoreConfig::default()
        }
    }
}

impl Case {
    pub(crate) fn random(seed: u64) -> Self {
        let rng = &mut Rng::new(seed);
        let kind = rng.pick(&[Kind::Killed, Kind::Steady, Kind::Wild, Kind::Wild, Kind::Damaged]);
        let mut shape = Shape::random(rng);
        if kind == Kind::Steady {
            (shape.sync, shape.pool) = (true, false);
        }
        let rounds = (0..ROUNDS).map(|_| Round::random(rng, kind)).collect();
        Self { kind, shape, rounds }
    }
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Killed, Self::Steady, Self::Wild, Self::Damaged];
}

impl Round {
    fn random(rng: &mut Rng, kind: Kind) -> Self {
        let count = rng.below(7);
        let ops = (0..count).map(|_| Op::random(rng, kind)).collect();
        let end = match rng.below(100) {
            0..15 => End::Stop { backlog: rng.chance(10) },
            // Between two operations of a steady case everything in the log is flushed.
            15..25 => End::Crash(Fate::Kill),
            25..55 => End::Crash(Fate::random(rng, kind)),
            55..92 => End::InOp(Op::random(rng, kind), Cut::random(rng, kind)),
            _ => End::InStop(Cut::random(rng, kind)),
        };
        let damage = (kind == Kind::Damaged && rng.chance(20)).then(|| Damage::random(rng));
        let mut starts = Vec::new();
        while rng.chance(15) {
            starts.push(Cut::random(rng, kind));
        }
        Self { ops, end, damage, starts }
    }
}

impl Draft {
    fn random(rng: &mut Rng, waits: bool) -> Self {
        Self {
            topic: rng.below(3) as u8,
            queue: rng.below(2) as u8,
            body: if rng.chance(2) { rng.below(9000) as u16 } else { rng.below(300) as u16 },
            tag: rng.below(3) as u8,
            key: rng.below(6) as u8,
            transaction: rng.pick(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0x4, 0x8, 0xC]),
            delay: if rng.chance(6) { 1 + rng.below(3) as u8 } else { 0 },
            wait: waits || rng.chance(80),
        }
    }
}

impl Op {
    fn random(rng: &mut Rng, kind: Kind) -> Self {
        let steady = kind == Kind::Steady;
        match rng.below(100) {
            0..36 => Self::Put(Draft::random(rng, steady), steady || rng.chance(70)),
            36..41 => {
                let draft = Draft { transaction: 0, delay: 0, ..Draft::random(rng, steady) };
                Self::Batch(draft, (0..=rng.below(5)).map(|_| rng.below(100) as u16).collect())
            }
            41..66 => Self::Reput(1 + rng.below(8) as u8),
            66..72 => Self::FlushLog(rng.pick(&[0, 0, 1])),
            72..77 => Self::Commit,
            77..80 => Self::GroupCommit,
            80..88 => Self::FlushQueues(rng.chance(70)),
            88..89 => Self::Checkpoint,
            89..92 if kind == Kind::Damaged => Self::RefuseFlush(rng.chance(60)),
            92..93 => Self::Clean,
            89..94 => Self::Wait(rng.below(8000) as u16),
            94..97 => Self::Pull(rng.below(3) as u8, rng.below(2) as u8, rng.below(40) as u8),
            _ => Self::Query(rng.below(3) as u8, rng.below(6) as u8),
        }
    }
}

impl Cut {
    fn random(rng: &mut Rng, kind: Kind) -> Self {
        let bytes = rng.chance(40).then(|| rng.below(1 << 16) as u16);
        Self { at: rng.below(1 << 16) as u16, bytes, fate: Fate::random(rng, kind) }
    }
}

impl Fate {
    fn random(rng: &mut Rng, kind: Kind) -> Self {
        match kind {
            Kind::Killed => return Self::Kill,
            Kind::Steady => return Self::Flushed,
            Kind::Wild | Kind::Damaged => {}
        }
        match rng.below(100) {
            0..25 => Self::Kill,
            25..55 => Self::Flushed,
            55..60 => Self::Everything,
            60..72 => Self::Prefix(rng.below(8) as u8),
            72..84 => Self::Torn(rng.below(8) as u8, 1 + rng.below(7) as u8),
            _ => Self::Random(rng.next()),
        }
    }
}

impl Damage {
    fn random(rng: &mut Rng) -> Self {
        match rng.below(10) {
            0..4 => Self::Flip(rng.below(1 << 16) as u16, rng.below(8) as u8),
            4..6 => Self::Queue(rng.below(6) as u8),
            6..8 => Self::QueueTail(rng.below(6) as u8),
            8 => Self::Queues,
            _ => Self::Checkpoint,
        }
    }
}
