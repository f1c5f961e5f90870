//! The store against a model too plain to be wrong: random puts, batches, reads, queries, restarts and kills of the
//! process on small files.

mod model;
mod ops;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use rocketscope_engine::disk::MemoryDisk;
use rocketscope_engine::message::batch::{BatchEntry, MessageBatch, encode_client};
use rocketscope_engine::message::{Properties, record, sys_flag, tags};
use rocketscope_engine::store::{
    ExtUnit, GetMessageStatus, MessageFilter, PutMessageStatus, Reput, Store, StoreConfig,
};
use rocketscope_tests::golden::clock::Clock;

use self::model::{LOG_FILE, Model, QUEUE_FILE_UNITS};
use self::ops::{Envelope, KEYS, Op, START, TAGS, TOPICS, body_of, len_of, message_of, op, properties_of, unique_key};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_store_is_its_model(ops in vec(op(), 1..80)) {
        let mut both = Both::new();
        for op in &ops {
            both.apply(op)?;
        }
        both.check_everything()?;
    }
}

/// Takes the units of one tag.
struct OneTag(i64);

impl MessageFilter for OneTag {
    fn by_consume_queue(&self, tags_code: Option<i64>, _ext: Option<&ExtUnit>) -> bool {
        tags_code.is_none_or(|code| code == self.0)
    }
}

/// Store and model side by side.
struct Both {
    store: Option<Store<MemoryDisk>>,
    clock: Clock,
    now: i64,
    model: Model,
    /// The topic of every record.
    topics: Vec<usize>,
    /// Whether the index is complete. An unclean start throws the last index file away and builds it again from where
    /// recovery begins to read, which is not the beginning of the log.
    indexed: bool,
}

impl Both {
    fn new() -> Self {
        let mut both = Self {
            store: None,
            clock: Clock::at(START),
            now: START,
            model: Model::default(),
            topics: vec![],
            indexed: true,
        };
        both.open(MemoryDisk::new());
        both
    }

    fn open(&mut self, disk: MemoryDisk) {
        let mut store = Store::load(disk, config(), &mut self.clock).expect("a store that was stopped cleanly loads");
        store.start(&mut self.clock).expect("and starts");
        self.store = Some(store);
        self.dispatch();
    }

    fn store(&mut self) -> (&mut Store<MemoryDisk>, &mut Clock) {
        (self.store.as_mut().expect("open between operations"), &mut self.clock)
    }

    fn dispatch(&mut self) {
        let (store, clock) = self.store();
        clock.resume();
        while !matches!(store.reput(clock), Reput::Idle) {}
    }

    fn apply(&mut self, op: &Op) -> Result<(), TestCaseError> {
        self.now += 1;
        let now = self.now;
        self.clock.set(now);
        match op {
            Op::Put(envelope) => self.put(envelope),
            Op::Batch { envelope, bodies } => self.put_batch(envelope, bodies),
            Op::Get { queue, offset, max, tag } => self.get(*queue, *offset, *max, *tag),
            Op::Query { topic, key, max } => self.query(*topic, KEYS[*key], *max),
            Op::Wait(millis) => {
                self.now += i64::from(*millis);
                Ok(())
            }
            Op::Restart => {
                self.restart();
                Ok(())
            }
            Op::Kill(last_puts) => {
                for envelope in last_puts {
                    self.append(envelope)?;
                }
                let mut disk = self.store().0.disk().clone();
                disk.process_kill();
                self.indexed = false;
                self.open(disk);
                Ok(())
            }
        }
    }

    fn restart(&mut self) {
        let mut store = self.store.take().expect("open between operations");
        assert!(store.shutdown(&mut self.clock), "a clean stop");
        let disk = store.disk().clone();
        let topics = self.topics.clone();
        self.model.restart(|record| topics[record]);
        self.open(disk);
    }

    fn put(&mut self, envelope: &Envelope) -> Result<(), TestCaseError> {
        self.append(envelope)?;
        self.dispatch();
        Ok(())
    }

