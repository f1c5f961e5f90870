//! Pulling: `getMessage` of 32 along a queue.

use std::hint::black_box;
use std::time::Duration;

use rocketscope_engine::store::Selected;

use super::bench::Bench;
use super::clock::timed;
use super::fixture::{Fixture, LIMIT_MEMORY};
use super::messages::{BODY_LENS, Keys, Messages, QUEUES, TOPIC};

/// Messages asked for at once. Of the longest bodies an answer holds 15: it takes at most 256 KiB.
const BATCH: i32 = 32;
/// Bytes of the log that is pulled from.
const LOG: i64 = 60 * 1024 * 1024;
const UNIT: usize = 20;

pub(crate) fn bench(bench: &mut Bench) {
    for body_len in BODY_LENS {
        let mut pull = Pull::new(body_len);
        let mut units = Units::new(body_len);
        let mut pull_bytes = Pull::new(body_len);
        let mut copies = Copies::new(body_len);
        bench
            .group(&format!("getMessage, {body_len} B, places"), |count| units.run(count))
            .case("store", |count| pull.run(count, |_, _| {}));
        bench.group(&format!("getMessage, {body_len} B, bytes"), |count| copies.run(count)).case("store", |count| {
            pull_bytes.run(count, |fixture, selected| {
                black_box(fixture.store.read(selected.physical_offset, selected.size));
            })
        });
    }
}

/// The limit of an answer that says where the messages are: their units are read, and noted in a list.
struct Units {
    queue: Vec<u8>,
}

impl Units {
    fn new(body_len: usize) -> Self {
        Self { queue: vec![1; LIMIT_MEMORY / (body_len + 200) / BATCH as usize * BATCH as usize * UNIT] }
    }

    fn run(&mut self, mut count: u64) -> Duration {
        let (units, _) = self.queue.as_chunks::<UNIT>();
        let mut time = Duration::ZERO;
        while count > 0 {
            let taken = count.min(units.len() as u64);
            time += timed(|| {
                for answer in units[..taken as usize].chunks(BATCH as usize) {
                    black_box(answer.iter().map(place).collect::<Vec<_>>());
                }
            });
            count -= taken;
        }
        time
    }
}

/// Physical offset and size in a unit.
fn place(unit: &[u8; UNIT]) -> (i64, i32) {
    let (offset, rest) = unit.split_first_chunk().expect("a unit");
    let size = rest.first_chunk().expect("a unit");
    (i64::from_be_bytes(*offset), i32::from_be_bytes(*size))
}

/// The limit of an answer that holds the messages: their bytes are copied, each into memory of its own. As in the store
/// the messages of one queue lie apart.
struct Copies {
    record_len: usize,
    log: Vec<u8>,
    queue: usize,
}

impl Copies {
    fn new(body_len: usize) -> Self {
        Self { record_len: body_len + 200, log: vec![1; LIMIT_MEMORY], queue: 0 }
    }

    fn run(&mut self, mut count: u64) -> Duration {
        let mut time = Duration::ZERO;
        while count > 0 {
            let records = self.log.chunks_exact(self.record_len).skip(self.queue).step_by(QUEUES as usize);
            let taken = count.min(records.len() as u64);
            time += timed(|| {
                for record in records.take(taken as usize) {
                    black_box(record.to_vec());
                }
            });
            count -= taken;
            self.queue = (self.queue + 1) % QUEUES as usize;
        }
        time
    }
}

/// A consumer that pulls every queue from its beginning to its end, again and again.
struct Pull {
    body_len: usize,
    fixture: Option<Fixture>,
    queue_id: i32,
    offset: i64,
}

impl Pull {
    fn new(body_len: usize) -> Self {
        Self { body_len, fixture: None, queue_id: 0, offset: 0 }
    }

    fn run(&mut self, count: u64, mut take: impl FnMut(&Fixture, &Selected)) -> Duration {
        let fixture = self.fixture.get_or_insert_with(|| filled(self.body_len));
        timed(|| {
            let mut pulled = 0;
            while pulled < count {
                let answer = fixture.store.get_message("group", TOPIC, self.queue_id, self.offset, BATCH, None);
                let answer = answer.expect("a running store");
                answer.selected.iter().for_each(|selected| take(fixture, selected));
                pulled += answer.selected.len() as u64;
                self.offset = answer.next_begin_offset;
                if self.offset == answer.max_offset {
                    self.offset = 0;
                    self.queue_id = (self.queue_id + 1) % QUEUES as i32;
                }
            }
        })
    }
}

/// A store with messages in its queues.
fn filled(body_len: usize) -> Fixture {
    let mut fixture = Fixture::new();
    let mut messages = Messages::new(body_len, Keys::None);
    while fixture.store.max_phy_offset() < LOG {
        fixture.put(&messages.next());
    }
    fixture.dispatch();
    fixture
}
