//! Pictures of the sound store, against its own dump.

use rocketscope_engine::store::inspect::GivenLayout;
use rocketscope_engine::view::store::{
    BodyText, Field, FileKind, HexOwner, LogItem, Pointer, RecordPicture, StoreAnswer, StoreExplorer, StoreQuery,
    StoreViewError, TreeNode, UnitTarget,
};

use crate::store::{CLEAN, Damaged, LOG};

#[expect(clippy::needless_pass_by_value, reason = "questions are made where they are asked")]
fn ask(store: &Damaged, query: StoreQuery) -> StoreAnswer {
    let disk = store.disk();
    StoreExplorer::open(&disk, &GivenLayout::default()).answer(&disk, &query).unwrap()
}

fn record(store: &Damaged, physical_offset: i64) -> Option<RecordPicture> {
    let StoreAnswer::Record(record) = ask(store, StoreQuery::Record { physical_offset }) else { panic!() };
    record.map(|record| *record)
}

#[test]
fn a_record_is_found_from_any_of_its_bytes_with_all_that_points_at_it() {
    let store = Damaged::new(CLEAN);
    // R2/0 @0 lies at 597 and has 201 bytes.
    for offset in [597, 598, 797] {
        let found = record(&store, offset).unwrap();
        assert_eq!((found.row.physical_offset, found.row.size), (597, 201));
        assert_eq!((found.row.topic.as_str(), found.row.queue_id, found.row.queue_offset), ("R2", 0, 0));
        assert_eq!((found.file.as_str(), found.position), (LOG[0], 597));
        assert_eq!((found.previous, found.next), (Some(397), Some(798)));
        assert_eq!(found.computed_crc, found.row.body_crc);
        assert_eq!(found.tags_code, 2_598_919);
        assert_eq!(found.uniq_key.as_deref(), Some("u3"));
        assert_eq!(found.keys, ["k3"]);
        let names: Vec<_> = found.properties.iter().map(|property| property.name.as_str()).collect();
        assert_eq!(names, ["KEYS", "UNIQ_KEY", "TAGS"]);
        assert_eq!(
            found.fields.first().map(|field| (field.field, field.start, field.len)),
            Some((Field::TotalSize, 597, 4))
        );
        let end = found.fields.last().map(|field| field.start + field.len);
        assert_eq!(end, Some(798), "the fields fill the record");
        let Pointer::Unit { topic, queue_id, queue_offset, file, position } = &found.pointers[0] else { panic!() };
        assert_eq!((topic.as_str(), *queue_id, *queue_offset, *position), ("R2", 0, 0, 0));
        assert_eq!(file, "consumequeue/R2/0/00000000000000000000");
        // KEYS and UNIQ_KEY are indexed, so two entries lead here.
        let keys: Vec<_> = found.pointers[1..]
            .iter()
            .map(|pointer| match pointer {
                Pointer::Index { key, file, .. } => {
                    assert_eq!(file, "index/20261129200112163");
                    key.as_str()
                }
                Pointer::Unit { .. } => panic!("a second unit"),
            })
            .collect();
        assert_eq!(keys, ["k3", "u3"]);
    }
}

#[test]
fn a_record_with_a_damaged_body_is_shown_with_both_checksums() {
    let mut store = Damaged::new(CLEAN);
    let sound = record(&store, 26641).unwrap();
    // R1/1 @31 has 212 bytes; its body begins at 88.
    store.flip(LOG[3], 26641 - 24576 + 88);
    for offset in [26641, 26641 + 88, 26641 + 211] {
        let found = record(&store, offset).unwrap();
        assert_eq!((found.row.physical_offset, found.row.size, found.next), (26641, 212, Some(26853)));
        assert_eq!((found.row.topic.as_str(), found.row.queue_id, found.row.queue_offset), ("R1", 1, 31));
        assert_eq!(found.row.body_crc, sound.computed_crc);
        assert_ne!(found.row.body_crc, found.computed_crc);
        assert_eq!(found.fields, sound.fields);
    }
    // The record behind it is none of its bytes.
    assert_eq!(record(&store, 26853).unwrap().row.physical_offset, 26853);
}

#[test]
fn the_first_record_has_none_before_it_and_the_last_of_a_file_leads_into_the_next() {
    let store = Damaged::new(CLEAN);
    assert_eq!(record(&store, 0).unwrap().previous, None);
    // R1/1 @9 is the last before the blank at 8153.
    assert_eq!(record(&store, 8152).unwrap().next, Some(8192));
    assert_eq!(record(&store, 27710).unwrap().next, None);
    assert!(record(&store, 8153).is_none(), "the blank");
    assert!(record(&store, 8191).is_none(), "behind the blank");
    assert!(record(&store, 27711).is_none(), "behind the end");
    assert!(record(&store, -1).is_none() && record(&store, i64::MAX).is_none());
}

