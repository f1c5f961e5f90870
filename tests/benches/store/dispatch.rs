//! Dispatching a record: from the commit log to its unit in the ConsumeQueue, and to the index.

use std::hint::black_box;
use std::time::Duration;

use super::bench::Bench;
use super::clock::timed;
use super::fixture::Fixture;
use super::messages::{BODY_LENS, Keys, Messages};

/// Bytes of records that wait when dispatch begins: it follows the puts closely, as it mostly does, and finds what they
/// wrote in a cache; or it comes long after them, and fetches every record from memory.
const WAITING: [(&str, usize); 2] = [("close behind", 256 * 1024), ("far behind", 32 * 1024 * 1024)];
const UNIT: usize = 20;

pub(crate) fn bench(bench: &mut Bench) {
    for body_len in BODY_LENS {
        for (name, waiting) in WAITING {
            let mut limit = Limit::new(body_len, waiting);
            let mut plain = Dispatch::new(body_len, Keys::None, waiting);
            let mut indexed = Dispatch::new(body_len, Keys::IdAnd(1), waiting);
            bench
                .group(&format!("dispatch, {body_len} B, {name}"), |count| limit.run(count))
                .case("no keys", |count| plain.run(count))
                .case("2 index entries", |count| indexed.run(count));
        }
    }
}

/// The limit: size and queue offset of a record are read, 20 bytes are written. As in the store the records were written
/// just before.
struct Limit {
    record: Vec<u8>,
    log: Vec<u8>,
    queue: Vec<u8>,
}

impl Limit {
    fn new(body_len: usize, waiting: usize) -> Self {
        // About what topic and properties of the store's records come to.
        let mut record = vec![1; body_len + 200];
        let size = record.len() as i32;
        record[..4].copy_from_slice(&size.to_be_bytes());
        let records = waiting / record.len();
        Self { log: record.repeat(records), queue: vec![1; records * UNIT], record }
    }

    fn run(&mut self, mut count: u64) -> Duration {
        let mut time = Duration::ZERO;
        while count > 0 {
            self.log.chunks_exact_mut(self.record.len()).for_each(|place| place.copy_from_slice(&self.record));
            let records = count.min((self.log.len() / self.record.len()) as u64);
            time += timed(|| self.dispatch(records as usize));
            count -= records;
        }
        time
    }

    fn dispatch(&mut self, records: usize) {
        let (units, _) = self.queue.as_chunks_mut::<UNIT>();
        let mut offset = 0;
        let mut queue_offsets = 0;
        for unit in units.iter_mut().take(records) {
            let record = &self.log[offset..];
            let size: [u8; 4] = *record.first_chunk().expect("a record");
            let queue_offset: [u8; 8] = *record[20..].first_chunk().expect("a record");
            queue_offsets ^= u64::from_be_bytes(queue_offset);
            unit[..8].copy_from_slice(&(offset as u64).to_be_bytes());
            unit[8..12].copy_from_slice(&size);
            unit[12..].copy_from_slice(&[0; 8]);
            offset += u32::from_be_bytes(size) as usize;
        }
        black_box((queue_offsets, &mut self.queue));
    }
}

/// A store whose records are dispatched.
struct Dispatch {
    messages: Messages,
    waiting: u64,
    fixture: Option<Fixture>,
}

impl Dispatch {
    fn new(body_len: usize, keys: Keys, waiting: usize) -> Self {
        Self { messages: Messages::new(body_len, keys), waiting: waiting as u64, fixture: None }
    }

    fn run(&mut self, mut count: u64) -> Duration {
        let fixture = self.fixture.get_or_insert_with(Fixture::new);
        let mut time = Duration::ZERO;
        while count > 0 {
            fixture.recycle();
            let end = fixture.store.max_phy_offset() as u64 + self.waiting;
            while count > 0 && (fixture.store.max_phy_offset() as u64) < end {
                fixture.put(&self.messages.next());
                count -= 1;
            }
            time += timed(|| fixture.dispatch());
        }
        time
    }
}
