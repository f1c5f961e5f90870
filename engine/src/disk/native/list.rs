//! Listing a directory.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Something in the directory that is no file of the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Where it is, relative to the root; a name that is not UTF-8 is shown as well as it can be.
    pub path: String,
    /// Why it is no file of the disk.
    pub reason: SkipReason,
}

/// Why something in a directory is no file of the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// Its name is not UTF-8.
    NotUtf8,
    /// A symbolic link that leads out of the root.
    OutsideRoot,
    /// A symbolic link to a directory: what lies behind it is listed where it is.
    LinkedDirectory,
    /// Neither a file nor a directory.
    NotAFile,
    /// Directories lie in each other deeper than a store ever has them.
    TooDeep,
    /// The machine would not show it.
    Unreadable(String),
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        match &self.reason {
            SkipReason::NotUtf8 => f.write_str("the name is not UTF-8"),
            SkipReason::OutsideRoot => f.write_str("a link out of the directory"),
            SkipReason::LinkedDirectory => f.write_str("a link to a directory"),
            SkipReason::NotAFile => f.write_str("not a regular file"),
            SkipReason::TooDeep => f.write_str("too many directories in each other"),
            SkipReason::Unreadable(cause) => f.write_str(cause),
        }
    }
}

/// Directories in each other at most. A store needs four.
const DEEPEST: usize = 64;

/// What a directory holds.
#[derive(Default)]
pub(super) struct Listing {
    /// Paths of the files, relative to the root and `/`-separated, in byte order.
    pub(super) files: Vec<String>,
    pub(super) skipped: Vec<Skipped>,
}

/// Lists everything below `root`, which is canonical.
pub(super) fn list(root: &Path) -> io::Result<Listing> {
    let mut listing = Listing::default();
    // The root itself must be readable; what lies deeper is skipped when it is not.
    let mut todo: Vec<(String, PathBuf)> = entries(root, "", root, &mut listing)?;
    while let Some((path, place)) = todo.pop() {
        if path.split('/').count() >= DEEPEST {
            listing.skip(path, SkipReason::TooDeep);
            continue;
        }
        match entries(&place, &format!("{path}/"), root, &mut listing) {
            Ok(directories) => todo.extend(directories),
            Err(error) => listing.skip(path, SkipReason::Unreadable(error.to_string())),
        }
    }
    listing.files.sort_unstable();
    listing.skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

/// Puts the files of one directory into the listing and returns the directories in it.
fn entries(place: &Path, prefix: &str, root: &Path, listing: &mut Listing) -> io::Result<Vec<(String, PathBuf)>> {
    let mut directories = Vec::new();
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            listing.skip(format!("{prefix}{}", name.to_string_lossy()), SkipReason::NotUtf8);
            continue;
        };
        let path = format!("{prefix}{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => directories.push((path, entry.path())),
            Ok(kind) if kind.is_file() => listing.files.push(path),
            Ok(kind) if kind.is_symlink() => match link(&entry.path(), root) {
                Ok(()) => listing.files.push(path),
                Err(reason) => listing.skip(path, reason),
            },
            Ok(_) => listing.skip(path, SkipReason::NotAFile),
            Err(error) => listing.skip(path, SkipReason::Unreadable(error.to_string())),
        }
    }
    Ok(directories)
}

/// Whether a symbolic link is as good as a file of the disk.
fn link(place: &Path, root: &Path) -> Result<(), SkipReason> {
    let unreadable = |error: io::Error| SkipReason::Unreadable(error.to_string());
    let target = fs::canonicalize(place).map_err(unreadable)?;
    let metadata = fs::metadata(&target).map_err(unreadable)?;
    if !target.starts_with(root) {
        Err(SkipReason::OutsideRoot)
    } else if metadata.is_dir() {
        Err(SkipReason::LinkedDirectory)
    } else if metadata.is_file() {
        Ok(())
    } else {
        Err(SkipReason::NotAFile)
    }
}

impl Listing {
    fn skip(&mut self, path: String, reason: SkipReason) {
        self.skipped.push(Skipped { path, reason });
    }
}
