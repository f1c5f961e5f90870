//! Expected values are worked out by hand; the two disks that can be written are held against each other.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::super::random::{act, contents, op};
use super::super::{Disk, DiskError, DiskErrorKind, FileId, MemoryDisk, ReadAt};
use super::*;

fn directory(files: &[(&str, &[u8])]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let place = directory.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }
    directory
}

fn read(disk: &impl ReadAt, path: &str) -> Vec<u8> {
    let file = disk.find(path).unwrap();
    let mut bytes = vec![0xAA; disk.meta(file).unwrap().len as usize];
    disk.read_at(file, 0, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_directory_is_read_as_it_is() {
    let directory = directory(&[("b/c/d", b"deep"), ("a", b""), ("b/c.x", b"dot")]);
    let disk = ReadOnlyDir::open(directory.path()).unwrap();
    let paths: Vec<String> = disk.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["a", "b/c.x", "b/c/d"], "byte order: '.' before '/'");
    assert_eq!((read(&disk, "a"), read(&disk, "b/c/d")), (vec![], b"deep".to_vec()));
    let file = disk.find("b/c/d").unwrap();
    assert_eq!(disk.path(file).as_deref(), Some("b/c/d"));
    assert_eq!(disk.slice(file, 1, 2).unwrap(), b"ee"[..]);
    let mtime = fs::metadata(directory.path().join("b/c/d")).unwrap().modified().unwrap();
    let millis = mtime.duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    assert_eq!(disk.meta(file).unwrap(), FileMeta { len: 4, modified: millis });
    for offset in [2, 4, u64::MAX] {
        let error = disk.read_at(file, offset, &mut [0; 3]).unwrap_err();
        let kind = DiskErrorKind::OutOfRange { len: 4 };
        assert_eq!(error, DiskError { file: "b/c/d".into(), offset: Some(offset), kind });
    }
    assert_eq!(disk.meta(FileId(3)).unwrap_err().to_string(), "file 3: no such file");
    assert_eq!(disk.find("b"), None);
}

#[test]
fn files_that_vanish_or_shrink_are_errors() {
    let directory = directory(&[("gone", b"1234"), ("short", b"1234")]);
    let disk = ReadOnlyDir::open(directory.path()).unwrap();
    let (gone, short) = (disk.find("gone").unwrap(), disk.find("short").unwrap());
    disk.read_at(short, 0, &mut [0; 4]).unwrap();
    fs::remove_file(directory.path().join("gone")).unwrap();
    fs::write(directory.path().join("short"), b"12").unwrap();
    assert_eq!(disk.read_at(gone, 0, &mut [0]).unwrap_err().to_string(), "gone: no such file");
    assert_eq!(disk.meta(gone).unwrap_err().kind, DiskErrorKind::NotFound);
    assert_eq!(disk.read_at(short, 0, &mut [0; 4]).unwrap_err().kind, DiskErrorKind::OutOfRange { len: 2 });
    assert_eq!(disk.meta(short).unwrap().len, 2);
}

#[test]
fn more_files_than_are_kept_open_are_read() {
    let names: Vec<String> = (0..100).map(|n| format!("f{n:02}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), name.as_bytes())).collect();
    let directory = directory(&files);
    let disk = ReadOnlyDir::open(directory.path()).unwrap();
    for name in names.iter().chain(&names) {
        assert_eq!(read(&disk, name), name.as_bytes());
    }
}

#[test]
fn a_directory_that_is_not_there_is_an_error_and_is_not_made() {
    let directory = directory(&[("file", b"")]);
    let missing = directory.path().join("missing");
    let error = ReadOnlyDir::open(&missing).unwrap_err();
    assert_eq!(error, DiskError { file: missing.display().to_string(), offset: None, kind: DiskErrorKind::NotFound });
    assert!(!missing.exists());
    assert!(matches!(ReadOnlyDir::open(directory.path().join("file")).unwrap_err().kind, DiskErrorKind::Io(_)));
}

#[cfg(unix)]
#[test]
fn links_out_of_the_root_and_odd_names_are_skipped_and_told() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let outside = directory(&[("secret", b"secret")]);
    let directory = directory(&[("dir/file", b"inside")]);
    let root = directory.path();
    symlink(outside.path().join("secret"), root.join("out")).unwrap();
    symlink(outside.path(), root.join("out-dir")).unwrap();
    symlink("dir/file", root.join("in")).unwrap();
    symlink("dir", root.join("in-dir")).unwrap();
    symlink("nowhere", root.join("broken")).unwrap();
    fs::write(root.join(std::ffi::OsStr::from_bytes(b"odd\xff")), b"").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();

    let check = |files: Vec<(String, FileId)>, skipped: &[Skipped]| {
        let paths: Vec<String> = files.into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["dir/file", "in"]);
        let told: Vec<(&str, &SkipReason)> = skipped.iter().map(|entry| (entry.path.as_str(), &entry.reason)).collect();
        assert!(matches!(told[0], ("broken", SkipReason::Unreadable(_))));
        let rest = [
            ("in-dir", &SkipReason::LinkedDirectory),
            ("odd\u{fffd}", &SkipReason::NotUtf8),
            ("out", &SkipReason::OutsideRoot),
            ("out-dir", &SkipReason::OutsideRoot),
            ("socket", &SkipReason::NotAFile),
        ];
        assert_eq!(told[1..], rest);
    };
    let disk = ReadOnlyDir::open(root).unwrap();
    check(disk.files(), disk.skipped());
    assert_eq!(read(&disk, "in"), b"inside");
    let mut disk = FileDisk::open(root).unwrap();
    check(disk.files(), disk.skipped());
    assert_eq!(disk.create("out-dir/new", 1).unwrap_err().kind, DiskErrorKind::BadPath);
    assert_eq!(disk.create("out", 1).unwrap_err().kind, DiskErrorKind::AlreadyExists);
    assert!(!outside.path().join("new").exists());
}

#[test]
fn what_was_written_is_in_the_files() {
    let directory = directory(&[("old", b"old")]);
    let root = directory.path();
    let mut disk = FileDisk::open(root.join("store")).unwrap();
    let file = disk.create("commitlog/00000000000000000000", 10_000).unwrap();
    disk.write_at(file, 9_998, b"xy").unwrap();
    disk.window_mut(file, 0, 3).unwrap().copy_from_slice(b"abc");
    disk.flush(file, 4097, 5903).unwrap();
    let empty = disk.create("abort", 0).unwrap();
    disk.flush(empty, 0, 0).unwrap();
    let bytes = fs::read(root.join("store/commitlog/00000000000000000000")).unwrap();
    assert_eq!(bytes.len(), 10_000);
    assert_eq!((&bytes[..4], &bytes[9_997..]), (&b"abc\0"[..], &b"\0xy"[..]));
    assert_eq!(disk.peek(file, 9_998, 2), Some(&b"xy"[..]));
    disk.rename(file, "abort").unwrap();
    assert!(!root.join("store/commitlog").exists(), "a directory is there as long as a file below it is");
    assert_eq!(disk.meta(empty).unwrap_err().kind, DiskErrorKind::NotFound);
    disk.set_len(file, 2).unwrap();
    assert_eq!(fs::read(root.join("store/abort")).unwrap(), b"ab");
    let again = FileDisk::open(root.join("store")).unwrap();
    assert_eq!(read(&again, "abort"), b"ab");
    disk.delete(file).unwrap();
    assert_eq!(fs::read_dir(root.join("store")).unwrap().count(), 0);
    assert!(root.join("old").exists());
}

/// Names the directory whose lock the child process shall try.
const CHILD: &str = "ROCKETSCOPE_LOCK_TEST";

#[test]
fn another_process_is_kept_out_while_the_lock_is_held() {
    let directory = directory(&[("lock", b"lock")]);
    let mut disk = FileDisk::open(directory.path()).unwrap();
    let file = disk.find("lock").unwrap();
    assert_eq!(disk.try_lock(file), Ok(true));
    assert_eq!(disk.try_lock(file), Ok(false));
    disk.set_len(file, 8).unwrap();
    assert_eq!(child(directory.path()), Some(1), "sizing the file does not end the lock");
    disk.unlock(file).unwrap();
    assert_eq!(child(directory.path()), Some(0));
    assert_eq!(disk.try_lock(file), Ok(true), "it ended with the child");
}

/// What the child process exits with: 0 when it had the lock.
fn child(root: &Path) -> Option<i32> {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let name = concat!(module_path!(), "::child_of_the_lock_test").split_once("::").unwrap().1;
    child.args([name, "--exact", "--nocapture"]).env(CHILD, root).stdout(std::process::Stdio::null());
    child.status().unwrap().code()
}

#[test]
fn child_of_the_lock_test() {
    if let Some(root) = std::env::var_os(CHILD) {
        let mut disk = FileDisk::open(root).unwrap();
        let file = disk.find("lock").unwrap();
        std::process::exit(i32::from(!disk.try_lock(file).unwrap()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_disks_give_the_same_answers(ops in prop::collection::vec(op(), 1..40)) {
        let directory = tempfile::tempdir().unwrap();
        let mut real = FileDisk::open(directory.path()).unwrap();
        let mut simulated = MemoryDisk::new();
        for op in &ops {
            prop_assert_eq!(act(&mut real, op), act(&mut simulated, op), "{:?}", op);
        }
        prop_assert_eq!(real.files(), simulated.files());
        let bytes = contents(&simulated);
        prop_assert!(contents(&real) == bytes);
        prop_assert!(contents(&ReadOnlyDir::open(directory.path()).unwrap()) == bytes);
        drop(real);
        prop_assert!(contents(&FileDisk::open(directory.path()).unwrap()) == bytes);
    }
}