#[test]
fn bodies_are_text_where_they_are_text() {
    let store = Damaged::new(CLEAN);
    let body = record(&store, 597).unwrap().body;
    assert_eq!((body.stored_len, body.inflated_len, body.compression, body.cut), (79, None, None, false));
    let BodyText::Text(text) = body.preview else { panic!("{:?}", body.preview) };
    assert_eq!(text.len(), 79);
}

#[test]
fn records_are_paged_over_blanks_and_files() {
    let store = Damaged::new(CLEAN);
    let mut from = 100; // inside the first record
    let mut records = 0;
    let mut blanks = Vec::new();
    let mut unwritten = Vec::new();
    loop {
        let StoreAnswer::Records(window) = ask(&store, StoreQuery::Records { from, limit: 7 }) else { panic!() };
        assert!(window.items.len() <= 7);
        assert_eq!((window.min_offset, window.end_offset), (0, 32768));
        assert_eq!(window.from, window.items[0].physical_offset());
        for item in &window.items {
            match item {
                LogItem::Record(_) => records += 1,
                LogItem::Blank { physical_offset, remaining } => blanks.push((*physical_offset, *remaining)),
                LogItem::Unwritten { physical_offset, end } => unwritten.push((*physical_offset, *end)),
                other => panic!("{other:?}"),
            }
        }
        match window.next {
            Some(next) => from = next,
            None => break,
        }
    }
    assert_eq!(records, 130);
    assert_eq!(blanks, [(8153, 39), (16206, 178), (24492, 84)]);
    assert_eq!(unwritten, [(27711, 32768)]);
}

#[test]
fn behind_a_damage_the_records_go_on_where_the_next_one_says_it_lies() {
    let mut store = Damaged::new(CLEAN);
    store.flip(LOG[0], 485);
    let StoreAnswer::Records(window) = ask(&store, StoreQuery::Records { from: 198, limit: 3 }) else { panic!() };
    let offsets: Vec<_> = window.items.iter().map(LogItem::physical_offset).collect();
    assert_eq!(offsets, [198, 397, 597]);
    assert!(matches!(window.items[1], LogItem::Bad { .. }));
}

#[test]
fn a_missing_file_is_an_item_of_the_log() {
    let mut store = Damaged::new(CLEAN);
    store.remove(LOG[1]);
    let StoreAnswer::Records(window) = ask(&store, StoreQuery::Records { from: 8153, limit: 3 }) else { panic!() };
    assert_eq!(window.items[1], LogItem::MissingFile { physical_offset: 8192, end: 16384 });
    assert_eq!(window.items[2].physical_offset(), 16384);
    let StoreAnswer::Records(window) = ask(&store, StoreQuery::Records { from: 9000, limit: 2 }) else { panic!() };
    assert_eq!(window.items[0], LogItem::MissingFile { physical_offset: 9000, end: 16384 });
}

#[test]
fn hex_spans_cover_records_without_gap_from_any_start() {
    let store = Damaged::new(CLEAN);
    for start in [0, 1, 100, 700, 8100] {
        let StoreAnswer::Hex(window) = ask(&store, StoreQuery::Hex { path: LOG[0].to_owned(), start, len: 92 }) else {
            panic!()
        };
        assert_eq!((window.file, window.file_len, window.file_from), (FileKind::CommitLog, 8192, Some(0)));
        assert_eq!((window.start, window.bytes.len()), (start, 92));
        let first = window.spans.first().unwrap();
        assert!(first.start <= start && first.start + first.len > start, "the first span holds the first byte");
        for pair in window.spans.windows(2) {
            assert_eq!(pair[0].start + pair[0].len, pair[1].start);
        }
    }
    // The blank at 8153: two fields, and nothing behind them.
    let StoreAnswer::Hex(window) = ask(&store, StoreQuery::Hex { path: LOG[0].to_owned(), start: 8153, len: 39 })
    else {
        panic!()
    };
    let fields: Vec<_> = window.spans.iter().map(|span| (span.field, span.start, span.value.as_str())).collect();
    assert_eq!(fields, [(Field::BlankRemaining, 8153, "39"), (Field::MagicCode, 8157, "0xCBD43194")]);
}

#[test]
fn hex_of_a_damaged_record_still_shows_its_fields() {
    let mut store = Damaged::new(CLEAN);
    store.flip(LOG[0], 485);
    let StoreAnswer::Hex(window) = ask(&store, StoreQuery::Hex { path: LOG[0].to_owned(), start: 397, len: 300 })
    else {
        panic!()
    };
    let owners: Vec<_> = window.spans.iter().map(|span| span.owner.clone()).collect();
    assert_eq!(owners[0], HexOwner::Record { physical_offset: 397, size: 200, good: false });
    assert_eq!(owners.last(), Some(&HexOwner::Record { physical_offset: 597, size: 201, good: true }));
}

