//! A directory that is read and written by memory maps.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use memmap2::MmapMut;

use super::super::names::Names;
use super::super::{Disk, DiskError, DiskErrorKind, FileId, FileMeta, ReadAt};
use super::list::{Skipped, list};
use super::lock::try_lock;
use super::{file_meta, kind};

/// A directory of the machine as a disk.
///
/// Every file is mapped whole, as the store of 4.9.8 maps its files: a write is in the page cache at once, a flush is
/// an `msync` of the range. New files are sparse, so a disk that fills up is told by a signal in the middle of a write,
/// as the Java virtual machine is. Nobody else may cut the files meanwhile. Times are the machine's:
/// [`Disk::set_time`] has no effect. Names and sizes are as durable as the machine's file system makes them.
#[derive(Debug)]
pub struct FileDisk {
    root: PathBuf,
    names: Names,
    files: BTreeMap<FileId, Mapped>,
    next: u32,
    skipped: Vec<Skipped>,
}

#[derive(Debug)]
struct Mapped {
    path: Arc<str>,
    /// `None` for an empty file.
    map: Option<MmapMut>,
    /// The handle that holds the lock, while it is held.
    lock: Option<File>,
}

impl Mapped {
    fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self.map.as_deref_mut().unwrap_or_default()
    }
}

impl FileDisk {
    /// Opens the directory `root`, which is made if it is not there, and maps every file in it.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, DiskError> {
        let root = root.as_ref();
        let fail = |error: io::Error| DiskError { file: root.display().to_string(), offset: None, kind: kind(&error) };
        fs::create_dir_all(root).map_err(fail)?;
        let root = fs::canonicalize(root).map_err(fail)?;
        let listing = list(&root).map_err(fail)?;
        let skipped = listing.skipped;
        let mut disk = Self { root, names: Names::default(), files: BTreeMap::new(), next: 0, skipped };
        for path in listing.files {
            let place = disk.place(&path).map_err(|kind| whole(&path, kind))?;
            let file = File::options().read(true).write(true).open(&place);
            let map = file.and_then(|file| map(&file)).map_err(|error| whole(&path, kind(&error)))?;
            disk.enter(path.into(), map)?;
        }
        Ok(disk)
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What lay in the directory when it was opened and is no file of the disk.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    fn enter(&mut self, path: Arc<str>, map: Option<MmapMut>) -> Result<FileId, DiskError> {
        let file = FileId(self.next);
        self.next =
            self.next.checked_add(1).ok_or_else(|| whole(&path, DiskErrorKind::Io("out of file ids".into())))?;
        self.names.insert(Arc::clone(&path), file);
        self.files.insert(file, Mapped { path, map, lock: None });
        Ok(file)
    }

    /// Where a path of the disk lies on the machine. No part of it may be a symbolic link to a directory, which could
    /// lead out of the root.
    fn place(&self, path: &str) -> Result<PathBuf, DiskErrorKind> {
        let mut place = self.root.clone();
        for part in path.split('/') {
            if fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(DiskErrorKind::BadPath);
            }
            let mut components = Path::new(part).components();
            match (components.next(), components.next()) {
                (Some(Component::Normal(name)), None) if name == part => place.push(part),
                _ => return Err(DiskErrorKind::BadPath),
            }
        }
        Ok(place)
    }

    fn file(&self, file: FileId) -> Result<&Mapped, DiskError> {
        self.files.get(&file).ok_or_else(|| not_found(file))
    }

    fn file_mut(&mut self, file: FileId) -> Result<&mut Mapped, DiskError> {
        self.files.get_mut(&file).ok_or_else(|| not_found(file))
    }

    /// Does something to a file that the machine may refuse while it is mapped, and maps it again if that fails. The
    /// file is handed over as its place and, if its lock is held, the handle: closing any other would end the lock.
    fn unmapped<T>(
        &mut self,
        file: FileId,
        act: impl FnOnce(&Path, Option<&File>) -> io::Result<T>,
    ) -> Result<T, DiskError> {
        let path = Arc::clone(&self.file(file)?.path);
        let place = self.place(&path).map_err(|kind| whole(&path, kind))?;
        let mapped = self.file_mut(file)?;
        mapped.map = None;
        act(&place, mapped.lock.as_ref()).map_err(|error| {
            mapped.map = with_handle(&place, mapped.lock.as_ref(), map).unwrap_or_default();
            whole(&path, kind(&error))
        })
    }

    /// Removes the directories of a file that is gone, as far as they are empty.
    fn tidy(&self, place: &Path) {
        for directory in place.ancestors().skip(1).take_while(|directory| *directory != self.root) {
            if fs::remove_dir(directory).is_err() {
                break;
            }
        }
    }
}