    fn append(&mut self, envelope: &Envelope) -> Result<(), TestCaseError> {
        let body = body_of(self.model.records.len(), envelope.body);
        let message = message_of(envelope, body.clone());
        let size = len_of(&message);
        let (store, clock) = self.store();
        let result = store.put_message(&message, clock);
        let append = result.append.ok_or_else(|| TestCaseError::fail(format!("refused: {:?}", result.status)))?;
        prop_assert_eq!(result.status, PutMessageStatus::PutOk);
        let offset = self.model.place(i64::from(size));
        prop_assert_eq!((append.wrote_offset, append.wrote_bytes), (offset, size));
        let in_queue = matches!(envelope.transaction, 0 | sys_flag::TRANSACTION_COMMIT);
        let queued = self.model.queues.get(&envelope.queue).map_or(0, Vec::len) as i64;
        prop_assert_eq!(append.queue_offset, if in_queue { queued } else { 0 });
        self.topics.push(envelope.queue.0);
        self.model.add(envelope, offset, size, body);
        Ok(())
    }

    fn put_batch(&mut self, envelope: &Envelope, bodies: &[u16]) -> Result<(), TestCaseError> {
        // A batch has one set of keys and tags here, and is never part of a transaction.
        let envelope = Envelope { transaction: 0, ..envelope.clone() };
        let first = self.model.records.len();
        let bodies: Vec<Vec<u8>> = bodies.iter().enumerate().map(|(index, len)| body_of(first + index, *len)).collect();
        let text = properties_of(&envelope).to_text();
        let entries: Vec<BatchEntry> = bodies
            .iter()
            .map(|body| BatchEntry { flag: 0, body: body.clone().into(), properties_text: text.clone() })
            .collect();
        let template = message_of(&envelope, Vec::new());
        let batch = MessageBatch {
            topic: template.topic.clone(),
            queue_id: template.queue_id,
            sys_flag: 0,
            born_timestamp: START,
            born_host: template.born_host,
            store_host: template.store_host,
            reconsume_times: 0,
            properties: Properties::new(),
            body: encode_client(&entries).expect("short properties").into(),
        };
        let sizes: Vec<i32> = bodies.iter().map(|body| len_of(&template) + body.len() as i32).collect();
        let total: i32 = sizes.iter().sum();
        let (store, clock) = self.store();
        let result = store.put_messages(&batch, clock);
        let append = result.append.ok_or_else(|| TestCaseError::fail(format!("refused: {:?}", result.status)))?;
        let mut offset = self.model.place(i64::from(total));
        prop_assert_eq!((append.wrote_offset, append.wrote_bytes), (offset, total));
        prop_assert_eq!(append.msg_num as usize, bodies.len());
        for (body, size) in bodies.into_iter().zip(sizes) {
            self.topics.push(envelope.queue.0);
            self.model.add(&envelope, offset, size, body);
            offset += i64::from(size);
        }
        self.dispatch();
        Ok(())
    }

    fn get(&mut self, queue: (usize, i32), offset: i64, max: i32, tag: Option<usize>) -> Result<(), TestCaseError> {
        let code = tag.map(|tag| tags::tags_code(Some(TAGS[tag])));
        let filter = code.map(OneTag);
        let filter = filter.as_ref().map(|filter| filter as &dyn MessageFilter);
        let (store, _) = self.store();
        let result = store.get_message("group", TOPICS[queue.0], queue.1, offset, max, filter);
        let result = result.ok_or_else(|| TestCaseError::fail("the store does not run"))?;
        let (status, next, selected) = self.model_get(queue, offset, max, code);
        prop_assert_eq!(result.status, status);
        prop_assert_eq!(result.next_begin_offset, next);
        let found: Vec<_> =
            result.selected.iter().map(|one| (one.queue_offset, one.physical_offset, one.size)).collect();
        prop_assert_eq!(found, selected);
        Ok(())
    }

