//! Verdicts on stores that were damaged by hand: records of 94 bytes, ten in a log file of 1024, ten units a queue file.

use super::*;
use crate::disk::{Disk, MemoryDisk, Overlay, ReadAt};
use crate::message::{Host, Message, Properties, property, record};
use crate::store::step::{LoadFault, RecordFault};
use crate::store::{Env, PutMessageStatus, Reput, Store, StoreConfig, Work};

/// 2023-11-14T22:13:20Z.
const START: i64 = 1_700_000_000_000;
const LOG: [&str; 3] =
    ["commitlog/00000000000000000000", "commitlog/00000000000000001024", "commitlog/00000000000000002048"];

struct Clock(i64);

impl Env for Clock {
    fn now(&self) -> i64 {
        self.0
    }

    fn spend(&mut self, work: Work) {
        if work == Work::CreateIndexFile {
            self.0 += 1;
        }
    }
}

fn config() -> StoreConfig {
    StoreConfig {
        mapped_file_size_commit_log: 1024,
        mapped_file_size_consume_queue: 200,
        max_hash_slot_num: 5,
        max_index_num: 10,
        ..StoreConfig::default()
    }
}

/// A record of 94 bytes; longer with keys.
fn message(queue_id: i32, keys: Option<&str>) -> Message {
    let mut properties = Properties::new();
    if let Some(keys) = keys {
        properties.put(property::KEYS, keys);
    }
    let host = |port| Host::new([10, 0, 0, 1], port);
    Message {
        topic: "T".to_owned(),
        queue_id,
        flag: 0,
        sys_flag: 0,
        born_timestamp: START,
        born_host: host(1),
        store_host: host(10_911),
        reconsume_times: 0,
        prepared_transaction_offset: 0,
        body: bytes::Bytes::from_static(b"m0"),
        properties_text: properties.to_text(),
        properties,
    }
}

struct Broker {
    store: Store<MemoryDisk>,
    clock: Clock,
}

impl Broker {
    fn on(disk: MemoryDisk) -> Self {
        let mut clock = Clock(START);
        let mut store = Store::load(disk, config(), &mut clock).expect("the disk can be loaded");
        store.start(&mut clock).expect("nobody else holds the lock");
        Self { store, clock }
    }

    fn put(&mut self, message: &Message, times: usize) {
        for _ in 0..times {
            assert_eq!(self.store.put_message(message, &mut self.clock).status, PutMessageStatus::PutOk);
            while self.store.reput(&mut self.clock) != Reput::Idle {}
        }
    }

    fn stop(mut self) -> MemoryDisk {
        assert!(self.store.shutdown(&mut self.clock), "a clean stop");
        self.kill()
    }

    fn kill(self) -> MemoryDisk {
        let mut disk = self.store.into_disk();
        if let Some(lock) = disk.find("lock") {
            disk.unlock(lock).expect("the lock is there");
        }
        disk
    }
}

/// A store of so many messages in T/0, stopped cleanly.
fn stopped(messages: usize) -> MemoryDisk {
    let mut broker = Broker::on(MemoryDisk::new());
    broker.put(&message(0, None), messages);
    broker.stop()
}

/// 25 messages in T/0, then one in T/1.
fn two_queues() -> Broker {
    let mut broker = Broker::on(MemoryDisk::new());
    broker.put(&message(0, None), 25);
    broker.put(&message(1, None), 1);
    broker
}

fn delete(disk: &mut MemoryDisk, below: &str) {
    for (path, file) in disk.files() {
        if path.starts_with(below) {
            disk.delete(file).expect("it is there");
        }
    }
}

fn write(disk: &mut MemoryDisk, path: &str, offset: u64, bytes: &[u8]) {
    let file = disk.find(path).expect("the file is there");
    disk.write_at(file, offset, bytes).expect("inside the file");
}

fn start(disk: &MemoryDisk) -> RecoveryPicture {
    let run = dry_run(disk.clone(), disk, config(), START, 64, Depth::WHOLE);
    assert!(run.ended.store().is_some_and(Store::is_running));
    run.picture
}

