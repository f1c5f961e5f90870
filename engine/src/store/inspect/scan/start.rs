//! Where a start of this store would begin to dispatch.

use super::super::files::{Segment, StoreFiles, read_clipped};
use super::Facts;
use crate::disk::ReadAt;
use crate::message::record::{MAGIC_POSITION, MESSAGE_MAGIC, SYS_FLAG_POSITION, store_timestamp_position};

/// After a clean stop: behind the last record that has a unit (`DefaultMessageStore.start`). After an unclean one: the
/// last commit log file whose first record is older than the checkpoint, since recovery dispatches all that it scans
/// (`CommitLog.recoverAbnormally`, `isMappedFileMatchedRecover`; `messageIndexSafe` is taken to be off, as by default).
pub(super) fn dispatch_from<D: ReadAt + ?Sized>(disk: &D, files: &StoreFiles, facts: &Facts) -> i64 {
    let first = files.commit_log.first().map_or(0, |file| file.from);
    if !facts.abort {
        return facts.dispatched_to.max(first);
    }
    let vouched = facts.checkpoint.map_or(0, |times| times.min());
    let chosen = files
        .commit_log
        .iter()
        .rev()
        .find(|file| first_store_timestamp(disk, file).is_some_and(|stored| stored != 0 && stored <= vouched));
    chosen.map_or(first, |file| file.from)
}

/// STORETIMESTAMP of the record at the start of a file, if it begins with the magic of a record.
fn first_store_timestamp<D: ReadAt + ?Sized>(disk: &D, file: &Segment) -> Option<i64> {
    let bytes = read_clipped(disk, file.file, file.len, 0, 80).ok()?;
    let int = |at: usize| bytes.get(at..)?.first_chunk().map(|value| i32::from_be_bytes(*value));
    if int(MAGIC_POSITION)? != MESSAGE_MAGIC {
        return None;
    }
    let at = store_timestamp_position(int(SYS_FLAG_POSITION)?);
    bytes.get(at..)?.first_chunk().map(|value| i64::from_be_bytes(*value))
}
