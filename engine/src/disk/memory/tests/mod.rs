//! Expected values are worked out by hand from the rules in the module's documentation.

mod journal;
mod model;

use super::*;

const GIB: u64 = 1 << 30;

fn read(disk: &MemoryDisk, file: FileId, offset: u64, len: usize) -> Vec<u8> {
    let mut buf = vec![0xAA; len];
    disk.read_at(file, offset, &mut buf).unwrap();
    buf
}

fn stable(disk: &MemoryDisk, file: FileId, offset: u64, len: usize) -> Vec<u8> {
    let mut buf = vec![0xAA; len];
    disk.read_stable_at(file, offset, &mut buf).unwrap();
    buf
}

/// Starts and ends of the dirty ranges.
fn dirty(disk: &MemoryDisk, file: FileId) -> Vec<(u64, u64)> {
    disk.dirty_ranges(file).unwrap().into_iter().map(|range| (range.start, range.end)).collect()
}

#[test]
fn a_disk_can_be_sent_and_shared() {
    fn check<T: Send + Sync + Clone + fmt::Debug>() {}
    check::<MemoryDisk>();
}

#[test]
fn files_of_the_true_sizes_cost_only_the_pages_written() {
    let mut disk = MemoryDisk::new();
    let log = disk.create("commitlog/00000000000000000000", GIB).unwrap();
    let index = disk.create("index/20240101000000000", 420_000_040).unwrap();
    disk.write_at(log, GIB - 3, b"end").unwrap();
    disk.write_at(index, 40 + 4_999_999 * 4, &[1, 2, 3, 4]).unwrap();
    assert_eq!(disk.pages_held(), 2);
    assert_eq!(read(&disk, log, GIB - 5, 5), b"\0\0end");
    assert_eq!(disk.meta(index).unwrap().len, 420_000_040);
    disk.write_at(log, 0, &vec![0; 100_000]).unwrap();
    assert_eq!(disk.pages_held(), 2, "zero pages are never stored");
}

#[test]
fn a_write_is_lost_until_a_flush_covers_its_os_page() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("f", 100_000).unwrap();
    disk.write_at(file, 4000, &[7; 200]).unwrap();
    assert_eq!(dirty(&disk, file), [(0, 8192)]);
    assert_eq!(stable(&disk, file, 3999, 3), [0, 0, 0]);
    // One byte of the second OS page makes all of that page durable, and nothing of the first.
    disk.flush(file, 8191, 1).unwrap();
    assert_eq!(dirty(&disk, file), [(0, 4096)]);
    disk.power_loss();
    assert_eq!(read(&disk, file, 4000, 200), [vec![0; 96], vec![7; 104]].concat());
    assert_eq!(dirty(&disk, file), []);
}

#[test]
fn a_power_loss_brings_back_the_last_flushed_bytes() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("f", 50_000).unwrap();
    disk.write_at(file, 0, &vec![1; 50_000]).unwrap();
    disk.flush(file, 0, 50_000).unwrap();
    disk.write_at(file, 10_000, &[2; 10]).unwrap();
    assert_eq!(dirty(&disk, file), [(8192, 12_288)]);
    assert_eq!(stable(&disk, file, 9_999, 12), [1; 12]);
    assert_eq!(read(&disk, file, 9_999, 3), [1, 2, 2]);
    disk.power_loss();
    assert_eq!(read(&disk, file, 0, 50_000), vec![1; 50_000]);
}

#[test]
fn the_last_dirty_range_ends_with_the_file() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("f", 5000).unwrap();
    disk.write_at(file, 4999, &[1]).unwrap();
    assert_eq!(dirty(&disk, file), [(4096, 5000)]);
    disk.flush(file, 0, 5000).unwrap();
    assert_eq!(dirty(&disk, file), []);
}

#[test]
fn pages_survive_as_the_policy_says() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("f", 3 * 4096).unwrap();
    disk.write_at(file, 0, &[1; 3 * 4096]).unwrap();
    disk.flush(file, 4096, 1).unwrap();
    disk.write_at(file, 4096, &[2; 4096]).unwrap();
    let pages: Vec<u64> = disk.dirty_pages().iter().map(|page| page.number).collect();
    assert_eq!(pages, [0, 1, 2]);
    disk.power_loss_where(|page| match page.number {
        0 => Survives::All,
        1 => Survives::Head(512),
        _ => Survives::Nothing,
    });
    let expected = [vec![1; 4096], vec![2; 512], vec![1; 4096 - 512], vec![0; 4096]].concat();
    assert_eq!(read(&disk, file, 0, 3 * 4096), expected);
    disk.power_loss();
    assert_eq!(read(&disk, file, 0, 3 * 4096), expected, "what survived is stable");
}

