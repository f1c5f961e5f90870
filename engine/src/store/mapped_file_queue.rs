//! Files of one size that together hold one long run of bytes.

use std::ops::Range;
use std::sync::Arc;

use crate::disk::{Disk, FileId};

use super::allocate::Ahead;
use super::mapped_file::MappedFile;
use super::step::DeleteCause;
use super::{Env, Step, Work};

/// The most files that one clean-up removes (`MappedFileQueue.DELETE_FILES_BATCH_MAX`).
const DELETE_FILES_BATCH_MAX: usize = 10;

/// A run of files, each named by the offset of its first byte (`MappedFileQueue`).
#[derive(Clone, Debug)]
pub(super) struct MappedFileQueue {
    directories: Directories,
    file_size: i32,
    files: Vec<MappedFile>,
    /// Offset up to which everything is flushed.
    pub(super) flushed_where: i64,
    /// Offset up to which everything is committed.
    pub(super) committed_where: i64,
    /// Store time of the last message that was surely flushed: the file's when a flush of 0 pages began.
    pub(super) store_timestamp: i64,
    /// Files made ahead of their use (`AllocateMappedFileService`); only the commit log has them.
    ahead: Option<Ahead>,
}

/// Where the files of a queue lie.
#[derive(Clone, Debug)]
pub(super) enum Directories {
    /// `root/topic/queueId`, of a ConsumeQueue. There are many of them, and seldom is anything done in theirs.
    Queue {
        /// The directory of all ConsumeQueues.
        root: &'static str,
        topic: Arc<str>,
        queue_id: i32,
    },
    /// The commit log's.
    Paths(Arc<Paths>),
}

/// The directories of the commit log, which alone can have several.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    /// Directories that are written, without a slash at the end.
    pub(super) written: Vec<String>,
    /// Those of them, or others, that are only read.
    pub(super) read_only: Vec<String>,
    /// Those that are too full for new files.
    full: Vec<String>,
}

impl Directories {
    pub(super) fn single(path: String) -> Self {
        Self::of(vec![path], Vec::new())
    }

    /// Directories that are written, and those of them, or others, that are only read.
    pub(super) fn of(written: Vec<String>, read_only: Vec<String>) -> Self {
        Self::Paths(Arc::new(Paths { written, read_only, full: Vec::new() }))
    }

    /// All directories that may hold files.
    pub(super) fn all(&self) -> Vec<String> {
        match self {
            Self::Queue { root, topic, queue_id } => vec![format!("{root}/{topic}/{queue_id}")],
            Self::Paths(paths) => {
                let Paths { written, read_only, .. } = &**paths;
                written.iter().chain(read_only.iter().filter(|path| !written.contains(path))).cloned().collect()
            }
        }
    }

    /// The first of them.
    fn first(&self) -> String {
        self.all().into_iter().next().unwrap_or_default()
    }

    /// Marks those of the commit log that are too full for new files.
    pub(super) fn set_full(&mut self, full: Vec<String>) {
        if let Self::Paths(paths) = self {
            Arc::make_mut(paths).full = full;
        }
    }

    /// The path of a new file: the directories take turns (`MultiPathMappedFileQueue.tryCreateMappedFile`).
    fn path_of(&self, offset: i64, file_size: i32) -> Option<String> {
        let turn = offset.checked_div(i64::from(file_size))?;
        let Self::Paths(paths) = self else { return Some(format!("{}/{}", self.first(), file_name(offset))) };
        let Paths { written, read_only, full } = &**paths;
        let writable = |path: &&String| !read_only.contains(path);
        let mut usable: Vec<_> = written.iter().filter(writable).filter(|path| !full.contains(path)).collect();
        if usable.is_empty() {
            usable = written.iter().filter(writable).collect();
        }
        usable.sort();
        let turn = turn.checked_rem_euclid(i64::try_from(usable.len()).ok()?)?;
        let directory = usable.get(usize::try_from(turn).ok()?)?;
        Some(format!("{directory}/{}", file_name(offset)))
    }
}

/// The name of the file that begins at `offset`: 20 digits (`UtilAll.offset2FileName`).
pub(super) fn file_name(offset: i64) -> String {
    let sign = if offset < 0 { "-" } else { "" };
    format!("{sign}{:020}", offset.unsigned_abs())
}

impl MappedFileQueue {
    pub(super) fn new(directories: Directories, file_size: i32) -> Self {
        Self {
            directories,
            file_size,
            files: Vec::new(),
            flushed_where: 0,
            committed_where: 0,
            store_timestamp: 0,
            ahead: None,
        }
    }

