//! A dry run over a reader that is only lent, and need not be shared between threads.
//!
//! [`MemoryDisk::over`](super::MemoryDisk::over) does the same for a reader that can be shared; it also keeps apart what
//! is flushed, and can be cloned. This one is for a single walk: what is written stays in pages above the reader and is
//! gone with it.

use std::collections::BTreeMap;

use super::names::Names;
use super::{Disk, DiskError, DiskErrorKind, FileId, FileMeta, ReadAt};

/// Bytes kept together above the reader.
const PAGE: u64 = 4096;

/// A disk that begins as the reader is and changes only in memory.
#[derive(Debug)]
pub struct Overlay<'r, R: ?Sized> {
    beneath: &'r R,
    names: Names,
    files: BTreeMap<FileId, File>,
    next: u32,
    now: i64,
}

#[derive(Debug)]
struct File {
    path: String,
    len: u64,
    modified: i64,
    /// The file beneath, and how many of its bytes still show.
    beneath: Option<(FileId, u64)>,
    pages: BTreeMap<u64, Box<[u8]>>,
}

impl<'r, R: ReadAt + ?Sized> Overlay<'r, R> {
    /// A disk over the reader as it is now.
    pub fn new(beneath: &'r R) -> Result<Self, DiskError> {
        let mut disk = Self { beneath, names: Names::default(), files: BTreeMap::new(), next: 0, now: 0 };
        for (path, id) in beneath.files() {
            let FileMeta { len, modified } = beneath.meta(id)?;
            disk.enter(File { path, len, modified, beneath: Some((id, len)), pages: BTreeMap::new() })?;
        }
        Ok(disk)
    }

    fn enter(&mut self, file: File) -> Result<FileId, DiskError> {
        let fail = |kind| DiskError { file: file.path.clone(), offset: None, kind };
        self.names.check_new(&file.path).map_err(fail)?;
        let id = FileId(self.next);
        self.next = self.next.checked_add(1).ok_or_else(|| fail(DiskErrorKind::Io("out of file ids".into())))?;
        self.names.insert(file.path.as_str().into(), id);
        self.files.insert(id, file);
        Ok(id)
    }

    fn file(&self, id: FileId) -> Result<&File, DiskError> {
        self.files.get(&id).ok_or_else(|| gone(id))
    }

    fn file_mut(&mut self, id: FileId) -> Result<&mut File, DiskError> {
        self.files.get_mut(&id).ok_or_else(|| gone(id))
    }
}

fn gone(id: FileId) -> DiskError {
    DiskError { file: format!("file {}", id.0), offset: None, kind: DiskErrorKind::NotFound }
}

impl File {
    fn check(&self, offset: u64, len: usize) -> Result<(), DiskError> {
        if offset.checked_add(len as u64).is_some_and(|end| end <= self.len) {
            return Ok(());
        }
        let kind = DiskErrorKind::OutOfRange { len: self.len };
        Err(DiskError { file: self.path.clone(), offset: Some(offset), kind })
    }

    /// Fills `buf` from below the pages: what shows of the file beneath, zeros behind it.
    fn read_beneath<R: ReadAt + ?Sized>(&self, disk: &R, offset: u64, buf: &mut [u8]) -> Result<(), DiskError> {
        let Some((id, shown)) = self.beneath else {
            buf.fill(0);
            return Ok(());
        };
        let held = usize::try_from(shown.saturating_sub(offset)).unwrap_or(usize::MAX).min(buf.len());
        let (there, behind) = buf.split_at_mut(held);
        behind.fill(0);
        if there.is_empty() { Ok(()) } else { disk.read_at(id, offset, there) }
    }
}

/// The pieces of `offset..offset + len`, each inside one page: the page's number, the position in it, and the range of
/// the piece in the whole.
fn pieces(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= len {
            return None;
        }
        let at = offset + done as u64;
        let inside = (at % PAGE) as usize;
        let piece = done..len.min(done + PAGE as usize - inside);
        done = piece.end;
        Some((at / PAGE, inside, piece))
    })
}

impl<R: ReadAt + ?Sized> ReadAt for Overlay<'_, R> {
    fn files(&self) -> Vec<(String, FileId)> {
        self.names.iter().map(|(path, id)| (path.to_string(), id)).collect()
    }

    fn find(&self, path: &str) -> Option<FileId> {
        self.names.find(path)
    }

    fn path(&self, id: FileId) -> Option<String> {
        self.files.get(&id).map(|file| file.path.clone())
    }

    fn meta(&self, id: FileId) -> Result<FileMeta, DiskError> {
        let file = self.file(id)?;
        Ok(FileMeta { len: file.len, modified: file.modified })
    }

    fn read_at(&self, id: FileId, offset: u64, buf: &mut [u8]) -> Result<(), DiskError> {
        let file = self.file(id)?;
        file.check(offset, buf.len())?;
        file.read_beneath(self.beneath, offset, buf)?;
        if file.pages.is_empty() {
            return Ok(());
        }
        for (number, inside, piece) in pieces(offset, buf.len()) {
            let page = file.pages.get(&number).and_then(|page| page.get(inside..inside + piece.len()));
            if let (Some(page), Some(buf)) = (page, buf.get_mut(piece)) {
                buf.copy_from_slice(page);
            }
        }
        Ok(())
    }
}

