//! The store as a whole: small files, records of 94 bytes, numbers worked out by hand.

mod cleaning;
mod delay;
mod failing;
mod flushing;
mod indexing;
mod pulling;
mod putting;
mod recovering;
mod replicating;
mod reported;
mod restarting;
mod ruins;

use bytes::Bytes;

use super::{Env, PutMessageResult, PutMessageStatus, Reput, Step, Store, StoreConfig, Work};
use crate::disk::{Disk, MemoryDisk, ReadAt};
use crate::message::{Host, Message, Properties, property};

/// 2023-11-14T22:13:20Z.
const START: i64 = 1_700_000_000_000;

/// A clock that the tests set, and everything that the store told.
#[derive(Default)]
struct TestEnv {
    now: i64,
    steps: Vec<Step>,
}

impl TestEnv {
    fn at(now: i64) -> Self {
        Self { now, steps: Vec::new() }
    }

    /// What was told since the last time, and the same as the names of the steps.
    fn names(&mut self) -> Vec<String> {
        let name = |step: &Step| match serde_json::to_value(step) {
            Ok(value) => value["kind"].as_str().unwrap_or_default().to_owned(),
            Err(error) => error.to_string(),
        };
        std::mem::take(&mut self.steps).iter().map(name).collect()
    }
}

impl Env for TestEnv {
    fn now(&self) -> i64 {
        self.now
    }

    fn spend(&mut self, work: Work) {
        match work {
            Work::CreateIndexFile => self.now += 1,
            Work::Sleep(millis) => self.now += millis,
            Work::Append | Work::Dispatch => {}
        }
    }

    fn step(&mut self, step: impl FnOnce() -> Step) {
        self.steps.push(step());
    }
}

/// A store on any disk with the environment that runs it.
struct Rig<D = MemoryDisk> {
    store: Store<D>,
    env: TestEnv,
}

/// Commit log files of 1 KiB, ConsumeQueue files of 10 units, index files of 5 slots and 9 entries.
fn small() -> StoreConfig {
    StoreConfig {
        mapped_file_size_commit_log: 1024,
        mapped_file_size_consume_queue: 200,
        max_hash_slot_num: 5,
        max_index_num: 10,
        ..StoreConfig::default()
    }
}

/// The same without an index, whose first file would move the clock.
fn without_index() -> StoreConfig {
    StoreConfig { message_index_enable: false, ..small() }
}

fn host(port: i32) -> Host {
    Host::new([10, 0, 0, 1], port)
}

/// A message with a body of 2 bytes and no properties: a record of 94 bytes under a topic of 1 character.
fn message(topic: &str, queue_id: i32) -> Message {
    Message {
        topic: topic.to_owned(),
        queue_id,
        flag: 0,
        sys_flag: 0,
        born_timestamp: START,
        born_host: host(1),
        store_host: host(10_911),
        reconsume_times: 0,
        prepared_transaction_offset: 0,
        body: Bytes::from_static(b"m0"),
        properties: Properties::new(),
        properties_text: String::new(),
    }
}

/// A message with these properties, in memory and stored.
fn with(mut message: Message, properties: &[(&str, &str)]) -> Message {
    for (name, value) in properties {
        message.properties.put(*name, *value);
    }
    message.rebuild_properties_text();
    message
}

fn with_keys(topic: &str, keys: &str) -> Message {
    with(message(topic, 0), &[(property::KEYS, keys)])
}

impl Rig {
    /// An empty store, started.
    fn new(config: StoreConfig) -> Self {
        Self::on(MemoryDisk::new(), config)
    }
}

impl<D: Disk> Rig<D> {
    /// The store on this disk, started.
    fn on(disk: D, config: StoreConfig) -> Self {
        let mut env = TestEnv::at(START);
        let mut store = Store::load(disk, config, &mut env).expect("the disk can be loaded");
        store.start(&mut env).expect("nobody else holds the lock");
        Self { store, env }
    }

    #[expect(clippy::needless_pass_by_value, reason = "each test makes its message where it puts it")]
    fn put(&mut self, message: Message) -> PutMessageResult {
        self.store.put_message(&message, &mut self.env)
    }

    /// Puts a message and dispatches it.
    fn put_ok(&mut self, message: Message) -> PutMessageResult {
        let result = self.put(message);
        assert_eq!(result.status, PutMessageStatus::PutOk);
        self.dispatch();
        result
    }

    fn put_many(&mut self, topic: &str, queue_id: i32, count: usize) {
        for _ in 0..count {
            self.put_ok(message(topic, queue_id));
        }
    }

    fn dispatch(&mut self) {
        while self.store.reput(&mut self.env) != Reput::Idle {}
    }

    /// Stops cleanly, and starts again on the same disk after `edit`.
    fn restart(mut self, edit: impl FnOnce(&mut D)) -> Self {
        assert!(self.store.shutdown(&mut self.env), "a clean stop");
        self.start_again(edit)
    }

    /// Starts again on the same disk as if the process had been killed, after `edit`.
    fn start_again(self, edit: impl FnOnce(&mut D)) -> Self {
        let config = self.store.config().clone();
        let mut disk = self.store.into_disk();
        if let Some(lock) = disk.find("lock") {
            disk.unlock(lock).expect("the lock is there");
        }
        edit(&mut disk);
        Self::on(disk, config)
    }
}

fn delete(disk: &mut impl Disk, path: &str) {
    let file = disk.find(path).expect("the file is there");
    disk.delete(file).expect("it can be deleted");
}

/// Deletes every file below a directory.
fn delete_all(disk: &mut impl Disk, below: &str) {
    for (path, file) in disk.files() {
        if path.starts_with(below) {
            disk.delete(file).expect("it can be deleted");
        }
    }
}