#[test]
fn hex_knows_units_index_and_checkpoint() {
    let store = Damaged::new(CLEAN);
    let hex = |path: &str, start| {
        let StoreAnswer::Hex(window) = ask(&store, StoreQuery::Hex { path: path.to_owned(), start, len: 20 }) else {
            panic!()
        };
        window.spans.into_iter().map(|span| (span.field, span.start, span.value, span.owner)).collect::<Vec<_>>()
    };
    let queue = "consumequeue/R1/0/00000000000000000400";
    let owner = HexOwner::Unit { queue_offset: 21, target: UnitTarget::Ok };
    assert_eq!(
        hex(queue, 20),
        [
            (Field::CommitLogOffset, 20, "8843".to_owned(), owner.clone()),
            (Field::Size, 28, "219".to_owned(), owner.clone()),
            (Field::TagsCode, 32, "2598919".to_owned(), owner),
        ]
    );
    let index = "index/20261129200112163";
    let spans = hex(index, 0);
    assert_eq!((spans[2].0, spans[2].2.as_str(), &spans[2].3), (Field::BeginPhyOffset, "0", &HexOwner::IndexHeader));
    // Slots 0 to 4 hold 51, 58, 46, 45, 50.
    let values: Vec<_> = hex(index, 40).into_iter().map(|(_, _, value, _)| value).collect();
    assert_eq!(values, ["51", "58", "46", "45", "50"]);
    let entry = hex(index, 120 + 3 * 20);
    assert_eq!(entry[0], (Field::KeyHash, 180, "77225792".to_owned(), HexOwner::IndexEntry { index: 3 }));
    assert_eq!(entry[1].2, "198");
    let checkpoint = hex("checkpoint", 4);
    assert_eq!(checkpoint[0].0, Field::PhysicMsgTimestamp);
    assert_eq!(checkpoint.len(), 3);
    assert_eq!(hex("config/delayOffset.json", 0)[0].0, Field::Text);
}

#[test]
fn units_say_what_lies_where_they_point() {
    let mut store = Damaged::new(CLEAN);
    let queue = "consumequeue/R1/0/00000000000000000000";
    store.write(queue, 20, &800_i64.to_be_bytes()); // unit 1: into the record at 798
    store.write(queue, 40, &8160_i64.to_be_bytes()); // unit 2: into the blank
    store.write(queue, 60, &30000_i64.to_be_bytes()); // unit 3: unwritten room
    store.write(queue, 80, &40000_i64.to_be_bytes()); // unit 4: behind the last file
    store.write(queue, 108, &7_i32.to_be_bytes()); // unit 5: another size
    store.write(queue, 120, &[0; 20]); // unit 6
    store.write(LOG[0], 1203 + 20, &9_i64.to_be_bytes()); // QUEUEOFFSET of R1/0 @3, seen by unit 7 below
    let unit = store.bytes(queue, 0, 20);
    store.write(queue, 140, &unit);
    store.write(queue, 140, &1203_i64.to_be_bytes());
    store.write(queue, 148, &204_i32.to_be_bytes());
    let query = StoreQuery::Units { topic: "R1".to_owned(), queue_id: 0, from: 0, limit: 8 };
    let StoreAnswer::Units(window) = ask(&store, query) else { panic!() };
    let targets: Vec<_> = window.units.iter().map(|unit| unit.target).collect();
    assert_eq!(
        targets,
        [
            UnitTarget::Ok,
            UnitTarget::InsideRecord,
            UnitTarget::NoRecord,
            UnitTarget::BeyondEnd,
            UnitTarget::BeyondEnd,
            UnitTarget::OtherRecord,
            UnitTarget::Unwritten,
            UnitTarget::OtherQueueOffset,
        ]
    );
}

#[test]
fn queues_have_their_ends() {
    let mut store = Damaged::new(CLEAN);
    let ends = |store: &Damaged| {
        let StoreAnswer::Queues(queues) = ask(store, StoreQuery::Queues) else { panic!() };
        queues
            .into_iter()
            .map(|queue| (queue.topic, queue.queue_id, queue.min_offset, queue.max_offset))
            .collect::<Vec<_>>()
    };
    let named = |list: [(&str, i32, i64, i64); 3]| list.map(|(topic, id, min, max)| (topic.to_owned(), id, min, max));
    assert_eq!(ends(&store), named([("R1", 0, 0, 65), ("R1", 1, 0, 33), ("R2", 0, 0, 32)]));
    // Without the first file of the log: the first units whose records are left, as after the clean-up of the case.
    store.remove(LOG[0]);
    assert_eq!(ends(&store), named([("R1", 0, 20, 65), ("R1", 1, 10, 33), ("R2", 0, 9, 32)]));
}