#[test]
fn a_killed_process_loses_its_locks_and_nothing_else() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("lock", 4096).unwrap();
    disk.write_at(file, 0, b"lock").unwrap();
    assert_eq!(disk.try_lock(file), Ok(true));
    assert_eq!(disk.try_lock(file), Ok(false));
    let clone = disk.clone();
    disk.process_kill();
    assert_eq!(disk.try_lock(file), Ok(true));
    assert_eq!(read(&disk, file, 0, 4), b"lock");
    assert_eq!(dirty(&disk, file), [(0, 4096)]);
    disk.unlock(file).unwrap();
    assert_eq!(disk.try_lock(file), Ok(true));
    assert_eq!(clone.clone().try_lock(file), Ok(false), "the lock is part of the disk's state");
}

#[test]
fn names_and_sizes_are_durable_at_once() {
    let mut disk = MemoryDisk::new();
    disk.set_time(5);
    let a = disk.create("a", 10).unwrap();
    let b = disk.create("b", 20).unwrap();
    disk.set_time(6);
    disk.write_at(a, 0, b"AAAA").unwrap();
    disk.rename(a, "b").unwrap();
    disk.set_len(a, 4).unwrap();
    assert_eq!(disk.find("a"), None);
    assert_eq!(disk.find("b"), Some(a));
    assert_eq!(disk.meta(b).unwrap_err().kind, DiskErrorKind::NotFound);
    assert_eq!(disk.path(a).as_deref(), Some("b"));
    disk.power_loss();
    assert_eq!(disk.files(), [("b".to_owned(), a)]);
    assert_eq!(disk.meta(a).unwrap(), FileMeta { len: 4, modified: 6 });
    assert_eq!(read(&disk, a, 0, 4), *b"AAAA", "what is renamed into place is whole");
    disk.write_at(a, 0, b"BBBB").unwrap();
    disk.power_loss();
    assert_eq!(read(&disk, a, 0, 4), *b"AAAA", "what is written afterwards is not");
    disk.delete(a).unwrap();
    assert_eq!((disk.files(), disk.used()), (vec![], 0));
    assert_eq!(disk.create("b", 1), Ok(FileId(2)), "ids are never reused");
}

#[test]
fn what_was_cut_off_never_comes_back() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("f", 40_000).unwrap();
    disk.write_at(file, 0, &vec![1; 40_000]).unwrap();
    disk.flush(file, 0, 20_000).unwrap();
    disk.write_at(file, 0, &vec![2; 10_000]).unwrap();
    disk.set_len(file, 5000).unwrap();
    assert_eq!(dirty(&disk, file), [(0, 5000)]);
    disk.set_len(file, 40_000).unwrap();
    assert_eq!(read(&disk, file, 0, 40_000), [vec![2; 5000], vec![0; 35_000]].concat());
    disk.power_loss();
    assert_eq!(read(&disk, file, 0, 40_000), [vec![1; 5000], vec![0; 35_000]].concat());
}

#[test]
fn a_cut_takes_every_page_behind_it() {
    // Pages end every 4 KiB, leaves of the table every 128 KiB.
    for (len, held) in [(0, 0), (1, 1), (16_384, 1), (16_385, 2), ((2 << 20) - 5, 3), (2 << 20, 3), ((2 << 20) + 1, 4)]
    {
        let mut disk = MemoryDisk::new();
        let file = disk.create("f", 5 << 20).unwrap();
        let places = [0, 16_384, (2 << 20) - 16_384, 2 << 20, 4 << 20];
        for place in places {
            disk.write_at(file, place, &[1]).unwrap();
        }
        disk.set_len(file, len).unwrap();
        assert_eq!(disk.pages_held(), held, "cut at {len}");
        disk.set_len(file, 5 << 20).unwrap();
        for place in places {
            assert_eq!(read(&disk, file, place, 1), [u8::from(place < len)], "{place} after a cut at {len}");
        }
    }
}

