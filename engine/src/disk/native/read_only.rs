//! A directory that is only looked at.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::super::names::Names;
use super::super::{DiskError, DiskErrorKind, FileId, FileMeta, ReadAt};
use super::list::{Skipped, list};
use super::{file_meta, kind};

/// Files kept open at most, the latest read.
const OPEN: usize = 32;

/// A directory, read by `pread`. Nothing in it can be changed this way.
///
/// Files are opened when they are read. One that has vanished or shrunk since the listing is an error, never a signal:
/// that is why nothing is mapped.
#[derive(Debug)]
pub struct ReadOnlyDir {
    root: PathBuf,
    names: Names,
    /// By id.
    paths: Vec<Arc<str>>,
    skipped: Vec<Skipped>,
    /// The latest first.
    open: Mutex<Vec<(FileId, Arc<File>)>>,
}

impl ReadOnlyDir {
    /// Lists the directory `root`.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, DiskError> {
        let root = root.as_ref();
        let fail = |error: &io::Error| DiskError { file: root.display().to_string(), offset: None, kind: kind(error) };
        let root = fs::canonicalize(root).map_err(|error| fail(&error))?;
        let listing = list(&root).map_err(|error| fail(&error))?;
        let mut names = Names::default();
        let paths: Vec<Arc<str>> = listing.files.into_iter().map(Arc::from).collect();
        for (n, path) in (0..).zip(&paths) {
            names.insert(Arc::clone(path), FileId(n));
        }
        Ok(Self { root, names, paths, skipped: listing.skipped, open: Mutex::default() })
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What lies in the directory and is no file of the disk.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    fn name(&self, file: FileId) -> Result<&str, DiskError> {
        self.paths.get(file.0 as usize).map(|path| &**path).ok_or_else(|| DiskError {
            file: format!("file {}", file.0),
            offset: None,
            kind: DiskErrorKind::NotFound,
        })
    }

    fn handle(&self, file: FileId) -> Result<Arc<File>, DiskError> {
        let path = self.name(file)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = open.iter().position(|entry| entry.0 == file) {
            open[..=place].rotate_right(1);
        } else {
            let handle = open_to_read(&self.root.join(path)).map_err(|error| DiskError {
                file: path.to_owned(),
                offset: None,
                kind: kind(&error),
            })?;
            open.truncate(OPEN - 1);
            open.insert(0, (file, Arc::new(handle)));
        }
        Ok(Arc::clone(&open[0].1))
    }

    fn error(&self, file: FileId, offset: Option<u64>, error: &io::Error) -> DiskError {
        DiskError { file: self.path(file).unwrap_or_default(), offset, kind: kind(error) }
    }
}

impl ReadAt for ReadOnlyDir {
    fn files(&self) -> Vec<(String, FileId)> {
        self.names.iter().map(|(path, file)| (path.to_string(), file)).collect()
    }

    fn find(&self, path: &str) -> Option<FileId> {
        self.names.find(path)
    }

    fn path(&self, file: FileId) -> Option<String> {
        self.name(file).ok().map(str::to_owned)
    }

    fn meta(&self, file: FileId) -> Result<FileMeta, DiskError> {
        let metadata = self.handle(file)?.metadata().map_err(|error| self.error(file, None, &error))?;
        Ok(file_meta(&metadata))
    }

    fn read_at(&self, file: FileId, offset: u64, buf: &mut [u8]) -> Result<(), DiskError> {
        let handle = self.handle(file)?;
        match read_exact_at(&handle, offset, buf) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let len = self.meta(file)?.len;
                let file = self.path(file).unwrap_or_default();
                Err(DiskError { file, offset: Some(offset), kind: DiskErrorKind::OutOfRange { len } })
            }
            Err(error) => Err(self.error(file, Some(offset), &error)),
        }
    }
}

/// Opens a regular file for reading.
fn open_to_read(place: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // What was a file when it was listed may be a pipe by now, and opening one would wait for a writer.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(place)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("no longer a regular file")) }
}

/// Fills `buf`; `false` when the file ends before.
fn read_exact_at(file: &File, mut offset: u64, mut buf: &mut [u8]) -> io::Result<bool> {
    while !buf.is_empty() {
        match read_some_at(file, offset, buf) {
            Ok(0) => return Ok(false),
            Ok(n) => {
                offset += n as u64;
                buf = &mut buf[n..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // An offset that the machine cannot count to lies behind every file.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

#[cfg(unix)]
fn read_some_at(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
}

#[cfg(windows)]
fn read_some_at(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, offset)
}