fn verdict(disk: &MemoryDisk) -> Vec<Finding> {
    start(disk).verdict
}

fn hole(from: i64, to: i64, first: i64, last: i64) -> Finding {
    let records = u64::try_from(to - from).expect("not negative");
    Finding::QueueHole { topic: "T".to_owned(), queue_id: 0, from, to, records, first, last }
}

fn reused(from: i64, to: i64) -> Finding {
    Finding::OffsetsReused { topic: "T".to_owned(), queue_id: 0, from, to }
}

/// The physical offset of the n-th record.
fn record_at(number: i64) -> i64 {
    number / 10 * 1024 + number % 10 * 94
}

#[test]
fn a_sound_store_is_kept_and_nothing_else() {
    let picture = start(&stopped(25));
    let kept = Finding::Kept { min_phy_offset: 0, max_phy_offset: record_at(25), records: Some(25) };
    assert_eq!(picture.verdict, [kept]);
    assert_eq!((picture.loaded, picture.clean, picture.begin, picture.end), (true, true, Some(0), Some(record_at(25))));
    assert_eq!(picture.numbers.records_accepted, 25);
    assert_eq!(picture.numbers.bytes_accepted, 25 * 94);
    let kinds: Vec<_> = picture.phases.iter().map(|phase| phase.kind).collect();
    let expected = [
        PhaseKind::AbortFile,
        PhaseKind::CommitLogLoad,
        PhaseKind::QueuesLoad,
        PhaseKind::Checkpoint,
        PhaseKind::IndexLoad,
        PhaseKind::QueuesRecovered,
        PhaseKind::LogScan,
        PhaseKind::Truncation,
        PhaseKind::QueueTruncation,
        PhaseKind::OffsetTable,
        PhaseKind::DelayOffsets,
        PhaseKind::ReputStart,
        PhaseKind::Started,
    ];
    assert_eq!(kinds, expected);
}

/// One damaged byte in the body of message 5: messages 6 to 9 are whole, and out of reach.
#[test]
fn a_damaged_byte_loses_what_is_behind_it() {
    let mut disk = stopped(10);
    write(&mut disk, LOG[0], 5 * 94 + 88, b"M");
    let found = verdict(&disk);
    assert_eq!(found[0], Finding::Kept { min_phy_offset: 0, max_phy_offset: 470, records: Some(5) });
    let Finding::EndsAtDamage { physical_offset: 470, position: 470, at: 558, fault: RecordFault::Crc { .. }, .. } =
        &found[1]
    else {
        panic!("{:?}", found[1]);
    };
    let examples = (6..10)
        .map(|number| LostRecord {
            physical_offset: number * 94,
            topic: "T".to_owned(),
            queue_id: 0,
            queue_offset: number,
        })
        .collect();
    let file = LOG[0].to_owned();
    let expected = [
        Finding::RecordsLost { count: 4, bytes: 376, first: 564, last: 846, file, examples },
        Finding::UnitsCut { topic: "T".to_owned(), queue_id: 0, from: 5, to: 10, count: 5 },
        reused(5, 10),
    ];
    assert_eq!(found[2..], expected);
    assert!(found[2].to_string().starts_with("Lost: 4 records of 376 bytes in all, from 564 to 846"), "{}", found[2]);
}

/// A queue lost its last file: after a clean stop it stays short, after a crash it is healed, and without any queue all
/// are rebuilt.
#[test]
fn a_hole_that_an_ordinary_start_does_not_fill() {
    let kept = Finding::Kept { min_phy_offset: 0, max_phy_offset: record_at(26), records: Some(26) };
    let mut disk = two_queues().stop();
    delete(&mut disk, "consumequeue/T/0/00000000000000000400");
    let found = verdict(&disk);
    assert_eq!(found, [kept.clone(), hole(20, 25, record_at(20), record_at(24)), reused(20, 25)]);
    let text = found[1].to_string();
    assert!(text.starts_with("T/0: 5 records in the log, queue offsets 20 to 24,"), "{text}");

    let mut crashed = two_queues().kill();
    delete(&mut crashed, "consumequeue/T/0/00000000000000000400");
    let found = verdict(&crashed);
    assert!(found.iter().all(|finding| finding.severity() <= Severity::Note), "{found:?}");
    assert!(found.contains(&Finding::Rebuilt { units: 5, queues: 1, index_entries: 0 }), "{found:?}");

    let mut bare = two_queues().stop();
    delete(&mut bare, "consumequeue/");
    assert_eq!(verdict(&bare), [kept.clone(), Finding::Rebuilt { units: 26, queues: 2, index_entries: 0 }]);

    let mut without = two_queues().stop();
    delete(&mut without, "consumequeue/T/0/");
    assert_eq!(verdict(&without), [kept, hole(0, 25, 0, record_at(24)), reused(0, 25)]);
}

