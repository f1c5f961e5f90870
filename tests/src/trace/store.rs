//! A store alone: messages of many kinds over small files, so that logs roll, queues and index files grow and every
//! service has its turns.

use bytes::Bytes;
use rocketscope_engine::disk::{MemoryDisk, ReadAt as _};
use rocketscope_engine::message::{Host, Message, Properties, property};
use rocketscope_engine::node::Fnv;
use rocketscope_engine::store::{Env, Reput, Step, Store, StoreConfig, Work};

/// Small files, as in 4.9.8's own keys.
const CONFIG: [(&str, &str); 4] = [
    ("mappedFileSizeCommitLog", "16384"),
    ("mappedFileSizeConsumeQueue", "1000"),
    ("maxHashSlotNum", "50"),
    ("maxIndexNum", "120"),
];

const MESSAGES: i32 = 400;

/// A clock that moves with the work, and an ear that hashes what it hears.
struct Watch {
    now: i64,
    hash: Fnv,
}

impl Env for Watch {
    fn now(&self) -> i64 {
        self.now
    }

    fn spend(&mut self, work: Work) {
        self.now += match work {
            Work::Append => 1,
            Work::Dispatch => 2,
            Work::CreateIndexFile => 3,
            Work::Sleep(ms) => ms,
        };
    }

    fn step(&mut self, step: impl FnOnce() -> Step) {
        let text = serde_json::to_vec(&step()).expect("a step is plain data");
        self.hash.write(&text);
    }
}

/// Hash of every step of the run, of every answer, and of the disk that is left.
pub(super) fn trace_hash() -> u64 {
    let mut config = StoreConfig::default();
    for (key, value) in CONFIG {
        config.set(key, value).expect("a key of the store");
    }
    let mut watch = Watch { now: 1_700_000_000_000, hash: Fnv::default() };
    let mut store = Store::load(MemoryDisk::new(), config, &mut watch).expect("an empty disk loads");
    store.start(&mut watch).expect("a loaded store starts");

    for number in 0..MESSAGES {
        let put = store.put_message(&message(number, watch.now), &mut watch);
        watch.hash.write(put.status.name().as_bytes());
        // Dispatch lags behind the puts and catches up, as in a busy broker.
        if number % 7 == 6 {
            while !matches!(store.reput(&mut watch), Reput::Idle) {}
            store.flush_commit_log(0, &mut watch);
        }
        if number % 50 == 49 {
            // A minute does not pass: the first round is the thorough one.
            store.flush_consume_queues(number == 49, &mut watch);
        }
        let got = store.get_message("group", "Orders", number % 4, i64::from(number / 8), 32, None);
        let answer = got.map(|got| format!("{} {}", got.status.name(), got.next_begin_offset));
        watch.hash.write(answer.unwrap_or_default().as_bytes());
    }
    while !matches!(store.reput(&mut watch), Reput::Idle) {}
    store.shutdown(&mut watch);

    let disk = store.disk();
    for (path, file) in disk.files() {
        let len = disk.meta(file).expect("a listed file").len;
        let bytes = disk.slice(file, 0, len.try_into().expect("a small file")).expect("bytes of a listed file");
        watch.hash.write(path.as_bytes());
        watch.hash.write(&bytes);
    }
    watch.hash.value()
}

fn message(number: i32, now: i64) -> Message {
    let mut properties = Properties::new();
    properties.put(property::KEYS, format!("order-{number} customer-{}", number % 13));
    if number % 3 != 0 {
        properties.put(property::TAGS, ["TagA", "TagB", "标签"][(number % 3) as usize]);
    }
    if number % 11 == 0 {
        properties.put(property::DELAY, "3");
    }
    let properties_text = properties.to_text();
    Message {
        topic: if number % 5 == 0 { "Payments" } else { "Orders" }.to_owned(),
        queue_id: number % 4,
        flag: number,
        sys_flag: 0,
        born_timestamp: now - 5,
        born_host: host(if number % 17 == 0 { "[2001:db8::7]:50000" } else { "10.0.0.7:50000" }),
        store_host: host("10.0.0.1:10911"),
        reconsume_times: number % 2,
        prepared_transaction_offset: 0,
        body: Bytes::from(vec![number as u8; (number as usize * 37) % 300]),
        properties,
        properties_text,
    }
}

fn host(text: &str) -> Host {
    text.parse().expect("an address")
}
