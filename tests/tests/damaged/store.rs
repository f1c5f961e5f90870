//! A store in memory that can be damaged.

use std::collections::BTreeMap;
use std::path::Path;

use rocketscope_engine::disk::MemoryDisk;
use rocketscope_engine::store::inspect::{GivenLayout, Problem, ProblemKind, ProblemScan, StoreFiles, StoreLayout};
use rocketscope_tests::golden::archive::read_files;

/// The store that was stopped orderly.
pub(crate) const CLEAN: &str = "base-clean";
/// The store that was killed.
pub(crate) const CRASH: &str = "base-crash";

/// The commit log's files.
pub(crate) const LOG: [&str; 4] = [
    "commitlog/00000000000000000000",
    "commitlog/00000000000000008192",
    "commitlog/00000000000000016384",
    "commitlog/00000000000000024576",
];

/// A copy of a store.
pub(crate) struct Damaged {
    files: BTreeMap<String, Vec<u8>>,
}

impl Damaged {
    /// A sound copy.
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("stores").join(format!("{name}.zip"));
        let files = read_files(&path).unwrap();
        let files = files.into_iter().map(|(path, content)| (path.trim_start_matches("store/").to_owned(), content));
        Self { files: files.collect() }
    }

    fn file(&mut self, path: &str) -> &mut Vec<u8> {
        self.files.get_mut(path).unwrap_or_else(|| panic!("no {path}"))
    }

    /// Writes over bytes of a file.
    pub(crate) fn write(&mut self, path: &str, position: usize, bytes: &[u8]) {
        self.file(path)[position..position + bytes.len()].copy_from_slice(bytes);
    }

    /// Adds to one byte.
    pub(crate) fn add(&mut self, path: &str, position: usize, number: u8) {
        let byte = &mut self.file(path)[position];
        *byte = byte.wrapping_add(number);
    }

    /// Flips the lowest bit of a byte.
    pub(crate) fn flip(&mut self, path: &str, position: usize) {
        self.file(path)[position] ^= 1;
    }

    /// Bytes of a file.
    pub(crate) fn bytes(&mut self, path: &str, position: usize, len: usize) -> Vec<u8> {
        self.file(path)[position..position + len].to_vec()
    }

    /// Gives a file another content, or makes it.
    pub(crate) fn replace(&mut self, path: &str, content: &[u8]) {
        self.files.insert(path.to_owned(), content.to_vec());
    }

    /// Cuts or lengthens a file.
    pub(crate) fn resize(&mut self, path: &str, len: usize) {
        self.file(path).resize(len, 0);
    }

    /// Removes a file, which must be there.
    pub(crate) fn remove(&mut self, path: &str) {
        self.files.remove(path).unwrap_or_else(|| panic!("no {path}"));
    }

    /// Removes everything whose path begins so.
    pub(crate) fn remove_all(&mut self, prefix: &str) {
        self.files.retain(|path, _| !path.starts_with(prefix));
    }

    /// Gives a file another path.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        let content = self.files.remove(from).unwrap();
        self.files.insert(to.to_owned(), content);
    }

    /// The store as a disk.
    pub(crate) fn disk(&self) -> MemoryDisk {
        MemoryDisk::from_files(self.files.iter().map(|(path, bytes)| (path.clone(), bytes.clone(), 0))).unwrap()
    }

    /// All problems found in it. Searching in small steps and in one go finds the same.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let disk = self.disk();
        let files = StoreFiles::list(&disk);
        let layout = StoreLayout::infer(&disk, &files, &GivenLayout::default());
        let mut scan = ProblemScan::new(&disk, &files, &layout);
        scan.finish(&disk, &files);
        let mut slow = ProblemScan::new(&disk, &files, &layout);
        let mut last = 0.0;
        while !slow.step(&disk, &files, 100).finished {
            let now = slow.progress().fraction();
            assert!((last..=1.0).contains(&now), "progress goes from {last} to {now}");
            last = now;
        }
        assert_eq!(scan.problems(), slow.problems());
        assert_eq!(scan.progress().done_bytes, scan.progress().total_bytes, "all that was announced was looked at");
        scan.problems().to_vec()
    }

    /// Asserts that these are all problems, in any order, and hands them out in this order. Every sentence is whole.
    #[track_caller]
    pub(crate) fn finds(&self, expected: &[(ProblemKind, &str, u64)]) -> Vec<Problem> {
        let problems = self.problems();
        let place = |problem: &Problem| (problem.kind, problem.file.clone(), problem.offset);
        let mut found: Vec<_> = problems.iter().map(place).collect();
        let mut wanted: Vec<_> = expected.iter().map(|(kind, file, at)| (*kind, (*file).to_owned(), *at)).collect();
        let order = wanted.clone();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "\n{problems:#?}");
        for problem in &problems {
            let missing = problem
                .message
                .match_indices('{')
                .any(|(at, _)| problem.message[at + 1..].starts_with(|next: char| next.is_ascii_lowercase()));
            assert!(!missing, "a value is missing in: {}", problem.message);
        }
        let of = |wanted: &_| problems.iter().find(|problem| place(problem) == *wanted).cloned().unwrap();
        order.iter().map(of).collect()
    }
}