/// After such a start queue offset 20 is given to another message: the record that had it first has lost its place.
#[test]
fn a_record_whose_place_was_taken() {
    let mut disk = two_queues().stop();
    delete(&mut disk, "consumequeue/T/0/00000000000000000400");
    let mut broker = Broker::on(disk);
    broker.put(&message(0, None), 1);
    let found = verdict(&broker.stop());
    let at = record_at(20);
    let (topic, queue_id, records) = ("T".to_owned(), 0, 1);
    let overtaken = Finding::Overtaken { topic, queue_id, from: 20, to: 21, records, first: at, last: at };
    assert_eq!(found[1..], [overtaken, hole(21, 25, record_at(21), record_at(24)), reused(21, 25)]);
}

/// The second of three log files is missing: the start does not mind, ten units lead nowhere.
#[test]
fn a_gap_in_the_log_is_counted_in_units() {
    let mut disk = stopped(30);
    delete(&mut disk, LOG[1]);
    let kept = Finding::Kept { min_phy_offset: 0, max_phy_offset: 2988, records: Some(20) };
    assert_eq!(verdict(&disk), [kept, Finding::LogGap { from: 1024, to: 2048, units: 10, queues: 1 }]);
}

/// First log file and all queues gone, with queue files of 100 units: the queue begins with ten blank units.
#[test]
fn blank_units_are_told() {
    let wide = || StoreConfig { mapped_file_size_consume_queue: 2000, ..config() };
    let mut clock = Clock(START);
    let mut store = Store::load(MemoryDisk::new(), wide(), &mut clock).expect("an empty disk");
    store.start(&mut clock).expect("nobody else holds the lock");
    let mut broker = Broker { store, clock };
    broker.put(&message(0, None), 30);
    let mut disk = broker.stop();
    delete(&mut disk, LOG[0]);
    delete(&mut disk, "consumequeue/");
    let found = dry_run(disk.clone(), &disk, wide(), START, 64, Depth::WHOLE).picture.verdict;
    let kept = Finding::Kept { min_phy_offset: 1024, max_phy_offset: 2988, records: Some(20) };
    let blank = Finding::PreBlank { topic: "T".to_owned(), queue_id: 0, units: 10, to: 10 };
    assert_eq!(found, [kept, blank, Finding::Rebuilt { units: 20, queues: 1, index_entries: 0 }]);
}

/// A group that read ten messages of which the power loss left five.
#[test]
fn a_consumer_ahead_of_its_queue() {
    let mut broker = Broker::on(MemoryDisk::new());
    broker.put(&message(0, None), 5);
    broker.store.flush_commit_log(0, &mut broker.clock);
    broker.store.flush_consume_queues(true, &mut broker.clock);
    broker.put(&message(0, None), 5);
    let mut disk = broker.kill();
    disk.power_loss();
    let text = br#"{"offsetTable":{"T@G":{0:10,1:0},"T@H":{0:5}}}"#;
    let file = disk.create("config/consumerOffset.json", text.len() as u64).expect("a new file");
    disk.write_at(file, 0, text).expect("inside the file");
    let found = verdict(&disk);
    let (group, topic) = ("G".to_owned(), "T".to_owned());
    assert!(found.contains(&Finding::ConsumerAhead { group, topic, queue_id: 0, offset: 10, max: 5 }), "{found:?}");
    let ahead = |finding: &&Finding| matches!(finding, Finding::ConsumerAhead { .. });
    assert_eq!(found.iter().filter(ahead).count(), 1);
}