    fn model_get(
        &self,
        queue: (usize, i32),
        offset: i64,
        max: i32,
        code: Option<i64>,
    ) -> (GetMessageStatus, i64, Vec<(i64, i64, i32)>) {
        use GetMessageStatus as Status;
        let units = self.model.queues.get(&queue).map(Vec::as_slice).unwrap_or_default();
        let end = units.len() as i64;
        let status = match offset {
            _ if end == 0 => return (Status::NoMessageInQueue, 0, vec![]),
            ..0 => return (Status::OffsetTooSmall, 0, vec![]),
            _ if offset == end => return (Status::OffsetOverflowOne, offset, vec![]),
            _ if offset > end => return (Status::OffsetOverflowBadly, end, vec![]),
            _ => Status::NoMatchedMessage,
        };
        let file_end = (offset / QUEUE_FILE_UNITS + 1) * QUEUE_FILE_UNITS;
        let mut selected = Vec::new();
        let mut next = offset;
        for index in offset..file_end.min(end) {
            // All of the log is in memory here, and all of a file's messages together are below 256 KiB.
            if selected.len() >= max.min(32) as usize {
                break;
            }
            next = index + 1;
            let unit = units[index as usize];
            if code.is_none_or(|code| code == unit.tags_code) {
                let record = &self.model.records[unit.record];
                selected.push((index, record.offset, record.size));
            }
        }
        (if selected.is_empty() { status } else { Status::Found }, next, selected)
    }

    fn query(&mut self, topic: usize, key: &str, max: i32) -> Result<(), TestCaseError> {
        if !self.indexed {
            return Ok(());
        }
        let (store, _) = self.store();
        let result = store.query_message(TOPICS[topic], key, max, 0, i64::MAX);
        let found: Vec<i64> = result.messages.iter().map(|message| message.physical_offset).collect();
        let entries = self.model.index.iter().rev().filter(|entry| entry.0 == topic && entry.1 == key);
        let mut expected: Vec<i64> =
            entries.take(max.min(64) as usize).map(|entry| self.model.records[entry.2].offset).collect();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
        Ok(())
    }

    /// Every queue from end to end, every key, every record's bytes, before and after a restart.
    fn check_everything(&mut self) -> Result<(), TestCaseError> {
        for _ in 0..2 {
            for topic in 0..TOPICS.len() {
                for queue_id in 0..2 {
                    for offset in 0..=self.model.queues.get(&(topic, queue_id)).map_or(0, Vec::len) as i64 {
                        self.get((topic, queue_id), offset, 32, None)?;
                    }
                }
                for key in KEYS {
                    self.query(topic, key, 64)?;
                }
                self.query(topic, &unique_key(7), 64)?;
            }
            for index in 0..self.model.records.len() {
                self.check_record(index)?;
            }
            self.restart();
        }
        Ok(())
    }

    fn check_record(&mut self, index: usize) -> Result<(), TestCaseError> {
        let wanted = self.model.records[index].clone();
        let (store, _) = self.store();
        let bytes = store.look_message_by_offset(wanted.offset);
        let bytes = bytes.ok_or_else(|| TestCaseError::fail(format!("no record at {}", wanted.offset)))?;
        let record = record::decode(&bytes).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!((record.physical_offset, record.total_size), (wanted.offset, wanted.size));
        prop_assert_eq!(record.body, wanted.body.as_slice());
        prop_assert_eq!(&record.topic, TOPICS[self.topics[index]]);
        Ok(())
    }
}

fn config() -> StoreConfig {
    let mut config = StoreConfig::default();
    let sizes = [
        ("mappedFileSizeCommitLog", LOG_FILE.to_string()),
        ("mappedFileSizeConsumeQueue", (QUEUE_FILE_UNITS * 20).to_string()),
        // A few slots make long chains; no index file is ever full.
        ("maxHashSlotNum", "7".to_owned()),
        ("maxIndexNum", "2000".to_owned()),
    ];
    for (key, value) in sizes {
        config.set(key, &value).expect("a known key");
    }
    config
}
