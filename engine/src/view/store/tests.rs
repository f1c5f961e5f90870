//! Any bytes in any file, and every question about them: never a panic, and never an answer without end.

use std::collections::BTreeMap;

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::{StoreAnswer, StoreExplorer, StoreQuery};
use crate::disk::{MemoryDisk, ReadAt};
use crate::message::{Host, Message, Properties, property};
use crate::store::inspect::GivenLayout;
use crate::store::{StillEnv, Store, StoreConfig};

type Files = BTreeMap<String, Vec<u8>>;

/// A small store of two topics with keys, in several files of each kind.
fn sound() -> Files {
    let config = StoreConfig {
        mapped_file_size_commit_log: 1024,
        mapped_file_size_consume_queue: 100,
        max_hash_slot_num: 7,
        max_index_num: 20,
        ..StoreConfig::default()
    };
    let env = &mut StillEnv(1_700_000_000_000);
    let mut store = Store::load(MemoryDisk::new(), config, env).unwrap();
    store.start(env).unwrap();
    for number in 0..30_i32 {
        let host = Host::new([10, 0, 0, 1], 10911);
        let properties: Properties =
            [(property::KEYS, format!("k{} x", number % 5)), (property::TAGS, "TagA".to_owned())].into_iter().collect();
        let message = Message {
            topic: if number % 3 == 0 { "A" } else { "B" }.to_owned(),
            queue_id: number % 2,
            flag: 0,
            sys_flag: 0,
            born_timestamp: 1_700_000_000_000,
            born_host: host,
            store_host: host,
            reconsume_times: 0,
            prepared_transaction_offset: 0,
            body: Bytes::from(vec![b'a'; number as usize]),
            properties_text: properties.to_text(),
            properties,
        };
        store.put_message(&message, env);
        store.reput(env);
        env.0 += 700;
    }
    store.shutdown(env);
    let disk = store.into_disk();
    let content = |(path, file)| {
        let len = disk.meta(file).unwrap().len;
        let bytes = disk.slice(file, 0, usize::try_from(len).unwrap()).unwrap();
        (path, bytes.to_vec())
    };
    disk.files().into_iter().map(content).collect()
}

fn disk_of(files: &Files) -> MemoryDisk {
    MemoryDisk::from_files(files.iter().map(|(path, bytes)| (path.clone(), bytes.clone(), 0))).unwrap()
}

/// Asks everything, before, in the middle of and after the search for problems.
fn ask_everything(files: &Files, numbers: &[i64], budget: u64) {
    let disk = disk_of(files);
    let mut explorer = StoreExplorer::open(&disk, &GivenLayout::default());
    ask(&explorer, &disk, files, numbers);
    explorer.scan_on(&disk, budget);
    ask(&explorer, &disk, files, numbers);
    let mut steps = 0;
    while !explorer.scan_on(&disk, budget).finished {
        steps += 1;
        assert!(steps < 1_000_000, "a search that does not end");
    }
    ask(&explorer, &disk, files, numbers);
}

fn ask(explorer: &StoreExplorer, disk: &MemoryDisk, files: &Files, numbers: &[i64]) {
    // Errors are answers too; what counts is that there is one.
    let ask = |query: StoreQuery| explorer.answer(disk, &query);
    for query in [StoreQuery::Summary, StoreQuery::Tree, StoreQuery::Queues, StoreQuery::IndexFiles] {
        let _ = ask(query);
    }
    let _ = ask(StoreQuery::Checkpoint);
    let _ = ask(StoreQuery::Problems { from: 0, limit: u32::MAX });
    for number in numbers.iter().copied() {
        let _ = ask(StoreQuery::Record { physical_offset: number });
        walk(&ask, number);
        for (topic, queue_id) in explorer.files().queues.keys() {
            let _ = ask(StoreQuery::Units { topic: topic.clone(), queue_id: *queue_id, from: number, limit: 9 });
        }
        for path in files.keys() {
            let start = number.unsigned_abs() % 2000;
            if let Ok(StoreAnswer::Hex(window)) = ask(StoreQuery::Hex { path: path.clone(), start, len: 300 }) {
                let end = window.start + window.bytes.len() as u64;
                for span in &window.spans {
                    assert!(span.len > 0 && span.start < end && span.start + span.len > window.start);
                }
                for pair in window.spans.windows(2) {
                    assert!(pair[0].start + pair[0].len <= pair[1].start, "spans overlap: {pair:?}");
                }
            }
            let path = path.clone();
            if path.starts_with("config/") {
                let _ = ask(StoreQuery::Config { path });
            } else if path.starts_with("index/") {
                let from = number as i32;
                let _ = ask(StoreQuery::IndexSlots { path: path.clone(), from, limit: 5 });
                let _ = ask(StoreQuery::IndexEntries { path: path.clone(), from, limit: 5 });
                let (topic, key) = ("A".to_owned(), "x".to_owned());
                let _ = ask(StoreQuery::IndexChain { path, topic, key, begin: number, end: i64::MAX });
            }
        }
    }
}

