//! A disk that refuses.

use std::collections::BTreeSet;

use super::*;
use crate::disk::{DiskError, DiskErrorKind, FileId, FileMeta};
use crate::store::FlushDiskType;
use crate::store::step::Flag;

/// What a [`Stubborn`] disk refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Refusal {
    Create(&'static str),
    Write(&'static str),
    Flush(&'static str),
}

/// A disk that refuses operations on files below some directories.
#[derive(Default)]
struct Stubborn {
    disk: MemoryDisk,
    refused: BTreeSet<Refusal>,
}

impl Stubborn {
    fn check(&self, file: FileId, refusal: impl Fn(&'static str) -> Refusal) -> Result<(), DiskError> {
        self.check_path(&self.disk.path(file).unwrap_or_default(), refusal)
    }

    fn check_path(&self, path: &str, refusal: impl Fn(&'static str) -> Refusal) -> Result<(), DiskError> {
        let refuses = |below| path.starts_with(below) && self.refused.contains(&refusal(below));
        if ["commitlog/", "consumequeue/", "index/"].into_iter().any(refuses) {
            let kind = DiskErrorKind::Io("no".to_owned());
            return Err(DiskError { file: path.to_owned(), offset: None, kind });
        }
        Ok(())
    }
}

impl ReadAt for Stubborn {
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
        self.disk.read_at(file, offset, buf)
    }
}

impl Disk for Stubborn {
    fn set_time(&mut self, now: i64) {
        self.disk.set_time(now);
    }

    fn create(&mut self, path: &str, len: u64) -> Result<FileId, DiskError> {
        self.check_path(path, Refusal::Create)?;
        self.disk.create(path, len)
    }

    fn write_at(&mut self, file: FileId, offset: u64, data: &[u8]) -> Result<(), DiskError> {
        self.check(file, Refusal::Write)?;
        self.disk.write_at(file, offset, data)
    }

    fn flush(&mut self, file: FileId, offset: u64, len: u64) -> Result<(), DiskError> {
        self.check(file, Refusal::Flush)?;
        self.disk.flush(file, offset, len)
    }

    fn set_len(&mut self, file: FileId, len: u64) -> Result<(), DiskError> {
        self.disk.set_len(file, len)
    }

    fn rename(&mut self, file: FileId, path: &str) -> Result<(), DiskError> {
        self.disk.rename(file, path)
    }

    fn delete(&mut self, file: FileId) -> Result<(), DiskError> {
        self.disk.delete(file)
    }

    fn try_lock(&mut self, file: FileId) -> Result<bool, DiskError> {
        self.disk.try_lock(file)
    }

    fn unlock(&mut self, file: FileId) -> Result<(), DiskError> {
        self.disk.unlock(file)
    }
}

fn refusing(refusal: Refusal) -> Rig<Stubborn> {
    let mut rig = Rig::on(Stubborn::default(), small());
    rig.store.disk_mut().refused.insert(refusal);
    rig
}

#[test]
fn no_commit_log_file() {
    let mut rig = refusing(Refusal::Create("commitlog/"));
    let result = rig.put(message("T", 0));
    assert_eq!((result.status, result.append), (PutMessageStatus::CreateMappedFileFailed, None));
    rig.store.disk_mut().refused.clear();
    assert_eq!(rig.put(message("T", 0)).append.map(|append| append.queue_offset), Some(0));
}

/// The blank record is written before the next file fails: its result comes with the status.
#[test]
fn no_second_commit_log_file() {
    let mut rig = Rig::on(Stubborn::default(), small());
    rig.put(message("T", 0));
    // From here on no file is made ahead; the second one already was.
    rig.store.disk_mut().refused.insert(Refusal::Create("commitlog/"));
    for _ in 0..19 {
        assert_eq!(rig.put(message("T", 0)).status, PutMessageStatus::PutOk);
    }
    let result = rig.put(message("T", 0));
    assert_eq!(result.status, PutMessageStatus::CreateMappedFileFailed);
    let append = result.append.expect("the blank record's");
    assert_eq!((append.wrote_offset, append.wrote_bytes), (1024 + 940, 84));
}

#[test]
fn a_write_that_fails_leaves_the_log_as_it_was() {
    let mut rig = refusing(Refusal::Write("commitlog/"));
    let result = rig.put(message("T", 0));
    assert_eq!((result.status, result.append), (PutMessageStatus::UnknownError, None));
    assert_eq!(rig.store.max_phy_offset(), 0);
    rig.store.disk_mut().refused.clear();
    assert_eq!(rig.put(message("T", 0)).append.map(|append| (append.wrote_offset, append.queue_offset)), Some((0, 0)));
}

/// A force that fails counts as done: the producer hears `PUT_OK`, and a power loss takes the message.
#[test]
fn a_flush_that_fails_counts_as_done() {
    let mut rig = refusing(Refusal::Flush("commitlog/"));
    rig.put(message("T", 0));
    assert!(rig.store.group_commit(94, &mut rig.env));
    assert_eq!(rig.store.flushed_where(), 94);
    let file = rig.store.disk().find("commitlog/00000000000000000000").expect("the log");
    let dirty = rig.store.disk().disk.dirty_ranges(file);
    assert_eq!(dirty, Ok(std::iter::once(0..1024).collect()), "nothing of it is on the disk");
}

/// The producer of a synchronous flush heard `PUT_OK` although the disk had refused it. A power loss takes the message,
/// a kill does not: the page cache has it.
#[test]
fn a_refused_flush_loses_an_acknowledged_message_to_a_power_loss() {
    let acknowledged = || {
        let config = StoreConfig { flush_disk_type: FlushDiskType::SyncFlush, ..small() };
        let mut rig = Rig::on(Stubborn::default(), config);
        rig.store.disk_mut().refused.insert(Refusal::Flush("commitlog/"));
        let result = rig.put_ok(message("T", 0));
        let request = result.flush.expect("the answer waits for the flush");
        assert!(rig.store.group_commit(request.next_offset, &mut rig.env), "PUT_OK, not FLUSH_DISK_TIMEOUT");
        rig.store.disk_mut().refused.clear();
        rig
    };
    let mut rig = acknowledged().start_again(|disk| disk.disk.power_loss());
    assert_eq!((rig.store.max_phy_offset(), rig.store.max_offset_in_queue("T", 0)), (0, 0));
    let mut rig = acknowledged().start_again(|disk| disk.disk.process_kill());
    assert_eq!((rig.store.max_phy_offset(), rig.store.max_offset_in_queue("T", 0)), (94, 1));
}

/// 30 attempts, a second apart, then the store takes no more messages.
#[test]
fn no_consume_queue_file() {
    let mut rig = refusing(Refusal::Create("consumequeue/"));
    rig.put_ok(message("T", 0));
    assert!(rig.store.running_flags().has(Flag::WriteLogicsQueueError));
    assert_eq!(rig.env.now, START + 30_000 + 1, "and one index file was made");
    assert_eq!(rig.put(message("T", 0)).status, PutMessageStatus::ServiceNotAvailable);
    assert!(rig.store.get_message("g", "T", 0, 0, 1, None).is_some(), "reads go on");
}

#[test]
fn no_index_file() {
    let mut rig = refusing(Refusal::Create("index/"));
    rig.put_ok(message("T", 0));
    assert!(rig.store.running_flags().has(Flag::WriteIndexFileError));
    assert_eq!((rig.env.now, rig.store.max_offset_in_queue("T", 0)), (START + 3000, 1));
}

/// 4.9.8 would try such a file for ever.
#[test]
fn an_index_file_that_cannot_be_written() {
    let mut rig = Rig::on(Stubborn::default(), small());
    rig.put_ok(message("T", 0));
    rig.store.disk_mut().refused.insert(Refusal::Write("index/"));
    rig.put_ok(with_keys("T", "k"));
    assert!(rig.store.running_flags().has(Flag::WriteIndexFileError));
}

/// A unit that cannot be written counts as written.
#[test]
fn a_unit_that_is_lost() {
    let mut rig = refusing(Refusal::Write("consumequeue/"));
    rig.put_ok(message("T", 0));
    assert_eq!(rig.store.max_offset_in_queue("T", 0), 1);
    assert_eq!(rig.store.unit("T", 0, 0).map(|unit| unit.size), Some(0));
}
