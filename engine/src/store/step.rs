//! The words in which the store tells what it does.

mod recovery;

use serde::{Deserialize, Serialize};

pub use recovery::{FileVerdict, IndexFault, LoadFault, QueueName, RecordFault, RecoveryEnd, RecoveryStart};

use super::{GetMessageStatus, PutMessageStatus};

/// One thing that the store did, small enough to be shown as one line. Offsets and sizes are bytes, times milliseconds
/// since the epoch, files are paths below the store's root, positions count from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the fields are named by their meaning, and their units are said above")]
pub enum Step {
    // -- append
    /// A put was refused before anything was written.
    PutRefused { status: PutMessageStatus },
    /// A delayed message was sent to `SCHEDULE_TOPIC_XXXX`; where it belongs is kept in its properties.
    Delayed { real_topic: String, real_queue_id: i32, level: i32, queue_id: i32 },
    /// The message is bytes now; queue offset, physical offset and store time are still zero in them.
    Encoded { size: i32, body_length: i32 },
    /// The messages of a batch are bytes now.
    BatchEncoded { messages: i32, size: i32 },
    /// Nobody else appends from here on.
    LockTaken,
    /// The message has its place in its queue.
    QueueOffsetAssigned { topic: String, queue_id: i32, queue_offset: i64 },
    /// A record's bytes stand in the file (in the page cache: not flushed).
    Appended { physical_offset: i64, size: i32, file: String, position: i32 },
    /// The file had no room: a blank record says so, and the file counts as full.
    BlankWritten { physical_offset: i64, remaining: i32, file: String, position: i32 },
    /// Others may append again.
    LockReleased,
    /// The put asked for a flush up to here.
    FlushRequested { next_offset: i64, wait: bool },
    /// The put asked for a slave's acknowledgement up to here.
    ReplicaRequested { next_offset: i64 },
    /// No slave is connected, or the best of them is too far behind: the put does not wait for one.
    SlaveMissing { next_offset: i64, slaves: u32, behind: i64 },
    /// Bytes that the master handed over stand in the file (in the page cache: not flushed).
    ReplicaAppended { physical_offset: i64, size: i32, file: String, position: i32 },
    /// Bytes that the master handed over do not fit into the file, and are lost.
    ReplicaDropped { physical_offset: i64, size: i32 },

    // -- files
    /// A file was made, full of zeros.
    FileCreated { file: String, size: i64 },
    /// The next file was made ahead of its use.
    FilePreallocated { file: String, size: i64 },
    /// A file was removed.
    FileDeleted { file: String, why: DeleteCause },
    /// The disk refused.
    DiskFailed { error: String },

    // -- flush
    /// Bytes of the transient buffer went into the file.
    Committed { file: String, from: i64, to: i64 },
    /// Bytes became durable: `from` and `to` are offsets in the log or the queue.
    Flushed { file: String, from: i64, to: i64 },
    /// A flush looked for a file that does not exist: the last one is full and flushed to its end, where the next will
    /// begin. 4.9.8 logs `Offset not matched` at every round, and nothing is wrong.
    FlushOffsetNotMatched { directory: String, offset: i64, first: i64, last: i64 },
    /// The three times of the checkpoint became durable.
    CheckpointWritten { physic_msg_timestamp: i64, logics_msg_timestamp: i64, index_msg_timestamp: i64 },

