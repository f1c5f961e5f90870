//! Looking messages up by key.

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::Duration;

use rocketscope_engine::message::java;

use super::bench::Bench;
use super::clock::timed;
use super::fixture::Fixture;
use super::messages::{Keys, Messages, NOW, TOPIC, key};

/// Slots of an index file, and the lengths in it, as 4.9.8 has them.
const SLOTS: usize = 5_000_000;
const ENTRY: usize = 20;
/// Keys asked for again and again, in an order that no cache guesses.
const ASKED: u32 = 1 << 16;
/// Messages asked for at most.
const MAX: i32 = 32;

pub(crate) fn bench(bench: &mut Bench) {
    // An index file slows down with its entries: the slots and entries that a query meets lie farther apart.
    for (messages, keys) in [(500_000, 1), (1_000_000, 7)] {
        let entries = messages * (keys + 1);
        let asked: Vec<_> = (0..ASKED).map(|n| key(n.wrapping_mul(2_654_435_761) % (messages * keys))).collect();
        let limit = LazyCell::new(|| Limit::new(&asked, entries));
        let fixture = LazyCell::new(|| indexed(messages, keys));
        bench
            .group(&format!("query, {} million index entries", entries / 1_000_000), |count| {
                LazyCell::force(&limit).run(&asked, count)
            })
            .case("queryOffset", |count| {
                let store = &fixture.store;
                ask_all(&asked, count, |key| store.query_offset(TOPIC, key, MAX, 0, NOW + 1).phy_offsets.len())
            })
            .case("queryMessage", |count| {
                let store = &fixture.store;
                ask_all(&asked, count, |key| store.query_message(TOPIC, key, MAX, 0, NOW + 1).messages.len())
            });
    }
}

/// Asks for `count` keys. Each must be found; a few of them find another key of the same hash too.
fn ask_all(asked: &[String], count: u64, ask: impl Fn(&str) -> usize) -> Duration {
    timed(|| {
        for key in asked.iter().cycle().take(count as usize) {
            assert_ne!(ask(key), 0, "{key}");
        }
    })
}

/// A store with that many messages, each with its id and that many keys.
fn indexed(messages: u32, keys: u32) -> Fixture {
    let mut fixture = Fixture::new();
    let mut source = Messages::new(0, Keys::IdAnd(keys));
    for _ in 0..messages {
        fixture.put(&source.next());
    }
    fixture.dispatch();
    fixture
}

/// The limit: the key is hashed, its slot read and one entry, in memory that lies in one piece.
struct Limit {
    slots: Vec<u32>,
    entries: Vec<[u8; ENTRY]>,
}

impl Limit {
    fn new(asked: &[String], count: u32) -> Self {
        let mut slots = vec![1; SLOTS];
        for (number, key) in asked.iter().enumerate() {
            let place = number as u64 * 2_654_435_761 % u64::from(count);
            slots[hash(key) % SLOTS] = place as u32;
        }
        Self { slots, entries: vec![[1; ENTRY]; count as usize] }
    }

    fn run(&self, asked: &[String], count: u64) -> Duration {
        ask_all(asked, count, |key| {
            let entry = self.entries[self.slots[hash(key) % SLOTS] as usize];
            usize::from(black_box(entry)[0])
        })
    }
}

fn hash(key: &str) -> usize {
    java::hash_on(java::hash_on(java::string_hash(TOPIC), "#"), key).unsigned_abs() as usize
}