#[test]
fn a_flush_forgets_no_page_that_it_leaves_dirty() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("f", 20 * 16_384).unwrap();
    let os_pages = |pages: &[u64]| pages.iter().map(|page| (page * 4096, page * 4096 + 4096)).collect::<Vec<_>>();

    for page in [0, 3, 7, 12, 15] {
        disk.write_at(file, page * 4096, &[1]).unwrap();
    }
    for (flushed, left) in [
        (0..0, &[0, 3, 7, 12, 15][..]),
        (1..4, &[0, 7, 12, 15]),
        (1..15, &[0, 15]),
        (1..20, &[0]),
        (0..13, &[15]),
        (0..20, &[]),
        (0..1, &[3, 7, 12, 15]),
        (4..12, &[0, 3, 12, 15]),
        (8..11, &[0, 3, 7, 12, 15]),
    ] {
        let mut disk = disk.clone();
        disk.flush(file, flushed.start * 4096, (flushed.end - flushed.start) * 4096).unwrap();
        assert_eq!(dirty(&disk, file), os_pages(left), "after a flush of {flushed:?}");
        disk.write_at(file, 17 * 4096, &[1]).unwrap();
        assert_eq!(dirty(&disk, file), os_pages(&[left, &[17]].concat()));
        disk.flush(file, 0, 20 * 16_384).unwrap();
        assert_eq!(dirty(&disk, file), []);
    }
}

#[test]
fn errors_name_the_file_the_place_and_the_cause() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("dir/f", 100).unwrap();
    let out = DiskErrorKind::OutOfRange { len: 100 };
    let error = disk.write_at(file, 99, b"xx").unwrap_err();
    assert_eq!(error, DiskError { file: "dir/f".into(), offset: Some(99), kind: out.clone() });
    assert_eq!(error.to_string(), "dir/f at 99: outside the file, which is 100 bytes long");
    assert_eq!(disk.read_at(file, u64::MAX, &mut [0]).unwrap_err().kind, out);
    assert_eq!(disk.flush(file, 100, 1).unwrap_err().kind, out);
    assert_eq!(disk.slice(file, 0, 101).unwrap_err().kind, out);
    assert_eq!(disk.peek(file, 0, 101), None);
    assert_eq!(disk.window_mut(file, 100, 1), None);
    assert_eq!(disk.create("dir/f", 1).unwrap_err().kind, DiskErrorKind::AlreadyExists);
    assert_eq!(disk.create("../f", 1).unwrap_err().kind, DiskErrorKind::BadPath);
    assert_eq!(disk.rename(file, "").unwrap_err().kind, DiskErrorKind::BadPath);
    assert_eq!(disk.create("big", u64::MAX).unwrap_err().kind, DiskErrorKind::Full);
    assert_eq!(disk.set_len(file, u64::MAX).unwrap_err().kind, DiskErrorKind::Full);
    assert_eq!(disk.delete(FileId(9)).unwrap_err().to_string(), "file 9: no such file");
}

#[test]
fn a_full_disk_refuses_lengths_beyond_its_capacity() {
    let mut disk = MemoryDisk::new();
    disk.set_capacity(Some(100));
    let file = disk.create("a", 60).unwrap();
    assert_eq!(disk.create("b", 41).unwrap_err().kind, DiskErrorKind::Full);
    assert_eq!(disk.set_len(file, 101).unwrap_err().kind, DiskErrorKind::Full);
    disk.set_len(file, 100).unwrap();
    assert_eq!(disk.used(), 100);
    disk.delete(file).unwrap();
    disk.create("b", 100).unwrap();
}

#[test]
fn windows_and_pieces_stay_inside_one_page() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("f", 40_000).unwrap();
    disk.window_mut(file, 16_000, 384).unwrap().fill(3);
    assert_eq!(disk.window_mut(file, 16_000, 385), None);
    assert_eq!(disk.peek(file, 16_382, 2), Some(&[3, 3][..]));
    assert_eq!(disk.peek(file, 16_383, 2), None);
    assert_eq!(disk.peek(file, 20_000, 3), Some(&[0, 0, 0][..]), "a page that was never written");
    assert_eq!(disk.slice(file, 16_383, 2).unwrap(), [3, 0][..]);
    let shared = disk.slice(file, 15_000, 1200).unwrap();
    disk.window_mut(file, 16_000, 1).unwrap().fill(9);
    assert_eq!((shared[999], shared[1000]), (0, 3), "a value of its own");
    assert_eq!(dirty(&disk, file), [(12_288, 16_384)]);
}

#[test]
fn a_clone_shares_pages_and_sees_none_of_the_writes() {
    let mut disk = MemoryDisk::new();
    let file = disk.create("f", 1_000_000).unwrap();
    disk.write_at(file, 0, &vec![1; 1_000_000]).unwrap();
    let before = disk.clone();
    disk.write_at(file, 500_000, &[2; 4]).unwrap();
    disk.flush(file, 0, 1_000_000).unwrap();
    let other = disk.create("g", 1).unwrap();
    assert_eq!(read(&before, file, 500_000, 4), [1; 4]);
    assert_eq!(dirty(&before, file), [(0, 1_000_000)]);
    assert_eq!(before.find("g"), None);
    assert_eq!(disk.find("g"), Some(other));
}