    // -- dispatch
    /// Reput stood before the start of the log and was moved there.
    ReputMoved { from: i64, to: i64 },
    /// Reput read one record.
    ReputRead { physical_offset: i64, size: i32, topic: String, queue_id: i32, queue_offset: i64 },
    /// Reput met the blank record and goes on in the next file.
    ReputRolled { from: i64, to: i64 },
    /// Reput met bytes that are no record.
    ReputSkipped { physical_offset: i64, to: i64, length_mismatch: bool },
    /// Reput on a slave met the beginning of a record, or no record at all, and waits for the master's next bytes.
    ReputWaits { physical_offset: i64, readable: i32 },
    /// Half and rolled-back messages get no unit.
    UnitNotWanted { physical_offset: i64, prepared: bool },
    /// A queue was seen for the first time.
    QueueCreated { topic: String, queue_id: i32 },
    /// Units before the first one of a queue were filled with the blank unit.
    PreBlankWritten { topic: String, queue_id: i32, file: String, units: i32 },
    /// A unit stands in the ConsumeQueue.
    UnitWritten {
        topic: String,
        queue_id: i32,
        queue_offset: i64,
        physical_offset: i64,
        size: i32,
        tags_code: i64,
        file: String,
        position: i32,
    },
    /// The unit was there already.
    UnitSkipped { topic: String, queue_id: i32, queue_offset: i64, physical_offset: i64, reason: UnitSkip },
    /// The unit goes to another place than its queue offset says.
    UnitMisplaced { topic: String, queue_id: i32, expected_offset: i64, actual_offset: i64 },
    /// The unit could not be written; 4.9.8 waits a second and tries again, 30 times.
    UnitFailed { topic: String, queue_id: i32, queue_offset: i64, attempt: i32 },
    /// A filter bit map stands in the ConsumeQueueExt.
    ExtWritten { topic: String, queue_id: i32, address: i64, size: i32 },
    /// A key stands in the index.
    IndexPut {
        file: String,
        key: String,
        key_hash: i32,
        slot: i32,
        index: i32,
        prev_index: i32,
        physical_offset: i64,
        time_diff: i32,
    },
    /// The record's keys are not indexed.
    IndexSkipped { physical_offset: i64, reason: IndexSkip },
    /// The index file is full; the next one begins.
    IndexRolled { from: String, to: String },
    /// No index file could be made; 4.9.8 waits a second and tries again, 3 times.
    IndexFailed { attempt: i32 },
    /// The store marks itself as broken, and refuses writes until it is started again.
    FlagRaised { flag: Flag },
    /// A reason to refuse reads or writes is gone.
    FlagCleared { flag: Flag },

    // -- read
    /// A unit was looked at for a pull.
    UnitExamined { queue_offset: i64, physical_offset: i64, size: i32, verdict: UnitVerdict },
    /// The answer of a pull.
    GetAnswered {
        topic: String,
        queue_id: i32,
        offset: i64,
        status: GetMessageStatus,
        next_begin_offset: i64,
        messages: i32,
    },
    /// An index file was searched.
    IndexSearched { file: String, key: String, slot: i32, read: i32, found: i32 },