/// Uses the handle that is there, or one opened for the purpose.
fn with_handle<T>(place: &Path, held: Option<&File>, act: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
    match held {
        Some(handle) => act(handle),
        None => File::options().read(true).write(true).open(place).and_then(|handle| act(&handle)),
    }
}

/// Maps the whole file.
fn map(file: &File) -> io::Result<Option<MmapMut>> {
    if file.metadata()?.len() == 0 {
        return Ok(None);
    }
    // SAFETY: the map is shared with whoever else writes the file, so its bytes may change between two reads; every
    // byte value is valid, and no reference into the map outlives a borrow of the disk. A file cut by somebody else
    // ends in a signal, not in undefined behaviour.
    #[allow(unsafe_code, reason = "mapping a file has no safe form")]
    let map = unsafe { MmapMut::map_mut(file) }?;
    Ok(Some(map))
}

fn whole(path: &str, kind: DiskErrorKind) -> DiskError {
    DiskError { file: path.to_owned(), offset: None, kind }
}

fn not_found(file: FileId) -> DiskError {
    whole(&format!("file {}", file.0), DiskErrorKind::NotFound)
}

/// The range as places in the map, if it lies inside.
fn range(mapped: &Mapped, offset: u64, len: u64) -> Result<std::ops::Range<usize>, DiskError> {
    let file_len = mapped.bytes().len() as u64;
    match offset.checked_add(len) {
        Some(end) if end <= file_len => Ok(offset as usize..end as usize),
        _ => {
            let kind = DiskErrorKind::OutOfRange { len: file_len };
            Err(DiskError { file: mapped.path.to_string(), offset: Some(offset), kind })
        }
    }
}

impl ReadAt for FileDisk {
    fn files(&self) -> Vec<(String, FileId)> {
        self.names.iter().map(|(path, file)| (path.to_string(), file)).collect()
    }

    fn find(&self, path: &str) -> Option<FileId> {
        self.names.find(path)
    }

    fn path(&self, file: FileId) -> Option<String> {
        self.files.get(&file).map(|mapped| mapped.path.to_string())
    }

    fn meta(&self, file: FileId) -> Result<FileMeta, DiskError> {
        let mapped = self.file(file)?;
        let place = self.place(&mapped.path).map_err(|kind| whole(&mapped.path, kind))?;
        let metadata = fs::metadata(place).map_err(|error| whole(&mapped.path, kind(&error)))?;
        Ok(FileMeta { len: mapped.bytes().len() as u64, ..file_meta(&metadata) })
    }

    fn read_at(&self, file: FileId, offset: u64, buf: &mut [u8]) -> Result<(), DiskError> {
        let mapped = self.file(file)?;
        buf.copy_from_slice(&mapped.bytes()[range(mapped, offset, buf.len() as u64)?]);
        Ok(())
    }

    fn peek(&self, file: FileId, offset: u64, len: usize) -> Option<&[u8]> {
        let mapped = self.file(file).ok()?;
        mapped.bytes().get(range(mapped, offset, len as u64).ok()?)
    }
}

impl Disk for FileDisk {
    fn set_time(&mut self, _now: i64) {}

