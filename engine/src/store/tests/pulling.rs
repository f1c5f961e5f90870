use super::*;
use crate::message::tags;
use crate::store::{BrokerRole, ExtUnit, GetMessageResult, GetMessageStatus, MessageFilter, MissingFiles};

/// Takes one tag, as the broker sees it.
struct OneTag(i64);

impl MessageFilter for OneTag {
    fn by_consume_queue(&self, tags_code: Option<i64>, _ext: Option<&ExtUnit>) -> bool {
        tags_code.is_none_or(|code| code == self.0)
    }
}

/// Takes messages with a property.
struct HasProperty(&'static str);

impl MessageFilter for HasProperty {
    fn by_consume_queue(&self, _tags_code: Option<i64>, _ext: Option<&ExtUnit>) -> bool {
        true
    }

    fn looks_into_commit_log(&self) -> bool {
        true
    }

    fn by_commit_log(&self, properties: &Properties) -> bool {
        properties.contains(self.0)
    }
}

fn get(rig: &mut Rig, offset: i64, max: i32, filter: Option<&dyn MessageFilter>) -> GetMessageResult {
    rig.store.get_message("g", "T", 0, offset, max, filter).expect("the store runs")
}

fn outcome(rig: &mut Rig, offset: i64) -> (GetMessageStatus, i64, usize) {
    let result = get(rig, offset, 32, None);
    (result.status, result.next_begin_offset, result.selected.len())
}

#[test]
fn every_status_of_an_offset() {
    let mut rig = Rig::new(small());
    assert_eq!(outcome(&mut rig, 5), (GetMessageStatus::NoMessageInQueue, 0, 0));
    assert!(rig.store.queue("T", 0).is_some(), "reading makes the queue");
    rig.put_many("T", 0, 25);
    assert_eq!(outcome(&mut rig, -1), (GetMessageStatus::OffsetTooSmall, 0, 0));
    assert_eq!(outcome(&mut rig, 25), (GetMessageStatus::OffsetOverflowOne, 25, 0));
    assert_eq!(outcome(&mut rig, 26), (GetMessageStatus::OffsetOverflowBadly, 25, 0));
    // One pull never looks beyond its ConsumeQueue file of 10 units.
    assert_eq!(outcome(&mut rig, 3), (GetMessageStatus::Found, 10, 7));
    let result = get(&mut rig, 3, 2, None);
    let found: Vec<_> = result.selected.iter().map(|one| (one.queue_offset, one.physical_offset, one.size)).collect();
    assert_eq!(found, [(3, 282, 94), (4, 376, 94)]);
    assert_eq!((result.min_offset, result.max_offset, result.buffer_total_size), (0, 25, 188));
}

#[test]
fn a_store_that_does_not_run_answers_nothing() {
    let mut rig = Rig::new(small());
    assert!(rig.store.shutdown(&mut rig.env));
    assert_eq!(rig.store.get_message("g", "T", 0, 0, 1, None), None);
}

#[test]
fn a_slave_leaves_offsets_as_they_were_asked() {
    let mut rig = Rig::new(small());
    rig.put_many("T", 0, 2);
    rig.store.config_mut().broker_role = BrokerRole::Slave;
    assert_eq!(outcome(&mut rig, 9), (GetMessageStatus::OffsetOverflowBadly, 9, 0));
    rig.store.config_mut().offset_check_in_slave = true;
    assert_eq!(outcome(&mut rig, 9), (GetMessageStatus::OffsetOverflowBadly, 2, 0));
}

fn roomy() -> StoreConfig {
    StoreConfig { mapped_file_size_commit_log: 1 << 20, mapped_file_size_consume_queue: 20_000, ..small() }
}

/// 32 messages or 256 KiB from memory, 8 messages or 64 KiB from the disk, whatever the client asks for.
#[test]
fn a_pull_takes_so_much() {
    let mut rig = Rig::new(roomy());
    rig.put_many("T", 0, 100);
    let count = |rig: &mut Rig, max| get(rig, 0, max, None).selected.len();
    assert_eq!([count(&mut rig, 1), count(&mut rig, 10), count(&mut rig, 64)], [1, 10, 32]);
    assert_eq!(count(&mut rig, 0), 1, "the first is always taken");
    rig.store.config_mut().max_transfer_bytes_on_message_in_memory = 94 * 3;
    assert_eq!(count(&mut rig, 32), 3);
    rig.store.config_mut().max_transfer_bytes_on_message_in_memory = 93;
    assert_eq!(count(&mut rig, 32), 1);

    // 40 % of 1000 bytes: all but the last 400 bytes of the log count as being on the disk.
    rig.store.config_mut().total_physical_memory = 1000;
    let result = get(&mut rig, 0, 32, None);
    assert_eq!((result.selected.len(), result.suggest_pulling_from_slave), (8, true));
    assert!(rig.store.is_in_disk("T", 0, 95) && !rig.store.is_in_disk("T", 0, 96));
    let result = get(&mut rig, 96, 32, None);
    assert_eq!((result.selected.len(), result.suggest_pulling_from_slave), (1, false), "93 bytes at most from memory");
}

/// With a filter that takes nothing a pull gives up after 800 units, 16000 bytes.
#[test]
fn a_filter_looks_at_so_many_units() {
    let mut rig = Rig::new(roomy());
    rig.put_many("T", 0, 900);
    let nothing = OneTag(1);
    let result = get(&mut rig, 0, 32, Some(&nothing));
    assert_eq!((result.status, result.next_begin_offset), (GetMessageStatus::NoMatchedMessage, 800));
    assert_eq!(get(&mut rig, 0, 850, Some(&nothing)).next_begin_offset, 850);
    assert_eq!(get(&mut rig, 800, 32, Some(&nothing)).next_begin_offset, 900);
}

#[test]
fn filters_by_tags_and_by_properties() {
    let mut rig = Rig::new(roomy());
    let tagged = |tag: &str| with(message("T", 0), &[(property::TAGS, tag)]);
    for tag in ["Aa", "C", "BB"] {
        rig.put_ok(tagged(tag));
    }
    rig.put_ok(with(message("T", 0), &[("p", "1")]));
    let offsets = |result: &GetMessageResult| result.selected.iter().map(|one| one.queue_offset).collect::<Vec<_>>();
    // Both Aa and BB hash to 2112.
    let result = get(&mut rig, 0, 32, Some(&OneTag(tags::tags_code(Some("Aa")))));
    assert_eq!((offsets(&result), result.next_begin_offset), (vec![0, 2], 4));
    rig.env.names();
    let filter = HasProperty("p");
    let result = rig.store.get_message_in("g", "T", 0, 0, 32, Some(&filter), &mut rig.env).expect("the store runs");
    assert_eq!(offsets(&result), [3]);
    assert_eq!(rig.env.names(), ["unitExamined", "unitExamined", "unitExamined", "unitExamined", "getAnswered"]);
}

/// A file missing in the middle of the log: its ten messages are passed over without a word.
#[test]
fn messages_of_a_missing_file_are_skipped() {
    let config = StoreConfig { mapped_file_size_consume_queue: 2000, ..small() };
    let mut rig = Rig::new(config);
    rig.put_many("T", 0, 30);
    let mut rig = rig.restart(|disk| delete(disk, "commitlog/00000000000000001024"));
    let offsets = |rig: &mut Rig, from| {
        let result = get(rig, from, 32, None);
        (result.selected.iter().map(|one| one.queue_offset).collect::<Vec<_>>(), result.next_begin_offset)
    };
    assert_eq!(offsets(&mut rig, 0), ((0..10).chain(20..30).collect(), 30));
    assert_eq!(offsets(&mut rig, 10), ((20..30).collect(), 30));
    assert_eq!(offsets(&mut rig, 11), ((20..30).collect(), 30));
    let missing = MissingFiles { directory: "commitlog".to_owned(), from: 1024, to: 2048 };
    assert_eq!(rig.store.check_self(), [missing]);
}

/// Searching by time: between two messages the nearer, the earlier of two that are equally near.
#[test]
fn offsets_by_time() {
    let mut rig = Rig::new(small());
    for time in [1000, 2000, 4000] {
        rig.env.now = START + time;
        rig.put_ok(message("T", 0));
    }
    let mut search = |time| rig.store.offset_in_queue_by_time("T", 0, START + time);
    assert_eq!([search(0), search(2000), search(9000)], [0, 1, 2]);
    assert_eq!([search(1499), search(1500), search(1501)], [0, 0, 1]);
    assert_eq!(rig.store.earliest_message_time("T", 0), START + 1000);
    assert_eq!(rig.store.offset_in_queue_by_time("U", 0, START), 0);
}

/// Ten messages of one store time: the search lands in the middle.
#[test]
fn a_batch_of_one_time_is_found_at_its_fifth() {
    let mut rig = Rig::new(without_index());
    rig.put_many("T", 0, 10);
    assert_eq!(rig.store.offset_in_queue_by_time("T", 0, START), 4);
}

/// The numbers of the default sizes: file 1073741824 holds physical offset 1073742000 at position 176, and queue offset
/// 100000 begins at byte 2000000 of its queue, in the first file of 300000 units.
#[test]
fn positions_in_files_of_the_default_sizes() {
    use crate::store::mapped_file_queue::{Directories, MappedFileQueue, file_name};
    let config = StoreConfig::default();
    let log = MappedFileQueue::new(Directories::single("commitlog".to_owned()), config.mapped_file_size_commit_log);
    assert_eq!((log.position_of(1_073_742_000), log.next_file_start(1_073_742_000)), (176, 2_147_483_648));
    assert_eq!(file_name(1_073_742_000 - 176), "00000000001073741824");
    assert_eq!(100_000 * i64::from(crate::store::UNIT_SIZE), 2_000_000);
    let queue = MappedFileQueue::new(Directories::single("q".to_owned()), config.consume_queue_file_size());
    assert_eq!((queue.position_of(2_000_000), queue.position_of(6_000_020)), (2_000_000, 20));
}
