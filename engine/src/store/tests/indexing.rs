use super::*;

fn found(rig: &Rig, topic: &str, key: &str) -> Vec<i64> {
    let result = rig.store.query_message(topic, key, 32, 0, i64::MAX);
    result.messages.iter().map(|one| one.physical_offset).collect()
}

/// Nobody compares keys in the broker: `AaTopic#Aa`, `AaTopic#BB`, `BBTopic#Aa` and `BBTopic#BB` hash alike.
#[test]
fn colliding_keys_find_each_other() {
    let mut rig = Rig::new(small());
    let second = rig.put_ok(with_keys("AaTopic", "Aa")).append.map(|append| i64::from(append.wrote_bytes));
    rig.put_ok(with_keys("BBTopic", "BB"));
    assert_eq!(found(&rig, "AaTopic", "BB"), [0, second.expect("appended")]);
}

/// Entries hold whole seconds since the first message of their file, rounded down, and a repeated key is found twice.
#[test]
fn times_are_whole_seconds() {
    let mut rig = Rig::new(small());
    rig.put_ok(with_keys("T", "k0"));
    rig.env.now = START + 1700;
    rig.put_ok(with_keys("T", "kk kk"));
    let count = |begin| rig.store.query_message("T", "kk", 32, START + begin, i64::MAX).messages.len();
    assert_eq!([count(700), count(1699), count(1700)], [2, 0, 0]);
}

#[test]
fn keys_in_their_order_the_unique_one_first() {
    let mut rig = Rig::new(small());
    rig.env.names();
    rig.put_ok(with(message("T", 0), &[(property::KEYS, " k1  k2 "), (property::UNIQ_KEY, "u")]));
    let keys: Vec<_> = rig
        .env
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::IndexPut { key, index, prev_index, .. } => Some((key.clone(), *index, *prev_index)),
            _ => None,
        })
        .collect();
    // Hashes 2622 ("T#u"), 81391 ("T#k1") and 81392 by hand: slots 2, 1 and 2 of 5, so that k2 follows u in a chain.
    assert_eq!(keys, [("T#u".to_owned(), 1, 0), ("T#k1".to_owned(), 2, 0), ("T#k2".to_owned(), 3, 1)]);
    let header = rig.store.index_files()[0].header();
    assert_eq!((header.hash_slot_count, header.index_count), (2, 4));
    assert_eq!((header.begin_timestamp, header.end_timestamp), (START, START));
    assert_eq!(rig.store.index_files()[0].entry(rig.store.disk(), 3).map(|entry| entry.prev_index), Some(1));
}

/// A file of 10 holds 9 entries. The next file begins where the last ended, which is flushed then, and the checkpoint
/// says up to which time.
#[test]
fn a_full_file_rolls() {
    let mut rig = Rig::new(small());
    for second in 0..9 {
        rig.env.now = START + second * 1000;
        rig.put_ok(with_keys("T", "k"));
    }
    assert_eq!((rig.store.index_files().len(), rig.store.checkpoint().index_msg_timestamp), (1, 0));
    rig.env.now = START + 20_000;
    rig.env.names();
    let ninth = rig.store.index_files()[0].header().end_phy_offset;
    let last = rig.put_ok(with_keys("T", "k")).append.expect("appended").wrote_offset;
    assert_eq!(rig.store.index_files().len(), 2);
    assert_eq!(rig.store.checkpoint().index_msg_timestamp, START + 8000);
    let names = rig.env.names();
    let place = |name: &str| names.iter().position(|step| step == name).unwrap_or_else(|| panic!("{name}: {names:?}"));
    assert!(place("indexRolled") < place("checkpointWritten") && place("checkpointWritten") < place("indexPut"));
    let [old, new] = rig.store.index_files() else { panic!("two files") };
    assert_eq!((old.header().end_phy_offset, old.header().index_count), (ninth, 10));
    assert_eq!((new.header().begin_phy_offset, new.header().begin_timestamp), (last, START + 20_000));
    // Entries count from the end of the file before: the new file began at 8 s, the message came 12 s later.
    assert_eq!(new.entry(rig.store.disk(), 1).map(|entry| entry.time_diff), Some(12));
    assert_eq!(found(&rig, "T", "k").len(), 10);
    assert_eq!(rig.store.query_offset("T", "k", 3, 0, i64::MAX).phy_offsets.first(), Some(&last), "newest first");
}

/// Half messages are indexed, rolled-back ones are not, and nothing is indexed twice.
#[test]
fn what_is_not_indexed() {
    let mut rig = Rig::new(small());
    rig.put_ok(Message { sys_flag: 0x4, ..with_keys("T", "half") });
    rig.put_ok(Message { sys_flag: 0xC, ..with_keys("T", "rolled") });
    assert_eq!((found(&rig, "T", "half").len(), found(&rig, "T", "rolled").len()), (1, 0));
    rig.put_ok(with_keys("T", "k"));
    rig.store.set_reput_from_offset(0);
    rig.dispatch();
    // The last record's offset is not less than the end of the index: its keys come again.
    assert_eq!((found(&rig, "T", "half").len(), found(&rig, "T", "k").len()), (1, 2));
}

#[test]
fn without_an_index() {
    let mut rig = Rig::new(without_index());
    rig.put_ok(with_keys("T", "k"));
    assert!(rig.store.index_files().is_empty() && found(&rig, "T", "k").is_empty());
}

#[test]
fn a_query_answers_at_most_so_many() {
    let mut rig = Rig::new(StoreConfig { max_index_num: 1000, ..small() });
    for _ in 0..100 {
        rig.put_ok(with_keys("T", "k"));
    }
    let count = |max| rig.store.query_message("T", "k", max, 0, i64::MAX).messages.len();
    assert_eq!([count(1), count(32), count(1000), count(0), count(-1)], [1, 32, 64, 0, 0]);
}
