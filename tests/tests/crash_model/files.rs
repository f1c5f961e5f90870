//! The model of a run of files: positions, and the rules by which they move (`MappedFileQueue`, `MappedFile`).

use crate::images::{Dir, Images};

const PAGE: i32 = 4096;

#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) start: i64,
    pub(crate) wrote: i32,
    pub(crate) committed: i32,
    pub(crate) flushed: i32,
    /// Store time of the last append.
    pub(crate) store_timestamp: i64,
    /// Made when there was no other.
    pub(crate) first: bool,
    /// With a transient pool what is not committed yet.
    pub(crate) buffer: Option<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) dir: Dir,
    pub(crate) size: i32,
    pub(crate) list: Vec<File>,
    pub(crate) flushed_where: i64,
    pub(crate) committed_where: i64,
    pub(crate) store_timestamp: i64,
    /// Starts of the files made ahead; `None` where none are.
    pub(crate) ahead: Option<Vec<i64>>,
    pub(crate) pool: bool,
}

impl File {
    fn new(start: i64, position: i32, pool: bool) -> Self {
        Self {
            start,
            wrote: position,
            committed: position,
            flushed: position,
            store_timestamp: 0,
            first: false,
            buffer: pool.then(Vec::new),
        }
    }

    pub(crate) fn readable(&self) -> i32 {
        if self.buffer.is_some() { self.committed } else { self.wrote }
    }

    pub(crate) fn set(&mut self, position: i32) {
        self.wrote = position;
        self.committed = position;
        self.flushed = position;
        if let Some(buffer) = &mut self.buffer {
            buffer.clear();
        }
    }
}

impl Files {
    /// What a load finds in the directory: every file counts as full.
    pub(crate) fn load(images: &Images, dir: Dir, size: i32) -> Self {
        let list = images.starts(&dir).into_iter().map(|start| File::new(start, size, false)).collect();
        Self { dir, size, list, flushed_where: 0, committed_where: 0, store_timestamp: 0, ahead: None, pool: false }
    }

    pub(crate) fn min(&self) -> i64 {
        self.list.first().map_or(-1, |file| file.start)
    }

    pub(crate) fn max(&self) -> i64 {
        self.list.last().map_or(0, |file| file.start + i64::from(file.readable()))
    }

    pub(crate) fn max_wrote(&self) -> i64 {
        self.list.last().map_or(0, |file| file.start + i64::from(file.wrote))
    }

    pub(crate) fn position(&self, offset: i64) -> i32 {
        (offset % i64::from(self.size)) as i32
    }

    pub(crate) fn find(&self, offset: i64) -> Option<usize> {
        self.list.iter().position(|file| offset >= file.start && offset < file.start + i64::from(self.size))
    }

    pub(crate) fn find_or_first(&self, offset: i64) -> Option<usize> {
        self.find(offset).or((offset == 0 && !self.list.is_empty()).then_some(0))
    }

    /// The file to append to, made if there is none or the last is full.
    pub(crate) fn last_or_create(&mut self, images: &mut Images, offset: i64) -> Option<usize> {
        let size = i64::from(self.size);
        let start = match self.list.last() {
            None => offset - offset % size,
            Some(last) if last.wrote == self.size => last.start + size,
            Some(_) => return Some(self.list.len() - 1),
        };
        let made_ahead = self.ahead.as_ref().is_some_and(|ahead| ahead.contains(&start));
        if !made_ahead && !images.create(&self.dir, start, self.size) {
            return None;
        }
        if let Some(ahead) = &mut self.ahead {
            ahead.retain(|other| *other != start);
            if !ahead.contains(&(start + size)) {
                images.create(&self.dir, start + size, self.size);
                ahead.push(start + size);
            }
        }
        let first = self.list.is_empty();
        self.list.push(File { first, ..File::new(start, 0, self.pool) });
        Some(self.list.len() - 1)
    }

    /// Writes behind the end of the last file, which moves on by `moves`.
    pub(crate) fn append(&mut self, images: &mut Images, bytes: &[u8], moves: i32) {
        let Some(file) = self.list.last_mut() else { return };
        match &mut file.buffer {
            Some(buffer) => {
                buffer.resize((file.wrote - file.committed) as usize, 0);
                buffer.extend_from_slice(bytes);
            }
            None => images.write(&self.dir, file.start, file.wrote, bytes),
        }
        file.wrote += moves;
    }

    /// One call of `flush`: one file. `true` if nothing changed.
    pub(crate) fn flush(&mut self, images: &mut Images, pages: i32) -> bool {
        let Some(index) = self.find_or_first(self.flushed_where) else { return true };
        let file = &mut self.list[index];
        let sampled = file.store_timestamp;
        let readable = file.readable();
        let enough = if pages > 0 { readable / PAGE - file.flushed / PAGE >= pages } else { readable > file.flushed };
        if file.wrote == self.size || enough {
            images.flush(&self.dir, file.start);
            file.flushed = readable;
        }
        let now_where = file.start + i64::from(file.flushed);
        let unchanged = now_where == self.flushed_where;
        self.flushed_where = now_where;
        if pages == 0 {
            self.store_timestamp = sampled;
        }
        unchanged
    }

    /// One call of `commit`: one file. `true` if nothing changed.
    pub(crate) fn commit(&mut self, images: &mut Images, pages: i32) -> bool {
        let Some(index) = self.find_or_first(self.committed_where) else { return true };
        let file = &mut self.list[index];
        let committed = match &mut file.buffer {
            None => file.wrote,
            Some(buffer) => {
                let enough = if pages > 0 {
                    file.wrote / PAGE - file.committed / PAGE >= pages
                } else {
                    file.wrote > file.committed
                };
                if file.wrote > file.committed && (file.wrote == self.size || enough) {
                    buffer.resize((file.wrote - file.committed) as usize, 0);
                    images.write(&self.dir, file.start, file.committed, buffer);
                    buffer.clear();
                    file.committed = file.wrote;
                }
                if file.committed == self.size {
                    file.buffer = None;
                }
                file.committed
            }
        };
        let now_where = file.start + i64::from(committed);
        let unchanged = now_where == self.committed_where;
        self.committed_where = now_where;
        unchanged
    }

    /// Lets the files end at `offset` (`truncateDirtyFiles`).
    pub(crate) fn truncate(&mut self, images: &mut Images, offset: i64) {
        let position = self.position(offset);
        let (size, dir) = (i64::from(self.size), self.dir.clone());
        self.list.retain_mut(|file| {
            if file.start + size <= offset {
                return true;
            }
            let keep = offset >= file.start;
            if keep {
                file.set(position);
            } else {
                images.delete(&dir, file.start);
            }
            keep
        });
    }

    /// Removes the first files, never the last, as long as they are to go.
    pub(crate) fn delete_head(&mut self, images: &mut Images, goes: impl Fn(&Images, &File) -> bool) {
        while self.list.len() > 1 && goes(images, &self.list[0]) {
            let file = self.list.remove(0);
            images.delete(&self.dir, file.start);
        }
    }

    pub(crate) fn delete_last(&mut self, images: &mut Images) {
        if let Some(file) = self.list.pop() {
            images.delete(&self.dir, file.start);
        }
    }

    pub(crate) fn destroy(&mut self, images: &mut Images) {
        while !self.list.is_empty() {
            self.delete_last(images);
        }
        self.flushed_where = 0;
    }

    pub(crate) fn discard_ahead(&mut self, images: &mut Images) {
        for start in self.ahead.iter_mut().flat_map(std::mem::take) {
            images.delete(&self.dir, start);
        }
    }
}
