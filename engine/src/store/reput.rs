//! Dispatch of the commit log, one record at a time.

use crate::disk::{Disk, FileId};
use crate::message::record::{self, Cause, Checked};

use super::mapped_file::{read_array, read_into};
use super::{BrokerRole, Env, Reput, Step, Store};

/// Where dispatch stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReputPosition {
    /// Physical offset of the next record, as the service counts it.
    pub(super) from: i64,
    /// Set while the service has lost count, see [`Slice`].
    lost: Option<Slice>,
}

impl ReputPosition {
    pub(super) fn at(from: i64) -> Self {
        Self { from, lost: None }
    }
}

/// The readable rest of a file, which 4.9.8 works through before it looks for more.
///
/// Normally it is looked up again for each record and nothing is different. After a record whose parts do not add up to
/// its TOTALSIZE the service counts on by TOTALSIZE while its buffer stands behind the parts; the two meet again only
/// with the next slice, and what the count is too far ahead by then is never dispatched.
#[derive(Clone, Copy, Debug)]
struct Slice {
    file: FileId,
    /// Where the buffer stands in the file.
    position: i32,
    /// Where the slice ends in the file.
    end: i32,
    /// What the service thinks is left of the slice.
    unread: i32,
}

impl<D: Disk> Store<D> {
    /// Dispatches the next record: one turn of `ReputMessageService`. One turn is one record, the blank record at a
    /// file's end, or one run of bytes that are no record.
    pub fn reput<E: Env>(&mut self, env: &mut E) -> Reput {
        let Some(slice) = self.reput_slice(env) else { return Reput::Idle };
        self.disk.set_time(env.now());
        let mut scratch = std::mem::take(&mut self.scratch.0);
        let turn = self.reput_record(slice, &mut scratch, env);
        self.scratch.0 = scratch;
        turn
    }

    /// The bytes to go on with; `None` if nothing waits.
    fn reput_slice<E: Env>(&mut self, env: &mut E) -> Option<Slice> {
        if let Some(slice) = self.reput.lost {
            return Some(slice);
        }
        let min = self.commit_log.min_offset();
        if self.reput.from < min {
            env.step(|| Step::ReputMoved { from: self.reput.from, to: min });
            self.reput.from = min;
        }
        if self.reput.from >= self.commit_log.max_offset()
            || (self.config.duplication_enable && self.reput.from >= self.commit_log.confirm_offset)
        {
            return None;
        }
        let file = self.commit_log.files.find_or_first_for_zero(self.reput.from)?;
        let position = self.commit_log.files.position_of(self.reput.from);
        let unread = file.readable_from(position)?;
        self.reput.from = file.from_offset.wrapping_add(i64::from(position));
        Some(Slice { file: file.id, position, end: position + unread, unread })
    }

    fn reput_record<E: Env>(&mut self, slice: Slice, scratch: &mut Vec<u8>, env: &mut E) -> Reput {
        let from = self.reput.from;
        let len = record_window(&self.disk, slice.file, slice.position, slice.end);
        // A copy, since what the record leads to is written to the disk that it is read from.
        if let Err(error) = read_into(&self.disk, slice.file, slice.position, len, scratch) {
            env.step(|| Step::DiskFailed { error: error.to_string() });
        }
        match record::check(scratch, false, false, self.schedule.levels()) {
            Checked::Good(found) => {
                env.step(|| Step::ReputRead {
                    physical_offset: found.physical_offset,
                    size: found.size,
                    topic: found.topic.to_string(),
                    queue_id: found.queue_id,
                    queue_offset: found.queue_offset,
                });
                let info = self.dispatch(&found, env);
                self.reput.from = from.wrapping_add(i64::from(info.size));
                self.reput.lost = self.reput.lost.and_then(|_| slice.after(info.size, info.size));
                Reput::Dispatched(info)
            }
            Checked::Blank { .. } => {
                let to = self.commit_log.files.next_file_start(from);
                self.reput = ReputPosition::at(to);
                env.step(|| Step::ReputRolled { from, to });
                Reput::Rolled { to }
            }
            Checked::Bad { error, size } if size > 0 => {
                let parts = match error.cause {
                    Cause::Size { read, .. } => i32::try_from(read).unwrap_or(i32::MAX),
                    _ => size,
                };
                let to = from.wrapping_add(i64::from(size));
                self.reput = ReputPosition { from: to, lost: slice.after(parts, 0) };
                env.step(|| Step::ReputSkipped { physical_offset: from, to, length_mismatch: true });
                Reput::Skipped { from, to }
            }
            Checked::Bad { .. } => {
                // A master gives the rest of the slice up; a slave waits for better bytes.
                let rest = if self.config.broker_role == BrokerRole::Slave { 0 } else { slice.unread };
                let to = from.wrapping_add(i64::from(rest));
                self.reput = ReputPosition::at(to);
                env.step(|| Step::ReputSkipped { physical_offset: from, to, length_mismatch: false });
                Reput::Skipped { from, to }
            }
        }
    }
}

impl Slice {
    /// The slice after `taken` bytes of the buffer, of which the service counts `counted`; `None` at its end.
    fn after(self, taken: i32, counted: i32) -> Option<Self> {
        let (position, unread) = (self.position.saturating_add(taken), self.unread.saturating_sub(counted));
        (unread > 0).then_some(Self { position: position.min(self.end), unread, ..self })
    }
}

/// How many bytes to look at for the record at `position` of a file that can be read up to `end`: its TOTALSIZE, or what
/// its parts make where that is more. 4.9.8 looks at everything up to `end` at once, which would be a whole file here.
pub(super) fn record_window<D: Disk>(disk: &D, file: FileId, position: i32, end: i32) -> i32 {
    let available = end.saturating_sub(position).max(0);
    let Some(total) = read_array(disk, file, i64::from(position)).map(i32::from_be_bytes) else {
        return available.min(8);
    };
    let total = total.clamp(8, available.max(8));
    let parts = parts_len(disk, file, i64::from(position)).unwrap_or(0);
    let wanted = i64::from(total).max(parts);
    wanted.min(i64::from(available)) as i32
}

/// Length of the record at `position` by the lengths of its parts; `None` where the bytes end before.
fn parts_len<D: Disk>(disk: &D, file: FileId, position: i64) -> Option<i64> {
    let int = |at: i64| read_array(disk, file, at).map(i32::from_be_bytes);
    let sys_flag = int(position + record::SYS_FLAG_POSITION as i64)?;
    let body = position
        + record::store_timestamp_position(sys_flag) as i64
        + 8
        + crate::message::sys_flag::store_host_len(sys_flag) as i64
        + 12;
    let topic = body + 4 + i64::from(int(body)?.max(0));
    let [topic_len] = read_array(disk, file, topic).map(|byte: [u8; 1]| byte.map(u8::cast_signed))?;
    let properties = topic + 1 + i64::from(topic_len.max(0));
    let properties_len = read_array(disk, file, properties).map(i16::from_be_bytes)?;
    Some(properties + 2 + i64::from(properties_len.max(0)) - position)
}
