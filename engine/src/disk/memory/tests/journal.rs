//! The journal, and what can be made of it again.

use proptest::prelude::*;

use super::super::super::random::{act, contents, op};
use super::*;

#[test]
fn a_journal_replayed_on_the_disk_before_gives_the_disk_after() {
    let mut disk = MemoryDisk::new();
    let old = disk.create("old", 9000).unwrap();
    let before = disk.clone();
    disk.journal_start();
    assert_eq!(disk.window_mut(old, 0, 1), None, "no byte goes unnoted");
    disk.set_time(77);
    disk.write_at(old, 10, b"abc").unwrap();
    let new = disk.create("new", 5).unwrap();
    disk.write_at(new, 0, b"hello").unwrap();
    assert_eq!(disk.journal_len(), 3);
    disk.flush(new, 0, 5).unwrap();
    disk.set_len(new, 3).unwrap();
    disk.rename(new, "old").unwrap();
    let ops = disk.journal_take();
    let changes: Vec<&Change> = ops.iter().map(|op| &op.change).collect();
    let write = |offset, data: &'static [u8]| Change::Write { offset, data: Bytes::from_static(data) };
    assert_eq!(
        changes,
        [
            &write(10, b"abc"),
            &Change::Create { len: 5 },
            &write(0, b"hello"),
            &Change::Flush { offset: 0, len: 5 },
            &Change::SetLen { len: 3 },
            &Change::Rename { to: "old".into() },
        ]
    );
    assert_eq!((&*ops[0].path, ops[0].at), ("old", 77));
    assert_eq!(disk.journal_len(), 0);
    disk.delete(new).unwrap();
    assert_eq!(disk.journal_take()[0].change, Change::Delete);

    let mut third = before.clone();
    for op in &ops[..3] {
        third.apply(op).unwrap();
    }
    assert_eq!(read(&third, old, 10, 3), b"abc");
    assert_eq!(read(&third, new, 0, 5), b"hello");
    assert_eq!(third.meta(new).unwrap(), FileMeta { len: 5, modified: 77 });
    assert_eq!(dirty(&third, new), [(0, 5)]);
    for op in &ops[3..] {
        third.apply(op).unwrap();
    }
    assert_eq!(third.files(), [("old".to_owned(), new)]);
    assert_eq!(read(&third, new, 0, 3), b"hel");
    let wrong = third.apply(&ops[1]).unwrap_err();
    assert_eq!(wrong.to_string(), "new: made as file 2, but noted as file 1");
}

#[test]
fn a_crash_in_the_middle_of_a_write_keeps_its_head() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("f", 10).unwrap();
    let before = disk.clone();
    disk.journal_start();
    disk.write_at(file, 2, b"abcdef").unwrap();
    disk.flush(file, 0, 10).unwrap();
    let ops = disk.journal_take();
    for (len, expected) in [(0, b"\0\0\0\0\0\0"), (4, b"abcd\0\0"), (9, b"abcdef")] {
        let mut torn = before.clone();
        torn.apply(&ops[0].head(len).unwrap()).unwrap();
        assert_eq!(read(&torn, file, 2, 6), expected);
    }
    assert_eq!(ops[1].head(1), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_first_operations_of_a_journal_give_the_disk_at_that_point(ops in prop::collection::vec(op(), 1..40)) {
        let mut disk = MemoryDisk::new();
        let mut replayed = disk.clone();
        disk.journal_start();
        for (time, op) in (0..).zip(&ops) {
            disk.set_time(time);
            let _ = act(&mut disk, op);
            for op in disk.journal_take() {
                replayed.apply(&op).unwrap();
            }
            prop_assert_eq!(disk.files(), replayed.files());
            prop_assert_eq!(disk.dirty_pages(), replayed.dirty_pages());
        }
        for (_, file) in disk.files() {
            prop_assert_eq!(disk.meta(file), replayed.meta(file));
        }
        prop_assert!(contents(&disk) == contents(&replayed));
        disk.power_loss();
        replayed.power_loss();
        prop_assert!(contents(&disk) == contents(&replayed));
    }
}