#[test]
fn a_chain_is_walked_as_a_search_walks_it() {
    let store = Damaged::new(CLEAN);
    let path = "index/20261129200112163".to_owned();
    let query = StoreQuery::IndexChain { path, topic: "R1".to_owned(), key: "k1".to_owned(), begin: 0, end: i64::MAX };
    let StoreAnswer::IndexChain(chain) = ask(&store, query) else { panic!() };
    // "R1#k1" hashes to 77225482, slot 2, whose newest entry is 46.
    assert_eq!((chain.hashed.as_str(), chain.key_hash, chain.slot, chain.slot_value), ("R1#k1", 77_225_482, 2, 46));
    assert_eq!(chain.slot_position, 48);
    assert!(chain.time_matched && !chain.cut);
    let numbers: Vec<_> = chain.entries.iter().map(|met| met.entry.index).collect();
    assert_eq!(numbers[0], 46);
    assert!(numbers.windows(2).all(|pair| pair[0] > pair[1]), "newest first: {numbers:?}");
    for met in &chain.entries {
        assert_eq!(met.answered, met.hash_matches);
        assert_eq!(met.really_matches, met.hash_matches, "no two keys of this store share a hash");
        assert!(met.record.is_some());
    }
    assert!(chain.entries.iter().any(|met| met.answered));
}

#[test]
fn slots_and_entries_are_paged() {
    let store = Damaged::new(CLEAN);
    let path = "index/20261129200122280".to_owned();
    // Slots in use: 0 1 2 3 4 6 7 12 13 15 16 18 19.
    let slots = |from| {
        let StoreAnswer::IndexSlots(window) =
            ask(&store, StoreQuery::IndexSlots { path: path.clone(), from, limit: 6 })
        else {
            panic!()
        };
        (window.slots.iter().map(|slot| (slot.slot, slot.index)).collect::<Vec<_>>(), window.next)
    };
    assert_eq!(slots(0), (vec![(0, 9), (1, 18), (2, 13), (3, 22), (4, 24), (6, 21)], Some(7)));
    assert_eq!(slots(7), (vec![(7, 23), (12, 11), (13, 20), (15, 1), (16, 19), (18, 5)], Some(19)));
    assert_eq!(slots(19), (vec![(19, 7)], None));
    let query = StoreQuery::IndexEntries { path, from: 23, limit: 100 };
    let StoreAnswer::IndexEntries(window) = ask(&store, query) else { panic!() };
    let rows: Vec<_> = window
        .entries
        .iter()
        .map(|entry| (entry.index, entry.key_hash, entry.phy_offset, entry.time_diff, entry.prev_index))
        .collect();
    assert_eq!(rows, [(23, 1_199_543_687, 27495, 0, 16), (24, 77_225_484, 27495, 0, 17)]);
}

#[test]
fn the_tree_lists_directories_before_what_is_in_them() {
    let store = Damaged::new(CLEAN);
    let StoreAnswer::Tree(tree) = ask(&store, StoreQuery::Tree) else { panic!() };
    let shown: Vec<_> = tree.rows.iter().take(4).map(|row| (row.path.as_str(), row.depth, row.len)).collect();
    assert_eq!(shown, [("checkpoint", 0, 4096), ("commitlog", 0, 32768), (LOG[0], 1, 8192), (LOG[1], 1, 8192),]);
    let queue = tree.rows.iter().find(|row| row.path == "consumequeue/R1").unwrap();
    assert_eq!((queue.name.as_str(), queue.depth, queue.len), ("R1", 1, 2400));
    assert_eq!(queue.node, TreeNode::Dir { file_count: 6 });
    assert_eq!(tree.file_count, 21);
}

#[test]
fn what_is_not_there_is_an_error_that_names_it() {
    let disk = Damaged::new(CLEAN).disk();
    let explorer = StoreExplorer::open(&disk, &GivenLayout::default());
    let error = |query| explorer.answer(&disk, &query).unwrap_err();
    let path = "commitlog/00000000000000099999".to_owned();
    assert_eq!(error(StoreQuery::Hex { path: path.clone(), start: 0, len: 1 }), StoreViewError::NoSuchFile { path });
    let query = StoreQuery::Units { topic: "R9".to_owned(), queue_id: 0, from: 0, limit: 1 };
    assert_eq!(error(query).to_string(), "consumequeue/R9/0: no such queue in the store");
    let query = StoreQuery::Config { path: "checkpoint".to_owned() };
    assert_eq!(error(query).to_string(), "checkpoint: no such file of this kind in the store");
}
