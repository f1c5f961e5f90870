//! The message store of 4.9.8 (`DefaultMessageStore`) over any [`Disk`].
//!
//! ```text
//! put ──▶ commit log ──▶ reput ──▶ ConsumeQueue of (topic, queue)   20 bytes a message
//!             ▲              └───▶ index files                      20 bytes a key
//!             └── get_message (through a ConsumeQueue), query (through the index), look-up by physical offset
//! ```
//!
//! Everything is plain synchronous code. What runs in threads in 4.9.8 is a method here that does one turn of that
//! thread's work: [`Store::reput`] dispatches one record, [`Store::flush_commit_log`] is one round of the flush service.
//! Whoever runs the store calls them when their time has come, and hands in an [`Env`]: the clock, and who watches.
//!
//! Paths are below the store's root: `commitlog/`, `consumequeue/<topic>/<queue>/`, `index/`, `checkpoint`, `abort`,
//! `lock`, `config/`.

mod allocate;
mod append;
mod big_endian;
mod checkpoint;
mod cleanup;
mod clock_text;
mod commit_log;
mod config;
pub mod config_file;
mod config_value;
mod consume_queue;
mod consume_queue_ext;
mod deliver;
mod dispatch;
mod env;
mod filter;
mod flush;
mod get_message;
mod ha;
mod index_file;
mod index_service;
pub mod inspect;
mod load;
mod mapped_file;
mod mapped_file_queue;
mod outcome;
pub mod properties_file;
mod put;
mod query;
mod queue_table;
mod record_read;
mod recover;
mod reput;
mod running_flags;
mod schedule;
mod shutdown;
mod start;
pub mod step;
#[cfg(test)]
mod tests;

pub use checkpoint::Checkpoint;
pub use cleanup::{CleanUpDue, DiskUse, MissingFiles};
pub use clock_text::{human_time, timestamp_name};
pub use config::{ConfigError, ConfigErrorKind, StoreConfig};
pub use config_value::{BrokerRole, FlushDiskType};
pub use consume_queue::{ConsumeQueue, UNIT_SIZE, Unit};
pub use consume_queue_ext::{ExtUnit, address_of as ext_address_of, is_ext_address};
pub use deliver::{DelayedUnit, Undeliverable};
pub use env::{Env, StillEnv, Work};
pub use filter::{BitMapCalculator, MessageFilter};
pub use index_file::{IndexEntry, IndexFile, IndexHeader};
pub use load::LoadError;
pub use outcome::{
    AppendMessageResult, AppendMessageStatus, CommitRequest, DispatchInfo, GetMessageResult, GetMessageStatus, Located,
    MsgIds, PutMessageResult, PutMessageStatus, QueryMessageResult, QueryOffsetResult, Reput, Selected,
};
pub use running_flags::RunningFlags;
pub use schedule::{DELAY_OFFSETS_PATH, saved_delay_offsets};
pub use start::StartError;
pub use step::Step;

use std::sync::Arc;

use crate::disk::{Disk, FileId};
use crate::planted::Planted;

use self::cleanup::CleanUp;
use self::commit_log::CommitLog;
use self::ha::Replication;
use self::index_service::IndexService;
use self::queue_table::QueueTable;
use self::reput::ReputPosition;
use self::schedule::Schedule;

/// A store, loaded from its disk.
#[derive(Clone, Debug)]
pub struct Store<D> {
    disk: D,
    config: Arc<StoreConfig>,
    commit_log: CommitLog,
    queues: QueueTable,
    index: IndexService,
    checkpoint: Checkpoint,
    flags: RunningFlags,
    schedule: Schedule,
    reput: ReputPosition,
    /// Attempts to write the unit of the record that reput stands at which have failed.
    unit_tries: i32,
    replication: Replication,
    bit_maps: Option<Arc<dyn BitMapCalculator>>,
    clean_up: CleanUp,
    lock: FileId,
    /// Whether puts and pulls are taken: between start and shutdown.
    running: bool,
    scratch: Scratch,
    planted: Planted,
}

/// Bytes that outlive one call only for the sake of speed. A copy of the store gets its own.
#[derive(Debug, Default)]
struct Scratch(Vec<u8>);

impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<D: Disk> Store<D> {
    /// The configuration.
    pub fn config(&self) -> &StoreConfig {
        &self.config
    }

    /// The configuration, to be changed while the store runs, as an administrator can. Sizes of files that exist must
    /// stay as they are.
    pub fn config_mut(&mut self) -> &mut StoreConfig {
        Arc::make_mut(&mut self.config)
    }

    /// Who works out for whom messages are that are dispatched from now on; nobody marks them unless this is told.
    pub fn set_bit_maps(&mut self, bit_maps: Option<Arc<dyn BitMapCalculator>>) {
        self.bit_maps = bit_maps;
    }

    /// Switches wrong behaviours on.
    pub fn plant(&mut self, planted: Planted) {
        self.planted = planted;
    }

    /// The disk.
    pub fn disk(&self) -> &D {
        &self.disk
    }

    /// The disk, for those who look after journal, faults and configuration files. The store's own files are the
    /// store's.
    pub fn disk_mut(&mut self) -> &mut D {
        &mut self.disk
    }

    /// Gives the disk back: what stays when the process ends.
    pub fn into_disk(self) -> D {
        self.disk
    }

    /// Whether puts and pulls are taken.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// The reasons for which reads or writes are refused.
    pub fn running_flags(&self) -> RunningFlags {
        self.flags
    }

    /// The same, to raise and clear them by hand.
    pub fn running_flags_mut(&mut self) -> &mut RunningFlags {
        &mut self.flags
    }

    /// The checkpoint as the store knows it; the file follows at the next flush of the ConsumeQueues.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Physical offset of the first byte of the commit log; -1 without a file.
    pub fn min_phy_offset(&self) -> i64 {
        self.commit_log.min_offset()
    }

    /// Physical offset after the last byte of the commit log that can be read.
    pub fn max_phy_offset(&self) -> i64 {
        self.commit_log.max_offset()
    }

    /// Physical offset after the last byte written, which with a transient pool can be ahead of what can be read.
    pub fn max_wrote_offset(&self) -> i64 {
        self.commit_log.files.max_wrote_offset()
    }

    /// Physical offset up to which the commit log is flushed.
    pub fn flushed_where(&self) -> i64 {
        self.commit_log.files.flushed_where
    }

    /// Physical offset up to which the commit log is committed.
    pub fn committed_where(&self) -> i64 {
        self.commit_log.files.committed_where
    }

    /// The commit log file that an offset lies in, as offset of its first byte and position in it (`MappedFileQueue
    /// .findMappedFileByOffset`); `None` without such a file.
    pub fn commit_log_place(&self, physical_offset: i64) -> Option<(i64, i32)> {
        let file = self.commit_log.files.find(physical_offset)?;
        Some((file.from_offset, self.commit_log.files.position_of(physical_offset)))
    }

    /// Physical offset up to which the bytes of messages stand in files and not only in the buffers of a transient pool;
    /// without a pool that is everything written.
    pub fn committed_offset(&self) -> i64 {
        if self.config.transient_store_pool() { self.committed_where() } else { self.max_wrote_offset() }
    }

    /// The commit log's files as offset of the first byte and bytes written.
    pub fn commit_log_files(&self) -> impl Iterator<Item = (i64, i32)> + '_ {
        self.commit_log.files.files().iter().map(|file| (file.from_offset, file.wrote))
    }

    /// Physical offset of the next record to dispatch.
    pub fn reput_from_offset(&self) -> i64 {
        self.reput.from
    }

    /// Lets dispatch go on from another place: an intervention, 4.9.8 has no such command.
    pub fn set_reput_from_offset(&mut self, offset: i64) {
        self.reput = ReputPosition::at(offset);
        self.unit_tries = 0;
    }

    /// Bytes of the commit log that wait for dispatch (`dispatchBehindBytes`).
    pub fn dispatch_behind_bytes(&self) -> i64 {
        self.max_phy_offset().wrapping_sub(self.reput.from)
    }

    /// Physical offset at which dispatch stops if `duplicationEnable` (`getConfirmOffset`).
    pub fn confirm_offset(&self) -> i64 {
        self.commit_log.confirm_offset
    }

    /// Sets [`Store::confirm_offset`].
    pub fn set_confirm_offset(&mut self, offset: i64) {
        self.commit_log.confirm_offset = offset;
    }

    /// Every queue that was read or written, in order of topic and number.
    pub fn queues(&self) -> impl Iterator<Item = (&str, i32, &ConsumeQueue)> {
        self.queues.queues().map(|queue| (queue.topic(), queue.queue_id(), queue))
    }

    /// One queue, if it was read or written. Unlike the other reads this one makes no queue.
    pub fn queue(&self, topic: &str, queue_id: i32) -> Option<&ConsumeQueue> {
        self.queues.get(topic, queue_id)
    }

    /// The queue offset of the next message of each queue (`topicQueueTable`), in order of topic and number.
    pub fn topic_queue_table(&self) -> impl Iterator<Item = (&str, i32, i64)> {
        self.queues.states().filter_map(|state| Some((&*state.topic, state.queue_id, state.next_offset?)))
    }

    /// Sets the queue offset of a queue's next message (`CommitLog.setTopicQueueTable`): for a store whose queue is to
    /// begin there, because its earlier messages are gone.
    pub fn set_next_queue_offset(&mut self, topic: &str, queue_id: i32, queue_offset: i64) {
        self.queues.entry(topic, queue_id).next_offset = Some(queue_offset);
    }

    /// The index files, oldest first.
    pub fn index_files(&self) -> &[IndexFile] {
        self.index.files()
    }

    /// Since when somebody holds the append lock; 0 if nobody does.
    pub fn begin_time_in_lock(&self) -> i64 {
        self.commit_log.begin_time_in_lock
    }

    /// Lets the append lock seem held since then, 0 for not at all: how a stalled page cache shows to others.
    pub fn set_begin_time_in_lock(&mut self, since: i64) {
        self.commit_log.begin_time_in_lock = since;
    }

    /// Path of the file that the next record is written to; before the first there is none.
    pub fn written_path(&self) -> Option<String> {
        self.disk.path(self.commit_log.files.last()?.id)
    }

    /// Says that the lock of the appends that come next was taken then, milliseconds since the epoch: that is their store
    /// time (`beginLockTimestamp`). `None`: each takes it when it begins.
    pub fn set_lock_taken_at(&mut self, at: Option<i64>) {
        self.commit_log.lock_taken_at = at;
    }

    /// Transient buffers left (`remainTransientStoreBufferNumbs`); `None` without a pool. A broker refuses sends at 0.
    pub fn transient_buffers_left(&self) -> Option<i32> {
        self.commit_log.files.buffers_left()
    }
}