    /// Lets the files be made ahead, each with a transient buffer while `buffers` last.
    pub(super) fn allocate_ahead(&mut self, buffers: Option<i32>, fail_fast: bool) {
        self.ahead = Some(Ahead::new(buffers, fail_fast));
    }

    pub(super) fn file_size(&self) -> i32 {
        self.file_size
    }

    pub(super) fn directories(&self) -> &Directories {
        &self.directories
    }

    pub(super) fn directories_mut(&mut self) -> &mut Directories {
        &mut self.directories
    }

    pub(super) fn files(&self) -> &[MappedFile] {
        &self.files
    }

    pub(super) fn first(&self) -> Option<&MappedFile> {
        self.files.first()
    }

    pub(super) fn last(&self) -> Option<&MappedFile> {
        self.files.last()
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut MappedFile> {
        self.files.last_mut()
    }

    /// Transient buffers left (`remainTransientStoreBufferNumbs`); `None` without a pool.
    pub(super) fn buffers_left(&self) -> Option<i32> {
        self.ahead.as_ref()?.buffers_left()
    }

    /// Takes in a file that was there already. Files come in order of their names.
    pub(super) fn add_loaded(&mut self, id: FileId, from_offset: i64) {
        self.files.push(MappedFile::loaded(id, from_offset, self.file_size));
    }

    /// Offset of the first byte; -1 without a file.
    pub(super) fn min_offset(&self) -> i64 {
        self.first().map_or(-1, |file| file.from_offset)
    }

    /// Offset after the last byte that can be read; 0 without a file.
    pub(super) fn max_offset(&self) -> i64 {
        self.last().map_or(0, |file| file.from_offset.wrapping_add(i64::from(file.read_position())))
    }

    /// Offset after the last byte written; 0 without a file.
    pub(super) fn max_wrote_offset(&self) -> i64 {
        self.last().map_or(0, |file| file.from_offset.wrapping_add(i64::from(file.wrote)))
    }

    /// Position of `offset` in its file.
    pub(super) fn position_of(&self, offset: i64) -> i32 {
        (offset % i64::from(self.file_size)) as i32
    }

    /// Start of the file after the one that `offset` lies in.
    pub(super) fn next_file_start(&self, offset: i64) -> i64 {
        let size = i64::from(self.file_size);
        offset.wrapping_add(size).wrapping_sub(offset % size)
    }

    /// The number of the file that holds `offset` (`findMappedFileByOffset`).
    pub(super) fn index_of(&self, offset: i64) -> Option<usize> {
        let (first, last) = (self.first()?, self.last()?);
        if offset < first.from_offset || offset >= last.end_offset() {
            return None;
        }
        let size = i64::from(self.file_size);
        let index = usize::try_from(offset / size - first.from_offset / size).ok();
        match index.filter(|&index| self.files.get(index).is_some_and(|file| file.contains(offset))) {
            Some(index) => Some(index),
            // A file is missing somewhere before.
            None => self.files.iter().position(|file| file.contains(offset)),
        }
    }

    /// The file that holds `offset`.
    pub(super) fn find(&self, offset: i64) -> Option<&MappedFile> {
        self.files.get(self.index_of(offset)?)
    }

    /// The file that holds `offset`; for offset 0 the first file where none does. This is how 4.9.8 comes to answer with
    /// the first surviving record when asked for physical offset 0.
    pub(super) fn find_or_first_for_zero(&self, offset: i64) -> Option<&MappedFile> {
        self.find(offset).or_else(|| self.first().filter(|_| offset == 0))
    }

    /// The file to append to (`getLastMappedFile(startOffset)`): the last, or a new one if it is full, or the one that
    /// `start_offset` falls into if there is none. `None` if a new file cannot be made.
    pub(super) fn last_or_create<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        start_offset: i64,
        env: &mut E,
    ) -> Option<&mut MappedFile> {
        let create = match self.last() {
            None => Some(start_offset.wrapping_sub(start_offset % i64::from(self.file_size))),
            Some(last) if last.is_full() => Some(last.from_offset.wrapping_add(i64::from(self.file_size))),
            Some(_) => None,
        };
        if let Some(offset) = create {
            let mut file = self.create(disk, offset, env)?;
            file.first_created_in_queue = self.files.is_empty();
            self.files.push(file);
        }
        self.files.last_mut()
    }

