//! Every record of the log.

use std::ops::ControlFlow;

use super::files::Segment;
use super::log::{LogReader, Look};
use crate::disk::{DiskError, ReadAt};
use crate::message::record::Record;

/// Bytes read at a time.
const CHUNK: u64 = 1024 * 1024;

/// Hands out every record with its place in the log: of each file from its start up to the first position that holds
/// none, blank records left out. Stops when told to.
pub fn each_record<D: ReadAt + ?Sized, B>(
    disk: &D,
    segments: &[Segment],
    mut visit: impl FnMut(i64, &Record<'_>) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, DiskError> {
    let mut log = LogReader::new(disk, segments, CHUNK);
    for (number, file) in segments.iter().enumerate() {
        let mut position = 0;
        while let Look::Record(record) = log.look(number, position)? {
            if let ControlFlow::Break(stop) = visit(file.from.saturating_add_unsigned(position), &record) {
                return Ok(ControlFlow::Break(stop));
            }
            position += u64::try_from(record.total_size).unwrap_or(0).max(1);
        }
    }
    Ok(ControlFlow::Continue(()))
}
