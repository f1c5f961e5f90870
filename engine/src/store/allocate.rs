//! Making commit log files ahead of their use (`AllocateMappedFileService`), and the transient buffers that they get.

use crate::disk::{Disk, FileId};

use super::mapped_file::Buffer;
use super::mapped_file_queue::{delete, open};
use super::step::DeleteCause;
use super::{Env, Step, Work};

/// How long a put waits for the service to make a file, milliseconds (`AllocateMappedFileService.waitTimeOut`).
const WAIT_FOR_FILE_MS: i64 = 5000;

/// Files that one request makes at most: the one that is needed and the one behind it.
const FILES_OF_REQUEST: i32 = 2;

/// The service that makes files ahead, and the pool from which it takes transient buffers.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    files: Vec<(String, FileId, Option<Buffer>)>,
    /// The transient pool, where there is one.
    pool: Option<Pool>,
    /// Whether a new file fails when no buffer is left.
    fail_fast: bool,
    /// The file that the service could not make: it tries on without end, and nobody gets another before
    /// (`hasException`).
    failed: Option<String>,
}

/// The buffers that no file has (`TransientStorePool`). One that was given back is the next to be taken.
#[derive(Clone, Debug, Default)]
struct Pool {
    /// Buffers that were never used.
    fresh: i32,
    /// The files that have given theirs back, the latest last.
    returned: Vec<FileId>,
}

impl Pool {
    fn left(&self) -> i32 {
        i32::try_from(self.returned.len()).unwrap_or(i32::MAX).saturating_add(self.fresh.max(0))
    }

    fn take(&mut self) -> Option<Buffer> {
        if let Some(before) = self.returned.pop() {
            return Some(Buffer::after(Some(before)));
        }
        (self.fresh > 0).then(|| {
            self.fresh -= 1;
            Buffer::after(None)
        })
    }
}

impl Ahead {
    /// Each file gets a transient buffer while `buffers` last.
    pub(super) fn new(buffers: Option<i32>, fail_fast: bool) -> Self {
        let pool = buffers.map(|fresh| Pool { fresh, returned: Vec::new() });
        Self { files: Vec::new(), pool, fail_fast, failed: None }
    }

    /// Transient buffers left (`remainTransientStoreBufferNumbs`); `None` without a pool.
    pub(super) fn buffers_left(&self) -> Option<i32> {
        self.pool.as_ref().map(Pool::left)
    }

    /// Takes back the buffer of a file that is full and committed.
    pub(super) fn give_back(&mut self, file: FileId) {
        if let Some(pool) = &mut self.pool {
            pool.returned.push(file);
        }
    }

    /// The file at `path`, made or taken from those made ahead, and its buffer; the one at `next` is made ahead
    /// (`putRequestAndReturnMappedFile`). `None` if it cannot be had: then the put has waited for it, unless the service
    /// was known to have failed.
    pub(super) fn make<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        path: String,
        next: Option<String>,
        size: i32,
        env: &mut E,
    ) -> Option<(FileId, Option<Buffer>)> {
        if let Some(failed) = self.failed.take()
            && !self.make_ahead(disk, failed, size, env)
        {
            return None;
        }
        let mut may_create =
            if self.fail_fast { self.buffers_left().unwrap_or(FILES_OF_REQUEST) } else { FILES_OF_REQUEST };
        let (id, buffer) = match self.files.iter().position(|(made, ..)| *made == path) {
            Some(index) => {
                let (_, id, buffer) = self.files.remove(index);
                (id, buffer)
            }
            None if may_create <= 0 => return None,
            None => {
                let Some(id) = open(disk, &path, size, env) else {
                    self.failed = Some(path);
                    env.spend(Work::Sleep(WAIT_FOR_FILE_MS));
                    return None;
                };
                env.step(|| Step::FileCreated { file: path, size: i64::from(size) });
                may_create -= 1;
                (id, self.take_buffer())
            }
        };
        if let Some(next) = next.filter(|next| may_create > 0 && !self.files.iter().any(|(made, ..)| made == next)) {
            self.make_ahead(disk, next, size, env);
        }
        Some((id, buffer))
    }

    /// Makes a file ahead; `false` if the disk refuses.
    fn make_ahead<D: Disk, E: Env>(&mut self, disk: &mut D, path: String, size: i32, env: &mut E) -> bool {
        let Some(id) = open(disk, &path, size, env) else {
            self.failed = Some(path);
            return false;
        };
        env.step(|| Step::FilePreallocated { file: path.clone(), size: i64::from(size) });
        let buffer = self.take_buffer();
        self.files.push((path, id, buffer));
        true
    }

    fn take_buffer(&mut self) -> Option<Buffer> {
        self.pool.as_mut()?.take()
    }

    /// Removes the files that were never used (`shutdown`).
    pub(super) fn discard<D: Disk, E: Env>(&mut self, disk: &mut D, env: &mut E) {
        for (_, id, _) in std::mem::take(&mut self.files) {
            delete(disk, id, DeleteCause::Unused, env);
        }
    }
}