/// Only the last three files are checked after a clean stop.
#[test]
fn damage_in_an_old_file_goes_unseen() {
    let mut disk = stopped(35);
    write(&mut disk, LOG[0], 94 + 88, b"M");
    let found = verdict(&disk);
    let Finding::DamageUnseen { physical_offset: 94, position: 94, file, cause } = &found[1] else {
        panic!("{found:?}");
    };
    assert_eq!(file, LOG[0]);
    let crc = record::body_crc;
    assert_eq!(*cause, format!("the body has CRC {}, BODYCRC says {}", crc(b"M0"), crc(b"m0")));
    assert_eq!(
        (found.len(), &found[0]),
        (2, &Finding::Kept { min_phy_offset: 0, max_phy_offset: record_at(35), records: Some(34) })
    );
    // Looked at from the end on, and no further than asked.
    let near = Depth { log_bytes: 2048 };
    let found = dry_run(disk.clone(), &disk, config(), START, 64, near).picture.verdict;
    let kept = Finding::Kept { min_phy_offset: 0, max_phy_offset: record_at(35), records: None };
    assert_eq!(found, [kept, Finding::NotExamined { before: 2048 }]);
}

/// Index files newer than the checkpoint go after a crash, and only what is scanned again is indexed again.
#[test]
fn keys_before_the_scan_do_not_come_back() {
    let mut broker = Broker::on(MemoryDisk::new());
    // KEYS, the key and a separator make it 100 bytes: ten in a file, and a blank record of 24.
    let keyed = message(0, Some("k"));
    broker.put(&keyed, 10);
    broker.clock.0 += 5000;
    broker.put(&keyed, 2);
    let mut disk = broker.kill();
    let index: Vec<_> = disk.files().into_iter().filter(|(path, _)| path.starts_with("index/")).collect();
    assert_eq!(index.len(), 2, "nine entries in the first, three in the second");
    let dropped = |found: &[Finding]| -> Vec<(i32, i64, i64, Option<i64>)> {
        let of = |finding: &Finding| match finding {
            Finding::IndexDropped { entries, begin_phy_offset, end_phy_offset, lost_before, .. } => {
                Some((*entries, *begin_phy_offset, *end_phy_offset, *lost_before))
            }
            _ => None,
        };
        found.iter().filter_map(of).collect()
    };
    // When the first file was full, the checkpoint got its last time. The log is scanned from its start, and what comes
    // at or behind the end of the first file is indexed: the record at 800 once more.
    let found = verdict(&disk);
    assert_eq!(dropped(&found), [(3, 900, 1124, None)], "{found:?}");
    assert!(found.contains(&Finding::Rebuilt { units: 0, queues: 0, index_entries: 4 }), "{found:?}");
    // A checkpoint behind the first record of the second log file: the scan begins there, and the key of the record at
    // 900 does not come back.
    let time = (START + 9000).to_be_bytes();
    write(&mut disk, "checkpoint", 0, &[time, time].concat());
    let found = verdict(&disk);
    assert_eq!(dropped(&found), [(3, 900, 1124, Some(1024))], "{found:?}");
    assert!(found.contains(&Finding::Rebuilt { units: 0, queues: 0, index_entries: 2 }), "{found:?}");
    assert!(found.contains(&Finding::NotIndexed { records: 1, first: 900, last: 900 }), "{found:?}");
}

#[test]
fn a_store_that_is_refused() {
    let mut disk = stopped(1);
    let log = disk.find(LOG[0]).expect("the log");
    disk.set_len(log, 1000).expect("it can be cut");
    let run = dry_run(disk.clone(), &disk, config(), START, 64, Depth::WHOLE);
    let fault = LoadFault::WrongSize { file: LOG[0].to_owned(), len: 1000, expected: 1024 };
    assert_eq!((run.picture.loaded, run.ended.store().is_none()), (false, true));
    assert_eq!(run.picture.verdict, [Finding::Refused { fault }]);
    assert_eq!(run.picture.phases.last().map(|phase| phase.kind), Some(PhaseKind::Refused));
}

