//! The index files together: which one is written, and queries over all of them.

use crate::disk::Disk;
use crate::message::TransactionType;
use crate::message::java;
use crate::message::record::Dispatch;

use super::checkpoint::Checkpoint;
use super::clock_text::timestamp_name;
use super::index_file::{IndexFile, IndexKey, KeyPut};
use super::mapped_file_queue::{delete, open};
use super::outcome::QueryOffsetResult;
use super::running_flags::RunningFlags;
use super::step::{DeleteCause, Flag, IndexFault, IndexSkip};
use super::{Env, Step, StoreConfig, Work};

/// Directory of the index files below the root.
pub(super) const DIRECTORY: &str = "index";
/// Attempts to make an index file (`IndexService.MAX_TRY_IDX_CREATE`).
const MAX_TRIES: i32 = 3;

/// The index (`IndexService`): files in order of their names, of which the last is written.
#[derive(Clone, Debug)]
pub(super) struct IndexService {
    files: Vec<IndexFile>,
    slots: i32,
    entries: i32,
}

impl IndexService {
    pub(super) fn new(config: &StoreConfig) -> Self {
        Self { files: Vec::new(), slots: config.max_hash_slot_num, entries: config.max_index_num }
    }

    pub(super) fn files(&self) -> &[IndexFile] {
        &self.files
    }

    fn shape(&self) -> (i32, i32) {
        (self.slots, self.entries)
    }

    fn file_size(&self) -> i32 {
        40i32.wrapping_add(self.slots.wrapping_mul(4)).wrapping_add(self.entries.wrapping_mul(20))
    }

