//! Dispatch of the commit log, one record at a time.

use crate::disk::Disk;
use crate::message::record::{Cause, Checked};

use super::dispatch::UNIT_RETRY_MS;
use super::record_read::Stretch;
use super::{BrokerRole, Env, Reput, Step, Store, Work};

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
    /// Where the buffer stands in the file, and where the slice ends.
    bytes: Stretch,
    /// What the service thinks is left of the slice.
    unread: i32,
}

impl<D: Disk> Store<D> {
    /// Dispatches the next record: one turn of `ReputMessageService`. One turn is one record, the blank record at a
    /// file's end, or one run of bytes that are no record. Where a unit cannot be written it waits and tries again.
    pub fn reput<E: Env>(&mut self, env: &mut E) -> Reput {
        loop {
            match self.reput_attempt(env) {
                Reput::Waits { ms } => env.spend(Work::Sleep(ms)),
                turn => return turn,
            }
        }
    }

    /// The same for those who let the time pass themselves: each attempt to write a unit is a turn of its own, and
    /// [`Reput::Waits`] asks for the next.
    pub fn reput_attempt<E: Env>(&mut self, env: &mut E) -> Reput {
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
        Some(Slice { bytes: Stretch { file: file.id, position, end: position.saturating_add(unread) }, unread })
    }

    fn reput_record<E: Env>(&mut self, slice: Slice, scratch: &mut Vec<u8>, env: &mut E) -> Reput {
        let from = self.reput.from;
        // A copy, since what the record leads to is written to the disk that it is read from.
        let checked = slice.bytes.check_for_dispatch(&self.disk, self.schedule.levels(), scratch);
        let checked = match checked {
            Ok(checked) => checked,
            Err(error) => {
                env.step(|| Step::DiskFailed { error: error.to_string() });
                return self.give_up(from, slice, env);
            }
        };
        match checked {
            Checked::Good(found) => {
                if self.unit_tries == 0 {
                    env.step(|| Step::ReputRead {
                        physical_offset: found.physical_offset,
                        size: found.size,
                        topic: found.topic.to_string(),
                        queue_id: found.queue_id,
                        queue_offset: found.queue_offset,
                    });
                }
                let Some(topic) = self.place_unit(&found, env) else { return Reput::Waits { ms: UNIT_RETRY_MS } };
                let info = self.finish_dispatch(&found, topic, env);
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
            Checked::Bad { .. } => self.give_up(from, slice, env),
        }
    }

    /// Nothing can be made of the bytes: a master gives the rest of the slice up, a slave waits for better bytes.
    fn give_up<E: Env>(&mut self, from: i64, slice: Slice, env: &mut E) -> Reput {
        if self.config.broker_role == BrokerRole::Slave {
            self.reput = ReputPosition::at(from);
            env.step(|| Step::ReputWaits { physical_offset: from, readable: slice.unread });
            return Reput::Skipped { from, to: from };
        }
        let to = from.wrapping_add(i64::from(slice.unread));
        self.reput = ReputPosition::at(to);
        env.step(|| Step::ReputSkipped { physical_offset: from, to, length_mismatch: false });
        Reput::Skipped { from, to }
    }
}

impl Slice {
    /// The slice after `taken` bytes of the buffer, of which the service counts `counted`; `None` at its end.
    fn after(self, taken: i32, counted: i32) -> Option<Self> {
        let position = self.bytes.position.saturating_add(taken).min(self.bytes.end);
        let unread = self.unread.saturating_sub(counted);
        (unread > 0).then_some(Self { bytes: Stretch { position, ..self.bytes }, unread })
    }
}