    // -- load, recovery, start, stop
    /// The store cannot be loaded, and nothing more is done.
    LoadRefused { fault: LoadFault },
    /// Whether the last stop was clean: whether there is no `abort` file.
    AbortChecked { clean: bool },
    /// A directory of fixed-size files was taken in.
    FilesLoaded { directory: String, files: i32 },
    /// An index file was taken in, or destroyed since it is newer than the checkpoint.
    /// `limit` is the checkpoint's time, which counts after an unclean stop only.
    IndexLoaded {
        file: String,
        index_count: i32,
        begin_phy_offset: i64,
        end_phy_offset: i64,
        end_timestamp: i64,
        limit: i64,
        kept: bool,
    },
    /// An index file was passed over.
    IndexIgnored { file: String, fault: IndexFault },
    /// The checkpoint was read; all zero when there was none.
    CheckpointRead { physic_msg_timestamp: i64, logics_msg_timestamp: i64, index_msg_timestamp: i64, existed: bool },
    /// The units of a queue's file were checked, from the first on: so many are valid, and either the `whole` file is, or
    /// the next place holds none.
    QueueFileChecked { topic: String, queue_id: i32, file: String, units: i32, whole: bool },
    /// A queue's end was found by its units.
    QueueRecovered { topic: String, queue_id: i32, max_offset: i64, max_physic_offset: i64 },
    /// After an unclean stop: whether recovery can begin in this file, asked from the last file to the first. `limit` is
    /// the checkpoint's time.
    RecoveryFileExamined { file: String, magic: i32, store_timestamp: i64, limit: i64, matches: bool, why: FileVerdict },
    /// Recovery of the commit log begins in this file, which begins at this offset.
    RecoveryBegins { file: String, physical_offset: i64, clean: bool, why: RecoveryStart },
    /// Recovery goes on in the next file, which begins at this offset.
    RecoveryFileEntered { file: String, physical_offset: i64 },
    /// A record was found good.
    RecordAccepted { physical_offset: i64, size: i32, dispatched: bool },
    /// A blank record: the file is used up. Recovery goes on at `next`, or ends where there is no next file.
    RecoveryBlank { physical_offset: i64, remaining: i32, file: String, position: i32, next: Option<i64> },
    /// No record is here. `size` is TOTALSIZE where the parts only do not add up to it, else -1; the fault lies `at` this
    /// position of the file.
    RecordRejected { physical_offset: i64, size: i32, file: String, position: i32, at: i64, fault: RecordFault },
    /// Recovery ends here.
    RecoveryEnds { physical_offset: i64, why: RecoveryEnd },
    /// A file counts as written, committed and flushed up to `to`. Bytes behind it stay as they are.
    PositionsMoved { file: String, from: i32, to: i32 },
    /// Everything behind this offset no longer counts.
    LogTruncated { offset: i64 },
    /// A unit no longer counts, since its record lies behind the end of the log.
    UnitCut {
        topic: String,
        queue_id: i32,
        queue_offset: i64,
        physical_offset: i64,
        size: i32,
        file: String,
        position: i32,
    },
    /// Units of records behind this offset no longer count.
    QueueTruncated { topic: String, queue_id: i32, max_offset: i64, physical_offset: i64 },
    /// All queues were destroyed, since there is no commit log.
    QueuesDestroyed,
    /// The next queue offset of a queue was taken from its units.
    QueueOffsetRecovered { topic: String, queue_id: i32, next: i64 },
    /// The first unit whose record still exists.
    MinOffsetCorrected { topic: String, queue_id: i32, min_offset: i64 },
    /// The next offset of a delay level was moved into its queue.
    DelayOffsetCorrected { level: i32, from: i64, to: i64 },
    /// Reput begins here: at the start of the log, or behind the last record that any queue knows, whichever is later.
    /// `queue` is the one that knows it, where it decides.
    ReputFrom { physical_offset: i64, min_phy_offset: i64, queue: Option<QueueName> },
    /// The `lock` file is locked and says so.
    StoreLocked,
    /// The `lock` file is free again.
    StoreUnlocked,
    /// The mark of an unclean stop stands, until a clean stop takes it away.
    AbortCreated,
    /// The stop was clean.
    AbortDeleted,
    /// The mark of an unclean stop stays: the store is not writeable, or records wait for dispatch.
    AbortKept { behind: i64 },
    /// A configuration file was saved, the old one kept as `.bak`.
    ConfigSaved { file: String },
}

/// Why a file was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeleteCause {
    /// Its time was over, or the disk is too full.
    Expired,
    /// Its records are gone from the commit log.
    RecordsGone,
    /// It lies behind the end that recovery found.
    Truncated,
    /// It is newer than the checkpoint, after an unclean stop.
    NewerThanCheckpoint,
    /// It was made ahead and never used.
    Unused,
    /// Its queue was destroyed.
    QueueDestroyed,
}

/// Why a unit was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UnitSkip {
    /// The queue already knows records up to a later physical offset.
    AlreadyBuilt,
    /// The place of this queue offset is already taken.
    BehindEnd,
}

/// Why the keys of a record were not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IndexSkip {
    /// The last index file already knows later records.
    BeforeEnd,
    /// Rolled-back messages are not indexed.
    Rollback,
    /// `messageIndexEnable` is false.
    Disabled,
}

/// What becomes of a unit during a pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UnitVerdict {
    /// Its message is part of the answer.
    Selected,
    /// Its record lies in a file that is known to be gone.
    InRemovedFile,
    /// The answer is full; the unit was not counted.
    BatchFull,
    /// Its tags code, or its marks in the ConsumeQueueExt, do not match.
    FilteredByTags,
    /// The record's properties do not match.
    FilteredByProperties,
    /// The commit log does not hold its record.
    RecordGone,
}

/// A reason for which the store refuses reads or writes (`RunningFlags`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Flag {
    /// Reads are refused.
    NotReadable,
    /// Writes are refused.
    NotWriteable,
    /// A ConsumeQueue could not be written.
    WriteLogicsQueueError,
    /// The index could not be written.
    WriteIndexFileError,
    /// The disk is too full.
    DiskFull,
}