    /// Takes in the files that are there (`load`). After an unclean stop those newer than the checkpoint are destroyed.
    /// A file whose name is no number is passed over; one that cannot be read ends the list, as in 4.9.8.
    pub(super) fn load<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        paths: &[String],
        checkpoint: &Checkpoint,
        clean: bool,
        env: &mut E,
    ) {
        for path in paths {
            let name = path.rsplit('/').next().unwrap_or_default();
            let ignored = |fault| Step::IndexIgnored { file: path.clone(), fault };
            if java::parse_long(name).is_none() {
                env.step(|| ignored(IndexFault::BadName));
                continue;
            }
            let id = open(disk, path, self.file_size(), env);
            let Some((id, file)) = id.and_then(|id| Some((id, IndexFile::loaded(disk, id, self.shape())?))) else {
                env.step(|| ignored(IndexFault::Unreadable));
                return;
            };
            let header = file.header();
            let limit = checkpoint.index_msg_timestamp;
            let kept = clean || header.end_timestamp <= limit;
            env.step(|| Step::IndexLoaded {
                file: path.clone(),
                index_count: header.index_count,
                begin_phy_offset: header.begin_phy_offset,
                end_phy_offset: header.end_phy_offset,
                end_timestamp: header.end_timestamp,
                limit,
                kept,
            });
            if kept {
                self.files.push(file);
            } else {
                delete(disk, id, DeleteCause::NewerThanCheckpoint, env);
            }
        }
    }

    /// Indexes the keys of a record: the unique key first, then the others in their order (`buildIndex`).
    pub(super) fn build<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        record: &Dispatch<'_>,
        checkpoint: &mut Checkpoint,
        flags: &mut RunningFlags,
        env: &mut E,
    ) {
        let Some(last) = self.last_or_create(disk, checkpoint, flags, env) else { return };
        let skipped = |reason| Step::IndexSkipped { physical_offset: record.physical_offset, reason };
        if record.physical_offset < last.header().end_phy_offset {
            env.step(|| skipped(IndexSkip::BeforeEnd));
            return;
        }
        if record.transaction_type() == TransactionType::Rollback {
            env.step(|| skipped(IndexSkip::Rollback));
            return;
        }
        let keys = record.keys().unwrap_or_default().split(' ').filter(|key| !key.is_empty());
        for key in record.uniq_key().into_iter().chain(keys) {
            let key = IndexKey::new(&record.topic, key);
            if !self.put_key(disk, key, record, checkpoint, flags, env) {
                return;
            }
        }
    }

    /// Puts one key, in a new file where the last is full. `false` if that cannot be made.
    ///
    /// 4.9.8 tries a file that the disk refuses to write for ever; here that counts as a file that cannot be made.
    fn put_key<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        key: IndexKey<'_>,
        record: &Dispatch<'_>,
        checkpoint: &mut Checkpoint,
        flags: &mut RunningFlags,
        env: &mut E,
    ) -> bool {
        for _ in 0..=MAX_TRIES {
            let Some(file) = self.last_or_create(disk, checkpoint, flags, env) else { return false };
            match file.put_key(disk, key, record.physical_offset, record.store_timestamp, env) {
                KeyPut::Done => return true,
                KeyPut::Full | KeyPut::Failed => {}
            }
        }
        raise_index_error(flags, env);
        false
    }

    /// The file to write (`retryGetAndCreateIndexFile`): three attempts to make one, a second apart, then the store
    /// marks itself as broken.
    fn last_or_create<D: Disk, E: Env>(
        &mut self,
        disk: &mut D,
        checkpoint: &mut Checkpoint,
        flags: &mut RunningFlags,
        env: &mut E,
    ) -> Option<&mut IndexFile> {
        if self.files.last().is_none_or(IndexFile::is_full) {
            let mut attempt = 0;
            while !self.create(disk, checkpoint, env) {
                env.step(|| Step::IndexFailed { attempt });
                env.spend(Work::Sleep(1000));
                attempt += 1;
                if attempt == MAX_TRIES {
                    raise_index_error(flags, env);
                    return None;
                }
            }
        }
        self.files.last_mut()
    }

    /// Makes a file, named by the clock, and flushes the one before (`getAndCreateLastIndexFile`). The flush and the
    /// checkpoint happen before the next record, where 4.9.8 leaves them to a thread.
    fn create<D: Disk, E: Env>(&mut self, disk: &mut D, checkpoint: &mut Checkpoint, env: &mut E) -> bool {
        let path = format!("{DIRECTORY}/{}", timestamp_name(env.now()));
        let Some(id) = open(disk, &path, self.file_size(), env) else { return false };
        env.step(|| Step::FileCreated { file: path.clone(), size: i64::from(self.file_size()) });
        env.spend(Work::CreateIndexFile);
        let (end_phy_offset, end_timestamp) =
            self.files.last().map_or((0, 0), |last| (last.header().end_phy_offset, last.header().end_timestamp));
        let file = match IndexFile::created(disk, id, self.shape(), end_phy_offset, end_timestamp) {
            Ok(file) => file,
            Err(error) => {
                env.step(|| Step::DiskFailed { error: error.to_string() });
                return false;
            }
        };
        if let Some(previous) = self.files.last() {
            env.step(|| Step::IndexRolled { from: disk.path(previous.id).unwrap_or_default(), to: path });
            previous.flush(disk, env);
            if end_timestamp > 0 {
                checkpoint.index_msg_timestamp = end_timestamp;
                checkpoint.flush(disk, env);
            }
        }
        self.files.push(file);
        true
    }

    /// Physical offsets of at most `max` messages whose keys have this hash, stored from `begin` to `end`: newest file
    /// first, newest entry first (`queryOffset`).
    pub(super) fn query_offset<D: Disk, E: Env>(
        &self,
        disk: &D,
        key: IndexKey<'_>,
        max: usize,
        (begin, end): (i64, i64),
        env: &mut E,
    ) -> QueryOffsetResult {
        let mut result = QueryOffsetResult::default();
        if let Some(last) = self.files.last() {
            result.index_last_update_timestamp = last.header().end_timestamp;
            result.index_last_update_phyoffset = last.header().end_phy_offset;
        }
        for file in self.files.iter().rev() {
            if file.is_time_matched(begin, end) {
                let before = result.phy_offsets.len();
                let read = file.select(disk, key, max, (begin, end), &mut result.phy_offsets);
                env.step(|| Step::IndexSearched {
                    file: disk.path(file.id).unwrap_or_default(),
                    key: key.text(),
                    slot: file.slot(key.hash()),
                    read,
                    found: (result.phy_offsets.len() - before) as i32,
                });
            }
            if file.header().begin_timestamp < begin || result.phy_offsets.len() >= max {
                break;
            }
        }
        result
    }

    /// Removes, from the oldest on, the files of which no record is left; never the last (`deleteExpiredFile`).
    pub(super) fn delete_expired<D: Disk, E: Env>(&mut self, disk: &mut D, min_physical: i64, env: &mut E) {
        let candidates = self.files.len().saturating_sub(1);
        let expired = |file: &&IndexFile| file.header().end_phy_offset < min_physical;
        let gone = self.files.iter().take(candidates).take_while(expired).count();
        for file in self.files.drain(..gone) {
            delete(disk, file.id, DeleteCause::RecordsGone, env);
        }
    }
}

fn raise_index_error<E: Env>(flags: &mut RunningFlags, env: &mut E) {
    if flags.raise(Flag::WriteIndexFileError) {
        env.step(|| Step::FlagRaised { flag: Flag::WriteIndexFileError });
    }
}