#[test]
fn a_dry_run_changes_nothing_beneath() {
    let files = [("a/x".to_owned(), vec![1; 20_000], 11), ("b".to_owned(), vec![2; 10], 12)];
    let beneath = Arc::new(MemoryDisk::from_files(files).unwrap());
    let shared: Arc<dyn ReadAt + Send + Sync> = beneath.clone();
    let mut disk = MemoryDisk::over(&shared).unwrap();
    let x = disk.find("a/x").unwrap();
    assert_eq!(disk.meta(x).unwrap(), FileMeta { len: 20_000, modified: 11 });
    assert_eq!(dirty(&disk, x), []);
    assert_eq!(read(&disk, x, 0, 20_000), vec![1; 20_000]);
    assert_eq!(disk.pages_held(), 0, "reading brings nothing up");
    assert_eq!(disk.peek(x, 5, 2), Some(&[1, 1][..]));

    disk.write_at(x, 16_380, &[9; 8]).unwrap();
    assert_eq!(read(&disk, x, 16_379, 10), [1, 9, 9, 9, 9, 9, 9, 9, 9, 1]);
    assert_eq!(stable(&disk, x, 0, 20_000), vec![1; 20_000]);
    disk.set_len(x, 100).unwrap();
    disk.set_len(x, 20_000).unwrap();
    assert_eq!(read(&disk, x, 0, 20_000), [vec![1; 100], vec![0; 19_900]].concat());
    disk.write_at(x, 0, &[5]).unwrap();
    assert_eq!(read(&disk, x, 0, 102), [vec![5], vec![1; 99], vec![0; 2]].concat());
    disk.power_loss();
    assert_eq!(read(&disk, x, 0, 102), [vec![1; 100], vec![0; 2]].concat());
    let b = disk.find("b").unwrap();
    disk.set_len(b, 4).unwrap();
    disk.set_len(b, 10).unwrap();
    assert_eq!(disk.peek(b, 3, 2), None, "half beneath, half zeros");
    assert_eq!(disk.slice(b, 3, 2).unwrap(), [2, 0][..]);
    assert_eq!(disk.peek(b, 4, 2), Some(&[0, 0][..]));
    disk.delete(b).unwrap();
    assert_eq!(read(&beneath, beneath.find("a/x").unwrap(), 0, 20_000), vec![1; 20_000]);
    assert_eq!(beneath.files().len(), 2);
}

#[test]
fn a_dry_run_leaves_out_what_vanishes_before_it_begins() {
    /// Lists a file that is not there.
    struct Vanishing(MemoryDisk);

    impl ReadAt for Vanishing {
        fn files(&self) -> Vec<(String, FileId)> {
            [self.0.files(), vec![("z".into(), FileId(9))]].concat()
        }

        fn find(&self, path: &str) -> Option<FileId> {
            self.0.find(path)
        }

        fn path(&self, file: FileId) -> Option<String> {
            self.0.path(file)
        }

        fn meta(&self, file: FileId) -> Result<FileMeta, DiskError> {
            self.0.meta(file)
        }

        fn read_at(&self, _: FileId, _: u64, _: &mut [u8]) -> Result<(), DiskError> {
            Err(DiskError { file: "a".into(), offset: Some(0), kind: DiskErrorKind::Io("torn out".into()) })
        }
    }

    let below = Vanishing(MemoryDisk::from_files([("a".to_owned(), vec![1; 9], 0)]).unwrap());
    let below: Arc<dyn ReadAt + Send + Sync> = Arc::new(below);
    let mut disk = MemoryDisk::over(&below).unwrap();
    assert_eq!(disk.files(), [("a".to_owned(), FileId(0))]);
    let error = disk.write_at(FileId(0), 3, &[2]).unwrap_err();
    assert_eq!(error.to_string(), "a at 3: torn out", "the rest of the page cannot be read");
    assert_eq!(disk.slice(FileId(0), 0, 9).unwrap_err().kind, error.kind);
}

#[test]
fn a_disk_is_read_through_a_reference_as_directly() {
    fn first(disk: impl ReadAt) -> Bytes {
        let (_, file) = disk.files().remove(0);
        disk.slice(file, 0, disk.meta(file).unwrap().len as usize).unwrap()
    }
    let disk = Arc::new(MemoryDisk::from_files([("a".to_owned(), vec![7; 40_000], 0)]).unwrap());
    assert_eq!(first(&*disk), vec![7; 40_000]);
    assert_eq!(first(disk), vec![7; 40_000]);
}