impl<R: ReadAt + ?Sized> Disk for Overlay<'_, R> {
    fn set_time(&mut self, now: i64) {
        self.now = now;
    }

    fn create(&mut self, path: &str, len: u64) -> Result<FileId, DiskError> {
        let modified = self.now;
        self.enter(File { path: path.to_owned(), len, modified, beneath: None, pages: BTreeMap::new() })
    }

    fn write_at(&mut self, id: FileId, offset: u64, data: &[u8]) -> Result<(), DiskError> {
        let (beneath, now) = (self.beneath, self.now);
        let file = self.file_mut(id)?;
        file.check(offset, data.len())?;
        for (number, inside, piece) in pieces(offset, data.len()) {
            if !file.pages.contains_key(&number) {
                let mut page = vec![0; PAGE as usize].into_boxed_slice();
                file.read_beneath(beneath, number * PAGE, &mut page)?;
                file.pages.insert(number, page);
            }
            let page = file.pages.get_mut(&number).and_then(|page| page.get_mut(inside..inside + piece.len()));
            if let (Some(page), Some(data)) = (page, data.get(piece)) {
                page.copy_from_slice(data);
            }
        }
        file.modified = now;
        Ok(())
    }

    fn flush(&mut self, id: FileId, offset: u64, len: u64) -> Result<(), DiskError> {
        // Nothing survives a dry run.
        self.file(id)?.check(offset, usize::try_from(len).unwrap_or(usize::MAX))
    }

    fn set_len(&mut self, id: FileId, len: u64) -> Result<(), DiskError> {
        let now = self.now;
        let file = self.file_mut(id)?;
        if let Some((_, shown)) = &mut file.beneath {
            *shown = len.min(*shown);
        }
        file.pages.retain(|number, _| *number <= len / PAGE);
        if let Some(page) = file.pages.get_mut(&(len / PAGE)).and_then(|page| page.get_mut((len % PAGE) as usize..)) {
            page.fill(0);
        }
        (file.len, file.modified) = (len, now);
        Ok(())
    }

    fn rename(&mut self, id: FileId, path: &str) -> Result<(), DiskError> {
        let fail = |kind| DiskError { file: path.to_owned(), offset: None, kind };
        let old = self.file(id)?.path.clone();
        if old == path {
            return Ok(());
        }
        self.names.check_target(path).map_err(fail)?;
        if let Some(replaced) = self.names.find(path) {
            self.files.remove(&replaced);
        }
        self.names.remove(&old);
        self.names.insert(path.into(), id);
        path.clone_into(&mut self.file_mut(id)?.path);
        Ok(())
    }

    fn delete(&mut self, id: FileId) -> Result<(), DiskError> {
        let file = self.files.remove(&id).ok_or_else(|| gone(id))?;
        self.names.remove(&file.path);
        Ok(())
    }

    fn try_lock(&mut self, id: FileId) -> Result<bool, DiskError> {
        self.file(id).map(|_| true)
    }

    fn unlock(&mut self, id: FileId) -> Result<(), DiskError> {
        self.file(id).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::super::MemoryDisk;
    use super::*;

    /// A reader with one file of 10 000 bytes, each its position modulo 251.
    fn reader() -> MemoryDisk {
        let bytes: Vec<u8> = (0..10_000_u32).map(|at| (at % 251) as u8).collect();
        MemoryDisk::from_files([("a/b".to_owned(), bytes, 7)]).expect("a good path")
    }

    fn bytes<R: ReadAt>(disk: &R, path: &str) -> Vec<u8> {
        let file = disk.find(path).expect("the file");
        let len = disk.meta(file).expect("it is there").len as usize;
        disk.slice(file, 0, len).expect("inside").to_vec()
    }

    #[test]
    fn what_is_written_shows_above_and_never_below() {
        let beneath = reader();
        let mut disk = Overlay::new(&beneath).expect("it can be listed");
        let file = disk.find("a/b").expect("listed");
        disk.set_time(9);
        disk.write_at(file, 4090, &[0xFF; 10]).expect("over the end of a page");
        let mut expected = bytes(&beneath, "a/b");
        expected[4090..4100].fill(0xFF);
        assert_eq!(bytes(&disk, "a/b"), expected);
        assert_eq!(disk.meta(file).map(|meta| meta.modified), Ok(9));
        assert_eq!(bytes(&beneath, "a/b"), bytes(&reader(), "a/b"));
        assert!(disk.write_at(file, 9_999, &[1, 2]).is_err());
        assert!(disk.read_at(file, u64::MAX, &mut [0]).is_err());
    }

    #[test]
    fn a_file_that_is_cut_and_grown_has_zeros_behind() {
        let beneath = reader();
        let mut disk = Overlay::new(&beneath).expect("it can be listed");
        let file = disk.find("a/b").expect("listed");
        disk.write_at(file, 4095, &[5; 3]).expect("inside");
        disk.set_len(file, 4097).expect("cut");
        disk.set_len(file, 9000).expect("grown");
        let now = bytes(&disk, "a/b");
        assert_eq!((now[4094], now[4095], now[4096]), ((4094 % 251) as u8, 5, 5));
        assert!(now[4097..].iter().all(|byte| *byte == 0) && now.len() == 9000);
    }

    #[test]
    fn files_come_move_and_go() {
        let beneath = reader();
        let mut disk = Overlay::new(&beneath).expect("it can be listed");
        let new = disk.create("c", 3).expect("a new file");
        assert_eq!(bytes(&disk, "c"), [0; 3]);
        assert!(disk.create("a/b", 1).is_err() && disk.create("a", 1).is_err());
        disk.rename(new, "a/b").expect("in place of another");
        assert_eq!((bytes(&disk, "a/b").len(), disk.find("c")), (3, None));
        assert_eq!(disk.try_lock(new), Ok(true));
        disk.delete(new).expect("it is there");
        assert!(disk.files().is_empty() && disk.meta(new).is_err());
        assert_eq!(beneath.files().len(), 1);
    }
}