    /// Makes the file that begins at `offset`, or takes it from those made ahead, and makes the next one ahead.
    fn create<D: Disk, E: Env>(&mut self, disk: &mut D, offset: i64, env: &mut E) -> Option<MappedFile> {
        let size = self.file_size;
        let path = self.directories.path_of(offset, size)?;
        let Some(ahead) = &mut self.ahead else {
            let id = open(disk, &path, size, env)?;
            env.step(|| Step::FileCreated { file: path, size: i64::from(size) });
            return Some(MappedFile::created(id, offset, size, None));
        };
        let next = self.directories.path_of(offset.wrapping_add(i64::from(size)), size);
        let (id, buffer) = ahead.make(disk, path, next, size, env)?;
        Some(MappedFile::created(id, offset, size, buffer))
    }

    /// Removes the files that were made ahead and never used (`AllocateMappedFileService.shutdown`).
    pub(super) fn discard_ahead<D: Disk, E: Env>(&mut self, disk: &mut D, env: &mut E) {
        if let Some(ahead) = &mut self.ahead {
            ahead.discard(disk, env);
        }
    }

    /// Flushes the one file that `flushed_where` lies in (`flush`). `true` if nothing changed.
    pub(super) fn flush<D: Disk, E: Env>(&mut self, disk: &mut D, least_pages: i32, env: &mut E) -> bool {
        self.flush_to(disk, least_pages, i64::MAX, env)
    }

    /// The same, and nothing behind `limit`.
    pub(super) fn flush_to<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        least_pages: i32,
        limit: i64,
        env: &mut E,
    ) -> bool {
        let Some(file) = self.file_at(self.flushed_where) else {
            self.tell_not_matched(self.flushed_where, env);
            return true;
        };
        let sampled = file.store_timestamp;
        let flushed = file.flush(disk, least_pages, limit, env);
        let now_where = file.from_offset.wrapping_add(i64::from(flushed));
        let unchanged = now_where == self.flushed_where;
        self.flushed_where = now_where;
        if least_pages == 0 {
            self.store_timestamp = sampled;
        }
        unchanged
    }

    /// What 4.9.8 logs when no file holds an offset (`findMappedFileByOffset`).
    fn tell_not_matched<E: Env>(&self, offset: i64, env: &mut E) {
        if let (Some(first), Some(last)) = (self.first(), self.last()) {
            env.step(|| Step::FlushOffsetNotMatched {
                directory: self.directories.first(),
                offset,
                first: first.from_offset,
                last: last.end_offset(),
            });
        }
    }

    /// Commits the one file that `committed_where` lies in (`commit`). `true` if nothing changed.
    pub(super) fn commit<D: Disk, E: Env>(&mut self, disk: &mut D, least_pages: i32, env: &mut E) -> bool {
        let Some(file) = self.file_at(self.committed_where) else { return true };
        let (committed, returned) = file.commit(disk, least_pages, env);
        let now_where = file.from_offset.wrapping_add(i64::from(committed));
        let id = file.id;
        if returned && let Some(ahead) = &mut self.ahead {
            ahead.give_back(id);
        }
        let unchanged = now_where == self.committed_where;
        self.committed_where = now_where;
        unchanged
    }

    /// Whether a flush that wants `least_pages` pages would change anything.
    pub(super) fn is_flush_due(&self, least_pages: i32) -> bool {
        self.find_or_first_for_zero(self.flushed_where).is_some_and(|file| file.is_flush_due(least_pages))
    }

    /// The store time that a thorough flush would find; 0 for none.
    pub(super) fn flush_timestamp(&self) -> i64 {
        self.find_or_first_for_zero(self.flushed_where).map_or(0, |file| file.store_timestamp)
    }

    fn file_at(&mut self, offset: i64) -> Option<&mut MappedFile> {
        let index = self.index_of(offset).or((offset == 0 && !self.files.is_empty()).then_some(0))?;
        self.files.get_mut(index)
    }

    /// Lets the queue end at `offset` (`truncateDirtyFiles`): positions go back, later files go.
    pub(super) fn truncate<D: Disk, E: Env>(&mut self, disk: &mut D, offset: i64, env: &mut E) {
        let position = self.position_of(offset);
        self.files.retain_mut(|file| {
            if file.end_offset() <= offset {
                return true;
            }
            let keep = offset >= file.from_offset;
            if keep {
                let (id, from) = (file.id, file.wrote);
                file.set_positions(position);
                tell_moved(disk, id, from, position, env);
            } else {
                delete(disk, file.id, DeleteCause::Truncated, env);
            }
            keep
        });
    }

    /// Removes the last file (`deleteLastMappedFile`).
    pub(super) fn delete_last<D: Disk, E: Env>(&mut self, disk: &mut D, env: &mut E) {
        if let Some(file) = self.files.pop() {
            delete(disk, file.id, DeleteCause::Truncated, env);
        }
    }

    /// Removes all files (`destroy`). As in 4.9.8 the committed position stays.
    pub(super) fn destroy<D: Disk, E: Env>(&mut self, disk: &mut D, env: &mut E) {
        for file in std::mem::take(&mut self.files) {
            delete(disk, file.id, DeleteCause::QueueDestroyed, env);
        }
        self.flushed_where = 0;
    }

    /// Removes, from the oldest on, at most 10 files that were not written for `expired_ms`, or any at all with
    /// `at_once`; never the last (`deleteExpiredFileByTime`). Answers how many went.
    pub(super) fn delete_expired<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        expired_ms: i64,
        at_once: bool,
        pause_ms: i32,
        env: &mut E,
    ) -> usize {
        let candidates = self.files.len().saturating_sub(1);
        let mut deleted = 0;
        for (index, file) in self.files.iter().enumerate().take(candidates) {
            let modified = disk.meta(file.id).map_or(0, |meta| meta.modified);
            if env.now() < modified.wrapping_add(expired_ms) && !at_once {
                break;
            }
            delete(disk, file.id, DeleteCause::Expired, env);
            deleted += 1;
            if deleted >= DELETE_FILES_BATCH_MAX {
                break;
            }
            if pause_ms > 0 && index + 1 < candidates {
                env.spend(Work::Sleep(i64::from(pause_ms)));
            }
        }
        self.files.drain(..deleted);
        deleted
    }

    /// Removes, from the oldest on, the files for which `expired` says so; never the last. Answers how many went.
    pub(super) fn delete_head<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        env: &mut E,
        expired: impl Fn(&D, &MappedFile) -> bool,
    ) -> usize {
        let candidates = self.files.len().saturating_sub(1);
        let deleted = self.files.iter().take(candidates).take_while(|file| expired(disk, file)).count();
        for file in self.files.drain(..deleted) {
            delete(disk, file.id, DeleteCause::RecordsGone, env);
        }
        deleted
    }

    /// Removes the files for which `gone` says so.
    pub(super) fn delete_where<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        env: &mut E,
        gone: impl Fn(&MappedFile) -> bool,
    ) {
        self.files.retain(|file| {
            let gone = gone(file);
            if gone {
                delete(disk, file.id, DeleteCause::RecordsGone, env);
            }
            !gone
        });
    }

    /// The pairs of neighbours between which files are missing (`checkSelf`): the range of offsets that no file holds.
    pub(super) fn gaps(&self) -> impl Iterator<Item = Range<i64>> + '_ {
        let neighbours = self.files.iter().zip(self.files.iter().skip(1));
        neighbours.map(|(file, next)| file.end_offset()..next.from_offset).filter(|gap| gap.start != gap.end)
    }
}

