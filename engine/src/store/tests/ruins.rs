//! Any bytes, anywhere: errors, never a panic, and never a walk without end.

use proptest::prelude::*;

use super::*;

/// A stopped store with a bit of everything.
fn furnished() -> MemoryDisk {
    let config = StoreConfig { enable_consume_queue_ext: true, mapped_file_size_consume_queue_ext: 100, ..small() };
    let mut rig = Rig::new(config);
    for n in 0..25 {
        rig.put_ok(with(message("T", n % 2), &[(property::KEYS, "a b"), (property::TAGS, "t")]));
    }
    rig.put_ok(with(message("T", 0), &[(property::DELAY, "3")]));
    assert!(rig.store.shutdown(&mut rig.env));
    rig.store.into_disk()
}

/// Everything that reads, on whatever is there.
fn use_all(disk: MemoryDisk, clean: bool) {
    let config = StoreConfig { enable_consume_queue_ext: true, mapped_file_size_consume_queue_ext: 100, ..small() };
    let mut env = TestEnv::at(START + 5000);
    let mut disk = disk;
    if !clean {
        disk.create("abort", 0).expect("a stopped store has none");
    }
    let Ok(mut store) = Store::load(disk, config, &mut env) else { return };
    store.start(&mut env).expect("nobody else holds the lock");
    let queues: Vec<_> = store.queues().map(|(topic, queue_id, _)| (topic.to_owned(), queue_id)).collect();
    for (topic, queue_id) in queues {
        for offset in [-1, 0, 5, 12, 13, i64::MAX, i64::MIN] {
            let result = store.get_message("g", &topic, queue_id, offset, 32, None).expect("the store runs");
            for one in result.selected {
                assert!(store.read(one.physical_offset, one.size).is_some());
            }
            store.message_store_timestamp(&topic, queue_id, offset);
        }
        for time in [0, START, START + 1, i64::MAX] {
            store.offset_in_queue_by_time(&topic, queue_id, time);
        }
    }
    for key in ["a", "b", "none"] {
        store.query_message("T", key, 32, i64::MIN, i64::MAX);
    }
    for offset in (0..2100).step_by(7).chain([i64::MIN, i64::MAX, -1]) {
        store.look_message_by_offset(offset);
    }
    for _ in 0..3 {
        store.put_message(&with(message("T", 0), &[(property::KEYS, "c")]), &mut env);
        store.reput(&mut env);
    }
    store.delete_expired_commit_log(0, true, &mut env);
    store.clean_consume_queues(&mut env);
    store.shutdown(&mut env);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_bytes(
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 1..24)), 1..6),
        clean in any::<bool>(),
    ) {
        let mut disk = furnished();
        let files: Vec<_> = disk.files().into_iter().map(|(_, file)| file).collect();
        for (file, place, bytes) in damages {
            let file = files[file.index(files.len())];
            let len = disk.meta(file).expect("the file is there").len;
            if len >= bytes.len() as u64 {
                let offset = place.index((len as usize - bytes.len()) + 1);
                disk.write_at(file, offset as u64, &bytes).expect("inside the file");
            }
        }
        use_all(disk, clean);
    }

    #[test]
    fn missing_and_short_files(
        missing in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        short in prop::collection::vec((any::<prop::sample::Index>(), 0u64..300), 0..2),
        clean in any::<bool>(),
    ) {
        let mut disk = furnished();
        for index in missing {
            let files = disk.files();
            disk.delete(files[index.index(files.len())].1).expect("the file is there");
        }
        for (index, len) in short {
            let files = disk.files();
            if !files.is_empty() {
                disk.set_len(files[index.index(files.len())].1, len).expect("the file is there");
            }
        }
        use_all(disk, clean);
    }
}

/// An index chain that leads back to itself by way of another entry.
#[test]
fn a_ring_in_the_index_ends() {
    let mut rig = Rig::new(small());
    rig.put_ok(with_keys("T", "k k"));
    let file = rig.store.index_files()[0].file();
    // Entry 1 (behind header, 5 slots and entry 0) points at entry 2, which points at entry 1.
    let prev_of_first = 40 + 5 * 4 + 20 + 16;
    rig.store.disk_mut().write_at(file, prev_of_first, &2i32.to_be_bytes()).expect("inside the file");
    let found = rig.store.query_offset("T", "k", 32, 0, i64::MAX);
    assert_eq!(found.phy_offsets.len(), 3, "as many entries as the file counts");
}
