//! How much is read at a time.

use std::cell::Cell;

use rocketscope_engine::disk::{Disk, DiskError, FileId, FileMeta, MemoryDisk, ReadAt};
use rocketscope_engine::store::inspect::{GivenLayout, ProblemKind as Kind};
use rocketscope_engine::view::store::{StoreAnswer, StoreExplorer, StoreQuery};

use crate::store::{CLEAN, Damaged};

/// A disk that counts what is read of it.
struct Watched {
    disk: MemoryDisk,
    longest: Cell<usize>,
    read: Cell<u64>,
}

impl Watched {
    fn new(disk: MemoryDisk) -> Self {
        Self { disk, longest: Cell::default(), read: Cell::default() }
    }

    /// Bytes read since the last call.
    fn taken(&self) -> u64 {
        self.read.replace(0)
    }
}

impl ReadAt for Watched {
    fn files(&self) -> Vec<(String, FileId)> {
        self.disk.files()
    }

    fn find(&self, path: &str) -> Option<FileId> {
        self.disk.find(path)
    }

    fn path(&self, file: FileId) -> Option<String> {
        self.disk.path(file)
    }

    fn meta(&self, file: FileId) -> Result<FileMeta, DiskError> {
        self.disk.meta(file)
    }

    fn read_at(&self, file: FileId, offset: u64, buf: &mut [u8]) -> Result<(), DiskError> {
        self.longest.set(self.longest.get().max(buf.len()));
        self.read.set(self.read.get() + buf.len() as u64);
        self.disk.read_at(file, offset, buf)
    }
}

/// The records of the base store in the first of two files of 1 GiB, and an index file of the default size.
fn huge() -> MemoryDisk {
    let mut disk = MemoryDisk::new();
    let small = Damaged::new(CLEAN).disk();
    let log = small.find("commitlog/00000000000000000000").unwrap();
    let mut records = vec![0; 8153];
    small.read_at(log, 0, &mut records).unwrap();
    for from in [0_u64, 1 << 30] {
        let file = disk.create(&format!("commitlog/{from:020}"), 1 << 30).unwrap();
        if from == 0 {
            disk.write_at(file, 0, &records).unwrap();
        }
    }
    let queue = disk.create("consumequeue/R1/0/00000000000000000000", 6_000_000).unwrap();
    let old = small.find("consumequeue/R1/0/00000000000000000000").unwrap();
    let mut units = vec![0; 400];
    small.read_at(old, 0, &mut units).unwrap();
    disk.write_at(queue, 0, &units).unwrap();
    disk.create("index/20261129200112163", 420_000_040).unwrap();
    disk
}

#[test]
fn a_store_of_gigabytes_streams_through_small_buffers() {
    let disk = Watched::new(huge());
    let mut explorer = StoreExplorer::open(&disk, &GivenLayout::default());
    assert_eq!(explorer.layout().commit_log_file_size, 1 << 30);
    assert_eq!(explorer.layout().consume_queue_file_size, 6_000_000);
    assert_eq!((explorer.layout().hash_slots, explorer.layout().index_capacity), (5_000_000, 20_000_000));
    assert!(disk.taken() < 4096, "opening looks at names and lengths");
    while !explorer.scan_on(&disk, 32 << 20).finished {}
    let longest = disk.longest.get();
    assert!(longest <= 2 << 20, "{longest} bytes were read at once");
    let scan = explorer.scan().unwrap();
    assert_eq!(scan.totals().records, 39);
    assert_eq!(scan.map().end(), Some(8153));
    let kinds: Vec<_> = scan.problems().iter().map(|problem| problem.kind).collect();
    // R1/1 and R2/0 were left out, the keys are in no index, and there is no checkpoint.
    assert_eq!(
        kinds,
        [Kind::BadCheckpoint, Kind::RecordWithoutUnit, Kind::RecordWithoutUnit, Kind::RecordNotIndexed],
        "{:#?}",
        scan.problems()
    );
}

#[test]
fn a_window_costs_what_is_in_it() {
    let disk = Watched::new(huge());
    let explorer = StoreExplorer::open(&disk, &GivenLayout::default());
    disk.taken();
    let cost = |what: &str, limit: u64, query: StoreQuery| {
        let answer = explorer.answer(&disk, &query).unwrap();
        let taken = disk.taken();
        assert!(taken <= limit, "{what} read {taken} bytes");
        answer
    };
    let log = "commitlog/00000000000000000000";
    let hex = |start| StoreQuery::Hex { path: log.to_owned(), start, len: 4096 };
    cost("hex at the start", 1 << 20, hex(0));
    let StoreAnswer::Hex(window) = cost("hex among records", 1 << 20, hex(4096)) else { panic!() };
    assert!(!window.spans.is_empty());
    // No record reaches so far from one that can be known: the search back is bounded by the longest record.
    let StoreAnswer::Hex(window) = cost("hex far behind", 70 << 20, hex(900 << 20)) else { panic!() };
    assert_eq!(window.spans, []);
    cost("records", 2 << 20, StoreQuery::Records { from: 0, limit: 10 });
    cost("a record", 1 << 20, StoreQuery::Record { physical_offset: 7000 });
    cost("queues", 1 << 20, StoreQuery::Queues);
    cost("units", 1 << 20, StoreQuery::Units { topic: "R1".to_owned(), queue_id: 0, from: 0, limit: 20 });
    let index = "index/20261129200112163".to_owned();
    cost("slots", 5 << 20, StoreQuery::IndexSlots { path: index.clone(), from: 0, limit: 100 });
    cost("entries", 1 << 20, StoreQuery::IndexEntries { path: index, from: 1, limit: 100 });
    cost("the summary", 1 << 20, StoreQuery::Summary);
    cost("the tree", 1 << 20, StoreQuery::Tree);
}
