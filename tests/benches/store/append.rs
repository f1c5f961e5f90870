//! Appending a message with two keys: from the message to its record in the commit log.

use std::hint::black_box;
use std::time::Duration;

use rocketscope_engine::message::Message;
use rocketscope_engine::message::record::{Limits, encode};

use super::bench::Bench;
use super::clock::timed;
use super::fixture::{Fixture, HEADER, LIMIT_MEMORY};
use super::messages::{BODY_LENS, Keys, Messages};

/// Messages that are put again and again.
const MESSAGES: usize = 256;

pub(crate) fn bench(bench: &mut Bench) {
    let messages = BODY_LENS.map(|body_len| {
        let mut source = Messages::new(body_len, Keys::IdAnd(1));
        (0..MESSAGES).map(|_| source.next()).collect::<Vec<_>>()
    });
    // Fresh memory first, and all of it held until the last case has its own: what was given back is not fresh.
    let mut fresh =
        messages.each_ref().map(|messages| (Limit::new(messages, Memory::Fresh), Log::new(messages, Memory::Fresh)));
    for (limit, log) in &mut fresh {
        let title = format!("append, {} B, fresh memory", limit.message.body.len());
        bench.short_group(&title, |count| limit.run(count)).case("store", |count| log.run(count));
    }
    drop(fresh);
    for messages in &messages {
        let (mut limit, mut log) = (Limit::new(messages, Memory::Touched), Log::new(messages, Memory::Touched));
        let title = format!("append, {} B, touched memory", limit.message.body.len());
        bench.group(&title, |count| limit.run(count)).case("store", |count| log.run(count));
    }
}

/// What is written to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Memory that was used before.
    Touched,
    /// Memory that the operating system hands out at its first touch.
    Fresh,
}

/// The limit: CRC of the body, and header, body, topic and properties copied to where they belong.
struct Limit<'m> {
    message: &'m Message,
    header: [u8; HEADER],
    record_len: usize,
    memory: Memory,
    bytes: Vec<u8>,
    position: usize,
    /// Memory that is no longer fresh.
    spent: Vec<Vec<u8>>,
}

impl<'m> Limit<'m> {
    fn new(messages: &'m [Message], memory: Memory) -> Self {
        let message = messages.first().expect("a message");
        let mut record = Vec::new();
        encode(message, &Limits::default(), &mut record).expect("a message that can be stored");
        let header = *record.first_chunk().expect("a record has a header");
        let bytes = match memory {
            Memory::Touched => vec![1; LIMIT_MEMORY],
            Memory::Fresh => Vec::new(),
        };
        Self { message, header, record_len: record.len(), memory, bytes, position: 0, spent: Vec::new() }
    }

    fn run(&mut self, mut count: u64) -> Duration {
        let mut time = Duration::ZERO;
        while count > 0 {
            if self.bytes.len() - self.position < self.record_len {
                self.position = 0;
                if self.memory == Memory::Fresh {
                    self.spent.push(std::mem::replace(&mut self.bytes, vec![0; LIMIT_MEMORY]));
                }
            }
            let fits = (self.bytes.len() - self.position) / self.record_len;
            let records = count.min(fits as u64);
            time += timed(|| self.write(records as usize));
            count -= records;
        }
        time
    }

    fn write(&mut self, records: usize) {
        let (body, topic, properties) = (&self.message.body, &self.message.topic, &self.message.properties_text);
        let room = &mut self.bytes[self.position..][..records * self.record_len];
        for record in room.chunks_exact_mut(self.record_len) {
            let crc = crc32fast::hash(black_box(body));
            let (header, rest) = record.split_at_mut(HEADER);
            header.copy_from_slice(&self.header);
            header[8..12].copy_from_slice(&crc.to_be_bytes());
            let (body_bytes, rest) = rest.split_at_mut(body.len());
            body_bytes.copy_from_slice(body);
            let (topic_bytes, properties_bytes) = rest.split_at_mut(topic.len());
            topic_bytes.copy_from_slice(topic.as_bytes());
            properties_bytes.copy_from_slice(properties.as_bytes());
        }
        self.position += records * self.record_len;
        black_box(&mut self.bytes);
    }
}

/// A store that messages are put into.
struct Log<'m> {
    messages: &'m [Message],
    memory: Memory,
    fixture: Option<Fixture>,
}

impl<'m> Log<'m> {
    fn new(messages: &'m [Message], memory: Memory) -> Self {
        Self { messages, memory, fixture: None }
    }

    fn run(&mut self, mut count: u64) -> Duration {
        let fixture = self.fixture.get_or_insert_with(Fixture::new);
        let mut time = Duration::ZERO;
        while count > 0 {
            let messages = &self.messages[..count.min(MESSAGES as u64) as usize];
            time += timed(|| messages.iter().for_each(|message| fixture.put(message)));
            count -= messages.len() as u64;
            if self.memory == Memory::Touched {
                fixture.recycle();
            }
        }
        time
    }
}