#[test]
fn without_a_log_the_queues_go() {
    let mut disk = stopped(25);
    delete(&mut disk, "commitlog/");
    let found = verdict(&disk);
    assert_eq!(found, [Finding::QueuesDestroyed { files: 3 }, reused(0, 25)]);
}

/// A long scan is one item for each file and the last few records; a short one tells each record with its bytes.
#[test]
fn a_scan_is_windowed() {
    let disk = stopped(25);
    let scan = |detail| {
        let picture = dry_run(disk.clone(), &disk, config(), START, detail, Depth::WHOLE).picture;
        let phase = picture.phases.into_iter().find(|phase| phase.kind == PhaseKind::LogScan);
        phase.expect("a log was scanned").items
    };
    // Three files: begins, two blanks and entries, the rejection, the end.
    assert_eq!(scan(64).len(), 25 + 7);
    let items = scan(4);
    // Of the files before the last one item each; of the last the first two records as one, and three by one.
    let runs: Vec<_> = items
        .iter()
        .filter_map(|item| match &item.what {
            RecoveryFact::RecordsAccepted { count, from, to, .. } => Some((*count, *from, *to, item.place.clone())),
            _ => None,
        })
        .collect();
    let place = |file: usize, len| Some(Place { path: LOG[file].to_owned(), start: 0, len });
    let expected = [(10, 0, 940, place(0, 940)), (10, 1024, 1964, place(1, 940)), (2, 2048, 2236, place(2, 188))];
    assert_eq!(runs, expected);
    assert_eq!(items.len(), 3 + 3 + 7);
    // The last record accepted, and its bytes.
    let last =
        items.iter().rev().find(|item| matches!(item.what, RecoveryFact::Step { step: Step::RecordAccepted { .. } }));
    let bytes = Place { path: LOG[2].to_owned(), start: 376, len: 94 };
    assert_eq!(last.and_then(|item| item.place.clone()), Some(bytes));
}

/// The same picture on a disk that shares and on one that borrows, and the same again through JSON.
#[test]
fn every_disk_gives_one_picture() {
    let mut disk = two_queues().kill();
    delete(&mut disk, "consumequeue/T/0/00000000000000000400");
    write(&mut disk, LOG[2], 2 * 94 + 4, &[1]);
    let before: Vec<_> = disk.files();
    let overlay = Overlay::new(&disk).expect("it can be listed");
    let lent = dry_run(overlay, &disk, config(), START, 64, Depth::WHOLE).picture;
    assert_eq!(lent, start(&disk));
    assert_eq!(disk.files(), before);
    let text = serde_json::to_string(&lent).expect("plain data");
    assert_eq!(serde_json::from_str::<RecoveryPicture>(&text).expect("its own form"), lent);
}

/// Every sentence is one.
#[test]
fn findings_are_sentences() {
    let mut disk = two_queues().kill();
    write(&mut disk, LOG[1], 5, &[1]);
    for finding in verdict(&disk) {
        let text = finding.to_string();
        assert!(text.ends_with('.') && !text.contains("  ") && !text.contains('{'), "{text}");
    }
}

/// The session answers for the directory that is open, and leaves it as it is.
#[test]
fn a_session_tells_what_a_start_would_do() {
    use crate::view::{Answer, FailureKind, Query, Session};
    let mut disk = two_queues().stop();
    delete(&mut disk, "consumequeue/T/0/00000000000000000400");
    let mut session = Session::new();
    let Answer::Failed(failure) = session.ask(Query::RecoverDirectory) else { panic!("nothing is open") };
    assert_eq!(failure.kind, FailureKind::NothingOpen);
    session.open(Box::new(disk.clone()));
    let Answer::Recovery(Some(picture)) = session.ask(Query::RecoverDirectory) else { panic!("a directory is open") };
    assert_eq!(picture.verdict, verdict(&disk));
    assert_eq!(picture.seq, None);
}