/// Makes the file, or opens one that is there already and makes it long enough, as mapping a file does.
pub(super) fn open<D: Disk, E: Env>(disk: &mut D, path: &str, size: i32, env: &mut E) -> Option<FileId> {
    let size = u64::try_from(size).ok()?;
    let opened = match disk.find(path) {
        None => disk.create(path, size),
        Some(id) => match disk.meta(id) {
            Ok(meta) if meta.len < size => disk.set_len(id, size).map(|()| id),
            meta => meta.map(|_| id),
        },
    };
    opened.inspect_err(|error| env.step(|| Step::DiskFailed { error: error.to_string() })).ok()
}

/// Tells that the positions of a file were moved, if they were.
pub(super) fn tell_moved<D: Disk, E: Env>(disk: &D, id: FileId, from: i32, to: i32, env: &mut E) {
    if from != to {
        env.step(|| Step::PositionsMoved { file: disk.path(id).unwrap_or_default(), from, to });
    }
}

/// Removes a file. One that the disk refuses to remove is forgotten all the same.
pub(super) fn delete<D: Disk, E: Env>(disk: &mut D, id: FileId, why: DeleteCause, env: &mut E) {
    let path = disk.path(id);
    match disk.delete(id) {
        Ok(()) => env.step(|| Step::FileDeleted { file: path.unwrap_or_default(), why }),
        Err(error) => env.step(|| Step::DiskFailed { error: error.to_string() }),
    }
}