/// Pages through the log to its end; every page goes on.
fn walk(ask: &impl Fn(StoreQuery) -> Result<StoreAnswer, super::StoreViewError>, from: i64) {
    let mut from = from;
    for _ in 0..10_000 {
        let Ok(StoreAnswer::Records(window)) = ask(StoreQuery::Records { from, limit: 50 }) else { return };
        match window.next {
            Some(next) if next > window.from => from = next,
            Some(next) => panic!("the page from {} goes on at {next}", window.from),
            None => return,
        }
    }
    panic!("a log that does not end");
}

#[test]
fn the_store_that_is_damaged_below_is_sound_itself() {
    let disk = disk_of(&sound());
    let mut explorer = StoreExplorer::open(&disk, &GivenLayout::default());
    while !explorer.scan_on(&disk, 1 << 20).finished {}
    let scan = explorer.scan().unwrap();
    assert_eq!(scan.problems(), []);
    assert_eq!(scan.totals().records, 30);
    assert_eq!((explorer.layout().hash_slots, explorer.layout().index_capacity), (7, 20));
}

/// One change to one file.
#[derive(Clone, Debug)]
enum Damage {
    Write(Index, Index, Vec<u8>),
    Resize(Index, u16),
    Remove(Index),
    Rename(Index, String),
}

impl Damage {
    fn to(&self, files: &mut Files) {
        let (Self::Write(file, ..) | Self::Resize(file, _) | Self::Remove(file) | Self::Rename(file, _)) = self;
        let Some(path) = (!files.is_empty()).then(|| file.get(&files.keys().cloned().collect::<Vec<_>>()).clone())
        else {
            return;
        };
        match self {
            Self::Write(_, at, bytes) => {
                if let Some(content) = files.get_mut(&path).filter(|content| !content.is_empty()) {
                    let at = at.index(content.len());
                    content.iter_mut().skip(at).zip(bytes).for_each(|(old, new)| *old = *new);
                }
            }
            Self::Resize(_, len) => {
                if let Some(content) = files.get_mut(&path) {
                    content.resize((*len).into(), 0xAB);
                }
            }
            Self::Remove(_) => drop(files.remove(&path)),
            Self::Rename(_, name) => {
                let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
                if let Some(content) = files.remove(&path) {
                    files.insert(format!("{directory}/{name}").trim_start_matches('/').to_owned(), content);
                }
            }
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let number = any::<i64>().prop_map(|number| number.to_be_bytes().to_vec());
    let small = (-3_i32..3000).prop_map(|number| number.to_be_bytes().to_vec());
    let bytes = prop_oneof![vec(any::<u8>(), 1..40), number, small, Just(vec![0; 64])];
    let name = prop_oneof!["[0-9]{20}", "[0-9]{17}", "9{25}", "[a-z]{1,3}"];
    prop_oneof![
        8 => (any::<Index>(), any::<Index>(), bytes).prop_map(|(file, at, bytes)| Damage::Write(file, at, bytes)),
        1 => (any::<Index>(), 0_u16..3000).prop_map(|(file, len)| Damage::Resize(file, len)),
        1 => any::<Index>().prop_map(Damage::Remove),
        1 => (any::<Index>(), name).prop_map(|(file, name)| Damage::Rename(file, name)),
    ]
}

fn numbers() -> impl Strategy<Value = Vec<i64>> {
    let number = prop_oneof![6 => -10_i64..6000, 1 => any::<i64>(), 1 => Just(i64::MAX), 1 => Just(i64::MIN)];
    vec(number, 1..4)
}

/// Files where a store has them, of any bytes.
fn any_files() -> impl Strategy<Value = Files> {
    let path = prop_oneof![
        Just("commitlog/00000000000000000000".to_owned()),
        Just("commitlog/00000000000000000300".to_owned()),
        Just("commitlog/09223372036854775807".to_owned()),
        Just("consumequeue/A/0/00000000000000000000".to_owned()),
        Just("consumequeue/A/0/00000000000000000100".to_owned()),
        Just("consumequeue/A/0/09223372036854775807".to_owned()),
        Just("consumequeue/A/-2147483648/00000000000000000007".to_owned()),
        Just("consumequeue_ext/A/0/00000000000000000000".to_owned()),
        Just("index/20231114221320123".to_owned()),
        Just("checkpoint".to_owned()),
        Just("config/topics.json".to_owned()),
        Just("abort".to_owned()),
    ];
    // Mostly zeros with the magics here and there, so that the readers get somewhere.
    let piece = prop_oneof![
        3 => vec(any::<u8>(), 0..60),
        2 => (0_usize..80).prop_map(|len| vec![0; len]),
        1 => Just(0xDAA3_20A7_u32.to_be_bytes().to_vec()),
        1 => Just(0xCBD4_3194_u32.to_be_bytes().to_vec()),
        1 => (0_u32..200).prop_map(|number| number.to_be_bytes().to_vec()),
    ];
    let content = vec(piece, 0..20).prop_map(|pieces| pieces.concat());
    vec((path, content), 1..8).prop_map(|files| files.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_store_answers_everything(
        damages in vec(damage(), 1..12),
        numbers in numbers(),
        budget in 1_u64..5000,
    ) {
        let mut files = sound();
        for damage in &damages {
            damage.to(&mut files);
        }
        ask_everything(&files, &numbers, budget);
    }

    #[test]
    fn any_files_answer_everything(files in any_files(), numbers in numbers(), budget in 1_u64..5000) {
        ask_everything(&files, &numbers, budget);
    }
}
