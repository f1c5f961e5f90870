//! The names of a disk's files.

use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;

use super::{DiskErrorKind, FileId};

/// Every file of a disk by its path, in byte order of the paths; a clone shares everything until one side changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    by_path: OrdMap<Arc<str>, FileId>,
}

impl Names {
    pub(super) fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Arc<str>, FileId)> {
        self.by_path.iter().map(|(path, file)| (path, *file))
    }

    /// Enters `file` under a path that [`Names::check_new`] or [`Names::check_target`] has allowed.
    pub(super) fn insert(&mut self, path: Arc<str>, file: FileId) {
        self.by_path.insert(path, file);
    }

    pub(super) fn remove(&mut self, path: &str) {
        self.by_path.remove(path);
    }

    /// Whether a new file may be made at `path`.
    pub(super) fn check_new(&self, path: &str) -> Result<(), DiskErrorKind> {
        self.check_target(path)?;
        if self.by_path.contains_key(path) { Err(DiskErrorKind::AlreadyExists) } else { Ok(()) }
    }

    /// Whether a file may be put at `path`, be it in place of another file: the path is a good one, no part of it is a
    /// file, and it is no directory.
    pub(super) fn check_target(&self, path: &str) -> Result<(), DiskErrorKind> {
        check_path(path)?;
        let below_a_file = path.match_indices('/').any(|(end, _)| self.by_path.contains_key(&path[..end]));
        let directory = format!("{path}/");
        let first_below = self.by_path.range::<_, str>((Bound::Included(&*directory), Bound::Unbounded)).next();
        let is_directory = first_below.is_some_and(|(other, _)| other.starts_with(&directory));
        if below_a_file || is_directory { Err(DiskErrorKind::AlreadyExists) } else { Ok(()) }
    }
}

/// Refuses a path that is empty, absolute, or has a part that is empty, `.` or `..` or holds a NUL.
pub(super) fn check_path(path: &str) -> Result<(), DiskErrorKind> {
    let good = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\0');
    if path.split('/').all(good) { Ok(()) } else { Err(DiskErrorKind::BadPath) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Names {
        let mut names = Names::default();
        for (n, path) in (0..).zip(paths) {
            names.insert((*path).into(), FileId(n));
        }
        names
    }

    #[test]
    fn bad_paths_are_refused() {
        for path in ["", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a\0b"] {
            assert_eq!(check_path(path), Err(DiskErrorKind::BadPath), "{path:?}");
        }
        for path in ["a", "a/b", "consumequeue/%RETRY%g/0/00000000000000000000", "...", "a b"] {
            assert_eq!(check_path(path), Ok(()), "{path:?}");
        }
    }

    #[test]
    fn a_file_is_no_directory_and_a_directory_no_file() {
        let names = names(&["a/b/c", "d"]);
        for path in ["a", "a/b", "a/b/c", "a/b/c/x", "d/e"] {
            assert_eq!(names.check_new(path), Err(DiskErrorKind::AlreadyExists), "{path:?}");
        }
        for path in ["a/b/cc", "a/bb", "aa", "dd", "a/b/c0"] {
            assert_eq!(names.check_new(path), Ok(()), "{path:?}");
        }
        assert_eq!(names.check_target("d"), Ok(()), "another file may be replaced");
        assert_eq!(names.check_target("a/b"), Err(DiskErrorKind::AlreadyExists));
    }
}
