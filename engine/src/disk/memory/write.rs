//! Writing to a memory disk.

use std::sync::Arc;

use super::super::{Disk, DiskError, DiskErrorKind, FileId};
use super::fault::Wanted;
use super::file::MemoryFile;
use super::{Change, LONGEST, MemoryDisk};

impl Disk for MemoryDisk {
    fn set_time(&mut self, now: i64) {
        self.now = now;
    }

    fn create(&mut self, path: &str, len: u64) -> Result<FileId, DiskError> {
        if !self.faults.is_empty() && len > 0 {
            self.check_faults(path, None, Wanted::Room)?;
        }
        let now = self.now;
        let file = self.enter(path, |path| MemoryFile::new(path, len, now, None))?;
        self.note(file, || Change::Create { len });
        Ok(file)
    }

    fn write_at(&mut self, file: FileId, offset: u64, data: &[u8]) -> Result<(), DiskError> {
        let place = self.place(file)?;
        if !self.faults.is_empty() {
            self.check_faults(&self.files[place].1.path, Some(offset), Wanted::Write)?;
        }
        let content = Arc::make_mut(&mut self.files[place].1);
        content
            .check(offset, data.len() as u64)
            .and_then(|()| content.write(offset, data, &mut self.pool))
            .map_err(|kind| content.error(offset, kind))?;
        content.modified = self.now;
        self.note(file, || Change::Write { offset, data: data.to_vec().into() });
        Ok(())
    }

    #[inline]
    fn window_mut(&mut self, file: FileId, offset: u64, len: usize) -> Option<&mut [u8]> {
        if self.journal.is_some() || !self.faults.is_empty() {
            return None;
        }
        let place = self.place(file).ok()?;
        let content = Arc::make_mut(&mut self.files[place].1);
        content.check(offset, len as u64).ok()?;
        self.changes += 1;
        content.modified = self.now;
        content.window_mut(offset, len, &mut self.pool)
    }

    fn flush(&mut self, file: FileId, offset: u64, len: u64) -> Result<(), DiskError> {
        let place = self.place(file)?;
        if !self.faults.is_empty() {
            self.check_faults(&self.files[place].1.path, Some(offset), Wanted::Flush)?;
        }
        let content = &mut self.files[place].1;
        content.check(offset, len).map_err(|kind| content.error(offset, kind))?;
        if content.has_dirty() {
            Arc::make_mut(content).flush(offset, len);
        }
        self.note(file, || Change::Flush { offset, len });
        Ok(())
    }

    fn set_len(&mut self, file: FileId, len: u64) -> Result<(), DiskError> {
        let place = self.place(file)?;
        let content = &self.files[place].1;
        let old = content.len;
        if !self.faults.is_empty() && len > old {
            self.check_faults(&content.path, Some(len), Wanted::Room)?;
        }
        let room =
            if len > LONGEST.max(old) { Err(DiskErrorKind::Full) } else { self.check_room(len.saturating_sub(old)) };
        room.map_err(|kind| content.error(len, kind))?;
        if len != old {
            let content = Arc::make_mut(&mut self.files[place].1);
            content.set_len(len, &mut self.pool);
            content.modified = self.now;
            self.used = self.used - old + len;
        }
        self.note(file, || Change::SetLen { len });
        Ok(())
    }

    fn rename(&mut self, file: FileId, path: &str) -> Result<(), DiskError> {
        let place = self.place(file)?;
        let from = Arc::clone(&self.files[place].1.path);
        self.names.check_target(path).map_err(|kind| DiskError { file: path.to_owned(), offset: None, kind })?;
        let to: Arc<str> = path.into();
        self.note(file, || Change::Rename { to: Arc::clone(&to) });
        match self.names.find(path) {
            Some(same) if same == file => return Ok(()),
            Some(replaced) => drop(self.remove(replaced)?),
            None => {}
        }
        // The place moved if an older file was replaced.
        let place = self.place(file)?;
        if self.names.find(&from) == Some(file) {
            self.names.remove(&from);
        }
        self.names.insert(Arc::clone(&to), file);
        let content = Arc::make_mut(&mut self.files[place].1);
        content.path = to;
        let len = content.len;
        if content.has_dirty() {
            content.flush(0, len);
        }
        Ok(())
    }

    fn delete(&mut self, file: FileId) -> Result<(), DiskError> {
        self.note(file, || Change::Delete);
        self.remove(file)
    }

    fn try_lock(&mut self, file: FileId) -> Result<bool, DiskError> {
        self.place(file)?;
        Ok(self.locks.insert(file))
    }

    fn unlock(&mut self, file: FileId) -> Result<(), DiskError> {
        self.place(file)?;
        self.locks.remove(&file);
        Ok(())
    }
}