    fn create(&mut self, path: &str, len: u64) -> Result<FileId, DiskError> {
        let fail = |kind| whole(path, kind);
        self.names.check_new(path).map_err(fail)?;
        let place = self.place(path).map_err(fail)?;
        let make = || {
            place.parent().map_or(Ok(()), fs::create_dir_all)?;
            File::options().read(true).write(true).create_new(true).open(&place)
        };
        let file = make().map_err(|error| fail(kind(&error)))?;
        let mapped = file.set_len(len).and_then(|()| map(&file)).map_err(|error| {
            // Nothing is left of a file that could not be made whole.
            drop(fs::remove_file(&place));
            fail(kind(&error))
        })?;
        self.enter(path.into(), mapped)
    }

    fn write_at(&mut self, file: FileId, offset: u64, data: &[u8]) -> Result<(), DiskError> {
        let mapped = self.file_mut(file)?;
        let range = range(mapped, offset, data.len() as u64)?;
        mapped.bytes_mut()[range].copy_from_slice(data);
        Ok(())
    }

    fn window_mut(&mut self, file: FileId, offset: u64, len: usize) -> Option<&mut [u8]> {
        let mapped = self.file_mut(file).ok()?;
        let range = range(mapped, offset, len as u64).ok()?;
        mapped.bytes_mut().get_mut(range)
    }

    fn flush(&mut self, file: FileId, offset: u64, len: u64) -> Result<(), DiskError> {
        let mapped = self.file(file)?;
        let range = range(mapped, offset, len)?;
        match &mapped.map {
            Some(map) if !range.is_empty() => map.flush_range(range.start, range.len()).map_err(|error| DiskError {
                file: mapped.path.to_string(),
                offset: Some(offset),
                kind: kind(&error),
            }),
            _ => Ok(()),
        }
    }

    fn set_len(&mut self, file: FileId, len: u64) -> Result<(), DiskError> {
        let map = self.unmapped(file, |place, held| {
            with_handle(place, held, |handle| {
                handle.set_len(len)?;
                map(handle)
            })
        })?;
        self.file_mut(file)?.map = map;
        Ok(())
    }

    fn rename(&mut self, file: FileId, path: &str) -> Result<(), DiskError> {
        let fail = |kind| whole(path, kind);
        let from = Arc::clone(&self.file(file)?.path);
        self.names.check_target(path).map_err(fail)?;
        let (old, new) = (self.place(&from).map_err(fail)?, self.place(path).map_err(fail)?);
        if &*from == path {
            return Ok(());
        }
        let put = || {
            new.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::rename(&old, &new)
        };
        match self.names.find(path) {
            Some(replaced) => {
                self.unmapped(replaced, |_, _| put())?;
                self.files.remove(&replaced);
            }
            None => put().map_err(|error| fail(kind(&error)))?,
        }
        self.tidy(&old);
        let to: Arc<str> = path.into();
        self.names.remove(&from);
        self.names.insert(Arc::clone(&to), file);
        self.file_mut(file)?.path = to;
        Ok(())
    }

    fn delete(&mut self, file: FileId) -> Result<(), DiskError> {
        let place = self.unmapped(file, |place, _| fs::remove_file(place).map(|()| place.to_owned()))?;
        self.tidy(&place);
        if let Some(mapped) = self.files.remove(&file) {
            self.names.remove(&mapped.path);
        }
        Ok(())
    }

    fn try_lock(&mut self, file: FileId) -> Result<bool, DiskError> {
        let mapped = self.file(file)?;
        if mapped.lock.is_some() {
            return Ok(false);
        }
        let path = Arc::clone(&mapped.path);
        let place = self.place(&path).map_err(|kind| whole(&path, kind))?;
        let handle = File::options().read(true).write(true).open(place);
        let handle = handle.map_err(|error| whole(&path, kind(&error)))?;
        let held = try_lock(&handle).map_err(|error| whole(&path, kind(&error)))?;
        self.file_mut(file)?.lock = held.then_some(handle);
        Ok(held)
    }

    fn unlock(&mut self, file: FileId) -> Result<(), DiskError> {
        // Closing the handle gives the lock back.
        self.file_mut(file)?.lock = None;
        Ok(())
    }
}
